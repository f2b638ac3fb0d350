//! The end: what could not be checked and why, what went wrong, the overhead.

use heldup_model::{ErrorNote, Examination, Unchecked};

use crate::layout::{Ink, Page};
use crate::overhead;
use crate::quantity::count;

/// Notes of one kind that are written out; the JSON has all of them.
const MOST_NOTES: usize = 4;

/// Writes what there is to say.
pub(crate) fn write(page: &mut Page, examination: &Examination) {
    unchecked(page, &examination.unchecked);
    if !examination.errors.is_empty() {
        page.gap();
        page.paragraph(&[(Ink::Yellow, "Could not read everything; the rest was read:".to_owned())], 2);
        listed(page, errors(&examination.errors));
    }
    page.gap();
    page.paragraph(&[(Ink::Dim, overhead::line(&examination.overhead))], 2);
}

/// Rules that lack the same thing are one note.
fn unchecked(page: &mut Page, all: &[Unchecked]) {
    let mut merged: Vec<(&Unchecked, Vec<&str>)> = Vec::new();
    for one in all {
        match merged.iter_mut().find(|(first, _)| first.missing == one.missing && first.how == one.how) {
            Some((_, ids)) => ids.push(&one.id),
            None => merged.push((one, vec![&one.id])),
        }
    }
    if merged.is_empty() {
        return;
    }
    merged.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    page.gap();
    page.paragraph(&[(Ink::Plain, "Could not be checked:".to_owned())], 2);
    let note = |(first, ids): &(&Unchecked, Vec<&str>)| {
        let how = if first.how.is_empty() { String::new() } else { format!(" ({})", first.how) };
        format!("  {}: {}{how}", ids.join(", "), first.missing)
    };
    listed(page, merged.iter().map(note).collect());
}

/// The same trouble in many places (a file of each process) is one note.
fn errors(all: &[ErrorNote]) -> Vec<String> {
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
        page.paragraph(&[(Ink::Dim, format!("  and {} more, in --format json", count(left as i64)))], 4);
    }
}
