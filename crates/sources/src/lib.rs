//! Live sources: one file per kernel file or table, a pure `parse(&[u8])` and a thin reader above it.
//!
//! A source never fails and never judges: what it read becomes rows, what was not
//! there becomes [`heldup_model::Missing`] with what would supply it, what was
//! malformed becomes [`heldup_model::Flaw`] with its line, and the rest is still read.

#![warn(missing_docs)]

pub mod delays;
pub mod kernel_text;
mod source;

pub use source::{Cadence, Reading, Source};

/// Every live source, sorted by name. A new source adds its line here; its name is
/// that of its file in `src/` and of its folder in `fixtures/`.
pub fn live() -> Vec<Box<dyn Source>> {
    vec![]
}
