//! Every trouble of the catalogue that can be made is found, ranked and put down to who did it,
//! and the machine is afterwards as it was before.
//!
//! `HELDUP_IT_LATE=1` lets each begin when two thirds of a longer window are over, and
//! `HELDUP_IT_BESIDE` names a quiet case that runs beside it: what `cargo xtask soak --late` and
//! `--beside` set.

use std::env;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use heldup_model::Examination;
use heldup_testkit::advice;
use heldup_testkit::expect;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::needs::Need;
use heldup_testkit::quiet::{self, Load};
use heldup_testkit::trouble::{ALL, Trouble, TroubleMaker};
use libtest_mimic::Trial;

use crate::traces::{are_undone, traces};

/// Seconds to look for.
const SECONDS: u32 = 6;
/// The same where every second shows all of it: limits at which a program fails fifty times a
/// second, what is full or set once and stays so, and loads that do the same thousands of times a second.
const SHORT_SECONDS: u32 = 4;
const STANDING: &[&str] = &[
    "config.obsolete",
    "config.risky",
    "cpu.context-switch-storm",
    "cpu.fork-storm",
    "cpu.hot-thread",
    "cpu.realtime-hog",
    "cpu.saturated",
    "cpu.syscall-storm",
    "cpu.wakeup-storm",
    "fs.full",
    "fs.inodes-full",
    "limit.",
    "lock.",
    "mem.hugepages-unused",
    "net.conntrack-full",
    "net.listen-overflow",
    "net.ports-exhausted",
    "net.socket-buffer-drops",
    "net.time-wait",
];
/// Seconds to look for when it begins late, and seconds after which it begins.
const LATE_SECONDS: (u32, u64) = (15, 10);

/// The quiet case beside which no CPU idles.
const FILLS_ALL_CPUS: &str = "compile";

/// Troubles that are there at once and have nothing to do with each other.
const TOGETHER: &[[&str; 2]] =
    &[["disk.sync-bound", "limit.open-files"], ["fs.full", "lock.user-contention"]];
/// More of them: `cargo xtask soak`.
const MORE_TOGETHER: &[[&str; 2]] = &[
    ["cpu.saturated", "disk.sync-bound"],
    ["cpu.throttled", "lock.file-lock-contention"],
    ["cpu.pinned", "fs.inodes-full"],
    ["cpu.fork-storm", "net.time-wait"],
    ["cpu.realtime-hog", "limit.processes"],
    ["disk.throttled", "net.socket-buffer-drops"],
    ["disk.latency-bound", "cpu.throttled"],
    ["disk.saturated", "net.listen-overflow"],
    ["lock.inode-contention", "limit.message-queues"],
    ["mem.swapping", "lock.user-contention"],
    ["mem.cgroup-limit", "net.listen-overflow"],
    ["mem.dirty-throttle", "lock.file-lock-contention"],
    ["mem.oom-kill", "lock.mmap-contention"],
];
/// Both must be among so many: each may have one symptom.
const RANK_OF_BOTH: usize = 5;

pub fn trials() -> Vec<Trial> {
    let nobody_idles = env::var("HELDUP_IT_BESIDE").is_ok_and(|name| name == FILLS_ALL_CPUS);
    let one = |maker: &'static TroubleMaker| {
        let name = format!("trouble::{}", maker.name);
        let trial = crate::trial(name, maker.needs, || is_found_and_undone(maker));
        if nobody_idles && maker.asks_for_idle_cpus() {
            let why = format!("SKIPPED: no trouble where no CPU idles, as beside {FILLS_ALL_CPUS}");
            return trial.with_kind(why).with_ignored_flag(true);
        }
        trial
    };
    let two = |pair: &'static [&'static str; 2]| {
        let makers: Vec<&TroubleMaker> = ALL.iter().filter(|maker| pair.contains(&maker.name)).collect();
        let needs: Vec<Need> = makers.iter().flat_map(|maker| maker.needs).copied().collect();
        let name = format!("two-at-once::{}+{}", pair[0], pair[1]);
        crate::trial(name, &needs, move || both_are_found(&makers))
    };
    let more = if crate::is_soak() { MORE_TOGETHER } else { &[] };
    ALL.iter().map(one).chain(TOGETHER.iter().chain(more).map(two)).collect()
}

fn is_found_and_undone(maker: &TroubleMaker) -> Result<()> {
    let heldup = Heldup::found()?;
    let_settle()?;
    let before = traces()?;
    let beside = beside()?;
    let (trouble, examination) = match env::var_os("HELDUP_IT_LATE") {
        Some(_) => begins_late(heldup, maker)?,
        None => {
            let trouble = (maker.make)()?;
            ensure!(traces()? != before, "{}: made nothing that could be seen", maker.name);
            let stands = STANDING.iter().any(|name| maker.name.starts_with(name));
            let seconds = if stands { SHORT_SECONDS } else { SECONDS };
            (trouble, heldup.examine(seconds)?.examination)
        }
    };
    let found = expect::finding(&examination, &trouble.expected);
    let advice = advice::sound(&examination);
    drop(trouble);
    drop(beside);
    are_undone(&before)?;
    found?;
    advice
}

/// What runs beside it, where something shall.
fn beside() -> Result<Load> {
    let Ok(name) = env::var("HELDUP_IT_BESIDE") else { return Ok(Vec::new()) };
    let case = quiet::ALL.iter().find(|case| case.name == name);
    (case.with_context(|| format!("HELDUP_IT_BESIDE={name}: no quiet case has that name"))?.make)()
}

/// The trouble is made while the machine is looked at already.
fn begins_late(heldup: Heldup, maker: &TroubleMaker) -> Result<(Trouble, Examination)> {
    let (seconds, begins_after) = LATE_SECONDS;
    let looking = thread::spawn(move || heldup.examine(seconds));
    thread::sleep(Duration::from_secs(begins_after));
    let trouble = (maker.make)()?;
    ensure!(!looking.is_finished(), "{}: the window was over before it was made", maker.name);
    let answer = looking.join().map_err(|_| anyhow::anyhow!("the thread that looks panicked"))?;
    Ok((trouble, answer?.examination))
}

/// One trouble does not hide the other.
fn both_are_found(makers: &[&TroubleMaker]) -> Result<()> {
    ensure!(makers.len() == 2, "{} of two makers are there", makers.len());
    let heldup = Heldup::found()?;
    let_settle()?;
    let before = traces()?;
    let troubles: Vec<_> = makers.iter().map(|maker| (maker.make)()).collect::<Result<_>>()?;
    let answer = heldup.examine(SECONDS)?;
    let found = troubles
        .iter()
        .try_for_each(|trouble| expect::finding_within(&answer.examination, &trouble.expected, RANK_OF_BOTH));
    drop(troubles);
    found.and(are_undone(&before))
}
