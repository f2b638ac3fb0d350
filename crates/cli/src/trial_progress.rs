//! How far an experiment is, on a terminal.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use heldup_engine::{Progress, Step};
use heldup_report::harmless;
use heldup_report::quantity::{number, percent};

/// Columns of the line.
const COLUMNS: usize = 78;

/// One line on standard error that is written over and over, where that is a terminal.
pub struct TrialProgress {
    shown: bool,
    now: Mutex<Now>,
}

struct Now {
    blocks: usize,
    line: String,
}

impl TrialProgress {
    /// Nothing shown yet.
    pub fn new() -> TrialProgress {
        let now = Now { blocks: 0, line: "begins".to_owned() };
        TrialProgress { shown: std::io::stderr().is_terminal(), now: Mutex::new(now) }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for TrialProgress {
    fn step(&self, step: Step<'_>) {
        let mut now = self.now();
        match step {
            Step::Block { without } => {
                now.blocks += 1;
                if let Some(figure) = without {
                    now.line = format!("without a change: {}", number(figure));
                }
            }
            Step::Noise { figure, spread } => {
                now.line = format!("without a change {} (± {})", number(figure), number(spread));
            }
            Step::Pair { change, pairs, low, high } => {
                let between = if low.is_finite() && high.is_finite() {
                    format!("between {} and {}", signed(low), signed(high))
                } else {
                    "nothing is refused yet".to_owned()
                };
                now.line = format!("change {}, pair {pairs}: {between}", change + 1);
            }
            Step::Looked { .. } | Step::Done { .. } => return,
        }
        if self.shown {
            let line = format!("block {}: {}", now.blocks, now.line);
            let mut out = std::io::stderr().lock();
            let _ = write!(out, "\r{line:<COLUMNS$.COLUMNS$}");
            let _ = out.flush();
        }
    }

    fn note(&self, what: &str) {
        eprintln!("heldup: {}", harmless(what));
    }
}

fn signed(share: f64) -> String {
    let sign = if share < 0.0 { "-" } else { "+" };
    format!("{sign}{}", percent(share.abs()).replace('\u{a0}', " "))
}

impl Drop for TrialProgress {
    fn drop(&mut self) {
        if self.shown && self.now().blocks > 0 {
            let _ = write!(std::io::stderr(), "\r{:COLUMNS$}\r", "");
        }
    }
}
