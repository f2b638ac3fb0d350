//! Pure numerics: quantiles, means, slopes, differences, phases, how long a loss lasted.
//!
//! Every function takes plain numbers and gives none where the question has no
//! answer (no values, no spread). Nothing here knows where a number came from.

mod between;
mod combinations;
mod difference;
mod lasted;
mod many;
mod paired;
mod phases;
mod quantile;
mod random;
mod regression;
mod student;

pub use between::{LEAST_MEMBERS, between};
pub use combinations::{at_least, binomial};
pub use difference::{Difference, FULL_SAMPLES, LEAST_SAMPLES, difference};
pub use lasted::{SampleLoss, lasted};
pub use many::{benjamini_hochberg, holm};
pub use paired::{NoiseFloor, Pairs, Standing, least_pairs};
pub use phases::{Phases, phases};
pub use quantile::{median, quantile};
pub use random::Random;
pub use regression::slope;
pub use student::{student_critical, student_two_sided};

/// Arithmetic mean of values weighted by non-negative weights; none where the weights sum to zero.
///
/// Pairs with a negative or non-finite weight are left out: a weight is a length
/// of time or a number of things.
pub fn weighted_mean(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (value, weight) in pairs {
        if weight.is_finite() && weight > 0.0 && value.is_finite() {
            sum += value * weight;
            weights += weight;
        }
    }
    (weights > 0.0).then(|| sum / weights)
}

/// Which share of a number of things is true, 0 to 1; none where there are none.
pub fn share(hits: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| hits as f64 / of as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighted_means() {
        assert_eq!(weighted_mean([(1.0, 1.0), (4.0, 3.0)]), Some(3.25));
        assert_eq!(weighted_mean([(1.0, 0.0), (9.0, -1.0)]), None);
        assert_eq!(weighted_mean([(f64::NAN, 1.0), (9.0, 2.0)]), Some(9.0));
        assert_eq!(weighted_mean([]), None);
    }

    #[test]
    fn shares() {
        assert_eq!(share(1, 4), Some(0.25));
        assert_eq!(share(0, 0), None);
    }
}
