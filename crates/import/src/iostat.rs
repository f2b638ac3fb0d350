//! `iostat` of sysstat in all its generations: `-x` with await or r_await and w_await, sectors, KB
//! and MB, the short form, `--human`, and the CPU block above the devices.
//!
//! A report is gathered before it is written: the interval of one without times is known only from
//! its sums. The first report of a run is of the time since boot and is not judged.

use std::collections::HashSet;

use heldup_model::tables::{CpuRow, DiskRow};
use heldup_model::{Record, TableDef};
use jiff::civil::Date;

use crate::civil::{DateOrder, date, time_of_day, zone_offset_s};
use crate::columns::Amount::{Derived, EachMs, Rate, Share, Total};
use crate::columns::{Around, Field, Layout, field};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::number::Cell;
use crate::sheets::{Key, When};

const NAME: &str = "iostat";
const CPU: &TableDef = CpuRow::DEF;
const DISK: &TableDef = DiskRow::DEF;
const SECTOR: f64 = 512.0;
const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

/// The block of the CPU; `%system` has interrupts in it.
const CPU_FIELDS: [Field; 7] = [
    field("%user", CPU, "user_s", Share),
    field("%nice", CPU, "nice_s", Share),
    field("%system", CPU, "system_s", Share),
    field("%sys", CPU, "system_s", Share),
    field("%iowait", CPU, "iowait_s", Share),
    field("%steal", CPU, "steal_s", Share),
    field("%idle", CPU, "idle_s", Share),
];

/// Devices. What follows from other columns (mean sizes, svctm, shares of merges) is no column.
const DISK_FIELDS: [Field; 54] = [
    field("tps", DISK, "requests", Rate(1.0)),
    field("r/s", DISK, "reads", Rate(1.0)),
    field("w/s", DISK, "writes", Rate(1.0)),
    field("d/s", DISK, "discards", Rate(1.0)),
    field("f/s", DISK, "flushes", Rate(1.0)),
    field("rrqm/s", DISK, "reads_merged", Rate(1.0)),
    field("wrqm/s", DISK, "writes_merged", Rate(1.0)),
    field("drqm/s", DISK, "discards", Derived),
    field("rsec/s", DISK, "read_bytes", Rate(SECTOR)),
    field("wsec/s", DISK, "write_bytes", Rate(SECTOR)),
    field("dsec/s", DISK, "discard_bytes", Rate(SECTOR)),
    field("rkB/s", DISK, "read_bytes", Rate(KIB)),
    field("wkB/s", DISK, "write_bytes", Rate(KIB)),
    field("dkB/s", DISK, "discard_bytes", Rate(KIB)),
    field("rMB/s", DISK, "read_bytes", Rate(MIB)),
    field("wMB/s", DISK, "write_bytes", Rate(MIB)),
    field("dMB/s", DISK, "discard_bytes", Rate(MIB)),
    field("Blk_read/s", DISK, "read_bytes", Rate(SECTOR)),
    field("Blk_wrtn/s", DISK, "write_bytes", Rate(SECTOR)),
    field("Blk_dscd/s", DISK, "discard_bytes", Rate(SECTOR)),
    field("kB_read/s", DISK, "read_bytes", Rate(KIB)),
    field("kB_wrtn/s", DISK, "write_bytes", Rate(KIB)),
    field("kB_dscd/s", DISK, "discard_bytes", Rate(KIB)),
    field("MB_read/s", DISK, "read_bytes", Rate(MIB)),
    field("MB_wrtn/s", DISK, "write_bytes", Rate(MIB)),
    field("MB_dscd/s", DISK, "discard_bytes", Rate(MIB)),
    field("Blk_read", DISK, "read_bytes", Total(SECTOR)),
    field("Blk_wrtn", DISK, "write_bytes", Total(SECTOR)),
    field("Blk_dscd", DISK, "discard_bytes", Total(SECTOR)),
    field("kB_read", DISK, "read_bytes", Total(KIB)),
    field("kB_wrtn", DISK, "write_bytes", Total(KIB)),
    field("kB_dscd", DISK, "discard_bytes", Total(KIB)),
    field("MB_read", DISK, "read_bytes", Total(MIB)),
    field("MB_wrtn", DISK, "write_bytes", Total(MIB)),
    field("MB_dscd", DISK, "discard_bytes", Total(MIB)),
    field("r_await", DISK, "read_s", EachMs(&["r/s"])),
    field("w_await", DISK, "write_s", EachMs(&["w/s"])),
    field("d_await", DISK, "discard_s", EachMs(&["d/s"])),
    field("f_await", DISK, "flush_s", EachMs(&["f/s"])),
    field("avgqu-sz", DISK, "queue_s", Rate(1.0)),
    field("aqu-sz", DISK, "queue_s", Rate(1.0)),
    field("%util", DISK, "busy_s", Share),
    field("await", DISK, "queue_s", Derived),
    field("svctm", DISK, "busy_s", Derived),
    field("avgrq-sz", DISK, "read_bytes", Derived),
    field("areq-sz", DISK, "read_bytes", Derived),
    field("rareq-sz", DISK, "read_bytes", Derived),
    field("wareq-sz", DISK, "write_bytes", Derived),
    field("dareq-sz", DISK, "discard_bytes", Derived),
    field("%rrqm", DISK, "reads_merged", Derived),
    field("%wrqm", DISK, "writes_merged", Derived),
    field("%drqm", DISK, "discards", Derived),
    field("Device", DISK, "reads", Derived),
    field("Device:", DISK, "reads", Derived),
];

