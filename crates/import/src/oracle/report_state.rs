//! What is known of a report while it is read: its instance, its interval, and what was said already.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use heldup_model::tables::{CpuRow, DbAdviceRow, DbMetricRow, DbWaitRow, SettingRow};
use heldup_model::{Record, TableDef};
use jiff::civil::Date;

use crate::document::Document;
use crate::document::banner::Banner;
use crate::document::put::{Put, put};
use crate::oracle::events::{Event, Events};
use crate::oracle::row::{Row, scaled};
use crate::table::sheets::{Key, When};
use crate::text::civil::time_of_day;

/// Names that may be the beginning of a longer one have so many letters at least.
const SHORTEST_CUT: usize = 16;

/// What sessions waited for where the report does not say it.
const UNKNOWN_EVENT: &str = "unknown";

/// Beginnings of the names of months, in the languages that reports are made in (NLS_DATE_LANGUAGE): English, German, French, Spanish,
/// Portuguese, Italian, Russian.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene", "gen", "янв"],
    &["feb", "fév", "fev", "фев"],
    &["mar", "mär", "mrz", "мар"],
    &["apr", "avr", "abr", "апр"],
    &["may", "mai", "mag", "май", "мая"],
    &["jun", "juin", "giu", "июн"],
    &["jul", "juil", "lug", "июл"],
    &["aug", "aoû", "aou", "ago", "авг"],
    &["sep", "set", "сен"],
    &["oct", "okt", "ott", "out", "окт"],
    &["nov", "ноя"],
    &["dec", "déc", "dez", "dic", "дек"],
];

/// One report.
#[derive(Debug, Default)]
pub struct ReportState {
    /// Which report it is: statspack or AWR.
    pub format: &'static str,
    /// The instance.
    pub instance: Option<String>,
    /// Its list of top events is of users' sessions alone, as since 11g.
    pub is_foreground: bool,
    /// The statement of which the text goes on.
    pub last_statement: Option<String>,
    elapsed_s: Option<f64>,
    begin: Option<(Date, i64)>,
    end: Option<(Date, i64)>,
    when: Option<When>,
    names: HashMap<&'static str, Vec<String>>,
    system: BTreeMap<String, f64>,
    /// Titles of tables that nothing is kept of.
    unread: BTreeSet<String>,
    /// Said of the interval before its length is known.
    early: Vec<(&'static str, f64)>,
    /// What was waited for; several lists of a report have the same event.
    events: Events,
    /// By instance: DB time and what of it was CPU time.
    times: BTreeMap<Option<String>, (Option<f64>, Option<f64>)>,
    /// What the database found itself, with its impact and share; a list has it once for each interval.
    advice: Vec<(String, Option<f64>, Option<f64>)>,
}

impl ReportState {
    /// A report of which nothing is known yet.
    pub fn new(format: &'static str) -> ReportState {
        ReportState { format, ..ReportState::default() }
    }

    /// Takes `Begin Snap:`, `End Snap:`, `Elapsed:` and `DB Time:`; whether the words are one of these.
    pub fn snapshot(&mut self, words: &[&str]) -> bool {
        match words {
            ["DB", "Time:" | "time:", minutes, "(mins)", rest @ ..] => {
                self.early.extend(scaled(minutes).map(|minutes| ("db_time_s", minutes * 60.0)));
                // Statspack has it on the same line.
                if let ["DB", "CPU:", minutes, "(mins)", ..] = rest {
                    self.early.extend(scaled(minutes).map(|minutes| ("db_cpu_s", minutes * 60.0)));
                }
                true
            }
            // Of samples of active sessions (ASH).
            ["Analysis", "Begin", "Time:", date, time, ..] => {
                self.begin = instant(date, time);
                true
            }
            ["Analysis", "End", "Time:", date, time, ..] => {
                self.end = instant(date, time);
                true
            }
            ["Average", "Active", "Sessions:", sessions, ..] => {
                let sessions = scaled(sessions).zip(self.elapsed_s);
                self.early.extend(sessions.map(|(sessions, secs)| ("db_time_s", sessions * secs)));
                true
            }
            ["Elapsed:", minutes, "(mins)", ..] | ["Elapsed", "Time:", minutes, "(mins)", ..] => {
                self.elapsed_s = scaled(minutes).map(|minutes| minutes * 60.0);
                self.elapsed_s.is_some()
            }
            // `24-8月 -17`: a blank stands behind the month.
            [edge @ ("Begin" | "End"), "Snap:", id, date, year, rest @ ..] if year.starts_with('-') => {
                let date = format!("{date}{year}");
                let words: Vec<&str> =
                    [*edge, "Snap:", *id, &date].into_iter().chain(rest.iter().copied()).collect();
                self.snapshot(&words)
            }
            ["Begin", "Snap:", _, date, time, ..] => {
                self.begin = instant(date, time);
                true
            }
            ["End", "Snap:", _, date, time, rest @ ..] => {
                self.end = instant(date, time);
                let numbers = rest.iter().map_while(|word| scaled(word));
                self.early.extend(["sessions", "cursors_per_session"].into_iter().zip(numbers));
                true
            }
            _ => false,
        }
    }

