//! Which of its first two numbers is the day, in a file whose dates could be either (`03/04/24`).
//!
//! Decided once for a file, from its beginning and before a line of it is read, by what stands there: a number
//! that is no month, days that follow each other, the same day as it is written everywhere, and when the
//! file was last written. Pure.

use jiff::civil::Date;

use crate::text::civil::{DAY_S, DateOrder, date, midnight_s};

/// How much of a file is looked at before it is read: more than a day of one listing a second.
pub const LOOKED_AT_BYTES: usize = 32 << 20;
/// Days between two dates that follow each other in a recording.
const LONGEST_STEP_DAYS: i64 = 7;
/// Clocks and zones: so near, two days are one.
const NEAR_DAYS: i64 = 1;
/// Days as they are written everywhere, of which so many are kept.
const MOST_CERTAIN: usize = 32;

/// The order of a file's dates, and what is to be said where one was read of which the file does not tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Dates {
    /// The order.
    pub order: DateOrder,
    /// Whether there are dates that could be either, and nothing but their own numbers was found so far.
    pub is_open: bool,
    /// What is to be said.
    pub note: Option<String>,
}

impl Default for Dates {
    fn default() -> Dates {
        Dates { order: DateOrder::MonthFirst, is_open: false, note: None }
    }
}

impl Dates {
    /// Of a text's beginning; the file was last written then, milliseconds since 1970, or 0 where nobody knows.
    pub fn of(text: &[u8], modified_ms: i64) -> Dates {
        let seen = Seen::of(text);
        let Some(example) = seen.example.as_deref() else { return Dates::default() };
        if let Some(order) = seen.order() {
            return Dates { order, ..Dates::default() };
        }
        let written = (modified_ms > 0).then(|| modified_ms.div_euclid(1000 * DAY_S));
        let by_writing = written.and_then(|day| seen.order_before(day));
        let (order, why) = match by_writing {
            Some(order) => (order, "as the file's own date shows"),
            None => (DateOrder::MonthFirst, "since the file has no evidence"),
        };
        let words = match order {
            DateOrder::MonthFirst => "month/day",
            DateOrder::DayFirst => "day/month",
        };
        let note = Some(format!("dates such as {example} are read as {words}, {why}"));
        Dates { order, is_open: true, note }
    }

    /// Whether a word is a date that could be either.
    pub fn is_either(word: &str) -> bool {
        date(word, DateOrder::MonthFirst) != date(word, DateOrder::DayFirst)
    }
}

/// Days since 1970, read in both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Both {
    month_first: i64,
    day_first: i64,
}

/// What was seen of dates.
#[derive(Default)]
struct Seen {
    /// The first date that could be either.
    example: Option<String>,
    last: Option<Both>,
    /// Dates that have a number beyond 12 in the first or in the second place.
    days_first: u32,
    months_first: u32,
    /// Steps from one date to the next that only one of the orders makes a small one.
    steps_day_first: u32,
    steps_month_first: u32,
    /// Days that are told in another way, too.
    certain: Vec<i64>,
    matches_day_first: u32,
    matches_month_first: u32,
}

impl Seen {
    fn of(text: &[u8]) -> Seen {
        let mut seen = Seen { certain: certain_days(text), ..Seen::default() };
        let mut behind = 0;
        for at in memchr::memchr_iter(b'/', text) {
            if at < behind {
                continue;
            }
            let Some(word) = slashed(text, at) else { continue };
            behind = at + word.len();
            seen.take(word);
        }
        seen
    }

    fn take(&mut self, word: &str) {
        let (month_first, day_first) = (date(word, DateOrder::MonthFirst), date(word, DateOrder::DayFirst));
        let (Some(one), Some(other)) = (month_first, day_first) else { return };
        if one == other {
            let Some((first, rest)) = word.split_once('/') else { return };
            let second = rest.split('/').next().unwrap_or("");
            let is_beyond = |number: &str| number.parse::<u32>().is_ok_and(|number| number > 12);
            self.days_first += u32::from(is_beyond(first));
            self.months_first += u32::from(is_beyond(second));
        } else {
            self.example.get_or_insert_with(|| word.to_owned());
        }
        let both = Both { month_first: day(one), day_first: day(other) };
        let last = self.last.replace(both);
        if last == Some(both) {
            return;
        }
        let is_near = |day: i64| self.certain.iter().any(|certain| (certain - day).abs() <= NEAR_DAYS);
        let (m, d) = (is_near(both.month_first), is_near(both.day_first));
        self.matches_month_first += u32::from(m && !d);
        self.matches_day_first += u32::from(d && !m);
        if let Some(last) = last {
            let is_step = |from: i64, to: i64| (1..=LONGEST_STEP_DAYS).contains(&(to - from));
            let m = is_step(last.month_first, both.month_first);
            let d = is_step(last.day_first, both.day_first);
            self.steps_month_first += u32::from(m && !d);
            self.steps_day_first += u32::from(d && !m);
        }
    }

