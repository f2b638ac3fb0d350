//! Phases of generated series, whose phases are known, and of recorded ones.

mod generated;

use std::ops::Range;

use generated::{Chance, Kind};
use heldup_stats::{Phases, phases};

/// A run that rises in a line to `level`, holds it and falls in a line, with this noise on it.
fn run(up: usize, steady: usize, down: usize, level: f64, noise: &[f64]) -> Vec<f64> {
    let rise = (0..up).map(|at| level * at as f64 / up as f64);
    let fall = (0..down).map(|at| level * (1.0 - (at + 1) as f64 / down as f64));
    rise.chain(std::iter::repeat_n(level, steady))
        .chain(fall)
        .zip(noise)
        .map(|(value, noise)| value + noise)
        .collect()
}

fn scaled(chance: &mut Chance, kind: Kind, len: usize, by: f64) -> Vec<f64> {
    kind.series(chance, len).into_iter().map(|value| by * value).collect()
}

/// Which shares of the samples that are called steady are so, and of those that are so are called.
fn agreement(found: &Phases, steady: &Range<usize>) -> (f64, f64) {
    let both = found.steady.clone().filter(|at| steady.contains(at)).count() as f64;
    (both / found.steady.len() as f64, both / steady.len() as f64)
}

#[test]
fn the_phases_of_a_run_are_found_in_noise() {
    let mut chance = Chance::new(3);
    // Level 100: noise of three to ten hundredths of it.
    for (kind, by) in [
        (Kind::Independent, 5.0),
        (Kind::Leaning(0.5), 4.0),
        (Kind::Leaning(0.8), 3.0),
        (Kind::Periodic, 1.0),
    ] {
        for (up, steady, down) in [(30, 90, 15), (0, 90, 30), (30, 90, 0), (100, 600, 50), (300, 1500, 100)] {
            // Ninety samples that lean on each other so much tell as much as ten.
            if matches!(kind, Kind::Leaning(0.8)) && steady < 600 {
                continue;
            }
            let runs = if steady >= 600 { 6 } else { 20 };
            let mut right = 0;
            for _ in 0..runs {
                let noise = scaled(&mut chance, kind, up + steady + down, by);
                let series = run(up, steady, down, 100.0, &noise);
                let Some(found) = phases(&series) else { continue };
                let (called, are) = agreement(&found, &(up..up + steady));
                right += usize::from(called >= 0.85 && are >= 0.85);
            }
            assert!(right * 100 >= runs * 85, "{kind:?} {up} {steady} {down}: {right} of {runs}");
        }
    }
}

#[test]
fn a_steady_load_has_no_ramps() {
    let mut chance = Chance::new(5);
    for kind in [Kind::Independent, Kind::Leaning(0.5), Kind::Leaning(0.8), Kind::Periodic, Kind::RareCount] {
        let mut whole = 0;
        for _ in 0..100 {
            let series: Vec<f64> =
                kind.series(&mut chance, 120).into_iter().map(|value| 50.0 + value).collect();
            whole += usize::from(phases(&series).is_some_and(|found| found.steady.len() >= 110));
        }
        assert!(whole >= 97, "{kind:?}: {whole} of 100");
    }
}

#[test]
fn a_checkpoint_does_not_end_the_steady_phase() {
    let mut chance = Chance::new(9);
    let noise = scaled(&mut chance, Kind::Independent, 140, 3.0);
    let mut series = run(20, 110, 10, 100.0, &noise);
    series[60..66].iter_mut().for_each(|value| *value *= 0.3);
    series[90] = 900.0;
    let found = phases(&series).expect("a steady phase");
    let (called, are) = agreement(&found, &(20..130));
    assert!(called >= 0.85 && are >= 0.95, "{found:?}");
    assert!((found.level - 100.0).abs() < 3.0, "{found:?}");
}

#[test]
fn steps_of_a_rise_are_ramp_up() {
    // A user more each ten seconds, as load generators do it.
    let series: Vec<f64> =
        (0..200).map(|at: i32| f64::from((at / 10 + 1).min(8)) * 50.0 + f64::from(at % 3)).collect();
    let found = phases(&series).expect("a steady phase");
    assert_eq!((found.ramp_up.clone(), found.ramp_down.clone()), (0..70, 200..200));
}

#[test]
fn what_never_holds_a_level_has_no_steady_phase() {
    let line: Vec<f64> = (0..200).map(f64::from).collect();
    assert_eq!(phases(&line), None);
    let stairs: Vec<f64> = (0..200).map(|at| f64::from(at / 40) * 100.0).collect();
    assert_eq!(phases(&stairs), None);
}

/// Column `at` of a recorded series.
fn recorded(text: &str, at: usize) -> Vec<f64> {
    text.lines().skip(1).filter_map(|line| line.split(',').nth(at)?.parse().ok()).collect()
}

#[test]
fn a_recorded_run() {
    let text = include_str!("recorded/debian12-6.18-four-workers-on-a-contended-machine.csv");
    let (load, wanted) = (recorded(text, 1), recorded(text, 2));
    assert_eq!((load.len(), wanted.len()), (66, 66));
    // The load began in second 6, was whole in 15, began to end in 52 and had ended in 58.
    let found = phases(&load).expect("a steady phase");
    assert!((6..=18).contains(&found.steady.start), "{found:?}");
    assert!((50..=58).contains(&found.steady.end), "{found:?}");
    // Beside all else that the machine did it was a thirtieth.
    assert_eq!(phases(&wanted).expect("a steady phase").steady, 0..66);
}

#[test]
fn odd_series_are_answered() {
    assert_eq!(phases(&[]), None);
    assert_eq!(phases(&[1.0; 15]), None);
    let mut broken = [1.0; 40];
    broken[3] = f64::NAN;
    assert_eq!(phases(&broken), None);
    for constant in [0.0, 1e-300, -5.0, 1e300] {
        let found = phases(&[constant; 40]).expect("a level");
        assert_eq!((found.steady, found.level), (0..40, constant));
    }
}
