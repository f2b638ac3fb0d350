//! A window of a trouble is examined live and, by a recorder that ran meanwhile, from its archive: both say the same.
//!
//! Compared are findings that need attention: id and subject are the same, the severity too (one step apart where
//! the cost is within a tenth of the step), the cost within five points.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use heldup_model::{Examination, Finding, RecorderStatus, Severity};
use heldup_testkit::condition::until;
use heldup_testkit::expect;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::running::Running;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

use crate::recorded_trouble::answer;
use crate::survives::archive::status;

/// Seconds of the window.
const SECONDS: u32 = 8;
/// The same where time is no matter: some tables are recorded every ten seconds, some once a minute.
const SOAK_SECONDS: u32 = 60;
/// Those that `make test` makes: a device, and a lock.
const QUICK: [&str; 2] = ["disk.saturated", "lock.file-lock-contention"];
/// Costs may be so far apart: a window has whole seconds of an archive, and its ends lie within them.
const COSTS_APART: f64 = 0.05;
/// Costs from which a finding is a warning, and critical (`diagnose::severity`), and how near is near.
const STEPS: [f64; 2] = [0.05, 0.25];
const NEAR: f64 = 0.1;

pub fn trials() -> Vec<Trial> {
    let makers = ALL.iter().filter(|maker| crate::is_soak() || QUICK.contains(&maker.name));
    let trial = |maker: &'static TroubleMaker| {
        let needs = [maker.needs, crate::LEDGER].concat();
        crate::trial(format!("live-and-recorded::{}", maker.name), &needs, || both_say_the_same(maker))
    };
    makers.map(trial).collect()
}

fn both_say_the_same(maker: &TroubleMaker) -> Result<()> {
    let heldup = Heldup::found()?;
    let folder = heldup.home().join("archive");
    let archive = folder.to_str().context("a folder with a name")?;
    let_settle()?;
    // A debug build costs more than it may, and would read less often.
    let mut recorder = Running::start(heldup.command(&["record", "-o", archive, "--cpu-budget", "100%"]))?;
    recorded(&heldup, &folder, 1.0)?;
    let trouble = (maker.make)()?;
    let before = recorded(&heldup, &folder, 0.0)?;
    recorded(&heldup, &folder, before + 1.0)?;
    let seconds = if crate::is_soak() { SOAK_SECONDS } else { SECONDS };
    let live = heldup.examine(seconds)?.examination;
    // The sample in which the window ended.
    let now = recorded(&heldup, &folder, 0.0)?;
    recorded(&heldup, &folder, now + 1.0)?;
    let expected = trouble.expected.clone();
    drop(trouble);
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to");
    let (from, to) = live.from.as_deref().zip(live.to.as_deref()).context("a window that is known")?;
    let window = ["examine", archive, "--since", from, "--until", to];
    let told: Examination = serde_json::from_value(answer(&heldup, &window)?)?;
    expect::finding(&live, &expected).context("live")?;
    let differences = differences(&live, &told);
    ensure!(
        differences.is_empty(),
        "{}: live and archive differ:\n  {}\n{}\n{}",
        maker.name,
        differences.join("\n  "),
        shown("live", &live),
        shown("archive", &told)
    );
    Ok(())
}

/// In what they differ.
fn differences(live: &Examination, told: &Examination) -> Vec<String> {
    // Of several of one name the worst, which comes first: which of a crowd it was differs by the edges of the window.
    let by_key = |examination: &Examination| -> BTreeMap<String, Finding> {
        let mut worst = BTreeMap::new();
        for finding in &examination.findings {
            let subject = &finding.subject;
            let key = format!("{}/{}:{}", finding.id, subject.kind, subject.name);
            worst.entry(key).or_insert_with(|| finding.clone());
        }
        worst
    };
    let (live, told) = (by_key(live), by_key(told));
    let keys: BTreeSet<&String> = live.keys().chain(told.keys()).collect();
    keys.into_iter().filter_map(|key| difference(key, live.get(key), told.get(key))).collect()
}

fn difference(key: &str, live: Option<&Finding>, told: Option<&Finding>) -> Option<String> {
    let (rank_live, rank_told) = (rank(live), rank(told));
    let matters = rank_live.max(rank_told) >= rank_of(Severity::Warning);
    if !matters {
        return None;
    }
    let cost = |finding: Option<&Finding>| finding.and_then(|finding| finding.cost);
    let said = |finding: Option<&Finding>| {
        finding.map_or("nothing".to_owned(), |finding| {
            let cost = finding.cost.map_or("-".to_owned(), |cost| format!("{cost:.3}"));
            format!("{:?} cost {cost}", finding.severity)
        })
    };
    let costs = cost(live).into_iter().chain(cost(told));
    let is_near = costs.into_iter().any(|cost| STEPS.iter().any(|step| (cost / step - 1.0).abs() <= NEAR));
    let is_same = rank_live == rank_told || (rank_live.abs_diff(rank_told) == 1 && is_near);
    let is_as_much = match (cost(live), cost(told)) {
        (Some(one), Some(other)) => (one - other).abs() <= COSTS_APART,
        (one, other) => one.is_some() == other.is_some() || rank_live.min(rank_told) == 0,
    };
    let differs = !is_same || !is_as_much;
    differs.then(|| format!("{key}: live {}, archive {}", said(live), said(told)))
}

fn rank(finding: Option<&Finding>) -> u8 {
    finding.map_or(0, |finding| rank_of(finding.severity))
}

fn rank_of(severity: Severity) -> u8 {
    match severity {
        Severity::Info => 1,
        Severity::Warning => 2,
        Severity::Critical => 3,
    }
}

fn shown(whose: &str, examination: &Examination) -> String {
    let mut lines = vec![format!("{whose}: {:?} to {:?}", examination.from, examination.to)];
    for finding in &examination.findings {
        let cost = finding.cost.map_or("-".to_owned(), |cost| format!("{cost:.3}"));
        lines.push(format!("  {:?} {} cost {cost}: {}", finding.severity, finding.key, finding.title));
    }
    lines.join("\n")
}

/// Waits until so many seconds of a recorder can be read, and says how many there are.
fn recorded(heldup: &Heldup, archive: &Path, seconds: f64) -> Result<f64> {
    let mut seen = None;
    until("it is recorded", || {
        // The file is there before it says something.
        let now: Option<RecorderStatus> = status(heldup, archive).ok();
        seen = now.and_then(|now| now.cost).map(|cost| cost.seconds);
        Ok(seen.is_some_and(|so_far| so_far >= seconds))
    })?;
    seen.context("a status")
}
