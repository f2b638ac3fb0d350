//! The runs: which waits, where. One line each in [`ALL`].

use std::any::Any;
use std::path::Path;

use anyhow::{Context, Result};

use crate::control_group::{ControlGroup, Controller, SlowWrites};
use crate::known_waits::{KnownWaits, MountPoint, Place, data_bytes, rust_waits, seconds};
use crate::loop_device::{Backing, Journal, LoopDevice, Mounted};
use crate::needs::Need;
use crate::programs;
use crate::scratch::Scratch;
use crate::swap_file::SwapFile;

/// The exact ledger: whoever has the right to it, on a kernel with type information.
const LEDGER: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux")];
/// The same on a disk, in the folder of scratch files.
const DISK: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::ScratchOnDisk];
const LOOP: &[Need] =
    &[Need::Root, Need::Tool("losetup"), Need::Tool("mkfs.ext4"), Need::File("/dev/loop-control")];
const SLOW_LOOP: &[Need] = &[
    Need::Root,
    Need::Tool("losetup"),
    Need::Tool("mkfs.ext4"),
    Need::ControllerV1(Controller::Io),
    Need::ControllerV1(Controller::Memory),
];

const GO: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::Tool("go")];
const JAVA: &[Need] =
    &[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::Tool("java"), Need::Tool("javac")];
const SWAP: &[Need] = &[
    Need::Root,
    Need::Tool("fallocate"),
    Need::Tool("mkswap"),
    Need::Tool("swapon"),
    Need::File("/proc/swaps"),
    Need::Controller(Controller::Memory),
];

/// All of them, sorted by name.
pub const ALL: &[KnownWaits] = &[
    KnownWaits { name: "cpu-kernel", needs: LEDGER, prepare: || alone("waits_cpu", "kernel") },
    KnownWaits { name: "cpu-queue", needs: LEDGER, prepare: || alone("waits_cpu", "queue") },
    KnownWaits {
        name: "cpu-throttled",
        needs: &[Need::Root, Need::Controller(Controller::Cpu)],
        prepare: throttled,
    },
    KnownWaits { name: "cpu-user", needs: LEDGER, prepare: || alone("waits_cpu", "user") },
    // Long waits of one thread, of two classes in turn that only stacks tell apart.
    KnownWaits { name: "disk-alternating", needs: SLOW_LOOP, prepare: || held_back("alternate") },
    KnownWaits { name: "disk-async", needs: DISK, prepare: || on_disk("waits_disk", "aio uring") },
    KnownWaits {
        name: "disk-direct",
        needs: DISK,
        prepare: || on_disk("waits_disk", "read-direct write-direct"),
    },
    KnownWaits { name: "disk-fault", needs: DISK, prepare: || on_disk("waits_disk", "fault") },
    KnownWaits { name: "disk-journal", needs: LOOP, prepare: journal },
    KnownWaits { name: "disk-read-cold", needs: DISK, prepare: || on_disk("waits_disk", "read-cold") },
    KnownWaits { name: "disk-sync", needs: DISK, prepare: || in_folder("waits_disk", "fsync write-sync") },
    KnownWaits { name: "disk-throttle", needs: SLOW_LOOP, prepare: || held_back("start-writing") },
    KnownWaits { name: "idle", needs: LEDGER, prepare: idle },
    // Workers that look for work every few milliseconds wait for no lock.
    KnownWaits {
        name: "idle-workers",
        needs: LEDGER,
        prepare: || alone("waits_idle", "park-polling park-crew"),
    },
    KnownWaits { name: "lock-file", needs: LEDGER, prepare: || in_folder("waits_lock", "flock fcntl") },
    KnownWaits { name: "lock-inode", needs: LEDGER, prepare: || in_folder("waits_lock", "inode") },
    KnownWaits { name: "lock-kernel", needs: LEDGER, prepare: || on_disk("waits_lock", "position") },
    KnownWaits { name: "lock-mmap", needs: LEDGER, prepare: || alone("waits_lock", "mmap") },
    KnownWaits { name: "lock-user", needs: LEDGER, prepare: || alone("waits_lock", "mutex") },
    KnownWaits { name: "lock-user-condition", needs: LEDGER, prepare: || alone("waits_lock", "condition") },
    KnownWaits { name: "lock-user-go", needs: GO, prepare: go },
    KnownWaits { name: "lock-user-java", needs: JAVA, prepare: java },
    KnownWaits { name: "lock-user-rust", needs: LEDGER, prepare: || rust("") },
    KnownWaits { name: "lock-user-rust-rwlock", needs: LEDGER, prepare: || rust("rwlock") },
    KnownWaits { name: UNTOLD, needs: LEDGER, prepare: || rust("rwlock-writers") },
    KnownWaits { name: "lock-user-rwlock", needs: LEDGER, prepare: || alone("waits_lock", "rwlock") },
    KnownWaits { name: "mem-dirty", needs: SLOW_LOOP, prepare: dirty },
    KnownWaits { name: "mem-reclaim", needs: SLOW_LOOP, prepare: reclaim },
    KnownWaits { name: "mem-swap-in", needs: SWAP, prepare: swap_in },
    KnownWaits { name: "remote-fs", needs: &[Need::Root, Need::File("/dev/fuse")], prepare: remote },
];

