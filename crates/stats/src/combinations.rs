//! Numbers of ways, and how likely so many hits are.

/// In how many ways `chosen` of `of` can be chosen; 0 where there are not so many.
pub fn binomial(of: u64, chosen: u64) -> f64 {
    if chosen > of {
        return 0.0;
    }
    let few = chosen.min(of - chosen);
    (0..few).map(|at| (of - at) as f64 / (few - at) as f64).product()
}

/// Probability of at least `hits` hits of `of` independent tries that hit with this chance.
pub fn at_least(hits: u64, of: u64, chance: f64) -> f64 {
    let likely = |count: u64| {
        binomial(of, count) * chance.powf(count as f64) * (1.0 - chance).powf((of - count) as f64)
    };
    (hits..=of).map(likely).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways() {
        assert!((binomial(49, 6) - 13_983_816.0).abs() < 1e-3);
        assert_eq!((binomial(5, 0), binomial(5, 5), binomial(3, 4)), (1.0, 1.0, 0.0));
    }

    #[test]
    fn tails() {
        assert!((at_least(0, 10, 0.3) - 1.0).abs() < 1e-12);
        assert!((at_least(10, 10, 0.5) - 1.0 / 1024.0).abs() < 1e-12);
        // Of 200 tries with 5 % 19 and more are seen in less than one of a hundred times, 18 are not.
        assert!(at_least(19, 200, 0.05) < 0.01 && at_least(18, 200, 0.05) > 0.01);
    }
}
