//! Live sources: one file per kernel file or table, a pure `parse(&[u8])` and a thin reader above it.

mod source;

pub use source::{Cadence, Reading, Source};
