//! The answer: what is wrong, with whom, how much of the time it costs, and what to do about it.
//!
//! One trouble gets a block of its own, several a line or two each and what to do for each below them. Where nothing
//! is wrong, `healthy.rs` has the answer.

use heldup_model::{
    Area, Change, Examination, Finding, FindingGroup, ImpactKind, Resource, Severity, TaskShare, Worsened,
};
use unicode_width::UnicodeWidthStr;

use super::tasks;
use super::{TextOptions, finding, profile, waits};
use crate::layout::{Ink, Page};
use crate::quantity::{count, number, percent, span, with_unit};

/// Troubles that get a line each; the rest is counted.
const MOST: usize = 5;
/// Names of members of a group.
const MOST_NAMES: usize = 3;
/// Active time below this share of what the CPUs could have given is an idle machine's.
pub(crate) const IDLE: f64 = 0.01;
/// Column behind a severity, or behind the label of a line below it.
pub(super) const INDENT: usize = 10;
/// Units behind the numbers of titles.
const UNITS: [&str; 13] = ["%", "s", "ms", "µs", "ns", "min", "h", "B", "kB", "MB", "GB", "TB", "MB/s"];
/// Columns of `do 1`.
const NUMBERED: usize = 9;

/// Groups that need attention, with their numbers. What only says more about another finding stands there.
pub(crate) fn troubles(examination: &Examination) -> Vec<(usize, &FindingGroup)> {
    let is_trouble =
        |group: &FindingGroup| group.severity != Severity::Info && !is_detail(examination, group);
    numbered(examination).filter(|(_, group)| is_trouble(group)).collect()
}

/// Whether all members only say more about other findings.
fn is_detail(examination: &Examination, group: &FindingGroup) -> bool {
    let members = examination.findings.iter().filter(|finding| group.members.contains(&finding.key));
    let mut members = members.peekable();
    members.peek().is_some() && members.all(|finding| finding.detail_of.is_some())
}

/// What says more about a group: titles of findings that need no line of their own.
pub(crate) fn details<'a>(
    examination: &'a Examination,
    group: &'a FindingGroup,
) -> impl Iterator<Item = &'a str> {
    let of = |finding: &&Finding| {
        finding.severity != Severity::Info
            && finding.detail_of.as_ref().is_some_and(|key| group.members.contains(key))
    };
    examination.findings.iter().filter(of).map(|finding| finding.title.trim().trim_end_matches('.'))
}

/// All groups with their numbers: what `heldup explain` takes.
pub(crate) fn numbered(examination: &Examination) -> impl Iterator<Item = (usize, &FindingGroup)> {
    examination.groups.iter().enumerate().map(|(at, group)| (at + 1, group))
}

/// Writes the answer; false where nothing needs attention.
pub(super) fn write(page: &mut Page, examination: &Examination, options: &TextOptions) -> bool {
    let troubles = troubles(examination);
    match troubles[..] {
        [] if profile::is_all(examination) => of_profile(page, examination, options),
        [] => return false,
        [(number, group)] => alone(page, examination, (number, group), options),
        _ => several(page, examination, &troubles, options),
    }
    true
}

/// One trouble: severity, what, who, what to do.
fn alone(
    page: &mut Page,
    examination: &Examination,
    (number, group): (usize, &FindingGroup),
    options: &TextOptions,
) {
    let Some(first) = member(examination, group) else { return };
    let (word, ink) = severity(group.severity);
    page.paragraph(
        &[(ink, fixed_label(word, INDENT)), (Ink::Bold, with_units(&headline(examination, group, true)))],
        INDENT,
    );
    labelled(page, "who", &who(first));
    cause(page, examination, group);
    match first.changes.first() {
        Some(change) => {
            labelled(page, "do", &command(change, options));
            labelled(page, "", &consequences(change));
        }
        None => labelled(page, "do", &next(first, page.width() - INDENT, options)),
    }
    labelled(page, "more", &with_sudo(&format!("heldup explain {number}"), options));
}

