//! Each finding with its proof: what causes it and what it causes, its numbers against their limits, who, the change,
//! what comes next, its figures and its query, and when not to believe it.

use heldup_model::{
    Change, EvidenceValue, Examination, Finding, FindingGroup, ReportFigure, ReportParts, Severity,
    TaskShare, Worsened,
};

use super::answer::{colour, headline_without_share};
use super::figures::{Level, anchor, anchored};
use super::writer::{Cell, Column, Html, name, numbers, wide, words};
use super::{entry, ledger, marks, severity, who};
use crate::TextOptions;
use crate::figure::title;
use crate::quantity::{count, percent, seconds, with_unit};
use crate::text::answer::{member, numbered, with_sudo, worse};
use crate::text::finding::{impact, named_value, subject};
use crate::text::findings::reference;
use crate::text::tasks::{OTHERS, shared_home};

/// Members of a group that have a row.
const MOST_MEMBERS: usize = 40;
/// Tasks that have a row.
const MOST_TASKS: usize = 20;
/// Lines of one kind in the tree of causes.
const MOST_BRANCHES: usize = 3;

/// Writes all findings, in the order of their numbers.
pub(super) fn write(html: &mut Html, examination: &Examination, parts: &ReportParts, options: &TextOptions) {
    if examination.groups.is_empty() {
        return;
    }
    html.put("h2", "", "Evidence");
    for (number, group) in numbered(examination) {
        one(html, examination, (number, group), parts, options);
    }
}

fn one(
    html: &mut Html,
    examination: &Examination,
    (number, group): (usize, &FindingGroup),
    parts: &ReportParts,
    options: &TextOptions,
) {
    let Some(first) = member(examination, group) else { return };
    let id = format!("finding-{number}");
    let head = format!("head-{number}");
    html.open("section", &[("class", "finding"), ("id", &id), ("aria-labelledby", &head)]);
    html.open("h3", &[("id", &head)]);
    html.text(&format!("{number} {}", headline_without_share(examination, group)));
    html.close("h3");
    html.open("p", &[("class", "row")]);
    severity(html, group.severity);
    html.put("span", "second", &facts(first));
    html.put("code", "end", &group.id);
    html.close("p");
    let rule = parts.rule(&group.id);
    if let Some(rule) = rule {
        html.prose(&rule.meaning);
    }
    if group.members.len() > 1 {
        members(html, examination, group);
    }
    // What is only worth knowing is folded.
    let is_folded = group.severity == Severity::Info;
    if is_folded {
        html.open_details("Numbers, who and what to run next", false);
    }
    tree(html, examination, first);
    evidence(html, first);
    involved(html, first);
    first.changes.iter().for_each(|one| change(html, one, options));
    next(html, first, options);
    shown(html, examination, group, parts, options);
    if is_folded {
        html.close("details");
    }
    if let Some(rule) = rule {
        html.open_details("When not to believe it, and how it is decided", group.severity != Severity::Info);
        html.prose(&rule.when_wrong);
        html.prose(&rule.decided);
        references(html, &rule.references);
        html.close("details");
    }
    if !first.query.trim().is_empty() {
        html.open_details("SQL", false);
        html.code(first.query.trim());
        html.close("details");
    }
    html.close("section");
}

/// The figures that are evidence of a group: with the first finding that has them the pictures, with others links.
fn shown(
    html: &mut Html,
    examination: &Examination,
    group: &FindingGroup,
    parts: &ReportParts,
    options: &TextOptions,
) {
    let above = [ledger::top(examination, parts), who::homes(examination, parts)].concat();
    let is_of = |key: &String| group.members.contains(key);
    let all: Vec<(usize, &ReportFigure)> =
        parts.figures.iter().enumerate().filter(|(_, one)| one.findings.iter().any(is_of)).collect();
    let is_above = |at: &usize| above.contains(at);
    let (own, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(at, one)| !is_above(at) && one.findings.first().is_some_and(is_of));
    if !own.is_empty() {
        html.put("h4", "", "Figures");
        html.open("div", &[("class", "figures")]);
        for (at, _) in &own {
            anchored(html, parts, *at, &options.time_zone, Level::Fourth);
        }
        html.close("div");
    }
    if !others.is_empty() {
        html.open("p", &[("class", "second")]);
        html.text("See also:");
        for (at, one) in &others {
            html.text(" ");
            html.link(&anchor(*at), &title(&one.frame));
        }
        html.close("p");
    }
}

