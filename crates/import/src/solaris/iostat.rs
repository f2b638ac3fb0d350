//! `iostat` of Solaris: extended statistics (`-x`, `-xn`, with `-t`, `-c` and `-e`), and what it says of devices
//! with `-E`.
//!
//! `wait` is the line in the driver, `actv` what the device has at once: together they are what was in flight. The
//! first report is of the time since boot.

use std::collections::HashSet;

use heldup_model::tables::{CpuRow, DiskRow};
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::columns::Amount::{Derived, Rate, Share};
use crate::table::columns::{Around, Field, Layout, field};
use crate::table::sheets::{Key, When};
use crate::text::number::{Cell, cell};

const NAME: &str = "iostat";
const CPU: &TableDef = CpuRow::DEF;
const DISK: &TableDef = DiskRow::DEF;
const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

const FIELDS: [Field; 23] = [
    field("r/s", DISK, "reads", Rate(1.0)),
    field("w/s", DISK, "writes", Rate(1.0)),
    field("kr/s", DISK, "read_bytes", Rate(KIB)),
    field("kw/s", DISK, "write_bytes", Rate(KIB)),
    field("Kr/s", DISK, "read_bytes", Rate(KIB)),
    field("Kw/s", DISK, "write_bytes", Rate(KIB)),
    field("Mr/s", DISK, "read_bytes", Rate(MIB)),
    field("Mw/s", DISK, "write_bytes", Rate(MIB)),
    field("wait", DISK, "queue_s", Rate(1.0)),
    field("actv", DISK, "queue_s", Rate(1.0)),
    field("%b", DISK, "busy_s", Share),
    field("%w", DISK, "busy_s", Derived),
    field("svc_t", DISK, "queue_s", Derived),
    field("wsvc_t", DISK, "queue_s", Derived),
    field("asvc_t", DISK, "queue_s", Derived),
    field("device", DISK, "queue_s", Derived),
    field("disk", DISK, "queue_s", Derived),
    field("tin", DISK, "queue_s", Derived),
    field("tout", DISK, "queue_s", Derived),
    field("us", CPU, "user_s", Share),
    field("sy", CPU, "system_s", Share),
    field("wt", CPU, "iowait_s", Share),
    field("id", CPU, "idle_s", Share),
];

/// Headings of the terminal and the CPUs, which stand in the first row of a report only.
const OF_HOST: [&str; 6] = ["tin", "tout", "us", "sy", "wt", "id"];

/// Reads `iostat` of Solaris.
#[derive(Default)]
pub struct SolarisIostat {
    run: Option<Run>,
    device: Option<(When, String)>,
}

struct Run {
    headings: Vec<String>,
    /// Of devices, without what is of the host.
    devices: Layout,
    host: Layout,
    name_at: usize,
    when: Option<When>,
    seen: HashSet<String>,
    is_first: bool,
    last_line: u64,
    last_ms: Option<i64>,
}

impl Importer for SolarisIostat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(name) = described(line.words) {
            return Ok(self.describe(name, document));
        }
        let Some(name_at) = device_heading(line.words) else { return Ok(false) };
        let is_same = self.run.as_ref().is_some_and(|run| {
            run.headings.iter().map(String::as_str).eq(line.words.iter().copied())
                && line.number <= run.last_line + 6
        });
        if let Some(run) = self.run.as_mut().filter(|_| is_same) {
            run.end_report(document)?;
            run.begin_report(line.number, document);
            return Ok(true);
        }
        self.ends(document)?;
        document.begin(NAME);
        let (host, devices): (Vec<&str>, Vec<&str>) =
            line.words.iter().copied().partition(|word| OF_HOST.contains(word));
        let devices = Layout::of(&devices, &FIELDS);
        document.leave_out(NAME, &devices.unkept);
        let mut run = Run {
            headings: line.words.iter().map(|word| (*word).to_owned()).collect(),
            devices,
            host: Layout::of(&host, &FIELDS),
            name_at,
            when: None,
            seen: HashSet::new(),
            is_first: true,
            last_line: line.number,
            last_ms: None,
        };
        run.begin_report(line.number, document);
        self.run = Some(run);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if described(line.words).is_some() || device_heading(line.words).is_some() {
            return self.begins(line, document);
        }
        if let Some((when, device)) = &self.device
            && let Some(cells) = description(line.words, line.text)
        {
            let cells: Vec<(&str, Put<'_>)> =
                cells.iter().map(|(column, cell)| (*column, cell.put())).collect();
            put(document, DISK, *when, device, &cells);
            return Ok(true);
        }
        let Some(run) = self.run.as_mut().filter(|run| line.number <= run.last_line + 4) else {
            return Ok(false);
        };
        if matches!(line.words, ["extended", "device" | "disk", "statistics", ..]) {
            return Ok(true);
        }
        run.take(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if self.device.take().is_some() {
            document.end_sample(NAME)?;
        }
        match self.run.take() {
            Some(mut run) => run.end_report(document),
            None => Ok(()),
        }
    }
}

impl SolarisIostat {
    fn describe(&mut self, name: &str, document: &mut Document) -> bool {
        if self.device.is_none() {
            document.begin(NAME);
        }
        let when = match &self.device {
            Some((when, _)) => *when,
            None => document.floating(None),
        };
        document.leave_out(NAME, &["Soft, Hard and Transport Errors since boot".to_owned()]);
        put(document, DISK, when, name, &[("device", Put::Text(name))]);
        self.device = Some((when, name.to_owned()));
        true
    }
}

