//! Straight lines through points.

/// Slope of the line through the points (x, y) with the least sum of squared
/// vertical distances: units of y for one unit of x.
///
/// None for fewer than two points or where all x are equal. The sums are taken
/// around the means, so that x may be milliseconds since 1970.
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    if points.len() < 2 {
        return None;
    }
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / n;
    let mean_y = points.iter().map(|p| p.1).sum::<f64>() / n;
    let (mut xy, mut xx) = (0.0, 0.0);
    for (x, y) in points {
        xy += (x - mean_x) * (y - mean_y);
        xx += (x - mean_x) * (x - mean_x);
    }
    let slope = xy / xx;
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_its_slope() {
        assert_eq!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]), Some(2.0));
        assert_eq!(slope(&[(0.0, 0.0), (1.0, 2.0), (2.0, 1.0)]), Some(0.5));
    }

    #[test]
    fn times_since_1970_keep_their_digits() {
        let start = 1_763_700_000_000.0;
        let points: Vec<_> = (0..10).map(|i| (start + 1000.0 * f64::from(i), 3.0 * f64::from(i))).collect();
        let slope = slope(&points).expect("two points and more");
        assert!((slope - 0.003).abs() < 1e-12, "{slope}");
    }

    #[test]
    fn no_spread_no_slope() {
        assert_eq!(slope(&[]), None);
        assert_eq!(slope(&[(1.0, 1.0)]), None);
        assert_eq!(slope(&[(1.0, 1.0), (1.0, 9.0)]), None);
    }
}
