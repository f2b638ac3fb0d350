//! A table of CPUs without times: what `mpstat` printed of one interval, as people put it into a
//! report. With times it is read by `sar`.

use heldup_model::Record;
use heldup_model::tables::{CpuRow, SystemRow};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::sysstat::sar_fields::SECTIONS;
use crate::table::columns::{Around, Layout};
use crate::table::sheets::{Key, When};
use crate::text::number::{Cell, cell};

const NAME: &str = "mpstat";

/// Reads tables of CPUs.
#[derive(Default)]
pub struct MpstatTable {
    table: Option<Table>,
}

struct Table {
    layout: Layout,
    headings: Vec<String>,
    when: When,
    rows: u64,
    last_line: u64,
}

impl Importer for MpstatTable {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(fields) = fields(line.words) else { return Ok(false) };
        self.end(document)?;
        document.begin(NAME);
        let secs = document.interval_s(NAME);
        let layout = Layout::of(line.words, fields);
        let headings = line.words.iter().map(|word| (*word).to_owned()).collect();
        let when = document.floating(Some(secs));
        self.table = Some(Table { layout, headings, when, rows: 0, last_line: line.number });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if fields(line.words).is_some() {
            return self.begins(line, document);
        }
        let Some(table) = self.table.as_mut().filter(|table| line.number <= table.last_line + 3) else {
            return Ok(false);
        };
        let name = line.words.first().copied().unwrap_or("");
        let key = match name.parse() {
            Ok(number) => Key::Number(number),
            Err(_) if name == "all" => Key::All,
            Err(_) => return Ok(false),
        };
        let cells: Vec<Cell> = line.words.iter().map(|word| cell(word)).collect();
        let numbers = cells.iter().skip(1).filter(|cell| **cell != Cell::Words).count();
        if cells.len() != table.layout.width || numbers + 1 < table.layout.width {
            let what = format!("mpstat: {numbers} numbers; expected {}", table.headings.join(" "));
            document.flaw(line.number, what);
            return Ok(true);
        }
        table.last_line = line.number;
        table.rows += 1;
        let cpus = document.cpus().unwrap_or(1) as f64;
        table.layout.write(&cells, Around { when: table.when, key, cpus }, &mut document.sheets);
        let interrupts = table.headings.iter().position(|heading| heading == "intr/s");
        let rate = interrupts.and_then(|at| cells.get(at)).and_then(|cell| cell.value());
        if let (Key::All, Some(rate), Some(secs)) = (key, rate, table.when.secs) {
            put(document, SystemRow::DEF, table.when, "", &[("interrupts", Put::Number(Some(rate * secs)))]);
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl MpstatTable {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.table.take().filter(|table| table.rows > 0) {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

/// What the headings of such a table mean.
fn fields(words: &[&str]) -> Option<&'static [crate::table::columns::Field]> {
    let is_heading = |word: &&str| word.starts_with('%') || word.ends_with("/s");
    let is_table =
        words.first() == Some(&"CPU") && words.contains(&"%idle") && words.iter().skip(1).all(is_heading);
    let of_cpus = |section: &&crate::sysstat::sar_fields::Section| {
        section.told_by.contains(&"%idle")
            && section.fields.iter().any(|field| field.table.name == CpuRow::DEF.name)
    };
    if is_table { SECTIONS.iter().find(of_cpus).map(|section| section.fields) } else { None }
}
