//! Recordings of `nmon`, of Linux and of AIX (`topas_nmon`): lines of values between commas, each with
//! a tag of its section and the number of its snapshot.
//!
//! `ZZZZ,T0001,…` says when a snapshot was taken. It stands before its rows as nmon writes them, and behind
//! all of them in a file that was sorted, as its users do before they load it into a spreadsheet: rows
//! of a snapshot whose time is not known yet are held back. What a section means is data ([`sections`]).

mod rows;
mod sections;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;
use crate::text::civil::time_of_day;

use rows::Rows;

const NAME: &str = "nmon";
/// Text of rows that are held back until their time is told.
const MOST_HELD_BYTES: usize = 64 << 20;
const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

/// Reads `nmon`.
#[derive(Default)]
pub struct Nmon {
    run: Option<Run>,
}

/// One run of the tool.
#[derive(Default)]
struct Run {
    rows: Rows,
    /// `AAA,date`, `AAA,time` and `AAA,interval`: for files that were cut before their times.
    day: Option<Date>,
    seconds: Option<i64>,
    interval_s: Option<f64>,
    zone_s: Option<i64>,
    now: Option<(u64, When)>,
    last_ms: Option<i64>,
    times: BTreeMap<u64, When>,
    held: Vec<(u64, String)>,
    held_bytes: usize,
}

impl Importer for Nmon {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(row) = Row::of(line.text) else { return Ok(false) };
        let is_mine = match row.tag {
            "AAA" => row.fields.len() >= 2 && AAA_KEYS.contains(&row.fields[0]),
            "ZZZZ" => row.number().is_some() && instant(&row.fields[1..]).is_some(),
            _ => false,
        };
        if !is_mine {
            return Ok(false);
        }
        self.begin(document)?;
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.run.is_none() {
            return Ok(false);
        }
        let Some(row) = Row::of(line.text) else { return Ok(false) };
        if row.tag == "AAA" && row.fields.first() == Some(&"progname") {
            self.begin(document)?;
        }
        let Some(run) = self.run.as_mut() else { return Ok(false) };
        match row.tag {
            "AAA" => run.take_about(&row, document),
            "ZZZZ" => run.take_time(&row, line, document)?,
            tag if tag.starts_with("BBB") => run.rows.take_configuration(&row, document),
            _ => run.take_row(&row, line, document),
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.run.take() {
            Some(run) => run.end(document),
            None => Ok(()),
        }
    }
}

/// Keys of the lines `AAA` by which a recording is told from any other text with commas.
const AAA_KEYS: [&str; 12] = [
    "progname", "command", "version", "build", "host", "user", "runname", "time", "date", "interval", "OS",
    "AIX",
];

impl Nmon {
    fn begin(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if self.run.as_ref().is_some_and(Run::is_fresh) {
            return Ok(());
        }
        self.ends(document)?;
        document.begin(NAME);
        self.run = Some(Run::default());
        Ok(())
    }
}

impl Run {
    /// Nothing of it was measured yet.
    fn is_fresh(&self) -> bool {
        self.last_ms.is_none() && self.held.is_empty()
    }

    /// `AAA,key,value`.
    fn take_about(&mut self, row: &Row<'_>, document: &mut Document) {
        let [key, values @ ..] = row.fields.as_slice() else { return };
        let Some(value) = values.first().filter(|value| !value.is_empty()) else { return };
        match *key {
            "host" => document.name_host(value),
            "date" => self.day = date(value),
            "time" => self.seconds = seconds(value),
            "interval" => self.interval_s = value.parse().ok().filter(|secs: &f64| *secs > 0.0),
            "gmt" => self.zone_s = Some(0),
            // Of AIX the CPUs that there may be, and behind them those that there are.
            "cpus" => {
                let cpus = values.get(1).or(Some(value)).and_then(|cpus| cpus.parse().ok());
                document.facts.row.cpus = cpus.filter(|cpus| *cpus > 0);
            }
            "AIX" => document.facts.row.os = Some(format!("AIX {value}").into()),
            "OS" => {
                document.facts.row.kernel = values.get(1).map(|kernel| (*kernel).into());
                let machine = values.last().filter(|word| values.len() > 3 && !word.contains(' '));
                document.facts.row.architecture = machine.map(|machine| (*machine).into());
            }
            _ => {}
        }
    }

    /// `ZZZZ,T0001,23:02:43,14-OCT-2014`.
    fn take_time(
        &mut self,
        row: &Row<'_>,
        line: &Line<'_>,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        let told = row.number().zip(row.fields.get(1..).and_then(instant));
        let Some((number, (day, seconds))) = told else {
            let what = "nmon: expected ZZZZ, the number of a snapshot, its time and its date".to_owned();
            document.flaw(line.number, what);
            return Ok(());
        };
        let Some(day) = day.or(self.day) else {
            document.flaw(line.number, "nmon: a time without a date; expected 14-OCT-2014".to_owned());
            return Ok(());
        };
        self.end_snapshot(document)?;
        let ms = document.instant_ms(day, seconds, self.zone_s);
        let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
        if since.is_none() {
            document.note(
                "the interval of the first snapshot of nmon is unknown: its levels are kept, its rates are not used",
            );
        }
        let when = When { ms, secs: since.filter(|secs| *secs > 0.0), floats: false };
        self.times.insert(number, when);
        self.now = Some((number, when));
        Ok(())
    }

    fn end_snapshot(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.now.take() {
            Some((number, when)) => {
                self.rows.end_snapshot(number, when, document);
                document.end_sample(NAME)
            }
            None => Ok(()),
        }
    }

