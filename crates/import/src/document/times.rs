//! The times of one file: the order of its dates, the clock that its lines tell, and what a listing without times gets.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use heldup_model::{TimeSource, Timing};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};

use super::{Document, Line};
use crate::error::ImportError;
use crate::table::sheets::{ORDER_STEP_MS, When};
use crate::text::civil::{DAY_S, midnight_s};
use crate::text::date_order::Dates;
use crate::text::{clock_line, command_line};

/// Tools whose command lines tell of an interval.
const TOOLS: [&str; 7] = ["dstat", "iostat", "lparstat", "mpstat", "prstat", "svmon", "vmstat"];
/// The longest interval that a command line is believed.
const LONGEST_INTERVAL_S: u32 = 86_400;
/// The longest step from one sample of a run to the next.
const LONGEST_STEP_MS: i64 = LONGEST_INTERVAL_S as i64 * 1000;

/// What is known of the times of a file.
#[derive(Debug)]
pub struct Times {
    /// The order of its dates.
    pub dates: Dates,
    /// Whether the last line of `uptime` had seconds, or stood below a time: else intervals between two of them are not known.
    pub is_uptime_exact: bool,
    intervals_s: BTreeMap<&'static str, f64>,
    float_ms: i64,
    /// Line of the time that a listing took from above it last.
    stamped_line: u64,
    /// The time that a line told last, and where.
    clock: Option<Clock>,
    /// By format and thing: the last time that it was given, and whether that floats.
    given: BTreeMap<(&'static str, u64), (i64, bool)>,
    /// The length of intervals was assumed.
    pub is_interval_assumed: bool,
    /// Samples are in their order only.
    pub has_order_only: bool,
    /// The day of a time was assumed: that of the file.
    pub is_day_assumed: bool,
    /// The year of a day was.
    pub lacks_year: bool,
    /// By format that goes on: the line of the time that its last sample had, and when that was.
    given_in_run: BTreeMap<&'static str, (u64, i64)>,
    is_zone_noted: bool,
    /// A line was there that no format took; and times as seconds since 1970.
    had_lines: bool,
    has_epochs: bool,
    /// The zone in which the first local time was read.
    zone: Option<ReadIn>,
    /// The last line that `uptime` printed, or a tool that begins with what it prints, and when that was.
    uptime: Option<(u64, When)>,
}

impl Default for Times {
    fn default() -> Times {
        Times {
            dates: Dates::default(),
            is_uptime_exact: true,
            intervals_s: BTreeMap::new(),
            float_ms: 0,
            stamped_line: 0,
            clock: None,
            given: BTreeMap::new(),
            is_interval_assumed: false,
            has_order_only: false,
            is_day_assumed: false,
            lacks_year: false,
            given_in_run: BTreeMap::new(),
            is_zone_noted: false,
            had_lines: false,
            has_epochs: false,
            zone: None,
            uptime: None,
        }
    }
}

/// In which zone a local time was read.
#[derive(Clone, Copy, Debug)]
enum ReadIn {
    /// That of the bundle.
    Hinted,
    /// So many seconds east of UTC.
    Offset(i64),
}

/// A time that stood in a line of its own.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    ms: i64,
    day_s: i64,
    /// Offset of its zone from UTC, where it told one.
    zone_s: Option<i64>,
    line: u64,
    /// Whether it stood before what else is in its line.
    is_before: bool,
}

impl Document {
    /// Remembers the interval that a command line tells of the listing that follows: `vmstat -S M 5`.
    pub fn take_command(&mut self, line: &Line<'_>) {
        for (at, word) in line.words.iter().enumerate() {
            let name = command_line::name_of(word);
            let Some(tool) = TOOLS.iter().find(|tool| name.eq_ignore_ascii_case(tool)) else { continue };
            if let Some(interval) = interval_among(tool, &line.words[at + 1..]) {
                self.times.intervals_s.insert(tool, f64::from(interval));
            }
            return;
        }
    }

