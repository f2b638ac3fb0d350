//! The words of times: units, days, months, parts of a day, and numbers of a clock.
//!
//! Each function looks at one word in lower case and says what it is, or nothing.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::{Offset, TimeZone};

/// What may be written, for errors.
pub(super) const EXAMPLES: &str =
    "a time such as `03:10`, `yesterday 03:00`, `2 hours ago`, `2026-11-20 03:00` or `2026-11-20T03:00Z`";

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
}

/// A part of a day: from when until when, and how many days after it begins it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartOfDay {
    pub since: Time,
    pub until: Time,
    pub days: i64,
}

pub(super) fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Second,
        "m" | "min" | "mins" | "minute" | "minutes" => Unit::Minute,
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hour,
        "d" | "day" | "days" => Unit::Day,
        "w" | "week" | "weeks" => Unit::Week,
        _ => return None,
    })
}

/// So many of a unit; none where that is more than the calendar has.
pub(super) fn length(span: jiff::Span, count: i64, unit: Unit) -> Option<jiff::Span> {
    match unit {
        Unit::Second => span.try_seconds(span.get_seconds().checked_add(count)?),
        Unit::Minute => span.try_minutes(span.get_minutes().checked_add(count)?),
        Unit::Hour => span.try_hours(i64::from(span.get_hours()).checked_add(count)?),
        Unit::Day => span.try_days(i64::from(span.get_days()).checked_add(count)?),
        Unit::Week => span.try_weeks(i64::from(span.get_weeks()).checked_add(count)?),
    }
    .ok()
}

/// `1h30m`, `90s`, `2d`: numbers each with its unit.
pub(super) fn lengths(word: &str) -> Option<jiff::Span> {
    let (mut span, mut rest) = (jiff::Span::new(), word);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|&at| at > 0)?;
        let (number, behind) = rest.split_at(digits);
        let letters = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (name, further) = behind.split_at(letters);
        span = length(span, number.parse().ok()?, unit(name)?)?;
        rest = further;
    }
    (!word.is_empty()).then_some(span)
}

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "mon" | "monday" => Weekday::Monday,
        "tue" | "tues" | "tuesday" => Weekday::Tuesday,
        "wed" | "wednesday" => Weekday::Wednesday,
        "thu" | "thur" | "thurs" | "thursday" => Weekday::Thursday,
        "fri" | "friday" => Weekday::Friday,
        "sat" | "saturday" => Weekday::Saturday,
        "sun" | "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

pub(super) fn month(word: &str) -> Option<i8> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let at = NAMES.iter().position(|name| *name == word || (word.len() == 3 && name.starts_with(word)))?;
    i8::try_from(at + 1).ok()
}

pub(super) fn part_of_day(word: &str) -> Option<PartOfDay> {
    let at = |hour| Time::constant(hour, 0, 0, 0);
    let (since, until, days) = match word {
        "morning" => (6, 12, 0),
        "afternoon" => (12, 18, 0),
        "evening" => (18, 22, 0),
        "night" => (22, 6, 1),
        _ => return None,
    };
    Some(PartOfDay { since: at(since), until: at(until), days })
}

/// `03:10`, `3:10:05.25`, `3am`, `3:10pm`, `noon`, `midnight`. `Some(Err(()))` looks like a time of day
/// and is none.
pub(super) fn time(word: &str) -> Option<Result<Time, ()>> {
    match word {
        "noon" => return Some(Ok(Time::constant(12, 0, 0, 0))),
        "midnight" => return Some(Ok(Time::midnight())),
        _ => {}
    }
    let (clock, half) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(clock), _) => (clock, Some(0)),
        (_, Some(clock)) => (clock, Some(12)),
        _ => (word, None),
    };
    let looks_so = clock.starts_with(|c: char| c.is_ascii_digit())
        && clock.chars().all(|c| c.is_ascii_digit() || c == ':' || c == '.')
        && (clock.contains(':') || half.is_some());
    looks_so.then(|| hours_minutes(clock, half).ok_or(()))
}

fn hours_minutes(clock: &str, half: Option<i8>) -> Option<Time> {
    let mut parts = clock.split(':');
    let hour: i8 = parts.next().filter(|hour| hour.len() <= 2)?.parse().ok()?;
    let minute: i8 = parts.next().map_or(Some(0), |text| two_digits(text)?.parse().ok())?;
    let (second, nanosecond) = parts.next().map_or(Some((0, 0)), seconds)?;
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    parts.next().is_none().then(|| Time::new(hour, minute, second, nanosecond).ok())?
}

fn seconds(text: &str) -> Option<(i8, i32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = fraction.get(..fraction.len().min(9))?;
    let nanosecond = format!("{digits:0<9}").parse().ok()?;
    Some((two_digits(whole)?.parse().ok()?, nanosecond))
}

fn two_digits(text: &str) -> Option<&str> {
    (text.len() == 2).then_some(text)
}

/// `2026-11-20`. `Some(Err(()))` looks like a date and is none.
pub(super) fn date(word: &str) -> Option<Result<Date, ()>> {
    let mut parts = word.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = |text: &str, least: usize| text.len() >= least && text.chars().all(|c| c.is_ascii_digit());
    if parts.next().is_some() || year.len() != 4 || !digits(year, 4) || !digits(month, 1) || !digits(day, 1) {
        return None;
    }
    let number = |text: &str| text.parse::<i8>().map_err(|_| ());
    let date = year.parse::<i16>().map_err(|_| ());
    Some(date.and_then(|year| Date::new(year, number(month)?, number(day)?).map_err(|_| ())))
}

/// Where the date in `2026-11-20t03:00z` ends, in bytes.
pub(super) fn date_before_t(word: &str) -> Option<usize> {
    word.find('t')
        .filter(|&at| word[..at].starts_with(|c: char| c.is_ascii_digit()) && date(&word[..at]).is_some())
}

/// Where the offset in `03:00+01:00` or `03:00z` begins, in bytes.
pub(super) fn offset_behind_time(word: &str) -> Option<usize> {
    let at = word.find(['+', '-', 'z', '[']).filter(|&at| at > 0)?;
    word[..at]
        .chars()
        .all(|c| c.is_ascii_digit() || c == ':' || c == '.')
        .then_some(at)
        .filter(|_| word[..at].contains(':'))
}

/// `z`, `utc`, `gmt`, `+01:00`, `-0330`, `+01`.
pub(super) fn fixed_zone(word: &str) -> Option<TimeZone> {
    if matches!(word, "z" | "utc" | "gmt") {
        return Some(TimeZone::UTC);
    }
    let (sign, digits) = match word.split_at_checked(1)? {
        ("+", digits) => (1, digits.replace(':', "")),
        ("-", digits) => (-1, digits.replace(':', "")),
        _ => return None,
    };
    if !matches!(digits.len(), 2 | 4) || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let hours: i32 = digits[..2].parse().ok()?;
    let minutes: i32 =
        digits.get(2..4).filter(|text| !text.is_empty()).map_or(Some(0), |text| text.parse().ok())?;
    if hours > 23 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok().map(TimeZone::fixed)
}
