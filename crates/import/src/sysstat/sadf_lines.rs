//! What `sadf -d` and `sadf -p` print: the sections of `sar` as lines for a database (`;` between the
//! values, the headings above) and as lines for awk (one value each).
//!
//! Every line has its host, interval and time, so that nothing is taken for granted but the zone of
//! `-t` and `-T`. Like `sar` they go through all of the file section by section.

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::sysstat::sar_rows::Listing;
use crate::table::sheets::{LONGEST_INTERVAL_S, When};
use crate::text::civil::{DateOrder, date, time_of_day, zone_offset_s};
use crate::text::number::{Cell, cell};

const NAME: &str = "sadf";
/// What stands before the headings of `-d`.
const LEADING: [&str; 3] = ["hostname", "interval", "timestamp"];
/// Values of an interrupt before those of single CPUs: its name and its sum.
const OF_ALL_CPUS: usize = 2;
/// An instant in seconds, as `-U` prints it, is of this century.
const FIRST_INSTANT_S: i64 = 1_000_000_000;

/// Reads `sadf -d` and `sadf -p`.
#[derive(Default)]
pub struct SadfLines {
    table: Option<Table>,
    group: Group,
    clock: Clock,
    cpus: OnlineCpus,
    samples: u64,
    /// The latest time so far: every section goes through all of them, and a restart begins anew.
    last_ms: Option<i64>,
    has_begun: bool,
}

/// The headings of one section of `-d`.
struct Table {
    listing: Listing,
    /// All interrupts on CPUs stand below one heading (`CPU*`), however many they are.
    has_more: bool,
    /// The utilisation of CPUs.
    is_of_cpus: bool,
    /// Several things in one line (`-h`).
    repeats: bool,
}

/// Which CPUs a recording has at what time, as rows of their utilisation tell. Those that are offline have no row, and
/// no value below `CPU*`.
#[derive(Default)]
struct OnlineCpus {
    /// From which time on it is which, in the order of times.
    since: Vec<(i64, Vec<i64>)>,
    /// The time whose rows are being read, and the CPUs so far.
    now: Option<(i64, Vec<i64>)>,
}

/// Lines of `-p` that make up one row.
#[derive(Default)]
struct Group {
    stamp: String,
    item: String,
    headings: Vec<String>,
    cells: Vec<Cell>,
    when: Option<When>,
    /// The listing of the last group, for the next with the same headings.
    listing: Option<Listing>,
}

/// The instant of a printed time; of the same text it is found once.
#[derive(Default)]
struct Clock {
    text: String,
    ms: i64,
}

impl Importer for SadfLines {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if headings(line.words).is_some() || is_pair(line.words, false) {
            return self.goes_on(line, document);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(headings) = headings(line.words) {
            self.begin(document);
            self.table = Some(Table::of(&headings, document));
            return Ok(true);
        }
        // Headings that nobody knows are told from prose by the host before them.
        let is_of_host = || {
            document.facts.banner.as_ref().is_some_and(|told| line.words.first() == Some(&told.host.as_str()))
        };
        if is_pair(line.words, self.has_begun && is_of_host()) {
            self.begin(document);
            self.pair(line, document);
            return Ok(true);
        }
        if self.table.is_none() || !line.words.iter().any(|word| word.contains(';')) {
            return Ok(false);
        }
        Ok(self.row(line, document))
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.group.write(document);
        if self.has_begun {
            document.notes.told.entry(NAME).or_default().samples += self.samples;
        }
        Ok(())
    }
}

impl SadfLines {
    fn begin(&mut self, document: &mut Document) {
        if !std::mem::replace(&mut self.has_begun, true) {
            document.begin(NAME);
        }
    }

    /// The interval of a line, where it can be one.
    fn secs(&self, interval: i64, line: u64, document: &mut Document) -> Option<f64> {
        let secs = interval as f64;
        if secs > LONGEST_INTERVAL_S {
            document.flaw(line, format!("sadf: an interval of {interval} s; its rates are not used"));
        }
        (secs > 0.0 && secs <= LONGEST_INTERVAL_S).then_some(secs)
    }

    fn count(&mut self, ms: i64) {
        if self.last_ms.is_none_or(|last| ms > last) {
            self.last_ms = Some(ms);
            self.samples += 1;
        }
    }

