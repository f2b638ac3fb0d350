//! Recordings of other tools as SOURCE: what each file was, and all of them as one capture.

use std::path::PathBuf;

use heldup_import::{FileRead, Import, Limits, Merged, UNKNOWN_HOST as UNKNOWN, merge, read_paths};
use heldup_model::{Capture, FileSummary, FileTable, Flaw, TimeSource, Timing};
use jiff::tz::TimeZone;

use crate::error::{EngineError, Result};
use crate::nearest;
use crate::times::rfc3339;

/// Recordings, read.
pub struct Read {
    /// Their tables.
    pub capture: Capture,
    /// What each file was.
    pub files: Vec<FileSummary>,
    /// The zone of the times in the files, where all have one.
    pub zone: Option<TimeZone>,
}

/// So many files of no known tool have a line each; more are summed up.
const MOST_UNKNOWN: usize = 3;
/// Names that are kept of them.
const MOST_NAMES: usize = 20_000;
/// Errors that are told where nothing could be read.
const MOST_ERRORS: usize = 5;

/// Reads files and folders. What cannot be read, or is of no known tool, is said; where nothing was known
/// of any, that is the error.
/// Of several hosts the one that is asked for is read.
pub fn read(paths: &[PathBuf], host: Option<&str>) -> Result<Read> {
    let mut bundle = read_paths(paths, &Limits::default());
    if let Some(host) = host {
        only_host(&mut bundle.imports, host)?;
    }
    let zone = one_zone(bundle.imports.iter().map(|import| &import.file).filter(|file| file.is_known));
    let merged = merge(&mut bundle.imports)?;
    let mut summaries: Vec<FileSummary> =
        bundle.imports.iter().map(|import| summary(&import.file)).collect::<Result<_, _>>()?;
    summaries.extend(unknown(bundle.unknown)?);
    summaries.extend(bundle.notes.into_iter().map(|what| FileSummary { what, ..FileSummary::default() }));
    let mut capture = match merged {
        Merged::One(capture) => *capture,
        Merged::Nothing => return Err(EngineError::usage(nothing(&summaries, &bundle.flaws))),
        Merged::Hosts(hosts) => {
            return Err(EngineError::usage(format!(
                "the files are of several hosts ({}): choose one with --host",
                hosts.join(", ")
            )));
        }
    };
    capture.flaws.extend(bundle.flaws);
    Ok(Read { capture, files: summaries, zone })
}

/// The zone that the times of all files are in.
fn one_zone<'f>(mut files: impl Iterator<Item = &'f FileRead>) -> Option<TimeZone> {
    let mut found: Option<&TimeZone> = None;
    let is_one = files.all(|file| match (&file.zone, found) {
        (Some(zone), Some(before)) => zone == before,
        (zone, _) => {
            found = found.or(zone.as_ref());
            true
        }
    });
    found.filter(|_| is_one).cloned()
}

/// Leaves what is of one host; what names none is of any.
fn only_host(imports: &mut [Import], host: &str) -> Result<()> {
    let of = |import: &Import| import.capture.as_ref().map(|capture| capture.host.clone());
    let mut names: Vec<String> = imports.iter().filter_map(of).filter(|name| name != UNKNOWN).collect();
    names.dedup();
    if !names.is_empty() && !names.iter().any(|name| is_host(name, host)) {
        let names = names.iter().map(String::as_str);
        return Err(nearest::unknown("host", host, names, "heldup FILE"));
    }
    for import in imports {
        import.capture.take_if(|capture| capture.host != UNKNOWN && !is_host(&capture.host, host));
    }
    Ok(())
}

/// Whether a host has a name, with or without its domain.
pub fn is_host(name: &str, asked: &str) -> bool {
    name == asked || name.split('.').next() == Some(asked)
}

