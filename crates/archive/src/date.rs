//! Days of UTC, as folders are named after them.

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;
/// 0000-01-01 and 9999-12-31: what has four digits is ordered as text as it is in time.
const FIRST_DAY: i64 = -719_528;
const LAST_DAY: i64 = 2_932_896;

/// Days since 1970-01-01 of a time in milliseconds.
pub(crate) fn day_of(time_ms: i64) -> i64 {
    time_ms.div_euclid(DAY_MS)
}

/// A day as `YYYY-MM-DD`, the nearest where it is beyond the years of four digits (Howard Hinnant, `civil_from_days`, chrono-compatible low-level date
/// algorithms): years begin in March, so that the leap day is the last.
pub(crate) fn date(day: i64) -> String {
    let day = day.clamp(FIRST_DAY, LAST_DAY) + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day_of_month = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

/// The day of a date as `YYYYMMDD` or `YYYY-MM-DD`; none where it is no date of the calendar
/// (`days_from_civil` of the same author).
pub(crate) fn day_of_date(text: &str) -> Option<i64> {
    let digits: String = text.split('-').collect();
    if digits.len() != 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    let (year, month, day_of_month) = (number / 10_000, number / 100 % 100, number % 100);
    let year = year - i64::from(month <= 2);
    let of_era = year.rem_euclid(400);
    let from_march = (month + 9) % 12;
    let of_year = (153 * from_march + 2) / 5 + day_of_month - 1;
    let day = year.div_euclid(400) * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    (date(day).replace('-', "") == digits).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_lead_back_to_their_days() {
        for day in (FIRST_DAY..LAST_DAY).step_by(997).chain([FIRST_DAY, -1, 0, 10_957 + 59, LAST_DAY]) {
            assert_eq!(day_of_date(&date(day)), Some(day), "{}", date(day));
        }
        for wrong in ["", "2025-02-29", "20251301", "2025-00-10", "2025112", "2025112x", "99999999"] {
            assert_eq!(day_of_date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (time_ms, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400_000, "2000-02-29"),
            (951_868_800_000, "2000-03-01"),
            (1_709_164_800_000, "2024-02-29"),
            (1_763_700_000_000, "2025-11-21"),
            (1_767_225_599_999, "2025-12-31"),
            (1_767_225_600_000, "2026-01-01"),
            (4_107_542_400_000, "2100-03-01"),
            (i64::MIN, "0000-01-01"),
            (i64::MAX, "9999-12-31"),
        ] {
            assert_eq!(date(day_of(time_ms)), expected, "{time_ms}");
        }
    }
}
