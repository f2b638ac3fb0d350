//! The parts of `heldup try` on a real machine: what is measured, what is proposed, what came of it.

mod bench;
mod configuration;
mod experiment;
mod kept;
mod proposal;

pub use experiment::{Confirm, Tried, TryRequest, try_changes};
pub use kept::{EXPERIMENT_FILE, experiment, experiments, experiments_folder};
pub use proposal::Proposal;
