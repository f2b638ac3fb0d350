//! Durations and times as databases print them. Pure.

use jiff::civil::DateTime;

/// Seconds of `00:05:12.3`, `1 day 02:03:04`, `2 mons 3 days`, `-00:00:01`, `12.5`, `5 min 3 sec`.
pub fn seconds(cell: &str) -> Option<f64> {
    let cell = cell.trim().trim_start_matches('@').trim();
    if cell.is_empty() {
        return None;
    }
    let words: Vec<&str> = cell.split_whitespace().collect();
    let mut total = 0.0;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if let Some(clock) = clock(word) {
            total += clock;
            at += 1;
            continue;
        }
        let number: f64 = word.parse().ok()?;
        let unit = words.get(at + 1).map(|unit| unit.trim_end_matches([',', 's']));
        total += number
            * match unit {
                None if words.len() == 1 => 1.0,
                Some("second" | "sec" | "") => 1.0,
                Some("min" | "minute" | "m") => 60.0,
                Some("hour" | "h") => 3600.0,
                Some("day" | "d") => 86_400.0,
                Some("week") => 604_800.0,
                Some("mon" | "month") => 30.0 * 86_400.0,
                Some("year") => 365.25 * 86_400.0,
                _ => return None,
            };
        at += 2;
    }
    // A clock that was read before the list was made.
    total.is_finite().then_some(total).filter(|total| *total > -10.0).map(|total: f64| total.max(0.0))
}

/// `00:05:12.3`, `-00:00:01`, `125:00:00`.
fn clock(word: &str) -> Option<f64> {
    let (sign, digits) = word.strip_prefix('-').map_or((1.0, word), |digits| (-1.0, digits));
    let parts: Vec<&str> = digits.split(':').collect();
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    let part = |digits: &str| digits.parse::<f64>().ok().filter(|part| *part >= 0.0);
    let (minutes, seconds) = (part(minutes)?, part(seconds)?);
    (minutes < 60.0 && seconds < 61.0).then_some(sign * (part(hours)? * 3600.0 + minutes * 60.0 + seconds))
}

/// Seconds since 1970 of `2026-11-26 18:49:20.106495+00`; without a zone as if it were UTC, since only differences are used.
pub fn instant_s(cell: &str) -> Option<f64> {
    let cell = cell.trim();
    if cell.len() < 19 || !cell.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    let (local, zone) = match cell.get(19..)?.find(['+', '-', 'Z']) {
        Some(at) => cell.split_at(19 + at),
        None => (cell, ""),
    };
    let zone_s = match zone.trim() {
        "" => 0,
        zone => crate::text::civil::zone_offset_s(zone)?,
    };
    let local: DateTime = local.trim().replacen(' ', "T", 1).parse().ok()?;
    let at = local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    Some(at.as_millisecond() as f64 / 1000.0 - zone_s as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (cell, expected) in [
            ("00:05:12.5", Some(312.5)),
            ("1 day 02:00:00", Some(93_600.0)),
            ("2 days", Some(172_800.0)),
            ("-00:00:00.01", Some(0.0)),
            ("17", Some(17.0)),
            ("3 mins 5 secs", Some(185.0)),
            ("active", None),
            ("", None),
            ("-17:00:00", None),
        ] {
            assert_eq!(seconds(cell), expected, "{cell}");
        }
    }

    #[test]
    fn instants() {
        let at = |cell: &str| instant_s(cell);
        assert_eq!(at("2026-11-26 18:49:20+00"), at("2026-11-26 20:49:20+02"));
        assert_eq!(at("2026-11-26 18:49:20.5"), at("2026-11-26 18:49:20").map(|at| at + 0.5));
        assert_eq!(at("yesterday at seven o'clock"), None);
    }
}
