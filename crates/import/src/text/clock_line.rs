//! A line that is the time and nothing else, as scripts write it between the listings of tools that
//! print none: what `date` prints, alone or behind the marks of well-known collectors.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::text::civil::{DAY_S, DateOrder, date, midnight_s, time_of_day, zone_offset_s};
use crate::text::date_words;

/// Names of months, as `date` and `ps` print them in the locale of the programs themselves.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Names of days.
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Seconds since 1970 that are taken for a time: of 2001 to 2033.
const SECONDS: std::ops::Range<i64> = 1_000_000_000..2_000_000_000;
/// What a line begins with that says when something was recorded.
const LABELS: [&str; 15] = [
    "at",
    "captured",
    "collected",
    "current",
    "date",
    "generated",
    "now",
    "on",
    "recorded",
    "sample",
    "snap",
    "snapshot",
    "taken",
    "time",
    "timestamp",
];

/// A time that a line tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockTime {
    /// Day.
    pub day: Date,
    /// Seconds since its midnight.
    pub seconds: i64,
    /// Offset of its zone from UTC, where that is told.
    pub zone_s: Option<i64>,
}

/// The time that a line is: `Sun Nov 22 16:06:57 UTC 2026`, `Sun 22 Nov 2026 04:06:57 PM UTC`,
/// `2026-11-22 16:06:57 +0100`, `2026-11-22T16:06:57+01:00`, also in other languages; `zzz ***` before it is of OSWatcher.
///
/// Of a date whose order nothing tells, `order` is taken.
pub fn parse(words: &[&str], order: DateOrder) -> Option<ClockTime> {
    let words = match words {
        ["zzz", rest @ ..] => rest,
        words => words,
    };
    // The marks may stand apart.
    let words = match words {
        [marks, rest @ ..] if marks.bytes().all(|sign| sign == b'*') => rest,
        words => words,
    };
    let first = words.first()?.trim_start_matches(['*', '<']);
    let last = words.last()?.trim_end_matches('>');
    if words.len() > 8 {
        return None;
    }
    let mut bare: Vec<&str> = words.to_vec();
    if let Some(word) = bare.first_mut() {
        *word = first;
    }
    if let Some(word) = bare.last_mut().filter(|_| words.len() > 1) {
        *word = last;
    }
    in_words(&bare).or_else(|| in_digits(&bare, order)).or_else(|| date_words::parse(&bare))
}

/// The instant that a line is, and how far its zone is from UTC; none where it does not tell the zone.
pub fn instant(words: &[&str]) -> Option<(i64, i64)> {
    let ClockTime { day, seconds, zone_s } = parse(words, DateOrder::MonthFirst)?;
    let zone_s = zone_s?;
    Some(((midnight_s(day) + seconds - zone_s) * 1000, zone_s))
}

/// The time that a line is in seconds since 1970: alone, or as `TS 1281367519.5 …`.
pub fn epoch(words: &[&str]) -> Option<ClockTime> {
    match words {
        [word] => seconds_since_1970(word),
        ["TS", word, ..] if words.len() <= 4 => seconds_since_1970(word),
        _ => None,
    }
}

/// `1552381872`, also with a fraction.
pub fn seconds_since_1970(word: &str) -> Option<ClockTime> {
    let number = word.split('.').next().filter(|whole| whole.len() == 10)?.parse::<i64>().ok()?;
    word.parse::<f64>().ok()?;
    let at = Timestamp::from_second(number).ok().filter(|_| SECONDS.contains(&number))?;
    let at = at.to_zoned(TimeZone::UTC);
    Some(ClockTime { day: at.date(), seconds: number.rem_euclid(DAY_S), zone_s: Some(0) })
}