/// `vda · 43 % of active time · confidence 60 %`
fn facts(first: &Finding) -> String {
    let mut parts = vec![subject(first), impact(first)];
    if first.confidence < 0.8 {
        parts.push(format!("confidence {}", percent(first.confidence)));
    }
    parts.join(" · ")
}

/// The subjects of a group.
fn members(html: &mut Html, examination: &Examination, group: &FindingGroup) {
    let all: Vec<&Finding> =
        examination.findings.iter().filter(|finding| group.members.contains(&finding.key)).collect();
    let row = |finding: &&Finding| -> Vec<Cell> {
        vec![
            subject(finding).into(),
            finding.severity.name().into(),
            impact(finding).into(),
            finding.title.trim().into(),
        ]
    };
    let rows = all.iter().take(MOST_MEMBERS).map(row).collect();
    let columns = [words("subject"), words("severity"), words("harm"), wide("finding")];
    let caption = match all.len().checked_sub(MOST_MEMBERS).filter(|more| *more > 0) {
        Some(more) => format!("{MOST_MEMBERS} of {} subjects; {more} more", all.len()),
        None => format!("{} subjects", all.len()),
    };
    html.table(&caption, &columns, rows);
}

/// Causes and culprits above, this one, what it explains and its victims below.
fn tree(html: &mut Html, examination: &Examination, first: &Finding) {
    let links = |keys: &[String]| -> Vec<(Option<usize>, String)> {
        let number = |key: &String| {
            numbered(examination).find(|(_, group)| group.members.contains(key)).map(|(number, _)| number)
        };
        keys.iter().map(|key| (number(key), reference(examination, key))).collect()
    };
    let (causes, effects) = (links(&first.because), links(&first.explains));
    let is_alone =
        causes.is_empty() && effects.is_empty() && first.culprits.is_empty() && first.victims.is_empty();
    if is_alone {
        return;
    }
    html.put("h4", "", "Cause");
    html.open("div", &[("class", "tree")]);
    html.open("ul", &[]);
    branches(html, "cause", &causes);
    tasks(html, "culprit", &first.culprits);
    html.open("li", &[]);
    html.open("div", &[("class", "this")]);
    html.put("span", "label", "this");
    html.text(&format!("{} · {}", first.id, subject(first)));
    html.close("div");
    if !effects.is_empty() || !first.victims.is_empty() {
        html.open("ul", &[]);
        branches(html, "explains", &effects);
        tasks(html, "victim", &first.victims);
        html.close("ul");
    }
    html.close("li");
    html.close("ul");
    html.close("div");
}

fn branches(html: &mut Html, label: &str, all: &[(Option<usize>, String)]) {
    for (number, text) in all.iter().take(MOST_BRANCHES) {
        html.open("li", &[]);
        html.put("span", "label", label);
        match number {
            Some(number) => html.link(&format!("finding-{number}"), text),
            None => html.text(text),
        }
        html.close("li");
    }
    more(html, label, all.len());
}

fn tasks(html: &mut Html, label: &str, all: &[TaskShare]) {
    for task in all.iter().take(MOST_BRANCHES) {
        html.open("li", &[]);
        html.put("span", "label", label);
        html.text(&who_is(task));
        if let Some(role) = &task.role {
            html.put("span", "second", &format!(" {}", name(role)));
        }
        if let Some(spent) = task.seconds.filter(|spent| *spent > 0.0) {
            html.text(&format!(" · {}", seconds(spent)));
        }
        html.close("li");
    }
    more(html, label, all.len());
}

fn more(html: &mut Html, label: &str, all: usize) {
    if let Some(more) = all.checked_sub(MOST_BRANCHES).filter(|more| *more > 0) {
        html.open("li", &[]);
        html.put("span", "label", label);
        html.text(&format!("{} more", count(more as i64)));
        html.close("li");
    }
}

/// `exporter (6602, export.service)`, `postgres (26 tasks)`
fn who_is(task: &TaskShare) -> String {
    let number = match task.tasks {
        Some(tasks) if tasks > 1 => Some(format!("{} tasks", count(tasks))),
        _ => task.tid.or(task.pid).map(|id| id.to_string()),
    };
    let details: Vec<String> = number.into_iter().chain(shared_home(vec![task])).collect();
    match details.is_empty() || task.name == OTHERS {
        true => name(&task.name),
        false => format!("{} ({})", name(&task.name), details.join(", ")),
    }
}

