//! `iostat` of sysstat in all its generations: `-x` with await or r_await and w_await, sectors, KB
//! and MB, the short form, `--human`, and the CPU block above the devices.
//!
//! A report is gathered before it is written: the interval of one without times is known only from
//! its sums. The first report of a run is of the time since boot and is not judged.

use std::collections::HashMap;
use std::mem::take;

use crate::document::{Clock, Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::sysstat::iostat_fields::{CPU_FIELDS, DISK_FIELDS, SUMS};
use crate::sysstat::iostat_report::{Report, Stamped, rows};
use crate::table::columns::{Around, Field, Layout, Row};
use crate::table::sheets::{Key, When};
use crate::text::civil::{DAY_S, DateOrder, date, time_of_day, zone_offset_s};
use crate::text::number::Cell;

const NAME: &str = "iostat";

/// Reads `iostat`.
#[derive(Default)]
pub struct Iostat {
    /// The CPU block that was seen last, whose numbers stand in the line behind its headings.
    cpu: Option<Cpu>,
    cpu_is_next: bool,
    devices: Option<Devices>,
    report: Report<Part>,
    cells: Row,
    banner_line: u64,
    /// Line of the time above the run.
    clock_line: u64,
    is_first: bool,
    last_ms: Option<i64>,
    /// The last time of day without a date, and how many days began since the first.
    last_time_s: Option<i64>,
    days: i64,
    /// Devices of this run, and the report that each was in last: what begins with the name of one is a
    /// row, however damaged.
    known: HashMap<String, u64>,
    reports: u64,
    /// The beginning of a row that goes on in the next line, as it does below a long name (`-N`).
    begun_row: Vec<String>,
    /// Blanks before the headings of the devices.
    indent: usize,
    /// Line of the last heading of devices.
    heading_line: u64,
    /// Its lines have a time of day before them.
    has_times: bool,
}

/// Headings of the CPU block.
struct Cpu {
    headings: Vec<String>,
    layout: Layout,
}

/// Headings of the devices.
struct Devices {
    headings: Vec<String>,
    /// The same without the sums that repeat the rates, or without the rates that repeat the sums.
    by_rate: Layout,
    by_sum: Layout,
    name: usize,
    units: Vec<f64>,
    sums: Vec<(usize, usize)>,
    /// So many of the headings stood in the first of two lines.
    before_break: Option<usize>,
}

/// One of several tables of a report, with its rows as [`Report`] has them.
struct Part {
    devices: Devices,
    names: String,
    ends: Vec<usize>,
    cells: Vec<Cell>,
}

impl Importer for Iostat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        // A time between a banner and a report, in a line of its own.
        let is_below_banner = document.facts.banner_line > 0 && line.number <= document.facts.banner_line + 3;
        let stamp = stamp(line.words, document.times.dates.order).filter(|_| is_below_banner);
        if let Some(stamp) = stamp {
            self.begin(document)?;
            document.took_date(line.words);
            self.report.stamp = Some(stamp);
            return Ok(true);
        }
        let words = behind_time(line.words).map_or(line.words, |(_, words)| words);
        if !is_cpu_heading(words) && device_heading(words).is_none() {
            return Ok(false);
        }
        self.begin(document)?;
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if document.facts.banner_line != self.banner_line || document.clock_line() != self.clock_line {
            self.begin(document)?;
        }
        // The time of day that somebody put before every line.
        let is_heading = |words: &[&str]| is_cpu_heading(words) || device_heading(words).is_some();
        let behind = behind_time(line.words).filter(|(_, words)| self.has_times || is_heading(words));
        if let Some((seconds, words)) = behind {
            self.has_times = true;
            let text = line.text.trim_start().split_at_checked(line.words[0].len() + 1);
            let line = Line { words, text: text.map_or("", |(_, text)| text), ..*line };
            let is_taken = self.take(&line, document)?;
            if is_taken && !self.report.is_empty() {
                self.report.stamp.get_or_insert((None, seconds, None));
            }
            return Ok(is_taken);
        }
        self.take(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.write(document)
    }
}

