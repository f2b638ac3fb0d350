//! From the words of a time to what it names: a day, a time of day, a zone.
//!
//! The words may come in any order (`03:00 yesterday`); what must follow each other are
//! a number and its unit, and a day and its month.

use jiff::Timestamp;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;

use super::words::{self, PartOfDay, Unit};
use super::{WhenError, error};

/// What day is meant, or which moment at once.
#[derive(Clone, Debug)]
pub(super) enum Day {
    Now,
    Unix(Timestamp),
    /// So long before now.
    Back(jiff::Span),
    /// So long after the start.
    Ahead(jiff::Span),
    Today,
    Yesterday,
    Weekday {
        weekday: Weekday,
        before_today: bool,
    },
    Date(Date),
    InYear {
        month: i8,
        day: i8,
    },
}

/// What time of the day.
#[derive(Clone, Copy, Debug)]
pub(super) enum Point {
    Time(Time),
    Part(PartOfDay),
}

/// What a text names.
#[derive(Clone, Debug, Default)]
pub(super) struct Phrase {
    pub day: Option<Day>,
    pub point: Option<Point>,
    pub zone: Option<TimeZone>,
}

impl Phrase {
    /// Whether its day is counted from now, as that of `yesterday` is.
    pub fn is_relative(&self) -> bool {
        let Some(day) = &self.day else { return false };
        matches!(day, Day::Back(_) | Day::Today | Day::Yesterday | Day::Weekday { .. } | Day::InYear { .. })
    }

    pub fn is_part_of_day(&self) -> bool {
        matches!(self.point, Some(Point::Part(_)))
    }
}

/// A word and where it begins, in characters from 1.
#[derive(Clone, Debug)]
struct Word {
    at: usize,
    /// As it was written: names of zones have capital letters.
    written: String,
    text: String,
}

struct Reader<'a> {
    text: &'a str,
    words: Vec<Word>,
    next: usize,
    zones: &'a dyn Fn(&str) -> Option<TimeZone>,
    phrase: Phrase,
    /// Numbers with units that have been read and whose `ago` is awaited.
    counted: Option<(usize, jiff::Span)>,
    year: Option<(usize, i16)>,
}

/// Reads a text.
pub(super) fn parse(text: &str, zones: &dyn Fn(&str) -> Option<TimeZone>) -> Result<Phrase, WhenError> {
    let words = split(text);
    let mut reader =
        Reader { text, words, next: 0, zones, phrase: Phrase::default(), counted: None, year: None };
    while let Some(word) = reader.take() {
        reader.word(&word)?;
    }
    reader.finish()
}

/// Words lie between spaces and commas; a date and its time that a `T` joins are two, and
/// an offset behind a time is one of its own.
fn split(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = 1;
    for piece in text.split([' ', '\t', ',']) {
        let mut written = piece.to_owned();
        let mut from = at;
        let lower = |text: &str| text.to_ascii_lowercase();
        let mut push = |from: usize, written: &str| {
            if !written.is_empty() {
                words.push(Word { at: from, written: written.to_owned(), text: lower(written) });
            }
        };
        if let Some(end) = words::date_before_t(&lower(&written)) {
            push(from, &written[..end]);
            from += end + 1;
            written.drain(..=end);
        }
        if let Some(end) = words::offset_behind_time(&lower(&written)) {
            push(from, &written[..end]);
            from += end;
            written.drain(..end);
            // As Temporal and java.time write it: 03:00+01:00[Europe/Berlin].
            if let Some(bracket) = written.find('[').filter(|&bracket| bracket > 0) {
                push(from, &written[..bracket]);
                written.clear();
            }
        }
        push(from, &written);
        at += piece.chars().count() + 1;
    }
    words
}

