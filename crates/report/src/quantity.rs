//! Numbers as people read them: 1.2 GB, 4.3 ms, 55 %, 1,204.
//!
//! Bytes count in thousands (kB, MB, GB), as the units are defined. A number and its
//! unit are joined by a no-break space, so that a line never ends between them; the
//! layout prints it as a plain one.

const NBSP: char = '\u{a0}';

/// A whole number with thousands set apart: 1,204,311.
pub fn count(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if n < 0 {
        grouped.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Numbers from here on no column is wide enough for, and no float has all digits of.
const TOO_LONG: f64 = 1e15;

/// A number with `decimals` digits behind the point, thousands set apart.
pub fn fixed(x: f64, decimals: usize) -> String {
    if !x.is_finite() {
        return "?".to_owned();
    }
    if x.abs() >= TOO_LONG {
        return format!("{x:.1e}");
    }
    let plain = format!("{x:.decimals$}");
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    match whole.parse::<i64>() {
        // "-0.4" has the whole part 0: keep its sign.
        Ok(0) | Err(_) => plain,
        Ok(n) => count(n) + rest,
    }
}

/// A number with about three digits that count: 0.043, 1.25, 18.4, 1,204.
pub fn number(x: f64) -> String {
    let size = x.abs();
    let decimals = match size {
        _ if size >= TOO_LONG => 1,
        _ if size == 0.0 || size >= 99.95 || (size.fract() == 0.0 && size < 1e15) => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.9995 => 2,
        _ if size >= 0.01 => 3,
        _ => 6,
    };
    let text = fixed(x, decimals);
    if decimals > 0 && size < TOO_LONG {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Seconds: 850 ns, 4.3 ms, 18.4 s, 1,204 s.
pub fn seconds(s: f64) -> String {
    let size = s.abs();
    let (scaled, unit) = match size {
        _ if size == 0.0 || size >= 0.9995 => (s, "s"),
        _ if size >= 0.000_999_5 => (s * 1e3, "ms"),
        _ if size >= 0.000_000_999_5 => (s * 1e6, "µs"),
        _ => (s * 1e9, "ns"),
    };
    format!("{}{NBSP}{unit}", short(scaled))
}

/// A length of time that may be long: 40 s, 12 min, 3.5 h, 9 days.
pub fn span(s: f64) -> String {
    let (scaled, unit) = match s {
        _ if s < 120.0 => return seconds(s),
        _ if s < 7_200.0 => (s / 60.0, "min"),
        _ if s < 172_800.0 => (s / 3_600.0, "h"),
        _ => (s / 86_400.0, "days"),
    };
    format!("{}{NBSP}{unit}", short(scaled))
}

/// Bytes: 512 B, 4.1 kB, 1.2 GB.
pub fn bytes(b: f64) -> String {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut scaled = b;
    let mut unit = 0;
    while scaled.abs() >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    format!("{}{NBSP}{}", short(scaled), UNITS[unit])
}

/// A share of one: 0.43 is 43 %. What is not all never reads 100 %, what is not
/// nothing never reads 0 %.
pub fn percent(share: f64) -> String {
    let p = share * 100.0;
    let text = match p {
        _ if !p.is_finite() => "?".to_owned(),
        _ if p == 0.0 => "0".to_owned(),
        _ if p > 0.0 && p < 0.05 => "<0.1".to_owned(),
        _ if p.abs() < 9.95 => fixed(p, 1).trim_end_matches(".0").to_owned(),
        _ if (99.95..100.0).contains(&p) => ">99.9".to_owned(),
        _ if (99.5..100.0).contains(&p) => fixed(p, 1),
        _ => fixed(p, 0),
    };
    format!("{text}{NBSP}%")
}

/// A measured value in its unit, as evidence names it: `ns` to `days`, `bytes`,
/// `bytes/s`, `ratio`, `count`, `/s`, or any other word, which is printed behind it.
pub fn with_unit(value: f64, unit: &str) -> String {
    let ends = [" at one moment", " since boot", " since mount", " since start"];
    if let Some((unit, end)) = ends.iter().find_map(|end| Some((unit.strip_suffix(end)?, end))) {
        return with_unit(value, unit) + end;
    }
    match unit.trim() {
        "s" | "seconds" => seconds(value),
        "ms" => seconds(value / 1e3),
        "us" | "µs" => seconds(value / 1e6),
        "ns" => seconds(value / 1e9),
        "min" => span(value * 60.0),
        "h" | "hours" => span(value * 3_600.0),
        "days" => span(value * 86_400.0),
        "bytes" | "B" => bytes(value),
        "bytes/s" | "B/s" | "bytes_per_s" => bytes(value) + "/s",
        "bit/s" | "bits/s" => format!("{}{NBSP}Mbit/s", short(value / 1e6)),
        "ratio" | "share" => percent(value),
        "%" => percent(value / 100.0),
        "s of the recording" => format!("{} of the recording", span(value)),
        "" | "count" => number(value),
        rate if rate.starts_with('/') => number(value) + rate,
        word => format!("{}{NBSP}{word}", number(value)),
    }
}

/// Two or three digits that count, for a number that a unit has brought below 1,000.
fn short(x: f64) -> String {
    let size = x.abs();
    if size >= 99.95 || x == x.trunc() {
        fixed(x, 0)
    } else if size >= 9.995 {
        fixed(x, 1).trim_end_matches(".0").to_owned()
    } else {
        let text = fixed(x, 2);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(got: String, expect: &str) {
        assert_eq!(got.replace(NBSP, " "), expect);
    }

    #[test]
    fn counts() {
        check(count(1_204_311), "1,204,311");
        check(count(-999), "-999");
        check(count(i64::MIN), "-9,223,372,036,854,775,808");
        check(number(0.0), "0");
        check(number(0.5), "0.5");
        check(number(18.44), "18.4");
        check(number(1204.4), "1,204");
        check(number(99.99), "100");
        check(number(-0.25), "-0.25");
        check(number(f64::NAN), "?");
        check(number(1.8e300), "1.8e300");
    }

    #[test]
    fn times() {
        check(seconds(0.0), "0 s");
        check(seconds(0.0043), "4.3 ms");
        check(seconds(0.055), "55 ms");
        check(seconds(0.000_000_85), "850 ns");
        check(seconds(0.000_4), "400 µs");
        check(seconds(0.999_9), "1 s");
        check(seconds(18.44), "18.4 s");
        check(seconds(1204.0), "1,204 s");
        check(span(90.0), "90 s");
        check(span(720.0), "12 min");
        check(span(12_600.0), "3.5 h");
        check(span(777_600.0), "9 days");
    }

    #[test]
    fn sizes_and_shares() {
        check(bytes(512.0), "512 B");
        check(bytes(1.2e9), "1.2 GB");
        check(bytes(999_600.0), "1 MB");
        check(percent(0.554), "55 %");
        check(percent(0.0431), "4.3 %");
        check(percent(0.000_1), "<0.1 %");
        check(percent(0.998_7), "99.9 %");
        check(percent(0.999_99), ">99.9 %");
        check(percent(1.0), "100 %");
        check(percent(3.2), "320 %");
    }

    #[test]
    fn evidence_units() {
        check(with_unit(55.0, "ms"), "55 ms");
        check(with_unit(2.5e6, "bytes/s"), "2.5 MB/s");
        check(with_unit(142.0, "/s"), "142/s");
        check(with_unit(60.0, "h"), "2.5 days");
        check(with_unit(12.0, "requests"), "12 requests");
        check(with_unit(0.25, "ratio"), "25 %");
        check(with_unit(0.25, "ratio at one moment"), "25 % at one moment");
        check(with_unit(2e9, "bytes at one moment"), "2 GB at one moment");
        check(with_unit(27_360.0, "connections since boot"), "27,360 connections since boot");
    }
}
