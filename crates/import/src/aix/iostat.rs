//! `iostat` of AIX: the CPUs, also beside asynchronous I/O (`-A`), and the disks, adapters (`-a`), and the long
//! report of each disk (`-D`, `-Dl`).
//!
//! Sums (`Kb_read`) and rates (`Kbps`) of the interval stand side by side, so that a report says how long it was.
//! Of the long report the two lines of a disk, in the driver and at the device, are what was in flight.

use heldup_model::tables::{CpuRow, DiskRow};
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::columns::Amount::{Derived, Rate, Share, Total};
use crate::table::columns::{Around, Field, Layout, field};
use crate::table::sheets::{Key, When};
use crate::text::number::{Cell, cell};

const NAME: &str = "iostat";
const CPU: &TableDef = CpuRow::DEF;
const DISK: &TableDef = DiskRow::DEF;
const KIB: f64 = 1024.0;

/// `tty: tin tout avg-cpu: % user % sys % idle % iowait`.
/// With `-A` `aio: avgc avfc maxg maif maxr` stands for the terminals.
const CPU_FIELDS: [Field; 11] = [
    field("user", CPU, "user_s", Share),
    field("sys", CPU, "system_s", Share),
    field("idle", CPU, "idle_s", Share),
    field("iowait", CPU, "iowait_s", Share),
    field("tin", CPU, "user_s", Derived),
    field("tout", CPU, "user_s", Derived),
    field("avgc", CPU, "user_s", Derived),
    field("avfc", CPU, "user_s", Derived),
    field("maxg", CPU, "user_s", Derived),
    field("maif", CPU, "user_s", Derived),
    field("maxr", CPU, "user_s", Derived),
];

const DISK_FIELDS: [Field; 6] = [
    field("Disks:", DISK, "requests", Derived),
    field("tm_act", DISK, "busy_s", Share),
    field("Kbps", DISK, "read_bytes", Derived),
    field("tps", DISK, "requests", Rate(1.0)),
    field("Kb_read", DISK, "read_bytes", Total(KIB)),
    field("Kb_wrtn", DISK, "write_bytes", Total(KIB)),
];

/// Reads `iostat` of AIX.
#[derive(Default)]
pub struct AixIostat {
    cpu: Option<Layout>,
    disks: Option<Layout>,
    cpu_is_next: bool,
    /// Below headings of an adapter, whose rows are sums over its disks.
    is_adapter: bool,
    report: Report,
    /// A disk of the long report, line by line.
    long: Option<Long>,
    /// Below headings of the long report with a line a disk (`-Dl`).
    is_wide: bool,
    is_later: bool,
    last_line: u64,
}

/// One report, gathered: its interval follows from its sums.
#[derive(Default)]
struct Report {
    cpu: Option<Vec<Cell>>,
    disks: Vec<(String, Vec<Cell>)>,
    long: Vec<Long>,
    stamp: Option<i64>,
}

/// What the long report says of a disk: columns by their group and heading.
#[derive(Default)]
struct Long {
    name: String,
    group: String,
    headings: Vec<String>,
    told: Vec<(String, f64)>,
}

impl Importer for AixIostat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let words = without_percent(line.words);
        let is_cpu = is_cpu_heading(&words);
        let is_disks = is_disk_heading(&words);
        let is_long = long_heading(line.words).is_some();
        if !is_cpu && !is_disks && !is_long && !is_wide_heading(line.words) {
            return Ok(false);
        }
        let is_new = self.last_line == 0 || line.number > self.last_line + 8;
        if is_new {
            self.end_report(document)?;
            document.begin(NAME);
            self.is_later = false;
        }
        self.last_line = line.number;
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let words = without_percent(line.words);
        if is_cpu_heading(&words) {
            if self.report.cpu.is_some() || !self.report.disks.is_empty() {
                self.end_report(document)?;
            }
            let headings: Vec<&str> =
                words.iter().copied().filter(|word| !matches!(*word, "tty:" | "aio:" | "avg-cpu:")).collect();
            let layout = Layout::of(&headings, &CPU_FIELDS);
            document.leave_out(NAME, &layout.unkept);
            self.cpu = Some(layout);
            self.cpu_is_next = true;
            self.last_line = line.number;
            return Ok(true);
        }
        if is_wide_heading(line.words) {
            self.is_wide = true;
            self.last_line = line.number;
            return Ok(true);
        }
        if is_disk_heading(&words) {
            self.is_wide = false;
            self.disks = Some(Layout::of(&words, &DISK_FIELDS));
            self.is_adapter = false;
            self.last_line = line.number;
            return Ok(true);
        }
        if self.last_line == 0 || line.number > self.last_line + 4 {
            return Ok(false);
        }
        // `Vadapter:`, `Adapter: Kbps tps Kb_read Kb_wrtn`, `System: host`: sums over disks that are told too.
        if matches!(words.first(), Some(&("Adapter:" | "Vadapter:" | "System:"))) {
            self.is_adapter = true;
            self.last_line = line.number;
            return Ok(true);
        }
        if std::mem::take(&mut self.cpu_is_next) {
            return Ok(self.take_cpu(line, document));
        }
        if self.is_wide && self.take_wide(line, document)? {
            self.last_line = line.number;
            return Ok(true);
        }
        if self.take_long(line, document)? {
            self.last_line = line.number;
            return Ok(true);
        }
        self.take_disk(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_report(document)
    }
}

