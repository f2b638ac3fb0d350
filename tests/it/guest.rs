//! Other kernels: the same program and the same tests in guests that are booted for it.
//!
//! One guest at a time; tests on the same kernel share it, so that it boots once.
//! A guest's CPUs are emulated: nothing here bounds how fast anything is. Whatever waits
//! there clocks its own waits, and that is what the account must say.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use heldup_model::{Examination, Method};
use heldup_testkit::guest::{Copied, EMULATOR, Guest, test_machine};
use heldup_testkit::needs::{Need, static_file};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::survives::machine;
use crate::{guest_devices, guest_memory, guest_nfs, guest_power_cut, methods, table_checks};

/// How names of tests in a guest begin.
pub const NAMES: &str = "guest::";

/// The kernel on which everything must work: Debian 12's.
pub const WHOLE: &str = "6.1";
/// A later one on which everything must work too: Debian 13's.
const LATER: &str = "6.12";
/// Its memory: a node of it can have a gigabyte to spare beside one that is full.
const LATER_MIB: u32 = 3584;
/// A kernel whose tracing programs cannot keep storage for tasks (5.11): Debian 11's.
const WITHOUT_STORAGE: &str = "5.10";

/// Each setting of the catalogue there, which takes a run of the program for each.
const EVERY_SETTING: &str = "changes::every-setting";
const LONG_PATIENCE: Duration = Duration::from_secs(900);

/// Longest time for one command: many times what it takes on an idle machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Known waits that are clocked there too, those of a row in one examination: waits for a disk
/// or a lock beside others are each other's; who moves into a control group (`cpu-throttled`) holds
/// up whoever starts a thread (`idle`). Not here: those that need control groups of v1, Go
/// or Java, and `cpu-user`: an emulated timer interrupt takes so long that two percent of a
/// computing task's time are rightly the kernel's.
const WAITS: [&[&str]; 3] = [&["cpu-queue"], &["disk-sync"], &["lock-file", "cpu-throttled"]];
/// The same in a soak only: what they would show anew, those above do.
const MORE_WAITS: [&[&str]; 3] = [&["disk-direct"], &["disk-read-cold"], &["idle"]];

/// Tests of this machine that must pass there too, where control groups are of v2 only.
const TESTS: [&str; 5] = [
    "changes::limited",
    "changes::mounts",
    "changes::pinned",
    "changes::processes",
    "trouble::cpu.throttled",
];

/// The guest that runs, with the series of its kernel.
static RUNNING: Mutex<Option<(&'static str, Guest)>> = Mutex::new(None);

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial(WHOLE, "doctor", everything_works),
        trial(WHOLE, "tables", table_checks::rows_there),
        trial(WHOLE, "nodes", guest_devices::two_nodes),
        trial(WHOLE, "disks-and-networks", guest_devices::slow_disk_and_slow_network),
        trial(WHOLE, "trouble::disk", guest_devices::failing_and_slow_disk),
        trial(WHOLE, "nfs", guest_nfs::counted),
        trial(WHOLE, "trouble::fs.misaligned", guest_devices::odd_partition),
        trial(WHOLE, "trouble::mem.exhausted", guest_memory::memory_runs_out),
        trial(WHOLE, "trouble::cpu.numa-remote", guest_memory::memory_far_away),
        trial(WHOLE, "trouble::mem.write-burst", guest_memory::writes_in_bursts),
        trial(WHOLE, "silent-nfs-server", guest_nfs::silent_server),
    ];
    // Memory falls into pieces for three quarters of a minute.
    if crate::is_soak() {
        trials.push(trial(WHOLE, "trouble::mem.fragmentation", guest_memory::memory_in_pieces));
    }
    let more = MORE_WAITS.into_iter().filter(|_| crate::is_soak());
    for names in WAITS.into_iter().chain(more) {
        let run = move |guest: &mut Guest| clocked_waits(guest, names);
        trials.push(trial(WHOLE, &format!("known_waits::{}", names.join("+")), run));
    }
    for name in TESTS {
        trials.push(trial(WHOLE, name, move |guest: &mut Guest| test_there(guest, name)));
    }
    for name in machine::names() {
        trials.push(trial(WHOLE, name, move |guest: &mut Guest| test_there(guest, name)));
    }
    trials.push(guest_power_cut::trial(WHOLE));
    trials.push(trial(WHOLE, EVERY_SETTING, every_setting));
    let needs_static = [needs(LATER), vec![Need::StaticFile]].concat();
    let from_empty_root = || in_guest(LATER, &static_file_from_an_empty_root);
    trials.push(crate::trial(format!("{NAMES}{LATER}::static-file"), &needs_static, from_empty_root));
    trials.push(trial(LATER, "doctor", everything_works));
    trials.push(trial(LATER, "trouble::mem.numa-imbalance", guest_memory::full_node));
    let waits = |guest: &mut Guest| clocked_waits(guest, &["lock-file"]);
    trials.push(trial(LATER, "known_waits::lock-file", waits));
    trials.push(trial(WITHOUT_STORAGE, "falls-back", falls_back));
    trials
}

