//! The schedule: how much the figure varies without a change, then each change in pairs of blocks
//! whose order a coin decides, until its pairs say something or the budget is used up.
//!
//! Whatever ends it, the change is off when it returns, or the outcome says that it could not be
//! undone.

use heldup_model::{Block, BlockKind, ExperimentEnd, Goal, Noise, Verdict};
use heldup_stats::{NoiseFloor, Pairs, Random, Standing, median};

use crate::figure::Guard;
use crate::part::{Measured, Meter, Stop, Switch};
use crate::search::Searched;

/// Share of the figure that is no difference, whatever else.
const LEAST_NOISE: f64 = 1e-4;
/// The largest factor between two blocks that is counted: one of them did nothing.
const LARGEST_RATIO: f64 = 1e6;

/// How far an experiment goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Chance that any of its answers is wrong.
    pub error: f64,
    /// The smallest difference worth seeing, as a share of the figure.
    pub worth: f64,
    /// Which figures are better.
    pub goal: Goal,
    /// What the order of the blocks is drawn with.
    pub seed: u64,
    /// Blocks at the start that are not counted.
    pub warm_up: usize,
    /// Pairs without a change.
    pub noise_pairs: usize,
    /// Pairs of each change at most.
    pub most_pairs: usize,
    /// Seconds that blocks may take in all; the pair that goes beyond is the last of all changes.
    pub most_seconds: f64,
}

/// Progress of an experiment.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// A block is over.
    Block(&'a Block),
    /// It is known how much the figure varies.
    Noise(&'a Noise),
    /// A pair of a change is complete: which change, how many pairs, and the effects that are not refused.
    Pair(usize, usize, (f64, f64)),
}

/// Result of a change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tried {
    /// The verdict; none where it did not come to that.
    pub verdict: Option<Verdict>,
    /// The effect: a share of the figure, or in its unit.
    pub effect: Option<f64>,
    /// Effects that are not refused; none where there is no end on that side.
    pub low: Option<f64>,
    /// The greatest.
    pub high: Option<f64>,
    /// Of no effect and of what is undecided: larger effects are refused.
    pub detection_limit: Option<f64>,
    /// For undecided: approximate number of pairs that would decide.
    pub pairs_needed: Option<usize>,
    /// For undecided: the fraction of the noise at which the pairs would have decided.
    pub noise_needed: Option<f64>,
    /// Pairs that it took.
    pub pairs: usize,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub end: ExperimentEnd,
    /// Why, where it was not brought to its end.
    pub why: Option<String>,
    /// Why the change could not be undone, where it could not.
    pub not_undone: Option<String>,
    /// How much the figure varies by itself.
    pub noise: Option<Noise>,
    /// Whether effects are ratios.
    pub is_ratio: bool,
    /// The changes, in their order.
    pub tried: Vec<Tried>,
    /// All blocks.
    pub blocks: Vec<Block>,
}

impl Outcome {
    /// Of so many changes, of which none has been tried.
    fn empty(changes: usize) -> Outcome {
        Outcome {
            end: ExperimentEnd::Done,
            why: None,
            not_undone: None,
            noise: None,
            is_ratio: true,
            tried: vec![Tried::default(); changes],
            blocks: Vec::new(),
        }
    }

    /// Of a search that has found nothing to try.
    pub fn of_search(searched: &Searched) -> Outcome {
        let mut outcome = Outcome { blocks: searched.blocks.clone(), ..Outcome::empty(0) };
        outcome.stopped(
            searched.stop.as_ref().unwrap_or(&Stop::Failed("every value exceeded a guard".to_owned())),
        );
        outcome.not_undone = searched.not_undone.clone();
        outcome
    }

    fn stopped(&mut self, stop: &Stop) {
        self.why = Some(stop.to_string());
        self.end = match stop {
            Stop::Interrupted => ExperimentEnd::Interrupted,
            Stop::Guard { .. } => ExperimentEnd::GuardBreached,
            Stop::Failed(_) => ExperimentEnd::Failed,
        };
    }
}

