//! Advice is followed as it is printed while the trouble lasts, what it was given for is gone and nobody else
//! is worse off, unless that is said; then it is undone as it is printed.
//!
//! Each looks twice, which takes minutes in all: they run when `HELDUP_IT_ADVICE` is set, which is
//! what `cargo xtask soak --advice` does; one of them always.

use std::env;

use anyhow::{Result, ensure};
use heldup_model::{Change, Examination, Finding, Severity};
use heldup_testkit::advice::{Followed, is_ours};
use heldup_testkit::expect::Expected;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::needs::Need;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

use crate::traces::{are_undone, traces};

/// Seconds to look for, before and after.
const SECONDS: u32 = 5;

/// Troubles whose advice ends them at once. What others propose is made and undone; it is for what
/// starts anew, as read-ahead is for files that are opened from then on.
const ENDED: &[&str] = &[
    "config.risky",
    "cpu.realtime-hog",
    "cpu.throttled",
    "disk.scheduler",
    "limit.aio",
    "limit.inotify",
    "limit.locked-memory",
    "limit.map-count",
    "limit.message-queues",
    "limit.open-files",
    "limit.processes",
    "limit.semaphores",
    "limit.shared-memory",
    "mem.cgroup-limit",
    "mem.hugepages-unused",
    "mem.thrashing",
    "net.conntrack-full",
    "net.ports-exhausted",
    "net.time-wait",
];
/// Followed in every run: one that proves a failure before and none after.
const ALWAYS: [&str; 1] = ["limit.open-files"];
/// Shares of active time that two windows of one load may differ by.
const SAME_COST: f64 = 0.1;

pub fn trials() -> Vec<Trial> {
    let all = env::var_os("HELDUP_IT_ADVICE").is_some();
    let one = |maker: &'static TroubleMaker| {
        // A limit of another user's process.
        let foreign = (maker.name == "limit.processes").then_some(Need::RaiseLimits);
        let needs: Vec<Need> = [maker.needs, crate::LEDGER].concat().into_iter().chain(foreign).collect();
        crate::trial(format!("advice::{}", maker.name), &needs, || can_be_taken(maker))
    };
    ALL.iter().filter(|maker| all || ALWAYS.contains(&maker.name)).map(one).collect()
}

/// All that is proposed is made as it is printed and undone as it is printed; what the trouble is proposed
/// for stays for a second window, in which the trouble is over and no other finding is worse, unless that is said.
fn can_be_taken(maker: &TroubleMaker) -> Result<()> {
    let heldup = Heldup::found()?;
    let_settle()?;
    let before = traces()?;
    let trouble = (maker.make)()?;
    let examination = heldup.examine(SECONDS)?.examination;
    let taken = taken(maker, &heldup, &examination, &trouble.expected);
    // What the trouble maker had changed itself, it puts back itself: first that which came last.
    drop(trouble);
    let clean = are_undone(&before);
    taken.and(clean)
}

fn taken(
    maker: &TroubleMaker,
    heldup: &Heldup,
    examination: &Examination,
    expected: &Expected,
) -> Result<()> {
    let ends = ENDED.contains(&maker.name);
    let found = of_trouble(examination, expected);
    let first = found.and_then(|found| found.changes.iter().find(|change| is_ours(change)));
    ensure!(!ends || first.is_some(), "{}: no change is proposed by {found:#?}", maker.name);
    let all = examination.findings.iter().flat_map(|finding| &finding.changes);
    for change in all.filter(|change| is_ours(change) && !first.is_some_and(|first| first == *change)) {
        Followed::make(heldup, change)?.undone()?;
    }
    let Some(change) = first else { return Ok(()) };
    let followed = Followed::make(heldup, change)?;
    let after = heldup.examine(SECONDS)?.examination;
    let still = of_trouble(&after, expected).filter(|_| ends);
    let wrong = still.map(|found| format!("did not help: {}: {}", found.key, found.title));
    followed.undone()?;
    let worse = wrong.into_iter().chain(worse(examination, &after, change, found));
    let worse: Vec<String> = worse.map(|what| format!("`{}` {what}", change.command)).collect();
    ensure!(worse.is_empty(), "{}", worse.join("; "));
    Ok(())
}

/// Findings other than the one that a change was made for that are worse with it, which it does not say.
fn worse(before: &Examination, after: &Examination, change: &Change, of: Option<&Finding>) -> Vec<String> {
    let is_said = |key: &str| change.worsens.iter().any(|one| one.finding == key);
    let is_other = |finding: &&Finding| {
        finding.severity != Severity::Info
            && of.is_none_or(|of| of.key != finding.key)
            && !is_said(&finding.key)
    };
    // Who is no longer held up does more, and waits more for what it then does.
    let freed: Vec<&str> = of.into_iter().flat_map(people).collect();
    let is_freed = |finding: &Finding| {
        let mut victims = finding.victims.iter().map(|task| task.name.as_str()).peekable();
        victims.peek().is_some() && victims.all(|name| freed.contains(&name))
    };
    let mut worse = Vec::new();
    for now in after.findings.iter().filter(is_other).filter(|finding| !is_freed(finding)) {
        let was = before.findings.iter().find(|was| was.key == now.key);
        let is_worse = match was {
            Some(was) => now.cost.unwrap_or_default() > was.cost.unwrap_or_default() + SAME_COST,
            // What comes out once the trouble is over is its own; what others are now short of is not.
            None => now.exhausts.iter().any(|resource| change.takes.contains(resource)),
        };
        if is_worse {
            worse.push(format!("makes {} worse: {}", now.key, now.title));
        }
    }
    worse
}

/// Programs that a finding names.
fn people(finding: &Finding) -> Vec<&str> {
    finding.victims.iter().chain(&finding.culprits).map(|task| task.name.as_str()).collect()
}

/// The finding of the trouble.
pub fn of_trouble<'a>(examination: &'a Examination, expected: &Expected) -> Option<&'a Finding> {
    examination.findings.iter().find(|finding| {
        let subject = &finding.subject.name;
        finding.id == expected.id
            && (expected.subject.is_empty() || expected.subject.iter().any(|part| subject.contains(part)))
    })
}
