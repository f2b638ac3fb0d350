//! Whether a change makes a difference, decided while pairs of measurements still come in.
//!
//! Each pair is measured once with and once without the change, and a fair coin says which of
//! them comes first. If the change does nothing, the two numbers would have been the same two
//! numbers in either order, so the sign of their difference is that coin's and nothing else's,
//! whatever the noise is like: heavy tails, drift, neighbours that lean on each other (Fisher's
//! randomisation). A bet on the sign, `1 + tanh(λd)`, then is worth 1 on average, and the product
//! of such bets is a martingale: that it ever reaches `1/α` has at most the chance `α`, however
//! often one looks and for whatever reason one stops (Ville, 1939; Howard, Ramdas, McAuliffe and
//! Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences", 2021; Johari,
//! Koomen, Pekelis and Walsh, "Always valid inference", 2022). Bets on symmetric differences of
//! this form are de la Peña's (1999). One pair can win a factor of two at most, and differences are
//! winsorised, so that an outlier decides nothing.
//!
//! What holds for "it does nothing" holds for "it adds θ" of the differences less θ: all θ that
//! are not refused are an interval that holds the true one at all times together, where the
//! change adds about the same to each.

use crate::quantile::median;

/// Bets, as shares of the noise: the best one for an effect of so many standard deviations. The
/// mean of several pays a logarithm of their number, and none has to be chosen.
const BETS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];
/// Differences count as no larger than so much of the noise: one outlier loses a part of what was won,
/// and not all of it.
const MOST: f64 = 4.0;
/// Of a normal distribution the standard deviation over the median distance from its middle.
const NORMAL: f64 = 1.4826;
/// Pairs from which on the smallest effect that they show falls with the root of their number.
const ENOUGH_TO_SCALE: usize = 256;
/// Halvings of an interval: one part in 1e12 of it is left.
const HALVINGS: usize = 40;

/// How much two measurements of the same thing differ.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFloor {
    differences: Vec<f64>,
    least: f64,
}

impl NoiseFloor {
    /// Of the differences of pairs that were measured without any change between them. `least` is what is
    /// no difference at all, 0 where that is not known.
    pub fn new(differences: &[f64], least: f64) -> NoiseFloor {
        let differences = differences.iter().copied().filter(|value| value.is_finite()).collect();
        NoiseFloor { differences, least: least.max(0.0) }
    }

    /// Standard deviation of a difference.
    pub fn spread(&self) -> f64 {
        self.spread_with(&[])
    }

    /// The same with what the pairs so far have shown: their differences from their middle.
    fn spread_with(&self, pairs: &[f64]) -> f64 {
        let middle = median(&mut pairs.to_vec()).unwrap_or(0.0);
        let residuals = pairs.iter().map(|difference| (difference - middle).abs());
        let mut all: Vec<f64> = self.differences.iter().map(|d| d.abs()).chain(residuals).collect();
        (NORMAL * median(&mut all).unwrap_or(0.0)).max(self.least)
    }

    /// What a bet is measured by: the noise. Where none has been seen yet as much as makes the
    /// size of what has the most that counts, and while that is 0 nothing is bet.
    fn stake(&self, pairs: &[f64]) -> f64 {
        let sizes = || median(&mut pairs.iter().map(|difference| difference.abs()).collect::<Vec<_>>());
        let known = Some(self.spread_with(pairs)).filter(|spread| *spread > 0.0);
        known.or_else(|| sizes().filter(|size| *size > 0.0).map(|size| size / MOST)).unwrap_or(f64::INFINITY)
    }

    /// How large an effect is that so many pairs show, at the even chance; none where they are too
    /// few for any. The noise is taken as logistic, which is the normal one with longer tails.
    pub fn detectable(&self, pairs: usize, error: f64) -> Option<f64> {
        let spread = Some(self.spread()).filter(|spread| *spread > 0.0)?;
        let quiet = NoiseFloor { differences: vec![spread / NORMAL], least: self.least };
        let mut usual = Pairs::new(error, quiet);
        for at in 0..pairs {
            let share = (at as f64 + 0.5) / pairs as f64;
            let value = spread * (share / (1.0 - share)).ln() / 1.7;
            usual.bets.push((value, spread));
        }
        Some(usual.interval().1).filter(|reach| reach.is_finite())
    }
}

