//! Memory that processes have to find for themselves: rows of `memory_event`.
//!
//! The BPF half (`bpf/memory.bpf.c`) counts direct reclaim, reclaim at a control group's limit,
//! compaction and throttling by process; this half empties its map at each reading, so that
//! processes that have ended leave nothing behind.

use aya::Pod;
use heldup_hostfs::Host;
use heldup_model::RowSet;
use heldup_model::tables::MemoryEventRow;

use crate::counter::{Counter, Totals};
use crate::error::ProbeError;
use crate::loader::Object;
use crate::map_drain::DrainedMap;
use crate::needed_types::kernel_types;
use crate::objects;
use crate::overhead::ProgramTime;

/// The constants of bpf/memory.h.
const PROCESSES: usize = 4096;
const WORKS: usize = 3;
/// `enum memory_work`.
const DIRECT_RECLAIM: usize = 0;
const GROUP_RECLAIM: usize = 1;
const COMPACTION: usize = 2;

/// A pair of programs: beginning and end of a piece of work.
struct Pair {
    begin: (&'static str, &'static str),
    end: (&'static str, &'static str),
}

/// In the order of `enum memory_work`.
const PAIRS: [Pair; WORKS] = [
    Pair {
        begin: ("on_direct_reclaim", "mm_vmscan_direct_reclaim_begin"),
        end: ("on_direct_reclaim_end", "mm_vmscan_direct_reclaim_end"),
    },
    Pair {
        begin: ("on_group_reclaim", "mm_vmscan_memcg_reclaim_begin"),
        end: ("on_group_reclaim_end", "mm_vmscan_memcg_reclaim_end"),
    },
    Pair { begin: ("on_compaction", "mm_compaction_begin"), end: ("on_compaction_end", "mm_compaction_end") },
];

/// Running counts; dropping it detaches the programs.
pub(crate) struct MemoryEvents {
    object: Object,
    counts: DrainedMap<u32, Counts>,
    totals: Totals,
    seen: Seen,
}

/// What this kernel reports: some are left out when it is built, or came later.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    works: [bool; WORKS],
    throttles: bool,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    times: [u64; WORKS],
    ns: [u64; WORKS],
    pages: [u64; WORKS],
    throttles: u64,
    throttled_us: u64,
    comm: [u8; 16],
}

const _: () = assert!(size_of::<Counts>() == 8 * (3 * WORKS + 2) + 16);

// SAFETY: plain integers without padding; every pattern of bytes is a value.
unsafe impl Pod for Counts {}

impl MemoryEvents {
    /// Loads the programs and attaches those that the kernel has a trace point for.
    pub(crate) fn start(host: &Host) -> Result<MemoryEvents, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "memory events" });
        }
        let mut object = Object::open("memory.bpf.o", objects::MEMORY, Some(kernel_types()?), &[])?;
        let counts = DrainedMap::new(object.take_map("counts")?, PROCESSES)?;
        let totals = Totals::of(&mut object)?;
        let mut seen = Seen::default();
        // Every kernel has direct reclaim: who refuses that one refuses all.
        PAIRS[DIRECT_RECLAIM].attach(&mut object)?;
        seen.works[DIRECT_RECLAIM] = true;
        for work in [GROUP_RECLAIM, COMPACTION] {
            seen.works[work] = PAIRS[work].attach(&mut object).is_ok();
        }
        seen.throttles = object.attach_trace_point("on_throttled", "mm_vmscan_throttled").is_ok();
        Ok(MemoryEvents { object, counts, totals, seen })
    }
}

impl Pair {
    /// The end first: what begins before the end is attached would never end.
    fn attach(&self, object: &mut Object) -> Result<(), ProbeError> {
        object.attach_trace_point(self.end.0, self.end.1)?;
        object.attach_trace_point(self.begin.0, self.begin.1)
    }
}

impl Counter for MemoryEvents {
    fn read(&mut self) -> Result<RowSet, ProbeError> {
        let (seen, mut rows) = (self.seen, Vec::new());
        // Memory is scarce for few seconds of a machine's life; to walk through the map takes 20 µs.
        if self.totals.have_moved() {
            self.counts.drain(|pid, counts| rows.push(row(*pid, counts, seen)))?;
        }
        rows.sort_unstable_by_key(|row| row.pid);
        Ok(RowSet::increases(rows))
    }

    fn dropped(&self) -> (u64, &'static str) {
        (self.totals.dropped(), "too many processes reclaim memory")
    }

    fn program_time(&self) -> ProgramTime {
        self.object.program_time()
    }
}

fn row(pid: u32, counts: &Counts, seen: Seen) -> MemoryEventRow {
    let of = |work: usize, numbers: &[u64; WORKS]| seen.works[work].then_some(numbers[work] as i64);
    let seconds = |work: usize| seen.works[work].then_some(counts.ns[work] as f64 / 1e9);
    let length = counts.comm.iter().position(|byte| *byte == 0).unwrap_or(counts.comm.len());
    MemoryEventRow {
        pid: Some(i64::from(pid)),
        name: Some(String::from_utf8_lossy(&counts.comm[..length]).into()),
        direct_reclaims: of(DIRECT_RECLAIM, &counts.times),
        direct_reclaim_s: seconds(DIRECT_RECLAIM),
        direct_reclaimed_pages: of(DIRECT_RECLAIM, &counts.pages),
        group_reclaims: of(GROUP_RECLAIM, &counts.times),
        group_reclaim_s: seconds(GROUP_RECLAIM),
        group_reclaimed_pages: of(GROUP_RECLAIM, &counts.pages),
        compactions: of(COMPACTION, &counts.times),
        compaction_s: seconds(COMPACTION),
        throttles: seen.throttles.then_some(counts.throttles as i64),
        throttled_s: seen.throttles.then_some(counts.throttled_us as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_does_not_tell_is_not_zero() {
        let counts = Counts {
            times: [2, 3, 4],
            ns: [1_500_000_000, 0, 7_000],
            pages: [64, 32, 0],
            throttles: 5,
            throttled_us: 250_000,
            comm: *b"stress-ng-vm\0xyz",
        };
        let all = Seen { works: [true; WORKS], throttles: true };
        let told = row(7, &counts, all);
        assert_eq!((told.pid, told.name.as_deref()), (Some(7), Some("stress-ng-vm")));
        assert_eq!((told.direct_reclaims, told.direct_reclaim_s), (Some(2), Some(1.5)));
        assert_eq!((told.group_reclaims, told.group_reclaimed_pages), (Some(3), Some(32)));
        assert_eq!((told.compactions, told.compaction_s), (Some(4), Some(0.000_007)));
        assert_eq!((told.throttles, told.throttled_s), (Some(5), Some(0.25)));
        let few = row(7, &counts, Seen { works: [true, false, false], throttles: false });
        assert_eq!((few.direct_reclaims, few.group_reclaims), (Some(2), None));
        assert_eq!((few.compactions, few.compaction_s, few.throttles), (None, None, None));
    }

    #[test]
    fn sizes_are_those_of_the_header() {
        let header = include_str!("../../../bpf/memory.h");
        assert!(header.contains(&format!("#define MEMORY_PROCESSES {PROCESSES} ")));
    }

    #[test]
    fn a_recorded_host_reclaims_nothing() {
        let error = MemoryEvents::start(&Host::recorded("/nowhere")).err();
        assert!(matches!(error, Some(ProbeError::NotLive { .. })));
    }
}