/// Several troubles: a line or two each, then what to do for each.
fn several(
    page: &mut Page,
    examination: &Examination,
    troubles: &[(usize, &FindingGroup)],
    options: &TextOptions,
) {
    let shown = &troubles[..troubles.len().min(MOST)];
    let words = shown.iter().map(|(_, group)| severity(group.severity).0.len()).max().unwrap_or(0);
    let areas = shown.iter().map(|(_, group)| area(&group.id).len()).max().unwrap_or(0);
    let hang = 2 + words + 1 + areas + 1;
    for (number, group) in shown {
        let (word, ink) = severity(group.severity);
        let head = format!("{number} {}", fixed_label(word, words + 1));
        let mut rest = headline(examination, group, false);
        let named = member(examination, group).map(|first| names(first, &rest)).unwrap_or_default();
        if !named.is_empty() {
            rest += &format!(": {named}");
        }
        let area = fixed_label(&area(&group.id), areas + 1);
        page.paragraph(&[(ink, head), (Ink::Plain, with_units(&format!("{area}{rest}")))], hang);
        for detail in details(examination, group) {
            page.paragraph(&[(Ink::Dim, format!("{}cause: {detail}", " ".repeat(hang)))], hang);
        }
    }
    if let Some(more) = troubles.len().checked_sub(MOST).filter(|more| *more > 0) {
        let line =
            format!("  {} more: {}", count(more as i64), with_sudo("heldup explain @last -v", options));
        page.paragraph(&[(Ink::Dim, line)], 2);
    }
    for (number, group) in shown {
        let Some(first) = member(examination, group) else { continue };
        let what = match first.changes.first() {
            Some(change) if !change.worsens.is_empty() => nothing_yet(examination, change),
            Some(change) => command(change, options),
            None => next(first, page.width() - NUMBERED, options),
        };
        let what =
            if what.is_empty() { with_sudo(&format!("heldup explain {number}"), options) } else { what };
        let label = fixed_label(&format!("  do {number}"), NUMBERED);
        page.paragraph(&[(Ink::Dim, label), (Ink::Plain, what)], NUMBERED);
    }
}

/// A profile has no severity: what has most of its samples, how it is called, and what to check.
fn of_profile(page: &mut Page, examination: &Examination, options: &TextOptions) {
    if let Some(waits) = &examination.vitals.waits {
        let text = waits::answer(waits);
        page.paragraph(&[(Ink::Bold, fixed_label("WAITS", INDENT)), (Ink::Bold, text)], INDENT);
        let of_locks = examination.findings.iter().find(|one| one.id.starts_with("lock."));
        let lock = of_locks.map(|finding| finding.title.trim().to_owned()).or_else(|| waits::lock(waits));
        labelled(page, "lock", &lock.unwrap_or_default());
    }
    let Some(profile) = &examination.vitals.profile else { return };
    let answer = profile::answer(examination, profile);
    page.paragraph(&[(Ink::Bold, fixed_label("PROFILE", INDENT)), (Ink::Bold, answer.text)], INDENT);
    labelled(page, "path", answer.path.unwrap_or_default());
    labelled(page, "from", answer.callers.unwrap_or_default());
    if let Some(finding) = answer.finding {
        labelled(page, "do", answer.remedy.unwrap_or_default());
        let group = numbered(examination).find(|(_, group)| group.members.contains(&finding.key));
        let command = group.map(|(number, _)| with_sudo(&format!("heldup explain {number}"), options));
        labelled(page, "more", &command.unwrap_or_default());
    }
}

/// Whether there was next to nothing to do.
pub(crate) fn is_idle(examination: &Examination) -> bool {
    let cpus = examination.host.cpus.unwrap_or(1).max(1) as f64;
    examination.ledger.active_seconds < IDLE * cpus * window_s(examination)
}

/// Length of the window in seconds; 0 where that is not known.
pub(crate) fn window_s(examination: &Examination) -> f64 {
    let time = |text: &Option<String>| text.as_ref()?.parse::<jiff::Timestamp>().ok();
    let ends = time(&examination.from).zip(time(&examination.to));
    let length = ends.map(|(from, to)| from.duration_until(to).as_secs_f64()).or(examination.seconds);
    (length.unwrap_or(0.0) * 10.0).round() / 10.0
}

/// Severity as a word.
pub(crate) const fn severity(severity: Severity) -> (&'static str, Ink) {
    match severity {
        Severity::Critical => ("CRITICAL", Ink::Red),
        Severity::Warning => ("WARNING", Ink::Yellow),
        Severity::Info => ("INFO", Ink::Plain),
    }
}

