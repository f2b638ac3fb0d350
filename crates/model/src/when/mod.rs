//! Times as people write them: `yesterday 03:00`, `2 hours ago`, `last night`, `2026-11-20T03:00Z`.
//!
//! [`Clock`] knows what time it is and which zone is meant; [`Clock::span`] turns what was
//! written behind `--since` and `--until` into a [`Span`]. Nothing here asks the system for
//! the time or the zone, so that every phrase is tested at every hour of every zone.
//!
//! Choices, which `docs/decisions/0007-comparison.md` gives the reasons of:
//!
//! - A time of day without a day is the last one that has been, of a recording the last one before its end; behind `--until` the first
//!   one after `--since`. A weekday, and a date without a year, is the last one that has been.
//! - `today` and `yesterday` begin at midnight. Parts of a day are spans: morning 06 to 12,
//!   afternoon 12 to 18, evening 18 to 22, night 22 to 06 of the next day.
//! - Days and weeks are the calendar's, hours and less are elapsed time.
//! - A local time that occurred twice, because the clocks went back, is the first one behind
//!   `--since` and the second one behind `--until`; one that never was is the moment at which
//!   the clocks went forward. Both are reported in a note. An offset (`02:30+01:00`) decides.

mod phrase;
mod words;

use std::cmp::Ordering;

use jiff::civil::{DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

use crate::capture::Span;
use phrase::{Day, Phrase, Point};

/// What could not be read as a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhenError {
    /// What was written.
    pub text: String,
    /// Where in it, in characters from 1.
    pub at: usize,
    /// What was found there.
    pub found: String,
    /// What was expected.
    pub expected: String,
}

impl std::fmt::Display for WhenError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let WhenError { text, at, found, expected } = self;
        write!(out, "`{text}`, character {at}: {found}; expected {expected}")
    }
}

impl std::error::Error for WhenError {}

/// A span of time, and what has to be said about how it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// From when to when.
    pub span: Span,
    /// Sentences about choices that were made.
    pub notes: Vec<String>,
}

/// Which end of a span a phrase is for: it decides what an ambiguous one means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Since,
    /// After this moment.
    Until(Timestamp),
}

/// What time it is, and where.
pub struct Clock<'a> {
    /// Now, in the zone in which times without a zone are meant.
    pub now: Zoned,
    /// Finds a zone by its name in the tz database (`Europe/Berlin`).
    pub zone: &'a dyn Fn(&str) -> Option<TimeZone>,
}

