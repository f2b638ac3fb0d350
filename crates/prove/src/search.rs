//! The best of many values, by successive halving: each is measured once in an order that is drawn
//! anew, the worse half is left out, the rest is measured twice as often, until one is left
//! (Jamieson and Talwalkar, "Non-stochastic best arm identification", 2016).
//!
//! It decides nothing: the best of many is partly the luckiest, so what is left is tried afresh
//! against no change.

use heldup_model::{Block, BlockKind, Goal, SearchedValue};
use heldup_stats::{Random, median};

use crate::figure::{Bound, Guard};
use crate::part::{Measured, Meter, Stop, Switch};

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
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// Which of the values is the best; none where all went beyond a guard, or it was stopped.
    pub best: Option<usize>,
    /// Each value, in their order.
    pub values: Vec<SearchedValue>,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// Why it was not brought to its end.
    pub stop: Option<Stop>,
    /// Why a value could not be taken back, where it could not.
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
        meter,
        tell,
        figures,
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
    meter: &'a mut dyn Meter,
    tell: &'a mut dyn FnMut(&Block),
    /// Of each value.
    figures: Vec<Vec<f64>>,
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
        let mut times = 1;
        while !left.is_empty() {
            for _ in 0..times {
                shuffle(&mut left, &mut order);
                for &at in &left {
                    if !self.out[at] {
                        self.value(at, &mut *switches[at])?;
                    }
                }
            }
            left.retain(|at| !self.out[*at]);
            left.sort_by(|a, b| self.rank(*a).total_cmp(&self.rank(*b)));
            self.found.best = left.first().copied();
            left.truncate(left.len().div_ceil(2));
            if left.len() <= 1 || self.seconds() > self.limits.most_seconds {
                break;
            }
            times *= 2;
        }
        Ok(())
    }

    /// One block of a value.
    fn value(&mut self, at: usize, switch: &mut dyn Switch) -> Result<(), Stop> {
        switch.on()?;
        self.meter.settle()?;
        let measured = self.block(BlockKind::Search, Some(at));
        switch.off()?;
        let figure = measured?;
        self.figures[at].push(figure);
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
        if figure.is_finite() { Ok(figure) } else { Err(Stop::Failed(format!("the figure is {figure}"))) }
    }

    /// Lower is better.
    fn rank(&self, at: usize) -> f64 {
        let middle = median(&mut self.figures[at].clone()).unwrap_or(f64::INFINITY);
        if self.limits.goal == Goal::Higher { -middle } else { middle }
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
        let limits = SearchLimits { goal: Goal::Lower, seed, warm_up: 1, most_seconds: 1e9 };
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
