//! Whether the mean of a quantity differs between two stretches of time.
//!
//! Samples of a machine lean on their neighbours: a disk that is busy now is busy a second
//! later. Taken as independent, two windows of the same load differ "significantly" all the
//! time. So the samples are joined to blocks, of 1, 2, 4 … samples for as long as each side has
//! enough of them, and the difference counts only if Welch's test says so at every
//! length: as long as one length is right, the answer is. This is the blocking method of
//! Flyvbjerg and Petersen, "Error estimates on averages of correlated data" (1989), with the
//! worst level in place of a plateau that a short series does not show.
//!
//! The mean, and not the median, because time and counts add up: a burst is time lost. A
//! burst widens the interval and so makes a difference harder to claim, never easier.

use crate::student::{student_critical, student_two_sided};

/// Blocks of this many samples are made whenever there are [`LEAST_BLOCKS`] of them.
const SHORT_BLOCK: usize = 4;
/// Blocks on each side below which no variance is taken from them.
const LEAST_BLOCKS: usize = 8;
/// Of longer blocks, which only long series have, there must be more: a variance from eight
/// would take away the certainty that the length of the series has given.
const LEAST_LONG_BLOCKS: usize = 16;
/// Samples on each side below which not even that is asked what would be if they were independent.
const LEAST_INDEPENDENT: usize = 4;
/// Samples of a side below which it does not show how much neighbours lean on each other: then they are taken to
/// lean at least as much as in a load whose states last for four samples, and only large differences count.
pub const FULL_SAMPLES: usize = SHORT_BLOCK * LEAST_BLOCKS;
const LEANING: f64 = 0.8;
/// Samples on each side below which nothing can be decided.
pub const LEAST_SAMPLES: usize = LEAST_BLOCKS;

/// The difference of the means of two series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Mean of the first.
    pub from: f64,
    /// Mean of the second.
    pub to: f64,
    /// Likeliness of a difference as large as this between two stretches that do not differ.
    /// None if a side is too short to decide.
    pub p: Option<f64>,
    /// Standard error of `to - from`, at the level that claims least; none likewise.
    pub error: Option<f64>,
    /// Degrees of freedom at that level; none likewise, and where nothing varies.
    pub freedom: Option<f64>,
    /// The likeliness if samples did not lean on each other, which claims too much: where even that
    /// sees nothing, a short series shows no difference. None below four samples.
    pub optimistic: Option<f64>,
}

impl Difference {
    /// `to - from`.
    pub fn change(&self) -> f64 {
        self.to - self.from
    }

    /// The interval that holds the true change with this confidence (0.99, say).
    pub fn interval(&self, confidence: f64) -> Option<(f64, f64)> {
        let reach = match (self.error?, self.freedom) {
            (0.0, _) | (_, None) => 0.0,
            (error, Some(freedom)) => error * student_critical(1.0 - confidence, freedom)?,
        };
        Some((self.change() - reach, self.change() + reach))
    }
}

/// Compares two series of samples of equal length in time. Values that are not finite are left
/// out; none where a side has no others.
pub fn difference(from: &[f64], to: &[f64]) -> Option<Difference> {
    let finite = |values: &[f64]| -> Vec<f64> { values.iter().copied().filter(|v| v.is_finite()).collect() };
    let (from, to) = (finite(from), finite(to));
    let mut result = Difference {
        from: mean(&from)?,
        to: mean(&to)?,
        p: None,
        error: None,
        freedom: None,
        optimistic: optimistic(&from, &to),
    };
    if from.len().min(to.len()) < LEAST_SAMPLES {
        return Some(result);
    }
    let mut block = 1;
    while from.len().min(to.len()) / block >= least_blocks(block) {
        let (one, other) = (Side::of(&from, block)?, Side::of(&to, block)?);
        let variance = one.variance + other.variance;
        let (p, freedom) = if variance > 0.0 {
            let parts =
                one.variance * one.variance / one.freedom + other.variance * other.variance / other.freedom;
            let freedom = variance * variance / parts;
            (student_two_sided(result.change() / variance.sqrt(), freedom)?, Some(freedom))
        } else {
            (if result.change() == 0.0 { 1.0 } else { 0.0 }, None)
        };
        if result.p.is_none_or(|so_far| p > so_far) {
            (result.p, result.error, result.freedom) = (Some(p), Some(variance.sqrt()), freedom);
        }
        block *= 2;
    }
    Some(result)
}