    /// A row of `-d`.
    fn row(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        // A name may have a blank in it, a time has one.
        let text = line.words.join(" ");
        let words: Vec<&str> = text.split(';').map(str::trim).collect();
        let [host, interval, time, values @ ..] = words.as_slice() else { return false };
        let Ok(interval) = interval.parse::<i64>() else { return false };
        document.name_host(host);
        if interval < 0 {
            restart(values.first().copied().unwrap_or(""), document);
            return true;
        }
        let Some(ms) = self.clock.instant(time, document) else {
            document.flaw(line.number, format!("sadf: the time {time:?}; expected a date and a time"));
            return true;
        };
        self.count(ms);
        let when = When { ms, secs: self.secs(interval, line.number, document), floats: false };
        if let Some(table) = &mut self.table {
            if let (true, [name, ..]) = (table.is_of_cpus, values) {
                self.cpus.take(ms, name);
            }
            table.row(values, when, &mut self.cpus, line, document);
        }
        true
    }

    /// A line of `-p`.
    fn pair(&mut self, line: &Line<'_>, document: &mut Document) {
        let [host, interval, rest @ ..] = line.words else { return };
        document.name_host(host);
        let interval = interval.parse::<i64>().unwrap_or(-1);
        if interval < 0 {
            self.group.write(document);
            restart(rest.get(time_words(rest)).copied().unwrap_or(""), document);
            return;
        }
        let words = time_words(rest);
        let (time, values) = rest.split_at(words.min(rest.len()));
        let time = time.join(" ");
        let [item @ .., heading, value] = values else { return };
        let Some(ms) = self.clock.instant(&time, document) else {
            document.flaw(line.number, format!("sadf: the time {time:?}; expected a date and a time"));
            return;
        };
        self.count(ms);
        let when = When { ms, secs: self.secs(interval, line.number, document), floats: false };
        self.group.take(&time, &item.join(" "), heading, value, when, document);
    }
}

impl Table {
    fn of(headings: &[&str], document: &mut Document) -> Table {
        let repeats = headings.iter().any(|heading| heading.ends_with("[...]"));
        let mut words: Vec<&str> = headings.iter().map(|heading| heading.trim_end_matches("[...]")).collect();
        let has_more = words.last() == Some(&"CPU*");
        if has_more {
            words.pop();
            words.push("all");
        }
        let listing = Listing::of(&words, NAME, document);
        let is_of_cpus = !repeats && words.first() == Some(&"CPU") && words.contains(&"%idle");
        Table { listing, has_more, is_of_cpus, repeats }
    }

    fn row(
        &mut self,
        values: &[&str],
        when: When,
        cpus: &mut OnlineCpus,
        line: &Line<'_>,
        document: &mut Document,
    ) {
        if self.listing.section.is_none() {
            document.pass_over();
            return;
        }
        let mut values = values;
        if self.has_more && values.len() > OF_ALL_CPUS {
            let singles = values.len() - OF_ALL_CPUS;
            let known = cpus.at(when.ms).filter(|known| known.len() == singles);
            if known.is_none() {
                document.note(
                    "sadf -d: interrupts of single CPUs are not used: no row says which CPUs were online",
                );
                values = &values[..OF_ALL_CPUS];
            }
            self.name_cpus(known.unwrap_or_default(), document);
        }
        let width = self.listing.headings.len();
        let is_whole = values.len() == width || (self.repeats && values.len().is_multiple_of(width));
        if !is_whole {
            let headings = self.listing.headings.join(";");
            document.flaw(line.number, format!("sadf: {} values; expected {headings}", values.len()));
            return;
        }
        for row in values.chunks(width) {
            let cells: Vec<Cell> = row.iter().map(|value| cell(value)).collect();
            let name_at = self.listing.name_at;
            let damaged =
                cells.iter().enumerate().any(|(at, cell)| *cell == Cell::Words && Some(at) != name_at);
            if damaged {
                let headings = self.listing.headings.join(";");
                document.flaw(line.number, format!("sadf: no numbers; expected {headings}"));
                return;
            }
            let name = name_at.and_then(|at| row.get(at)).copied().unwrap_or("");
            self.listing.write(&cells, name, when, document);
        }
    }

    /// Below `CPU*` stand the number of all CPUs and then that of each that is online.
    fn name_cpus(&mut self, cpus: &[i64], document: &mut Document) {
        let names = cpus.iter().map(|cpu| format!("CPU{cpu}"));
        let mut words: Vec<String> = vec!["INTR".to_owned(), "all".to_owned()];
        words.extend(names);
        if self.listing.headings != words {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.listing = Listing::of(&words, NAME, document);
        }
    }
}

