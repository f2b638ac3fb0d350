//! `heldup tune guard --plan N`: undoes a plan that nobody confirms.

use heldup_engine::tune;

use super::undo::exit;
use crate::exit::Exit;

/// Waits for the time of a plan.
pub fn run(plan: u64) -> anyhow::Result<Exit> {
    Ok(exit(&tune::guard(plan)?))
}