impl AixIostat {
    fn take_cpu(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let Some(layout) = &self.cpu else { return false };
        let cells: Vec<Cell> = line.words.iter().map(|word| cell(word)).collect();
        if cells.first().is_none_or(|cell| *cell == Cell::Words) {
            return false;
        }
        self.last_line = line.number;
        if cells.len() != layout.width || cells.contains(&Cell::Words) {
            let what = format!("iostat: {} words below avg-cpu; expected {}", cells.len(), layout.width);
            document.flaw(line.number, what);
            return true;
        }
        self.report.cpu = Some(cells);
        if self.report.stamp.is_none() {
            self.report.stamp = document.stamp_above(line.number);
        }
        true
    }

    fn take_disk(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(layout) = &self.disks else { return Ok(false) };
        let (width, words) = (layout.width, line.words);
        let numbers = words.iter().skip(1).filter(|word| matches!(cell(word), Cell::Value(_))).count();
        let Some(name) = words.first().filter(|name| matches!(cell(name), Cell::Words)) else {
            return Ok(false);
        };
        if self.is_adapter {
            let is_row = numbers + 1 == words.len() && numbers >= 3;
            self.last_line = if is_row { line.number } else { self.last_line };
            return Ok(is_row);
        }
        if words.len() != width || numbers + 1 != width {
            let is_row = numbers + 1 == words.len() && numbers >= 2;
            if is_row {
                document.flaw(line.number, format!("iostat: {numbers} numbers; expected {}", width - 1));
                self.last_line = line.number;
            }
            return Ok(is_row);
        }
        let name = (*name).to_owned();
        let cells: Vec<Cell> = words.iter().map(|word| cell(word)).collect();
        if self.report.disks.iter().any(|(there, _)| *there == name) {
            self.end_report(document)?;
        }
        self.last_line = line.number;
        self.report.disks.push((name, cells));
        Ok(true)
    }

    /// `hdisk0 xfer: %tm_act bps tps bread bwrtn`, then a line of numbers; `read: rps avgserv …`, and so on.
    fn take_long(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some((name, group, headings)) = long_heading(line.words) {
            if let Some(name) = name {
                self.end_long(document)?;
                self.long = Some(Long { name: name.to_owned(), ..Long::default() });
            }
            let Some(long) = self.long.as_mut() else { return Ok(false) };
            group.clone_into(&mut long.group);
            long.headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
            return Ok(true);
        }
        let Some(long) = self.long.as_mut().filter(|long| !long.headings.is_empty()) else {
            return Ok(false);
        };
        let values: Option<Vec<f64>> = line.words.iter().map(|word| scaled(word)).collect();
        let Some(values) = values else { return Ok(false) };
        if values.len() != long.headings.len() {
            let what = format!("iostat: {} numbers; expected {}", values.len(), long.headings.join(" "));
            document.flaw(line.number, what);
            return Ok(true);
        }
        let headings = std::mem::take(&mut long.headings);
        for (heading, value) in headings.iter().zip(values) {
            long.told.push((format!("{} {heading}", long.group), value));
        }
        Ok(true)
    }

