//! Quantiles of a sample.

/// The quantile `p` (0 to 1) of the values, interpolated linearly between the two
/// nearest ranks; none where there are no values or `p` is outside 0 to 1.
///
/// This is definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
/// Packages" (1996), which R, NumPy and `quantile_cont` of DuckDB use by default.
/// The values are reordered. NaN sorts above infinity.
pub fn quantile(values: &mut [f64], p: f64) -> Option<f64> {
    if values.is_empty() || !(0.0..=1.0).contains(&p) {
        return None;
    }
    let rank = (values.len() - 1) as f64 * p;
    let below = rank.floor();
    let (_, low, above) = values.select_nth_unstable_by(below as usize, f64::total_cmp);
    let low = *low;
    let fraction = rank - below;
    if fraction == 0.0 {
        return Some(low);
    }
    let high = above.iter().copied().min_by(f64::total_cmp)?;
    Some(low + (high - low) * fraction)
}

/// The middle value; of an even number of values the mean of the two middle ones.
/// The values are reordered.
pub fn median(values: &mut [f64]) -> Option<f64> {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [7.0]), Some(7.0));
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn quantiles_interpolate_like_quantile_cont() {
        let mut values = [10.0, 20.0, 30.0, 40.0, 50.0];
        assert_eq!(quantile(&mut values, 0.0), Some(10.0));
        assert_eq!(quantile(&mut values, 1.0), Some(50.0));
        assert_eq!(quantile(&mut values, 0.95), Some(48.0));
        assert_eq!(quantile(&mut [1.0, 2.0], 0.25), Some(1.25));
    }

    #[test]
    fn a_share_outside_zero_to_one_has_no_quantile() {
        assert_eq!(quantile(&mut [1.0], 1.5), None);
        assert_eq!(quantile(&mut [1.0], -0.1), None);
        assert_eq!(quantile(&mut [1.0], f64::NAN), None);
    }
}
