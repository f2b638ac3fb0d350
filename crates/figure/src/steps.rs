//! The steps of time that a frame has.

use heldup_model::{FrameStep, Span};

use crate::samples::Samples;

/// Lengths of steps that people read off, in milliseconds; longer ones are whole days.
const LENGTHS_MS: [i64; 22] = [
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    900_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000,
];
const DAY_MS: i64 = 86_400_000;

/// The steps of a window: the samples themselves where there are few, else steps of one length, none shorter than the
/// time between the samples of the slowest table.
pub fn steps(tables: &[&Samples], span: Span, most: usize) -> Vec<FrameStep> {
    let Some(first) = tables.first() else { return Vec::new() };
    let is_same = tables.iter().all(|table| table.samples == first.samples);
    if is_same && first.samples.len() <= most {
        let step = |(since_ms, until_ms)| FrameStep { since_ms, until_ms };
        return first.intervals().into_iter().map(step).collect();
    }
    let slowest = tables.iter().filter_map(|table| table.interval_ms()).max().unwrap_or(0);
    let shortest = (span.until_ms - span.since_ms).div_euclid(most.max(1) as i64) + 1;
    let length = length_from(shortest.max(slowest));
    let begin = span.since_ms.div_euclid(length) * length;
    let count = (span.until_ms - begin + length - 1).div_euclid(length).max(0);
    let step = |at: i64| FrameStep {
        since_ms: (begin + at * length).max(span.since_ms),
        until_ms: (begin + (at + 1) * length).min(span.until_ms),
    };
    (0..count).map(step).collect()
}

/// The least length of a step from one on.
fn length_from(least_ms: i64) -> i64 {
    let found = LENGTHS_MS.into_iter().find(|length| *length >= least_ms);
    found.unwrap_or_else(|| (least_ms + DAY_MS - 1).div_euclid(DAY_MS).max(1) * DAY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Sample;

    fn samples(count: i64, secs: f64) -> Samples {
        let sample = |at: i64| Sample {
            time_ms: 60_000_000 + ((at + 1) as f64 * secs * 1000.0) as i64,
            secs: Some(secs),
        };
        Samples { samples: (0..count).map(sample).collect(), of_rows: Vec::new() }
    }

    #[test]
    fn few_samples_are_the_steps_and_many_are_of_one_length() {
        let span = Span { since_ms: 60_000_000, until_ms: 60_010_000 };
        let few = steps(&[&samples(10, 1.0)], span, 100);
        assert_eq!((few.len(), few[0]), (10, FrameStep { since_ms: 60_000_000, until_ms: 60_001_000 }));
        let many = steps(&[&samples(10, 1.0)], span, 5);
        let lengths: Vec<i64> = many.iter().map(|step| step.until_ms - step.since_ms).collect();
        assert_eq!(lengths, [5_000, 5_000]);
        // One table each second, one each ten: no step is without a sample of either.
        let both = steps(&[&samples(10, 1.0), &samples(1, 10.0)], span, 100);
        assert_eq!(both, [FrameStep { since_ms: 60_000_000, until_ms: 60_010_000 }]);
    }

    #[test]
    fn a_length_is_one_that_people_read_off() {
        assert_eq!([1, 101, 45_000, 43_200_001].map(length_from), [100, 200, 60_000, DAY_MS]);
    }
}