    /// `hdisk0 0.4 16.6K 2.2 …`: a disk of the long report in one line, below two more lines of headings.
    fn take_wide(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((name, values)) = line.words.split_first() else { return Ok(false) };
        let is_rule = line.words.iter().all(|word| word.bytes().all(|byte| byte == b'-'));
        if is_rule || matches!(line.words, ["%tm", "bps", ..] | ["act", ..]) {
            return Ok(true);
        }
        let values: Vec<f64> = values.iter().map_while(|word| scaled(word)).collect();
        if values.is_empty() {
            return Ok(false);
        }
        if values.len() < WIDE.len() {
            let what = format!("iostat: {} numbers of a disk; expected {}", values.len(), WIDE.len());
            document.flaw(line.number, what);
            return Ok(true);
        }
        self.end_long(document)?;
        let told = WIDE.iter().map(|name| (*name).to_owned()).zip(values).collect();
        self.long = Some(Long { name: (*name).to_owned(), told, ..Long::default() });
        Ok(true)
    }

    fn end_long(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(long) = self.long.take().filter(|long| !long.told.is_empty()) else { return Ok(()) };
        if self.report.long.iter().any(|there| there.name == long.name) {
            self.end_report(document)?;
        }
        self.report.long.push(long);
        Ok(())
    }

    fn end_report(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if let Some(long) = self.long.take().filter(|long| !long.told.is_empty()) {
            if self.report.long.iter().any(|there| there.name == long.name) {
                self.write_report(document)?;
            }
            self.report.long.push(long);
        }
        self.write_report(document)
    }

    fn write_report(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let report = std::mem::take(&mut self.report);
        if report.cpu.is_none() && report.disks.is_empty() && report.long.is_empty() {
            return Ok(());
        }
        let is_first = !std::mem::replace(&mut self.is_later, true);
        if is_first {
            document.note("the first report of iostat covers the time since boot: its rates are not used");
        }
        let told = self.disks.as_ref().and_then(|layout| interval_s(layout, &report.disks));
        let secs = (!is_first).then(|| told.unwrap_or_else(|| document.interval_s(NAME)));
        let when = match report.stamp {
            Some(ms) => When { ms, secs, floats: false },
            None => document.floating(secs),
        };
        let cpus = document.cpus().unwrap_or(1) as f64;
        if let (Some(layout), Some(cells)) = (&self.cpu, &report.cpu) {
            layout.write(cells, Around { when, key: Key::All, cpus }, &mut document.sheets);
        }
        if let Some(layout) = &self.disks {
            for (name, cells) in &report.disks {
                layout.write(cells, Around { when, key: Key::Name(name), cpus }, &mut document.sheets);
            }
        }
        for long in &report.long {
            put(document, DISK, when, &long.name, &long.cells(when));
        }
        document.end_sample(NAME)
    }
}

impl Long {
    fn value(&self, name: &str) -> Option<f64> {
        self.told.iter().find(|(there, _)| there == name).map(|(_, value)| *value)
    }

    fn cells(&self, when: When) -> Vec<(&'static str, Put<'_>)> {
        let rate = |name: &str| when.secs.zip(self.value(name)).map(|(secs, value)| value * secs);
        // Milliseconds of a read at the device; how long it waited in the driver is told of both ways together.
        let in_flight =
            self.value("queue avgwqsz").zip(self.value("queue avgsqsz")).map(|(one, two)| one + two);
        vec![
            ("device", Put::Text(&self.name)),
            ("busy_s", Put::Number(rate("xfer %tm_act").map(|percent| percent / 100.0))),
            ("requests", Put::Number(rate("xfer tps"))),
            ("read_bytes", Put::Number(rate("xfer bread"))),
            ("write_bytes", Put::Number(rate("xfer bwrtn"))),
            ("reads", Put::Number(rate("read rps"))),
            ("writes", Put::Number(rate("write wps"))),
            ("queue_s", Put::Number(when.secs.zip(in_flight).map(|(secs, depth)| depth * secs))),
        ]
    }
}

/// What the numbers of a line of `-Dl` are, by the names of `-D`.
const WIDE: [&str; 23] = [
    "xfer %tm_act",
    "xfer bps",
    "xfer tps",
    "xfer bread",
    "xfer bwrtn",
    "read rps",
    "read avgserv",
    "read minserv",
    "read maxserv",
    "read timeouts",
    "read fails",
    "write wps",
    "write avgserv",
    "write minserv",
    "write maxserv",
    "write timeouts",
    "write fails",
    "queue avgtime",
    "queue mintime",
    "queue maxtime",
    "queue avgwqsz",
    "queue avgsqsz",
    "queue sqfull",
];

