//! Advice is followed while the trouble lasts, and what it was given for is gone; then it is
//! taken back.
//!
//! Each looks twice, which takes minutes in all: they run when `HELDUP_IT_ADVICE` is set, which is
//! what `cargo xtask soak --advice` does; one of them always.

use std::env;

use anyhow::{Context, Result, bail};
use heldup_model::{Examination, Finding};
use heldup_testkit::advice::Followed;
use heldup_testkit::expect::Expected;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::needs::Need;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

use crate::traces::{are_undone, traces};

/// Seconds to look for, before and after.
const SECONDS: u32 = 5;

/// Troubles whose advice can be followed at once, by whoever examines.
const FOLLOWED: &[&str] = &[
    "config.risky",
    "cpu.realtime-hog",
    "cpu.throttled",
    "limit.aio",
    "limit.inotify",
    "limit.locked-memory",
    "limit.map-count",
    "limit.message-queues",
    "limit.open-files",
    "limit.processes",
    "limit.semaphores",
    "limit.shared-memory",
    "mem.hugepages-unused",
    "mem.thrashing",
    "net.conntrack-full",
    "net.ports-exhausted",
    "net.time-wait",
];
/// Followed in every run: one that proves a failure before and none after.
const ALWAYS: [&str; 1] = ["limit.open-files"];

pub fn trials() -> Vec<Trial> {
    let all = env::var_os("HELDUP_IT_ADVICE").is_some();
    let wanted = |name: &str| if all { FOLLOWED.contains(&name) } else { ALWAYS.contains(&name) };
    let one = |maker: &'static TroubleMaker| {
        // A limit of another user's process.
        let foreign = (maker.name == "limit.processes").then_some(Need::RaiseLimits);
        let needs: Vec<Need> = [maker.needs, crate::LEDGER].concat().into_iter().chain(foreign).collect();
        crate::trial(format!("advice::{}", maker.name), &needs, || helps(maker))
    };
    ALL.iter().filter(|maker| wanted(maker.name)).map(one).collect()
}

fn helps(maker: &TroubleMaker) -> Result<()> {
    let heldup = Heldup::found()?;
    let_settle()?;
    let before = traces()?;
    let trouble = (maker.make)()?;
    let examination = heldup.examine(SECONDS)?.examination;
    let found = of_trouble(&examination, &trouble.expected)
        .with_context(|| format!("{}: not found, and nothing to follow", maker.name))?;
    let change = found.changes.first().with_context(|| format!("{}: no change is proposed", found.key))?;
    let followed = Followed::make(change)?;
    let after = heldup.examine(SECONDS)?.examination;
    let still = of_trouble(&after, &trouble.expected).map(|found| (found.key.clone(), found.title.clone()));
    // What the trouble maker had changed itself, it puts back itself: first that which came last.
    let undone = followed.undone();
    drop(trouble);
    let clean = are_undone(&before);
    if let Some((key, title)) = still {
        bail!("`{}` did not help: {key}: {title}", change.command);
    }
    undone.and(clean)
}

/// The finding of the trouble.
pub fn of_trouble<'a>(examination: &'a Examination, expected: &Expected) -> Option<&'a Finding> {
    examination.findings.iter().find(|finding| {
        let subject = &finding.subject.name;
        finding.id == expected.id
            && (expected.subject.is_empty() || expected.subject.iter().any(|part| subject.contains(part)))
    })
}
