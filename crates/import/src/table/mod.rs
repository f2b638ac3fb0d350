//! Tables of a recording while it is read.

pub mod columns;
pub mod impossible;
pub mod names;
pub mod segment;
pub mod sheet;
pub mod sheets;
pub mod totals;
pub mod unused;
