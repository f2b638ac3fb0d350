//! Healthy machines: nothing of severity warning or worse may be found on them.
//!
//! One file each, one line in [`ALL`]; undone when the [`Load`] is dropped.

mod burst;
mod compile;
mod half_busy;
mod idle;
mod page_cache;

use std::any::Any;

use anyhow::Result;

use crate::needs::Need;

/// Makes one healthy load.
pub struct QuietCase {
    /// Name of the test.
    pub name: &'static str,
    /// What it needs of the machine.
    pub needs: &'static [Need],
    /// Seconds to look for.
    pub seconds: u32,
    /// Starts it; returns when it runs.
    pub make: fn() -> Result<Load>,
}

/// A load that lasts until it is dropped; from first to last.
pub type Load = Vec<Box<dyn Any>>;

/// Seconds to look for where the case says nothing else.
const SECONDS: u32 = 8;

/// All of them, sorted by name.
pub const ALL: &[QuietCase] = &[burst::CASE, compile::CASE, half_busy::CASE, idle::CASE, page_cache::CASE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(ALL.is_sorted_by(|one, next| one.name < next.name));
    }
}
