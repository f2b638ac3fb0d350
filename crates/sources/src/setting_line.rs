//! Table `setting_line`: what the machine's own files assign to settings, and what becomes of it.
//!
//! The files are those of sysctl.d(5), tmpfiles.d(5) and the kernel's command line, read as the
//! programs read them that apply them at boot; which lines this kernel cannot follow is judged by the
//! catalogue of settings.

use heldup_model::tables::SettingLineRow;
use heldup_model::{Missing, Record, RowSet, TableDef};
use heldup_tune::{FileLine, file_lines};

use crate::source::{ReadContext, Reading, Schedule, Source};

/// Reads the files that assign settings.
pub struct SettingLine;

impl Source for SettingLine {
    fn name(&self) -> &'static str {
        "setting_line"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[SettingLineRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::once()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let (lines, unread) = file_lines(host);
        let mut reading = Reading { missing: missing(&unread, lines.is_empty()), ..Reading::default() };
        if !lines.is_empty() {
            reading.rows.push(RowSet::totals(lines.into_iter().enumerate().map(row).collect::<Vec<_>>()));
        }
        reading
    }
}

fn missing(unread: &[String], none: bool) -> Vec<Missing> {
    let (why, how) = match unread.first() {
        Some(first) => (format!("{} could not be read, first {first}", unread.len()), "run as root"),
        None if none => ("no file of this machine assigns a setting".to_owned(), "a line in /etc/sysctl.d"),
        None => return Vec::new(),
    };
    vec![Missing { what: "setting_line".to_owned(), why, how: how.to_owned() }]
}

fn row((at, line): (usize, FileLine)) -> SettingLineRow {
    let key = line.given.key();
    let now_at = line.now_at.map(Into::into);
    SettingLineRow {
        file: Some(line.given.file.into()),
        line: i64::try_from(line.given.line).ok(),
        setting_key: Some(key.into()),
        line_value: Some(line.given.value.into()),
        applied_by: Some(line.given.applier.word().into()),
        applied_order: i64::try_from(at).ok(),
        line_status: Some(line.status.word().into()),
        why: line.why.map(Into::into),
        now_at,
        winner_file: line.winner.as_ref().map(|winner| winner.file.clone().into()),
        winner_line: line.winner.as_ref().and_then(|winner| i64::try_from(winner.line).ok()),
        winner_value: line.winner.map(|winner| winner.value.into()),
    }
}
