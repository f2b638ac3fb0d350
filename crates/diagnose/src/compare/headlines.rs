//! The three lines to read first.
//!
//! What was changed is mostly why, so settings come first, all of them in one line: a list of them
//! must not push what they did off the page. Then whatever differs by how bad it is: findings
//! before classes of time, because a finding names the cause, then programs, then metrics. What is worse
//! on the second side comes before what is better: it is the side that is asked about.
//! What was judged to be noise is no headline; what could not be judged says so.

use heldup_archive::Value;
use heldup_model::{
    Class, Comparison, ComparisonVerdict, FindingDifference, Group, Headline, HeadlineKind, Judgement,
    LedgerDifference, MetricDifference, ProgramDifference, SettingDifference, Severity,
};

use super::findings::{is_better, worst};
use super::ledger::is_wanted;
use crate::severity::{CRITICAL_COST, WARNING_COST};
use crate::template::{Format, format_value};

/// Lines at most.
const MOST: usize = 3;
/// Settings that are named in their line.
const MOST_SETTINGS: usize = 3;
/// Characters of a value.
const MOST_VALUE: usize = 40;
/// Programs and culprits that are named.
const MOST_NAMES: usize = 3;
/// Task-seconds per second from which a program that came or went is worth a headline.
const LEAST_RATE: f64 = 0.05;

/// The lines of a comparison whose other parts are complete.
pub fn of(comparison: &Comparison) -> Vec<Headline> {
    let long = comparison.ledger.iter().any(|class| class.judgement != Judgement::NotJudged);
    // Whether it is better, and the line.
    let mut rest: Vec<(bool, Headline)> = Vec::new();
    rest.extend(comparison.findings.iter().filter_map(|one| Some((is_better(one), finding(one)?))));
    let waiting = |one: &LedgerDifference| one.group != Group::Running.name();
    rest.extend(
        comparison
            .ledger
            .iter()
            .filter_map(|one| Some((waiting(one) && one.second < one.first, class(one)?))),
    );
    rest.extend(comparison.programs.iter().filter_map(|one| Some((false, program(one, long)?))));
    rest.extend(comparison.metrics.iter().find(|one| !one.constant).map(|one| (false, metric(one))));
    // The sort is stable: within a severity the kinds stay in the order above.
    rest.sort_by_key(|(better, line)| {
        let severity = line.severity.unwrap_or(Severity::Info);
        (severity == Severity::Info, *better, severity)
    });
    let rest = rest.into_iter().map(|(_, line)| line);
    let mut lines: Vec<Headline> = settings(&comparison.settings).into_iter().chain(rest).collect();
    lines.truncate(MOST);
    lines
}

/// What a comparison comes to, by everything in it but its headlines.
pub fn verdict(comparison: &Comparison) -> ComparisonVerdict {
    let wanted = comparison.ledger.iter().filter(|one| is_wanted(one)).map(|one| one.judgement);
    let findings = comparison.findings.iter().map(|one| one.judgement);
    let judged: Vec<Judgement> = wanted.chain(findings).collect();
    let moved = comparison.metrics.iter().any(|one| !one.constant);
    if judged.contains(&Judgement::Differs) || moved || !comparison.settings.is_empty() {
        ComparisonVerdict::Differs
    } else if judged.contains(&Judgement::NotJudged) || judged.is_empty() && comparison.metrics_judged == 0 {
        ComparisonVerdict::Undecided
    } else {
        ComparisonVerdict::NoDifference
    }
}

fn number(value: f64) -> String {
    let digits = if value.abs() >= 9.95 {
        0
    } else if value.abs() >= 0.095 {
        2
    } else {
        3
    };
    format_value(&Value::Float((value * 10_f64.powi(digits)).round() / 10_f64.powi(digits)), Format::Plain)
}

fn percent(share: f64) -> String {
    format_value(&Value::Float(share), Format::Percent)
}

/// All settings in one line: one of each thing that has some, as many as there is room for.
fn settings(all: &[SettingDifference]) -> Option<Headline> {
    let mut things: Vec<&SettingDifference> = Vec::new();
    let (packages, all): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.package().is_some());
    for one in all {
        // What has no subject is the host's, each column a thing of its own.
        let alike = |known: &&SettingDifference| {
            known.table == one.table && known.subject == one.subject && !one.subject.is_empty()
        };
        if !things.iter().any(alike) {
            things.push(one);
        }
    }
    let shown: Vec<String> = things.iter().take(MOST_SETTINGS).map(|one| setting(one)).collect();
    let more = things.len().saturating_sub(shown.len());
    let settings = match things.len() {
        0 => None,
        1 => Some(format!("setting {}", shown.join(""))),
        count if more > 0 => Some(format!("{count} settings: {}, and {more} more", shown.join(", "))),
        count => Some(format!("{count} settings: {}", shown.join(", "))),
    };
    // However many there are, they must not hide a setting.
    let upgrade = match packages.as_slice() {
        [] => None,
        [one] => Some(format!("package {}", change(one.package().unwrap_or_default(), one))),
        [first, ..] => {
            let first = change(first.package().unwrap_or_default(), first);
            Some(format!("{} packages: {first} …", packages.len()))
        }
    };
    let text: Vec<String> = settings.into_iter().chain(upgrade).collect();
    if text.is_empty() {
        return None;
    }
    let text = text.join("; ");
    Some(Headline {
        kind: HeadlineKind::Settings,
        text,
        severity: None,
        judgement: Judgement::Differs,
        names: things.iter().chain(&packages).map(|one| setting_name(one)).collect(),
    })
}

