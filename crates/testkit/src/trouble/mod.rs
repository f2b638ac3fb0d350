//! Trouble makers: each makes one trouble of the catalogue for real, proves with the
//! kernel's own counters that it is there, and says what must be found.
//!
//! One file each, one line in [`ALL`]. Everything is undone when the [`Trouble`] is
//! dropped. Sizes follow the machine: CPUs, memory limits, the device's own speed.

mod config_obsolete;
mod config_risky;
mod cpu_context_switch_storm;
mod cpu_fork_storm;
mod cpu_hot_thread;
mod cpu_interrupt_imbalance;
mod cpu_pinned;
mod cpu_realtime_hog;
mod cpu_saturated;
mod cpu_single_thread;
mod cpu_syscall_storm;
mod cpu_throttled;
mod cpu_wakeup_storm;
mod disk_errors;
mod disk_latency_bound;
mod disk_metadata_bound;
mod disk_readahead_off;
mod disk_saturated;
mod disk_scheduler;
mod disk_slow;
mod disk_small_io;
mod disk_sync_bound;
mod disk_throttled;
mod fs_full;
mod fs_inodes_full;
mod fs_remote_slow;
mod limits;
mod lock_file_lock_contention;
mod lock_inode_contention;
mod lock_kernel_contention;
mod lock_mmap_contention;
mod lock_user_contention;
mod mem_cgroup_limit;
mod mem_dirty_throttle;
mod mem_exhausted;
mod mem_hugepages_short;
mod mem_hugepages_unused;
mod mem_leak;
mod mem_oom_kill;
mod mem_page_tables;
mod mem_reclaim;
mod mem_slab_growth;
mod mem_swapping;
mod mem_thrashing;
mod net_conntrack_full;
mod net_drops;
mod net_errors;
mod net_listen_overflow;
mod net_ports_exhausted;
mod net_retransmits;
mod net_saturated;
mod net_socket_buffer_drops;
mod net_time_wait;

use std::any::Any;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::expect::Expected;
use crate::host_figures::block_stat;
use crate::known_waits::MountPoint;
use crate::loop_device::LoopDevice;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;

/// Makes one trouble.
pub struct TroubleMaker {
    /// Name of the test: the id of the finding, with a variant where there are several.
    pub name: &'static str,
    /// What it needs of the machine.
    pub needs: &'static [Need],
    /// Makes it; returns when it is there.
    pub make: fn() -> Result<Trouble>,
}

impl TroubleMaker {
    /// Why its load cannot be an ordinary user's own, if it cannot.
    pub fn roots_own(&self) -> Option<&'static str> {
        ROOTS_OWN.iter().find(|(_, names)| names.contains(&self.name)).map(|(why, _)| *why)
    }

    /// Whether it is a trouble only as long as other CPUs idle: who waits for one CPU while all
    /// are busy waits for any.
    pub fn asks_for_idle_cpus(&self) -> bool {
        BESIDE_IDLE_CPUS.contains(&self.name)
    }
}

/// Troubles of one CPU beside others that idle, or of a machine that could rest.
const BESIDE_IDLE_CPUS: [&str; 5] = [
    "cpu.interrupt-imbalance",
    "cpu.pinned",
    "cpu.single-thread",
    "cpu.single-thread.in-turn",
    "cpu.wakeup-storm",
];

/// Troubles that no ordinary user's processes suffer or make, and why.
const ROOTS_OWN: &[(&str, &[&str])] = &[
    (
        "only root reads devices past their file system",
        &[
            "disk.errors",
            "disk.latency-bound",
            "disk.readahead-off",
            "disk.scheduler",
            "disk.scheduler.room",
            "disk.slow",
            "disk.small-io",
            "disk.throttled",
            "disk.throttled.in-turn",
        ],
    ),
    ("only root mounts", &["fs.remote-slow"]),
    (
        "only root makes links and networks of its own",
        &[
            "net.conntrack-full",
            "net.drops",
            "net.errors",
            "net.retransmits",
            "net.saturated",
            "net.throttled",
        ],
    ),
    ("only root runs in real time", &["cpu.realtime-hog"]),
];

/// Starts what has to be some age when its turn comes, for who makes all troubles in a row: that
/// one need not wait then.
pub fn start_ahead() -> Result<()> {
    mem_leak::start_ahead()
}

/// A trouble that lasts until it is dropped.
pub struct Trouble {
    /// What must be found.
    pub expected: Expected,
    /// What it makes besides: ids of findings that are true too, and that not every method tells apart.
    pub besides: &'static [&'static str],
    // Dropped from first to last: processes, then what they use.
    _held: Vec<Box<dyn Any>>,
}

impl Trouble {
    fn new(expected: Expected, held: Vec<Box<dyn Any>>) -> Trouble {
        Trouble { expected, besides: &[], _held: held }
    }

    fn besides(self, ids: &'static [&'static str]) -> Trouble {
        Trouble { besides: ids, ..self }
    }
}

