//! Dates and times of day as recordings have them, in any locale: pure, without a clock.

use jiff::civil::Date;

/// Days from 0000-03-01 to 1970-01-01.
const DAYS_BEFORE_1970: i64 = 719_468;

/// How far India is from UTC.
const INDIA_S: i64 = 5 * 3600 + 1800;

/// Seconds of a day.
pub const DAY_S: i64 = 86_400;

/// Instants that a recording may be of, in milliseconds since 1970-01-01 UTC: from 1900, since what has no times ends
/// when the file was written, which may not be told, to 2199. What is beyond was damaged.
pub const INSTANTS_MS: std::ops::Range<i64> = -2_208_988_800_000..7_258_118_400_000;

/// Instants that a recording may say it is of: from 1990, before which none of these tools was there. A clock that
/// nobody set begins in 1970 or 1980.
pub const TOLD_MS: std::ops::Range<i64> = 631_152_000_000..7_258_118_400_000;

/// A time of day and how many words of the line it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfDay {
    /// Seconds since midnight.
    pub seconds: i64,
    /// Words: two with AM or PM.
    pub words: usize,
}

/// The time of day that a line's words begin with: `15:16:17`, `03:16:17 PM`, `15.16.17`,
/// `15時16分17秒`, `23시 48분 31초`.
pub fn time_of_day(words: &[&str]) -> Option<TimeOfDay> {
    let word = words.first()?;
    if !word.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    let (hour, minute, second, rest) = usual(word.as_bytes()).or_else(|| three_numbers(word))?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let after = if rest.is_empty() { words.get(1).copied() } else { Some(rest) };
    let (hour, took) = match after.and_then(half_of_day) {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(is_afternoon) => (hour % 12 + if is_afternoon { 12 } else { 0 }, true),
        None if rest.is_empty() => (hour, false),
        None => return None,
    };
    let seconds = hour * 3600 + minute * 60 + second;
    Some(TimeOfDay { seconds, words: if took && rest.is_empty() { 2 } else { 1 } })
}

/// A time of day without seconds, as `uptime` had it before procps 2: `2:48am`, `02:15PM`, `14:15`.
pub fn minute_of_day(word: &str) -> Option<i64> {
    let (hour, rest) = word.split_once(':')?;
    let (minute, half) = rest.split_at_checked(2)?;
    let number = |digits: &str| {
        let is_number = matches!(digits.len(), 1 | 2) && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<i64>().ok()).flatten()
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    let hour = match half_of_day(half) {
        Some(is_afternoon) if (1..=12).contains(&hour) => hour % 12 + if is_afternoon { 12 } else { 0 },
        None if half.is_empty() && hour < 24 => hour,
        _ => return None,
    };
    (minute < 60).then_some(hour * 3600 + minute * 60)
}

/// The same before a row, where a zone may stand behind it, as in India: `03:16:17 PM IST all 1.00`.
pub fn time_of_row(words: &[&str]) -> Option<(TimeOfDay, Option<i64>)> {
    let time = time_of_day(words)?;
    let zone_s = match words.get(time.words).filter(|_| time.words == 2 && words.len() > 3) {
        // Elsewhere it is another zone, but no other locale prints one here.
        Some(&"IST") => Some(INDIA_S),
        Some(word) if word.bytes().all(|byte| byte.is_ascii_uppercase()) => zone_offset_s(word),
        _ => None,
    };
    Some((TimeOfDay { words: time.words + usize::from(zone_s.is_some()), ..time }, zone_s))
}

/// How far from UTC the zone before a row is, where one is told.
pub fn zone_of_row(words: &[&str]) -> Option<i64> {
    time_of_row(words)?.1
}

/// The numbers of `15:16:17`, as nearly all times are.
fn usual(word: &[u8]) -> Option<(i64, i64, i64, &'static str)> {
    let [h, hour, b':', m, minute, b':', s, second] = word else { return None };
    let number = |ten: &u8, one: &u8| {
        let is_number = ten.is_ascii_digit() && one.is_ascii_digit();
        is_number.then(|| i64::from(ten - b'0') * 10 + i64::from(one - b'0'))
    };
    Some((number(h, hour)?, number(m, minute)?, number(s, second)?, ""))
}

/// Whether a word says afternoon or morning.
fn half_of_day(word: &str) -> Option<bool> {
    match word {
        "AM" | "am" | "a.m." | "πμ" | "上午" | "午前" | "오전" => Some(false),
        "PM" | "pm" | "p.m." | "μμ" | "下午" | "午後" | "오후" => Some(true),
        _ => None,
    }
}

