//! Experiments on a made-up machine: verdicts, the order of blocks, and that the change is off after
//! every end.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::cell::{Cell, RefCell};

use heldup_model::{Block, BlockKind, ExperimentEnd, Goal, Verdict};
use heldup_prove::{Guard, Limits, Measured, Meter, Outcome, Stop, Switch, Told, Tried, narrowed_of, run};
use heldup_stats::{Random, at_least};

const LIMITS: Limits = Limits {
    error: 0.01,
    worth: 0.02,
    goal: Goal::Lower,
    seed: 1,
    warm_up: 1,
    noise_pairs: 4,
    most_pairs: 40,
    most_seconds: 1e9,
};

/// A machine with one setting and a load.
struct Machine {
    is_on: Cell<bool>,
    switched: Cell<usize>,
    measured: Cell<usize>,
    /// The block at which something ends the experiment, and how.
    ends: Option<(usize, Stop)>,
    /// Whether the setting cannot be undone.
    stuck: bool,
    noise: RefCell<Random>,
    /// Figure without and with the setting.
    figures: [f64; 2],
    /// Standard deviation of a figure's logarithm, and how much it leans on the last one.
    spread: f64,
    leaning: f64,
    last: Cell<f64>,
}

impl Machine {
    fn new(seed: u64, figures: [f64; 2]) -> Machine {
        Machine {
            is_on: Cell::new(false),
            switched: Cell::new(0),
            measured: Cell::new(0),
            ends: None,
            stuck: false,
            noise: RefCell::new(Random::new(seed)),
            figures,
            spread: 0.03,
            leaning: 0.6,
            last: Cell::new(0.0),
        }
    }

    fn run(&self, limits: &Limits, guards: &[Guard]) -> Outcome {
        let (mut meter, mut switch) = (self, Setting(self));
        run(limits, guards, &mut meter, &mut [&mut switch], &mut |_: Told| {})
    }
}

impl Meter for &Machine {
    fn measure(&mut self) -> Result<Measured, Stop> {
        let at = self.measured.get();
        self.measured.set(at + 1);
        if let Some((_, stop)) = self.ends.as_ref().filter(|(end, _)| *end == at) {
            return Err(stop.clone());
        }
        let mut noise = self.noise.borrow_mut();
        let normal = (-2.0 * noise.uniform().ln()).sqrt() * (std::f64::consts::TAU * noise.uniform()).cos();
        let last = self.leaning * self.last.get() + self.spread * normal;
        self.last.set(last);
        let figure = self.figures[usize::from(self.is_on.get())] * last.exp();
        Ok(Measured { figure, guards: vec![1.0 / figure], seconds: figure, ..Measured::default() })
    }
}

struct Setting<'a>(&'a Machine);

impl Switch for Setting<'_> {
    fn on(&mut self) -> Result<(), Stop> {
        assert!(!self.0.is_on.replace(true), "on twice");
        self.0.switched.set(self.0.switched.get() + 1);
        Ok(())
    }

    fn off(&mut self) -> Result<(), Stop> {
        if self.0.stuck && self.0.is_on.get() {
            return Err(Stop::Failed("modified by someone else".to_owned()));
        }
        self.0.is_on.set(false);
        Ok(())
    }
}

#[test]
fn a_faster_run_is_found_with_its_size() {
    let machine = Machine::new(5, [10.0, 8.0]);
    let found = machine.run(&LIMITS, &[]);
    let tried = &found.tried[0];
    assert_eq!((found.end, tried.verdict), (ExperimentEnd::Done, Some(Verdict::Helped)), "{tried:?}");
    assert!(tried.low.unwrap() <= -0.2 && -0.2 <= tried.high.unwrap(), "{tried:?}");
    assert!(tried.high.unwrap() < 0.0 && tried.pairs <= 15, "{tried:?}");
    assert!(!machine.is_on.get());
    let higher = Limits { goal: Goal::Higher, ..LIMITS };
    let harmed = Machine::new(5, [10.0, 8.0]).run(&higher, &[]);
    assert_eq!(harmed.tried[0].verdict, Some(Verdict::Harmed));
}

