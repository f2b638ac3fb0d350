//! `lparstat` of AIX: how much of its CPUs a partition used, and in which mode.
//!
//! `physc` and `%entc` are of the physical processors behind a shared partition, of which no column is. A listing without
//! an interval is of the time since boot, as is no line of one with an interval.

use heldup_model::Record;
use heldup_model::tables::CpuRow;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::columns::Amount::{Derived, Share};
use crate::table::columns::{Around, Field, Layout, field};
use crate::table::sheets::Key;
use crate::text::number::{Cell, cell};

const NAME: &str = "lparstat";

const FIELDS: [Field; 5] = [
    field("%user", CpuRow::DEF, "user_s", Share),
    field("%sys", CpuRow::DEF, "system_s", Share),
    field("%wait", CpuRow::DEF, "iowait_s", Share),
    field("%idle", CpuRow::DEF, "idle_s", Share),
    field("%entc", CpuRow::DEF, "user_s", Derived),
];

/// Reads `lparstat`.
#[derive(Default)]
pub struct Lparstat {
    layout: Option<(Layout, Vec<String>)>,
    /// The row that was read last: a listing of one row alone is of the time since boot.
    held: Option<Vec<Cell>>,
    rows: u64,
    last_line: u64,
}

impl Importer for Lparstat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !line.words.starts_with(&["%user", "%sys", "%wait", "%idle"]) {
            return Ok(false);
        }
        self.ends(document)?;
        document.begin(NAME);
        let layout = Layout::of(line.words, &FIELDS);
        document.leave_out(NAME, &layout.unkept);
        self.layout = Some((layout, line.words.iter().map(|word| (*word).to_owned()).collect()));
        self.rows = 0;
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((layout, headings)) = self.layout.as_ref().filter(|_| line.number <= self.last_line + 3)
        else {
            return Ok(false);
        };
        if line.words.iter().all(|word| word.bytes().all(|byte| byte == b'-')) {
            self.last_line = line.number;
            return Ok(true);
        }
        let cells: Vec<Cell> = line.words.iter().map(|word| cell(word)).collect();
        let numbers = cells.iter().filter(|cell| matches!(cell, Cell::Value(_))).count();
        if numbers == 0 {
            return Ok(false);
        }
        self.last_line = line.number;
        if numbers != layout.width || cells.len() != layout.width {
            let what = format!("lparstat: {numbers} numbers; expected {}", headings.join(" "));
            document.flaw(line.number, what);
            return Ok(true);
        }
        self.rows += 1;
        let before = self.held.replace(cells);
        if let Some(cells) = before {
            self.write(&cells, true, document)?;
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(cells) = self.held.take() else { return Ok(()) };
        let has_interval = self.rows > 1;
        if !has_interval {
            document.note("one row of lparstat covers the time since boot: it is not used");
        }
        self.write(&cells, has_interval, document)?;
        self.layout = None;
        Ok(())
    }
}

impl Lparstat {
    fn write(&self, cells: &[Cell], has_interval: bool, document: &mut Document) -> Result<(), ImportError> {
        let Some((layout, _)) = &self.layout else { return Ok(()) };
        let interval = has_interval.then(|| document.interval_s(NAME));
        let when = document.floating(interval);
        let cpus = document.cpus().unwrap_or(1) as f64;
        layout.write(cells, Around { when, key: Key::All, cpus }, &mut document.sheets);
        document.end_sample(NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_column() {
        crate::table::columns::assert_fields(&FIELDS);
    }
}