/// Three numbers of at most two digits with something between them, and what follows that is no
/// unit's sign.
fn three_numbers(word: &str) -> Option<(i64, i64, i64, &str)> {
    let mut numbers = [0_i64; 3];
    let mut rest = word;
    for (at, number) in numbers.iter_mut().enumerate() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=2).contains(&digits) {
            return None;
        }
        *number = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        if at < 2 {
            let sign = rest
                .chars()
                .next()
                .filter(|sign| matches!(sign, ':' | '.' | '時' | '时' | '分' | '시' | '분'))?;
            rest = rest[sign.len_utf8()..].trim_start();
        }
    }
    Some((numbers[0], numbers[1], numbers[2], rest.trim_start_matches(['秒', '초'])))
}

/// The order of a date's numbers, where the date alone does not tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DateOrder {
    /// 03/11/2022 is the 11th of March: C, POSIX, en_US.
    MonthFirst,
    /// It is the 3rd of November.
    DayFirst,
}

/// A date in one word: `2022-03-11`, `03/11/2022`, `03/11/22`, `11.03.2022`, `2022年03月11日`.
/// A year of two digits from 70 on is of the last century, as in POSIX.
pub fn date(word: &str, order: DateOrder) -> Option<Date> {
    if word.len() < 6 || !word.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    if let Some((year, month, day)) = year_first(word.as_bytes()) {
        return Date::new(year, month, day).ok();
    }
    let mut numbers = [0_i64; 3];
    let mut digits_of_first = 0;
    let mut sign = ' ';
    let mut rest = word;
    for (at, number) in numbers.iter_mut().enumerate() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if !matches!(digits, 1 | 2 | 4) {
            return None;
        }
        *number = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        if at == 0 {
            digits_of_first = digits;
        }
        if at < 2 {
            let found = rest.chars().next()?;
            // With colons only behind a year: else it is a time.
            let is_sign = matches!(found, '-' | '/' | '.' | '年' | '月' | '년' | '월');
            if !is_sign && !(found == ':' && digits_of_first == 4) {
                return None;
            }
            if at == 0 {
                sign = found;
            }
            rest = rest[found.len_utf8()..].trim_start();
        }
    }
    if !matches!(rest, "" | "日" | "일" | "." | ",") {
        return None;
    }
    let (year, month, day) = if digits_of_first == 4 || matches!(sign, '年' | '년') {
        (numbers[0], numbers[1], numbers[2])
    } else if sign == '.' || numbers[0] > 12 || (order == DateOrder::DayFirst && numbers[1] <= 12) {
        (numbers[2], numbers[1], numbers[0])
    } else {
        (numbers[2], numbers[0], numbers[1])
    };
    let year = match year {
        0..=69 => year + 2000,
        70..=99 => year + 1900,
        year => year,
    };
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// The numbers of `2022-03-11`, as most dates before and behind rows are.
fn year_first(word: &[u8]) -> Option<(i16, i8, i8)> {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = word else { return None };
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i16::from(byte - b'0'));
    let two = |ten, one| Some((digit(ten)? * 10 + digit(one)?) as i8);
    let year = i16::from(two(y0, y1)?) * 100 + i16::from(two(y2, y3)?);
    // Of two digits that were filled up with zeros nothing is known here.
    Some((year, two(m0, m1)?, two(d0, d1)?)).filter(|_| year >= 100)
}

/// Midnight UTC of a date, in seconds since 1970-01-01. Years begin with March here, so that a leap day
/// is a year's last, and the months before one have the days of 153/5 each.
pub fn midnight_s(date: Date) -> i64 {
    let (year, month, day) = (i64::from(date.year()), i64::from(date.month()), i64::from(date.day()));
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year;
    (days - DAYS_BEFORE_1970) * DAY_S
}