/// What both halves of a pair say, the sum and what it is a second: the interval follows.
const SUMS: [(&str, &str); 6] = [
    ("kB_read", "kB_read/s"),
    ("kB_wrtn", "kB_wrtn/s"),
    ("Blk_read", "Blk_read/s"),
    ("Blk_wrtn", "Blk_wrtn/s"),
    ("MB_read", "MB_read/s"),
    ("MB_wrtn", "MB_wrtn/s"),
];

/// Reads `iostat`.
#[derive(Default)]
pub struct Iostat {
    /// Headings of the CPU block that was seen last, whose numbers stand in the next line.
    cpu: Option<Layout>,
    cpu_is_next: bool,
    devices: Option<Devices>,
    report: Report,
    banner_line: u64,
    is_first: bool,
    last_ms: Option<i64>,
    /// Devices of this run: what begins with the name of one is a row, however damaged.
    known: HashSet<String>,
    /// The beginning of a row that goes on in the next line, as it does below a long name (`-N`).
    begun_row: Vec<String>,
}

/// Headings of the devices.
struct Devices {
    headings: Vec<String>,
    /// The same without the sums that repeat the rates, or without the rates that repeat the sums.
    by_rate: Layout,
    by_sum: Layout,
    name: usize,
    unit_bytes: f64,
    sums: Vec<(usize, usize)>,
}

/// One report.
#[derive(Default)]
struct Report {
    stamp: Option<(Option<Date>, i64, Option<i64>)>,
    cpu: Option<Vec<Cell>>,
    rows: Vec<(String, Vec<Cell>)>,
}

impl Report {
    fn is_empty(&self) -> bool {
        self.cpu.is_none() && self.rows.is_empty()
    }
}

impl Importer for Iostat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        // A time between a banner and a report, in a line of its own.
        let is_below_banner = document.banner_line > 0 && line.number <= document.banner_line + 3;
        if let Some(stamp) = stamp(line.words).filter(|_| is_below_banner) {
            self.begin(document)?;
            self.report.stamp = Some(stamp);
            return Ok(true);
        }
        if !is_cpu_heading(line.words) && device_heading(line.words).is_none() {
            return Ok(false);
        }
        self.begin(document)?;
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if document.banner_line != self.banner_line {
            self.begin(document)?;
        }
        if is_cpu_heading(line.words) {
            if !self.report.is_empty() {
                self.write(document)?;
            }
            let headings: Vec<&str> = line.words.iter().skip(1).copied().collect();
            let layout = Layout::of(&headings, &CPU_FIELDS);
            document.leave_out(NAME, &layout.unkept);
            self.cpu = Some(layout);
            self.cpu_is_next = true;
            return Ok(true);
        }
        if let Some(name) = device_heading(line.words) {
            if !self.report.rows.is_empty() {
                self.write(document)?;
            }
            self.cpu_is_next = false;
            self.devices = Some(Devices::of(line.words, name, document));
            return Ok(true);
        }
        if let Some(stamp) = stamp(line.words) {
            self.write(document)?;
            self.report.stamp = Some(stamp);
            return Ok(true);
        }
        if std::mem::take(&mut self.cpu_is_next) {
            return Ok(self.take_cpu(line, document));
        }
        self.take_device(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.write(document)
    }
}

impl Iostat {
    /// A run of the tool begins: below a banner its first report is of the time since boot.
    fn begin(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.write(document)?;
        document.begin(NAME);
        self.is_first = document.banner_line != self.banner_line;
        self.banner_line = document.banner_line;
        self.last_ms = None;
        self.known.clear();
        self.begun_row.clear();
        self.cpu_is_next = false;
        Ok(())
    }

    fn take_cpu(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let Some(layout) = &self.cpu else { return false };
        let cells = layout.cells(line.words, 1.0);
        if cells.first().is_none_or(|cell| *cell == Cell::Words) {
            return false;
        }
        if cells.len() != layout.width || cells.contains(&Cell::Words) {
            let what =
                format!("iostat: {} words below avg-cpu; expected {} numbers", cells.len(), layout.width);
            document.flaw(line.number, what);
            return true;
        }
        self.report.cpu = Some(cells);
        true
    }

