//! Times of which recordings tell: who tells of an interval is found in few steps, however many recordings there are.

use std::collections::BTreeMap;

/// Intervals of milliseconds, each without its end. Each moment belongs to who told of it first.
#[derive(Debug, Default)]
pub struct Covered {
    /// Ends by beginnings: those that overlap are one.
    joined: BTreeMap<i64, i64>,
    /// Who told of the parts of them, by the parts' beginnings.
    owners: BTreeMap<i64, usize>,
}

impl Covered {
    /// Gives what nobody has told of in an interval to `who`.
    pub fn add(&mut self, since: i64, until: i64, who: usize) {
        if since >= until {
            return;
        }
        let before = self.joined.range(..=since).next_back().filter(|(_, end)| **end > since);
        let first = before.map_or(since, |(begin, _)| *begin);
        let there: Vec<(i64, i64)> =
            self.joined.range(first..until).map(|(begin, end)| (*begin, *end)).collect();
        let (mut begin, mut end, mut told_until) = (since, until, since);
        for (from, to) in there {
            if told_until < from {
                self.owners.insert(told_until, who);
            }
            told_until = told_until.max(to);
            (begin, end) = (begin.min(from), end.max(to));
            self.joined.remove(&from);
        }
        if told_until < until {
            self.owners.insert(told_until, who);
        }
        self.joined.insert(begin, end);
    }

    /// Who tells of a part of an interval; of a moment, who tells of both its sides.
    pub fn by(&self, since: i64, until: i64) -> Option<usize> {
        let (begin, _) = self.joined.range(..until).next_back().filter(|(_, end)| **end > since)?;
        self.owners.range(begin..&until).next_back().map(|(_, who)| *who)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(told: &[(i64, i64)]) -> Covered {
        let mut covered = Covered::default();
        told.iter().enumerate().for_each(|(who, (since, until))| covered.add(*since, *until, who));
        covered
    }

    #[test]
    fn who_told_first_keeps_it_and_the_gaps_go_to_others() {
        let covered = covered(&[(10, 20), (40, 50), (0, 60), (15, 45), (70, 70)]);
        let by = |since, until| covered.by(since, until);
        assert_eq!((by(0, 10), by(10, 20), by(20, 40), by(40, 50)), (Some(2), Some(0), Some(2), Some(1)));
        assert_eq!((by(50, 60), by(60, 80), by(-5, 0), by(69, 71)), (Some(2), None, None, None));
        assert_eq!(covered.joined, BTreeMap::from([(0, 60)]));
    }

    #[test]
    fn a_moment_between_two_is_of_neither() {
        let covered = covered(&[(0, 10), (10, 20)]);
        assert_eq!((covered.by(10, 10), covered.by(5, 5), covered.by(9, 11)), (None, Some(0), Some(1)));
    }

    /// As comparing with each of them would have it.
    #[test]
    fn it_is_what_any_of_them_tells() {
        let mut state = 7_u64;
        let mut random = move |below: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % below
        };
        for _ in 0..200 {
            let told: Vec<(i64, i64)> = (0..random(12))
                .map(|_| random(100))
                .collect::<Vec<_>>()
                .into_iter()
                .map(|since| (since, since + 1 + since % 23))
                .collect();
            let covered = covered(&told);
            for (since, length) in [(random(130), 0), (random(130), 1), (random(130), random(40))] {
                let until = since + length;
                let any = told.iter().any(|(from, to)| since < *to && *from < until);
                assert_eq!(covered.by(since, until).is_some(), any, "{since}..{until} of {told:?}");
            }
        }
    }
}
