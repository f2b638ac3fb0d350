//! The parts of `heldup try` on a real machine: what is measured, what is proposed, what is written down.

mod bench;
mod configuration;
mod progress;
mod proposal;

pub use bench::{Bench, Load};
pub use configuration::configuration;
pub use progress::TrialProgress;
pub use proposal::{Suffering, confirmed, proposal};