/// How far a zone is from UTC, in seconds: of a number (`+0200`, `+02:00`, `+03`) or of an
/// abbreviation that means one zone to nearly everybody.
pub fn zone_offset_s(word: &str) -> Option<i64> {
    if let Some(sign) = word.chars().next().filter(|sign| matches!(sign, '+' | '-')) {
        let digits: String = word[1..].chars().filter(|c| *c != ':').collect();
        if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let hours: i64 = digits[..2].parse().ok()?;
        let minutes: i64 =
            digits.get(2..).filter(|rest| !rest.is_empty()).map_or(Some(0), |m| m.parse().ok())?;
        let seconds = hours * 3600 + minutes * 60;
        return (hours <= 14 && minutes < 60).then_some(if sign == '-' { -seconds } else { seconds });
    }
    let hours = match word {
        "UTC" | "GMT" | "Z" | "UCT" | "WET" => 0,
        "CET" | "MEZ" | "BST" | "WEST" => 1,
        "CEST" | "MESZ" | "EET" | "SAST" => 2,
        "EEST" | "MSK" => 3,
        "HKT" | "SGT" | "AWST" => 8,
        "JST" | "KST" => 9,
        "AEST" => 10,
        "AEDT" => 11,
        "NZST" => 12,
        "NZDT" => 13,
        "BRT" | "ADT" => -3,
        "EDT" | "AST" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" | "AKDT" => -8,
        "AKST" => -9,
        "HST" => -10,
        _ => return None,
    };
    Some(hours * 3600)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(i64, usize)>) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let told = time_of_day(&words).map(|time| (time.seconds, time.words));
        assert_eq!(told, expect, "{text}");
    }

    #[test]
    fn times_of_day_without_seconds() {
        let check = |word: &str, expect: Option<(i64, i64)>| {
            assert_eq!(minute_of_day(word), expect.map(|(hour, minute)| hour * 3600 + minute * 60), "{word}");
        };
        check("2:48am", Some((2, 48)));
        check("12:05am", Some((0, 5)));
        check("02:15PM", Some((14, 15)));
        check("14:15", Some((14, 15)));
        check("14:15:10", None);
        check("24:00", None);
        check("0:10pm", None);
        check("2:4é", None);
    }

    #[test]
    fn times_of_day_in_many_locales() {
        let noon = 12 * 3600;
        check("12:00:01 AM CPU", Some((1, 2)));
        check("12:00:01 PM all", Some((noon + 1, 2)));
        check("03:16:17 PM", Some((noon + 3 * 3600 + 16 * 60 + 17, 2)));
        check("15:16:17 all", Some((15 * 3600 + 16 * 60 + 17, 1)));
        check("15.16.17", Some((15 * 3600 + 16 * 60 + 17, 1)));
        check("15時16分17秒 CPU", Some((15 * 3600 + 16 * 60 + 17, 1)));
        check("13:00:00 PM", None);
        check("25:00:00", None);
        check("0.00", None);
        check("Average:", None);
        check("192.168.1.1", None);
    }

    #[test]
    fn dates_in_many_locales() {
        let day = |year, month, day| Some(Date::constant(year, month, day));
        let first = DateOrder::MonthFirst;
        assert_eq!(date("03/11/2022", first), day(2022, 3, 11));
        assert_eq!(date("03/11/2022", DateOrder::DayFirst), day(2022, 11, 3));
        assert_eq!(date("31/12/05", first), day(2005, 12, 31));
        assert_eq!(date("12/31/05", DateOrder::DayFirst), day(2005, 12, 31));
        assert_eq!(date("11.03.2022", first), day(2022, 3, 11));
        assert_eq!(date("2022-03-11", first), day(2022, 3, 11));
        assert_eq!(date("2022-3-11", first), day(2022, 3, 11));
        assert_eq!(date("0022-03-11", first), day(2022, 3, 11));
        assert_eq!(date("2022-02-29", first), None);
        assert_eq!(date("2022年03月11日", first), day(2022, 3, 11));
        assert_eq!(date("2.6.32", first), day(2032, 6, 2));
        assert_eq!(date("3.10.0-1062.1.2.el7", first), None);
        assert_eq!(date("13/13/2022", first), None);
        assert_eq!(midnight_s(Date::constant(2021, 9, 16)), 1_631_750_400);
    }

    #[test]
    fn midnights_are_those_of_the_calendar() {
        let epoch = Date::constant(1970, 1, 1);
        for days in (-800_000..800_000).step_by(37) {
            let date = epoch.checked_add(jiff::Span::new().days(days)).unwrap();
            assert_eq!(midnight_s(date), i64::from(days) * DAY_S, "{date}");
        }
    }

    #[test]
    fn zones() {
        assert_eq!(zone_offset_s("+0530"), Some(19_800));
        assert_eq!(zone_offset_s("-03"), Some(-10_800));
        assert_eq!(zone_offset_s("PDT"), Some(-25_200));
        assert_eq!(zone_offset_s("local"), None);
    }
}