/// The least number of pairs that can decide anything at this chance of an error.
pub fn least_pairs(error: f64) -> usize {
    let won = |pairs: i32| BETS.map(|bet| (1.0 + (bet * MOST).tanh()).powi(pairs)).iter().sum::<f64>();
    let enough = |pairs: &i32| won(*pairs) > 2.0 / error * BETS.len() as f64;
    (1..1000).find(enough).map_or(usize::MAX, |pairs| pairs as usize)
}

/// What the pairs so far say of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is larger than 0.
    Above,
    /// It is smaller than 0.
    Below,
    /// It is nearer to 0 than what is worth seeing.
    Within,
    /// They do not say yet.
    Open,
}

/// Pairs so far, and what they say.
#[derive(Clone, Debug)]
pub struct Pairs {
    noise: NoiseFloor,
    /// Logarithm of what a bet on one side has to win.
    needed: f64,
    /// Differences, with and without, and the noise as it was known before each was seen: a bet
    /// must be made before its coin falls. Infinite where nothing was bet.
    bets: Vec<(f64, f64)>,
}

impl Pairs {
    /// None yet. `error` is the chance that anything wrong is ever said (0.01, say): an effect
    /// where there is none, or an interval without the true one.
    pub fn new(error: f64, noise: NoiseFloor) -> Pairs {
        Pairs { noise, needed: (2.0 / error).ln(), bets: Vec::new() }
    }