/// The interval that follows from sums and rates of KB: of the largest, which is told most exactly.
fn interval_s(layout: &Layout, rows: &[(String, Vec<Cell>)]) -> Option<f64> {
    // Disks: tm_act Kbps tps Kb_read Kb_wrtn.
    if layout.width != 6 {
        return None;
    }
    let pairs = rows.iter().filter_map(|(_, cells)| {
        let value = |at: usize| cells.get(at).copied().and_then(Cell::value);
        Some((value(4)? + value(5)?, value(2)?)).filter(|(sum, rate)| *sum > 0.0 && *rate >= 1.0)
    });
    let (sum, rate) = pairs.max_by(|one, two| one.1.total_cmp(&two.1))?;
    let error = 0.05 / rate + 1.0 / sum;
    (error < 0.02).then(|| (sum / rate).round()).filter(|secs| *secs >= 1.0)
}

/// `% user` is one heading in two words.
fn without_percent<'w>(words: &[&'w str]) -> Vec<&'w str> {
    words.iter().copied().filter(|word| *word != "%").map(|word| word.trim_start_matches('%')).collect()
}

fn is_cpu_heading(words: &[&str]) -> bool {
    matches!(words.first(), Some(&("tty:" | "aio:")))
        && words.contains(&"avg-cpu:")
        && words.contains(&"idle")
}

/// `Disks: xfers read write queue`, with `time` where the report says when.
fn is_wide_heading(words: &[&str]) -> bool {
    matches!(words, ["Disks:", "xfers", "read", "write", "queue", ..])
}

fn is_disk_heading(words: &[&str]) -> bool {
    words == ["Disks:", "tm_act", "Kbps", "tps", "Kb_read", "Kb_wrtn"]
}

/// A line of headings of the long report: the disk, where it begins, the group, and the headings.
fn long_heading<'w>(words: &'w [&'w str]) -> Option<(Option<&'w str>, &'w str, &'w [&'w str])> {
    let (name, rest) = match words {
        [name, "xfer:", ..] => (Some(*name), words.get(1..)?),
        ["read:" | "write:" | "queue:", ..] => (None, words),
        _ => return None,
    };
    let (group, headings) = rest.split_first()?;
    let is_known = ["%tm_act", "rps", "wps", "avgtime"].iter().any(|heading| headings.contains(heading));
    is_known.then_some((name, group.trim_end_matches(':'), headings))
}

/// `4.5K`, `1.2M`: letters for thousands of bytes, as AIX prints them.
fn scaled(word: &str) -> Option<f64> {
    if let Cell::Value(value) = cell(word) {
        return Some(value);
    }
    let unit = match word.bytes().next_back()? {
        b'K' => 1024.0,
        b'M' => 1_048_576.0,
        b'G' => 1_073_741_824.0,
        b'S' => 1000.0,
        _ => return None,
    };
    cell(&word[..word.len() - 1]).value().map(|value| value * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::assert_fields;

    #[test]
    fn every_field_has_a_column() {
        assert_fields(&CPU_FIELDS);
        assert_fields(&DISK_FIELDS);
    }

    #[test]
    fn headings_are_told_from_those_of_linux() {
        let words = |line: &'static str| line.split_whitespace().collect::<Vec<_>>();
        assert!(is_cpu_heading(&without_percent(&words(
            "tty: tin tout avg-cpu: % user % sys % idle % iowait"
        ))));
        assert!(is_disk_heading(&without_percent(&words("Disks: % tm_act Kbps tps Kb_read Kb_wrtn"))));
        assert!(!is_cpu_heading(&without_percent(&words("avg-cpu: %user %nice %system %iowait %idle"))));
        assert!(long_heading(&words("hdisk0 xfer: %tm_act bps tps bread bwrtn")).is_some());
        assert!(long_heading(&words("queue: avgtime mintime maxtime avgwqsz avgsqsz sqfull")).is_some());
        assert!(long_heading(&words("read: the manual")).is_none());
    }

    #[test]
    fn the_interval_follows_from_sums() {
        let headings = ["Disks:", "tm_act", "Kbps", "tps", "Kb_read", "Kb_wrtn"];
        let layout = Layout::of(&headings, &DISK_FIELDS);
        let row = |words: &str| words.split_whitespace().map(cell).collect::<Vec<_>>();
        let rows = vec![("hdisk1".to_owned(), row("hdisk1 12.0 410.5 33.0 1200 853"))];
        assert_eq!(interval_s(&layout, &rows), Some(5.0));
        let rows = vec![("hdisk1".to_owned(), row("hdisk1 0.1 0.7 0.0 3 1"))];
        assert_eq!(interval_s(&layout, &rows), None);
    }
}