/// The one file examines where nothing else is: no shell, no library, no configuration, and nothing but the kernel's
/// own file systems.
fn static_file_from_an_empty_root(guest: &mut Guest) -> Result<()> {
    let rooted = "mount -t proc proc /empty/proc && mount -t sysfs sysfs /empty/sys && \
                  mount -t devtmpfs dev /empty/dev";
    guest.shell(&format!("mkdir -p /empty/proc /empty/sys /empty/dev && {rooted}"), PATIENCE)?;
    let words = "chroot /empty /heldup examine --for 2s --no-save --format json";
    let found = examination_in(&guest.shell(words, PATIENCE)?)?;
    ensure!(found.host.method == Method::Ebpf, "{:?}", found.host);
    ensure!(found.ledger.classes.iter().any(|class| class.seconds > 0.0), "no time: {:?}", found.ledger);
    guest.shell("umount /empty/proc /empty/sys /empty/dev", PATIENCE)?;
    Ok(())
}

/// Ends the guest that runs.
pub fn shut_down() {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
}

fn trial(
    series: &'static str,
    name: &str,
    test: impl Fn(&mut Guest) -> Result<()> + Send + 'static,
) -> Trial {
    crate::trial(format!("{NAMES}{series}::{name}"), &needs(series), move || in_guest(series, &test))
}

/// What a guest with a kernel of this series needs.
pub fn needs(series: &'static str) -> Vec<Need> {
    let tools = [EMULATOR, "busybox", "mkfs.ext4", "dmsetup", "tc", "losetup", "mkswap", "numactl"];
    tools.into_iter().map(Need::Tool).chain([Need::GuestKernel(series)]).collect()
}

/// Runs a test in the guest with a kernel of this series; boots it where another one runs.
pub fn in_guest(series: &'static str, test: &dyn Fn(&mut Guest) -> Result<()>) -> Result<()> {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    // Taken out: a guest in which a test failed is not asked again.
    let mut guest = match running.take() {
        Some((its, guest)) if its == series => guest,
        other => {
            // Its memory is free before another takes as much.
            drop(other);
            let mut options = test_machine::options(series, Some(&std::env::current_exe()?))?;
            match series {
                WHOLE => options.modules.extend(guest_nfs::MODULES.map(str::to_owned)),
                LATER => {
                    options.memory_mib = LATER_MIB;
                    options.files.extend(static_file().map(|file| Copied::new(&file, "/empty/heldup")));
                }
                _ => {}
            }
            Guest::boot(&options)?
        }
    };
    test(&mut guest)?;
    *running = Some((series, guest));
    Ok(())
}

