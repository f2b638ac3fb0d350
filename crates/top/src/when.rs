//! Times as they stand in the header, and as people type them.

use heldup_model::{Clock, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;

const HALF_A_DAY_MS: i64 = 43_200_000;
/// Narrower than this there is no room for days and hours.
const NARROW: usize = 60;

/// `05:32:20`, with its day where that is another than today's.
pub fn clock(at_ms: i64, now_ms: i64, zone: &TimeZone) -> String {
    let at = |ms: i64| Timestamp::from_millisecond(ms).map(|time| time.to_zoned(zone.clone()));
    match (at(at_ms), at(now_ms)) {
        (Ok(time), Ok(now)) if time.date() == now.date() => time.strftime("%H:%M:%S").to_string(),
        (Ok(time), _) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        (Err(_), _) => "unknown".to_owned(),
    }
}

/// The two ends of a time: `05:32`; of a long one from one day to another with their days, where that is too wide these
/// alone.
pub fn ends(all: Span, columns: usize, zone: &TimeZone) -> (String, String) {
    let day = |ms: i64| Timestamp::from_millisecond(ms).map(|time| time.to_zoned(zone.clone()).date()).ok();
    let is_long = all.until_ms - all.since_ms > HALF_A_DAY_MS && day(all.since_ms) != day(all.until_ms);
    let format = match (is_long, columns < NARROW) {
        (false, _) => "%H:%M",
        (true, false) => "%b %d %H:%M",
        (true, true) => "%b %d",
    };
    let text = |ms: i64| {
        let time = Timestamp::from_millisecond(ms);
        time.map(|time| time.to_zoned(zone.clone()).strftime(format).to_string()).unwrap_or_default()
    };
    (text(all.since_ms), text(all.until_ms))
}

/// From and until as commands take them, in whole seconds.
pub fn options(span: Span) -> String {
    let time = |ms: i64| {
        let time = Timestamp::from_millisecond(ms.div_euclid(1000) * 1000);
        time.map(|time| time.to_string()).unwrap_or_default()
    };
    format!("--since {} --until {}", time(span.since_ms), time(span.until_ms + 999))
}

/// The time that somebody means, as milliseconds; of a recording its days are meant.
pub fn typed(text: &str, all: Span, now_ms: i64, zone: &TimeZone) -> Result<i64, String> {
    let now = Timestamp::from_millisecond(now_ms).map_err(|error| error.to_string())?;
    let clock = Clock { now: now.to_zoned(zone.clone()), zone: &|name| TimeZone::get(name).ok() };
    let found = clock.span_within(text, Some("+1s"), all).map_err(|error| error.to_string())?;
    Ok(found.span.since_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2025-11-21 04:40:00 UTC.
    const AT_MS: i64 = 1_763_700_000_000;

    #[test]
    fn another_day_is_named() {
        let zone = TimeZone::UTC;
        assert_eq!(clock(AT_MS, AT_MS + 60_000, &zone), "04:40:00");
        assert_eq!(clock(AT_MS, AT_MS + 86_400_000, &zone), "2025-11-21 04:40:00");
        let all = |length_ms| Span { since_ms: AT_MS - length_ms, until_ms: AT_MS };
        assert_eq!(ends(all(60_000), 80, &zone), ("04:39".to_owned(), "04:40".to_owned()));
        assert_eq!(ends(all(86_400_000), 80, &zone).1, "Nov 21 04:40");
        assert_eq!(ends(all(172_800_000), 80, &zone).0, "Nov 19 04:40");
        assert_eq!(ends(all(172_800_000), 48, &zone).0, "Nov 19");
    }

    #[test]
    fn a_time_is_typed_in_words() {
        let (zone, day_ms) = (TimeZone::UTC, 86_400_000);
        let all = Span { since_ms: AT_MS - 2 * day_ms, until_ms: AT_MS };
        let go = |text| typed(text, all, AT_MS, &zone);
        assert_eq!(go("yesterday 04:40"), Ok(AT_MS - day_ms));
        assert_eq!(go("04:10"), Ok(AT_MS - 30 * 60_000));
        assert!(go("half past nonsense").is_err());
    }
}