/// Runs an experiment with one or several changes, each against none, one after the other.
pub fn run(
    limits: &Limits,
    guards: &[Guard],
    meter: &mut dyn Meter,
    switches: &mut [&mut dyn Switch],
    tell: &mut dyn FnMut(Told),
) -> Outcome {
    let outcome = Outcome::empty(switches.len());
    let error = limits.error / switches.len().max(1) as f64;
    let mut run = Run {
        limits,
        guards,
        meter,
        tell,
        outcome,
        error,
        most: Vec::new(),
        coins: Random::new(limits.seed),
    };
    if let Err(stop) = run.all(switches) {
        run.outcome.stopped(&stop);
    }
    for switch in switches.iter_mut() {
        if let Err(stop) = switch.off() {
            run.outcome.end = ExperimentEnd::Failed;
            run.outcome.not_undone = Some(stop.to_string());
        }
    }
    run.outcome
}

struct Run<'a> {
    limits: &'a Limits,
    guards: &'a [Guard],
    meter: &'a mut dyn Meter,
    tell: &'a mut dyn FnMut(Told),
    outcome: Outcome,
    /// Chance of an error of one change.
    error: f64,
    /// Limits of the guards.
    most: Vec<f64>,
    coins: Random,
}

impl Run<'_> {
    fn all(&mut self, switches: &mut [&mut dyn Switch]) -> Result<(), Stop> {
        for _ in 0..self.limits.warm_up {
            self.block(BlockKind::WarmUp, None)?;
        }
        let noise = self.noise()?;
        for (at, switch) in switches.iter_mut().enumerate() {
            self.change(at, &mut **switch, noise.clone())?;
            switch.off()?;
        }
        Ok(())
    }

    /// One block, which is kept, and whose guards are held against their limits.
    fn block(&mut self, kind: BlockKind, change: Option<usize>) -> Result<f64, Stop> {
        let Measured { figure, guards, seconds, ledger } = self.meter.measure()?;
        let change = change.map(|at| at as u64);
        let block = Block { kind, change, figure, guards, seconds, ledger };
        (self.tell)(Told::Block(&block));
        self.outcome.blocks.push(block);
        if !figure.is_finite() {
            return Err(Stop::Failed(format!("the measure is {figure}")));
        }
        match self.breached(kind) {
            Some(stop) => Err(stop),
            None => Ok(figure),
        }
    }

    fn breached(&self, kind: BlockKind) -> Option<Stop> {
        let last = self.outcome.blocks.last().filter(|_| kind == BlockKind::With)?;
        let mut all = self.guards.iter().zip(&last.guards).zip(&self.most);
        let ((guard, figure), limit) =
            all.find(|((guard, figure), limit)| guard.is_breached(**figure, **limit))?;
        Some(Stop::Guard { guard: guard.text.clone(), figure: *figure, limit: *limit })
    }

    /// Blocks without any change, in pairs.
    fn noise(&mut self) -> Result<NoiseFloor, Stop> {
        for _ in 0..2 * self.limits.noise_pairs {
            self.block(BlockKind::Noise, None)?;
        }
        let blocks: Vec<&Block> =
            self.outcome.blocks.iter().filter(|block| block.kind == BlockKind::Noise).collect();
        let figures: Vec<f64> = blocks.iter().map(|block| block.figure).collect();
        let middle = median(&mut figures.clone()).unwrap_or(0.0);
        let mut most = Vec::new();
        for (at, guard) in self.guards.iter().enumerate() {
            let mut values: Vec<f64> =
                blocks.iter().filter_map(|block| block.guards.get(at).copied()).collect();
            let without = median(&mut values).unwrap_or(0.0);
            let limit = guard.limit(without);
            if guard.is_breached(without, limit) {
                return Err(Stop::Failed(format!("guard {}: already {without} in the baseline", guard.text)));
            }
            most.push(limit);
        }
        self.most = most;
        self.outcome.is_ratio = figures.iter().all(|figure| *figure > 0.0);
        let floor = noise_floor(self.outcome.is_ratio, &figures);
        let detectable = floor.detectable(self.limits.most_pairs, self.error);
        let noise = Noise {
            pairs: self.limits.noise_pairs as u64,
            figure: middle,
            spread: self.effect(floor.spread()),
            detectable: detectable.map(|effect| self.effect(effect)),
        };
        (self.tell)(Told::Noise(&noise));
        self.outcome.noise = Some(noise);
        Ok(floor)
    }

    /// One change, until its pairs say something.
    fn change(&mut self, at: usize, switch: &mut dyn Switch, noise: NoiseFloor) -> Result<(), Stop> {
        let middle = self.outcome.noise.map_or(0.0, |noise| noise.figure);
        let worth =
            if self.outcome.is_ratio { self.limits.worth.ln_1p() } else { self.limits.worth * middle.abs() };
        let mut pairs = Pairs::new(self.error, noise);
        let mut is_on = false;
        while pairs.len() < self.limits.most_pairs && self.seconds() < self.limits.most_seconds {
            let first_with = self.coins.coin();
            let mut figures = [0.0; 2];
            for with in [first_with, !first_with] {
                if with != is_on {
                    if with {
                        switch.on()?
                    } else {
                        switch.off()?
                    }
                    is_on = with;
                    self.meter.settle()?;
                }
                let kind = if with { BlockKind::With } else { BlockKind::Without };
                figures[usize::from(with)] = self.block(kind, Some(at))?;
            }
            pairs.push(self.difference(figures[0], figures[1]));
            let interval = pairs.interval();
            let between = (self.effect(interval.0), self.effect(interval.1));
            (self.tell)(Told::Pair(at, pairs.len(), between));
            self.outcome.tried[at] = self.so_far(&pairs, interval);
            if pairs.standing(worth) != Standing::Open {
                break;
            }
        }
        let verdict = self.verdict(pairs.standing(worth));
        let tried = &mut self.outcome.tried[at];
        tried.verdict = Some(verdict);
        if matches!(verdict, Verdict::NoEffect | Verdict::Undecided) {
            tried.detection_limit = tried.low.zip(tried.high).map(|(low, high)| low.abs().max(high.abs()));
        }
        if verdict == Verdict::Undecided {
            // One more at least, where the pairs that there were came out worse than the noise is.
            tried.pairs_needed = pairs.needed(worth).map(|needed| needed.max(pairs.len() + 1));
            tried.noise_needed = pairs.noise_needed(worth).filter(|part| *part < 1.0);
        }
        Ok(())
    }

    fn so_far(&self, pairs: &Pairs, (low, high): (f64, f64)) -> Tried {
        Tried {
            effect: pairs.effect().map(|effect| self.effect(effect)),
            low: low.is_finite().then(|| self.effect(low)),
            high: high.is_finite().then(|| self.effect(high)),
            pairs: pairs.len(),
            ..Tried::default()
        }
    }

    fn verdict(&self, standing: Standing) -> Verdict {
        match (standing, self.limits.goal) {
            (Standing::Above, Goal::Higher) | (Standing::Below, Goal::Lower) => Verdict::Helped,
            (Standing::Above, Goal::Lower) | (Standing::Below, Goal::Higher) => Verdict::Harmed,
            (Standing::Within, _) => Verdict::NoEffect,
            (Standing::Open, _) => Verdict::Undecided,
        }
    }

    /// From a figure to another one, on the scale on which a change adds the same to each.
    fn difference(&self, from: f64, to: f64) -> f64 {
        difference(self.outcome.is_ratio, from, to)
    }

    /// From that scale to a share of the figure.
    fn effect(&self, difference: f64) -> f64 {
        effect(self.outcome.is_ratio, difference)
    }

    fn seconds(&self) -> f64 {
        self.outcome.blocks.iter().map(|block| block.seconds).sum()
    }
}

/// From a figure to another one, on the scale on which a change adds the same to each.
pub(crate) fn difference(is_ratio: bool, from: f64, to: f64) -> f64 {
    if !is_ratio {
        return to - from;
    }
    let most = LARGEST_RATIO.ln();
    match (from > 0.0, to > 0.0) {
        (true, true) => (to / from).ln().clamp(-most, most),
        (true, false) => -most,
        (false, true) => most,
        (false, false) => 0.0,
    }
}

/// From that scale to a share of the figure.
pub(crate) fn effect(is_ratio: bool, difference: f64) -> f64 {
    if is_ratio { difference.exp_m1() } else { difference }
}

/// What pairs without a change show of the noise.
pub(crate) fn noise_floor(is_ratio: bool, figures: &[f64]) -> NoiseFloor {
    let middle = median(&mut figures.to_vec()).unwrap_or(0.0);
    let differences: Vec<f64> =
        figures.chunks_exact(2).map(|pair| difference(is_ratio, pair[0], pair[1])).collect();
    let least = if is_ratio { LEAST_NOISE } else { LEAST_NOISE * middle.abs() };
    NoiseFloor::new(&differences, least)
}