/// From the blocks alone the same interval comes out, pair by pair, as was reported while it ran.
#[test]
fn the_interval_is_reckoned_again_from_the_blocks() {
    for (seed, figures) in [(5, [10.0, 8.0]), (3, [10.0, 10.0]), (7, [0.0, 0.0])] {
        let machine = Machine::new(seed, figures);
        let (mut meter, mut switch) = (&machine, Setting(&machine));
        let mut reported: Vec<(f64, f64)> = Vec::new();
        let mut tell = |told: Told| {
            if let Told::Pair(_, _, interval) = told {
                reported.push(interval);
            }
        };
        let found = run(&LIMITS, &[], &mut meter, &mut [&mut switch], &mut tell);
        let again = narrowed_of(&found.blocks, 1, found.is_ratio, LIMITS.error);
        assert_eq!(again.len(), reported.len());
        for (pair, (low, high)) in again.iter().zip(&reported) {
            // A factor of nothing is no end.
            let is_end = |end: &f64| end.is_finite() && !(found.is_ratio && *end == -1.0);
            assert_eq!(pair.low, Some(*low).filter(is_end));
            assert_eq!(pair.high, Some(*high).filter(is_end));
        }
        let (last, tried) = (again.last().unwrap(), &found.tried[0]);
        assert_eq!((last.low, last.high, last.pair), (tried.low, tried.high, tried.pairs as u64));
        // An interval takes eight pairs.
        assert!(again.iter().take(7).all(|pair| pair.low.is_none() && pair.high.is_none()));
    }
}

/// 500 experiments with a change that does nothing, on noise that leans on itself: what a one-sided
/// test of 99 % does not reject at five in a hundred, and the design at one.
#[test]
fn a_change_that_does_nothing_is_rarely_said_to_do_something() {
    let of = 500;
    let mut within = 0;
    let claims = (0..of)
        .filter(|seed| {
            let machine = Machine::new(*seed, [10.0, 10.0]);
            let found = machine.run(&Limits { seed: seed * 7 + 1, most_pairs: 24, ..LIMITS }, &[]);
            let tried = &found.tried[0];
            within += usize::from(tried.detection_limit.is_some_and(|seen| seen < 0.1));
            !matches!(tried.verdict, Some(Verdict::NoEffect | Verdict::Undecided))
        })
        .count() as u64;
    println!("{claims} of {of} claim an effect, {within} rule out one of 10 %");
    assert!(at_least(claims, of, 0.01) >= 0.001 && at_least(claims, of, 0.05) >= 0.01, "{claims} of {of}");
    assert!(within > 450, "{within}");
}

#[test]
fn what_is_not_worth_seeing_ends_it_early() {
    let mut machine = Machine::new(3, [10.0, 10.0]);
    machine.spread = 0.002;
    let found = machine.run(&LIMITS, &[]);
    let tried = &found.tried[0];
    assert_eq!((tried.verdict, tried.pairs_needed), (Some(Verdict::NoEffect), None));
    assert!(tried.pairs < 20 && tried.detection_limit.unwrap() <= 0.021, "{tried:?}");
}

#[test]
fn an_end_at_any_block_leaves_it_off() {
    let stops = [Stop::Interrupted, Stop::Failed("exit status: 1".to_owned())];
    for at in 0..20 {
        for (stop, end) in stops.iter().zip([ExperimentEnd::Interrupted, ExperimentEnd::Failed]) {
            let mut machine = Machine::new(9, [10.0, 10.0]);
            machine.ends = Some((at, stop.clone()));
            let found = machine.run(&LIMITS, &[]);
            assert!(!machine.is_on.get(), "{at} {stop:?}");
            assert_eq!((found.end, found.blocks.len()), (end, at), "{stop:?}");
            assert_eq!(found.tried[0].verdict, None, "{at}");
        }
    }
}

#[test]
fn a_breached_guard_ends_it_at_once() {
    // The guard is the rate, the figure its inverse: slower is better here, down to 9 of 10.
    let guards = ["json:rate>=90%".parse::<Guard>().unwrap()];
    let mut machine = Machine::new(2, [10.0, 15.0]);
    machine.spread = 0.001;
    let found = machine.run(&Limits { goal: Goal::Higher, ..LIMITS }, &guards);
    assert_eq!(found.end, ExperimentEnd::GuardBreached);
    let last = found.blocks.last().unwrap();
    assert_eq!((last.kind, machine.switched.get()), (BlockKind::With, 1));
    assert!(!machine.is_on.get() && found.why.unwrap().contains("json:rate>=90%"));
    // One that is breached without the change says nothing about it: the change is never made.
    let guards = ["json:rate>=5".parse::<Guard>().unwrap()];
    let machine = Machine::new(2, [10.0, 15.0]);
    let found = machine.run(&LIMITS, &guards);
    assert_eq!((found.end, machine.switched.get()), (ExperimentEnd::Failed, 0));
    assert!(found.why.unwrap().contains("in the baseline"));
}

#[test]
fn what_cannot_be_undone_is_said() {
    let mut machine = Machine::new(2, [10.0, 15.0]);
    machine.stuck = true;
    let found = machine.run(&LIMITS, &[]);
    assert_eq!(found.end, ExperimentEnd::Failed);
    assert_eq!(found.not_undone.as_deref(), Some("modified by someone else"));
}

