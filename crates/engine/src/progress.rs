//! Who is told how far work is, and what stands beside the answer.

use std::time::Duration;

/// How far work is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'a> {
    /// The machine was looked at for so long.
    Looked {
        /// Since the first reading.
        so_far: Duration,
        /// The length of the window; none where its end is not known.
        of: Option<Duration>,
    },
    /// So many parts of a work are done.
    Done {
        /// How many.
        count: u64,
        /// Of how many; none where nobody knows yet.
        of: Option<u64>,
        /// What the parts are: `stretches examined`.
        what: &'a str,
    },
    /// A block of an experiment was measured.
    Block {
        /// Its figure, where it is one before any change.
        without: Option<f64>,
    },
    /// What the figure of an experiment is without a change, and how much it varies.
    Noise {
        /// The figure.
        figure: f64,
        /// How much.
        spread: f64,
    },
    /// What pairs have said so far of a change.
    Pair {
        /// Which of the changes.
        change: usize,
        /// How many pairs.
        pairs: usize,
        /// Between which shares of the figure the difference lies.
        low: f64,
        /// As said.
        high: f64,
    },
}

/// A front end while it waits for an answer. Both are called from several threads.
pub trait Progress: Sync {
    /// Work has come so far.
    fn step(&self, _step: Step<'_>) {}
    /// A sentence for the person who asked, which is no part of the answer.
    fn note(&self, _what: &str) {}
}

/// Who does not want to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
