//! For how long a loss went on, from what was lost in each sample.
//!
//! No level decides whether a sample counts, so that 2 % more or less of a loss never change the answer
//! by a whole sample.

/// What was lost in one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleLoss {
    /// Length of the sample, in seconds.
    pub secs: f64,
    /// What was lost in it; task-seconds, or whatever else adds up.
    pub lost_s: f64,
}

/// Seconds for which the loss went on: the square of its sum over the sum of its squares, each square
/// over its sample's length (the participation ratio of the rate). Equal losses in n samples give the length
/// of n samples, a loss in one sample gives the length of one, whatever small losses stand beside it. A
/// burst of one sample's length gives one to two samples, wherever they cut it. None where nothing was lost.
pub fn lasted(samples: impl IntoIterator<Item = SampleLoss>) -> Option<f64> {
    let (mut sum, mut squares) = (0.0, 0.0);
    for sample in samples {
        if sample.secs > 0.0 && sample.lost_s > 0.0 && sample.lost_s.is_finite() {
            sum += sample.lost_s;
            squares += sample.lost_s * sample.lost_s / sample.secs;
        }
    }
    (squares > 0.0).then(|| sum * sum / squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(losses: &[f64], expect: Option<f64>) {
        let samples = losses.iter().map(|lost_s| SampleLoss { secs: 1.0, lost_s: *lost_s });
        let found = lasted(samples);
        let near = found.zip(expect).is_some_and(|(found, expect)| (found - expect).abs() < 0.01);
        assert!(near || found == expect, "{losses:?}: {found:?}, not {expect:?}");
    }

    #[test]
    fn what_lasts_and_what_is_a_burst() {
        check(&[], None);
        check(&[0.0, 0.0], None);
        check(&[0.3; 8], Some(8.0));
        check(&[30.0; 8], Some(8.0));
        // Fifty tasks that stood still together for a tenth of a second.
        check(&[0.0, 5.0, 0.0, 0.0], Some(1.0));
        // A burst of a second that two samples share, and small waits beside it.
        check(&[0.5, 0.5], Some(2.0));
        check(&[0.2, 0.8], Some(1.47));
        check(&[0.01, 0.01, 1.0, 0.01, 0.01, 0.01, 0.01, 0.01], Some(1.14));
    }

    #[test]
    fn samples_have_their_own_lengths() {
        let minute = SampleLoss { secs: 60.0, lost_s: 30.0 };
        assert_eq!(lasted([minute, minute]), Some(120.0));
        // The same rate in a short sample: half of the seconds more.
        let half = SampleLoss { secs: 30.0, lost_s: 15.0 };
        assert_eq!(lasted([minute, half]), Some(90.0));
    }
}