    /// What the file itself says, where it does not contradict itself.
    fn order(&self) -> Option<DateOrder> {
        let told = [
            (self.months_first, self.days_first),
            (self.matches_month_first, self.matches_day_first),
            (self.steps_month_first, self.steps_day_first),
        ];
        told.into_iter().find_map(|(month_first, day_first)| match (month_first, day_first) {
            (1.., 0) => Some(DateOrder::MonthFirst),
            (0, 1..) => Some(DateOrder::DayFirst),
            _ => None,
        })
    }

    /// What follows from the day on which the file was last written: nothing in it is later, and a tool's
    /// last line is of that day.
    fn order_before(&self, written: i64) -> Option<DateOrder> {
        let last = self.last?;
        let may_be = |day: i64| day <= written + NEAR_DAYS;
        let is_it = |day: i64| (day - written).abs() <= NEAR_DAYS;
        for test in [&may_be as &dyn Fn(i64) -> bool, &is_it] {
            match (test(last.month_first), test(last.day_first)) {
                (true, false) => return Some(DateOrder::MonthFirst),
                (false, true) => return Some(DateOrder::DayFirst),
                _ => {}
            }
        }
        None
    }
}

fn day(date: Date) -> i64 {
    midnight_s(date) / DAY_S
}

/// The word of two slashes of which this is the first, where it may be a date.
fn slashed(text: &[u8], slash: usize) -> Option<&str> {
    let before = text.get(slash.saturating_sub(2)..slash)?;
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let begin = slash.checked_sub(digits).filter(|_| digits > 0)?;
    let is_apart = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'/' | b'.' | b'-' | b'_');
    if begin > 0 && !text.get(begin - 1).is_some_and(is_apart) {
        return None;
    }
    // At most `31/12/2024`, and what shows that it ends there.
    let rest = text.get(begin..text.len().min(begin + 11))?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'/').unwrap_or(rest.len());
    let is_end = rest.get(end).is_none_or(is_apart) && (end < 11);
    let word = std::str::from_utf8(rest.get(..end)?).ok()?;
    (is_end && word.bytes().filter(|byte| *byte == b'/').count() == 2).then_some(word)
}

/// Days that are written year first, of which there is one reading.
fn certain_days(text: &[u8]) -> Vec<i64> {
    let mut days: Vec<i64> = Vec::new();
    for at in memchr::memchr_iter(b'-', text) {
        let word = at.checked_sub(4).and_then(|begin| text.get(begin..begin + 10));
        let Some(word) = word.and_then(|word| std::str::from_utf8(word).ok()) else { continue };
        if word.as_bytes().get(7) != Some(&b'-') {
            continue;
        }
        if let Some(day) = date(word, DateOrder::MonthFirst).map(day).filter(|day| !days.contains(day)) {
            days.push(day);
        }
        if days.len() == MOST_CERTAIN {
            break;
        }
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, written: Option<Date>, expect: DateOrder, is_said: bool) {
        let modified_ms = written.map_or(0, |date| (midnight_s(date) + DAY_S / 2) * 1000);
        let dates = Dates::of(text.as_bytes(), modified_ms);
        assert_eq!((dates.order, dates.note.is_some()), (expect, is_said), "{text}: {dates:?}");
    }

    #[test]
    fn the_order_follows_from_what_the_file_tells() {
        use DateOrder::{DayFirst, MonthFirst};
        // Nothing that could be either.
        check("", None, MonthFirst, false);
        check("2024-03-04 /usr/lib/3/4 03/03/24 1/2 of it", None, MonthFirst, false);
        // A number that is no month.
        check("03/04/24 12:00\n13/04/24 12:00\n", None, DayFirst, false);
        check("03/04/2024 12:00\n03/14/2024 12:00\n", None, MonthFirst, false);
        // Days that follow each other.
        check("03/04/24 23:59:59\n04/04/24 00:00:00\n", None, DayFirst, false);
        check("03/04/24 23:59:59\n03/05/24 00:00:00\n", None, MonthFirst, false);
        // The same day, written as it is everywhere.
        check("Linux 6.1 (host) 2024-04-03\n03/04/24 12:00:00\n", None, DayFirst, false);
        // Nothing was recorded after the file was written.
        check("11/12/24 08:00:00\n", Some(Date::constant(2024, 11, 20)), MonthFirst, true);
        check("12/11/24 08:00:00\n", Some(Date::constant(2024, 11, 20)), DayFirst, true);
        // What it was written on.
        check("03/04/24 08:00:00\n", Some(Date::constant(2024, 4, 3)), DayFirst, true);
        check("03/04/24 08:00:00\n", Some(Date::constant(2026, 4, 3)), MonthFirst, true);
        check("03/04/24 08:00:00\n", None, MonthFirst, true);
    }

    #[test]
    fn paths_and_fractions_are_no_dates() {
        for text in ["a/03/04/24", "1/2/3/4", "03/04/24/5", "v03/04/24", "03/04/245", "3/4", "03/04/24x"] {
            check(text, None, DateOrder::MonthFirst, false);
        }
        for text in ["(03/04/24)", "03/04/24", "x;03/04/2024;y"] {
            check(text, None, DateOrder::MonthFirst, true);
        }
    }
}
