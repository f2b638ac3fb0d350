//! What a source is, and what it hands over.

use heldup_hostfs::Host;
use heldup_model::{Flaw, Missing, RowSet, TableDef};

/// When a source is read within a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cadence {
    /// At every sample: cheap counters of the whole machine.
    EverySample,
    /// At the start and the end: what costs by the process, and what hardly changes.
    Ends,
    /// Once, at the end.
    Once,
}

/// What one read of a source gave. A source never fails: what it could not read it says.
#[derive(Debug, Default)]
pub struct Reading {
    /// Rows by table.
    pub rows: Vec<RowSet>,
    /// What was not there to be read.
    pub missing: Vec<Missing>,
    /// What went wrong; the rest is in `rows`.
    pub flaws: Vec<Flaw>,
}

/// Something that fills one or more tables from the host.
pub trait Source: Send {
    /// Name: the kernel file that it reads, without its folder.
    fn name(&self) -> &'static str;
    /// Tables that it fills.
    fn tables(&self) -> &'static [&'static TableDef];
    /// When it is read.
    fn cadence(&self) -> Cadence;
    /// Reads once.
    fn read(&mut self, host: &Host) -> Reading;
}
