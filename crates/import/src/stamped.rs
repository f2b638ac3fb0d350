//! A time that somebody put before every line of a listing: `ts`, `awk '{ print strftime(), $0 }'`, a loop that
//! echoes the date and the line.
//!
//! A time of day alone is none of these: tools begin their own lines so. `iostat` and `vmstat`, which do not, know it themselves.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::text::civil::{DateOrder, date, time_of_day};
use crate::text::clock_line::{ClockTime, is_day, month, parse, seconds_since_1970};

/// Words of the longest time: `[Tue 12 Mar 2019 10:11:12 AM CET]`.
const MOST_WORDS: usize = 7;
/// Lines that are looked at in vain one after the other, before it is given up: those of a large log.
const MOST_IN_VAIN: u32 = 2000;
/// What stands around a time, and between it and the line.
const MARKS: [char; 9] = ['[', ']', '(', ')', '<', '>', ':', ',', ';'];

/// What is known of the lines of a file.
#[derive(Debug, Default)]
pub struct Stamped {
    /// The last line that was taken had a time before it.
    is_so: bool,
    in_vain: u32,
}

impl Stamped {
    /// Whether lines are read without the time before them first.
    pub fn is_so(&self) -> bool {
        self.is_so
    }

    /// Offers the line without the time before it; false where it has none, or nobody takes it.
    pub fn offer(
        &mut self,
        line: &Line<'_>,
        document: &mut Document,
        offer: impl FnOnce(&Line<'_>, &mut Document) -> Result<bool, ImportError>,
    ) -> Result<bool, ImportError> {
        if self.in_vain >= MOST_IN_VAIN {
            return Ok(false);
        }
        let told = before(line.words, document.times.dates.order, document.hints.latest_ms());
        let Some((told, count)) = told else { return Ok(false) };
        if count == line.words.len() {
            // An empty line of the listing.
            return Ok(self.is_so);
        }
        let Some((stamp, words)) = line.words.split_at_checked(count) else { return Ok(false) };
        let rest = Line { words, text: behind(line.text, stamp), ..*line };
        let is_taken = document.behind_time(told, &rest, offer)?;
        if is_taken {
            document.took_date(stamp);
            if matches!(stamp, [name, ..] if stamp.len() == 3 && month(name.trim_matches(MARKS)).is_some()) {
                document.assume_year();
            }
        }
        self.is_so = is_taken;
        self.in_vain = if is_taken { 0 } else { self.in_vain + 1 };
        Ok(is_taken)
    }

    /// A line was taken as it is.
    pub fn is_whole(&mut self) {
        self.is_so = false;
    }
}

/// The time before a line, and how many words it took. Of a day without a year it is the last before the file was
/// written, in milliseconds since 1970-01-01 UTC.
pub fn before(words: &[&str], order: DateOrder, modified_ms: i64) -> Option<(ClockTime, usize)> {
    let first = words.first()?.trim_start_matches(MARKS);
    if !first.starts_with(|sign: char| sign.is_ascii_digit()) && !is_day(first) && month(first).is_none() {
        return None;
    }
    if let Some(told) = seconds_since_1970(first.trim_end_matches(MARKS)) {
        return Some((told, 1));
    }
    let most = words.len().min(MOST_WORDS);
    let mut bare = [""; MOST_WORDS];
    for (bare, word) in bare.iter_mut().zip(words) {
        *bare = without_fraction(word.trim_matches(MARKS));
    }
    (1..=most).rev().find_map(|count| {
        let words = bare.get(..count)?;
        let told = parse(words, order).or_else(|| without_year(words, modified_ms))?;
        Some((told, count))
    })
}

/// `Mar 12 10:11:12`, as `ts` prints it.
fn without_year(words: &[&str], modified_ms: i64) -> Option<ClockTime> {
    let [name, day, time] = words else { return None };
    let (month, day) = (month(name)?, day.parse::<i8>().ok()?);
    let seconds = time_of_day(&[time])?.seconds;
    let written = Timestamp::from_millisecond(modified_ms).ok().filter(|_| modified_ms > 0)?;
    let written = written.to_zoned(TimeZone::UTC).date().tomorrow().ok()?;
    let of = |year: i16| Date::new(year, month, day).ok();
    let day = of(written.year()).filter(|day| *day <= written).or_else(|| of(written.year() - 1))?;
    Some(ClockTime { day, seconds, zone_s: None })
}

/// `10:11:12.345` and `10:11:12,345` without what is less than a second; other words as they are.
fn without_fraction(word: &str) -> &str {
    let Some((time, fraction)) = word.split_once(['.', ',']) else { return word };
    let is_fraction = (1..=9).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = time.len() == 8 && time.as_bytes().get(2) == Some(&b':');
    if is_time && is_fraction && date(word, DateOrder::MonthFirst).is_none() { time } else { word }
}

/// The line behind a time and the blank that follows it: what is below each other there stays so.
fn behind<'t>(text: &'t str, stamp: &[&str]) -> &'t str {
    let end = stamp.last().map_or(0, |last| (last.as_ptr() as usize + last.len()) - text.as_ptr() as usize);
    text.get(end + 1..).or_else(|| text.get(end..)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_a_line() {
        // 2019-03-12 10:11:12 UTC, in a file of that summer.
        let (at, modified_ms) = (1_552_385_472, 1_560_000_000_000);
        let check = |line: &str, expect: Option<(i64, usize)>| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let found = before(&words, DateOrder::DayFirst, modified_ms);
            let found = found.map(|(told, count)| {
                let local_s = crate::text::civil::midnight_s(told.day) + told.seconds;
                (local_s - told.zone_s.unwrap_or(0), count)
            });
            assert_eq!(found, expect, "{line}");
        };
        check("2019-03-12 10:11:12 r b swpd", Some((at, 2)));
        check("[2019-03-12 10:11:12] r b swpd", Some((at, 2)));
        check("2019-03-12 10:11:12.123456 4 0 0", Some((at, 2)));
        check("2019-03-12T11:11:12+0100 4 0 0", Some((at, 1)));
        check("2019-03-12T10:11:12.123Z: 4 0 0", Some((at, 1)));
        check("12/03/2019 10:11:12 4 0 0", Some((at, 2)));
        check("Mar 12 10:11:12 4 0 0", Some((at, 3)));
        check("Tue Mar 12 11:11:12 CET 2019: Device r/s", Some((at, 6)));
        check("[Tue 12 Mar 2019 10:11:12 AM UTC] Device r/s", Some((at, 7)));
        check("1552385472.250 avg-cpu: %user", Some((at, 1)));
        for line in
            ["10:11:12 AM CPU %user", "Tue is the day", "2019-03-12", "1234567 4 0", "12 0 0", "Device:"]
        {
            check(line, None);
        }
    }

    #[test]
    fn what_is_below_each_other_stays_so() {
        let text = "[2019-03-12 10:11:12]   PID USER";
        let stamp: Vec<&str> = text.split_whitespace().take(2).collect();
        assert_eq!(behind(text, &stamp), "  PID USER");
        let text = "1552385472";
        assert_eq!(behind(text, &[text]), "");
    }
}