    /// Length of the interval, where it is known.
    pub fn elapsed_s(&self) -> Option<f64> {
        self.elapsed_s
    }

    /// The interval of one instance of a cluster: the report goes from the first begin to the last end. False where the times are none.
    pub fn take_interval(&mut self, begin: &str, end: &str, elapsed_s: Option<f64>) -> bool {
        let (Some(begin), Some(end)) = (moment(begin), moment(end)) else { return false };
        self.begin = Some(self.begin.map_or(begin, |known| known.min(begin)));
        self.end = Some(self.end.map_or(end, |known| known.max(end)));
        self.elapsed_s = self.elapsed_s.or(elapsed_s);
        true
    }

    /// When the report was; without its two times, after what was read before.
    pub fn when(&mut self, document: &mut Document) -> When {
        if let Some(when) = self.when {
            return when;
        }
        document.begin(self.format);
        let when = match (self.begin, self.end) {
            (Some((begin, begin_s)), Some((end, end_s))) => {
                let begin_ms = document.instant_ms(begin, begin_s, None);
                let end_ms = document.instant_ms(end, end_s, None);
                let secs = Some((end_ms - begin_ms) as f64 / 1000.0).filter(|secs| *secs > 0.0);
                When { ms: end_ms, secs: secs.or(self.elapsed_s), floats: false }
            }
            (_, Some((end, end_s))) if self.elapsed_s.is_some() => {
                When { ms: document.instant_ms(end, end_s, None), secs: self.elapsed_s, floats: false }
            }
            _ => document.floating(self.elapsed_s),
        };
        self.when = Some(when);
        for (name, value) in std::mem::take(&mut self.early) {
            self.metric(name, value, document);
        }
        when
    }

    /// Whether anything was kept of it.
    pub fn is_begun(&self) -> bool {
        self.when.is_some()
    }