/// A line each where they are few, else one for all.
fn unknown(files: Vec<FileRead>) -> Result<Vec<FileSummary>> {
    if files.len() <= MOST_UNKNOWN {
        return files.iter().map(summary).collect();
    }
    let what = format!("{} files of unknown format", files.len());
    let files =
        files.into_iter().take(MOST_NAMES).map(|file| format!("{}: {}", file.file, file.what)).collect();
    Ok(vec![FileSummary { what, files, ..FileSummary::default() }])
}

/// Why there is nothing to examine: of each file what it is and why it cannot be used, errors of the system first.
fn nothing(summaries: &[FileSummary], flaws: &[Flaw]) -> String {
    let of_files: Vec<String> = summaries
        .iter()
        .map(|file| match file.file.as_str() {
            "" => file.what.clone(),
            name => format!("{name}: {}", file.what),
        })
        .collect();
    // What is said of a file already is not said again as its flaw.
    let is_said = |flaw: &&Flaw| of_files.iter().any(|said| said.ends_with(&flaw.what));
    let errors = flaws.iter().filter(|flaw| !is_said(flaw)).take(MOST_ERRORS).map(|flaw| {
        match flaw.what.starts_with(&flaw.place) {
            true => flaw.what.clone(),
            false => format!("{}: {}", flaw.place, flaw.what),
        }
    });
    let mut said: Vec<String> = errors.chain(of_files.iter().cloned()).collect();
    if said.is_empty() {
        said.push("no files".to_owned());
    }
    format!("{} (formats: docs/import.md)", said.join("; "))
}

fn summary(file: &FileRead) -> Result<FileSummary> {
    let Timing { time, has_intervals } = file.timing;
    let span = file.span.filter(|_| time != TimeSource::Unknown);
    Ok(FileSummary {
        file: file.file.clone(),
        what: file.what.clone(),
        known: file.is_known,
        from: span.map(|span| rfc3339(span.since_ms)).transpose()?,
        to: span.filter(|_| has_intervals).map(|span| rfc3339(span.until_ms)).transpose()?,
        lines: file.lines,
        lines_read: file.lines_read,
        tables: file
            .rows
            .iter()
            .map(|(table, rows)| FileTable { table: (*table).to_owned(), rows: *rows })
            .collect(),
        notes: file.notes.clone(),
        files: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(count: usize) -> Vec<FileRead> {
        let file = |at| FileRead {
            file: format!("d/{at}"),
            what: "an empty file".to_owned(),
            ..FileRead::default()
        };
        (0..count).map(file).collect()
    }

    #[test]
    fn many_files_of_no_known_tool_are_one_line_and_keep_their_names() {
        let few = unknown(files(2)).expect("summaries");
        assert_eq!(few.iter().map(|file| file.file.as_str()).collect::<Vec<_>>(), ["d/0", "d/1"]);
        let many = unknown(files(312)).expect("a summary");
        assert_eq!((many.len(), many[0].what.as_str()), (1, "312 files of unknown format"));
        assert_eq!((many[0].files.len(), many[0].files[311].as_str()), (312, "d/311: an empty file"));
        assert!(unknown(Vec::new()).expect("nothing").is_empty());
    }

    #[test]
    fn why_nothing_is_examined_says_what_was_there_and_what_is_expected() {
        let flaw = Flaw { place: "a.gz".to_owned(), what: "a.gz: not there".to_owned() };
        let said = nothing(&unknown(files(1)).expect("a summary"), &[flaw]);
        assert_eq!(said, "a.gz: not there; d/0: an empty file (formats: docs/import.md)");
        assert_eq!(nothing(&[], &[]), "no files (formats: docs/import.md)");
        // A file whose reason is its flaw.
        let file =
            FileRead { file: "sa1".to_owned(), what: "sar: cut off".to_owned(), ..FileRead::default() };
        let flaw = Flaw { place: "sa1, byte 9".to_owned(), what: "sar: cut off".to_owned() };
        let said = nothing(&[summary(&file).expect("a summary")], &[flaw]);
        assert_eq!(said, "sa1: sar: cut off (formats: docs/import.md)");
    }
}