impl OnlineCpus {
    /// Takes the name of a row: all of them are -1.
    fn take(&mut self, ms: i64, name: &str) {
        let Some(cpu) = name.parse::<i64>().ok().filter(|cpu| *cpu >= 0) else { return };
        match &mut self.now {
            Some((now, cpus)) if *now == ms => cpus.push(cpu),
            _ => {
                self.end();
                self.now = Some((ms, vec![cpu]));
            }
        }
    }

    /// The rows of a time are over.
    fn end(&mut self) {
        let Some((ms, cpus)) = self.now.take() else { return };
        if self.since.last().is_none_or(|(last, known)| ms > *last && *known != cpus) {
            self.since.push((ms, cpus));
        }
    }

    /// The CPUs at a time; none where no row told.
    fn at(&mut self, ms: i64) -> Option<&[i64]> {
        self.end();
        let behind = self.since.partition_point(|(since, _)| *since <= ms);
        self.since.get(behind.checked_sub(1)?).map(|(_, cpus)| cpus.as_slice())
    }
}

impl Group {
    fn take(
        &mut self,
        stamp: &str,
        item: &str,
        heading: &str,
        value: &str,
        when: When,
        document: &mut Document,
    ) {
        let is_same = self.stamp == stamp && self.item == item;
        if !is_same || FIRST_HEADINGS.contains(&heading) || self.headings.iter().any(|h| h == heading) {
            self.write(document);
            stamp.clone_into(&mut self.stamp);
            item.clone_into(&mut self.item);
        }
        self.when = Some(when);
        self.headings.push(heading.to_owned());
        self.cells.push(cell(value));
    }

    /// Writes the row that the lines so far make up.
    fn write(&mut self, document: &mut Document) {
        let Some(when) = self.when.take() else { return };
        let mut headings = std::mem::take(&mut self.headings);
        let mut cells = std::mem::take(&mut self.cells);
        let (heading, name) = named(&self.item, &headings);
        if let Some(heading) = heading {
            headings.insert(0, heading.to_owned());
            cells.insert(0, Cell::Words);
        }
        let is_known = self.listing.as_ref().is_some_and(|listing| listing.headings == headings);
        if !is_known {
            let words: Vec<&str> = headings.iter().map(String::as_str).collect();
            self.listing = Some(Listing::of(&words, NAME, document));
        }
        if let Some(listing) = &self.listing {
            listing.write(&cells, name, when, document);
        }
    }
}

/// The heading under which the text of `sar` has the name of a thing, and the name.
fn named<'i>(item: &'i str, headings: &[String]) -> (Option<&'static str>, &'i str) {
    let has = |names: &[&str]| headings.iter().any(|heading| names.contains(&heading.as_str()));
    let cpu = item.strip_prefix("cpu").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    match item {
        "-" => (None, ""),
        // Interrupts have a number, or a name; their sum is one of them.
        _ if has(&["intr/s"]) || headings.iter().all(|heading| heading == "all" || is_cpu(heading)) => {
            (Some("INTR"), item.strip_prefix('i').filter(|rest| is_number(rest)).unwrap_or(item))
        }
        "all" => (Some("CPU"), item),
        _ if cpu.is_some() => (Some("CPU"), cpu.unwrap_or(item)),
        _ if has(&["rxpck/s", "rxerr/s"]) => (Some("IFACE"), item),
        _ if has(&["MBfsfree"]) => (Some("FILESYSTEM"), item),
        _ if has(&["tps"]) => (Some("DEV"), item),
        _ => (Some("-"), item),
    }
}

fn is_cpu(heading: &str) -> bool {
    heading.strip_prefix("cpu").is_some_and(is_number)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// With these a section of `-p` begins: nothing else stands between two of the whole machine.
const FIRST_HEADINGS: [&str; 40] = [
    "%user",
    "%usr",
    "proc/s",
    "cswch/s",
    "pswpin/s",
    "pgpgin/s",
    "tps",
    "kbmemfree",
    "kbswpfree",
    "kbhugfree",
    "dentunusd",
    "runq-sz",
    "rcvin/s",
    "rxpck/s",
    "rxerr/s",
    "call/s",
    "scall/s",
    "totsck",
    "irec/s",
    "ihdrerr/s",
    "imsg/s",
    "ierr/s",
    "active/s",
    "atmptf/s",
    "idgm/s",
    "tcp6sck",
    "irec6/s",
    "ihdrer6/s",
    "imsg6/s",
    "ierr6/s",
    "idgm6/s",
    "total/s",
    "MHz",
    "rpm",
    "degC",
    "MBfsfree",
    "fch_rxf/s",
    "%scpu-10",
    "%sio-10",
    "%smem-10",
];

/// The headings of a section of `-d`, without what stands before them.
fn headings<'w>(words: &[&'w str]) -> Option<Vec<&'w str>> {
    let line = match words {
        ["#", line] | [line] => line.trim_start_matches('#'),
        _ => return None,
    };
    let mut all = line.split(';');
    LEADING.iter().all(|leading| all.next() == Some(leading)).then(|| all.collect())
}