    /// A further pair: its value with the change less its value without. One that is not finite
    /// says nothing and is left out.
    pub fn push(&mut self, difference: f64) {
        if difference.is_finite() {
            let seen: Vec<f64> = self.bets.iter().map(|(difference, _)| *difference).collect();
            let stake = self.noise.stake(&seen);
            self.bets.push((difference, stake));
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bets.is_empty()
    }

    /// Whether the effect is larger than this.
    pub fn is_above(&self, effect: f64) -> bool {
        self.won(effect, 1.0) > self.needed
    }

    /// Whether the effect is smaller than this.
    pub fn is_below(&self, effect: f64) -> bool {
        self.won(effect, -1.0) > self.needed
    }

    /// What they say of the effect, of which less than `worth` is not worth seeing.
    pub fn standing(&self, worth: f64) -> Standing {
        if self.is_above(0.0) {
            Standing::Above
        } else if self.is_below(0.0) {
            Standing::Below
        } else if self.is_above(-worth) && self.is_below(worth) {
            Standing::Within
        } else {
            Standing::Open
        }
    }

    /// About how many pairs in all, as noisy as these, would say of no effect that it is smaller than
    /// `worth`; none where the noise or `worth` is 0.
    pub fn needed(&self, worth: f64) -> Option<usize> {
        let floor = self.floor();
        let error = 2.0 / self.needed.exp();
        let mut pairs = least_pairs(error).max(self.len());
        while pairs < ENOUGH_TO_SCALE {
            match floor.detectable(pairs, error) {
                Some(reach) if reach <= worth => return Some(pairs),
                _ => pairs += pairs.div_ceil(8),
            }
        }
        // Of so many the reach falls with the root of their number.
        let reach = floor.detectable(pairs, error).filter(|_| worth > 0.0)?;
        Some((pairs as f64 * (reach / worth).max(1.0).powi(2)).ceil() as usize)
    }

    /// The part of the noise with which so many pairs would have said of no effect that it is smaller than
    /// `worth`; none where so many say nothing.
    pub fn noise_needed(&self, worth: f64) -> Option<f64> {
        let reach = self.floor().detectable(self.len(), 2.0 / self.needed.exp())?;
        Some(worth / reach)
    }

    /// The noise with what the pairs have shown of it.
    fn floor(&self) -> NoiseFloor {
        let seen: Vec<f64> = self.bets.iter().map(|(difference, _)| *difference).collect();
        NoiseFloor { differences: vec![self.noise.spread_with(&seen) / NORMAL], least: self.noise.least }
    }

    /// The effects that the pairs do not refuse; infinite while they are too few.
    pub fn interval(&self) -> (f64, f64) {
        let low = self.last_refused(1.0).unwrap_or(f64::NEG_INFINITY);
        let high = self.last_refused(-1.0).unwrap_or(f64::INFINITY);
        (low, high)
    }

    /// The effect that bets on either side win equally against; none of no pairs.
    pub fn effect(&self) -> Option<f64> {
        let (low, high) = self.ends()?;
        Some(halved(low, high, |effect| self.won(effect, 1.0) > self.won(effect, -1.0)))
    }

    /// The logarithm of what bets on one side have won against an effect: falls as the effect
    /// rises where `side` is 1, and rises with it where it is -1.
    fn won(&self, effect: f64, side: f64) -> f64 {
        let of = |bet: f64| -> f64 {
            self.bets
                .iter()
                .map(|(value, stake)| ln_factor(side * bet * ((value - effect) / stake).clamp(-MOST, MOST)))
                .sum()
        };
        let all = BETS.map(of);
        let most = all.iter().fold(f64::NEG_INFINITY, |most, one| most.max(*one));
        let mean = all.iter().map(|one| (one - most).exp()).sum::<f64>() / BETS.len() as f64;
        most + mean.ln()
    }

    /// The last effect, seen from one side, that is refused; none where none is.
    fn last_refused(&self, side: f64) -> Option<f64> {
        let (low, high) = self.ends()?;
        let (start, towards) = if side > 0.0 { (low, -1.0) } else { (high, 1.0) };
        let refused = |effect: f64| self.won(effect, side) > self.needed;
        let stakes = self.bets.iter().map(|(_, stake)| *stake).filter(|stake| stake.is_finite());
        let widest = stakes.fold(high - low, f64::max);
        // Twice as far each time: as far out as ten thousand times the noise.
        let mut reach = 0.0;
        let mut outer = start;
        for step in 0..16 {
            outer = start + towards * reach;
            if refused(outer) {
                break;
            }
            reach = widest * f64::powi(2.0, step) / 4.0;
        }
        if !refused(outer) {
            return None;
        }
        let inner = if side > 0.0 { high } else { low };
        let is_lower = |effect: f64| refused(effect) == (side > 0.0);
        Some(halved(outer.min(inner), outer.max(inner), is_lower))
    }

    /// The least and the greatest difference.
    fn ends(&self) -> Option<(f64, f64)> {
        let values = || self.bets.iter().map(|(value, _)| *value);
        Some((values().reduce(f64::min)?, values().reduce(f64::max)?))
    }
}

/// The number between two up to which something is so.
fn halved(mut low: f64, mut high: f64, is_so: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if is_so(middle) { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// The logarithm of `1 + tanh(x)`, also where that is nearly 0.
fn ln_factor(x: f64) -> f64 {
    let y = -2.0 * x;
    std::f64::consts::LN_2 - (y.max(0.0) + (-y.abs()).exp().ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: f64 = 0.01;

    fn pairs(noise: &[f64], differences: &[f64]) -> Pairs {
        let mut pairs = Pairs::new(ERROR, NoiseFloor::new(noise, 1e-4));
        differences.iter().for_each(|difference| pairs.push(*difference));
        pairs
    }

    #[test]
    fn how_many_pairs_are_needed_is_what_they_then_show() {
        let noise = NoiseFloor::new(&[0.1, -0.2, 0.15, -0.05, 0.12, -0.1], 1e-4);
        let mut pairs = Pairs::new(ERROR, noise);
        [0.1, -0.12, 0.2, -0.18, 0.05, -0.03, 0.15, -0.1].iter().for_each(|one| pairs.push(*one));
        let floor = pairs.floor();
        for worth in [0.3, 0.1, 0.05] {
            let needed = pairs.needed(worth).expect("noise");
            let reach = |count| floor.detectable(count, ERROR).unwrap_or(f64::INFINITY);
            assert!(reach(needed) <= 1.02 * worth, "{worth}: {needed} pairs show {}", reach(needed));
            assert!(needed == 8 || reach(needed * 3 / 4) > worth, "{worth}: fewer than {needed} are enough");
        }
        // Half the noise, or four times the pairs.
        let (few, many) = (pairs.needed(0.02).unwrap() as f64, pairs.needed(0.01).unwrap() as f64);
        assert!((3.9..4.1).contains(&(many / few)), "{many} and {few}");
        let part = pairs.noise_needed(0.05).expect("eight pairs say something");
        let reach = floor.detectable(8, ERROR).unwrap();
        assert!((part * reach - 0.05).abs() < 1e-9 && part < 1.0, "{part}");
        assert_eq!(pairs.needed(0.0), None);
        assert_eq!(Pairs::new(ERROR, NoiseFloor::new(&[], 0.0)).needed(0.1), None, "no noise is known");
    }

    #[test]
    fn factors_are_those_of_the_hyperbolic_tangent() {
        for x in [-3.0, -0.1, 0.0, 0.5, 4.0] {
            assert!((ln_factor(x) - (1.0 + f64::tanh(x)).ln()).abs() < 1e-12, "{x}");
        }
        // Where one and the tangent would take each other away.
        assert!((ln_factor(-50.0) - (std::f64::consts::LN_2 - 100.0)).abs() < 1e-9);
    }

    /// Seven coins fall on one side once in 64 times on either side: no test may call that one in
    /// a hundred.
    #[test]
    fn seven_pairs_decide_nothing_and_eight_clear_ones_do() {
        assert_eq!((least_pairs(0.01), least_pairs(0.01 / 3.0)), (8, 10));
        let noise = [0.01, -0.02, 0.015, -0.01];
        let seven = pairs(&noise, &[0.5; 7]);
        assert!(!seven.is_above(0.0));
        assert_eq!(seven.interval(), (f64::NEG_INFINITY, f64::INFINITY));
        let eight = pairs(&noise, &[0.5, 0.51, 0.49, 0.5, 0.52, 0.48, 0.5, 0.5]);
        assert!(eight.is_above(0.0) && !eight.is_below(0.0));
        let (low, high) = eight.interval();
        assert!(0.3 < low && low < 0.48 && 0.52 < high && high < 0.7, "{low} {high}");
        assert!(eight.effect().is_some_and(|effect| (effect - 0.5).abs() < 0.01), "{:?}", eight.effect());
    }

    #[test]
    fn the_interval_is_what_is_not_refused() {
        let found = pairs(&[0.1, -0.1, 0.05], &[0.3, 0.1, 0.2, 0.4, 0.0, 0.2, 0.3, 0.1, 0.25, 0.15, 0.2]);
        let (low, high) = found.interval();
        assert!(found.is_above(low - 1e-6) && !found.is_above(low + 1e-6), "{low}");
        assert!(found.is_below(high + 1e-6) && !found.is_below(high - 1e-6), "{high}");
        assert!(low > 0.0 && high < 0.5, "{low} {high}");
    }

    #[test]
    fn one_outlier_decides_nothing() {
        let mut values = vec![0.01, -0.01, 0.02, -0.02, 0.01, -0.01, 0.015, -0.012, 0.0, 0.003];
        let before = pairs(&[0.01, -0.015], &values);
        values.push(1e9);
        let after = pairs(&[0.01, -0.015], &values);
        assert!(!after.is_above(0.0), "{:?}", after.interval());
        let moved = (after.effect().unwrap() - before.effect().unwrap()).abs();
        assert!(moved < 0.01, "{moved}");
    }

    #[test]
    fn what_does_not_vary_is_told_from_what_does() {
        let same = pairs(&[0.0; 4], &[0.0; 12]);
        assert_eq!(same.effect(), Some(0.0));
        assert!(!same.is_above(0.0) && !same.is_below(0.0));
        assert!(same.is_above(-0.01) && same.is_below(0.01), "{:?}", same.interval());
        let other = pairs(&[0.0; 4], &[0.001; 8]);
        assert!(other.is_above(0.0));
    }

    /// Losses that there are none of without the change.
    #[test]
    fn what_was_always_zero_is_bet_on_once_it_is_not() {
        let mut pairs = Pairs::new(ERROR, NoiseFloor::new(&[0.0; 4], 0.0));
        pairs.push(0.0);
        assert_eq!((pairs.interval(), pairs.noise.spread()), ((f64::NEG_INFINITY, f64::INFINITY), 0.0));
        for value in [40.0, 38.0, 43.0, 41.0, 40.0, 39.0, 44.0, 42.0, 40.0, 41.0, 39.0] {
            pairs.push(value);
        }
        assert!(pairs.is_above(0.0), "{:?}", pairs.interval());
        assert!(pairs.effect().is_some_and(|effect| (38.0..43.0).contains(&effect)), "{:?}", pairs.effect());
    }

    #[test]
    fn more_pairs_show_less() {
        let noise = NoiseFloor::new(&[0.1, -0.1, 0.07, -0.05], 1e-4);
        assert_eq!(noise.detectable(7, ERROR), None);
        let reach = |pairs| noise.detectable(pairs, ERROR).unwrap();
        assert!(reach(10) > reach(20) && reach(20) > reach(80), "{} {}", reach(20), reach(80));
        // At the even chance of one in a hundred two normal means of 80 differ from 0 by 2.6 errors;
        // looking all the time costs less than half as much again.
        let fixed = 2.6 * noise.spread() / 80_f64.sqrt();
        assert!((1.0..1.8).contains(&(reach(80) / fixed)), "{} of {fixed}", reach(80));
    }
}