fn setting_name(one: &SettingDifference) -> String {
    match (one.table.as_str(), one.subject.as_str()) {
        ("setting", subject) => subject.to_owned(),
        (table, "") => format!("{table} {}", one.column),
        (table, subject) => format!("{table} {subject} {}", one.column),
    }
}

fn setting(one: &SettingDifference) -> String {
    change(&setting_name(one), one)
}

fn change(name: &str, one: &SettingDifference) -> String {
    let value = |value: &Option<String>| match value {
        Some(value) if value.chars().count() > MOST_VALUE => {
            value.chars().take(MOST_VALUE - 1).chain(['…']).collect()
        }
        Some(value) => value.clone(),
        None => "(absent)".to_owned(),
    };
    format!("{name} {} → {}", value(&one.first), value(&one.second))
}

fn finding(one: &FindingDifference) -> Option<Headline> {
    if one.judgement == Judgement::NoDifferenceSeen {
        return None;
    }
    let title = &one.title;
    let costs = || match (one.first_cost, one.second_cost) {
        (Some(first), Some(second)) => format!(" ({} → {})", percent(first), percent(second)),
        _ => String::new(),
    };
    let text = match (one.first, one.second) {
        _ if one.second_members.is_some() => format!(
            "in {} of the first side and {} of the second: {title}",
            one.first_members.unwrap_or(0),
            one.second_members.unwrap_or(0)
        ),
        (None, _) => format!("new: {title}"),
        (_, None) => format!("gone: {title}"),
        _ => format!("changed: {title}{}", costs()),
    };
    let mut names = vec![one.key.clone()];
    names.extend(one.culprits.iter().take(MOST_NAMES).cloned());
    Some(Headline {
        kind: HeadlineKind::Finding,
        text,
        severity: worst(one),
        judgement: one.judgement,
        names,
    })
}

fn class(one: &LedgerDifference) -> Option<Headline> {
    // Its severity if it could be judged.
    let severity = match one.judgement {
        Judgement::Differs => one.severity,
        Judgement::NoDifferenceSeen => None,
        Judgement::NotJudged if !is_wanted(one) => None,
        Judgement::NotJudged if one.cost >= CRITICAL_COST => Some(Severity::Critical),
        Judgement::NotJudged if one.cost >= WARNING_COST => Some(Severity::Warning),
        Judgement::NotJudged => None,
    }?;
    let names: Vec<&heldup_model::ProgramShare> = one.programs.iter().take(MOST_NAMES).collect();
    let who: Vec<String> = names
        .iter()
        .map(|share| {
            let change = share.second - share.first;
            format!("{} {}{}", share.name, if change < 0.0 { "−" } else { "+" }, number(change.abs()))
        })
        .collect();
    let text = format!(
        "{} {} → {} task-seconds per second, {} of active time: {}",
        Class::label_of(&one.class_name),
        number(one.first),
        number(one.second),
        percent(one.cost),
        who.join(", ")
    );
    let names = names.iter().map(|share| share.name.clone()).collect();
    Some(Headline {
        kind: HeadlineKind::Time,
        text,
        severity: Some(severity),
        judgement: one.judgement,
        names,
    })
}

fn program(one: &ProgramDifference, long: bool) -> Option<Headline> {
    let rate = one.first.or(one.second).filter(|rate| *rate >= LEAST_RATE)?;
    let which = if one.first.is_some() { "first" } else { "second" };
    Some(Headline {
        kind: HeadlineKind::Program,
        text: format!("{} ran on the {which} side only: {} task-seconds per second", one.name, number(rate)),
        severity: None,
        judgement: if long { Judgement::Differs } else { Judgement::NotJudged },
        names: vec![one.name.clone()],
    })
}

fn metric(one: &MetricDifference) -> Headline {
    let entity = if one.entity.is_empty() { String::new() } else { format!(" {}", one.entity) };
    Headline {
        kind: HeadlineKind::Metric,
        text: format!(
            "{}.{}{entity} {} → {} {}",
            one.table,
            one.column,
            number(one.first),
            number(one.second),
            one.unit
        ),
        severity: None,
        judgement: Judgement::Differs,
        names: vec![format!("{}.{}", one.table, one.column)],
    }
}