/// Welch's test of samples taken as independent.
fn optimistic(from: &[f64], to: &[f64]) -> Option<f64> {
    if from.len().min(to.len()) < LEAST_INDEPENDENT {
        return None;
    }
    let of = |values: &[f64]| -> Option<(f64, f64, f64)> {
        let (middle, count) = (mean(values)?, values.len() as f64);
        let squares: f64 = values.iter().map(|value| (value - middle) * (value - middle)).sum();
        Some((middle, squares / (count - 1.0) / count, count - 1.0))
    };
    let ((before, one, one_free), (after, other, other_free)) = (of(from)?, of(to)?);
    let variance = one + other;
    if variance <= 0.0 {
        return Some(if before == after { 1.0 } else { 0.0 });
    }
    let freedom = variance * variance / (one * one / one_free + other * other / other_free);
    student_two_sided((after - before) / variance.sqrt(), freedom)
}

fn least_blocks(block: usize) -> usize {
    if block <= SHORT_BLOCK { LEAST_BLOCKS } else { LEAST_LONG_BLOCKS }
}

/// What the blocks of one side say about its mean.
struct Side {
    /// Variance of the mean.
    variance: f64,
    /// Degrees of freedom of that variance.
    freedom: f64,
}

impl Side {
    fn of(values: &[f64], block: usize) -> Option<Side> {
        let means: Vec<f64> = values.chunks_exact(block).filter_map(mean).collect();
        let count = means.len() as f64;
        let middle = mean(&means)?;
        let squares: f64 = means.iter().map(|m| (m - middle) * (m - middle)).sum();
        if squares <= 0.0 {
            return Some(Side { variance: 0.0, freedom: count - 1.0 });
        }
        let independent = count / inflation(&means, middle, squares);
        let mut side =
            Side { variance: squares / (count - 1.0) / independent, freedom: (independent - 1.0).max(1.0) };
        if values.len() < FULL_SAMPLES && block == 1 {
            let leaning = Leaning::over(count);
            let variance = squares / (count - 1.0) * leaning.of_mean / leaning.among_samples;
            let freedom = if variance > side.variance { leaning.freedom } else { side.freedom };
            side = Side { variance: variance.max(side.variance), freedom: freedom.min(leaning.freedom) };
        }
        Some(side)
    }
}

/// What so many samples in a row show of a first-order autoregression whose neighbours have the correlation
/// [`LEANING`]: variances in parts of that of the whole.
struct Leaning {
    /// Variance of the samples' mean.
    of_mean: f64,
    /// Variance among the samples: what changes more slowly than they last is not among them.
    among_samples: f64,
    /// Degrees of freedom of that.
    freedom: f64,
}

impl Leaning {
    fn over(count: f64) -> Leaning {
        let mut correlation = 1.0;
        let (mut sum, mut lag) = (1.0, 1.0);
        while lag < count {
            correlation *= LEANING;
            sum += 2.0 * (1.0 - lag / count) * correlation;
            lag += 1.0;
        }
        let of_mean = sum / count;
        let squared = LEANING * LEANING;
        Leaning {
            of_mean,
            among_samples: (1.0 - of_mean) * count / (count - 1.0),
            freedom: (count - 1.0) * (1.0 - squared) / (1.0 + squared),
        }
    }
}

