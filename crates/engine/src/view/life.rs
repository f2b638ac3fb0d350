//! One process over a window.

use heldup_model::{Life, Span};

use super::Viewer;
use crate::error::{Context, Result};

impl Viewer {
    /// One process over a window: what it did, what it waited for, who woke it. Numbers of processes are given again:
    /// its start tells which of them is meant.
    pub fn life(&self, pid: i64, start_ms: Option<i64>, span: Span) -> Result<Life> {
        let who = self.who(span)?;
        let is_it = |process: &heldup_model::SeenProcess| {
            process.pid == pid
                && (start_ms.is_none() || process.start_ms.is_none() || process.start_ms == start_ms)
        };
        let process = who.processes.into_iter().find(is_it);
        let process = process.with_context(|| format!("no process {pid} in this window"))?;
        let threads = who.tasks.into_iter().filter(|task| task.pid == Some(pid)).collect();
        Ok(Life {
            span: who.span,
            process,
            threads,
            frames: Vec::new(),
            waited_for: Vec::new(),
            woken_by: Vec::new(),
        })
    }
}