impl Clock<'_> {
    /// The span from `since` until `until`; without `until` to the end of the part of a day
    /// that `since` names (`last night`), else until now.
    pub fn span(&self, since: &str, until: Option<&str>) -> Result<Asked, WhenError> {
        self.span_before(since, until, None)
    }

    /// As [`Clock::span`], of a recording: a time of day without a day is the last one before its end.
    pub fn span_within(&self, since: &str, until: Option<&str>, recorded: Span) -> Result<Asked, WhenError> {
        let end = Timestamp::from_millisecond(recorded.until_ms).ok();
        let end = end.filter(|end| *end < self.now.timestamp());
        self.span_before(since, until, end.map(|end| end.to_zoned(self.now.time_zone().clone())))
    }

    /// As [`Clock::span_within`], of files of long ago: `yesterday` is the day before the end of the recording where
    /// nothing was recorded on that of now, and so are weekdays and `2 hours ago`. That is noted.
    pub fn span_of_files(
        &self,
        since: &str,
        until: Option<&str>,
        recorded: Span,
    ) -> Result<Asked, WhenError> {
        let asked = self.span_within(since, until, recorded);
        let has_data = |asked: &Asked| {
            asked.span.until_ms > recorded.since_ms && asked.span.since_ms < recorded.until_ms
        };
        let end = Timestamp::from_millisecond(recorded.until_ms - 1).ok();
        let (Some(end), true) = (end, phrase::parse(since, self.zone)?.is_relative()) else { return asked };
        if asked.as_ref().is_ok_and(has_data) {
            return asked;
        }
        let then = Clock { now: end.to_zoned(self.now.time_zone().clone()), zone: self.zone };
        match then.span(since, until) {
            Ok(mut found) if has_data(&found) => {
                // What is not yet then has been since.
                found.notes.retain(|note| !note.contains("is not yet"));
                found
                    .notes
                    .push(format!("`{since}` is counted from the end of the recording, {}", self.show(end)));
                Ok(found)
            }
            _ => asked,
        }
    }

    /// The span; a time of day without a day is the last one before `end`, else before now.
    fn span_before(&self, since: &str, until: Option<&str>, end: Option<Zoned>) -> Result<Asked, WhenError> {
        let mut notes = Vec::new();
        let now = self.now.timestamp();
        let from = phrase::parse(since, self.zone)?;
        let anchor = end.filter(|_| from.day.is_none()).map(|now| Clock { now, zone: self.zone });
        let start = anchor.as_ref().unwrap_or(self).resolve(&from, End::Since, since, &mut notes)?;
        if start >= now {
            return Err(error(since, 1, format!("{} is not yet", self.show(start)), "a time that has been"));
        }
        let mut end = match until {
            Some(text) => {
                let phrase = phrase::parse(text, self.zone)?;
                self.resolve(&phrase, End::Until(start), text, &mut notes)?
            }
            None if from.is_part_of_day() => {
                self.resolve(&from, End::Until(start), since, &mut Vec::new())?
            }
            None => now,
        };
        let ends = until.unwrap_or(since);
        if end > now {
            if until.is_some() {
                notes.push(format!("{} is not yet: until now", self.show(end)));
            }
            end = now;
        }
        if end <= start {
            let found = format!("{} is not after {}", self.show(end), self.show(start));
            return Err(error(ends, 1, found, "an end after the start"));
        }
        let span = Span { since_ms: start.as_millisecond(), until_ms: end.as_millisecond() };
        Ok(Asked { span, notes })
    }

    fn resolve(
        &self,
        phrase: &Phrase,
        end: End,
        text: &str,
        notes: &mut Vec<String>,
    ) -> Result<Timestamp, WhenError> {
        let zone = phrase.zone.clone().unwrap_or_else(|| self.now.time_zone().clone());
        let now = self.now.with_time_zone(zone.clone());
        let beyond =
            |_| error(text, 1, "beyond the calendar".to_owned(), "a time between the years 0 and 9999");
        let time = match (&phrase.point, end) {
            (Some(Point::Part(part)), End::Until(_)) => Some((part.until, part.days)),
            (Some(Point::Part(part)), End::Since) => Some((part.since, 0)),
            (Some(Point::Time(time)), _) => Some((*time, 0)),
            (None, _) => None,
        };
        let day = match (&phrase.day, time, end) {
            (Some(Day::Now), _, _) => return Ok(now.timestamp()),
            (Some(Day::Unix(at)), _, _) => return Ok(*at),
            (Some(Day::Back(span)), None, _) => {
                return Ok(now.checked_sub(*span).map_err(beyond)?.timestamp());
            }
            (Some(Day::Ahead(span)), _, End::Until(start)) => {
                return Ok(start.to_zoned(zone).checked_add(*span).map_err(beyond)?.timestamp());
            }
            (Some(Day::Ahead(_)), _, End::Since) => {
                return Err(error(
                    text,
                    1,
                    "counts from --since".to_owned(),
                    "a time that has been, as in -2h",
                ));
            }
            (Some(Day::Back(span)), Some(_), _) => now.checked_sub(*span).map_err(beyond)?.date(),
            (Some(day), time, _) => day.date(&now, time.map_or(Time::midnight(), |t| t.0)).map_err(beyond)?,
            (None, Some((time, _)), End::Until(start)) => {
                return self.first_after(start, time, &zone, notes).map_err(beyond);
            }
            (None, Some((time, _)), End::Since) => {
                let today = now.date();
                if time <= now.time() { today } else { today.yesterday().map_err(beyond)? }
            }
            (None, None, _) => return Err(error(text, 1, "names no time".to_owned(), words::EXAMPLES)),
        };
        let (time, days) = time.unwrap_or((Time::midnight(), 0));
        let day = day.checked_add(jiff::Span::new().days(days)).map_err(beyond)?;
        self.instant(day.to_datetime(time), &zone, end, notes).map_err(beyond)
    }

    /// The first moment after `start` at which a clock in this zone shows `time`.
    fn first_after(
        &self,
        start: Timestamp,
        time: Time,
        zone: &TimeZone,
        notes: &mut Vec<String>,
    ) -> Result<Timestamp, jiff::Error> {
        let mut day = start.to_zoned(zone.clone()).date();
        loop {
            let mut said = Vec::new();
            let at = self.instant(day.to_datetime(time), zone, End::Until(start), &mut said)?;
            if at > start {
                notes.extend(said);
                return Ok(at);
            }
            day = day.tomorrow()?;
        }
    }

    /// The moment that a clock on the wall shows as `wall`.
    fn instant(
        &self,
        wall: DateTime,
        zone: &TimeZone,
        end: End,
        notes: &mut Vec<String>,
    ) -> Result<Timestamp, jiff::Error> {
        match zone.to_ambiguous_timestamp(wall).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(wall),
            AmbiguousOffset::Fold { before, after } => {
                let (which, offset) = match end {
                    End::Since => ("first", before),
                    End::Until(_) => ("second", after),
                };
                let time = wall.time();
                notes.push(format!(
                    "{wall} occurred twice, because the clocks went back: the {which} is taken; \
                     write {time}{before} or {time}{after} to say which"
                ));
                offset.to_timestamp(wall)
            }
            AmbiguousOffset::Gap { before, .. } => {
                // Read with the offset of before, a time in the gap lies behind its end by less
                // than the gap is long: the change is the last one before it.
                let inside = before.to_timestamp(wall)?;
                let after = inside.checked_add(SignedDuration::from_nanos(1))?;
                let change = zone.preceding(after).next().map_or(inside, |change| change.timestamp());
                let shown = change.to_zoned(zone.clone()).datetime();
                notes.push(format!(
                    "{wall} never was, because the clocks went forward: {shown} is taken, when they did"
                ));
                Ok(change)
            }
        }
    }

    fn show(&self, at: Timestamp) -> String {
        at.to_zoned(self.now.time_zone().clone()).strftime("%F %T %:z").to_string()
    }
}

