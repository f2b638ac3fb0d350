//! How often an experiment with a change that does nothing claims an effect, and how often one
//! that does something is found, and to which side.
//!
//! The rates are in `docs/decisions/0014-experiments.md`; `HELDUP_RUNS=20000` gives them digits.

mod generated;
mod recordings;

use generated::{Chance, Kind};
use heldup_stats::{NoiseFloor, Pairs, Random, Standing, at_least};
use recordings::{MACHINE_AT_WORK, recorded};

const ERROR: f64 = 0.01;
/// Pairs without a change that an experiment begins with.
const NOISE_PAIRS: usize = 4;
/// Pairs that an experiment has at most.
const MOST_PAIRS: usize = 40;
/// Samples that an experiment takes at most.
const SAMPLES: usize = 2 * (NOISE_PAIRS + MOST_PAIRS);

fn runs(usual: usize) -> usize {
    std::env::var("HELDUP_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(usual)
}

/// Samples of one load in the order of time; with the change each is larger by `effect`. How it
/// ended, and after how many pairs.
fn experiment(series: &[f64], effect: f64, worth: f64, coins: &mut Random) -> (Standing, Pairs) {
    let noise: Vec<f64> = series[..2 * NOISE_PAIRS].chunks_exact(2).map(|pair| pair[1] - pair[0]).collect();
    let mut pairs = Pairs::new(ERROR, NoiseFloor::new(&noise, 1e-6));
    for pair in series[2 * NOISE_PAIRS..].chunks_exact(2) {
        let difference = if coins.coin() { pair[1] - pair[0] } else { pair[0] - pair[1] };
        pairs.push(difference + effect);
        let standing = pairs.standing(worth);
        if standing != Standing::Open {
            return (standing, pairs);
        }
    }
    (Standing::Open, pairs)
}

fn is_claim(standing: Standing) -> bool {
    matches!(standing, Standing::Above | Standing::Below)
}

/// What the design allows, and what is asked for: more than one in a hundred would be seen once in
/// a thousand times, and a test of 99 % does not reject one in twenty.
fn is_allowed(claims: u64, of: u64) -> bool {
    at_least(claims, of, ERROR) >= 0.001 && at_least(claims, of, 0.05) >= 0.01
}

#[test]
fn a_change_that_does_nothing_has_no_effect() {
    let (mut chance, mut coins) = (Chance::new(20_261_122), Random::new(1));
    for kind in Kind::ALL {
        let runs = runs(300);
        let claims = (0..runs)
            .filter(|_| is_claim(experiment(&kind.series(&mut chance, SAMPLES), 0.0, 0.0, &mut coins).0))
            .count();
        println!("{:<16} {:.4}", format!("{kind:?}"), claims as f64 / runs as f64);
        assert!(is_allowed(claims as u64, runs as u64), "{kind:?}: {claims} of {runs}");
    }
}

/// 500 experiments on one recorded machine, at work and nobody's: any of its series, from anywhere.
#[test]
fn a_change_that_does_nothing_has_no_effect_on_a_recorded_machine() {
    let all = recorded(MACHINE_AT_WORK);
    let of: Vec<Vec<f64>> = all
        .into_iter()
        .map(|(_, series)| series.into_iter().filter(|value| value.is_finite()).collect::<Vec<f64>>())
        .filter(|series| series.len() > SAMPLES)
        .collect();
    assert!(of.len() >= 15, "{} series", of.len());
    let (mut chance, mut coins) = (Chance::new(7), Random::new(2));
    let runs = runs(500);
    let claims = (0..runs)
        .filter(|at| {
            let series = &of[at % of.len()];
            let start = (chance.uniform() * (series.len() - SAMPLES) as f64) as usize;
            is_claim(experiment(&series[start..start + SAMPLES], 0.0, 0.0, &mut coins).0)
        })
        .count();
    println!("recorded: {claims} of {runs}");
    assert!(is_allowed(claims as u64, runs as u64), "{claims} of {runs}");
}

/// Effects in standard deviations of what drives the series, and the share of experiments that must
/// find them. The sign is never the wrong one, and the interval holds the effect.
#[test]
fn an_effect_is_found_with_its_sign() {
    let (mut chance, mut coins) = (Chance::new(11), Random::new(3));
    for (kind, effect, least) in [
        (Kind::Independent, 4.0, 0.95),
        (Kind::Independent, 1.5, 0.9),
        (Kind::Leaning(0.8), 2.0, 0.95),
        (Kind::Leaning(0.8), -2.0, 0.95),
        (Kind::Skewed, -20.0, 0.95),
        (Kind::HeavyTail, 3.0, 0.95),
        (Kind::Bursts, 5.0, 0.9),
        (Kind::RareCount, 1.0, 0.95),
        (Kind::TwoLevels, 4.0, 0.9),
    ] {
        let runs = runs(100);
        let (mut found, mut wrong, mut outside, mut taken) = (0, 0, 0, 0);
        for _ in 0..runs {
            let series = kind.series(&mut chance, SAMPLES);
            let (standing, pairs) = experiment(&series, effect, 0.0, &mut coins);
            let right = if effect > 0.0 { Standing::Above } else { Standing::Below };
            found += usize::from(standing == right);
            wrong += usize::from(is_claim(standing) && standing != right);
            let (low, high) = pairs.interval();
            outside += u64::from(effect < low || effect > high);
            taken += pairs.len();
        }
        let mean = taken as f64 / runs as f64;
        println!("{kind:?} by {effect}: {found} of {runs} in {mean:.1} pairs, {outside} outside");
        assert!(found as f64 >= least * runs as f64, "{kind:?} by {effect}: {found} of {runs}");
        assert_eq!(wrong, 0, "{kind:?} by {effect}: the wrong sign");
        assert!(is_allowed(outside, runs as u64), "{kind:?} by {effect}: {outside} outside");
    }
}

/// What is not worth seeing ends the experiment before its budget does.
#[test]
fn that_there_is_no_difference_worth_seeing_is_seen() {
    let (mut chance, mut coins) = (Chance::new(13), Random::new(4));
    let ends = (0..100)
        .filter(|_| {
            let series = Kind::Independent.series(&mut chance, SAMPLES);
            experiment(&series, 0.0, 2.5, &mut coins).0 == Standing::Within
        })
        .count();
    println!("within 2.5 deviations: {ends} of 100");
    assert!(ends >= 90, "{ends}");
}
