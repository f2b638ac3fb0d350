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

/// Counters by key.
#[derive(Debug)]
pub struct Widened<K> {
    seen: HashMap<K, (u32, i64)>,
}

impl<K> Default for Widened<K> {
    fn default() -> Widened<K> {
        Widened { seen: HashMap::new() }
    }
}

impl<K: Eq + Hash> Widened<K> {
    /// A total that grows as the counter does, and begins as it does. One that began anew is
    /// handed on as it is.
    pub fn total(&mut self, key: K, now: u32) -> i64 {
        let (last, total) = self.seen.entry(key).or_insert((now, i64::from(now)));
        *total = match growth(*last, now) {
            Some(growth) => total.saturating_add(i64::from(growth)),
            None => i64::from(now),
        };
        *last = now;
        *total
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