/// Readers at a Rust rwlock for which writers wait too: while such a wait is open its word has
/// all bits set, as that of a parked thread has, and only its end tells which of the two it was.
pub const UNTOLD: &str = "lock-user-rust-rwlock-writers";

/// What reaches the slow device in a second: little enough that its writers wait.
const SLOW: u64 = 20 << 20;

/// `PROGRAM SECONDS FOLDER WAIT…` as a shell command.
fn command(program: &str, folder: &Path, waits: &str) -> Result<String> {
    let program = programs::built(program)?;
    let seconds = seconds();
    Ok(format!("exec '{}' {seconds} '{}' {waits}", program.display(), folder.display()))
}

/// Waits that use no file.
fn alone(program: &str, waits: &str) -> Result<Place> {
    Ok(Place { commands: vec![command(program, Path::new("/"), waits)?], _held: vec![] })
}

/// Waits that use an empty folder on a disk.
fn in_folder(program: &str, waits: &str) -> Result<Place> {
    let scratch = Scratch::new("waits")?;
    Ok(Place { commands: vec![command(program, scratch.path(), waits)?], _held: vec![Box::new(scratch)] })
}

/// Waits that use a folder on a disk with a file `data` that is not in memory.
fn on_disk(program: &str, waits: &str) -> Result<Place> {
    let scratch = Scratch::new("waits")?;
    scratch.file_on_disk("data", data_bytes()?)?;
    Ok(Place { commands: vec![command(program, scratch.path(), waits)?], _held: vec![Box::new(scratch)] })
}

/// Waits that need next to no CPU can all be clocked at once.
fn idle() -> Result<Place> {
    let waits = "timer poll epoll read-pipe read-unix read-terminal read-request accept peer-tcp peer-unix \
                 child park-condition park-semaphore park-signal stopped";
    alone("waits_idle", waits)
}

fn rust(only: &str) -> Result<Place> {
    let test = std::env::current_exe()?;
    let seconds = seconds();
    let command = format!("exec '{}' {} {seconds} {only}", test.display(), rust_waits::ARGUMENT);
    Ok(Place { commands: vec![command], _held: vec![] })
}

fn go() -> Result<Place> {
    let program = programs::built_go("waits_lock")?;
    let seconds = seconds();
    Ok(Place { commands: vec![format!("exec '{}' {seconds}", program.display())], _held: vec![] })
}

fn java() -> Result<Place> {
    let classes = programs::built_java("WaitsLock")?;
    let seconds = seconds();
    let command = format!("exec java -cp '{}' WaitsLock {seconds}", classes.display());
    Ok(Place { commands: vec![command], _held: vec![] })
}

