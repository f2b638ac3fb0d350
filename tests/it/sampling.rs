//! The sampler against the exact ledger: both look at the same loads in the same window, and
//! the truth must lie within three of the errors that the sampler gives.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use heldup_hostfs::Host;
use heldup_model::RowSet;
use heldup_probe::{Ledger, LedgerOptions, Sampling};
use heldup_testkit::needs::Need;
use heldup_testkit::programs;
use heldup_testkit::running::Running;
use heldup_testkit::scratch::{Scratch, file_on_disk};
use libtest_mimic::Trial;

/// Intervals of a second.
const SECONDS: u32 = 8;
/// Classes below this share of the load's time are not compared: they are a few waits.
const LEAST_SHARE: f64 = 0.05;
/// Time on a CPU is counted by both accounts and has no error; the kernel's counters are too high
/// after idle wake-ups on virtual machines. Share of the load's time.
const APART: f64 = 0.01;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, crate::Run); 5] = [
        ("sampling::cpu", cpu),
        ("sampling::disk", disk),
        ("sampling::idle", idle),
        ("sampling::lock", lock),
        ("sampling::mixed", mixed),
    ];
    // The disk that two of them wait for is that of scratch files.
    let on_disk = [crate::LEDGER, &[Need::ScratchOnDisk]].concat();
    let needs = |name| {
        if matches!(name, "sampling::disk" | "sampling::mixed") { &on_disk[..] } else { crate::LEDGER }
    };
    tests.into_iter().map(|(name, run)| crate::trial(name.to_owned(), needs(name), run)).collect()
}

fn cpu() -> Result<()> {
    compare(&[&|_| waits("waits_cpu", "/", "user queue kernel")])
}

fn disk() -> Result<()> {
    compare(&[&|folder| {
        data_in(folder)?;
        waits("waits_disk", folder, "read-direct write-direct fsync write-sync fault read-cold")
    }])
}

fn idle() -> Result<()> {
    let kinds = "timer poll epoll read-pipe accept child park-condition park-semaphore park-signal";
    compare(&[&|_| waits("waits_idle", "/", kinds)])
}

fn lock() -> Result<()> {
    compare(&[&|folder| waits("waits_lock", folder, "mutex rwlock flock fcntl")])
}

fn mixed() -> Result<()> {
    compare(&[
        &|folder| data_in(folder).and_then(|()| waits("waits_disk", folder, "read-direct fsync")),
        &|_| waits("waits_lock", "/", "mutex"),
        &|_| waits("waits_idle", "/", "timer poll"),
        &|_| Running::program("spin", &[&"1", &"1", &"30", &"50"]),
    ])
}

/// What waits for a disk reads.
fn data_in(folder: &str) -> Result<()> {
    file_on_disk(&Path::new(folder).join("data"), 256 << 20).map(drop)
}

fn waits(program: &str, folder: &str, kinds: &str) -> Result<Running> {
    let mut command = Command::new(programs::built(program)?);
    command.arg((SECONDS + 5).to_string()).arg(folder).args(kinds.split(' ').map(OsStr::new));
    command.env("HELDUP_CLOCKED", "/dev/null");
    Running::start(command)
}

/// A load, made in a folder on a disk.
type Load<'a> = &'a dyn Fn(&str) -> Result<Running>;

/// Runs the loads, lets both accounts look, and compares class by class.
fn compare(loads: &[Load<'_>]) -> Result<()> {
    let scratch = Scratch::new("sampled")?;
    let folder = scratch.path().display().to_string();
    let running: Vec<Running> = loads.iter().map(|load| load(&folder)).collect::<Result<_>>()?;
    let pids: HashSet<i64> = running.iter().map(Running::pid).collect();
    // The first of the loads' waits are those of their start.
    thread::sleep(Duration::from_secs(1));
    let host = Host::live();
    let mut ledger = Ledger::start(&host, LedgerOptions::default())?;
    let mut sampling = Sampling::start(&host, false)?;
    answer(&mut sampling)?;
    ledger.read()?;
    let (mut exact, mut sampled) = (Totals::default(), Totals::default());
    for _ in 0..SECONDS {
        thread::sleep(Duration::from_secs(1));
        exact.add(&ledger.read_without_threads()?.rows[0], &pids);
        sampled.add(&answer(&mut sampling)?, &pids);
    }
    drop(running);
    judge(&exact, &sampled)
}

/// A reading. On a machine with much to do one may come late, and is then told by the next.
fn answer(sampling: &mut Sampling) -> Result<RowSet> {
    let mut last = sampling.read();
    for _ in 0..5 {
        match last {
            Err(_) => last = sampling.read(),
            Ok(_) => break,
        }
    }
    Ok(last?.rows)
}

/// Seconds of each class, and the variance of them.
#[derive(Default)]
struct Totals(BTreeMap<String, (f64, f64)>);

impl Totals {
    fn add(&mut self, rows: &RowSet, pids: &HashSet<i64>) {
        for at in 0..rows.len {
            let (Some(pid), Some(class)) = (rows.ints("pid")[at], rows.texts("class_name")[at].as_deref())
            else {
                continue;
            };
            if pids.contains(&pid) {
                let total = self.0.entry(class.to_owned()).or_default();
                total.0 += rows.floats("seconds")[at].unwrap_or(0.0);
                total.1 += rows.floats("error_s")[at].unwrap_or(0.0).powi(2);
            }
        }
    }

    fn of(&self, class: &str) -> (f64, f64) {
        self.0.get(class).copied().unwrap_or_default()
    }

    fn sum(&self) -> f64 {
        self.0.values().map(|(seconds, _)| seconds).sum()
    }
}

fn judge(exact: &Totals, sampled: &Totals) -> Result<()> {
    let (whole, sampled_whole) = (exact.sum(), sampled.sum());
    ensure!(sampled_whole > 0.8 * whole, "of {whole:.2} s only {sampled_whole:.2} s were sampled");
    // On a busy machine the sampler's thread begins later than the ledger: shares are compared,
    // and what only one of them saw may be of any class.
    let slack = (whole - sampled_whole).abs().max(APART * whole);
    let scale = whole / sampled_whole;
    ensure!(whole > 5.0, "the load has only {whole:.2} s of task time");
    let classes: HashSet<&String> = exact.0.keys().chain(sampled.0.keys()).collect();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for class in classes {
        let ((truth, _), (seconds, variance)) = (exact.of(class), sampled.of(class));
        let (seconds, variance) = (seconds * scale, variance * scale * scale);
        let share = truth.max(seconds) / whole;
        if share < LEAST_SHARE {
            continue;
        }
        compared += 1;
        let (error, off) = (variance.sqrt(), (seconds - truth).abs());
        let line = format!(
            "{class:14} ledger {truth:8.3} s, sampled {seconds:8.3} s ± {error:.3}, off by {:.3}",
            seconds - truth
        );
        eprintln!("  {line}");
        if off > 3.0 * error + slack {
            wrong.push(line);
        }
    }
    ensure!(compared > 0, "no class reaches {LEAST_SHARE} of {whole:.2} s");
    ensure!(wrong.is_empty(), "of {whole:.2} s:\n{}", wrong.join("\n"));
    Ok(())
}
