//! What an experiment switches and measures, and why it stops before its end.

use std::collections::BTreeMap;

/// Why an experiment is not brought to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Stop {
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A second figure is beyond its limit.
    #[error("guard {guard}: {figure} with the change, limit {limit}")]
    Guard {
        /// The guard, as it was given.
        guard: String,
        /// Its figure.
        figure: f64,
        /// The limit.
        limit: f64,
    },
    /// The workload failed, gave no figure or took too long; a setting could not be written.
    #[error("{0}")]
    Failed(String),
}

/// One block: a run of a workload, or a stretch of live traffic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// The figure.
    pub figure: f64,
    /// Figures of the guards, in their order.
    pub guards: Vec<f64>,
    /// How long it took.
    pub seconds: f64,
    /// Task-seconds by class, where time is accounted for: of a run, or of a second.
    pub ledger: BTreeMap<String, f64>,
}

/// What is measured.
pub trait Meter {
    /// One block.
    fn measure(&mut self) -> Result<Measured, Stop>;

    /// Lets the machine settle after a switch.
    fn settle(&mut self) -> Result<(), Stop> {
        Ok(())
    }
}

/// A change that can be made and undone any number of times. Both do nothing where it is so
/// already.
pub trait Switch {
    /// Makes it.
    fn on(&mut self) -> Result<(), Stop>;
    /// Takes it back.
    fn off(&mut self) -> Result<(), Stop>;
}
