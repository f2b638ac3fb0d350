//! Healthy machines: nothing of severity warning or worse may be found on them.
//!
//! One file each, one line in [`ALL`]; undone when the [`Load`] is dropped.

mod backup;
mod burst;
mod compile;
mod container;
mod half_busy;
mod idle;
mod java_start;
mod low_priority_copy;
mod page_cache;
mod postgres;
mod web_server;

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
/// The same for a steady load that a few samples of a second show whole.
const SHORT_SECONDS: u32 = 5;

/// All of them, sorted by name.
pub const ALL: &[QuietCase] = &[
    backup::CASE,
    burst::CASE,
    compile::CASE,
    container::CASE,
    half_busy::CASE,
    idle::CASE,
    java_start::CASE,
    low_priority_copy::CASE,
    page_cache::CASE,
    postgres::CASE,
    web_server::CASE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(ALL.is_sorted_by(|one, next| one.name < next.name));
    }
}
