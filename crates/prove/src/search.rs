//! The best of many values, by successive halving: all are measured round after round, each round in an
//! order that is drawn anew, the worse half is left out, the rest is measured twice as often, until one is
//! left (Jamieson and Talwalkar, "Non-stochastic best arm identification", 2016). The first rounds are as
//! many as the noise asks for. Values are compared two by two within rounds, so that what is slow
//! for a while is so for both, and by medians, so that one disturbed run leaves no value out.
//!
//! It decides nothing: the best of many is partly the luckiest, so what is left is tried afresh
//! against no change.

use heldup_model::{Block, BlockKind, Goal, SearchedValue};
use heldup_stats::{Random, median};

use crate::figure::{Bound, Guard};
use crate::part::{Measured, Meter, Stop, Switch};

/// Rounds of all values at least: the median of fewer is not safe from one disturbed run.
const FEWEST_ROUNDS: usize = 3;
/// Rounds at least where a run was disturbed: three of them spoil one value's median much less often.
const DISTURBED_ROUNDS: usize = 5;
/// So many deviations from the middle are no noise but a disturbed run.
const DISTURBED: f64 = 6.0;
/// And at most, however much the figures vary.
const MOST_ROUNDS: usize = 9;
/// Noise of one figure (a share) for which the fewest rounds do; twice as much takes four times as many.
const QUIET: f64 = 0.05;
/// A difference below that many standard errors separates no two values.
const TOLD_APART: f64 = 2.0;
/// Standard deviation of normal noise in median absolute deviations, and standard error of a median in
/// standard errors of the mean.
const DEVIATIONS: f64 = 1.4826;
const OF_MEDIAN: f64 = 1.2533;

/// What a search is given.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// Which figures are better.
    pub goal: Goal,
    /// What the order is drawn with.
    pub seed: u64,
    /// Blocks at the start that are not counted.
    pub warm_up: usize,
    /// Seconds that blocks may take in all; what is best by then is the answer.
    pub most_seconds: f64,
    /// The smallest difference worth seeing, as a share of the figure: of values that noise does not tell
    /// apart and that differ less, the one nearest to `present` is the answer.
    pub worth: f64,
    /// The value that the setting has, where it is a number.
    pub present: Option<f64>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// Which of the values is the best; none where all went beyond a guard, or it was stopped.
    pub best: Option<usize>,
    /// Values of the last rounds that noise does not separate from the best one.
    pub alike: Vec<usize>,
    /// Each value, in their order.
    pub values: Vec<SearchedValue>,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// Why it was not brought to its end.
    pub stop: Option<Stop>,
    /// Why a value could not be undone, where it could not.
    pub not_undone: Option<String>,
}

/// Searches. A guard with a limit of its own leaves out the value that goes beyond it; one that is a share
/// of what it is without the change is for the experiment that follows. `names` are the values.
pub fn search(
    limits: &SearchLimits,
    guards: &[Guard],
    names: &[String],
    meter: &mut dyn Meter,
    switches: &mut [&mut dyn Switch],
    tell: &mut dyn FnMut(&Block),
) -> Searched {
    let figures = vec![Vec::new(); switches.len()];
    let mut search = Search {
        limits,
        guards,
        names,
        meter,
        tell,
        figures,
        is_ratio: true,
        out: vec![false; switches.len()],
        found: Searched::default(),
    };
    let ended = search.all(switches);
    let (figures, out, mut found) = (search.figures, search.out, search.found);
    found.stop = ended.err();
    for switch in switches.iter_mut() {
        if let Err(stop) = switch.off() {
            found.not_undone = Some(stop.to_string());
        }
    }
    let value = |((name, figures), out): ((&String, &Vec<f64>), &bool)| SearchedValue {
        value: name.clone(),
        blocks: figures.len() as u64,
        figure: median(&mut figures.clone()),
        beyond_guard: *out,
    };
    found.values = names.iter().zip(&figures).zip(&out).map(value).collect();
    if found.stop.is_some() {
        found.best = None;
    }
    found
}

struct Search<'a> {
    limits: &'a SearchLimits,
    guards: &'a [Guard],
    names: &'a [String],
    meter: &'a mut dyn Meter,
    tell: &'a mut dyn FnMut(&Block),
    /// Of each value.
    figures: Vec<Vec<f64>>,
    /// Whether all figures are above zero, so that noise multiplies them.
    is_ratio: bool,
    /// Which values went beyond a guard.
    out: Vec<bool>,
    found: Searched,
}

