//! Counters that the kernel keeps in 32 bits, made to grow beyond them.
//!
//! A busy CPU takes 2^32 packets in less than an hour. Nothing here knows a table.

use std::collections::HashMap;
use std::hash::Hash;

/// How much a counter of 32 bits grew; none where it must have begun anew: nothing grows by
/// half its range from one reading to the next.
pub fn growth(before: u32, now: u32) -> Option<u32> {
    let growth = now.wrapping_sub(before);
    (growth < 1 << 31).then_some(growth)
}

/// One counter, as a total that grows as it does, and begins as it does.
#[derive(Clone, Copy, Debug)]
pub struct Wide {
    last: u32,
    total: i64,
}

impl Wide {
    /// A counter that reads so much for the first time.
    pub fn new(now: u32) -> Wide {
        Wide { last: now, total: i64::from(now) }
    }

    /// The total. Of a counter that began anew it is what it reads.
    pub fn total(&mut self, now: u32) -> i64 {
        self.total = match growth(self.last, now) {
            Some(growth) => self.total.saturating_add(i64::from(growth)),
            None => i64::from(now),
        };
        self.last = now;
        self.total
    }
}

/// Counters by key.
#[derive(Debug)]
pub struct Widened<K> {
    seen: HashMap<K, Wide>,
}

impl<K> Default for Widened<K> {
    fn default() -> Widened<K> {
        Widened { seen: HashMap::new() }
    }
}

impl<K: Eq + Hash> Widened<K> {
    /// The total of a counter that now reads so much.
    pub fn total(&mut self, key: K, now: u32) -> i64 {
        self.seen.entry(key).or_insert(Wide::new(now)).total(now)
    }

    /// Forgets the counters of what is gone.
    pub fn retain(&mut self, is_there: impl Fn(&K) -> bool) {
        self.seen.retain(|key, _| is_there(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_grow_where_the_counter_wraps() {
        let mut widened = Widened::default();
        let totals = [u32::MAX - 1, 3, 10].map(|now| widened.total("processed", now));
        assert_eq!(totals, [4_294_967_294, 4_294_967_299, 4_294_967_306]);
    }

    #[test]
    fn what_began_anew_is_not_taken_for_a_wrap() {
        let mut widened = Widened::default();
        assert_eq!([1000, 7].map(|now| widened.total(0, now)), [1000, 7]);
        assert_eq!((growth(1000, 7), growth(5, 9)), (None, Some(4)));
    }
}