/// The time of a line that says what it is: `# captured on Thu Mar  3 12:33:44 CET 2022`, `timestamp: 1281367519`.
pub fn labelled(words: &[&str], order: DateOrder) -> Option<ClockTime> {
    let is_label = |word: &&&str| {
        let bare = word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
        bare.is_empty() || LABELS.iter().any(|label| label.eq_ignore_ascii_case(bare))
    };
    let labels = words.iter().take_while(is_label).count();
    let has_word =
        words.get(..labels)?.iter().any(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic()));
    let rest = words.get(labels..).filter(|rest| has_word && !rest.is_empty())?;
    match rest {
        [word] => seconds_since_1970(word).or_else(|| parse(rest, order)),
        [name, day, year, "at", time, zone] => of_profile(name, day, year, time, zone),
        _ => parse(rest, order),
    }
}

/// `Jan 27, 2020 at 3:45pm (PST)`, as profiles of Go before 1.22 have it.
fn of_profile(name: &str, day: &str, year: &str, time: &str, zone: &str) -> Option<ClockTime> {
    let day = Date::new(year.parse().ok()?, month(name)?, day.strip_suffix(',')?.parse().ok()?).ok()?;
    let (hours, rest) = time.split_once(':')?;
    let (minutes, half) = rest.split_at_checked(2)?;
    let (hours, minutes) = (hours.parse::<i64>().ok()?, minutes.parse::<i64>().ok()?);
    let hours = match half {
        "am" => hours % 12,
        "pm" => hours % 12 + 12,
        _ => return None,
    };
    let zone = zone.strip_prefix('(')?.strip_suffix(')')?;
    (hours < 24 && minutes < 60).then(|| ClockTime {
        day,
        seconds: hours * 3600 + minutes * 60,
        zone_s: zone_offset_s(zone),
    })
}

/// Whether a word is the name of a day.
pub fn is_day(word: &str) -> bool {
    DAYS.contains(&word.trim_end_matches(','))
}

/// The number of a month by its name, from 1 on.
pub fn month(word: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|name| *name == word)?;
    i8::try_from(at + 1).ok()
}

/// With the names of day and month.
fn in_words(words: &[&str]) -> Option<ClockTime> {
    let (first, rest) = words.split_first()?;
    if !is_day(first) {
        return None;
    }
    let (mut day, mut year, mut at_month, mut seconds, mut zone_s) = (None, None, None, None, None);
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        if let Some(time) = time_of_day(&rest[at..]).filter(|_| seconds.is_none()) {
            seconds = Some(time.seconds);
            at += time.words;
            continue;
        }
        match word.parse::<i16>() {
            _ if month(word).is_some() => at_month = month(word),
            Ok(number) if word.len() == 4 => year = Some(number),
            Ok(number) if day.is_none() && (1..=31).contains(&number) => day = Some(number),
            _ => match zone_offset_s(word) {
                Some(offset) => zone_s = Some(offset),
                // A zone whose name says nothing to us is a zone nevertheless.
                None if word.len() <= 5 && word.bytes().all(|byte| byte.is_ascii_uppercase()) => {}
                None => return None,
            },
        }
        at += 1;
    }
    let day = Date::new(year?, at_month?, i8::try_from(day?).ok()?).ok()?;
    Some(ClockTime { day, seconds: seconds?, zone_s })
}