    /// Writes a row of a table that has an instance.
    pub fn put(
        &mut self,
        document: &mut Document,
        def: &'static TableDef,
        identity: &str,
        cells: &[(&str, Put<'_>)],
    ) {
        let when = self.when(document);
        let Some(instance) = self.instance.clone() else {
            return put(document, def, when, identity, cells);
        };
        let mut all = vec![("instance", Put::Text(instance.as_str()))];
        all.extend_from_slice(cells);
        put(document, def, when, &format!("{instance} {identity}"), &all);
    }

    /// Takes an event of the instance that is told of. It is written when the report is over, once.
    pub fn event(&mut self, event: Event, document: &mut Document) {
        self.when(document);
        self.events.take(self.instance.clone(), event);
    }

    /// Takes a finding of the database's own: `Finding Name`, sessions of its task, its share of them, and the interval.
    pub fn advice(&mut self, row: &Row, document: &mut Document) -> Result<(), &'static str> {
        const EXPECTED: &str = "a finding and its share of active sessions";
        let finding = row.text(&["findingname"]).ok_or(EXPECTED)?.to_owned();
        let share = row.share(&["percentactivesessionsoffinding"]).ok_or(EXPECTED)?;
        let sessions = row.number(&["avgactivesessionsofthetask"]);
        let mut time = |heading: &str| {
            let (date, seconds) = moment(row.text(&[heading])?)?;
            Some(document.instant_ms(date, seconds, None))
        };
        let times = time("beginsnaptime").zip(time("endsnaptime"));
        let secs = times.map(|(begin, end)| (end - begin) as f64 / 1000.0).filter(|secs| *secs > 0.0);
        let impact_s = sessions.zip(secs).map(|(sessions, secs)| sessions * share * secs);
        self.when(document);
        match self.advice.iter_mut().find(|(known, ..)| *known == finding) {
            Some((_, sum, largest)) => {
                *sum = sum.zip(impact_s).map(|(sum, impact_s)| sum + impact_s);
                *largest = largest.map(|largest| largest.max(share));
            }
            None => self.advice.push((finding, impact_s, Some(share))),
        }
        Ok(())
    }

    /// Takes a finding of an ADDM report.
    pub fn finding(&mut self, finding: &str, impact_s: Option<f64>, share: Option<f64>) {
        self.advice.push((finding.to_owned(), impact_s, share));
    }

    /// Sets the interval of a report.
    pub fn set_interval(&mut self, begin: (Date, i64), end: (Date, i64)) {
        (self.begin, self.end) = (Some(begin), Some(end));
    }

    /// Writes a number of the database.
    pub fn metric(&mut self, name: &str, value: f64, document: &mut Document) {
        let times = self.times.entry(self.instance.clone()).or_default();
        match name {
            "db_time_s" => times.0 = Some(value),
            "db_cpu_s" => times.1 = Some(value),
            _ => {}
        }
        let cells = [("metric_name", Put::Text(name)), ("value", Put::Number(Some(value)))];
        self.put(document, DbMetricRow::DEF, name, &cells);
    }

    /// `DB CPU  50.2  .6`.
    pub fn time_model(&mut self, row: &Row, document: &mut Document) -> Result<(), &'static str> {
        let seconds = row.number(&["times", "timess"]).ok_or("a statistic and seconds")?;
        let name: Vec<String> = row
            .at(0)
            .split(|sign: char| !sign.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        self.metric(&format!("{}_s", name.join("_")), seconds, document);
        Ok(())
    }

    /// `BUSY_TIME  11,245`, in hundredths of a second; others at the end of the interval.
    pub fn system(&mut self, row: &Row, document: &mut Document) -> Result<(), &'static str> {
        let value = row.number(&["value", "total"]).ok_or("a statistic and its value")?;
        let name = row.at(0).to_ascii_lowercase();
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err("a statistic in one word");
        }
        let value = row.number(&["endvalue"]).unwrap_or(value);
        match name.strip_suffix("_time") {
            Some(time) => {
                self.system.insert(time.to_owned(), value / 100.0);
                self.metric(&format!("os_{time}_s"), value / 100.0, document);
            }
            None => self.metric(&format!("os_{name}"), value, document),
        }
        Ok(())
    }

