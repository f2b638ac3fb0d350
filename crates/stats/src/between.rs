//! Whether a group of things differs from another: hosts, or windows, each with one mean.
//!
//! What counts is how much the members of the first group differ among themselves: a host that
//! is not like the other hosts is news only where those are like each other. The variance is
//! that of the first group, or that of the second where it is larger: the healthy ones say what
//! is usual, and few members of a second group must not make it less than that. Degrees of
//! freedom are the first group's alone, which claims too little rather than too much.

use crate::difference::Difference;
use crate::student::student_two_sided;

/// Members of the first group below which nothing can be told: of two the spread is one number.
pub const LEAST_MEMBERS: usize = 3;

/// Compares the means of the members of two groups. Values that are not finite are left out; none
/// where a group has no others.
pub fn between(usual: &[f64], asked: &[f64]) -> Option<Difference> {
    let finite = |values: &[f64]| -> Vec<f64> { values.iter().copied().filter(|v| v.is_finite()).collect() };
    let (usual, asked) = (finite(usual), finite(asked));
    let (from, usual_variance) = spread(&usual)?;
    let (to, asked_variance) = spread(&asked)?;
    let mut result = Difference { from, to, p: None, error: None, freedom: None, optimistic: None };
    let (count, others) = (usual.len() as f64, asked.len() as f64);
    if usual.len() < LEAST_MEMBERS {
        return Some(result);
    }
    let variance = usual_variance / count + usual_variance.max(asked_variance) / others;
    result.error = Some(variance.sqrt());
    if variance > 0.0 {
        result.freedom = Some(count - 1.0);
        result.p = student_two_sided((to - from) / variance.sqrt(), count - 1.0);
    } else {
        result.p = Some(if to == from { 1.0 } else { 0.0 });
    }
    Some(result)
}

/// Mean, and variance about it; zero of a single value.
fn spread(values: &[f64]) -> Option<(f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some((mean, if values.len() > 1 { squares / (count - 1.0) } else { 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_unlike_the_others_differs() {
        let found = between(&[1.0, 1.1, 0.9, 1.0, 1.05], &[3.0]).expect("values");
        assert!(found.p.is_some_and(|p| p < 1e-4), "{found:?}");
        assert!(found.interval(0.99).is_some_and(|(low, high)| low > 1.0 && high < 3.0), "{found:?}");
    }

    #[test]
    fn hosts_that_differ_among_themselves_hide_it() {
        let found = between(&[1.0, 3.0, 0.2, 2.5], &[3.0]).expect("values");
        assert!(found.p.is_some_and(|p| p > 0.2), "{found:?}");
        let wide = between(&[1.0, 1.1, 0.9], &[0.5, 9.0]).expect("values");
        assert!(wide.p.is_some_and(|p| p > 0.2), "{wide:?}");
    }

    #[test]
    fn of_two_hosts_nothing_is_told() {
        let found = between(&[1.0, 1.0], &[9.0]).expect("values");
        assert_eq!((found.to, found.p), (9.0, None));
        assert_eq!(between(&[], &[1.0]), None);
    }

    /// Groups of one kind: at most as many are distinguished as the level allows.
    #[test]
    fn groups_of_one_kind_are_not_told_apart() {
        let mut state = 5_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
        };
        let mut normal = || (-2.0 * uniform().ln()).sqrt() * (2.0 * std::f64::consts::PI * uniform()).cos();
        for (usual, asked) in [(3, 1), (5, 1), (5, 3), (10, 10)] {
            let mut group = |count: usize| (0..count).map(|_| normal()).collect::<Vec<f64>>();
            let told = (0..2000)
                .filter(|_| {
                    between(&group(usual), &group(asked)).and_then(|found| found.p).is_some_and(|p| p < 0.01)
                })
                .count();
            // 20 are expected; more than 36 would be seen once in 2,000 times.
            assert!(told <= 36, "{usual} and {asked}: {told} of 2000");
        }
    }
}
