//! What happens to the machine itself while it is recorded: its clock is set, it sleeps, a disk is pulled
//! out and put in again. Only in a guest of the tests ([`crate::guest`]), whose machine is nobody's.
//!
//! No bound of time here is tight: a guest's CPUs are emulated. A recorder that came late there has a gap,
//! which must be named as that.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use heldup_model::{ClockStep, GapReason, RecorderStatus};
use heldup_testkit::condition::until_within;
use heldup_testkit::guest::test_machine;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::loop_device::said;
use libtest_mimic::Trial;

use super::archive::{Recorder, ask, no_false_rates, number, status};

/// Time between two samples, milliseconds.
const INTERVAL_MS: i64 = 1000;
/// Longest wait for samples, which are taken by an emulated CPU.
const PATIENCE: Duration = Duration::from_secs(90);
const HOUR_S: i64 = 3600;
/// How far a sample may be from the moment at which the clock was set, seconds.
const NEAR_S: f64 = 0.5;
/// Seconds of sleep at least; an emulated CPU counts them too slowly. The clock that tells how long it was counts
/// whole ones.
const SLEEP_S: i64 = 4;
const MIB: f64 = 1048576.0;

/// Name within a guest and body of each.
const ALL: [(&str, crate::Run); 3] = [
    ("record::survives::clock-is-set", clock_is_set),
    ("record::survives::machine-sleeps", machine_sleeps),
    ("record::survives::disk-is-pulled-out", disk_is_pulled_out),
];

/// Names of the tests that run in a guest.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

/// The tests, where this is a guest; elsewhere there are none.
pub fn trials() -> Vec<Trial> {
    let of = |(name, run): &(&str, crate::Run)| crate::trial((*name).to_owned(), crate::LEDGER, *run);
    if Path::new(test_machine::TESTS).exists() { ALL.iter().map(of).collect() } else { Vec::new() }
}

/// Waits until so many samples more can be read; what was told twice counts twice.
fn takes(samples: usize, recorder: &mut Recorder, archive: &Path) -> Result<()> {
    let taken = || Ok::<_, anyhow::Error>(ask(archive, "recorder", "select time from recorder")?.len());
    let before = taken()?;
    until_within(PATIENCE, "samples are taken", || {
        recorder.still_runs()?;
        Ok(taken()? >= before + samples)
    })
}

/// Sets the clock by so many seconds.
fn set_clock_by(seconds: i64) -> Result<()> {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value that outlives the call.
    ensure!(unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut now) } == 0, "no clock");
    now.tv_sec += seconds;
    // SAFETY: as above.
    let set = unsafe { libc::clock_settime(libc::CLOCK_REALTIME, &raw const now) };
    ensure!(set == 0, "set the clock: {}", std::io::Error::last_os_error());
    Ok(())
}

/// Nobody is said to have done more in an interval than there was time for. An emulated CPU reads the account up to
/// a sample later than the sample's time; a clock that was taken for time that passed would be seconds or an hour.
fn no_false_rates_of_anybody(archive: &Path) -> Result<()> {
    no_false_rates(archive)?;
    let wrong = ask(
        archive,
        "task_time",
        // Two samples of one name differ by their length, which is in nanoseconds.
        "select time, tid, secs, sum(seconds) from task_time group by time, tid, start_ms, secs
         having sum(seconds) > secs * 1.05 + 1.0 or min(seconds) < 0",
    )?;
    ensure!(wrong.is_empty(), "more than there was time for: {wrong:?}");
    Ok(())
}

/// Every gap is of a recorder that came late, but for those of another reason that are expected.
fn gaps_of(now: &RecorderStatus, expected: GapReason) -> Result<usize> {
    let (mut found, mut others) = (0, Vec::new());
    for gap in &now.gaps {
        match gap.why {
            Some(why) if why == expected => found += 1,
            Some(GapReason::Late) => {}
            _ => others.push(gap),
        }
    }
    ensure!(others.is_empty(), "gaps for another reason: {others:?}");
    Ok(found)
}

fn clock_is_set() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let mut recorder = Recorder::each(INTERVAL_MS, &heldup, &archive, &[])?;
    takes(2, &mut recorder, &archive)?;
    // The last step is so short that times are told twice.
    let steps = [HOUR_S, -2 * HOUR_S, HOUR_S, -3];
    for (at, step) in steps.into_iter().enumerate() {
        set_clock_by(step)?;
        takes(3, &mut recorder, &archive)?;
        let said = recorder.said()?;
        ensure!(said.matches("the clock was set by").count() == at + 1, "{said}");
    }
    let steps_are_named = |now: &RecorderStatus| -> Result<()> {
        let by: Vec<f64> = now.clock_steps.iter().map(|step: &ClockStep| step.seconds).collect();
        let near = by.iter().zip(steps).all(|(by, step)| (by - step as f64).abs() < NEAR_S);
        ensure!(by.len() == steps.len() && near, "set by {steps:?}, said {:?}", now.clock_steps);
        // A clock that was set is no gap.
        gaps_of(now, GapReason::Late).map(drop)
    };
    steps_are_named(&status(&heldup, &archive)?)?;
    no_false_rates_of_anybody(&archive)?;
    ensure!(
        recorder.interrupt_within(PATIENCE)?.success(),
        "it ends when it is asked to: {}",
        recorder.said()?
    );
    steps_are_named(&status(&heldup, &archive)?).context("once it is sealed")?;
    no_false_rates_of_anybody(&archive).context("once it is sealed")
}