/// The area of an id, as a reader calls the resource.
pub(crate) fn area(id: &str) -> String {
    match Area::of_rule(id) {
        // A task that hung or an oops is the kernel's; CPUs may have nothing to do with it.
        Some(Area::Cpu) if id.starts_with("kernel.") => "kernel".to_owned(),
        Some(Area::Cpu) => "CPU".to_owned(),
        Some(area) => area.name().to_owned(),
        None => id.split('.').next().unwrap_or(id).to_owned(),
    }
}

/// The id without its area: `kernel-heavy`.
pub(crate) fn short_name(id: &str) -> &str {
    id.split_once('.').map_or(id, |(_, name)| name)
}

/// The group's first finding.
pub(crate) fn member<'a>(examination: &'a Examination, group: &FindingGroup) -> Option<&'a Finding> {
    let key = group.members.first()?;
    examination.findings.iter().find(|finding| finding.key == *key)
}

/// The title; of several members that of the worst, and how many more of whom.
pub(crate) fn title(examination: &Examination, group: &FindingGroup) -> String {
    let members: Vec<&Finding> =
        examination.findings.iter().filter(|finding| group.members.contains(&finding.key)).collect();
    match &members[..] {
        [] => group.key.clone(),
        [only] => only.title.trim().trim_end_matches('.').to_owned(),
        [worst, others @ ..] => {
            let title = worst.title.trim().trim_end_matches('.');
            format!("{title}; {}", more_of(&group.id, worst, others))
        }
    }
}

/// The title with its share of active time.
pub(crate) fn headline(examination: &Examination, group: &FindingGroup, in_full: bool) -> String {
    let text = title(examination, group);
    let share = share(examination, group).map(|share| match in_full {
        true => format!("{share} of {}", whose(examination, group)),
        false => share,
    });
    let causes = if in_full { Vec::new() } else { causes(examination, group) };
    let follows = (!causes.is_empty()).then(|| {
        let numbers: Vec<String> = causes.iter().map(|(number, _)| number.to_string()).collect();
        format!("follows from {}", numbers.join(", "))
    });
    let known: Vec<String> = share.into_iter().chain(follows).collect();
    if known.is_empty() { text } else { format!("{text} ({})", known.join(", ")) }
}

/// The share of active time, unless there is so little of that that a share says nothing. Findings of databases have a share of DB time, in the title.
pub(crate) fn share(examination: &Examination, group: &FindingGroup) -> Option<String> {
    let is_said = group.impact.kind == ImpactKind::Time && !is_idle(examination) && area(&group.id) != "db";
    group.cost.filter(|_| is_said).map(percent)
}

pub(crate) fn whose(examination: &Examination, group: &FindingGroup) -> &'static str {
    let of_command = member(examination, group).is_some_and(|finding| finding.focus.is_some());
    if of_command { "the command's active time" } else { "active time" }
}

/// A title whose numbers stay in one line with their units.
pub(super) fn with_units(title: &str) -> String {
    let mut text = String::with_capacity(title.len());
    for (at, word) in title.split(' ').enumerate() {
        let is_unit = UNITS.contains(&word.trim_end_matches([',', ';', ':', ')']));
        let keeps = is_unit && text.ends_with(|before: char| before.is_ascii_digit());
        if at > 0 {
            text.push(if keeps { '\u{a0}' } else { ' ' });
        }
        text += word;
    }
    text
}

/// What a title says of others too: `2 more devices: sdb, sdc`. What is called like the worst is counted alone.
fn more_of(id: &str, worst: &Finding, others: &[&Finding]) -> String {
    let kind = others.first().map_or("subject", |one| one.subject.kind.as_str());
    let number = count(others.len() as i64);
    let (one, many) = match (id, kind) {
        ("mem.oom-kill", _) => ("kill", "kills"),
        (_, "process") => ("process", "processes"),
        (_, "cpu") => ("CPU", "CPUs"),
        (_, "database") => ("database event", "database events"),
        (_, kind) => (kind, &*format!("{kind}s")),
    };
    let called = if others.len() == 1 { one } else { many };
    if others.iter().all(|one| one.subject.name == worst.subject.name) {
        return format!("{number} more {called}");
    }
    let mut names: Vec<String> = others.iter().map(|one| finding::subject(one)).collect();
    names.dedup();
    let left = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    names.extend((left > 0).then(|| format!("{} more", count(left as i64))));
    format!("{number} more {called}: {}", names.join(", "))
}