    /// A setting. Of a value that fills its column there may be more.
    pub fn parameter(&mut self, row: &Row, document: &mut Document) -> Result<(), &'static str> {
        const CUT: usize = 33;
        let name = row.at(0);
        // A value that goes on in a second line has no name before it.
        if name.is_empty() || name.contains(' ') {
            return Ok(());
        }
        let value = row.text(&["endvalueifdifferent"]).or_else(|| row.text(&["beginvalue"])).unwrap_or("");
        if value.len() >= CUT {
            document.note("oracle: long parameter values are truncated in the report");
        }
        self.setting(name, value, document);
        Ok(())
    }

    /// Writes a setting.
    pub fn setting(&mut self, name: &str, value: &str, document: &mut Document) {
        let when = self.when(document);
        let key = format!("oracle.{}", name.to_ascii_lowercase());
        let cells = [("setting_key", Put::Text(&key)), ("setting_value", Put::Text(value))];
        put(document, SettingRow::DEF, when, &key, &cells);
    }

    /// `DB Name  DB Id  Instance …`; since 12.2 a line of its own tells the instance.
    pub fn instance(&mut self, row: &Row, document: &mut Document) -> Result<(), &'static str> {
        if let Some(instance) = row.text(&["instance"]) {
            self.instance = Some(instance.to_owned());
        }
        // Before 10g the machine has no line of its own.
        if let Some(host) = row.text(&["host"]) {
            document.host_told(host);
        }
        Ok(())
    }

    /// `Host Name  Platform  CPUs …`.
    pub fn machine(&mut self, row: &Row, document: &mut Document) -> Result<(), &'static str> {
        if let Some(host) = row.text(&["hostname", "name", "host"])
            && document.facts.banner.is_none()
        {
            let cpus = row.number(&["cpus"]).map(|cpus| cpus as i64);
            document.facts.banner = Some(Banner { host: host.to_owned(), cpus, ..Banner::default() });
        }
        if let Some(memory) = row.number(&["memorygb", "memoryg"]) {
            document.facts.memory_bytes = Some((memory * 1_073_741_824.0) as i64);
        }
        Ok(())
    }

    /// The name in a row's first cell; where its column was too short for it, the longer one that was said before.
    pub fn whole_name(&mut self, kind: &'static str, row: &Row) -> String {
        let name = row.at(0);
        let names = self.names.entry(kind).or_default();
        if names.iter().any(|known| known == name) {
            return name.to_owned();
        }
        let is_cut = |cut: &str, whole: &str| cut.len() >= SHORTEST_CUT && whole.starts_with(cut);
        let known = names
            .iter()
            .find(|known| (row.is_filled && is_cut(name, known)) || (kind == "latch" && is_cut(known, name)));
        if let Some(known) = known {
            return known.clone();
        }
        names.push(name.to_owned());
        name.to_owned()
    }

    /// A name, with a number where it was said before: names are cut to the width of their column.
    pub fn numbered(&mut self, kind: &'static str, name: &str) -> String {
        let names = self.names.entry(kind).or_default();
        let mut own = name.to_owned();
        for number in 2.. {
            if !names.contains(&own) {
                break;
            }
            own = format!("{name} ({number})");
        }
        names.push(own.clone());
        own
    }

    /// The longest id that begins as this one does, or the other way round.
    pub fn longest(&mut self, kind: &'static str, id: &str) -> String {
        const SHORTEST: usize = 8;
        let ids = self.names.entry(kind).or_default();
        if let Some(known) = ids.iter().find(|known| id.len() >= SHORTEST && known.starts_with(id)) {
            return known.clone();
        }
        ids.push(id.to_owned());
        id.to_owned()
    }

    /// A table is not read.
    pub fn leave_out(&mut self, title: &str) {
        if !title.is_empty() {
            self.unread.insert(title.to_owned());
        }
    }

    /// Of a report without any list of events, as of its head alone, DB time is CPU time and an event that is unknown.
    fn name_what_is_left(&mut self) {
        let times = std::mem::take(&mut self.times);
        if !self.events.is_empty() {
            return;
        }
        for (instance, times) in times {
            let (Some(time_s), Some(cpu_s)) = times else { continue };
            if time_s <= 0.0 || cpu_s > time_s {
                continue;
            }
            for (name, wait_s) in [("DB CPU", cpu_s), (UNKNOWN_EVENT, time_s - cpu_s)] {
                let event = Event {
                    name: name.to_owned(),
                    wait_s: Some(wait_s),
                    wait_share: Some(wait_s / time_s),
                    ..Event::default()
                };
                self.events.take(instance.clone(), event);
            }
        }
    }

    /// The report is over: what the system's counters make up together, and what was not read.
    pub fn finish(&mut self, document: &mut Document) {
        let unread: Vec<String> = std::mem::take(&mut self.unread).into_iter().collect();
        document.leave_out(self.format, &unread);
        self.name_what_is_left();
        let of_all = self.instance.take();
        for (instance, event) in std::mem::take(&mut self.events).once() {
            self.instance = instance;
            let identity = format!("{} {}", event.side.name(), event.name);
            self.put(document, DbWaitRow::DEF, &identity, &event.cells());
        }
        self.instance = of_all;
        for (at, (finding, impact_s, share)) in std::mem::take(&mut self.advice).into_iter().enumerate() {
            let cells = [
                ("finding", Put::Text(&finding)),
                ("rank", Put::Number(Some(at as f64 + 1.0))),
                ("impact_s", Put::Number(impact_s)),
                ("impact_share", Put::Number(share)),
            ];
            self.put(document, DbAdviceRow::DEF, &finding, &cells);
        }
        let Some(idle_s) = self.system.get("idle").copied() else { return };
        let when = self.when(document);
        if when.secs.is_none() {
            return;
        }
        let row = document.sheets.row(CpuRow::DEF, when, Key::All);
        // Idle time has the time in it in which I/O was outstanding.
        let iowait_s = self.system.get("iowait").copied();
        let idle_s = Some(idle_s - iowait_s.unwrap_or(0.0)).filter(|idle_s| *idle_s >= 0.0);
        for (column, value) in [
            ("user_s", self.system.get("user").copied()),
            ("nice_s", self.system.get("nice").copied()),
            ("system_s", self.system.get("sys").copied()),
            ("idle_s", idle_s),
            ("iowait_s", iowait_s),
        ] {
            if let (Some(value), Some(column)) = (value, CpuRow::DEF.position(column)) {
                document.sheets.set(row, column, value);
            }
        }
    }
}