/// The whole way into sleep and out of it, but for the firmware's part (Documentation/power/basic-pm-debugging.rst):
/// an emulated machine does not come back from that. Tasks, devices, the other CPU and the clocks stand still, and how
/// long is read of the battery's clock.
fn sleeps() -> Result<()> {
    let test = "/sys/power/pm_test";
    fs::write(test, "core").context(test)?;
    fs::write("/sys/module/suspend/parameters/pm_test_delay", SLEEP_S.to_string())?;
    // Returns when the machine is awake again.
    let slept = fs::write("/sys/power/state", "mem");
    fs::write(test, "none").context(test)?;
    slept.context("it does not sleep")
}

fn machine_sleeps() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let mut recorder = Recorder::each(INTERVAL_MS, &heldup, &archive, &[])?;
    takes(3, &mut recorder, &archive)?;
    sleeps()?;
    takes(3, &mut recorder, &archive)?;
    ensure!(recorder.said()?.contains("the machine slept for"), "{}", recorder.said()?);
    let now = status(&heldup, &archive)?;
    ensure!(gaps_of(&now, GapReason::Slept)? == 1, "{:?}", now.gaps);
    let slept = now.gaps.iter().find(|gap| gap.why == Some(GapReason::Slept)).context("a gap")?;
    ensure!(slept.seconds >= SLEEP_S as f64 - 1.0, "{slept:?}");
    ensure!(now.clock_steps.is_empty(), "the clock was not set: {:?}", now.clock_steps);
    let longest = number(&archive, "recorder", "select max(secs) from recorder")?.context("a length")?;
    ensure!(longest < slept.seconds, "asleep it recorded: {longest} s of {slept:?}");
    no_false_rates_of_anybody(&archive)?;
    ensure!(
        recorder.interrupt_within(PATIENCE)?.success(),
        "it ends when it is asked to: {}",
        recorder.said()?
    );
    no_false_rates_of_anybody(&archive).context("once it is sealed")
}

/// A disk goes with its counters, and comes back under its name with others that begin at zero.
fn disk_is_pulled_out() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let disk = Path::new("/sys/block/sda");
    read_first(16)?;
    let mut recorder = Recorder::each(INTERVAL_MS, &heldup, &archive, &[])?;
    takes(3, &mut recorder, &archive)?;
    let host = fs::read_dir("/sys/bus/pseudo/drivers/scsi_debug/adapter0")?
        .flatten()
        .find_map(|entry| Some(entry.file_name().to_str()?.strip_prefix("host")?.to_owned()))
        .context("the adapter of the disk")?;
    fs::write(disk.join("device/delete"), "1").context("pull it out")?;
    until_within(PATIENCE, "the disk is gone", || Ok(!disk.exists()))?;
    takes(2, &mut recorder, &archive)?;
    let last = "select max(time) from disk where device = 'sda'";
    let seen = number(&archive, "disk", last)?;
    takes(2, &mut recorder, &archive)?;
    ensure!(seen.is_some() && number(&archive, "disk", last)? == seen, "it is gone and still recorded");
    put_in_again(&host)?;
    takes(2, &mut recorder, &archive)?;
    read_first(4)?;
    takes(2, &mut recorder, &archive)?;
    let sum = "select total(read_bytes) from disk where device = 'sda'";
    let recorded = number(&archive, "disk", sum)?.context("a sum")? / MIB;
    // The kernel looks at its partitions.
    ensure!((3.9..6.0).contains(&recorded), "{recorded} MiB recorded, 4 read since it was put in again");
    let wrong = "select count(*) from disk where reads < 0 or read_bytes < 0 or busy_s > secs * 1.1 + 0.1";
    ensure!(number(&archive, "disk", wrong)? == Some(0.0), "rates that cannot be");
    ensure!(
        recorder.interrupt_within(PATIENCE)?.success(),
        "it ends when it is asked to: {}",
        recorder.said()?
    );
    Ok(())
}

/// Looks for the disk of a host until it is there under the name that it had, which the kernel gives away again
/// only when nobody refers to the old one any more: some time after that cannot be seen anywhere.
fn put_in_again(host: &str) -> Result<()> {
    let host = Path::new("/sys/class/scsi_host").join(format!("host{host}"));
    until_within(PATIENCE, "the disk is there under its name", || {
        fs::write(host.join("scan"), "- - -").context("look for it")?;
        let there = fs::canonicalize(host.join("device"))?;
        let disks = fs::read_dir("/sys/block")?.flatten();
        let found =
            disks.filter(|disk| fs::canonicalize(disk.path()).is_ok_and(|path| path.starts_with(&there)));
        for disk in found.filter(|disk| disk.file_name() != "sda") {
            fs::write(disk.path().join("device/delete"), "1").context("pull it out again")?;
        }
        Ok(Path::new("/sys/block/sda").exists() && Path::new("/dev/sda").exists())
    })
}

/// Reads so many MiB of the disk, not from memory.
fn read_first(mib: u32) -> Result<()> {
    let count = format!("count={mib}");
    let mut dd = std::process::Command::new("dd");
    said(dd.args(["if=/dev/sda", "of=/dev/null", "bs=1M", "iflag=direct", &count])).map(drop)
}