/// Up to two who cause it, unless the title names them.
fn names(first: &Finding, title: &str) -> String {
    let who: &[TaskShare] = if first.culprits.is_empty() { &first.victims } else { &first.culprits };
    if who.iter().take(2).any(|task| title.contains(&task.name)) { String::new() } else { briefly(who, 2) }
}

/// Who causes it, and who else suffers, in brief.
pub(crate) fn who(first: &Finding) -> String {
    let (culprits, victims) = (&first.culprits, &first.victims);
    let others: Vec<TaskShare> =
        victims.iter().filter(|one| culprits.iter().all(|other| other.name != one.name)).cloned().collect();
    match (culprits.is_empty(), others.is_empty()) {
        (true, _) => briefly(victims, 3),
        (false, true) => briefly(culprits, 3),
        (false, false) => format!("{}; waiting: {}", briefly(culprits, 2), briefly(&others, 2)),
    }
}

/// Tasks with their seconds; what they did where no seconds say it.
fn briefly(who: &[TaskShare], most: usize) -> String {
    let brief = |task: &TaskShare| {
        let role = task.role.clone().filter(|_| task.seconds.is_none_or(|spent| spent <= 0.0));
        TaskShare { role, ..task.clone() }
    };
    tasks::list(&who.iter().map(brief).collect::<Vec<_>>(), most)
}

/// The group that explains it, by its number, or in words if it stands nowhere else.
fn cause(page: &mut Page, examination: &Examination, group: &FindingGroup) {
    let others = causes(examination, group).into_iter();
    let because: Vec<String> = others
        .map(|(number, other)| format!("{number} ({})", short_name(&other.id)))
        .chain(details(examination, group).map(str::to_owned))
        .collect();
    labelled(page, "cause", &because.join(", "));
}

/// The groups that explain a group, with their numbers.
pub(crate) fn causes<'a>(
    examination: &'a Examination,
    group: &FindingGroup,
) -> Vec<(usize, &'a FindingGroup)> {
    let Some(first) = member(examination, group) else { return Vec::new() };
    numbered(examination)
        .filter(|(_, other)| {
            other.key != group.key
                && first.because.iter().any(|key| other.members.contains(key))
                && !is_detail(examination, other)
        })
        .collect()
}

/// The command that makes a change.
fn command(change: &Change, options: &TextOptions) -> String {
    match change.command.trim() {
        "" => change_in_words(change),
        command => with_sudo(command, options),
    }
}

/// What to expect of a change, what it may harm, and how it is undone.
pub(crate) fn consequences(change: &Change) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(
        [&change.expect, &change.risk]
            .into_iter()
            .map(|text| text.trim().trim_end_matches('.').to_owned())
            .filter(|text| !text.is_empty()),
    );
    let mut harmed: Vec<String> = change.worsens.iter().map(worse).collect();
    harmed.dedup();
    parts.extend(harmed);
    let mut text = parts.join("; ");
    if let Some(undo) = change.undo.as_deref().map(str::trim).filter(|undo| !undo.is_empty()) {
        if !text.is_empty() {
            text += ". ";
        }
        text += &format!("Undo: {}", undo.strip_prefix("heldup ").unwrap_or(undo).replace(' ', "\u{a0}"));
    }
    text
}

/// What a change takes that another finding is short of.
pub(crate) fn worse(one: &Worsened) -> String {
    let id = one.finding.split('/').next().unwrap_or(&one.finding);
    format!("makes {id} worse: uses {}, which is short", short_resource(one))
}

/// The resource that is short.
fn short_resource(one: &Worsened) -> &'static str {
    match one.resource {
        Resource::Cpu => "CPU time",
        Resource::Disk => "disk throughput",
        Resource::Memory => "memory",
    }
}

/// Why a change is not proposed while another finding is there.
pub(crate) fn nothing_yet(examination: &Examination, change: &Change) -> String {
    let mut harmed: Vec<String> = Vec::new();
    for one in &change.worsens {
        let group = numbered(examination).find(|(_, group)| group.members.contains(&one.finding));
        let what = group.map_or_else(|| one.finding.clone(), |(number, _)| number.to_string());
        harmed.push(format!("makes {what} worse (uses {}, which is short)", short_resource(one)));
    }
    harmed.dedup();
    format!("nothing yet: {} {}", change_in_words(change), harmed.join("; "))
}