/// Every number, its limit, and both as a drawing.
fn evidence(html: &mut Html, first: &Finding) {
    if first.evidence.is_empty() {
        return;
    }
    html.put("h4", "", "Numbers");
    let row = |one: &heldup_model::Evidence| -> Vec<Cell> {
        let (called, value) = named_value(one);
        let limit = one.limit.map(|limit| with_unit(limit, &one.unit));
        let drawn = match (&one.value, one.limit) {
            (EvidenceValue::Number(value), Some(limit)) => {
                Cell::Drawn(marks::level(colour(&first.id), *value, limit))
            }
            _ => Cell::Text(String::new()),
        };
        vec![called.into(), value.into(), drawn, limit.unwrap_or_default().into()]
    };
    let rows = first.evidence.iter().map(row).collect();
    let columns = [words("number"), VALUE, wide("against the limit"), words("limit")];
    let caption = match first.evidence.iter().any(|one| one.limit.is_some()) {
        true => "Numbers of this finding, and the limits that they were compared with",
        false => "Numbers of this finding",
    };
    html.table(caption, &columns, rows);
}

/// A value may be a long text: it wraps.
const VALUE: Column<'static> = Column { name: "value", class: "v" };

/// Culprits and victims.
fn involved(html: &mut Html, first: &Finding) {
    let all = first
        .culprits
        .iter()
        .map(|task| ("culprit", task))
        .chain(first.victims.iter().map(|task| ("victim", task)));
    let all: Vec<(&str, &TaskShare)> = all.collect();
    if all.is_empty() {
        return;
    }
    html.put("h4", "", "Who");
    let row = |(what, task): &(&str, &TaskShare)| -> Vec<Cell> {
        let id = match task.tasks {
            Some(tasks) if tasks > 1 => format!("{} tasks", count(tasks)),
            _ => task.tid.or(task.pid).map(|id| id.to_string()).unwrap_or_default(),
        };
        let home = task.unit.clone().or_else(|| task.cgroup.clone()).unwrap_or_default();
        vec![
            task.name.as_str().into(),
            (*what).into(),
            id.into(),
            home.into(),
            task.role.clone().unwrap_or_default().into(),
            task.seconds.map(seconds).unwrap_or_default().into(),
        ]
    };
    let rows = all.iter().take(MOST_TASKS).map(row).collect();
    let caption = match all.len() {
        len if len > MOST_TASKS => format!("Culprits and victims: {MOST_TASKS} of {len}"),
        _ => "Culprits and victims".to_owned(),
    };
    let columns = [
        words("process"),
        words("is"),
        wide("PID"),
        wide("unit or group"),
        wide("what it did"),
        numbers("time"),
    ];
    html.table(&caption, &columns, rows);
}

/// A proposed change: what to expect, what it risks, how it is undone.
fn change(html: &mut Html, change: &Change, options: &TextOptions) {
    html.put("h4", "", "Change");
    html.open("p", &[]);
    html.put("code", "", &change.tunable);
    let from = change.from.as_deref().unwrap_or("not known");
    html.text(&format!(": {from} → {}", change.to));
    html.close("p");
    html.open("dl", &[]);
    entry(html, "expect", change.expect.trim());
    entry(html, "risk", change.risk.trim());
    let mut harmed: Vec<String> = change.worsens.iter().map(|one: &Worsened| worse(one)).collect();
    harmed.dedup();
    entry(html, "but", &harmed.join("; "));
    entry(html, "undo", change.undo.as_deref().unwrap_or_default());
    html.close("dl");
    if !change.command.trim().is_empty() {
        html.command(&with_sudo(change.command.trim(), options));
    }
}

/// What to run next.
fn next(html: &mut Html, first: &Finding, options: &TextOptions) {
    let steps: Vec<_> = first
        .next
        .iter()
        .filter(|step| !step.text.trim().is_empty() || !step.command.trim().is_empty())
        .collect();
    if steps.is_empty() {
        return;
    }
    html.put("h4", "", "Next");
    for step in steps {
        if !step.text.trim().is_empty() {
            html.put("p", "", step.text.trim());
        }
        if !step.command.trim().is_empty() {
            html.command(&with_sudo(step.command.trim(), options));
        }
    }
}

/// Where to read more: a link where it is one.
fn references(html: &mut Html, all: &[String]) {
    if all.is_empty() {
        return;
    }
    html.open("ul", &[]);
    for one in all {
        html.open("li", &[]);
        match one.starts_with("https://") && !one.contains(char::is_whitespace) {
            true => {
                html.open("a", &[("href", one), ("rel", "noreferrer")]);
                html.text(one);
                html.close("a");
            }
            false => html.text(one),
        }
        html.close("li");
    }
    html.close("ul");
}
