//! Interleaved pairs: the ratio of a cost with and without `heldup`.

use anyhow::Result;

use super::median;

/// Resamples of the bootstrap: bounds repeat to about a tenth of their width.
const RESAMPLES: usize = 4000;

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
    /// Median cost with looking.
    pub with: f64,
}

/// Measures `pairs` pairs after one that is thrown away; every second pair begins with
/// the looked-at half, so that what the first leaves behind (caches, clocks) is shared.
pub fn compare(
    pairs: usize,
    mut without: impl FnMut() -> Result<f64>,
    mut with: impl FnMut() -> Result<f64>,
) -> Result<Ratio> {
    let mut measured = Vec::with_capacity(pairs);
    for pair in 0..=pairs {
        let (a, b) = if pair % 2 == 0 {
            let a = without()?;
            (a, with()?)
        } else {
            let b = with()?;
            (without()?, b)
        };
        if pair > 0 {
            measured.push((a, b));
        }
    }
    Ok(ratio(&measured))
}

fn ratio(measured: &[(f64, f64)]) -> Ratio {
    let ratios: Vec<f64> = measured.iter().map(|(a, b)| b / a).collect();
    let (low, high) = bounds(&ratios);
    let half = |pick: fn(&(f64, f64)) -> f64| median(&measured.iter().map(pick).collect::<Vec<_>>());
    Ratio { median: median(&ratios), low, high, without: half(|p| p.0), with: half(|p| p.1) }
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
        let half = |name: &'static str| {
            let order = &order;
            move || {
                order.borrow_mut().push_str(name);
                Ok(1.0)
            }
        };
        compare(2, half("a"), half("b")).unwrap();
        assert_eq!(*order.borrow(), "abbaab");
    }
}