impl Search<'_> {
    fn all(&mut self, switches: &mut [&mut dyn Switch]) -> Result<(), Stop> {
        let mut order = Random::new(self.limits.seed);
        for _ in 0..self.limits.warm_up {
            self.block(BlockKind::WarmUp, None)?;
        }
        let mut left: Vec<usize> = (0..switches.len()).collect();
        let mut times = FEWEST_ROUNDS;
        let (mut done, mut is_first) = (0, true);
        while !left.is_empty() {
            while done < times {
                shuffle(&mut left, &mut order);
                for &at in &left {
                    if !self.out[at] {
                        self.value(at, &mut *switches[at])?;
                    }
                }
                left.retain(|at| !self.out[*at]);
                done += 1;
                if is_first && done == FEWEST_ROUNDS {
                    times = self.rounds_for(&left);
                }
                if self.seconds() > self.limits.most_seconds {
                    break;
                }
            }
            let mut ranked: Vec<(f64, usize)> = left.iter().map(|at| (self.rank(*at, &left), *at)).collect();
            ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
            let all: Vec<usize> = ranked.iter().map(|(_, at)| *at).collect();
            left = all[..all.len().div_ceil(2)].to_vec();
            if left.len() <= 1 || self.seconds() > self.limits.most_seconds {
                self.decide(&all);
                break;
            }
            (times, done, is_first) = (2 * times, 0, false);
        }
        Ok(())
    }

    /// Of the values that lasted, best first: which one, and which are not told from it.
    fn decide(&mut self, ranked: &[usize]) {
        let Some(&first) = ranked.first() else { return };
        let alike: Vec<usize> =
            ranked[1..].iter().copied().filter(|at| !self.is_told_apart(first, *at)).collect();
        let near = |at: usize| self.middle_gap(first, at) <= self.limits.worth * self.unit();
        let close = alike.iter().copied().filter(|at| near(*at));
        let best = std::iter::once(first).chain(close).min_by(|a, b| self.away(*a).total_cmp(&self.away(*b)));
        self.found.best = best;
        let others = std::iter::once(first).chain(alike);
        self.found.alike = others.filter(|at| Some(*at) != best).collect();
    }

    /// How many rounds of all values their noise asks for.
    fn rounds_for(&self, left: &[usize]) -> usize {
        let mut away: Vec<f64> = Vec::new();
        for (place, one) in left.iter().enumerate() {
            for other in &left[place + 1..] {
                let middle = self.middle_gap(*one, *other);
                // The gap that is the middle says nothing of how far the others are from it.
                let gaps = self.gaps(*one, *other).into_iter().map(|gap| (gap - middle).abs());
                away.extend(gaps.filter(|away| *away > 0.0));
            }
        }
        let deviation = DEVIATIONS * median(&mut away).unwrap_or(0.0);
        let is_disturbed = away.iter().any(|away| *away > DISTURBED * deviation);
        // A gap has the noise of two figures.
        let noise = deviation / 2_f64.sqrt() / self.unit();
        let rounds = FEWEST_ROUNDS as f64 * (noise / QUIET).powi(2);
        let fewest = if is_disturbed { DISTURBED_ROUNDS } else { FEWEST_ROUNDS };
        (rounds.ceil().min(MOST_ROUNDS as f64) as usize).max(fewest)
    }

    /// A figure on the scale on which noise adds the same to each; lower is better.
    fn scaled(&self, figure: f64) -> f64 {
        let scaled = if self.is_ratio { figure.ln() } else { figure };
        if self.limits.goal == Goal::Higher { -scaled } else { scaled }
    }

    /// What a share is of, on that scale: of figures that may be 0 or less, the middle of their sizes.
    fn unit(&self) -> f64 {
        let mut sizes: Vec<f64> = self.figures.iter().flatten().map(|figure| figure.abs()).collect();
        let middle = median(&mut sizes).filter(|middle| !self.is_ratio && *middle > 0.0);
        middle.unwrap_or(1.0)
    }

    /// How much worse a value is than another one, round by round.
    fn gaps(&self, best: usize, at: usize) -> Vec<f64> {
        let pairs = self.figures[best].iter().zip(&self.figures[at]);
        pairs.map(|(best, figure)| self.scaled(*figure) - self.scaled(*best)).collect()
    }

    fn middle_gap(&self, best: usize, at: usize) -> f64 {
        median(&mut self.gaps(best, at)).unwrap_or(0.0)
    }

    /// Whether noise tells two values apart, by the pairs of all rounds that both were in; of fewer than the first
    /// rounds have it cannot be known.
    fn is_told_apart(&self, best: usize, at: usize) -> bool {
        let gaps = self.gaps(best, at);
        if gaps.len() < FEWEST_ROUNDS {
            return false;
        }
        let middle = self.middle_gap(best, at);
        let mut away: Vec<f64> = gaps.iter().map(|gap| (gap - middle).abs()).collect();
        let deviation = DEVIATIONS * median(&mut away).unwrap_or(0.0);
        let error = OF_MEDIAN * deviation / (gaps.len().max(1) as f64).sqrt();
        middle > TOLD_APART * error
    }

    /// How far a value is from the present one, in factors where there are such; as far as can be where
    /// they are no numbers.
    fn away(&self, at: usize) -> f64 {
        match (self.names[at].parse::<f64>(), self.limits.present) {
            (Ok(value), Some(present)) => ((value.abs() + 1.0) / (present.abs() + 1.0)).ln().abs(),
            _ => f64::INFINITY,
        }
    }

    /// One block of a value.
    fn value(&mut self, at: usize, switch: &mut dyn Switch) -> Result<(), Stop> {
        switch.on()?;
        self.meter.settle()?;
        let measured = self.block(BlockKind::Search, Some(at));
        switch.off()?;
        let figure = measured?;
        self.figures[at].push(figure);
        self.is_ratio &= figure > 0.0;
        let beyond = |(guard, figure): (&Guard, &f64)| match guard.bound {
            Bound::Absolute(limit) => guard.is_breached(*figure, limit),
            Bound::Share(_) => false,
        };
        self.out[at] =
            self.found.blocks.last().is_some_and(|block| self.guards.iter().zip(&block.guards).any(beyond));
        Ok(())
    }

    fn block(&mut self, kind: BlockKind, at: Option<usize>) -> Result<f64, Stop> {
        let Measured { figure, guards, seconds, ledger } = self.meter.measure()?;
        let block = Block { kind, change: at.map(|at| at as u64), figure, guards, seconds, ledger };
        (self.tell)(&block);
        self.found.blocks.push(block);
        if figure.is_finite() { Ok(figure) } else { Err(Stop::Failed(format!("the measure is {figure}"))) }
    }

    /// How much worse a value is than the others that are left: the sum of its middle gaps to them. Not the
    /// gap to the middle of a round, which is 0 for one of three in each round.
    fn rank(&self, at: usize, left: &[usize]) -> f64 {
        left.iter().filter(|other| **other != at).map(|other| self.middle_gap(*other, at)).sum()
    }

    fn seconds(&self) -> f64 {
        self.found.blocks.iter().map(|block| block.seconds).sum()
    }
}