impl Iostat {
    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_cpu_heading(line.words) {
            if !self.report.is_empty() {
                self.write(document)?;
            }
            if self.cpu.as_ref().is_none_or(|cpu| cpu.headings != line.words) {
                self.cpu = Some(Cpu::of(line.words, document));
            }
            self.cpu_is_next = true;
            self.report.clock = document.clock();
            return Ok(true);
        }
        // The same headings stand above each report.
        let is_same = self.devices.as_ref().is_some_and(|devices| devices.is_headed(line.words));
        if let Some(name) = if is_same { Some(None) } else { device_heading(line.words).map(Some) } {
            if name.is_some_and(|name| self.is_next_part(line.words, name)) {
                self.keep_part();
            } else if !self.report.is_empty_of_devices() {
                self.write(document)?;
            }
            self.cpu_is_next = false;
            if self.report.is_empty() {
                self.report.clock = document.clock();
            }
            if let Some(name) = name {
                self.devices = Some(Devices::of(line.words, name, document));
            }
            self.indent = indent(line.text);
            self.heading_line = line.number;
            return Ok(true);
        }
        if self.goes_on_heading(line, document) {
            return Ok(true);
        }
        // Of file systems of a network, below the devices.
        if line.words.first() == Some(&"Filesystem:") {
            self.devices = None;
            return Ok(false);
        }
        if let Some(stamp) = stamp(line.words, document.times.dates.order) {
            self.write(document)?;
            document.took_date(line.words);
            self.report.stamp = Some(stamp);
            return Ok(true);
        }
        if take(&mut self.cpu_is_next) {
            return Ok(self.take_cpu(line, document));
        }
        if self.is_group(line) {
            document.note("iostat: rows of groups (-g) are sums of devices, and left out");
            document.pass_over();
            return Ok(true);
        }
        if !self.begun_row.is_empty() {
            let begun = take(&mut self.begun_row);
            let words = begun.iter().map(String::as_str).chain(line.words.iter().copied());
            let words: Vec<&str> = words.collect();
            if self.devices.as_ref().is_some_and(|devices| devices.headings.len() == words.len()) {
                return self.take_device(line.number, &words, document);
            }
        }
        self.take_device(line.number, line.words, document)
    }

    /// Whether a heading is of the next of several tables that one report has side by side (`-x --pretty`): names stand
    /// last in them, and the first table's heading begins the next report.
    fn is_next_part(&self, headings: &[&str], name: usize) -> bool {
        let first = self.report.parts.first().map(|part| &part.devices.headings);
        name > 0
            && !self.report.ends.is_empty()
            && self.devices.as_ref().is_some_and(|devices| devices.name > 0)
            && first.is_none_or(|first| first != headings)
    }

    /// Puts the table that was read aside, until its report is over.
    fn keep_part(&mut self) {
        let Some(devices) = self.devices.take() else { return };
        // The next table tells of the same devices.
        self.reports += 1;
        let Report { names, ends, cells, .. } = &mut self.report;
        let (names, ends, cells) = (take(names), take(ends), take(cells));
        self.report.parts.push(Part { devices, names, ends, cells });
    }

    /// Takes the rest of a heading that a mail broke into two lines, whose rows it broke too.
    fn goes_on_heading(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let is_known = |word: &&str| DISK_FIELDS.iter().any(|field| field.heading == *word);
        let Some(devices) = self.devices.as_ref().filter(|devices| {
            line.number == self.heading_line + 1 && devices.name == 0 && line.words.iter().all(is_known)
        }) else {
            return false;
        };
        let before = devices.before_break.unwrap_or(devices.headings.len());
        let whole: Vec<String> = devices.headings.iter().take(before).cloned().collect();
        let whole: Vec<&str> = whole.iter().map(String::as_str).chain(line.words.iter().copied()).collect();
        let mut devices = Devices::of(&whole, 0, document);
        devices.before_break = Some(before);
        self.devices = Some(devices);
        true
    }

    /// Whether a row is of a group of devices, whose name begins one blank further in than those of devices.
    fn is_group(&self, line: &Line<'_>) -> bool {
        let Some(devices) =
            self.devices.as_ref().filter(|devices| devices.headings.len() == line.words.len())
        else {
            return false;
        };
        if devices.name == 0 {
            return indent(line.text) == self.indent + 1;
        }
        let name = line.words.get(devices.name).copied().unwrap_or("");
        line.text.trim_end().strip_suffix(name).is_some_and(|before| before.ends_with("  "))
    }

    /// A run of the tool begins: below a banner its first report is of the time since boot.
    fn begin(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.write(document)?;
        document.begin(NAME);
        let lines = (document.facts.banner_line, document.clock_line());
        self.is_first = lines != (self.banner_line, self.clock_line);
        (self.banner_line, self.clock_line) = lines;
        self.last_ms = None;
        self.last_time_s = None;
        self.days = 0;
        self.has_times = false;
        self.known.clear();
        self.begun_row.clear();
        self.cpu_is_next = false;
        Ok(())
    }

    fn take_cpu(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let Some(Cpu { layout, .. }) = &self.cpu else { return false };
        let cells = layout.cells(line.words);
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

    fn take_device(
        &mut self,
        line: u64,
        words: &[&str],
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        let Some(devices) = &self.devices else { return Ok(false) };
        let width = devices.headings.len();
        self.cells.read_with_units(words, &devices.units);
        let numbers = self.cells.numbers;
        if words.len() != width || numbers + 1 < width {
            let is_row =
                words.first().is_some_and(|word| self.known.contains_key(word.trim_start_matches("/dev/")));
            let is_begun = words.len() < width
                && numbers + 1 == words.len()
                && self.cells.cells.first() == Some(&Cell::Words);
            let is_broken = devices.before_break.is_some() && words.len() > 1;
            if is_begun && devices.name == 0 && (is_row || is_broken || words.len() == 1) {
                self.begun_row = words.iter().map(|word| (*word).to_owned()).collect();
                return Ok(is_row || is_broken);
            }
            if is_row {
                let what =
                    format!("iostat: {numbers} numbers of {} words; expected {width} columns", words.len());
                document.flaw(line, what);
            }
            return Ok(is_row);
        }
        let Some(name) = words.get(devices.name) else { return Ok(false) };
        // Before sysstat 6 they are names of files.
        let name = name.trim_end_matches(':').trim_start_matches("/dev/");
        // Of a listing that was filtered nothing but the rows is left.
        if self.known.get(name) == Some(&self.reports) {
            self.write(document)?;
        }
        match self.known.get_mut(name) {
            Some(report) => *report = self.reports,
            None => {
                self.known.insert(name.to_owned(), self.reports);
            }
        }
        self.report.push(name, &self.cells.cells);
        self.report.is_rounded |= self.cells.has_units;
        Ok(true)
    }

    /// Writes the report that was gathered.
    fn write(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if self.report.is_empty() {
            return Ok(());
        }
        self.reports += 1;
        let mut report = take(&mut self.report);
        let is_first = std::mem::replace(&mut self.is_first, false);
        let told = self.devices.as_ref().and_then(|devices| devices.interval_s(&report));
        // A lone report without a banner: what its sums tell of days is since boot too.
        let is_first = is_first || report.stamp.is_none() && told.is_some_and(|secs| secs > DAY_S as f64);
        if is_first {
            document.note("the first report of iostat covers the time since boot: its rates are not used");
        }
        let when = self.when(report.stamp, report.clock, told, is_first, document);
        let cpus = document.cpus().unwrap_or(1) as f64;
        if let (Some(cpu), Some(cells)) = (&self.cpu, &report.cpu) {
            cpu.layout.write(cells, Around { when, key: Key::All, cpus }, &mut document.sheets);
        }
        for part in &report.parts {
            for (name, cells) in rows(&part.names, &part.ends, &part.cells) {
                let around = Around { when, key: Key::Name(name), cpus };
                part.devices.by_rate.write(cells, around, &mut document.sheets);
            }
        }
        if let Some(devices) = &self.devices {
            // Sums are exact where the interval is known by them or by times; else rates are.
            let layout = if told.is_some() { &devices.by_sum } else { &devices.by_rate };
            for (name, cells) in report.rows() {
                layout.write(cells, Around { when, key: Key::Name(name), cpus }, &mut document.sheets);
            }
        }
        report.clear();
        self.report = report;
        document.end_sample(NAME)
    }

    fn when(
        &mut self,
        stamp: Option<Stamped>,
        clock: Option<Clock>,
        told: Option<f64>,
        is_first: bool,
        document: &mut Document,
    ) -> When {
        let Some((day, seconds, zone)) = stamp else {
            return document.moment_of_run(NAME, clock, is_first, told);
        };
        let local_s = match day {
            Some(day) => crate::text::civil::midnight_s(day) + seconds,
            None => {
                // Behind midnight the time of day begins anew.
                let fell = self.last_time_s.replace(seconds).is_some_and(|last| last - seconds > DAY_S / 2);
                self.days += i64::from(fell);
                document.base_day_s() + self.days * DAY_S + seconds
            }
        };
        let ms = (local_s - document.zone_at_s(zone, local_s)) * 1000;
        let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
        let secs = since.filter(|secs| *secs > 0.0 && !is_first);
        When { ms, secs, floats: false }
    }
}