#[test]
fn the_order_is_the_seeds_and_each_pair_has_both() {
    let kinds = |seed| -> Vec<BlockKind> {
        let machine = Machine::new(1, [10.0, 10.0]);
        let found = machine.run(&Limits { seed, worth: 0.0, ..LIMITS }, &[]);
        let of_change: Vec<&Block> = found.blocks.iter().filter(|block| block.change == Some(0)).collect();
        of_change.iter().map(|block| block.kind).collect()
    };
    let (first, other) = (kinds(1), kinds(2));
    assert_eq!(first, kinds(1));
    assert_ne!(first, other);
    assert_eq!(first.len(), 80);
    assert!(first.chunks_exact(2).all(|pair| pair[0] != pair[1]));
    let with_first = first.chunks_exact(2).filter(|pair| pair[0] == BlockKind::With).count();
    assert!((8..=32).contains(&with_first), "{with_first} of 40");
}

#[test]
fn the_budget_ends_it_with_what_could_have_been_seen() {
    let machine = Machine::new(4, [10.0, 10.0]);
    let found = machine.run(&Limits { worth: 0.0, most_pairs: 12, ..LIMITS }, &[]);
    let tried = &found.tried[0];
    assert_eq!((tried.verdict, tried.pairs), (Some(Verdict::Undecided), 12));
    assert_eq!(tried.pairs_needed, None, "where any effect is worth seeing no number is enough");
    let detectable = found.noise.unwrap().detectable.unwrap();
    // What was said before and what came of it, of the same noise.
    let ratio = tried.detection_limit.unwrap() / detectable;
    assert!((0.4..2.5).contains(&ratio), "{ratio}: {tried:?} {detectable}");
    let short = Machine::new(4, [10.0, 10.0]).run(&Limits { most_seconds: 120.0, ..LIMITS }, &[]);
    assert!(short.tried[0].pairs < 4, "{:?}", short.tried);
    assert_eq!((short.tried[0].verdict, short.tried[0].detection_limit), (Some(Verdict::Undecided), None));
    assert!(short.tried[0].pairs_needed.is_some_and(|pairs| pairs >= 8), "{:?}", short.tried);
}

/// As many pairs as were said to be needed are.
#[test]
fn what_is_undecided_says_what_would_decide() {
    let few = Limits { worth: 0.02, most_pairs: 10, ..LIMITS };
    let found = Machine::new(5, [10.0, 10.0]).run(&few, &[]);
    let tried = &found.tried[0];
    assert_eq!(tried.verdict, Some(Verdict::Undecided), "{tried:?}");
    let (needed, part) = (tried.pairs_needed.unwrap(), tried.noise_needed.unwrap());
    assert!(needed > 10 && part < 1.0, "{tried:?}");
    let enough = Limits { most_pairs: 4 * needed, most_seconds: f64::INFINITY, ..few };
    let found = Machine::new(5, [10.0, 10.0]).run(&enough, &[]);
    let tried = &found.tried[0];
    assert_eq!(tried.verdict, Some(Verdict::NoEffect), "{tried:?}");
    assert!((needed / 4..=4 * needed).contains(&tried.pairs), "{needed} were said: {tried:?}");
    let mut quiet = Machine::new(5, [10.0, 10.0]);
    quiet.spread *= part / 2.0;
    let tried = quiet.run(&few, &[]).tried[0].verdict;
    assert_eq!(tried, Some(Verdict::NoEffect), "with {part} of the noise");
}

/// Counts of what is lost are zero most of the time: their differences add up.
#[test]
fn figures_may_be_zero() {
    let mut machine = Machine::new(4, [0.0, 40.0]);
    machine.spread = 0.1;
    let found = machine.run(&LIMITS, &[]);
    assert!(!found.is_ratio);
    let tried = &found.tried[0];
    assert_eq!(tried.verdict, Some(Verdict::Harmed), "{tried:?}");
    assert!(tried.effect.is_some_and(|effect| (30.0..55.0).contains(&effect)), "{tried:?}");
}

/// Three values that do nothing, tried in one experiment: any claim is one too many.
#[test]
fn several_values_share_the_chance_of_an_error() {
    let of = 200;
    let claims = (0..of)
        .filter(|seed| {
            let machine = Machine::new(*seed, [10.0, 10.0]);
            let mut meter = &machine;
            let mut all = [Setting(&machine), Setting(&machine), Setting(&machine)];
            let mut switches: Vec<&mut dyn Switch> =
                all.iter_mut().map(|one| one as &mut dyn Switch).collect();
            let limits = Limits { seed: seed * 3 + 2, most_pairs: 14, ..LIMITS };
            let found = run(&limits, &[], &mut meter, &mut switches, &mut |_: Told| {});
            assert_eq!(found.tried.len(), 3);
            let says_nothing =
                |tried: &Tried| matches!(tried.verdict, Some(Verdict::NoEffect | Verdict::Undecided));
            !found.tried.iter().all(says_nothing)
        })
        .count() as u64;
    assert!(at_least(claims, of, 0.01) >= 0.001, "{claims} of {of}");
}