    fn take_device(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(devices) = &self.devices else { return Ok(false) };
        let width = devices.headings.len();
        let mut joined = std::mem::take(&mut self.begun_row);
        joined.extend(line.words.iter().map(|word| (*word).to_owned()));
        let joined: Vec<&str> = joined.iter().map(String::as_str).collect();
        let words = if joined.len() == width { joined.as_slice() } else { line.words };
        let cells = devices.by_rate.cells(words, devices.unit_bytes);
        let numbers = cells.iter().filter(|cell| **cell != Cell::Words).count();
        if words.len() != width || numbers + 1 < width {
            let is_row = words.first().is_some_and(|word| self.known.contains(*word));
            let is_begun =
                words.len() < width && numbers + 1 == words.len() && cells.first() == Some(&Cell::Words);
            if is_begun && devices.name == 0 && (is_row || words.len() == 1) {
                self.begun_row = words.iter().map(|word| (*word).to_owned()).collect();
                return Ok(is_row);
            }
            if is_row {
                let what =
                    format!("iostat: {numbers} numbers of {} words; expected {width} columns", words.len());
                document.flaw(line.number, what);
            }
            return Ok(is_row);
        }
        let Some(name) = words.get(devices.name) else { return Ok(false) };
        let name = name.trim_end_matches(':').to_owned();
        // Of a listing that was filtered nothing but the rows is left.
        if self.report.rows.iter().any(|(there, _)| *there == name) {
            self.write(document)?;
        }
        self.known.insert(name.clone());
        self.report.rows.push((name, cells));
        Ok(true)
    }

    /// Writes the report that was gathered.
    fn write(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let report = std::mem::take(&mut self.report);
        if report.is_empty() {
            self.report.stamp = report.stamp;
            return Ok(());
        }
        let is_first = std::mem::replace(&mut self.is_first, false);
        if is_first {
            document.notes.insert(
                "the first report of iostat is of the time since boot: its rates are not judged".to_owned(),
            );
        }
        let told = self.devices.as_ref().and_then(|devices| devices.interval_s(&report.rows));
        let when = self.when(report.stamp, told, is_first, document);
        let cpus = document.cpus().unwrap_or(1) as f64;
        if let (Some(layout), Some(cells)) = (&self.cpu, &report.cpu) {
            layout.write(cells, Around { when, key: Key::All, cpus }, &mut document.sheets);
        }
        if let Some(devices) = &self.devices {
            // Sums are exact where the interval is known by them or by times; else rates are.
            let layout = if told.is_some() { &devices.by_sum } else { &devices.by_rate };
            for (name, cells) in &report.rows {
                layout.write(cells, Around { when, key: Key::Name(name), cpus }, &mut document.sheets);
            }
        }
        document.end_sample(NAME)
    }

    fn when(
        &mut self,
        stamp: Option<(Option<Date>, i64, Option<i64>)>,
        told: Option<f64>,
        is_first: bool,
        document: &mut Document,
    ) -> When {
        let Some((day, seconds, zone)) = stamp else {
            let secs = (!is_first).then(|| told.unwrap_or_else(|| document.interval_s(NAME)));
            return document.floating(secs);
        };
        let day_s = match day {
            Some(day) => crate::civil::midnight_s(day),
            None => document.base_day_s(),
        };
        let local_s = day_s + seconds;
        let ms = (local_s - document.zone_at_s(zone, local_s)) * 1000;
        let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
        let secs = since.filter(|secs| *secs > 0.0 && !is_first);
        When { ms, secs, floats: false }
    }
}

impl Devices {
    fn of(words: &[&str], name: usize, document: &mut Document) -> Devices {
        let is_sum = |word: &str| SUMS.iter().any(|(sum, _)| *sum == word) || word.ends_with("_dscd");
        let is_repeated = |word: &str| word.strip_suffix("/s").is_some_and(|sum| words.contains(&sum));
        let without = |leave: &dyn Fn(&str) -> bool| {
            let fields: Vec<Field> =
                DISK_FIELDS.iter().copied().filter(|field| !leave(field.heading)).collect();
            Layout::of(words, &fields)
        };
        let by_rate = without(&is_sum);
        let by_sum = without(&is_repeated);
        let unkept: Vec<String> =
            by_rate.unkept.iter().filter(|word| by_sum.unkept.contains(word)).cloned().collect();
        document.leave_out(NAME, &unkept);
        let place = |word: &str| words.iter().position(|there| *there == word);
        let sums = SUMS.iter().filter_map(|(sum, rate)| Some((place(sum)?, place(rate)?))).collect();
        let is_mib = words.iter().any(|word| word.contains("MB"));
        let is_sectors = words.iter().any(|word| word.starts_with("Blk_") || word.contains("sec/s"));
        Devices {
            headings: words.iter().map(|word| (*word).to_owned()).collect(),
            by_rate,
            by_sum,
            name,
            unit_bytes: if is_mib {
                MIB
            } else if is_sectors {
                SECTOR
            } else {
                KIB
            },
            sums,
        }
    }

