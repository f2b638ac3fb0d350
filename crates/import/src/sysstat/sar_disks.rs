//! Rows of `sar -d` whose heading was left out (`grep dev8-0`): which headings they had follows from their numbers.

use crate::text::number::cell;

/// Up to sysstat 12.1: sectors until 11.5, kilobytes behind it; which of them is not told, so that no table takes them.
const OLD: [&str; 9] = ["DEV", "tps", "read/s", "written/s", "each", "avgqu-sz", "await", "svctm", "%util"];
/// Since 12.1.
const NEW: [&str; 9] = ["DEV", "tps", "rkB/s", "wkB/s", "dkB/s", "areq-sz", "aqu-sz", "await", "%util"];

/// The headings of a row of a disk by number (`dev8-0`), whose mean size of a request follows from its rates.
pub fn headings(words: &[&str]) -> Option<&'static [&'static str]> {
    let [name, numbers @ ..] = words else { return None };
    let (major, minor) = name.strip_prefix("dev")?.split_once('-')?;
    let is_count = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    if !is_count(major) || !is_count(minor) || numbers.len() != 8 {
        return None;
    }
    let values: Vec<f64> = numbers.iter().map(|word| cell(word).value()).collect::<Option<_>>()?;
    let fits = |amounts: usize| {
        let (Some(requests), Some(each)) = (values.first(), values.get(1 + amounts)) else { return false };
        let all: f64 = values.iter().skip(1).take(amounts).sum();
        // Both were rounded to hundredths.
        *requests > 0.0 && (all / requests - each).abs() <= 0.02 + 0.02 * each
    };
    match (fits(2), fits(3)) {
        (true, false) => Some(&OLD),
        (false, true) => Some(&NEW),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_follow_from_the_numbers() {
        let of =
            |line: &str| headings(&line.split_whitespace().collect::<Vec<_>>()).map(|headings| headings[2]);
        assert_eq!(of("dev8-0 5338.00 162784.00 1394.00 30.76 5.24 0.98 0.19 100.00"), Some("read/s"));
        assert_eq!(of("dev253-0 10.00 40.00 60.00 0.00 10.00 0.01 1.00 1.00"), Some("rkB/s"));
        assert_eq!(of("dev8-0 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00"), None);
        assert_eq!(of("dev8-0 5338.00 1.00 2.00 30.76 5.24 0.98 0.19 100.00"), None);
        assert_eq!(of("eth0 1 2 3 4 5 6 7 8"), None);
    }
}
