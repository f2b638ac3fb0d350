//! What each counter in the kernel has in common with the others.

use aya::Pod;
use aya::maps::{MapData, PerCpuArray};
use heldup_model::RowSet;

use crate::error::ProbeError;
use crate::loader::Object;
use crate::overhead::ProgramTime;

/// What every counter can do.
pub(crate) trait Counter {
    /// Rows about what was counted since the start or the call before.
    fn read(&mut self) -> Result<RowSet, ProbeError>;
    /// How many things between start and last reading could not be counted, and why, in words.
    fn dropped(&self) -> (u64, &'static str);
    /// Time that the programs took.
    fn program_time(&self) -> ProgramTime;
    /// Whether what it has counted may stay where it is until a later sample, which is asked at each
    /// at which it need not be read.
    fn may_rest(&mut self) -> bool {
        false
    }
    /// When, on the monotonic clock, it wants to be looked after before the next reading.
    fn wants_ns(&self) -> Option<u64> {
        None
    }
    /// Does what it wanted that time for.
    fn look_after(&mut self) -> Result<(), ProbeError> {
        Ok(())
    }
}

/// What bpf/dropped.h counts, of all CPUs.
pub(crate) struct Totals {
    map: PerCpuArray<MapData, CpuTotals>,
    /// At the last reading.
    dropped: u64,
    kept: Option<u64>,
}

/// `struct totals`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct CpuTotals {
    dropped: u64,
    kept: u64,
}

// SAFETY: plain integers without padding; every pattern of bytes is a value.
unsafe impl Pod for CpuTotals {}

impl Totals {
    /// Of the map `totals` of an object.
    pub(crate) fn of(object: &mut Object) -> Result<Totals, ProbeError> {
        Ok(Totals { map: object.take_map("totals")?, dropped: 0, kept: None })
    }

    /// Whether something was counted since this was asked last; true if that is unknown.
    pub(crate) fn have_moved(&mut self) -> bool {
        let Ok(cpus) = self.map.get(&0, 0) else { return true };
        self.dropped = cpus.iter().map(|cpu| cpu.dropped).sum();
        let kept = Some(cpus.iter().map(|cpu| cpu.kept).sum());
        std::mem::replace(&mut self.kept, kept) != kept
    }

    /// What found no place, up to then.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}
