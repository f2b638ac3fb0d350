//! How far an experiment is, on a terminal.

use std::io::{IsTerminal, Write};

use heldup_model::{Block, BlockKind, Noise};
use heldup_prove::Told;
use heldup_report::quantity::{number, percent};

/// Columns of the line.
const COLUMNS: usize = 78;

/// One line on standard error that is written over and over, where that is a terminal.
pub struct TrialProgress {
    shown: bool,
    blocks: usize,
    line: String,
}

impl TrialProgress {
    /// Nothing shown yet.
    pub fn new() -> TrialProgress {
        TrialProgress { shown: std::io::stderr().is_terminal(), blocks: 0, line: "begins".to_owned() }
    }

    /// Shows what is told.
    pub fn tell(&mut self, told: Told) {
        match told {
            Told::Block(Block { kind, figure, .. }) => {
                self.blocks += 1;
                if matches!(kind, BlockKind::WarmUp | BlockKind::Noise) {
                    self.line = format!("without a change: {}", number(*figure));
                }
            }
            Told::Noise(Noise { figure, spread, .. }) => {
                self.line = format!("without a change {} (± {})", number(*figure), number(*spread));
            }
            Told::Pair(change, pairs, (low, high)) => {
                let between = if low.is_finite() && high.is_finite() {
                    format!("between {} and {}", signed(low), signed(high))
                } else {
                    "nothing is refused yet".to_owned()
                };
                self.line = format!("change {}, pair {pairs}: {between}", change + 1);
            }
        }
        self.show();
    }

    fn show(&self) {
        if self.shown {
            let line = format!("block {}: {}", self.blocks, self.line);
            let mut out = std::io::stderr().lock();
            let _ = write!(out, "\r{line:<COLUMNS$.COLUMNS$}");
            let _ = out.flush();
        }
    }
}

fn signed(share: f64) -> String {
    let sign = if share < 0.0 { "-" } else { "+" };
    format!("{sign}{}", percent(share.abs()).replace('\u{a0}', " "))
}

impl Drop for TrialProgress {
    fn drop(&mut self) {
        if self.shown && self.blocks > 0 {
            let _ = write!(std::io::stderr(), "\r{:COLUMNS$}\r", "");
        }
    }
}