impl Reader<'_> {
    fn take(&mut self) -> Option<Word> {
        let word = self.words.get(self.next).cloned();
        self.next += usize::from(word.is_some());
        word
    }

    fn peek(&self) -> Option<&str> {
        self.words.get(self.next).map(|word| word.text.as_str())
    }

    fn fail<T>(&self, at: usize, found: impl Into<String>, expected: &str) -> Result<T, WhenError> {
        Err(error(self.text, at, found.into(), expected))
    }

    fn day(&mut self, at: usize, day: Day) -> Result<(), WhenError> {
        if self.phrase.day.is_some() || self.counted.is_some() {
            return self.fail(at, "a second day", "one day");
        }
        self.phrase.day = Some(day);
        Ok(())
    }

    fn point(&mut self, at: usize, point: Point) -> Result<(), WhenError> {
        if self.phrase.point.is_some() {
            return self.fail(at, "a second time of day", "one time of day");
        }
        self.phrase.point = Some(point);
        Ok(())
    }

    fn zone(&mut self, at: usize, zone: TimeZone) -> Result<(), WhenError> {
        if self.phrase.zone.is_some() {
            return self.fail(at, "a second zone", "one zone");
        }
        self.phrase.zone = Some(zone);
        Ok(())
    }

    fn word(&mut self, word: &Word) -> Result<(), WhenError> {
        let at = word.at;
        let text = word.text.as_str();
        match text {
            "at" | "on" | "the" | "of" => return Ok(()),
            "now" => return self.day(at, Day::Now),
            "today" => return self.day(at, Day::Today),
            "yesterday" => return self.day(at, Day::Yesterday),
            "tonight" => {
                self.day(at, Day::Today)?;
                return self.part(at, "night");
            }
            "ago" => return self.ago(at),
            "last" => return self.last(at),
            "this" => {
                self.day(at, Day::Today)?;
                let part = self.take();
                return self.part(at, part.as_ref().map_or("", |part| part.text.as_str()));
            }
            "a" | "an" | "one" => return self.number(at, 1),
            _ => {}
        }
        if let Some(seconds) = text.strip_prefix('@') {
            return self.unix(at, seconds);
        }
        if let Some(length) = text.strip_prefix('-').and_then(words::lengths) {
            return self.day(at, Day::Back(length));
        }
        if let Some(length) = text.strip_prefix('+').and_then(words::lengths) {
            return self.day(at, Day::Ahead(length));
        }
        if let Some(zone) = words::fixed_zone(text) {
            return self.zone(at, zone);
        }
        self.clock_or_calendar(word)
    }

    fn clock_or_calendar(&mut self, word: &Word) -> Result<(), WhenError> {
        let at = word.at;
        let text = word.text.as_str();
        if let Some(time) = words::time(text) {
            return match time {
                Ok(time) => self.point(at, Point::Time(time)),
                Err(()) => {
                    self.fail(at, format!("`{text}` is no time of day"), "00:00 to 23:59, or 1am to 12pm")
                }
            };
        }
        if let Some(date) = words::date(text) {
            return match date {
                Ok(date) => self.day(at, Day::Date(date)),
                Err(()) => self.fail(at, format!("`{text}` is no day"), "year-month-day, as in 2026-11-20"),
            };
        }
        if let Some(weekday) = words::weekday(text) {
            return self.day(at, Day::Weekday { weekday, before_today: false });
        }
        if let Some(month) = words::month(text) {
            return self.month(at, month, None);
        }
        if words::part_of_day(text).is_some() {
            return self.part(at, text);
        }
        if let Ok(number) = text.parse::<i64>() {
            return self.number(at, number);
        }
        if let Some(length) = words::lengths(text) {
            return self.count(at, length);
        }
        let name = word.written.trim_matches(['[', ']']);
        if let Some(zone) = (self.zones)(name) {
            return self.zone(at, zone);
        }
        if text.contains('/') && text.starts_with(|c: char| c.is_ascii_digit()) {
            return self.fail(
                at,
                format!("`{text}` can be read in two ways"),
                "year-month-day, as in 2026-11-20",
            );
        }
        self.fail(at, format!("`{}` is no word of a time", word.written), words::EXAMPLES)
    }

    fn unix(&mut self, at: usize, seconds: &str) -> Result<(), WhenError> {
        const EXPECTED: &str = "seconds since 1970, as in @1763700000";
        let ms = seconds.parse::<f64>().map(|seconds| (seconds * 1000.0).round());
        // Up to 2^53 every whole number is a double of its own.
        match ms.ok().filter(|ms| ms.abs() < 9e15).and_then(|ms| Timestamp::from_millisecond(ms as i64).ok())
        {
            Some(time) => self.day(at, Day::Unix(time)),
            None => self.fail(at, format!("`@{seconds}` is no number of seconds of our calendar"), EXPECTED),
        }
    }

    /// A number: of a unit, of a half day (`3 pm`), of a day of a month (`20 nov`), or a year.
    fn number(&mut self, at: usize, number: i64) -> Result<(), WhenError> {
        let next = self.peek().unwrap_or("").to_owned();
        if let Some(unit) = words::unit(&next) {
            self.next += 1;
            return self.counted_unit(at, number, unit);
        }
        if matches!(next.as_str(), "am" | "pm") {
            self.next += 1;
            return match words::time(&format!("{number}{next}")) {
                Some(Ok(time)) => self.point(at, Point::Time(time)),
                _ => self.fail(at, format!("`{number} {next}` is no time of day"), "1 am to 12 pm"),
            };
        }
        if let Some(month) = words::month(&next) {
            self.next += 1;
            return self.month(at, month, Some(number));
        }
        if self.year.is_none()
            && let Some(year) = i16::try_from(number).ok().filter(|year| *year >= 1970)
        {
            self.year = Some((at, year));
            return Ok(());
        }
        self.fail(
            at,
            format!("`{number}` has no unit"),
            "s, m, h, d or w behind a number, as in `2 h ago`; or 03:00",
        )
    }

    fn counted_unit(&mut self, at: usize, number: i64, unit: Unit) -> Result<(), WhenError> {
        match words::length(jiff::Span::new(), number, unit) {
            Some(length) if number >= 0 => self.count(at, length),
            _ => self.fail(at, format!("`{number}` is too many"), "a time that our calendar has"),
        }
    }

    fn count(&mut self, at: usize, length: jiff::Span) -> Result<(), WhenError> {
        let so_far = self.counted.map_or(jiff::Span::new(), |counted| counted.1);
        let parts = [
            (Unit::Second, length.get_seconds()),
            (Unit::Minute, length.get_minutes()),
            (Unit::Hour, i64::from(length.get_hours())),
            (Unit::Day, i64::from(length.get_days())),
            (Unit::Week, i64::from(length.get_weeks())),
        ];
        let sum = parts.iter().try_fold(so_far, |sum, &(unit, count)| words::length(sum, count, unit));
        match sum {
            Some(sum) => {
                self.counted = Some((self.counted.map_or(at, |counted| counted.0), sum));
                Ok(())
            }
            None => self.fail(at, "too long", "a time that our calendar has"),
        }
    }

    fn ago(&mut self, at: usize) -> Result<(), WhenError> {
        match self.counted.take() {
            Some((from, length)) => self.day(from, Day::Back(length)),
            None => self.fail(at, "`ago` follows no length of time", "as in `2 hours ago`"),
        }
    }

    /// `last night`, `last monday`, `last hour`, `last 2 hours`.
    fn last(&mut self, at: usize) -> Result<(), WhenError> {
        const EXPECTED: &str = "as in `last night`, `last monday` or `last 2 hours`";
        let Some(word) = self.take() else { return self.fail(at, "`last` of nothing", EXPECTED) };
        if let Some(weekday) = words::weekday(&word.text) {
            return self.day(at, Day::Weekday { weekday, before_today: true });
        }
        if words::part_of_day(&word.text).is_some() {
            self.day(at, Day::Yesterday)?;
            return self.part(word.at, &word.text);
        }
        match (words::unit(&word.text), word.text.parse::<i64>()) {
            (Some(unit), _) => self.counted_unit(word.at, 1, unit)?,
            (None, Ok(number)) => self.number(word.at, number)?,
            (None, Err(_)) => return self.fail(word.at, format!("`last {}`", word.text), EXPECTED),
        }
        match self.counted.is_some() {
            true => self.ago(at),
            false => self.fail(at, format!("`last {}`", word.text), EXPECTED),
        }
    }

    fn part(&mut self, at: usize, text: &str) -> Result<(), WhenError> {
        match words::part_of_day(text) {
            Some(part) => self.point(at, Point::Part(part)),
            None => {
                self.fail(at, format!("`{text}` is no part of a day"), "morning, afternoon, evening or night")
            }
        }
    }

    fn month(&mut self, at: usize, month: i8, before: Option<i64>) -> Result<(), WhenError> {
        const EXPECTED: &str = "a day of the month, as in `nov 20`";
        let day = match before {
            Some(day) => Some(day),
            None => self.take().and_then(|word| word.text.parse::<i64>().ok()),
        };
        // A leap year, for the 29th of February.
        let day =
            day.and_then(|day| i8::try_from(day).ok()).filter(|&day| Date::new(2024, month, day).is_ok());
        match day {
            Some(day) => self.day(at, Day::InYear { month, day }),
            None => self.fail(at, "a month without a day that it has", EXPECTED),
        }
    }

    fn finish(mut self) -> Result<Phrase, WhenError> {
        if let Some((at, _)) = self.counted {
            return self.fail(at, "a length of time", "`ago` behind it, or `-` before it, as in -2h");
        }
        match (self.year, &self.phrase.day) {
            (Some((at, year)), Some(Day::InYear { month, day })) => match Date::new(year, *month, *day) {
                Ok(date) => self.phrase.day = Some(Day::Date(date)),
                Err(_) => return self.fail(at, format!("{year} has no such day"), "a day of that year"),
            },
            (Some((at, year)), _) => {
                return self.fail(at, format!("`{year}` is no time"), words::EXAMPLES);
            }
            (None, _) => {}
        }
        let Phrase { day, point, .. } = &self.phrase;
        let days_only =
            |span: &jiff::Span| span.get_hours() == 0 && span.get_minutes() == 0 && span.get_seconds() == 0;
        match (day, point) {
            (None, None) => self.fail(1, "names no time", words::EXAMPLES),
            (Some(Day::Now | Day::Unix(_) | Day::Ahead(_)), Some(_)) => {
                self.fail(1, "a moment and a time of day", "one of them")
            }
            (Some(Day::Back(span)), Some(_)) if !days_only(span) => {
                self.fail(1, "hours back and a time of day", "days or weeks back, as in `2 days ago 03:00`")
            }
            _ => Ok(self.phrase),
        }
    }
}
