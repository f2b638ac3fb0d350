//! Counters that a tool prints as they stand since boot: what becomes of them is how much they grew
//! since the listing before.
//!
//! Of a single listing nobody tells how long it covers: its counters are NULL, as those of the first line
//! of `vmstat` are. An interval is known where both listings have times.

use std::collections::HashMap;

use crate::document::ORDER_STEP_MS;
use crate::table::sheets::When;

/// The totals of one tool in the listing before.
#[derive(Debug, Default)]
pub struct Totals {
    before: HashMap<String, f64>,
    last: Option<When>,
    /// The interval of the last listing.
    secs: Option<f64>,
    /// The counter that was told for the first time, last.
    first_told: Option<String>,
}

impl Totals {
    /// A listing at this time, with the length of its interval where that is known.
    pub fn sample(&mut self, when: When) -> When {
        // Another thing of the same moment is of the same interval.
        if self.last.is_none_or(|last| last.ms != when.ms || last.floats != when.floats) {
            let last = self.last.replace(when).filter(|last| !last.floats && !when.floats);
            // Less is their order, and no interval.
            let apart = last.map(|last| when.ms - last.ms).filter(|apart| *apart > ORDER_STEP_MS);
            self.secs = apart.map(|apart| apart as f64 / 1000.0);
        }
        When { secs: self.secs.or(when.secs), ..when }
    }

    /// How much a counter grew; none where it was not told before, or fell (it began anew).
    pub fn growth(&mut self, key: &str, total: f64) -> Option<f64> {
        self.first_told = None;
        let before = match self.before.get_mut(key) {
            Some(before) => std::mem::replace(before, total),
            None => {
                self.before.insert(key.to_owned(), total);
                self.first_told = Some(key.to_owned());
                return None;
            }
        };
        Some(total - before).filter(|growth| *growth >= 0.0)
    }

    /// Whether a counter, asked for just now, was told for the first time.
    pub fn is_new(&self, key: &str) -> bool {
        self.first_told.as_deref() == Some(key)
    }

    /// Whether a listing was there before the one that is being read.
    pub fn has_before(&self) -> bool {
        !self.before.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grew_since_the_listing_before() {
        let mut totals = Totals::default();
        let at = |ms, floats| When { ms, secs: None, floats };
        assert_eq!(totals.sample(at(1000, false)).secs, None);
        assert_eq!(totals.growth("a", 7.0), None);
        assert_eq!(totals.sample(at(3500, false)).secs, Some(2.5));
        assert_eq!(totals.growth("a", 9.0), Some(2.0));
        assert_eq!(totals.growth("b", 9.0), None);
        // Began anew.
        assert_eq!(totals.growth("a", 1.0), None);
        assert_eq!(totals.growth("a", 4.0), Some(3.0));
        // Without times nobody knows how long it was.
        assert_eq!(totals.sample(at(9000, true)).secs, None);
    }
}
