//! Findings that are not the same on both sides.
//!
//! A rule says *found* from a level on, so a load that is just at the level has a finding now and
//! none then. Such a difference is claimed only where something that was judged against its noise
//! stands behind it: time by the ledger, everything else by a metric of a table that the rule reads.

use heldup_model::{
    Capture, ErrorNote, Finding, FindingDifference, Judgement, LedgerDifference, SettingDifference, Severity,
    Subject,
};

use super::ledger::is_wanted;
use super::metrics::Metrics;
use crate::ruleset::Ruleset;
use crate::run::diagnose;

/// The same finding differs where its cost changed by this factor.
const MOST_TIMES: f64 = 2.0;
/// The part of a finding's cost that the ledger must have changed by.
const LEAST_BACKED: f64 = 0.5;
/// Subjects whose names end in a number that is another one after each start.
const NUMBERED: &[&str] = &["process", "thread"];

/// What was judged already, and may stand behind a finding.
pub struct Evidence<'a> {
    /// Classes of time.
    pub ledger: &'a [LedgerDifference],
    /// Metrics.
    pub metrics: &'a Metrics,
    /// Settings.
    pub settings: &'a [SettingDifference],
    /// Whether both sides are long enough to know their noise.
    pub long: bool,
}

/// The findings of a side, in rank order.
pub fn of(capture: &Capture, rules: Option<&Ruleset>, errors: &mut Vec<ErrorNote>) -> Vec<Finding> {
    let Some(rules) = rules else { return Vec::new() };
    let diagnosis = diagnose(capture, rules);
    for error in diagnosis.errors {
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    diagnosis.findings
}

/// What differs, worst first; what nothing stands behind comes last.
pub fn compare(first: &[Finding], second: &[Finding], evidence: &Evidence) -> Vec<FindingDifference> {
    let mut all = Vec::new();
    for new in second {
        let old = first.iter().find(|old| same(old, new));
        if old.is_none_or(|old| changed(old, new)) {
            all.push(described(old, Some(new), evidence));
        }
    }
    for old in first.iter().filter(|old| !second.iter().any(|new| same(old, new))) {
        all.push(described(Some(old), None, evidence));
    }
    sorted(all.into_iter().flatten().collect())
}

/// Worst first, what came before what went; within these as the rules ranked them.
pub fn sorted(mut all: Vec<FindingDifference>) -> Vec<FindingDifference> {
    all.sort_by_key(|one| {
        let unlikely = one.judgement == Judgement::NoDifferenceSeen;
        (unlikely, worst(one), is_better(one))
    });
    all
}

/// The severity of the side that is worse.
pub fn worst(one: &FindingDifference) -> Option<Severity> {
    one.first.into_iter().chain(one.second).min()
}

/// Whether it is gone, or less bad on the second side.
pub fn is_better(one: &FindingDifference) -> bool {
    match (one.first_members, one.second_members) {
        (Some(_), Some(_)) => one.second.is_none(),
        _ => level(one.second) > level(one.first),
    }
}

/// Severity as a number that grows when it gets better; nothing found is best.
fn level(severity: Option<Severity>) -> u8 {
    severity.map_or(u8::MAX, |severity| severity as u8)
}

fn same(old: &Finding, new: &Finding) -> bool {
    let numbered = NUMBERED.contains(&old.subject.kind.as_str());
    let name = |finding: &Finding| finding.subject.name.replace(|c: char| c.is_ascii_digit(), "");
    old.key == new.key
        || (numbered && old.id == new.id && old.subject.kind == new.subject.kind && name(old) == name(new))
}

fn changed(old: &Finding, new: &Finding) -> bool {
    let costs = old.cost.zip(new.cost).map(|(old, new)| (old.min(new), old.max(new)));
    old.severity != new.severity || costs.is_some_and(|(least, most)| most >= MOST_TIMES * least)
}

fn described(old: Option<&Finding>, new: Option<&Finding>, evidence: &Evidence) -> Option<FindingDifference> {
    let severity = |finding: Option<&Finding>| finding.map(|finding| finding.severity);
    let newer_is_worse = level(severity(new)) <= level(severity(old));
    let shown = if newer_is_worse { new.or(old) } else { old.or(new) }?;
    let mut culprits: Vec<String> = shown.culprits.iter().map(|task| task.name.clone()).collect();
    culprits.dedup();
    let mut found = FindingDifference {
        id: shown.id.clone(),
        key: shown.key.clone(),
        subject: shown.subject.name.clone(),
        title: shown.title.clone(),
        first: severity(old),
        second: severity(new),
        first_cost: old.and_then(|old| old.cost),
        second_cost: new.and_then(|new| new.cost),
        culprits,
        judgement: Judgement::NotJudged,
        first_members: None,
        second_members: None,
    };
    if evidence.long {
        let backed = is_backed(&found, shown, evidence);
        found.judgement = if backed { Judgement::Differs } else { Judgement::NoDifferenceSeen };
    }
    Some(found)
}

/// Whether a row of metrics, `device=sda`, can be what a finding is about: that of the whole machine is for all.
fn is_about(row: &str, subject: &Subject) -> bool {
    let name = subject.name.split(' ').next().unwrap_or_default();
    row.is_empty() || subject.kind == "host" || row.split(['=', ' ']).any(|word| word == name)
}

fn is_backed(found: &FindingDifference, shown: &Finding, evidence: &Evidence) -> bool {
    if found.first_cost.or(found.second_cost).is_some() {
        let change = found.second_cost.unwrap_or(0.0) - found.first_cost.unwrap_or(0.0);
        let classes = evidence
            .ledger
            .iter()
            .filter(|class| class.judgement == Judgement::Differs && is_wanted(class))
            .filter(|class| (class.second > class.first) == (change > 0.0));
        return classes.map(|class| class.cost).sum::<f64>() >= LEAST_BACKED * change.abs();
    }
    let words: Vec<&str> = shown.query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    // What no metric of these two could stand behind is an event or a state, and no level of a rate; so is what is
    // about something that was there on one side only.
    let mut judged = evidence.metrics.judged_rows.iter();
    let could_be = judged
        .any(|(table, rows)| words.contains(table) && rows.iter().any(|row| is_about(row, &shown.subject)));
    let by_metric = evidence.metrics.differences.iter().any(|one| words.contains(&one.table.as_str()));
    let settings = evidence.settings.iter().filter(|one| one.package().is_none());
    let by_setting = settings.map(|one| one.table.as_str()).any(|table| words.contains(&table));
    !could_be || by_metric || by_setting
}
