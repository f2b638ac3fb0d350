//! How often two stretches of one load are said to differ, and how often what differs is found.
//!
//! The rates are in `docs/decisions/0007-comparison.md`; `HELDUP_RUNS=20000` gives them digits.

mod generated;
mod recordings;

use generated::{Chance, Kind};
use heldup_stats::{at_least, benjamini_hochberg, difference, holm};
use recordings::{MACHINE_AT_WORK, recorded};

/// Pairs of each kind. At a true rate of 1 % more than 3 % of 400 are seen once in 2,000 times, and
/// the seeds are fixed.
fn runs() -> usize {
    std::env::var("HELDUP_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(400)
}

fn likeliness(chance: &mut Chance, kind: Kind, len: usize, shift: f64) -> f64 {
    let (one, mut other) = (kind.series(chance, len), kind.series(chance, len));
    other.iter_mut().for_each(|value| *value += shift);
    difference(&one, &other).and_then(|found| found.p).unwrap_or(f64::NAN)
}

#[test]
fn a_load_does_not_differ_from_itself() {
    let mut chance = Chance::new(20_261_121);
    for len in [8, 10, 16, 32, 60, 120, 300] {
        for kind in Kind::ALL {
            let p: Vec<f64> = (0..runs()).map(|_| likeliness(&mut chance, kind, len, 0.0)).collect();
            let rate = |level: f64| p.iter().filter(|p| **p < level).count() as f64 / p.len() as f64;
            let name = format!("{kind:?}");
            println!("{len:4} {name:<14} {:.4} {:.5} {:.6}", rate(0.01), rate(0.001), rate(0.0001));
            // A load that changes its level every twenty seconds is not steady over a minute:
            // no method can know from one level that there is another one.
            let steady = !matches!(kind, Kind::TwoLevels) || len >= 300;
            assert!(!steady || rate(0.01) <= 0.03, "{kind:?} of {len}: {}", rate(0.01));
        }
    }
}

/// What a comparison does: many metrics of mixed kinds, of which none differs.
#[test]
fn many_metrics_at_once_rarely_yield_a_difference() {
    const METRICS: usize = 100;
    let comparisons = runs() / 5;
    let mut chance = Chance::new(7);
    let steady = [
        Kind::Independent,
        Kind::Leaning(0.5),
        Kind::Leaning(0.8),
        Kind::Bursts,
        Kind::HeavyTail,
        Kind::RareCount,
    ];
    let (mut by_holm, mut by_bh) = (0, 0);
    for _ in 0..comparisons {
        let p: Vec<f64> =
            (0..METRICS).map(|at| likeliness(&mut chance, steady[at % steady.len()], 60, 0.0)).collect();
        by_holm += usize::from(holm(&p, 0.01).contains(&true));
        by_bh += usize::from(benjamini_hochberg(&p, 0.01).contains(&true));
    }
    println!(
        "{METRICS} metrics of 60 s, {comparisons} comparisons: holm {by_holm}, benjamini_hochberg {by_bh}"
    );
    assert!(by_holm <= by_bh && by_bh * 100 <= comparisons * 4, "{by_holm}, {by_bh} of {comparisons}");
}

/// Shifts by so many standard deviations of what drives the series, and the share that must be
/// found at the level that a hundred metrics at once leave to one.
#[test]
fn what_differs_is_found() {
    let mut chance = Chance::new(11);
    for (kind, len, shift, least) in [
        (Kind::Independent, 60, 2.0, 0.9),
        (Kind::Independent, 120, 1.0, 0.9),
        (Kind::Leaning(0.5), 60, 5.0, 0.7),
        (Kind::Leaning(0.8), 300, 4.0, 0.7),
        (Kind::RareCount, 60, 1.0, 0.95),
        (Kind::Periodic, 60, 3.0, 0.95),
    ] {
        let found = (0..200).filter(|_| likeliness(&mut chance, kind, len, shift) < 0.0001).count();
        println!("{kind:?} of {len} shifted by {shift}: {found} of 200");
        assert!(found as f64 >= least * 200.0, "{kind:?} of {len} shifted by {shift}: {found} of 200");
    }
}

/// 200 pairs of windows of one recorded machine, at work and nobody's: what `heldup compare` asks
/// of the ledger (Holm) and of metrics (Benjamini and Hochberg). Designed for one false difference in
/// a hundred; rejected is what a test of 99 % rejects at five.
#[test]
fn a_recorded_machine_does_not_differ_from_itself() {
    const PAIRS: u64 = 200;
    let all = recorded(MACHINE_AT_WORK);
    let seconds = all.iter().map(|(_, series)| series.len()).max().unwrap_or(0);
    assert!(seconds >= 280 && all.len() >= 15, "{seconds} s of {} series", all.len());
    let mut chance = Chance::new(20_261_122);
    let mut below = |most: usize| (chance.uniform() * most as f64) as usize;
    let (mut classes, mut metrics) = (0, 0);
    for _ in 0..PAIRS {
        let length = 40 + below(50);
        let first = below(seconds - 2 * length);
        let second = first + length + below(seconds - first - 2 * length);
        let asked = |time: bool| -> Vec<f64> {
            all.iter()
                .filter(|(name, _)| name.starts_with("time.") == time)
                .filter_map(|(_, of)| difference(&of[first..first + length], &of[second..second + length])?.p)
                .collect()
        };
        classes += u64::from(holm(&asked(true), 0.01).contains(&true));
        metrics += u64::from(benjamini_hochberg(&asked(false), 0.01).contains(&true));
    }
    println!("{PAIRS} pairs: {classes} with a class that differs, {metrics} with a metric");
    assert!(at_least(classes, PAIRS, 0.05) >= 0.01, "{classes} of {PAIRS}");
    assert!(at_least(metrics, PAIRS, 0.05) >= 0.01, "{metrics} of {PAIRS}");
}
