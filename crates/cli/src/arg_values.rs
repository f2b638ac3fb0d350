//! Times, sizes and shares of the command line, as people write them.

use std::time::Duration;

pub use heldup_model::parse_bytes;

/// The longest window: a day. Longer spans are the recorder's work.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The shortest: below it counters of 10 ms ticks say nothing.
const SHORTEST: Duration = Duration::from_millis(100);

/// The shortest window of `watch`: one sample.
const SHORTEST_WATCHED: Duration = Duration::from_secs(1);
/// The longest memory of `watch`, in windows.
const MOST_WINDOWS: u32 = 60;

/// As [`parse_duration`], for windows that hold a sample.
pub fn parse_window(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        window if window < SHORTEST_WATCHED => Err("shorter than 1s, the interval of a sample".to_owned()),
        window => Ok(window),
    }
}

/// Reads `2/3`.
pub fn parse_of(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((found, of)) if 1 <= found && found <= of && of <= MOST_WINDOWS => Ok((found, of)),
        _ => Err(format!("expected K/N with 1 <= K <= N <= {MOST_WINDOWS}, as in 2/3")),
    }
}

/// Reads `10s`, `1.5m`, `250ms`, `1h`; a bare number means seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    match parse_time(text)? {
        w if w < SHORTEST => Err("shorter than 100ms: too short to measure anything".to_owned()),
        w if w > LONGEST => Err("longer than a day".to_owned()),
        w => Ok(w),
    }
}

/// The longest time between two samples: what came and went within it was never seen.
const LONGEST_INTERVAL: Duration = Duration::from_secs(3600);
/// The longest time that is kept or recorded: a hundred years.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// As [`parse_duration`], up to an hour.
pub fn parse_interval(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        time if time > LONGEST_INTERVAL => Err("longer than an hour".to_owned()),
        time => Ok(time),
    }
}

/// As [`parse_duration`], without its end.
pub fn parse_long(text: &str) -> Result<Duration, String> {
    match parse_time(text)? {
        time if time < SHORTEST => Err("shorter than 100ms".to_owned()),
        time if time > FOR_EVER => Err("longer than a hundred years".to_owned()),
        time => Ok(time),
    }
}

/// Reads a number and a unit of time, of any length.
fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text);
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        "w" => 7.0 * 86_400.0,
        other => return Err(format!("`{other}` is no unit of time; use ms, s, m, h, d or w")),
    };
    let number: f64 = number.parse().map_err(|_| "expected a number and a unit, as in 10s".to_owned())?;
    Duration::try_from_secs_f64(number * scale).map_err(|e| e.to_string())
}

/// Reads `10GB`, `500MB`, `1.5TB` (thousands, as disks are sold), `2GiB`; a bare number means bytes.
pub fn parse_size(text: &str) -> Result<u64, String> {
    match parse_bytes(text)? {
        bytes if bytes < 1_000_000 => Err("less than 1MB: not even a minute fits into it".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Reads `1%` or `0.5%`, a share of one CPU.
pub fn parse_share(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).trim();
    match percent.parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => Err("expected a share of one CPU in percent, as in 1%".to_owned()),
    }
}

fn number_and_unit(text: &str) -> (&str, &str) {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    (number, unit.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, ms) in [("10s", 10_000), ("250ms", 250), ("1.5m", 90_000), ("2", 2_000), ("1h", 3_600_000)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "10x", "1ms", "25h", "-3s", "1e9s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn windows_of_watch() {
        assert_eq!(parse_of("2/3"), Ok((2, 3)));
        for text in ["0/3", "4/3", "2", "2/", "1/61", "-1/3"] {
            assert!(parse_of(text).is_err(), "{text}");
        }
        assert!(parse_window("500ms").is_err());
        assert_eq!(parse_window("1s"), Ok(Duration::from_secs(1)));
    }

    #[test]
    fn sizes_and_shares() {
        for (text, bytes) in [("10GB", 10_000_000_000), ("1.5 mb", 1_500_000), ("2GiB", 2_147_483_648)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "GB", "10XB", "-1GB", "12"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert_eq!(parse_share("1%"), Ok(0.01));
        for text in ["", "0", "101%", "x%", "-1"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
        assert_eq!(parse_long("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert!(parse_interval("2h").is_err());
    }
}
