//! What each recording was that was examined: its tools, the span that it covers, what was assumed.

use std::collections::{HashMap, HashSet};

use heldup_model::FileSummary;
use jiff::Timestamp;

use super::TextOptions;
use crate::layout::{Ink, Page};
use crate::quantity::count;

/// A note that so many files share stands once below them all.
const SHARED_BY: usize = 3;

/// So many files are listed without `-v`.
const MOST_FILES: usize = 3;

/// Writes a line for each file of a source, and what is to be known of it.
pub(crate) fn write(page: &mut Page, files: &[FileSummary], source: &str, options: &TextOptions) {
    let shared = shared_notes(files);
    let told = if options.details { files.len() } else { MOST_FILES };
    let is_shared: HashSet<&str> = shared.iter().map(|(note, _)| *note).collect();
    for file in files.iter().take(told) {
        let mut line = match within(&file.file, source) {
            "" => file.what.clone(),
            name => format!("{name}: {}", file.what),
        };
        match span(file, options) {
            Some((from, to)) => line += &format!(", {from} until {to}"),
            None => match from(file, options) {
                Some(from) => line += &format!(", from {from}"),
                None if file.known => line += ", time not recorded",
                None => {}
            },
        }
        if file.known && file.lines > 0 {
            let number = |lines: u64| count(i64::try_from(lines).unwrap_or(i64::MAX));
            line += &format!(" ({} of {} lines)", number(file.lines_read), number(file.lines));
        }
        page.paragraph(&[(Ink::Plain, line)], 2);
        for note in file.notes.iter().filter(|note| options.details && !is_shared.contains(note.as_str())) {
            page.paragraph(&[(Ink::Dim, format!("  {note}"))], 4);
        }
        for name in file.files.iter().filter(|_| options.details) {
            page.paragraph(&[(Ink::Dim, format!("  {name}"))], 4);
        }
    }
    if let Some(more) = files.len().checked_sub(told).filter(|more| *more > 0) {
        let more = count(i64::try_from(more).unwrap_or(i64::MAX));
        let line = format!("and {more} files more, in -v and --json");
        page.paragraph(&[(Ink::Plain, line)], 2);
    }
    if options.details {
        for (note, files) in shared {
            page.paragraph(&[(Ink::Dim, format!("of {files} files: {note}"))], 2);
        }
        return;
    }
    let notes: usize = files.iter().map(|file| file.notes.len()).sum();
    if notes > 0 {
        let plural = if notes == 1 { "note" } else { "notes" };
        let line = format!("{} {plural} on what was assumed or not read: -v", count(notes as i64));
        page.paragraph(&[(Ink::Dim, line)], 2);
    }
}

/// The name of a file below the folder that was asked for.
pub(crate) fn within<'a>(file: &'a str, source: &str) -> &'a str {
    let below = file.strip_prefix(source).and_then(|rest| rest.strip_prefix('/'));
    below.filter(|below| !below.is_empty()).unwrap_or(file)
}

/// Notes of several files, and of how many, in the order in which they are met.
fn shared_notes(files: &[FileSummary]) -> Vec<(&str, usize)> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut notes: Vec<(&str, usize)> = Vec::new();
    for note in files.iter().flat_map(|file| &file.notes) {
        let place = *places.entry(note).or_insert(notes.len());
        if place == notes.len() {
            notes.push((note, 0));
        }
        notes[place].1 += 1;
    }
    notes.retain(|(_, files)| *files >= SHARED_BY);
    notes
}

/// The span, in the zone of the reader; the date of its end only where it is another.
pub(crate) fn span(file: &FileSummary, options: &TextOptions) -> Option<(String, String)> {
    let at = |time: &Option<String>| {
        let time = time.as_ref()?.parse::<Timestamp>().ok()?;
        Some(time.to_zoned(options.time_zone.clone()))
    };
    let (from, to) = (at(&file.from)?, at(&file.to)?);
    let shape = if from.date() == to.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    Some((from.strftime("%Y-%m-%d %H:%M:%S").to_string(), to.strftime(shape).to_string()))
}

/// The beginning alone, where nobody knows the end.
pub(crate) fn from(file: &FileSummary, options: &TextOptions) -> Option<String> {
    let from = file.from.as_ref()?.parse::<Timestamp>().ok()?;
    Some(from.to_zoned(options.time_zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_of_many_files_is_told_once() {
        let with = |notes: &[&str]| FileSummary {
            notes: notes.iter().map(|note| (*note).to_owned()).collect(),
            ..FileSummary::default()
        };
        let files = [with(&["no times", "rounded"]), with(&["no times"]), with(&["no times", "rounded"])];
        assert_eq!(shared_notes(&files), [("no times", 3)]);
        assert!(shared_notes(&files[..2]).is_empty());
    }

    #[test]
    fn of_thousands_of_files_the_first_are_told() {
        let file = |at: usize| FileSummary {
            file: format!("day/{at}"),
            what: "free, 1 sample".to_owned(),
            notes: vec![format!("a note of {}", at % 20)],
            ..FileSummary::default()
        };
        let files: Vec<FileSummary> = (0..2000).map(file).collect();
        let lines = |details: bool| {
            let mut page = Page::new(80, false, false);
            write(&mut page, &files, "day", &TextOptions { details, ..TextOptions::default() });
            page.finish()
        };
        let (short, long) = (lines(false), lines(true));
        assert_eq!(short.lines().count(), MOST_FILES + 2, "{short}");
        assert!(short.contains("\nand 1,997 files more, in -v and --json\n"), "{short}");
        assert!(short.contains("2,000 notes on what was assumed or not read: -v"), "{short}");
        assert!(long.contains("of 100 files: a note of 0"), "{long}");
        assert_eq!(long.lines().count(), 2000 + 20);
    }

    #[test]
    fn names_are_those_within_the_folder() {
        assert_eq!(within("/srv/report/sos/free", "/srv/report"), "sos/free");
        assert_eq!(within("/srv/reports/free", "/srv/report"), "/srv/reports/free");
        assert_eq!(within("vmstat.txt", "vmstat.txt"), "vmstat.txt");
    }
}
