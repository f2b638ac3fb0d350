//! The size of memory, which `sar` never prints: it follows from what it prints of its use.
//!
//! `kbmemused` was all that is not free until sysstat 11.6; since then buffers, page cache and slab are
//! not counted as used. Which of the two it is shows in `%memused`, that is the share of the whole.

use crate::text::number::Cell;

/// A percentage with two decimals stands for what is this near.
const HALF_DIGIT: f64 = 0.005;
/// Below this share its own rounding makes the size uncertain by more than a thousandth.
const LEAST_SHARE: f64 = 5.0;

/// Where the numbers stand that the size follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemorySize {
    free: usize,
    used: usize,
    share: usize,
    buffers: Option<usize>,
    cached: Option<usize>,
    slab: Option<usize>,
}

impl MemorySize {
    /// Of the headings of a section; none where it is not of memory.
    pub fn of(headings: &[&str]) -> Option<MemorySize> {
        let place = |name: &str| headings.iter().position(|heading| *heading == name);
        Some(MemorySize {
            free: place("kbmemfree")?,
            used: place("kbmemused")?,
            share: place("%memused")?,
            buffers: place("kbbuffers"),
            cached: place("kbcached"),
            slab: place("kbslab"),
        })
    }

    /// Kilobytes, and whether they are exact; none where the numbers do not tell.
    pub fn kilobytes(&self, cells: &[Cell]) -> Option<(f64, bool)> {
        let number = |at: usize| cells.get(at).and_then(|cell| cell.value());
        let (free, used, share) = (number(self.free)?, number(self.used)?, number(self.share)?);
        let is_it = |total: f64| total > 0.0 && (used / total * 100.0 - share).abs() <= HALF_DIGIT * 1.001;
        let with_caches = [self.buffers, self.cached, self.slab]
            .into_iter()
            .map(|at| at.and_then(number))
            .sum::<Option<f64>>()
            .map(|caches| free + used + caches);
        let whole = Some(free + used);
        let fits: Vec<f64> =
            [whole, with_caches].into_iter().flatten().filter(|total| is_it(*total)).collect();
        match fits.as_slice() {
            [total] => Some((*total, true)),
            // Both, where there are hardly any caches.
            [first, second] if (first / second - 1.0).abs() < 1e-3 => Some((*second, false)),
            [] if share >= LEAST_SHARE => Some(((used / share * 100.0).round(), false)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, row: &[f64], expect: Option<(f64, bool)>) {
        let headings: Vec<&str> = line.split_whitespace().collect();
        let cells: Vec<Cell> = row.iter().map(|value| Cell::Value(*value)).collect();
        assert_eq!(MemorySize::of(&headings).unwrap().kilobytes(&cells), expect, "{line}");
    }

    #[test]
    fn the_size_follows_from_what_is_used() {
        // 10.0: 16 GiB.
        let before = "kbmemfree kbmemused %memused kbbuffers kbcached kbcommit %commit";
        check(before, &[300_000.0, 16_077_216.0, 98.17, 5.0, 6e6, 1.0, 0.0], Some((16_377_216.0, true)));
        // 12.6 with -r ALL.
        let now = "kbmemfree kbavail kbmemused %memused kbbuffers kbcached kbcommit kbslab";
        let row = [23_325_092.0, 23_927_744.0, 405_624.0, 1.64, 11_720.0, 708_804.0, 207_380.0, 232_852.0];
        check(now, &row, Some((24_684_092.0, true)));
        // 12.6 with -r, without slab: by the share alone, and only where that is fine enough.
        let short = "kbmemfree kbavail kbmemused %memused kbbuffers kbcached";
        check(short, &[1_000_000.0, 1_500_000.0, 6_000_000.0, 60.00, 500_000.0, 2e6], Some((1e7, false)));
        check(short, &[23_325_092.0, 23_927_744.0, 405_624.0, 1.64, 11_720.0, 708_804.0], None);
    }
}