/// An order of which each is as likely (Fisher and Yates, 1938).
fn shuffle(all: &mut [usize], random: &mut Random) {
    for last in (1..all.len()).rev() {
        all.swap(last, (random.uniform() * (last + 1) as f64) as usize);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A machine whose figure is least at one value.
    struct Valley<'a> {
        value: &'a Cell<Option<usize>>,
        best: usize,
        noise: Random,
    }

    impl Meter for Valley<'_> {
        fn measure(&mut self) -> Result<Measured, Stop> {
            let away = self.value.get().map_or(6.0, |value| (value as f64 - self.best as f64).abs());
            let figure = 10.0 * 1.25_f64.powf(away) * (1.0 + 0.1 * (self.noise.uniform() - 0.5));
            let guards = vec![away];
            Ok(Measured { figure, guards, seconds: 1.0, ..Measured::default() })
        }
    }

    struct Value<'a>(&'a Cell<Option<usize>>, usize);

    impl Switch for Value<'_> {
        fn on(&mut self) -> Result<(), Stop> {
            assert_eq!(self.0.replace(Some(self.1)), None, "two at once");
            Ok(())
        }

        fn off(&mut self) -> Result<(), Stop> {
            self.0.set(None);
            Ok(())
        }
    }

    fn found(seed: u64, best: usize, guards: &[Guard]) -> Searched {
        let value = Cell::new(None);
        let mut meter = Valley { value: &value, best, noise: Random::new(seed) };
        let mut values: Vec<Value> = (0..12).map(|at| Value(&value, at)).collect();
        let mut switches: Vec<&mut dyn Switch> =
            values.iter_mut().map(|one| one as &mut dyn Switch).collect();
        let names: Vec<String> = (0..12).map(|at| format!("v{at}")).collect();
        let limits = SearchLimits {
            goal: Goal::Lower,
            seed,
            warm_up: 1,
            most_seconds: 1e9,
            worth: 0.02,
            present: None,
        };
        let found = search(&limits, guards, &names, &mut meter, &mut switches, &mut |_| {});
        assert_eq!(value.get(), None, "left on");
        found
    }

    /// Within a third of the runs that would measure each value as often as the best one.
    #[test]
    fn the_best_is_found_in_a_third_of_the_runs_of_a_sweep() {
        let mut right = 0;
        for seed in 0..20 {
            let found = found(seed, 3 + (seed as usize) % 6, &[]);
            right += usize::from(found.best == Some(3 + (seed as usize) % 6));
            let most = found.values.iter().map(|value| value.blocks).max().unwrap();
            assert!(3 * found.blocks.len() as u64 <= 12 * most, "{} of {}", found.blocks.len(), 12 * most);
        }
        assert!(right >= 19, "{right} of 20");
    }

    /// Twelve values of which each step from the best one takes a tenth longer; noise of so large a share
    /// (standard deviation), and every tenth run disturbed: up to three times as long.
    struct Disturbed<'a> {
        value: &'a Cell<Option<usize>>,
        best: usize,
        share: f64,
        noise: Random,
    }

    impl Meter for Disturbed<'_> {
        fn measure(&mut self) -> Result<Measured, Stop> {
            let away = self.value.get().map_or(6.0, |value| (value as f64 - self.best as f64).abs());
            // The sum of twelve is near enough to normal.
            let normal = (0..12).map(|_| self.noise.uniform()).sum::<f64>() - 6.0;
            let disturbed = self.noise.uniform() < 0.1;
            let longer = if disturbed { 1.0 + 2.0 * self.noise.uniform() } else { 1.0 };
            let figure = 10.0 * 1.1_f64.powf(away) * (self.share * normal).exp() * longer;
            Ok(Measured { figure, seconds: 1.0, ..Measured::default() })
        }
    }

    /// Of so many seeds how many find a value within 5 % of the best one: with steps of a tenth that one itself.
    fn right_of_200(share: f64) -> usize {
        let names: Vec<String> = (0..12).map(|at| at.to_string()).collect();
        let right = |seed: u64| {
            let (value, best) = (Cell::new(None), (seed % 12) as usize);
            let mut meter = Disturbed { value: &value, best, share, noise: Random::new(7919 * seed + 1) };
            let mut values: Vec<Value> = (0..12).map(|at| Value(&value, at)).collect();
            let mut switches: Vec<&mut dyn Switch> =
                values.iter_mut().map(|one| one as &mut dyn Switch).collect();
            let limits = SearchLimits {
                goal: Goal::Lower,
                seed,
                warm_up: 0,
                most_seconds: 1e9,
                worth: 0.02,
                present: Some(0.0),
            };
            let found = search(&limits, &[], &names, &mut meter, &mut switches, &mut |_| {});
            let most = found.values.iter().map(|value| value.blocks).max().unwrap();
            assert!(3 * found.blocks.len() as u64 <= 12 * most, "{} of {}", found.blocks.len(), 12 * most);
            found.best == Some(best)
        };
        (0..200).filter(|seed| right(*seed)).count()
    }

    #[test]
    fn noise_and_disturbed_runs_do_not_hide_the_best() {
        for (share, least) in [(0.01, 198), (0.05, 196), (0.2, 190)] {
            let right = right_of_200(share);
            println!("noise {share}: {right} of 200");
            assert!(right >= least, "noise {share}: {right} of 200, wanted {least}");
        }
    }

    /// Where all values do the same, none is told from another, and the one next to the present is taken.
    #[test]
    fn values_that_do_the_same_are_alike_and_the_nearest_is_taken() {
        struct Flat(Random);
        impl Meter for Flat {
            fn measure(&mut self) -> Result<Measured, Stop> {
                Ok(Measured { figure: 10.0 + 0.01 * self.0.uniform(), seconds: 1.0, ..Measured::default() })
            }
        }
        let value = Cell::new(None);
        let mut values = [Value(&value, 0), Value(&value, 1), Value(&value, 2)];
        let mut switches: Vec<&mut dyn Switch> =
            values.iter_mut().map(|one| one as &mut dyn Switch).collect();
        let names = ["1000".to_owned(), "500".to_owned(), "100000".to_owned()];
        let limits = SearchLimits {
            goal: Goal::Lower,
            seed: 3,
            warm_up: 0,
            most_seconds: 1e9,
            worth: 0.02,
            present: Some(400.0),
        };
        let found = search(&limits, &[], &names, &mut Flat(Random::new(5)), &mut switches, &mut |_| {});
        let best = found.best.unwrap();
        let away = |at: usize| [1000.0, 500.0, 100_000.0][at];
        assert!(found.alike.iter().all(|at| away(*at) > away(best)), "{found:?}");
        assert_eq!(found.alike.len(), 1, "{found:?}");
    }

    #[test]
    fn what_goes_beyond_a_guard_is_left_out_at_once() {
        let guard: Guard = "json:away>=2".parse().unwrap();
        let found = found(1, 5, &[guard]);
        assert!(matches!(found.best, Some(3 | 7)), "{:?}", found.best);
        for at in 4..=6 {
            assert!(found.values[at].beyond_guard && found.values[at].blocks == 1, "{:?}", found.values[at]);
        }
    }
}