    /// The interval that follows from a sum and its rate: of the largest rate, which is told most
    /// exactly; none below a precision of a hundredth.
    fn interval_s(&self, rows: &[(String, Vec<Cell>)]) -> Option<f64> {
        let pairs = rows.iter().flat_map(|(_, cells)| {
            self.sums.iter().filter_map(|(sum, rate)| {
                let sum = cells.get(*sum).copied().and_then(Cell::value)?;
                let rate = cells.get(*rate).copied().and_then(Cell::value)?;
                (rate >= 0.5 && sum > 0.0).then_some((sum, rate))
            })
        });
        let (sum, rate) = pairs.max_by(|one, other| one.1.total_cmp(&other.1))?;
        // Rates have two digits, sums none: half a unit of the last digit of either.
        let error = 0.005 / rate + 0.5 / sum;
        let exact = sum / rate;
        (error < 0.01).then(|| {
            let hundredths = (exact * 100.0).round() / 100.0;
            if error * exact > 0.05 && (exact - exact.round()).abs() <= error * exact {
                exact.round()
            } else {
                hundredths
            }
        })
    }
}

/// `avg-cpu:  %user %nice …`.
fn is_cpu_heading(words: &[&str]) -> bool {
    words.first() == Some(&"avg-cpu:") && words.contains(&"%user") && words.contains(&"%idle")
}

/// Which heading is that of the device's name, in a line of headings.
fn device_heading(words: &[&str]) -> Option<usize> {
    let name = words.iter().position(|word| matches!(*word, "Device" | "Device:"))?;
    let is_end = name == 0 || name + 1 == words.len();
    let known = |word: &&&str| DISK_FIELDS.iter().any(|field| field.heading == **word);
    let columns = words.iter().filter(known).count();
    let has_rate = words.iter().any(|word| word.ends_with("/s") || *word == "tps");
    (is_end && has_rate && columns >= 4 && columns * 2 > words.len()).then_some(name)
}

/// A line that is a time and nothing else: `Time: 03:16:17 PM`, `03/11/2022 03:16:17 PM`,
/// `2022-03-11T15:16:17+0100`.
fn stamp(words: &[&str]) -> Option<(Option<Date>, i64, Option<i64>)> {
    if let Some((label, rest)) =
        words.split_first().filter(|(label, _)| label.ends_with(':') && label.len() < 12)
    {
        if label.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let time = time_of_day(rest)?;
        return (time.words == rest.len()).then_some((None, time.seconds, None));
    }
    if let [word] = words {
        let (day, time) = word.split_once('T')?;
        let digits = time.get(..8)?;
        let zone = zone_offset_s(time.get(8..)?);
        return Some((Some(date(day, DateOrder::MonthFirst)?), time_of_day(&[digits])?.seconds, zone));
    }
    let (day, rest) = words.split_first()?;
    let day = date(day, DateOrder::MonthFirst)?;
    let time = time_of_day(rest)?;
    let zone = rest.get(time.words).and_then(|word| zone_offset_s(word));
    (rest.len() <= time.words + 1).then_some((Some(day), time.seconds, zone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::assert_fields;

    #[test]
    fn every_field_has_a_column() {
        assert_fields(&CPU_FIELDS);
        assert_fields(&DISK_FIELDS);
    }

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn headings_are_told_from_prose() {
        let check = |line: &str, expect| assert_eq!(device_heading(&words(line)), expect, "{line}");
        check(
            "Device:    rrqm/s wrqm/s   r/s   w/s  rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util",
            Some(0),
        );
        check("Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn", Some(0));
        check("      tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn Device", Some(5));
        check("Device tps kB/s rqm/s await areq-sz aqu-sz %util", Some(0));
        check("Device names that iostat prints, with tps and others", None);
    }

    #[test]
    fn times_stand_alone() {
        let day = Some(Date::constant(2022, 3, 11));
        assert_eq!(stamp(&words("03/11/2022 03:16:17 PM")), Some((day, 54_977, None)));
        assert_eq!(stamp(&words("2022-03-11T15:16:17+0100")), Some((day, 54_977, Some(3600))));
        assert_eq!(stamp(&words("Time: 15:16:17")), Some((None, 54_977, None)));
        assert_eq!(stamp(&words("03:16:17 PM all 1.0")), None);
    }
}
