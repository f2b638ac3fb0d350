//! One series by sample, and its reduction to the steps of a frame.

use heldup_model::{Colour, FrameSeries, FrameStep, Summary};

use crate::samples::Samples;

/// The values of one series in each sample.
pub struct Track {
    /// What is counted, or the sum of levels; meaningless without rows.
    amount: Vec<f64>,
    /// What it is divided by, where that is a column; else empty.
    divisor: Vec<f64>,
    /// Rows of each sample.
    rows: Vec<u32>,
    /// Least and greatest value within each sample, where the table tells them: of one row only.
    bounds: Option<Vec<(f64, f64)>>,
}

/// How a track's amounts become values.
#[derive(Clone, Copy)]
pub struct Reckoning {
    /// Levels, not counts.
    pub is_level: bool,
    /// Divided by a column of their own.
    pub has_divisor: bool,
    /// A sample without a row of the series is one of zero.
    pub absent_is_zero: bool,
    /// A factor of each value.
    pub times: f64,
}

impl Track {
    /// Nothing yet.
    pub fn new(samples: usize, has_divisor: bool, has_bounds: bool) -> Track {
        Track {
            amount: vec![0.0; samples],
            divisor: if has_divisor { vec![0.0; samples] } else { Vec::new() },
            rows: vec![0; samples],
            bounds: has_bounds.then(|| vec![(f64::NAN, f64::NAN); samples]),
        }
    }

    /// Adds a row.
    #[inline]
    pub fn add(&mut self, sample: u32, amount: f64) {
        let at = sample as usize;
        self.amount[at] += amount;
        self.rows[at] += 1;
    }

    /// Adds to what a sample is divided by.
    #[inline]
    pub fn divide(&mut self, sample: u32, divisor: f64) {
        if let Some(of_sample) = self.divisor.get_mut(sample as usize) {
            *of_sample += divisor;
        }
    }

    /// What a row tells of the values within its sample; of counters it tells the greatest alone.
    pub fn bound(&mut self, sample: u32, least: Option<f64>, greatest: Option<f64>) {
        if let (Some(bounds), Some(greatest)) = (&mut self.bounds, greatest) {
            bounds[sample as usize] = (least.unwrap_or(f64::NAN), greatest);
        }
    }

    /// The value of a sample, and what it weighs: seconds, or what it was divided by.
    fn value(&self, at: usize, secs: Option<f64>, how: Reckoning) -> Option<(f64, f64)> {
        let is_there = self.rows[at] > 0;
        if !is_there && !how.absent_is_zero {
            return None;
        }
        let amount = self.amount[at] * how.times;
        if how.has_divisor {
            let divisor = self.divisor.get(at).copied().unwrap_or(0.0);
            return (divisor > 0.0).then(|| (amount / divisor, divisor));
        }
        if how.is_level {
            return Some((amount, secs.filter(|secs| *secs > 0.0).unwrap_or(1.0)));
        }
        secs.filter(|secs| *secs > 0.0).map(|secs| (amount / secs, secs))
    }

    /// Adds the values of each sample to totals.
    pub fn add_to(&self, totals: &mut [Option<f64>], samples: &Samples, how: Reckoning) {
        for (at, (total, sample)) in totals.iter_mut().zip(&samples.samples).enumerate() {
            if let Some((value, _)) = self.value(at, sample.secs, how) {
                *total = Some(total.unwrap_or(0.0) + value);
            }
        }
    }

    /// The series in the steps of a frame. A sample counts in each step by the part of its interval that lies in it.
    pub fn reduce(
        &self,
        samples: &Samples,
        intervals: &[(i64, i64)],
        steps: &[FrameStep],
        how: Reckoning,
    ) -> FrameSeries {
        let mut reduced = vec![Reduced::default(); steps.len()];
        let mut whole = Reduced::default();
        let mut greatest_ms = None;
        for (at, (sample, (since_ms, until_ms))) in samples.samples.iter().zip(intervals).enumerate() {
            let Some((value, weight)) = self.value(at, sample.secs, how) else { continue };
            let (least, greatest) = self.bounds_of(at, value, how);
            if whole.greatest.is_none_or(|so_far| greatest > so_far) {
                greatest_ms = Some(*until_ms);
            }
            whole.add(value, weight, least, greatest);
            // The first step that ends behind the sample's beginning; a look without a length is of one instant.
            let first = steps.partition_point(|step| step.until_ms <= *since_ms && step.until_ms < *until_ms);
            for (step, reduced) in steps.iter().zip(&mut reduced).skip(first) {
                if step.since_ms >= *until_ms {
                    break;
                }
                let inside = step.until_ms.min(*until_ms) - step.since_ms.max(*since_ms);
                let length = until_ms - since_ms;
                if length <= 0 {
                    reduced.add(value, weight, least, greatest);
                } else if inside > 0 {
                    let part = inside as f64 / length as f64;
                    reduced.add(value, weight * part, least, greatest);
                }
            }
        }
        let total = (!how.is_level && !how.has_divisor && whole.weight > 0.0).then_some(whole.sum);
        FrameSeries {
            name: String::new(),
            letter: ' ',
            colour: Colour::OTHERS,
            below: false,
            bounds: None,
            mean: reduced.iter().map(Reduced::mean).collect(),
            least: reduced.iter().map(|step| step.least).collect(),
            greatest: reduced.iter().map(|step| step.greatest).collect(),
            summary: Summary {
                mean: whole.mean(),
                least: whole.least,
                greatest: whole.greatest,
                greatest_ms,
                total,
            },
        }
    }

    fn bounds_of(&self, at: usize, value: f64, how: Reckoning) -> (f64, f64) {
        let told = self.bounds.as_ref().filter(|_| self.rows[at] == 1).and_then(|bounds| bounds.get(at));
        // A NaN is less and greater than nothing: then it is the value.
        match told {
            Some((least, greatest)) => (value.min(least * how.times), value.max(greatest * how.times)),
            None => (value, value),
        }
    }
}

/// The greatest value of a sample in each step.
pub fn greatest(values: &[Option<f64>], intervals: &[(i64, i64)], steps: &[FrameStep]) -> Vec<Option<f64>> {
    let mut greatest: Vec<Option<f64>> = vec![None; steps.len()];
    for (value, (since_ms, until_ms)) in values.iter().zip(intervals) {
        let Some(value) = *value else { continue };
        let first = steps.partition_point(|step| step.until_ms <= *since_ms);
        for (step, so_far) in steps.iter().zip(&mut greatest).skip(first) {
            if step.since_ms >= *until_ms {
                break;
            }
            *so_far = Some(so_far.map_or(value, |so_far: f64| so_far.max(value)));
        }
    }
    greatest
}

/// What is known of a step.
#[derive(Clone, Copy, Default)]
struct Reduced {
    sum: f64,
    weight: f64,
    least: Option<f64>,
    greatest: Option<f64>,
}

impl Reduced {
    fn add(&mut self, value: f64, weight: f64, least: f64, greatest: f64) {
        self.sum += value * weight;
        self.weight += weight;
        self.least = Some(self.least.map_or(least, |so_far| so_far.min(least)));
        self.greatest = Some(self.greatest.map_or(greatest, |so_far| so_far.max(greatest)));
    }

    fn mean(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}
