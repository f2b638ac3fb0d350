//! Series of known kinds, the same in every run.

// Each test binary uses its own part of this.
#![allow(dead_code)]

use heldup_stats::Random;

/// A sequence of pseudo-random numbers.
pub struct Chance(Random);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(Random::new(seed))
    }

    /// From 0 to 1, without its ends.
    pub fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }

    /// Normal, mean 0, variance 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    /// Exponential, mean 1.
    pub fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }
}

/// How a load behaves that is steady.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Independent samples.
    Independent,
    /// Each leans on the one before with this weight.
    Leaning(f64),
    /// Bursts of several seconds, on a background of small counts.
    Bursts,
    /// Independent, with a variance that does not exist (Pareto, index 1.5).
    HeavyTail,
    /// Independent, log-normal with a spread of 2: a few samples make the mean.
    Skewed,
    /// A count that is mostly zero.
    RareCount,
    /// A job each ten seconds, beginning anywhere.
    Periodic,
    /// One of two levels, changing every twenty seconds in the mean.
    TwoLevels,
}

impl Kind {
    pub const ALL: [Kind; 10] = [
        Kind::Independent,
        Kind::Leaning(0.5),
        Kind::Leaning(0.8),
        Kind::Leaning(0.9),
        Kind::Bursts,
        Kind::HeavyTail,
        Kind::Skewed,
        Kind::RareCount,
        Kind::Periodic,
        Kind::TwoLevels,
    ];

    pub fn series(self, chance: &mut Chance, len: usize) -> Vec<f64> {
        /// Samples after which the start is forgotten.
        const BEFORE: usize = 300;
        let all: Vec<f64> = match self {
            Kind::Independent => (0..len + BEFORE).map(|_| chance.normal()).collect(),
            Kind::Leaning(weight) => {
                let mut now = 0.0;
                (0..len + BEFORE)
                    .map(|_| {
                        now = weight * now + chance.normal();
                        now
                    })
                    .collect()
            }
            Kind::Bursts => bursts(chance, len + BEFORE),
            Kind::HeavyTail => (0..len + BEFORE).map(|_| chance.uniform().powf(-1.0 / 1.5)).collect(),
            Kind::Skewed => (0..len + BEFORE).map(|_| (2.0 * chance.normal()).exp()).collect(),
            Kind::RareCount => {
                (0..len + BEFORE).map(|_| if chance.uniform() < 0.05 { 1.0 } else { 0.0 }).collect()
            }
            Kind::Periodic => {
                let phase = (chance.uniform() * 10.0) as usize;
                (0..len + BEFORE).map(|at| if (at + phase).is_multiple_of(10) { 5.0 } else { 1.0 }).collect()
            }
            Kind::TwoLevels => {
                let mut high = chance.uniform() < 0.5;
                (0..len + BEFORE)
                    .map(|_| {
                        high ^= chance.uniform() < 0.05;
                        f64::from(u8::from(high)) * 5.0 + chance.normal()
                    })
                    .collect()
            }
        };
        all[BEFORE..].to_vec()
    }
}

fn bursts(chance: &mut Chance, len: usize) -> Vec<f64> {
    let mut series: Vec<f64> = (0..len).map(|_| (2.0 * chance.uniform()).floor()).collect();
    for at in 0..len {
        if chance.uniform() < 0.03 {
            let height = 10.0 * chance.exponential();
            let end = (at + 1 + (10.0 * chance.uniform()) as usize).min(len);
            series[at..end].iter_mut().for_each(|value| *value += height);
        }
    }
    series
}
