//! What was checked and what was not: rules that were ruled out, rules that lack data and what would supply it, what
//! could not be read, and the files of a recording.

use heldup_model::{ErrorNote, Examination, FileSummary};

use super::counted;
use super::writer::{Cell, Html, wide, words};
use crate::TextOptions;
use crate::quantity::count;
use crate::text::closing::{errors, merged};
use crate::text::files::{from, span, within};

/// Notes that are listed.
const MOST_NOTES: usize = 60;
/// Files that are listed.
const MOST_FILES: usize = 60;

/// Writes it.
pub(super) fn write(html: &mut Html, examination: &Examination, options: &TextOptions) {
    html.put("h2", "", "What was checked");
    html.open("div", &[("id", "ruled-out")]);
    let ruled_out = counted(examination.ruled_out.len(), "rule ruled out", "rules ruled out");
    if !examination.ruled_out.is_empty() {
        html.open_details(&ruled_out, false);
        let row = |rule: &heldup_model::RuledOut| -> Vec<Cell> {
            vec![Cell::Code(rule.id.clone()), rule.why.as_str().into()]
        };
        let rows = examination.ruled_out.iter().map(row).collect();
        html.table("Rules that were ruled out", &[words("rule"), words("what was checked")], rows);
        html.close("details");
    } else {
        html.put("p", "", &ruled_out);
    }
    html.close("div");
    html.open("div", &[("id", "not-checked")]);
    let not_checked = counted(examination.not_checked.len(), "rule not checked", "rules not checked");
    if !examination.not_checked.is_empty() {
        html.open_details(&not_checked, true);
        let row = |(first, ids): &(&heldup_model::NotChecked, Vec<&str>)| -> Vec<Cell> {
            vec![first.missing.as_str().into(), first.how.as_str().into(), ids.join(", ").into()]
        };
        let rows = merged(&examination.not_checked).iter().map(row).collect();
        let columns = [words("missing"), words("what would supply it"), words("rules")];
        html.table("Rules that were not checked, and why", &columns, rows);
        html.close("details");
    } else {
        html.put("p", "", &not_checked);
    }
    html.close("div");
    unread(html, &examination.errors);
    files(html, &examination.files, &examination.host.source, options);
}

/// What could not be read.
pub(super) fn unread(html: &mut Html, all: &[ErrorNote]) {
    if all.is_empty() {
        return;
    }
    html.open_details("Not everything could be read; the rest was read", false);
    listed(html, &errors(all));
    html.close("details");
}

/// Notes as a list.
pub(super) fn listed(html: &mut Html, all: &[String]) {
    html.open("ul", &[]);
    all.iter().take(MOST_NOTES).for_each(|note| html.put("li", "", note.trim()));
    if let Some(more) = all.len().checked_sub(MOST_NOTES).filter(|more| *more > 0) {
        html.put("li", "", &format!("{} more, in --json", count(more as i64)));
    }
    html.close("ul");
}

/// What each file was, and what was assumed.
fn files(html: &mut Html, all: &[FileSummary], source: &str, options: &TextOptions) {
    if all.is_empty() {
        return;
    }
    html.put("h2", "", "What was read");
    let row = |file: &FileSummary| -> Vec<Cell> {
        let when = match (span(file, options), from(file, options)) {
            (Some((from, to)), _) => format!("{from} until {to}"),
            (None, Some(from)) => format!("from {from}"),
            (None, None) if file.known => "time not recorded".to_owned(),
            (None, None) => String::new(),
        };
        let number = |lines: u64| count(i64::try_from(lines).unwrap_or(i64::MAX));
        let lines = match file.known && file.lines > 0 {
            true => format!("{} of {}", number(file.lines_read), number(file.lines)),
            false => String::new(),
        };
        vec![within(&file.file, source).into(), file.what.as_str().into(), when.into(), lines.into()]
    };
    let rows = all.iter().take(MOST_FILES).map(row).collect();
    let caption = match all.len() > MOST_FILES {
        true => format!("{MOST_FILES} of {} files; the others are in --json", all.len()),
        false => "Files".to_owned(),
    };
    html.table(&caption, &[words("file"), words("what"), words("when"), wide("lines")], rows);
    let mut notes: Vec<String> = Vec::new();
    for note in all.iter().flat_map(|file| &file.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    if !notes.is_empty() {
        let plural = if notes.len() == 1 { "note" } else { "notes" };
        html.open_details(&format!("{} {plural} on what was assumed or not read", notes.len()), true);
        listed(html, &notes);
        html.close("details");
    }
}
