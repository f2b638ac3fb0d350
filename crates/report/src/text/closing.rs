//! The end: what is only worth knowing, what was judged, what could not be seen, and the overhead.

use heldup_model::{ErrorNote, Examination, Method, NotChecked, Severity};
use unicode_width::UnicodeWidthStr;

use super::TextOptions;
use super::answer::{amount, causes, numbered, short_name, with_sudo};
use crate::layout::{Ink, Page};
use crate::overhead;
use crate::quantity::count;

/// Notes of one kind that are written out; the JSON has all of them.
const MOST_NOTES: usize = 4;
/// Area of the rules about databases: of a machine they need a report of one.
const DATABASES: &str = "db.";

/// Writes what there is to say.
pub(crate) fn write(page: &mut Page, examination: &Examination, options: &TextOptions) {
    if !options.details {
        information(page, examination, options);
    }
    not_seen(page, examination, options);
    let rules = rules(examination, options);
    let overhead = overhead::line(&examination.overhead);
    columns(page, &rules, &overhead);
    if options.details {
        not_checked(page, &examination.not_checked);
        if !examination.errors.is_empty() {
            page.gap();
            page.paragraph(
                &[(Ink::Yellow, "Not everything could be read; the rest was read:".to_owned())],
                2,
            );
            listed(page, errors(&examination.errors));
        }
    }
}

/// `Info: run queue (10 s, follows from 1), 4 more`
fn information(page: &mut Page, examination: &Examination, options: &TextOptions) {
    let all: Vec<_> = numbered(examination).filter(|(_, group)| group.severity == Severity::Info).collect();
    let Some((_, first)) = all.first() else { return };
    let follows = causes(examination, first).first().map(|(number, _)| format!("follows from {number}"));
    let known: Vec<String> =
        [amount(first)].into_iter().filter(|text| !text.is_empty()).chain(follows).collect();
    let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
    let more = match all.len() - 1 {
        0 => String::new(),
        more => format!(", {} more", count(more as i64)),
    };
    let left = format!("Info: {}{known}{more}", short_name(&first.id));
    columns(page, &left, &with_sudo("heldup -v", options));
}

/// What another user's tasks do is not to be seen without root.
fn not_seen(page: &mut Page, examination: &Examination, options: &TextOptions) {
    let needs_root = |how: &str| how.contains("root");
    let rules = examination.not_checked.iter().filter(|one| needs_root(&one.how)).count();
    // Root sees them already; what is denied to it stands in `doctor`.
    let is_root = options.sudo;
    if is_root || examination.host.source != "live" || examination.host.method == Method::Ebpf || rules == 0 {
        return;
    }
    let all = examination.ruled_out.len() + examination.not_checked.len() + found_rules(examination);
    let line = format!("{rules} of {all} rules not checked; what other users' processes wait for.");
    page.paragraph(
        &[
            (Ink::Yellow, "NOT\u{a0}SEEN\u{a0}\u{a0}".to_owned()),
            (Ink::Plain, line + " sudo\u{a0}heldup sees them"),
        ],
        10,
    );
}

fn found_rules(examination: &Examination) -> usize {
    let mut ids: Vec<&str> = examination.findings.iter().map(|finding| finding.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

/// `69 ruled out, 19 not checked: heldup doctor`. On a machine nobody misses rules about reports of databases.
fn rules(examination: &Examination, options: &TextOptions) -> String {
    let is_live = examination.host.source == "live" && !options.details;
    let not_checked =
        examination.not_checked.iter().filter(|one| !(is_live && one.id.starts_with(DATABASES))).count();
    let ruled_out = format!("{} ruled out", count(examination.ruled_out.len() as i64));
    match not_checked {
        0 => ruled_out,
        _ => format!("{ruled_out}, {} not checked: heldup\u{a0}doctor", count(not_checked as i64)),
    }
}

/// Two texts on one line where they fit, the second at its end.
fn columns(page: &mut Page, left: &str, right: &str) {
    let (left, right) = (page.safe(left), page.safe(right));
    let used = left.width() + right.width() + 2;
    match page.width().checked_sub(used) {
        Some(room) => {
            let gap = "\u{a0}".repeat(room + 2);
            page.row(&[(Ink::Plain, left), (Ink::Dim, gap + &right)]);
        }
        None => {
            page.paragraph(&[(Ink::Plain, left)], 2);
            page.paragraph(&[(Ink::Dim, right)], 2);
        }
    }
}

/// Rules that lack the same thing are one note.
fn not_checked(page: &mut Page, all: &[NotChecked]) {
    let merged = merged(all);
    if merged.is_empty() {
        return;
    }
    page.gap();
    page.paragraph(&[(Ink::Plain, "Not checked:".to_owned())], 2);
    let note = |(first, ids): &(&NotChecked, Vec<&str>)| {
        let how = if first.how.is_empty() { String::new() } else { format!(" ({})", first.how) };
        format!("  {}: {}{how}", ids.join(", "), first.missing)
    };
    listed(page, merged.iter().map(note).collect());
}

/// What rules lack, and the ids of those that lack it, the most first.
pub(crate) fn merged(all: &[NotChecked]) -> Vec<(&NotChecked, Vec<&str>)> {
    let mut merged: Vec<(&NotChecked, Vec<&str>)> = Vec::new();
    for one in all {
        match merged.iter_mut().find(|(first, _)| first.missing == one.missing && first.how == one.how) {
            Some((_, ids)) => ids.push(&one.id),
            None => merged.push((one, vec![&one.id])),
        }
    }
    merged.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    merged
}

/// The same trouble in many places (a file of each process) is one note.
pub(crate) fn errors(all: &[ErrorNote]) -> Vec<String> {
    let mut merged: Vec<(&ErrorNote, usize)> = Vec::new();
    for one in all {
        match merged.iter_mut().find(|(first, _)| first.what == one.what) {
            Some((_, places)) => *places += 1,
            None => merged.push((one, 1)),
        }
    }
    let places = |number: usize| match number {
        1 => String::new(),
        _ => format!(" and {} more", count(number as i64 - 1)),
    };
    merged
        .iter()
        .map(|(first, number)| format!("  {}{}: {}", first.place, places(*number), first.what))
        .collect()
}

fn listed(page: &mut Page, notes: Vec<String>) {
    for note in notes.iter().take(MOST_NOTES) {
        page.paragraph(&[(Ink::Dim, note.clone())], 4);
    }
    let left = notes.len().saturating_sub(MOST_NOTES);
    if left > 0 {
        page.paragraph(&[(Ink::Dim, format!("  and {} more, in --json", count(left as i64)))], 4);
    }
}