impl Day {
    /// The date of the last such day that has been: of a weekday or a date without a year the
    /// one on which `time` is not yet to come.
    fn date(&self, now: &Zoned, time: Time) -> Result<jiff::civil::Date, jiff::Error> {
        let today = now.date();
        let still_to_come = time > now.time();
        match *self {
            Day::Yesterday => today.yesterday(),
            Day::Date(date) => Ok(date),
            Day::Weekday { weekday, before_today } => {
                let back = i64::from(weekday.until(today.weekday()));
                let back = if back == 0 && (still_to_come || before_today) { 7 } else { back };
                today.checked_sub(jiff::Span::new().days(back))
            }
            Day::InYear { month, day } => {
                // The 29th of February has been at most eight years ago (1896 to 1904).
                let candidates = (0..=8).filter_map(|years| {
                    jiff::civil::Date::new(today.year().checked_sub(years)?, month, day).ok()
                });
                let has_been = |date: &jiff::civil::Date| match date.cmp(&today) {
                    Ordering::Less => true,
                    Ordering::Equal => !still_to_come,
                    Ordering::Greater => false,
                };
                candidates
                    .into_iter()
                    .find(has_been)
                    .map_or_else(|| jiff::civil::Date::new(today.year(), month, day), Ok)
            }
            // These are no days; the caller has resolved them.
            Day::Today | Day::Now | Day::Unix(_) | Day::Back(_) | Day::Ahead(_) => Ok(today),
        }
    }
}

fn error(text: &str, at: usize, found: String, expected: impl Into<String>) -> WhenError {
    WhenError { text: text.to_owned(), at, found, expected: expected.into() }
}

#[cfg(test)]
mod tests;