impl Run {
    fn begin_report(&mut self, line: u64, document: &mut Document) {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if is_first {
            document.note("the first report of iostat covers the time since boot: its rates are not used");
        }
        let when = match document.stamp_above(line) {
            Some(ms) => {
                let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
                When { ms, secs: since.filter(|secs| *secs > 0.0 && !is_first), floats: false }
            }
            None => {
                let interval = (!is_first).then(|| document.interval_s(NAME));
                document.floating(interval)
            }
        };
        self.when = Some(when);
        self.last_line = line;
        self.seen.clear();
    }

    fn end_report(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.when.take() {
            Some(_) if !self.seen.is_empty() => document.end_sample(NAME),
            _ => Ok(()),
        }
    }

    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let host_width = self.host.width;
        let width = self.devices.width;
        let words = line.words;
        let name_at = if self.name_at == 0 { 0 } else { words.len().saturating_sub(1) };
        let Some(name) = words.get(name_at).copied() else { return Ok(false) };
        let numbers = words.iter().filter(|word| matches!(cell(word), Cell::Value(_))).count();
        if numbers + 1 < words.len() || (words.len() != width && words.len() != width + host_width) {
            let is_row = numbers >= 3 && (self.seen.contains(name) || numbers + 1 == words.len());
            if is_row {
                let what = format!("iostat: {numbers} numbers; expected {}", self.headings.join(" "));
                document.flaw(line.number, what);
                self.last_line = line.number;
            }
            return Ok(is_row);
        }
        if self.seen.contains(name) {
            // Of a listing that was filtered nothing but the rows is left.
            self.end_report(document)?;
            self.begin_report(line.number, document);
        }
        let Some(when) = self.when else { return Ok(false) };
        self.last_line = line.number;
        self.seen.insert(name.to_owned());
        let cpus = document.cpus().unwrap_or(1) as f64;
        let (own, host) = words.split_at(width.min(words.len()));
        let cells: Vec<Cell> = own.iter().map(|word| cell(word)).collect();
        let around = Around { when, key: Key::Name(name), cpus };
        self.devices.write(&cells, around, &mut document.sheets);
        if !host.is_empty() {
            let cells: Vec<Cell> = host.iter().map(|word| cell(word)).collect();
            self.host.write(&cells, Around { when, key: Key::All, cpus }, &mut document.sheets);
        }
        Ok(true)
    }
}

/// Where the device's name stands: `device r/s w/s kr/s kw/s wait actv …`, or at the end with `-n`.
fn device_heading(words: &[&str]) -> Option<usize> {
    let name = words.iter().position(|word| matches!(*word, "device" | "disk"))?;
    let has = |heading: &str| words.contains(&heading);
    let is_end = name == 0 || name + 1 == words.len();
    (is_end && has("r/s") && has("w/s") && has("actv") && has("%b")).then_some(name)
}

/// `sd0 Soft Errors: 0 Hard Errors: 3 Transport Errors: 0`: the device.
fn described<'w>(words: &[&'w str]) -> Option<&'w str> {
    match words {
        [name, "Soft", "Errors:", _, "Hard", "Errors:", ..] => Some(name),
        _ => None,
    }
}

/// A cell of what `-E` says.
enum DiskFact {
    Number(f64),
    Text(String),
}

impl DiskFact {
    fn put(&self) -> Put<'_> {
        match self {
            DiskFact::Number(number) => Put::Number(Some(*number)),
            DiskFact::Text(text) => Put::Text(text),
        }
    }
}

/// `Vendor: HITACHI Product: H101414SCSUN146G Revision: …`, `Size: 146.80GB <146800115712 bytes>`, and lines of
/// errors, of which no column takes any.
fn description(words: &[&str], text: &str) -> Option<Vec<(&'static str, DiskFact)>> {
    match words {
        ["Vendor:", ..] => {
            let product = text.split("Product:").nth(1)?.split("Revision:").next()?.trim();
            Some(vec![("label_name", DiskFact::Text(product.to_owned()))])
        }
        ["Size:", ..] => {
            let bytes = text.split('<').nth(1)?.split_whitespace().next()?.parse::<f64>().ok();
            Some(
                bytes
                    .filter(|bytes| *bytes > 0.0)
                    .map(|bytes| ("size_bytes", DiskFact::Number(bytes)))
                    .into_iter()
                    .collect(),
            )
        }
        ["Model:", ..] | ["Media", "Error:", ..] | ["Illegal", "Request:", ..] | ["RPM:", ..] => {
            Some(Vec::new())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::assert_fields;

    #[test]
    fn every_field_has_a_column() {
        assert_fields(&FIELDS);
    }

    #[test]
    fn headings_are_told_from_those_of_linux() {
        let check = |line: &str| device_heading(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(check("r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device"), Some(10));
        assert_eq!(
            check("device       r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b  tin tout us sy wt id"),
            Some(0)
        );
        assert_eq!(check("disk  r/s w/s Kr/s Kw/s wait actv  svc_t  %w %b"), Some(0));
        assert_eq!(check("Device r/s w/s rkB/s wkB/s await %util"), None);
        assert_eq!(check("the device r/s and w/s"), None);
    }
}
