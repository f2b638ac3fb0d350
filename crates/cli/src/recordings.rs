//! Recordings of other tools as SOURCE: what each file was, and all of them as one capture.

use std::path::PathBuf;

use anyhow::{Context, bail};
use heldup_import::{FileRead, Import};
use heldup_model::{Capture, FileSummary, FileTable, Flaw};

use crate::WrongUsage;
use crate::examination::rfc3339;

/// Reads files. One that cannot be read, or is of no known tool, is said; where nothing was known
/// of any, that is the error.
pub fn read(paths: &[PathBuf]) -> anyhow::Result<(Capture, Vec<FileSummary>)> {
    let mut summaries = Vec::new();
    let mut imports: Vec<Import> = Vec::new();
    let mut flaws = Vec::new();
    for path in paths {
        match heldup_import::read_file(path) {
            Ok(import) => {
                summaries.push(summary(&import.file)?);
                imports.push(import);
            }
            Err(error) if paths.len() == 1 => return Err(error).context("the recording cannot be read"),
            Err(error) => flaws.push(Flaw { place: path.display().to_string(), what: error.to_string() }),
        }
    }
    let joined = heldup_import::merge(imports).map_err(|hosts| {
        WrongUsage(format!("the files are of several hosts ({}): examine those of one", hosts.join(", ")))
    })?;
    let Some(mut capture) = joined else {
        let said: Vec<String> =
            summaries.iter().map(|file| format!("{}: {}", file.file, file.what)).collect();
        bail!(WrongUsage(format!(
            "{}; expected a kept capture, an archive, or what vmstat, iostat, mpstat, pidstat, sar, sadf or sadc wrote",
            said.join("; ")
        )));
    };
    capture.flaws.extend(flaws);
    Ok((capture, summaries))
}

fn summary(file: &FileRead) -> anyhow::Result<FileSummary> {
    Ok(FileSummary {
        file: file.file.clone(),
        what: file.what.clone(),
        known: file.is_known,
        from: file.span.map(|span| rfc3339(span.since_ms)).transpose()?,
        to: file.span.map(|span| rfc3339(span.until_ms)).transpose()?,
        lines: file.lines,
        lines_read: file.lines_read,
        tables: file
            .rows
            .iter()
            .map(|(table, rows)| FileTable { table: (*table).to_owned(), rows: *rows })
            .collect(),
        notes: file.notes.clone(),
    })
}
