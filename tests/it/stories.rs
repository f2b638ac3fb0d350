//! Programs that people run, in troubles that people have: the cause is named among the first three
//! findings, and nothing is said of the same program when it is healthy.
//!
//! `HELDUP_IT_STORIES=all` tells all of them, as `cargo xtask soak --stories` does, and where
//! `HELDUP_IT_SAYS` names a file, what was said of each is added to it as a row of a table.

use std::env;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;

use anyhow::{Context, Result};
use heldup_model::{Examination, Severity};
use heldup_testkit::expect::{self, Told};
use heldup_testkit::guest::Guest;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::story::{ALL, Story};
use libtest_mimic::Trial;

use crate::guest;
use crate::traces::{are_undone, traces};

/// Seconds to look for.
const SECONDS: u32 = 8;
/// Findings that a row shows.
const SHOWN: usize = 3;
/// Classes of time of less than this share of active time are not in a row.
const LEAST_SHARE: f64 = 0.02;

pub fn trials() -> Vec<Trial> {
    let all = env::var("HELDUP_IT_STORIES").is_ok_and(|which| which == "all");
    let told = ALL.iter().filter(|story| all || story.quick);
    let both = |story: &'static Story| {
        let needs = story.needs.concat();
        let ill = crate::trial(format!("story::{}", story.name), &needs, || is_named(story));
        let healthy = format!("story::{}.healthy", story.name);
        [ill, crate::trial(healthy, &needs, || is_silent(story))]
    };
    let mut trials: Vec<Trial> = told.flat_map(both).collect();
    if all {
        let needs = guest::needs(guest::WHOLE);
        let in_guest = |name: &str, run: fn(&mut Guest) -> Result<()>| {
            crate::trial(format!("story::{name}"), &needs, move || guest::in_guest(guest::WHOLE, &run))
        };
        trials.push(in_guest("clock-step", clock_steps));
        trials.push(in_guest("clock-step.healthy", clock_stays));
    }
    trials
}

/// A server whose clock is set right while it is looked at, by an hour: what was measured over that
/// moment is worth little, and times in it are not those of anybody's log.
fn clock_steps(guest: &mut Guest) -> Result<()> {
    let step = "sleep 3; date -s @$(($(date +%s) + 3600)) >/dev/null; sleep 4";
    let examination = guest::examine(guest, &format!("-- sh -c '{step}'"))?;
    let told = Told::within_three("capture.poor", vec![], vec![]);
    let named = expect::told(&examination, &told);
    row("clock-step", &line(&told), &examination, named.is_ok())?;
    named
}

fn clock_stays(guest: &mut Guest) -> Result<()> {
    let examination = guest::examine(guest, "-- sh -c 'sleep 7'")?;
    let silent = expect::quiet(&examination);
    row("clock-step, healthy", "silent", &examination, silent.is_ok())?;
    silent
}

fn is_named(story: &Story) -> Result<()> {
    let heldup = Heldup::found()?;
    let before = traces()?;
    let scene = (story.ill)()?;
    let examination = heldup.examine(SECONDS)?.examination;
    let named: Result<Vec<()>> = scene.told.iter().map(|told| expect::told(&examination, told)).collect();
    let expected: Vec<String> = scene.told.iter().map(line).collect();
    drop(scene);
    row(story.name, &expected.join(", "), &examination, named.is_ok())?;
    are_undone(&before)?;
    named.map(drop)
}

fn is_silent(story: &Story) -> Result<()> {
    let heldup = Heldup::found()?;
    let before = traces()?;
    let load = (story.healthy)()?;
    let_settle()?;
    let examination = heldup.examine(SECONDS)?.examination;
    drop(load);
    let silent = expect::quiet(&examination);
    row(&format!("{}, healthy", story.name), "silent", &examination, silent.is_ok())?;
    are_undone(&before)?;
    silent
}

fn line(told: &Told) -> String {
    let place = if told.within == 1 { " first".to_owned() } else { String::new() };
    format!("{}{place}", told.ids.join(" or "))
}

/// Adds a row to the record, where one is kept.
fn row(name: &str, expected: &str, examination: &Examination, right: bool) -> Result<()> {
    let Some(file) = env::var_os("HELDUP_IT_SAYS") else { return Ok(()) };
    let mut file = OpenOptions::new().create(true).append(true).open(&file).context("open HELDUP_IT_SAYS")?;
    if file.metadata()?.len() == 0 {
        writeln!(
            file,
            "| story | expected | right | said (first three) | time of tasks |\n|---|---|---|---|---|"
        )?;
    }
    let right = if right { "yes" } else { "NO" };
    let said = said(examination).replace('|', "/");
    writeln!(file, "| {name} | {expected} | {right} | {said} | {} |", ledger(examination))?;
    Ok(())
}

fn said(examination: &Examination) -> String {
    let mut said = Vec::new();
    for finding in examination.findings.iter().take(SHOWN) {
        let severity = match finding.severity {
            Severity::Critical => "critical",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let cost = finding.cost.map_or(String::new(), |cost| format!(" {cost:.2}"));
        let culprit = finding.culprits.first().map_or(String::new(), |one| format!(" by {}", one.name));
        said.push(format!("{severity}{cost} `{}` {}{culprit}", finding.id, finding.subject.name));
    }
    if said.is_empty() { "–".to_owned() } else { said.join("; ") }
}

fn ledger(examination: &Examination) -> String {
    let ledger = &examination.ledger;
    let mut text = format!("active {:.1} s:", ledger.active_seconds);
    for class in &ledger.classes {
        let counts = ["running", "waiting", "peer"].contains(&class.group.as_str());
        if counts && class.seconds >= LEAST_SHARE * ledger.active_seconds && class.seconds >= 0.05 {
            let _ = write!(text, " {} {:.1}", class.class_name, class.seconds);
        }
    }
    text
}