fn clocked_waits(guest: &mut Guest, names: &[&str]) -> Result<()> {
    guest.shell(&test_machine::command_of_waits(names), PATIENCE).map(drop)
}

fn every_setting(guest: &mut Guest) -> Result<()> {
    let said = guest.shell(&test_machine::command_of_test(EVERY_SETTING), LONG_PATIENCE)?;
    ensure!(said.contains("1 passed"), "it did not run: {said}");
    Ok(())
}

/// One of these tests, there; it must not be skipped.
fn test_there(guest: &mut Guest, name: &str) -> Result<()> {
    let said = guest.shell(&test_machine::command_of_test(name), PATIENCE)?;
    ensure!(said.contains("1 passed"), "{name} did not run: {said}");
    Ok(())
}

/// Runs `heldup` there; the examination becomes `@last`.
pub fn examine(guest: &mut Guest, arguments: &str) -> Result<Examination> {
    examination_in(&guest.shell(&format!("heldup --format json {arguments}"), PATIENCE)?)
}

/// The examination that a command printed.
pub fn examination_in(text: &str) -> Result<Examination> {
    // What an examined command printed comes before the answer.
    let start = text.find("{\n").or_else(|| text.find('{')).unwrap_or(0);
    serde_json::from_str(&text[start..]).with_context(|| format!("not heldup/examination/1: {text}"))
}

/// Asks the tables of the last examination there.
pub fn rows(guest: &mut Guest, query: &str) -> Result<Vec<Value>> {
    let text = guest.shell(&format!("heldup sql --json \"{query}\""), PATIENCE)?;
    text.lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("not a row: {line}")))
        .collect()
}

fn everything_works(guest: &mut Guest) -> Result<()> {
    let said = guest.shell("heldup doctor --all", PATIENCE)?;
    let programs = [
        "kernel types",
        "ledger",
        "CPU samples",
        "block latencies",
        "memory events",
        "packet drops",
        "kernel function names",
    ];
    for what in programs {
        let works = said
            .lines()
            .any(|line| line.strip_prefix("works").is_some_and(|rest| rest.trim().starts_with(what)));
        ensure!(works, "{what} does not work:\n{said}");
    }
    Ok(())
}

/// No exact account, and that is said; whatever else can be seen is answered.
fn falls_back(guest: &mut Guest) -> Result<()> {
    // Nobody else wants to run there.
    let examination = examine(guest, "-- sh -c 'timeout 2 sh -c \"while :; do :; done\"; true'")?;
    ensure!(examination.host.method == Method::Sampling, "{:?}", examination.host.method);
    ensure!(!examination.ledger.classes.is_empty(), "no time of anybody");
    let said = examination.errors.iter().any(|error| error.place == "task_time");
    ensure!(said, "not said what is missing: {:?}", examination.errors);
    let doctor = guest.shell("heldup doctor --format json", PATIENCE)?;
    ensure!(doctor.contains("uses sampling"), "not said what auto uses: {doctor}");
    let refused = guest.run(&["heldup", "--method", "ebpf", "--for", "1s"], PATIENCE)?;
    let said =
        ["needs Linux 5.15 or later", "heldup doctor"].iter().all(|part| refused.stderr.contains(part));
    ensure!(refused.code != Some(0) && said, "{}", refused.stderr);
    counted_waits(guest)
}

/// Before 5.14 the kernel counts what threads wait for without being asked to.
fn counted_waits(guest: &mut Guest) -> Result<()> {
    guest.shell("echo 0 >/sys/block/sda/queue/read_ahead_kb", PATIENCE)?;
    let examination = examine(guest, "--method delays -- dd if=/dev/sda of=/dev/null bs=4k count=200")?;
    let took = examination.command.context("no command")?.wall_seconds.context("no time")?;
    let rows = rows(guest, methods::OF_READER)?;
    let row = rows.first().context("no time of dd")?;
    methods::adds_up(took, row["waited"].as_f64(), row["own"].as_f64())
}