impl Cpu {
    fn of(words: &[&str], document: &mut Document) -> Cpu {
        let layout = Layout::of(words.get(1..).unwrap_or_default(), &CPU_FIELDS);
        document.leave_out(NAME, &layout.unkept);
        Cpu { headings: words.iter().map(|word| (*word).to_owned()).collect(), layout }
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
        // What stands for sums in one of them stands for nothing in the other.
        let units = Layout::of(words, &DISK_FIELDS).units;
        Devices {
            headings: words.iter().map(|word| (*word).to_owned()).collect(),
            by_rate,
            by_sum,
            name,
            units,
            sums,
            before_break: None,
        }
    }

    /// Whether a line has its headings, or the first of them where they are broken.
    fn is_headed(&self, words: &[&str]) -> bool {
        self.headings.iter().take(self.before_break.unwrap_or(self.headings.len())).eq(words.iter())
    }

    /// The interval that follows from a sum and its rate: of the largest rate, which is told most
    /// exactly; none below a precision of a hundredth.
    fn interval_s(&self, report: &Report<Part>) -> Option<f64> {
        if self.sums.is_empty() || report.is_rounded {
            return None;
        }
        let pairs = report.rows().flat_map(|(_, cells)| {
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

/// A time of day before the words of a line, as somebody may have put it there.
fn behind_time<'w>(words: &'w [&'w str]) -> Option<(i64, &'w [&'w str])> {
    let (first, rest) = words.split_first().filter(|(_, rest)| !rest.is_empty())?;
    Some((time_of_day(&[first])?.seconds, rest))
}

/// Blanks before the first word.
fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
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
fn stamp(words: &[&str], order: DateOrder) -> Option<Stamped> {
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
        return Some((Some(date(day, order)?), time_of_day(&[digits])?.seconds, zone));
    }
    let (day, rest) = words.split_first()?;
    let day = date(day, order)?;
    let time = time_of_day(rest)?;
    let zone = rest.get(time.words).and_then(|word| zone_offset_s(word));
    (rest.len() <= time.words + 1).then_some((Some(day), time.seconds, zone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::assert_fields;
    use jiff::civil::Date;

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
        let stamp = |line: &str| stamp(&words(line), DateOrder::MonthFirst);
        let day = Some(Date::constant(2022, 3, 11));
        assert_eq!(stamp("03/11/2022 03:16:17 PM"), Some((day, 54_977, None)));
        assert_eq!(stamp("2022-03-11T15:16:17+0100"), Some((day, 54_977, Some(3600))));
        assert_eq!(stamp("Time: 15:16:17"), Some((None, 54_977, None)));
        assert_eq!(stamp("03:16:17 PM all 1.0"), None);
    }
}