/// `12-Feb-17` and `12:22:06`, or `12:22`.
pub(super) fn instant(date: &str, time: &str) -> Option<(Date, i64)> {
    let whole = if time.len() == "12:22".len() { format!("{time}:00") } else { time.to_owned() };
    let time = whole.as_str();
    let mut parts = date.split('-');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month = month_of(month)?;
    let year: i16 = year.parse().ok()?;
    let year = match year {
        0..=69 => year + 2000,
        70..=99 => year + 1900,
        year => year,
    };
    let date = Date::new(year, month, day.trim().parse().ok()?).ok()?;
    Some((date, time_of_day(&[time])?.seconds))
}

/// `Feb`, `Дек`, `8月`: from 1.
fn month_of(name: &str) -> Option<i8> {
    let name = name.trim().to_lowercase();
    if let Some(number) = name.strip_suffix(['月', '월']) {
        return number.parse().ok();
    }
    let is_it = |known: &&[&str]| known.iter().any(|beginning| name.starts_with(beginning));
    MONTHS.iter().position(is_it).map(|at| at as i8 + 1)
}

/// A date and a time in one text: `12-Feb-17 12:22`, `24-8月 -17 19:30`.
fn moment(text: &str) -> Option<(Date, i64)> {
    let (date, time) = text.trim().rsplit_once(' ')?;
    instant(&date.replace(' ', ""), time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_snapshots() {
        let noon = Some((Date::constant(2017, 2, 12), 12 * 3600 + 22 * 60 + 6));
        assert_eq!(instant("12-Feb-17", "12:22:06"), noon);
        assert_eq!(instant("12-FEB-2017", "12:22:06"), noon);
        assert_eq!(instant("12-Feb-17", "12:22"), Some((Date::constant(2017, 2, 12), 12 * 3600 + 22 * 60)));
        assert_eq!(instant("Date", "11:39:12"), None);
        assert_eq!(instant("12-2月-17", "12:22:06"), noon);
        assert_eq!(instant("12-Фев-17", "12:22:06"), noon);
        assert_eq!(moment("12-2月 -17 12:22:06"), noon);
        assert_eq!(moment("12-FÉVR.-17 12:22:06"), noon);
        assert_eq!(instant("12-13月-17", "11:39:12"), None);
        let mut told = ReportState::default();
        assert!(told.snapshot(&["Begin", "Snap:", "45952", "12-2月", "-17", "12:22:06", "8872", ".2"]));
        assert_eq!(told.begin, noon);
    }

    #[test]
    fn names_that_were_cut() {
        let mut told = ReportState::default();
        let row = |name: &str, is_filled| {
            let mut row = Row::of(&["event".to_owned()], vec![name.to_owned()]);
            row.is_filled = is_filled;
            row
        };
        assert_eq!(
            told.whole_name("event", &row("SQL*Net message from client", false)),
            "SQL*Net message from client"
        );
        assert_eq!(
            told.whole_name("event", &row("SQL*Net message from clien", true)),
            "SQL*Net message from client"
        );
        assert_eq!(told.whole_name("event", &row("direct path write", true)), "direct path write");
        assert_eq!(told.numbered("latch", "Memory Queue Message Sub"), "Memory Queue Message Sub");
        assert_eq!(told.numbered("latch", "Memory Queue Message Sub"), "Memory Queue Message Sub (2)");
        assert_eq!(told.longest("sql", "0w2qpuc6u2zsp"), "0w2qpuc6u2zsp");
        assert_eq!(told.longest("sql", "0w2qpuc6u2z"), "0w2qpuc6u2zsp");
    }
}
