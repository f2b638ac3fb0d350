//! A line that says when what follows it was written: what `date` prints, alone or behind the `zzz ***` of
//! collectors that call tools in a loop.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::civil::{midnight_s, time_of_day, zone_offset_s};

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// What the line says.
#[derive(Clone, Debug, PartialEq)]
pub struct DateLine {
    /// The instant, milliseconds since 1970-01-01 UTC.
    pub ms: i64,
    /// The zone as it was printed, where it was.
    pub zone: Option<String>,
}

/// Reads `Thu Mar  3 12:33:44 CET 2022`, `Thu 03 Mar 2022 12:33:44 PM CET`, `2022-03-03T12:33:44+01:00`. Without a
/// zone the line tells no instant.
pub fn date_line(words: &[&str]) -> Option<DateLine> {
    let words = match words {
        ["zzz", rest @ ..] => rest,
        words => words,
    };
    let first = words.first()?.trim_start_matches('*');
    let words = if first.is_empty() { words.get(1..)? } else { words };
    let first = words.first()?.trim_start_matches('*');
    if let ([_], Ok(instant)) = (words, first.parse::<Timestamp>()) {
        return Some(DateLine { ms: instant.as_millisecond(), zone: None });
    }
    if !matches!(words.len(), 6 | 7) || !DAYS.contains(&first.trim_end_matches(',')) {
        return None;
    }
    let month = words.iter().find_map(|word| MONTHS.iter().position(|month| month == word))?;
    let number = |digits: &dyn Fn(usize) -> bool| {
        words.iter().find_map(|word| word.parse::<i16>().ok().filter(|_| digits(word.len())))
    };
    let (day, year) = (number(&|digits| digits <= 2)?, number(&|digits| digits == 4)?);
    let at = (1..words.len()).find(|at| time_of_day(words.get(*at..).unwrap_or_default()).is_some())?;
    let time = time_of_day(words.get(at..)?)?;
    let date = Date::new(year, i8::try_from(month + 1).ok()?, i8::try_from(day).ok()?).ok()?;
    // Behind the time: `CET 2022`, or `PM CET`.
    let zone = words.get(at + time.words..)?.iter().find(|word| zone_offset_s(word).is_some())?;
    let ms = (midnight_s(date) + time.seconds - zone_offset_s(zone)?) * 1000;
    Some(DateLine { ms, zone: Some((*zone).to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_many_locales_and_collectors() {
        let noon = Some(1_646_307_224_000);
        for (line, expect) in [
            ("Thu Mar  3 12:33:44 CET 2022", noon),
            ("Thu 03 Mar 2022 11:33:44 AM UTC", noon),
            ("Thu Mar  3 11:33:44 UTC 2022", noon),
            ("zzz ***Thu Mar 3 12:33:44 CET 2022", noon),
            ("zzz *** Thu Mar 3 12:33:44 CET 2022", noon),
            ("2022-03-03T12:33:44+01:00", noon),
            ("Thu Mar  3 12:33:44 XYZ 2022", None),
            ("Do 3. M\u{e4}r 12:33:44 CET 2022", None),
            ("Since Thu Mar 3 12:33:44 CET 2022 it is slow", None),
            ("Thu Mar  3 12:33:44 CET 2022 kernel: x", None),
            ("zzz", None),
            ("***", None),
            ("", None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(date_line(&words).map(|told| told.ms), expect, "{line}");
        }
    }
}
