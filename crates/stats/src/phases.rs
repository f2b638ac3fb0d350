//! The phases of a run: how it came to its pace, held it, and ended.
//!
//! The series is cut where its level changes, and the longest stretch of pieces of about one
//! level is the steady phase; what lies before is ramp-up, what lies behind ramp-down. The
//! cuts are those of least cost: the sum of the distances from each piece's median, and a
//! penalty for each cut (optimal partitioning: Jackson and others, "An algorithm for optimal
//! partitioning of data on an interval", 2005). Medians and distances, not means and squares,
//! so that one slow second does not cut a run in two. Noise is measured on the differences of
//! neighbours, which a change of level hardly touches, and how much neighbours lean on each
//! other raises the penalty.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::quantile::median;

/// Points that are cut at most; a longer series is joined to so many medians. The cost is
/// quadratic: 512 take some milliseconds.
const MOST_POINTS: usize = 512;
/// A series with fewer samples has no phases.
const LEAST_SAMPLES: usize = 16;
/// A piece is no shorter: two samples are an outlier, and its neighbour.
const LEAST_PIECE: usize = 3;
/// Share of the series that the steady phase has at least; less is a moment of rest.
const LEAST_STEADY: f64 = 0.4;
/// Pieces belong to one level within this share of it: what repeated runs of one benchmark
/// differ by on a shared machine.
const SAME_LEVEL: f64 = 0.05;
/// Or within so many standard errors of the piece's median.
const SAME_NOISE: f64 = 3.0;
/// Share of the steady phase that may lie off its level: a checkpoint, a garbage collection.
const MOST_OFF: f64 = 0.1;
/// Penalty of a cut, times the logarithm of the number of points: above the two that the
/// criterion of Schwarz would take for the place and the level, because noise has heavy tails.
const PENALTY: f64 = 3.0;

/// Where a run was at its pace.
#[derive(Clone, Debug, PartialEq)]
pub struct Phases {
    /// Samples before it had reached its pace; empty where it began with it.
    pub ramp_up: Range<usize>,
    /// Samples at its pace.
    pub steady: Range<usize>,
    /// Samples behind; empty where it ended with it.
    pub ramp_down: Range<usize>,
    /// The pace: the median of the steady samples.
    pub level: f64,
}

/// The phases of a series of samples of equal length in time. None where it is too short, has
/// values that are not finite, or no stretch of two fifths of it holds one level.
pub fn phases(series: &[f64]) -> Option<Phases> {
    if series.len() < LEAST_SAMPLES || !series.iter().all(|value| value.is_finite()) {
        return None;
    }
    let joined = series.len().div_ceil(MOST_POINTS);
    let points: Vec<f64> = series.chunks(joined).filter_map(|chunk| median(&mut chunk.to_vec())).collect();
    let noise = Noise::of(&points);
    let pieces = cut(&points, &noise);
    let steady = trimmed(&points, longest_level(&points, &pieces, &noise)?, &noise)?;
    let steady = steady.start * joined..(steady.end * joined).min(series.len());
    if (steady.len() as f64) < LEAST_STEADY * series.len() as f64 {
        return None;
    }
    let level = median(&mut series[steady.clone()].to_vec())?;
    Some(Phases { ramp_up: 0..steady.start, ramp_down: steady.end..series.len(), steady, level })
}

/// How much single samples scatter, and how long they lean on each other.
struct Noise {
    /// Standard deviation of a sample about its level.
    spread: f64,
    /// Number of samples with as much information as one independent one.
    leaning: f64,
}

impl Noise {
    fn of(points: &[f64]) -> Noise {
        /// Less than a hundredth of the level is no change of it.
        const LEAST_SHARE: f64 = 0.01;
        /// With a higher correlation of neighbours a series is one sample.
        const MOST_LEANING: f64 = 0.9;
        let far = (points.len() / 20).clamp(2, 10);
        let (near, apart) = (scatter(points, 1), scatter(points, far));
        let size = median(&mut points.iter().map(|value| value.abs()).collect::<Vec<_>>()).unwrap_or(0.0);
        let largest = points.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        // Of a first-order autoregression these distances have the variance 6 - 8 r + 2 r² for
        // neighbours, and 6 for samples far apart.
        let r = if apart > 0.0 { 2.0 - (1.0 + 3.0 * (near / apart).powi(2)).sqrt() } else { 0.0 };
        let r = r.clamp(0.0, MOST_LEANING);
        let spread = apart.max(near).max(LEAST_SHARE * size).max(1e-6 * largest).max(f64::MIN_POSITIVE);
        Noise { spread, leaning: (1.0 + r) / (1.0 - r) }
    }
}

impl Noise {
    /// Standard error of the median of so many samples in a row.
    fn of_median(&self, samples: usize) -> f64 {
        /// Of a normal distribution the variance of the median over that of the mean.
        const MEDIAN: f64 = std::f64::consts::FRAC_PI_2;
        self.spread * (MEDIAN * self.leaning / samples as f64).sqrt().min(1.0)
    }
}

/// Standard deviation of a sample, from the median of the distances of samples from the middle
/// of those `lag` before and behind: a steady rise does not count as noise.
fn scatter(points: &[f64], lag: usize) -> f64 {
    /// Of a normal distribution the standard deviation over the median distance from its middle.
    const NORMAL: f64 = 1.4826;
    let behind = points.get(2 * lag..).unwrap_or(&[]);
    let middle = points.get(lag..).unwrap_or(&[]);
    let mut distances: Vec<f64> = points
        .iter()
        .zip(middle)
        .zip(behind)
        .map(|((before, now), behind)| (before - 2.0 * now + behind).abs())
        .collect();
    median(&mut distances).unwrap_or(0.0) * NORMAL / 6_f64.sqrt()
}

