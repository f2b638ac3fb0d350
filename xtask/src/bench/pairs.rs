//! Interleaved pairs: the ratio of a cost with and without `heldup`.

use anyhow::{Context, Result};

use super::median;

/// Resamples of the bootstrap: bounds repeat to about a tenth of their width.
const RESAMPLES: usize = 4000;

/// Measures the cost of one variant once.
pub type Variant<'a> = &'a mut dyn FnMut() -> Result<f64>;

/// A ratio and where it lies with a certainty of 95 %.
pub struct Ratio {
    /// Median of the pairs' ratios.
    pub median: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Median cost without looking.
    pub without: f64,
}

/// Measures `pairs` pairs after one that is thrown away; every second pair begins with
/// the looked-at half, so that what the first leaves behind (caches, clocks) is shared.
pub fn compare(
    pairs: usize,
    mut without: impl FnMut() -> Result<f64>,
    mut with: impl FnMut() -> Result<f64>,
) -> Result<Ratio> {
    compare_many(pairs, &mut [&mut without, &mut with])?.pop().context("two variants have a ratio")
}

/// The same for any number of variants in `rounds` rounds: the ratio of each but the first
/// to the first. Each round begins with another variant.
pub fn compare_many(rounds: usize, variants: &mut [Variant<'_>]) -> Result<Vec<Ratio>> {
    let count = variants.len();
    let mut costs = vec![Vec::with_capacity(rounds); count];
    for round in 0..=rounds {
        for step in 0..count {
            let at = (round + step) % count;
            let cost = variants[at]()?;
            if round > 0 {
                costs[at].push(cost);
            }
        }
    }
    let Some((without, others)) = costs.split_first() else { return Ok(Vec::new()) };
    let pairs = |with: &Vec<f64>| without.iter().copied().zip(with.iter().copied()).collect::<Vec<_>>();
    Ok(others.iter().map(|with| ratio(&pairs(with))).collect())
}

fn ratio(measured: &[(f64, f64)]) -> Ratio {
    let ratios: Vec<f64> = measured.iter().map(|(a, b)| b / a).collect();
    let (low, high) = bounds(&ratios);
    let without = median(&measured.iter().map(|pair| pair.0).collect::<Vec<_>>());
    Ratio { median: median(&ratios), low, high, without }
}

/// Percentile bootstrap of the median (Efron 1979): 2.5 % and 97.5 % of the medians of
/// samples drawn with replacement.
fn bounds(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (f64::NAN, f64::NAN);
    }
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let sample: Vec<f64> =
                values.iter().map(|_| values[(next(&mut state) % values.len() as u64) as usize]).collect();
            median(&sample)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    (medians[RESAMPLES / 40], medians[RESAMPLES - 1 - RESAMPLES / 40])
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same figures from the same measurements.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_hold_the_median_and_narrow_with_more_pairs() {
        let noisy = |n: usize| {
            (0..n).map(|i| (1.0, 1.02 + 0.05 * ((i * 7 % 11) as f64 / 11.0 - 0.5))).collect::<Vec<_>>()
        };
        let few = ratio(&noisy(8));
        let many = ratio(&noisy(200));
        assert!(few.low <= few.median && few.median <= few.high);
        assert!(many.high - many.low < few.high - few.low);
    }

    #[test]
    fn drift_cancels_within_pairs() {
        let drifting: Vec<(f64, f64)> = (1..=20).map(|i| (f64::from(i), f64::from(i) * 1.1)).collect();
        let ratio = ratio(&drifting);
        assert!((ratio.median - 1.1).abs() < 1e-9 && (ratio.high - 1.1).abs() < 1e-9);
    }

    #[test]
    fn the_first_pair_is_thrown_away_and_orders_alternate() {
        let order = std::cell::RefCell::new(String::new());
        let half = |name: &'static str, cost: f64| {
            let order = &order;
            move || {
                order.borrow_mut().push_str(name);
                Ok(cost)
            }
        };
        compare(2, half("a", 1.0), half("b", 1.0)).unwrap();
        assert_eq!(*order.borrow(), "abbaab");
        order.borrow_mut().clear();
        let (mut a, mut b, mut c) = (half("a", 2.0), half("b", 3.0), half("c", 8.0));
        let ratios = compare_many(2, &mut [&mut a, &mut b, &mut c]).unwrap();
        assert_eq!(*order.borrow(), "abcbcacab");
        assert_eq!(ratios.iter().map(|ratio| ratio.median).collect::<Vec<_>>(), [1.5, 4.0]);
    }
}