/// `cgroup:/web/cpu.quota 0.4 → 1.7`
pub(crate) fn change_in_words(change: &Change) -> String {
    let from = change.from.as_ref().map(|from| format!(" {from}")).unwrap_or_default();
    format!("{}{from} → {}", change.tunable, change.to)
}

/// The first step that goes on from here and fits on a line; none where only a long query is known.
pub(crate) fn next(first: &Finding, columns: usize, options: &TextOptions) -> String {
    let steps = first.next.iter().map(|step| match step.command.trim() {
        "" => step.text.trim().to_owned(),
        command => with_sudo(command, options),
    });
    steps.into_iter().find(|step| step.width() <= columns).unwrap_or_default()
}

/// A command as this reader has to type it.
pub(crate) fn with_sudo(command: &str, options: &TextOptions) -> String {
    if options.sudo && command.starts_with("heldup ") {
        format!("sudo {command}")
    } else {
        command.to_owned()
    }
}

/// A line below the answer: `  who     python3 …`.
pub(super) fn labelled(page: &mut Page, label: &str, text: &str) {
    if !text.is_empty() {
        page.paragraph(
            &[(Ink::Dim, fixed_label(&format!("  {label}"), INDENT)), (Ink::Plain, text.to_owned())],
            INDENT,
        );
    }
}

/// A label in so many columns; no line is broken within it or behind it.
pub(crate) fn fixed_label(label: &str, columns: usize) -> String {
    let word = label.trim_start();
    let pad = columns.saturating_sub(label.width()).max(1);
    let lead = " ".repeat(label.len() - word.len());
    format!("{lead}{}{}", word.replace(' ', "\u{a0}"), "\u{a0}".repeat(pad))
}

/// How much harm, for a line of information: `10 s`, `in 2.2 days`.
pub(crate) fn amount(group: &FindingGroup) -> String {
    match group.impact.kind {
        ImpactKind::Time | ImpactKind::Waste => with_unit(group.impact.amount, &group.impact.unit),
        ImpactKind::Failure if group.impact.unit.contains(" since ") => {
            with_unit(group.impact.amount, &group.impact.unit)
        }
        ImpactKind::Failure if group.impact.unit.ends_with(" at one moment") => {
            with_unit(group.impact.amount, &group.impact.unit)
        }
        ImpactKind::Failure => number(group.impact.amount),
        ImpactKind::Risk if group.impact.amount <= 0.0 => String::new(),
        ImpactKind::Risk if group.impact.unit == "h" => format!("in {}", with_unit(group.impact.amount, "h")),
        ImpactKind::Risk if group.impact.unit == "s" => format!("in {}", span(group.impact.amount)),
        ImpactKind::Risk => with_unit(group.impact.amount, &group.impact.unit),
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::Subject;

    use super::*;

    #[test]
    fn numbers_stay_with_their_units() {
        assert_eq!(
            with_units("sda: 17 ms, 5 % of 2 disks (7 s)"),
            "sda: 17\u{a0}ms, 5\u{a0}% of 2 disks (7\u{a0}s)"
        );
        assert_eq!(with_units("h of s"), "h of s");
    }

    #[test]
    fn a_group_is_told_by_its_worst_and_the_others_are_named() {
        let finding = |name: &str, pid| {
            let subject =
                Subject { kind: "process".to_owned(), name: name.to_owned(), pid, ..Subject::default() };
            let key = format!("cpu.kernel-heavy/process:{name}[{pid:?}]");
            Finding { key, title: format!("{name}: busy."), subject, ..Finding::default() }
        };
        let of = |findings: Vec<Finding>| {
            let members = findings.iter().map(|finding| finding.key.clone()).collect();
            let group =
                FindingGroup { id: "cpu.kernel-heavy".to_owned(), members, ..FindingGroup::default() };
            headline(&Examination { findings, ..Examination::default() }, &group, false)
        };
        assert_eq!(of(vec![finding("a", Some(1)), finding("a", Some(2))]), "a: busy; 1 more process");
        assert_eq!(
            of(vec![finding("a", Some(1)), finding("b", Some(2)), finding("c", None)]),
            "a: busy; 2 more processes: b (2), c"
        );
    }
}
