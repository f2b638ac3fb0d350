//! The parts of `heldup try` on a real machine: what is measured, what is proposed, what came of it.

mod bench;
mod configuration;
mod experiment;
mod proposal;

pub use experiment::{Confirm, Tried, TryRequest, try_changes};
pub use proposal::Proposal;