/// By how much the variance of the mean of these blocks is larger than that of independent
/// ones: (1 + r) / (1 - r), as of a first-order autoregression with the correlation r of
/// neighbours. A short series shows too small an r, by (1 + 3 r) / n (Marriott and Pope, "Bias in
/// the estimation of autocorrelations", 1954); without that correction one difference in a
/// hundred would be four where r is 0.9.
fn inflation(means: &[f64], middle: f64, squares: f64) -> f64 {
    /// With a higher correlation a side is one block, whatever it counts.
    const MOST: f64 = 0.9;
    let count = means.len() as f64;
    let products: f64 = means.windows(2).map(|pair| (pair[0] - middle) * (pair[1] - middle)).sum();
    let seen = products / squares;
    let r = (seen + (1.0 + 3.0 * seen) / count).clamp(0.0, MOST);
    ((1.0 + r) / (1.0 - r)).min(count / 2.0)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alternating(len: usize, low: f64, high: f64) -> Vec<f64> {
        (0..len).map(|at| if at % 2 == 0 { low } else { high }).collect()
    }

    #[test]
    fn a_short_series_tells_of_large_differences_only() {
        let noise = alternating(10, 0.0, 1.0);
        let likeliness = |shift: f64| {
            let shifted: Vec<f64> = noise.iter().map(|value| value + shift).collect();
            difference(&noise, &shifted).and_then(|found| found.p).expect("judged")
        };
        assert!(likeliness(1.0) > 0.1 && likeliness(3.0) > 0.01, "{} {}", likeliness(1.0), likeliness(3.0));
        assert!(likeliness(20.0) < 0.0005, "{}", likeliness(20.0));
    }

    #[test]
    fn equal_constants_do_not_differ_and_others_do() {
        let same = difference(&[3.0; 40], &[3.0; 50]).expect("values");
        assert_eq!((same.p, same.interval(0.99)), (Some(1.0), Some((0.0, 0.0))));
        let other = difference(&[3.0; 40], &[4.0; 40]).expect("values");
        assert_eq!((other.p, other.interval(0.99)), (Some(0.0), Some((1.0, 1.0))));
    }

    #[test]
    fn a_short_side_has_means_and_no_judgement() {
        let short = difference(&alternating(LEAST_SAMPLES - 1, 0.0, 1.0), &[7.0; 100]).expect("values");
        assert_eq!((short.to, short.p, short.interval(0.99)), (7.0, None, None));
        assert_eq!(difference(&[], &[1.0; 40]), None);
        assert_eq!(difference(&[f64::NAN; 40], &[1.0; 40]), None);
    }

    #[test]
    fn a_short_side_without_a_difference_can_be_seen_to_have_none() {
        let noise = alternating(6, 0.0, 1.0);
        let same = difference(&noise, &alternating(6, 0.1, 1.1)).expect("values");
        assert!(same.p.is_none() && same.optimistic.is_some_and(|p| p > 0.5), "{same:?}");
        let other = difference(&noise, &alternating(6, 5.0, 6.0)).expect("values");
        assert!(other.optimistic.is_some_and(|p| p < 1e-6), "{other:?}");
        assert_eq!(difference(&noise, &[1.0; 3]).and_then(|found| found.optimistic), None);
    }

    #[test]
    fn the_interval_holds_the_change_and_excludes_zero_where_it_is_clear() {
        let clear = difference(&alternating(64, 0.0, 1.0), &alternating(64, 5.0, 6.0)).expect("values");
        let (low, high) = clear.interval(0.99).expect("an interval");
        assert!(low <= 5.0 && 5.0 <= high && low > 4.0, "{low} {high}");
        assert!(clear.p.is_some_and(|p| p < 1e-9), "{clear:?}");
    }

    #[test]
    fn one_burst_is_no_difference() {
        let mut burst = vec![1.0; 60];
        burst[30] = 1000.0;
        let found = difference(&[1.0; 60], &burst).expect("values");
        assert!(found.p.is_some_and(|p| p > 0.2), "{found:?}");
    }

    #[test]
    fn values_that_are_none_are_left_out() {
        let mut holes = alternating(64, 0.0, 1.0);
        holes.extend([f64::NAN, f64::INFINITY]);
        assert_eq!(difference(&holes, &[1.0; 64]).map(|found| found.from), Some(0.5));
    }
}
