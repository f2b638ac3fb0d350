//! The ledger: where the time of every task went, counted at every switch.

use heldup_hostfs::Host;
use heldup_model::RowSet;

use crate::error::ProbeError;

/// What can be chosen about the ledger.
#[derive(Clone, Debug, Default)]
pub struct LedgerOptions {}

/// The running ledger; dropping it detaches the programs.
pub struct Ledger {}

/// What one reading brought.
#[derive(Clone, Debug)]
pub struct LedgerReading {
    /// `task_time`, `cpu_time` (increases) and `thread` (totals).
    pub rows: Vec<RowSet>,
    /// Share of the time so far that was seen as it happened, 0 to 1.
    pub coverage: f64,
}

impl Ledger {
    /// Loads and attaches the programs.
    pub fn start(_host: &Host, _options: LedgerOptions) -> Result<Ledger, ProbeError> {
        Err(ProbeError::NotLive { what: "ledger" })
    }
}