/// The command, as a member of a control group from before its first statement.
fn within(group: &ControlGroup, command: &str) -> String {
    format!("echo 0 > '{}' && {command}", group.members_file().display())
}

fn throttled() -> Result<Place> {
    let group = ControlGroup::new(Controller::Cpu, "quota")?;
    group.limit_cpu(20)?;
    let commands = vec![within(&group, &command("waits_cpu", Path::new("/"), "throttled")?)];
    Ok(Place { commands, _held: vec![Box::new(group)] })
}

fn journal() -> Result<Place> {
    let mounted = LoopDevice::new("journal", 256 << 20, Backing::Direct)?.with_ext4(Journal::With)?;
    let commands = vec![command("waits_disk", mounted.path(), "fsync")?];
    Ok(Place { commands, _held: vec![Box::new(mounted)] })
}

/// A file system whose device takes [`SLOW`] bytes a second.
fn slow_disk() -> Result<(SlowWrites, Mounted)> {
    let mounted = LoopDevice::new("slow", 512 << 20, Backing::Direct)?.with_ext4(Journal::Without)?;
    let slow = SlowWrites::new(&device_of(&mounted)?.number()?, SLOW)?;
    Ok((slow, mounted))
}

/// A device that answers slowly, so that the kernel holds back who writes to it (wbt). The
/// limit is on the device below it: one on the device itself would act before wbt.
fn held_back(waits: &str) -> Result<Place> {
    let mounted = LoopDevice::new("slow", 128 << 20, Backing::Direct)?.with_ext4(Journal::Without)?;
    let number = device_of(&mounted)?.number()?;
    let device = LoopDevice::within(mounted, 64 << 20)?;
    let slow = SlowWrites::new(&number, 3 * SLOW)?;
    let commands = vec![command("waits_disk", device.path(), waits)?];
    Ok(Place { commands, _held: vec![Box::new(slow), Box::new(device)] })
}

/// The device may have few dirty pages: who writes more waits until they are written.
fn dirty() -> Result<Place> {
    let (slow, mounted) = slow_disk()?;
    let few = device_of(&mounted)?.with_few_dirty_pages(16 << 20)?;
    let commands = vec![command("waits_memory", mounted.path(), "dirty")?];
    Ok(Place { commands, _held: vec![Box::new(few), Box::new(slow), Box::new(mounted)] })
}

/// The group's memory fills with pages that wait to be written: who wants more waits for
/// their writing, in reclaim. Only v1 does so; v2 holds writers back before.
fn reclaim() -> Result<Place> {
    let (slow, mounted) = slow_disk()?;
    let group = ControlGroup::new(Controller::Memory, "small")?;
    group.limit_memory(32 << 20)?;
    let commands = vec![within(&group, &command("waits_memory", mounted.path(), "reclaim")?)];
    Ok(Place { commands, _held: vec![Box::new(slow), Box::new(group), Box::new(mounted)] })
}

/// The group's memory is an eighth of what the program reads: the rest is in swap.
fn swap_in() -> Result<Place> {
    // More than twice of what is swapped: from half full on the kernel gives a page's place
    // away when it comes back, and has to write it again.
    let swap = SwapFile::new(1200 << 20)?;
    let group = ControlGroup::new(Controller::Memory, "swaps")?;
    group.limit_memory(64 << 20)?;
    let commands = vec![within(&group, &command("waits_memory", Path::new("/"), "swap-in")?)];
    Ok(Place { commands, _held: vec![Box::new(group), Box::new(swap)] })
}

fn remote() -> Result<Place> {
    let point = MountPoint(Scratch::new("remote")?);
    let commands = vec![command("waits_remote", point.0.path(), "fuse")?];
    Ok(Place { commands, _held: vec![Box::new(point) as Box<dyn Any>] })
}

fn device_of(mounted: &Mounted) -> Result<&LoopDevice> {
    mounted.device().context("mounted without a device")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(ALL.is_sorted_by(|one, next| one.name < next.name));
    }
}