/// The pieces of least cost.
fn cut(points: &[f64], noise: &Noise) -> Vec<Range<usize>> {
    /// Mean distance of a normal sample from its median, in standard deviations.
    const MEAN_DISTANCE: f64 = 0.797_88;
    let unit = MEAN_DISTANCE * noise.spread;
    let penalty = PENALTY * (points.len() as f64).ln() * noise.leaning;
    // best[end]: least cost of the points before `end`, and where the last piece begins.
    let mut best: Vec<(f64, usize)> = vec![(f64::INFINITY, 0); points.len() + 1];
    best[0] = (-penalty, 0);
    for start in 0..points.len() {
        let before = best[start].0;
        if before.is_infinite() {
            continue;
        }
        let mut piece = Distances::default();
        for end in start + 1..=points.len() {
            piece.push(points[end - 1]);
            if end - start < LEAST_PIECE {
                continue;
            }
            let cost = before + penalty + piece.sum() / unit;
            if cost < best[end].0 {
                best[end] = (cost, start);
            }
        }
    }
    let mut pieces = Vec::new();
    let mut end = points.len();
    while end > 0 {
        pieces.push(best[end].1..end);
        end = best[end].1;
    }
    pieces.reverse();
    pieces
}

/// The sum of the distances from the median of values that come one by one: the lower half in
/// one heap, the upper half in another.
#[derive(Default)]
struct Distances {
    lower: BinaryHeap<Ordered>,
    upper: BinaryHeap<Reverse<Ordered>>,
    lower_sum: f64,
    upper_sum: f64,
}

impl Distances {
    fn push(&mut self, value: f64) {
        let below = self.lower.peek().is_none_or(|most| value <= most.0);
        if below {
            self.lower.push(Ordered(value));
            self.lower_sum += value;
        } else {
            self.upper.push(Reverse(Ordered(value)));
            self.upper_sum += value;
        }
        let moved = if self.lower.len() > self.upper.len() + 1 {
            self.lower.pop().inspect(|value| self.upper.push(Reverse(*value))).map(|value| value.0)
        } else if self.upper.len() > self.lower.len() {
            self.upper.pop().inspect(|value| self.lower.push(value.0)).map(|value| -value.0.0)
        } else {
            None
        };
        let up = moved.unwrap_or(0.0);
        self.lower_sum -= up;
        self.upper_sum += up;
    }

    fn sum(&self) -> f64 {
        let middle = self.lower.peek().map_or(0.0, |most| most.0);
        let (lower, upper) = (self.lower.len() as f64, self.upper.len() as f64);
        (middle * lower - self.lower_sum) + (self.upper_sum - middle * upper)
    }
}

/// A finite number with an order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The longest stretch that begins and ends on one level and hardly leaves it.
fn longest_level(points: &[f64], pieces: &[Range<usize>], noise: &Noise) -> Option<Range<usize>> {
    let levels: Vec<f64> =
        pieces.iter().filter_map(|piece| median(&mut points[piece.clone()].to_vec())).collect();
    let mut longest: Option<Range<usize>> = None;
    for first in 0..pieces.len() {
        for last in (first..pieces.len()).rev() {
            let stretch = pieces[first].start..pieces[last].end;
            if longest.as_ref().is_some_and(|longest| longest.len() >= stretch.len()) {
                break;
            }
            let level = median(&mut points[stretch.clone()].to_vec())?;
            let on = |at: usize| {
                let reach = SAME_NOISE * noise.of_median(pieces[at].len());
                (levels[at] - level).abs() <= reach.max(SAME_LEVEL * level.abs())
            };
            let off: usize = (first..=last).filter(|&at| !on(at)).map(|at| pieces[at].len()).sum();
            if on(first) && on(last) && off as f64 <= MOST_OFF * stretch.len() as f64 {
                longest = Some(stretch);
                break;
            }
        }
    }
    longest
}

/// The stretch without the ends of ramps that the cuts have left to it: a cut costs, and the last
/// part of a rise is too near to the level to be worth one.
fn trimmed(points: &[f64], stretch: Range<usize>, noise: &Noise) -> Option<Range<usize>> {
    let level = median(&mut points[stretch.clone()].to_vec())?;
    let inside = &points[stretch.clone()];
    let first = off_level(inside.iter(), level, noise);
    let last = off_level(inside[first..].iter().rev(), level, noise);
    Some(stretch.start + first..stretch.end - last)
}

/// How many values, from the first one, lie off the level to one side: up to where the sum of
/// what is beyond half of what counts is largest, as in Page's cumulative sums (1954).
fn off_level<'a>(values: impl ExactSizeIterator<Item = &'a f64> + Clone, level: f64, noise: &Noise) -> usize {
    /// The sum that counts, in halves of what counts of one sample: independent samples of one
    /// level reach it twice in a hundred times.
    const ENOUGH: f64 = 8.0;
    /// One value is no ramp: more of it than so many standard deviations is not counted.
    const MOST: f64 = 3.0;
    let counts = (SAME_LEVEL * level.abs()).max(noise.spread);
    let most = |sign: f64| {
        let mut sum = 0.0;
        let mut most = (ENOUGH * noise.leaning * counts / 2.0, 0);
        for (at, value) in values.clone().enumerate().take(values.len() / 4) {
            sum += (sign * (value - level)).min(MOST * counts) - counts / 2.0;
            if sum > most.0 {
                most = (sum, at + 1);
            }
        }
        most.1
    };
    most(1.0).max(most(-1.0))
}