/// A device that takes so long for every request, whoever asks: a loop device over a file whose
/// file system answers so slowly.
fn slow_device(answer_ms: &str) -> Result<LoopDevice> {
    let point = MountPoint(Scratch::new("slow")?);
    let path = point.0.path().to_owned();
    let mut server = Running::program("slow_store", &[&path, &answer_ms])?;
    let said = server.line()?;
    ensure!(said == "ready", "slow_store said {said}");
    LoopDevice::read_only(&path.join("file"), Box::new((server, point)))
}

/// One task that keeps one request of `bytes` at the device, `randread` or `read` as fio says.
fn one_at_a_time(device: &Path, pattern: &str, bytes: u32) -> Command {
    let mut command = Command::new("fio");
    command
        .args(["--name=one", "--thread", "--direct=1", "--ioengine=psync", "--allow_file_create=0"])
        .args(["--time_based", "--runtime=120", "--output=/dev/null"])
        .args([format!("--rw={pattern}"), format!("--bs={bytes}")])
        .arg(format!("--filename={}", device.display()));
    command
}

/// Starts `reader`, and waits until `device` has answered `reads` of its reads.
fn started_reading(reader: Command, device: &LoopDevice, reads: u64) -> Result<Running> {
    /// Field of `/sys/block/*/stat`: reads completed.
    const READS: usize = 0;
    let name = device.name();
    let before = block_stat(&name, READS)?;
    let mut reader = Running::start(reader)?;
    until("the device answers its reads", || {
        reader.still_runs()?;
        Ok(block_stat(&name, READS)? > before + reads)
    })?;
    Ok(reader)
}

/// All of them, sorted by name.
pub const ALL: &[TroubleMaker] = &[
    config_obsolete::MAKER,
    config_risky::MAKER,
    cpu_context_switch_storm::MAKER,
    cpu_fork_storm::MAKER,
    cpu_hot_thread::MAKER,
    cpu_interrupt_imbalance::MAKER,
    cpu_pinned::MAKER,
    cpu_realtime_hog::MAKER,
    cpu_saturated::MAKER,
    cpu_single_thread::ONE_OF_FOUR,
    cpu_single_thread::IN_TURN,
    cpu_syscall_storm::MAKER,
    cpu_throttled::MAKER,
    cpu_wakeup_storm::MAKER,
    disk_errors::MAKER,
    disk_latency_bound::MAKER,
    disk_metadata_bound::MAKER,
    disk_readahead_off::MAKER,
    disk_saturated::MAKER,
    disk_scheduler::MAKER,
    disk_scheduler::LITTLE_ROOM,
    disk_slow::MAKER,
    disk_small_io::MAKER,
    disk_sync_bound::MAKER,
    disk_throttled::MAKER,
    disk_throttled::IN_TURN,
    fs_full::MAKER,
    fs_inodes_full::MAKER,
    fs_remote_slow::MAKER,
    limits::AIO_REQUESTS,
    limits::INOTIFY,
    limits::LOCKED_MEMORY,
    limits::MAP_COUNT,
    limits::MESSAGE_QUEUES,
    limits::OPEN_FILES,
    limits::PROCESSES,
    limits::PROCESSES_OF_GROUP,
    limits::SEMAPHORES,
    limits::SHARED_MEMORY,
    lock_file_lock_contention::MAKER,
    lock_inode_contention::MAKER,
    lock_kernel_contention::MAKER,
    lock_mmap_contention::MAKER,
    lock_user_contention::RUNNING_HOLDER,
    lock_user_contention::SLEEPING_HOLDER,
    mem_cgroup_limit::MAKER,
    mem_cgroup_limit::IN_TURN,
    mem_dirty_throttle::MAKER,
    mem_exhausted::MAKER,
    mem_hugepages_short::MAKER,
    mem_hugepages_unused::MAKER,
    mem_leak::MAKER,
    mem_oom_kill::MAKER,
    mem_page_tables::MAKER,
    mem_reclaim::MAKER,
    mem_slab_growth::MAKER,
    mem_swapping::MAKER,
    mem_thrashing::MAKER,
    net_conntrack_full::MAKER,
    net_drops::MAKER,
    net_errors::MAKER,
    net_listen_overflow::MAKER,
    net_ports_exhausted::MAKER,
    net_retransmits::MAKER,
    net_saturated::MAKER,
    net_socket_buffer_drops::MAKER,
    net_saturated::THROTTLED,
    net_time_wait::MAKER,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(ALL.is_sorted_by(|one, next| one.name < next.name));
    }

    #[test]
    fn listed_names_are_makers() {
        let of_root = ROOTS_OWN.iter().flat_map(|(_, names)| *names);
        for name in of_root.chain(&BESIDE_IDLE_CPUS) {
            assert!(ALL.iter().any(|maker| maker.name == *name), "{name}");
        }
    }
}
