//! `vmstat -d`: what each disk did since boot, listed again at each sample; and `vmstat -D`, sums of all
//! disks, for which no table has a place.
//!
//! What it prints as `sec` are whole seconds in which a disk had requests, too coarse to tell how busy
//! it was within an interval: left out.

use heldup_model::Record;
use heldup_model::tables::DiskRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;
use crate::text::civil::{date, time_of_day, zone_offset_s};

const NAME: &str = "vmstat -d";
const SUMS: &str = "vmstat -D";
/// The second line of the headings.
const HEADINGS: [&str; 10] =
    ["total", "merged", "sectors", "ms", "total", "merged", "sectors", "ms", "cur", "sec"];
/// Columns, in the order of the headings, and what a number is multiplied with.
const COLUMNS: [(&str, f64); 8] = [
    ("reads", 1.0),
    ("reads_merged", 1.0),
    ("read_bytes", 512.0),
    ("read_s", 0.001),
    ("writes", 1.0),
    ("writes_merged", 1.0),
    ("write_bytes", 512.0),
    ("write_s", 0.001),
];
/// Requests in flight now.
const IN_FLIGHT: usize = 8;
/// Lines between two of one listing.
const MOST_GAP: u64 = 4;

/// Reads `vmstat -d`.
#[derive(Default)]
pub struct VmstatDisks {
    sample: Option<Sample>,
    totals: Totals,
    zone_s: Option<i64>,
    last_line: u64,
    sums_line: Option<u64>,
}

struct Sample {
    when: When,
    disks: Vec<String>,
}

impl Importer for VmstatDisks {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_announced(line.words) {
            self.last_line = line.number;
            return Ok(true);
        }
        if line.words.starts_with(&HEADINGS) {
            if self.sample.is_none() {
                document.begin(NAME);
                document.note(
                    "vmstat -d counts since boot: the first listing is not used, later ones give increases",
                );
            }
            self.zone_s = line.words.get(HEADINGS.len()).and_then(|word| zone_offset_s(word));
            self.last_line = line.number;
            return Ok(true);
        }
        let is_aligned = line.text.starts_with("    ");
        if is_aligned && matches!(line.words, [count, "disks"] if count.parse::<u64>().is_ok()) {
            document.begin(SUMS);
            document.note("vmstat -D: sums of all disks are not imported (no table for them)");
            self.sums_line = Some(line.number);
            return Ok(true);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        if self.sums_line.is_some_and(|last| line.number <= last + 2) && is_sum(line.words) {
            self.sums_line = Some(line.number);
            return Ok(true);
        }
        if self.last_line == 0 || line.number > self.last_line + MOST_GAP {
            return Ok(false);
        }
        let [name, numbers @ ..] = line.words else { return Ok(false) };
        let values: Vec<f64> =
            numbers.iter().map_while(|word| word.parse::<u64>().ok()).map(|value| value as f64).collect();
        if values.len() < HEADINGS.len() {
            // A name and half of its numbers.
            if values.len() * 2 < HEADINGS.len() {
                return Ok(false);
            }
            let what = format!("vmstat -d: {} numbers of {name}; expected {}", values.len(), HEADINGS.len());
            document.flaw(line.number, what);
            self.last_line = line.number;
            return Ok(true);
        }
        self.last_line = line.number;
        self.row(name, &values, numbers.get(HEADINGS.len()..).unwrap_or_default(), document)?;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.sample.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl VmstatDisks {
    fn row(
        &mut self,
        name: &str,
        values: &[f64],
        after: &[&str],
        document: &mut Document,
    ) -> Result<(), ImportError> {
        let is_next = self.sample.as_ref().is_none_or(|sample| sample.disks.iter().any(|disk| disk == name));
        if is_next {
            let is_first = self.sample.is_none();
            self.ends(document)?;
            let when = self.when(after, is_first, document);
            let when = self.totals.sample(when);
            self.sample = Some(Sample { when, disks: Vec::new() });
        }
        let Some(sample) = self.sample.as_mut() else { return Ok(()) };
        sample.disks.push(name.to_owned());
        let mut cells = Vec::with_capacity(COLUMNS.len() + 1);
        for ((column, factor), value) in COLUMNS.iter().zip(values) {
            let growth = self.totals.growth(&format!("{name} {column}"), *value);
            cells.push((*column, Put::Number(growth.map(|growth| growth * factor))));
        }
        cells.push(("in_flight", Put::Number(values.get(IN_FLIGHT).copied())));
        put_row(document, DiskRow::DEF, sample.when, Key::Name(name), &cells);
        Ok(())
    }

    /// The sample's time: printed behind each row (`-t`), or as far behind the last as the command line says.
    fn when(&self, after: &[&str], is_first: bool, document: &mut Document) -> When {
        let printed = after.first().and_then(|word| date(word, document.times.dates.order));
        let time = after.get(1..).and_then(time_of_day);
        if let (Some(day), Some(time)) = (printed, time) {
            let ms = document.instant_ms(day, time.seconds, self.zone_s);
            return When { ms, secs: None, floats: false };
        }
        let interval_s = document.told_interval_s("vmstat");
        if !is_first && interval_s.is_some() { document.floating(interval_s) } else { document.moment(NAME) }
    }
}

/// `disk- ------------reads------------ …`.
fn is_announced(words: &[&str]) -> bool {
    let dashes = |word: &&str| word.contains("--");
    words.len() >= 4
        && words[0].starts_with("disk")
        && words.iter().skip(1).all(dashes)
        && words[1].contains("reads")
}

/// `15257 total reads`, `0 inprogress IO`, `44 milli spent IO`.
fn is_sum(words: &[&str]) -> bool {
    let [count, label @ ..] = words else { return false };
    let known = ["partitions", "reads", "writes", "sectors", "reading", "writing", "IO", "disks"];
    count.parse::<u64>().is_ok()
        && (1..=3).contains(&label.len())
        && label.last().is_some_and(|last| known.contains(last))
}