/// With digits only.
fn in_digits(words: &[&str], order: DateOrder) -> Option<ClockTime> {
    if let [word] = words {
        let (day, time) = word.split_once('T')?;
        let seconds = time_of_day(&[time.get(..8)?])?.seconds;
        let rest = time.get(8..)?.trim_start_matches(|sign: char| matches!(sign, '.' | ',' | '0'..='9'));
        let zone_s = zone_offset_s(rest);
        return (rest.is_empty() || zone_s.is_some()).then_some(ClockTime {
            day: date(day, order)?,
            seconds,
            zone_s,
        });
    }
    let (day, rest) = words.split_first()?;
    let day = date(day, order)?;
    let time = time_of_day(rest)?;
    let zone_s = rest.get(time.words).and_then(|word| zone_offset_s(word));
    (rest.len() == time.words + usize::from(zone_s.is_some())).then_some(ClockTime {
        day,
        seconds: time.seconds,
        zone_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_stand_alone() {
        let check = |line: &str, expect: Option<(i64, Option<i64>)>| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let found = parse(&words, DateOrder::MonthFirst);
            assert_eq!(found.map(|told| (told.seconds, told.zone_s)), expect, "{line}");
            if let Some(told) = found {
                assert_eq!(told.day, Date::constant(2026, 11, 22), "{line}");
            }
        };
        let four = 16 * 3600 + 6 * 60 + 57;
        check("Sun Nov 22 16:06:57 UTC 2026", Some((four, Some(0))));
        check("Sun Nov 22 16:06:57 CEST 2026", Some((four, Some(7200))));
        check("Sun 22 Nov 2026 04:06:57 PM UTC", Some((four, Some(0))));
        check("zzz ***Sun Nov 22 16:06:57 PKT 2026", Some((four, None)));
        check("zzz <11/22/2026 16:06:57>", Some((four, None)));
        check("2026-11-22 16:06:57 +0100", Some((four, Some(3600))));
        check("2026-11-22T16:06:57+01:00", Some((four, Some(3600))));
        check("2026-11-22T16:06:57,123+01:00", Some((four, Some(3600))));
        for line in
            ["Sun Nov 22", "Sun is shining at 16:06:57 in Nov 2026", "2026-11-22 16:06:57 vda 3", "Sun"]
        {
            check(line, None);
        }
    }

    #[test]
    fn lines_that_say_what_they_are() {
        let words = |line: &'static str| line.split_whitespace().collect::<Vec<_>>();
        let told = |line| labelled(&words(line), DateOrder::MonthFirst).map(|told| told.seconds);
        let four = Some(16 * 3600 + 6 * 60 + 57);
        for line in [
            "# captured on Sun Nov 22 16:06:57 UTC 2026",
            "Date: Sun Nov 22 16:06:57 UTC 2026",
            "Snap Time: 2026-11-22 16:06:57",
            "timestamp: 1795363617",
            "## Timestamp 1795363617.25",
        ] {
            assert_eq!(told(line), four, "{line}");
        }
        assert_eq!(told("Time: Jan 27, 2020 at 3:45pm (PST)"), Some(15 * 3600 + 45 * 60));
        assert_eq!(told("Time: Jan 27, 2020 at 12:05am (UTC)"), Some(5 * 60));
        for line in
            ["on Sunday", "# captured on db1", "date", "1795363617", "at 16:06:57", "time 1795363617 7"]
        {
            assert_eq!(told(line), None, "{line}");
        }
        assert!(
            epoch(&words("1795363617")).is_some()
                && epoch(&words("TS 1795363617.5 2026-11-22 17:06:57")).is_some()
        );
        assert!(epoch(&words("1795363617 5")).is_none() && epoch(&words("179536361")).is_none());
    }

    #[test]
    fn instants_of_many_locales_and_collectors() {
        let noon = Some(1_646_307_224_000);
        for (line, expect) in [
            ("Thu Mar  3 12:33:44 CET 2022", noon),
            ("Thu 03 Mar 2022 11:33:44 AM UTC", noon),
            ("Thu Mar  3 11:33:44 UTC 2022", noon),
            ("zzz ***Thu Mar 3 12:33:44 CET 2022", noon),
            ("zzz *** Thu Mar 3 12:33:44 CET 2022", noon),
            ("2022-03-03T12:33:44+01:00", noon),
            ("Thu Mar  3 12:33:44 XYZ 2022", None),
            ("Do 3. M\u{e4}r 12:33:44 CET 2022", noon),
            ("Since Thu Mar 3 12:33:44 CET 2022 it is slow", None),
            ("Thu Mar  3 12:33:44 CET 2022 kernel: x", None),
            ("zzz", None),
            ("***", None),
            ("", None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(instant(&words).map(|(ms, _)| ms), expect, "{line}");
        }
    }
}