    /// Remembers a line that is a time and nothing else: the listings below it are of then.
    pub fn take_time(&mut self, line: &Line<'_>) {
        let order = self.times.dates.order;
        // A number alone is a time where the file begins with one: a loop of `date +%s`.
        let had_lines = std::mem::replace(&mut self.times.had_lines, true);
        let is_begun = self.times.has_epochs || (!had_lines && self.notes.told.is_empty());
        let epoch = clock_line::epoch(line.words).filter(|_| line.words.len() > 1 || is_begun);
        self.times.has_epochs |= epoch.is_some();
        let told = epoch.or_else(|| clock_line::parse(line.words, order));
        if let Some(told) = told.or_else(|| clock_line::labelled(line.words, order)) {
            self.took_date(line.words);
            self.set_clock(told, line.number, false);
        }
    }

    /// Offers a line without the time that somebody put before it: the time is the listing's where `offer` says
    /// that the line was taken, else it is forgotten.
    pub fn behind_time(
        &mut self,
        told: clock_line::ClockTime,
        line: &Line<'_>,
        offer: impl FnOnce(&Line<'_>, &mut Document) -> Result<bool, ImportError>,
    ) -> Result<bool, ImportError> {
        let clock = self.times.clock;
        self.set_clock(told, line.number, true);
        let is_taken = offer(line, self)?;
        if !is_taken {
            self.times.clock = clock;
        }
        Ok(is_taken)
    }

    fn set_clock(&mut self, told: clock_line::ClockTime, line: u64, is_before: bool) {
        let ms = self.instant_ms(told.day, told.seconds, told.zone_s);
        let (day_s, zone_s) = (midnight_s(told.day), told.zone_s);
        self.times.clock = Some(Clock { ms, day_s, zone_s, line, is_before });
    }

    /// When a sample was made of a tool that goes on and prints no times: at the time that stood above it last
    /// (`clock`), else an interval behind the sample before it, `told_s` where the listing itself tells how long it
    /// is. Of the first sample of a run nobody knows since when it counts.
    pub fn moment_of_run(
        &mut self,
        format: &'static str,
        clock: Option<Clock>,
        is_first: bool,
        told_s: Option<f64>,
    ) -> When {
        let last = self.times.given_in_run.get(format).copied();
        let stepped_s = clock.zip(last).map(|(clock, (line, last))| (clock.line != line, clock.ms - last));
        let secs = match stepped_s {
            _ if is_first => None,
            Some((true, step)) if (1..=LONGEST_STEP_MS).contains(&step) => Some(step as f64 / 1000.0),
            None if clock.is_some() => None,
            _ => Some(told_s.unwrap_or_else(|| self.interval_s(format))),
        };
        let Some(clock) = clock else { return self.floating(secs) };
        let ms = match last {
            // Below the same time, or one that is no later.
            Some((line, last)) if line == clock.line || (0..LONGEST_STEP_MS).contains(&(last - clock.ms)) => {
                last + secs.map_or(ORDER_STEP_MS, |secs| (secs * 1000.0) as i64)
            }
            _ => clock.ms,
        };
        self.times.given_in_run.insert(format, (clock.line, ms));
        When { ms, secs, floats: false }
    }

    /// When a listing without times was made: at the time that stood above it, else at the moment that the file is of.
    /// Where the same listing was there before, it is of later, and nobody knows how much.
    pub fn moment(&mut self, format: &'static str) -> When {
        self.moment_of(format, "")
    }

    /// The same of a listing of one thing, which those of other things do not make later.
    pub fn moment_of(&mut self, format: &'static str, thing: &str) -> When {
        let clock = self.times.clock;
        let (now, floats) = clock.map_or((self.times.float_ms, true), |clock| (clock.ms, false));
        let mut hasher = DefaultHasher::new();
        thing.hash(&mut hasher);
        let given = self.times.given.entry((format, hasher.finish())).or_insert((i64::MIN, floats));
        let is_again = given.1 == floats && given.0 >= now;
        let ms = if is_again { given.0 + ORDER_STEP_MS } else { now };
        *given = (ms, floats);
        if is_again {
            self.times.has_order_only = true;
            self.note("several samples of one time, or of none: in their order, with unknown intervals");
        }
        When { ms, secs: None, floats }
    }

    /// The time that a line told last.
    pub fn clock(&self) -> Option<Clock> {
        self.times.clock
    }

    /// Line of the last time that stood alone; 0 before the first, and where times stand before each line.
    pub fn clock_line(&self) -> u64 {
        self.times.clock.filter(|clock| !clock.is_before).map_or(0, |clock| clock.line)
    }

    /// Seconds between two samples of a tool that prints none: what its command line said, else one
    /// second, which is noted.
    pub fn interval_s(&mut self, tool: &'static str) -> f64 {
        match self.times.intervals_s.get(tool) {
            Some(interval) => *interval,
            None => {
                self.times.is_interval_assumed = true;
                self.sheets.is_interval_assumed = true;
                self.notes.texts.insert(format!(
                    "{tool}: no times and no command line in the file: unknown interval; rates per second are used, \
                     and durations are numbers of samples"
                ));
                1.0
            }
        }
    }

    /// The interval that a command line told.
    pub fn told_interval_s(&self, tool: &'static str) -> Option<f64> {
        self.times.intervals_s.get(tool).copied()
    }

    /// The time that stood above a listing whose first line is this one, within three lines; of each such time once.
    pub fn stamp_above(&mut self, line: u64) -> Option<i64> {
        let clock = self.times.clock.filter(|clock| clock.line < line && line <= clock.line + 3)?;
        let is_used = std::mem::replace(&mut self.times.stamped_line, clock.line) == clock.line;
        (!is_used).then_some(clock.ms)
    }

    /// A line of `uptime` was read.
    pub fn took_uptime(&mut self, line: u64, when: When) {
        self.times.uptime = Some((line, when));
    }

    /// The line of `uptime` right above a line, blank ones apart, and when it was printed.
    pub fn uptime_above(&self, line: u64) -> Option<(u64, When)> {
        self.times.uptime.filter(|(above, _)| *above < line && line <= above + 2)
    }

    /// The day on which times without a date begin: that of the last time in a line of its own, the
    /// banner's, else that of the file.
    pub fn base_day_s(&mut self) -> i64 {
        if let Some(clock) = self.times.clock {
            return clock.day_s;
        }
        match self.facts.banner.as_ref().and_then(|banner| banner.date) {
            Some(date) => midnight_s(date),
            None => self.day_of_file_s(),
        }
    }

    /// The day on which the report was made that a file is part of, else that of its modification, which is noted.
    fn day_of_file_s(&mut self) -> i64 {
        if self.hints.taken_ms.is_none() {
            self.times.is_day_assumed = true;
            self.note("no date in the file: the day of its modification is assumed");
        }
        let local_s = self.hints.latest_ms().div_euclid(1000);
        let zone_s = self.hints.zone.as_ref().and_then(|(zone, _)| offset_s(zone, local_s)).unwrap_or(0);
        (local_s + zone_s).div_euclid(DAY_S) * DAY_S
    }

    /// The year of a date was taken from when the file was last written.
    pub fn assume_year(&mut self) {
        if self.hints.taken_ms.is_none() {
            self.times.is_day_assumed = true;
            self.times.lacks_year = true;
            self.note("no year in the file: the year of its modification is assumed");
        }
    }

    /// The last such day before the file was written, whose year is noted.
    pub fn day_of_year(&mut self, month: i8, day: i8) -> Option<Date> {
        self.assume_year();
        let latest = Timestamp::from_millisecond(self.hints.latest_ms()).ok()?;
        let latest = latest.to_zoned(TimeZone::UTC).date().tomorrow().ok()?;
        let of = |year: i16| Date::new(year, month, day).ok();
        of(latest.year()).filter(|day| *day <= latest).or_else(|| of(latest.year() - 1))
    }

    /// What its times are worth: whether any stand in the file, and whether any interval is known.
    pub fn timing(&self, is_dated: bool, has_secs: bool) -> Timing {
        let Times { is_day_assumed, is_interval_assumed, has_order_only, .. } = self.times;
        let time = match is_dated {
            true if !is_day_assumed => TimeSource::Recorded,
            true if self.hints.written_ms() > 0 => TimeSource::Assumed,
            false if self.hints.taken_ms.is_some() => TimeSource::Recorded,
            _ => TimeSource::Unknown,
        };
        Timing { time, has_intervals: !is_interval_assumed && (has_secs || !has_order_only) }
    }

    /// The instant of a local date and time; the zone of which nothing is known is taken for UTC.
    pub fn instant_ms(&mut self, date: Date, seconds: i64, zone_s: Option<i64>) -> i64 {
        let local_s = midnight_s(date) + seconds;
        (local_s - self.zone_at_s(zone_s, local_s)) * 1000
    }

    /// An offset from UTC; where the line does not tell it, what is known of the machine, else none with
    /// a note.
    #[allow(dead_code, reason = "for listings without a day")]
    pub fn zone_s(&mut self, told: Option<i64>) -> i64 {
        let modified_s = self.hints.written_ms().div_euclid(1000);
        self.zone_at_s(told, modified_s)
    }

    /// The same at a local time, in seconds since 1970-01-01: summer has another than winter.
    pub fn zone_at_s(&mut self, told: Option<i64>, local_s: i64) -> i64 {
        if let Some(zone_s) = told.or(self.times.clock.and_then(|clock| clock.zone_s)) {
            self.times.zone.get_or_insert(ReadIn::Offset(zone_s));
            return zone_s;
        }
        if let Some((zone, name)) = &self.hints.zone
            && let Some(offset_s) = offset_s(zone, local_s)
        {
            if !self.times.is_zone_noted {
                self.notes
                    .texts
                    .insert(format!("the time zone is not in the file: {name}, from other files"));
                self.times.is_zone_noted = true;
            }
            self.times.zone.get_or_insert(ReadIn::Hinted);
            return offset_s;
        }
        self.note("no time zone in the file: UTC assumed");
        self.times.zone.get_or_insert(ReadIn::Offset(0));
        0
    }

    /// The zone of the local times in the file, as they were read; none where it has none.
    pub fn zone_read(&self) -> Option<TimeZone> {
        match self.times.zone? {
            ReadIn::Hinted => self.hints.zone.as_ref().map(|(zone, _)| zone.clone()),
            ReadIn::Offset(0) => Some(TimeZone::UTC),
            ReadIn::Offset(seconds) => {
                Offset::from_seconds(i32::try_from(seconds).ok()?).ok().map(TimeZone::fixed)
            }
        }
    }

    /// A date among these words was read: where it could have been another, that is noted.
    pub fn took_date(&mut self, words: &[&str]) {
        if self.times.dates.note.is_some() && words.iter().any(|word| Dates::is_either(word)) {
            self.notes.texts.extend(self.times.dates.note.take());
        }
    }

    /// The next sample of a listing without times: an interval behind the one before it, or only later.
    pub fn floating(&mut self, secs: Option<f64>) -> When {
        self.times.has_order_only |= secs.is_none() && self.times.float_ms > 0;
        self.times.float_ms += secs.map_or(ORDER_STEP_MS, |secs| (secs * 1000.0) as i64);
        When { ms: self.times.float_ms, secs, floats: true }
    }

    /// A sample of a recording that has times of its own, but not what they count from.
    pub fn float_at(&mut self, ms: i64) -> When {
        self.times.float_ms = self.times.float_ms.max(ms);
        When { ms, secs: None, floats: true }
    }
}

/// The interval among the arguments of a command line, where what stands before it are options, their values and
/// names of devices, and not a sentence: `vmstat -S M 5`, `iostat -x sda 5`, not `vmstat of 2 nodes`.
fn interval_among(tool: &str, arguments: &[&str]) -> Option<u32> {
    let mut after_option = false;
    for word in arguments {
        let number = word.trim_end_matches(['`', '|']).split('|').next().and_then(|w| w.parse::<u32>().ok());
        if let Some(number) = number.filter(|s| (1..=LONGEST_INTERVAL_S).contains(s)) {
            return Some(number);
        }
        let is_option = word.starts_with('-');
        let is_name = tool == "iostat" || word.bytes().any(|byte| byte.is_ascii_digit());
        if !(is_option || is_name || after_option) {
            return None;
        }
        after_option = is_option;
    }
    None
}

/// How far a zone is from UTC at a local time; of an hour that there is twice the first.
fn offset_s(zone: &TimeZone, local_s: i64) -> Option<i64> {
    let local = Timestamp::from_second(local_s).ok()?.to_zoned(TimeZone::UTC).datetime();
    let instant = zone.to_ambiguous_timestamp(local).compatible().ok()?;
    Some(local_s - instant.as_second())
}

/// The instant of a local time in a zone, or in UTC, in milliseconds.
pub fn local_ms(local_s: i64, zone: Option<&TimeZone>) -> i64 {
    (local_s - zone.and_then(|zone| offset_s(zone, local_s)).unwrap_or(0)) * 1000
}