    /// Headings, or the values of a snapshot.
    fn take_row(&mut self, row: &Row<'_>, line: &Line<'_>, document: &mut Document) {
        let Some(number) = row.number() else {
            self.rows.take_headings(row, document);
            return;
        };
        match self.now {
            Some((now, when)) if now == number => {
                self.rows.take(row, number, when, line.number, line.is_cut, document);
            }
            _ if self.held_bytes + line.text.len() > MOST_HELD_BYTES => {
                let what =
                    format!("nmon: snapshot {number} before its time; expected ZZZZ in the next 64 MB");
                document.flaw(line.number, what);
            }
            _ => {
                self.held_bytes += line.text.len();
                self.held.push((line.number, line.text.to_owned()));
            }
        }
    }

    fn end(mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_snapshot(document)?;
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return Ok(());
        }
        let mut guessed = BTreeMap::new();
        for (line, text) in &held {
            let Some(row) = Row::of(text) else { continue };
            let Some(number) = row.number() else { continue };
            let when = match self.times.get(&number) {
                Some(when) => *when,
                None => match self.guess(number, document) {
                    Some(when) => *guessed.entry(number).or_insert(when),
                    None => {
                        let what = format!("nmon: snapshot {number} without a time; expected ZZZZ");
                        document.flaw(*line, what);
                        continue;
                    }
                },
            };
            self.rows.take(&row, number, when, *line, false, document);
        }
        let all: Vec<(u64, When)> =
            self.times.iter().chain(&guessed).map(|(at, when)| (*at, *when)).collect();
        for (number, when) in all {
            self.rows.end_snapshot(number, when, document);
        }
        guessed.keys().try_for_each(|_| document.end_sample(NAME))
    }

    /// The time of a snapshot of a file that was cut before its times.
    fn guess(&self, number: u64, document: &mut Document) -> Option<When> {
        let (day, seconds, interval) = (self.day?, self.seconds?, self.interval_s?);
        document.note("nmon: no times of snapshots; computed from start and interval");
        let since_begin = number.saturating_sub(1) as f64 * interval;
        // A damaged number is no time beyond the end of the calendar.
        let ms = document
            .instant_ms(day, seconds, self.zone_s)
            .checked_add((since_begin * 1000.0) as i64)
            .filter(|ms| Timestamp::from_millisecond(*ms).is_ok())?;
        Some(When { ms, secs: (number > 1).then_some(interval), floats: false })
    }
}

/// A line, cut at its commas (semicolons where commas stand in numbers).
struct Row<'a> {
    tag: &'a str,
    fields: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Option<Row<'a>> {
        let text = text.trim_end_matches(['\r', '\n', ' ']);
        let end = text.find([',', ';'])?;
        let (tag, rest) = text.split_at(end);
        let is_tag = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        if !(2..=24).contains(&tag.len()) || !tag.bytes().all(is_tag) || tag.as_bytes()[0].is_ascii_digit() {
            return None;
        }
        let comma = rest.chars().next()?;
        let fields: Vec<&str> = rest[1..].split(comma).map(str::trim).collect();
        Some(Row { tag, fields })
    }

    /// The snapshot that the row is of: `T0001`, which `TOP` has behind the process.
    fn number(&self) -> Option<u64> {
        let at = usize::from(self.tag == "TOP");
        let digits = self.fields.get(at)?.strip_prefix('T')?;
        (digits.len() >= 4).then(|| digits.parse().ok()).flatten()
    }
}

/// A time and a date; no date where the line ends before.
fn instant(fields: &[&str]) -> Option<(Option<Date>, i64)> {
    let seconds = seconds(fields.first()?)?;
    match fields.get(1) {
        Some(word) => Some((Some(date(word)?), seconds)),
        None => Some((None, seconds)),
    }
}

fn seconds(word: &str) -> Option<i64> {
    Some(time_of_day(&[word])?.seconds)
}

/// `14-OCT-2014`.
fn date(word: &str) -> Option<Date> {
    let mut parts = word.split('-');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let named = MONTHS.iter().position(|name| month.eq_ignore_ascii_case(name)).map(|at| at + 1);
    let month = named.or_else(|| month.parse().ok())?;
    Date::new(year.parse().ok()?, i8::try_from(month).ok()?, day.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_from_other_text_with_commas() {
        let tag = |text: &str| Row::of(text).map(|row| (row.tag.to_owned(), row.number()));
        assert_eq!(tag("CPU_ALL,T0001,1.0,2.0,0.0,97.0,,4"), Some(("CPU_ALL".to_owned(), Some(1))));
        assert_eq!(tag("TOP,0001234,T0012,1.0"), Some(("TOP".to_owned(), Some(12))));
        assert_eq!(tag("DISKBUSY1,Disk %Busy host,sda"), Some(("DISKBUSY1".to_owned(), None)));
        assert_eq!(tag("MEM;T00012345;1,5"), Some(("MEM".to_owned(), Some(12_345))));
        for text in ["12,3", "Hello, T0001", "NET", "a,T0001", ",T0001"] {
            assert_eq!(tag(text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_nmon() {
        assert_eq!(date("14-OCT-2014"), Some(Date::constant(2014, 10, 14)));
        assert_eq!(date("01-feb-2020"), Some(Date::constant(2020, 2, 1)));
        assert_eq!(date("14-10-2014"), Some(Date::constant(2014, 10, 14)));
        assert_eq!(date("14-OKT-2014"), None);
        assert_eq!(date("31-FEB-2014"), None);
    }
}