/// Whether a line is one of `-p`: host, interval, time, thing, heading, number. Any heading will do
/// where one that is known stood before it.
fn is_pair(words: &[&str], has_begun: bool) -> bool {
    let [_, interval, rest @ ..] = words else { return false };
    if words.len() < 5 || interval.parse::<i64>().is_err() {
        return false;
    }
    let time = time_words(rest);
    if time == 0 {
        return false;
    }
    let values = rest.get(time..).unwrap_or_default();
    if *interval == "-1" {
        return values.first().is_some_and(|word| *word == "LINUX-RESTART" || *word == "COM");
    }
    let [_, .., heading, value] = values else { return false };
    let is_cpu_of_irq = *heading == "all" || is_cpu(heading);
    let looks = is_cpu_of_irq || heading.contains(['/', '%', '-']) || FIRST_HEADINGS.contains(heading);
    let is_known = has_begun || looks || crate::sysstat::sar_fields::is_heading_of_any(heading);
    is_known && !matches!(cell(value), Cell::Words)
}

/// How many words a time takes: a date, a time and maybe a zone, or an instant; 0 where there is none.
fn time_words(words: &[&str]) -> usize {
    let Some(first) = words.first() else { return 0 };
    if first.parse::<i64>().is_ok_and(|instant| instant >= FIRST_INSTANT_S) {
        return 1;
    }
    if date(first, DateOrder::MonthFirst).is_none()
        || time_of_day(words.get(1..).unwrap_or_default()).is_none()
    {
        return 0;
    }
    if words.get(2).is_some_and(|word| zone_offset_s(word).is_some()) { 3 } else { 2 }
}

/// A restart of the machine, or a comment.
fn restart(what: &str, document: &mut Document) {
    if !what.starts_with("LINUX-RESTART") {
        return;
    }
    document.note_text("the machine was rebooted during the recording".to_owned());
}

impl Clock {
    fn instant(&mut self, text: &str, document: &mut Document) -> Option<i64> {
        if self.text != text {
            let words: Vec<&str> = text.split(' ').collect();
            self.ms = match text.parse::<i64>() {
                Ok(instant) if instant >= FIRST_INSTANT_S => instant.checked_mul(1000)?,
                _ => {
                    let day = date(words.first()?, document.times.dates.order)?;
                    let time = time_of_day(words.get(1..)?)?;
                    let zone = words.get(1 + time.words).and_then(|word| zone_offset_s(word));
                    document.took_date(&words);
                    document.instant_ms(day, time.seconds, zone)
                }
            };
            text.clone_into(&mut self.text);
        }
        Some(self.ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_sadf_are_told_from_others() {
        let check = |line: &str, is_heading: bool, is_row: bool| {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!((headings(&words).is_some(), is_pair(&words, false)), (is_heading, is_row), "{line}");
        };
        check("# hostname;interval;timestamp;CPU;%user;%idle", true, false);
        check("#hostname;interval;timestamp;proc/s;cswch/s", true, false);
        check("hostname;address;comment", false, false);
        check("vm\t600\t2012-01-31 10:10:01 UTC\tall\t%user\t1.50", false, true);
        check("vm\t600\t1328004601\t-\tkbmemfree\t23325092", false, true);
        check("vm\t-1\t2012-01-31 10:10:01 UTC\tLINUX-RESTART\t(2 CPU)", false, true);
        check("vm 600 2012-01-31 10:10:01 users said 5", false, false);
        check("on 2012-01-31 10:10:01 3 users", false, false);
    }

    #[test]
    fn a_section_is_told_by_the_first_of_its_values() {
        for first in ["%usr", "pswpin/s", "kbmemfree", "runq-sz", "irec6/s", "MBfsfree"] {
            assert!(FIRST_HEADINGS.contains(&first));
        }
        assert!(crate::sysstat::sar_rows::section(&["CPU", "%usr", "%idle"]).is_some());
    }
}
