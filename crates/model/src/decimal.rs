//! Sums and differences of decimals that are kept as floats.
//!
//! The kernel counts time in ticks, micro- and nanoseconds; seconds are those counts over a power
//! of ten. Their differences as floats end in noise (0.3 − 0.1 is 0.19999999999999998) that is no
//! measurement, and costs the archive eight bytes where two would do. So they are reckoned in the
//! unit that was counted, and divided once.

/// Units in a second that times are counted in, the finest last.
const UNITS: [f64; 2] = [1e6, 1e9];
/// Integers up to here are exact as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Nanoseconds, the finest unit.
const FINEST: f64 = 1e9;

/// What was counted, in a unit; none where the float is no such count.
fn counted(value: f64, unit: f64) -> Option<f64> {
    let count = (value * unit).round();
    // Bits, not values: a negative zero is no count.
    (count.abs() < EXACT && (count / unit).to_bits() == value.to_bits()).then_some(count)
}

/// `now - before`, in the unit that both were counted in where there is one.
///
/// A total beyond 104 days, of which a float no longer has every nanosecond, gives an increase of
/// whole nanoseconds too: digits behind them would say what nobody counted.
pub fn increase_of(now: f64, before: f64) -> f64 {
    if now == before {
        return 0.0;
    }
    for unit in UNITS {
        if let (Some(now), Some(before)) = (counted(now, unit), counted(before, unit)) {
            return (now - before) / unit;
        }
    }
    let difference = now - before;
    match now.abs() * FINEST >= EXACT {
        true => (difference * FINEST).round() / FINEST,
        false => difference,
    }
}

/// A sum of floats that may all be decimals: then it is the decimal that they add up to, in
/// whatever order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    /// In nanoseconds, as long as all were counts of them.
    counts: i128,
    floats: f64,
    inexact: bool,
    terms: u64,
}

impl Sum {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.terms += 1;
        if value == 0.0 {
            return;
        }
        self.floats += value;
        match counted(value, FINEST) {
            Some(count) => self.counts += count as i128,
            None => self.inexact = true,
        }
    }

    /// The sum; none of no values.
    pub fn value(self) -> Option<f64> {
        let exact = !self.inexact && self.counts.unsigned_abs() < EXACT as u128;
        (self.terms > 0).then(|| if exact { self.counts as f64 / FINEST } else { self.floats })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increases_have_no_noise() {
        for (now, before, expected) in [
            (0.3, 0.1, 0.2),
            (1234.56, 1234.55, 0.01),
            (123.456_789_012, 123.456_789_011, 1e-9),
            (5.0, 5.0, 0.0),
            (7.000_001, 0.0, 7.000_001),
            (1.0 / 3.0, 0.0, 1.0 / 3.0),
        ] {
            assert_eq!(increase_of(now, before), expected, "{now} - {before}");
        }
        // 400 days in nanoseconds: a float tells every eighth of them.
        let increase = increase_of(34_560_000.123_456_79, 34_560_000.023_456_79);
        assert_eq!((increase * 1e9).round() / 1e9, increase);
        assert!((increase - 0.1).abs() < 1e-7, "{increase}");
    }

    #[test]
    fn sums_are_those_of_the_counts() {
        let of = |values: &[f64]| {
            let mut sum = Sum::default();
            values.iter().for_each(|value| sum.add(*value));
            sum.value()
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[0.0]), Some(0.0));
        assert_eq!(of(&[0.1; 10]), Some(1.0));
        assert_eq!(of(&[0.1, 0.2]), Some(0.3));
        assert_eq!(of(&[0.1, 1.0 / 3.0]), Some(0.1 + 1.0 / 3.0));
        assert_eq!(of(&[1e300, 1.0]), Some(1e300));
    }
}
