//! What our own eBPF programs take of the time of those in whose way they are: read from what they time
//! of themselves (`bpf/overhead.h`), and from what the kernel counts where it is asked to.
//!
//! Iterators run in this program's own calls: theirs is part of its CPU time and not reported here.

use std::iter::Sum;
use std::ops::Add;
use std::sync::OnceLock;

use aya::Pod;
use aya::maps::{MapData, PerCpuArray};

/// `OVERHEAD_PROGRAMS`.
const PROGRAMS: usize = 8;

/// Run time of programs since they were loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramTime {
    /// By the runs that the programs time, in nanoseconds; none where there is no program.
    pub estimated_ns: Option<u64>,
    /// As the kernel counts it (`kernel.bpf_stats_enabled`, or [`crate::RunTimeCount`]), which takes two readings
    /// of the clock a run; none where it does not.
    pub counted_ns: Option<u64>,
}

impl Add for ProgramTime {
    type Output = ProgramTime;

    fn add(self, other: ProgramTime) -> ProgramTime {
        let both = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).reduce(|a, b| a + b);
        ProgramTime {
            estimated_ns: both(self.estimated_ns, other.estimated_ns),
            counted_ns: both(self.counted_ns, other.counted_ns),
        }
    }
}

impl Sum for ProgramTime {
    fn sum<I: Iterator<Item = ProgramTime>>(all: I) -> ProgramTime {
        all.fold(ProgramTime::default(), Add::add)
    }
}

/// What a run takes beside what the program times of itself: the way in, the lookup of its numbers, and the way
/// out. Of objects that did not learn it from their own runs: what the first that did has learnt.
static UNTIMED_NS: OnceLock<f64> = OnceLock::new();

/// Whether estimates have all of each run; else they leave out the way in and out, 20 to 60 ns.
pub fn estimates_are_whole() -> bool {
    UNTIMED_NS.get().is_some()
}

/// Totals of the programs of an object, as the kernel counts them and by themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) runs: u64,
    pub(crate) counted_ns: u64,
    pub(crate) timed_ns: u64,
}

/// From bursts of runs between each two readings. The middle of them counts: whatever interrupts a run is in the
/// kernel's count, and not in the programs' own.
fn untimed_ns(readings: &[Counted]) -> Option<f64> {
    let of_burst = |pair: &[Counted]| {
        let [before, after] = pair else { return None };
        let runs = after.runs.checked_sub(before.runs).filter(|runs| *runs > 0)?;
        let counted_ns = after.counted_ns.checked_sub(before.counted_ns)? as f64;
        let timed_ns = after.timed_ns.checked_sub(before.timed_ns)? as f64;
        Some((counted_ns - timed_ns) / runs as f64)
    };
    let mut all: Vec<f64> = readings.windows(2).filter_map(of_burst).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).map(|untimed_ns| untimed_ns.max(0.0))
}

/// `struct overhead_of`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct OfProgram {
    runs: u64,
    told: u64,
    ns: u64,
    since: u64,
    timed: u64,
    next: u64,
    drawn_from: u64,
}

/// `struct overhead`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OfCpu {
    of: [OfProgram; PROGRAMS],
}

// SAFETY: plain integers without padding; every pattern of bytes is a value.
unsafe impl Pod for OfCpu {}

/// What the programs of an object time of themselves.
pub(crate) struct Overhead {
    map: PerCpuArray<MapData, OfCpu>,
    /// What was learnt of a run, beside what is timed.
    untimed_ns: Option<f64>,
}

impl Overhead {
    /// The name of the map in every object that has one.
    pub(crate) const MAP: &str = "overhead";

    pub(crate) fn new(map: PerCpuArray<MapData, OfCpu>) -> Overhead {
        Overhead { map, untimed_ns: None }
    }

    /// Estimated run time of all programs on all CPUs, in nanoseconds; none where it cannot be read.
    pub(crate) fn estimated_ns(&self) -> Option<u64> {
        let cpus = self.map.get(&0, 0).ok()?;
        let untimed_ns = self.untimed_ns.or_else(|| UNTIMED_NS.get().copied()).unwrap_or(0.0);
        let programs = cpus.iter().flat_map(|cpu| &cpu.of);
        Some(programs.map(|of| of.timed_ns() + of.runs as f64 * untimed_ns).sum::<f64>() as u64)
    }

    pub(crate) fn learn_untimed(&mut self, readings: &[Counted]) {
        self.untimed_ns = untimed_ns(readings);
        if let Some(untimed_ns) = self.untimed_ns {
            UNTIMED_NS.get_or_init(|| untimed_ns);
        }
    }

    /// Runs of all programs and what they time of themselves, in nanoseconds.
    pub(crate) fn runs_and_timed_ns(&self) -> Option<(u64, u64)> {
        let cpus = self.map.get(&0, 0).ok()?;
        let programs = cpus.iter().flat_map(|cpu| &cpu.of);
        let (runs, ns) = programs.fold((0, 0.0), |(runs, ns), of| (runs + of.runs, ns + of.timed_ns()));
        Some((runs, ns as u64))
    }
}

impl OfProgram {
    /// Runs after the last one that was timed are taken to be like those before.
    fn timed_ns(&self) -> f64 {
        if self.told == 0 { 0.0 } else { self.ns as f64 * (self.runs as f64 / self.told as f64) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_were_not_timed_are_like_the_others() {
        let program = OfProgram { runs: 110, told: 100, ns: 20_000, ..OfProgram::default() };
        assert_eq!(program.timed_ns() as u64, 22_000);
        assert_eq!(OfProgram { runs: 3, ..OfProgram::default() }.timed_ns() as u64, 0);
    }

    #[test]
    fn the_middle_burst_tells_what_is_not_timed() {
        let burst = |before: Counted, counted_ns| Counted {
            runs: before.runs + 100,
            counted_ns: before.counted_ns + counted_ns,
            timed_ns: before.timed_ns + 10_000,
        };
        let mut readings = vec![Counted::default()];
        // An interrupt came into the second.
        for counted_ns in [13_000, 900_000, 13_400] {
            readings.push(burst(readings[readings.len() - 1], counted_ns));
        }
        assert_eq!(untimed_ns(&readings), Some(34.0));
        assert_eq!(untimed_ns(&[Counted::default(); 4]), None, "it did not run");
        assert_eq!(untimed_ns(&[Counted::default(), burst(Counted::default(), 9_000)]), Some(0.0));
    }

    #[test]
    fn what_is_not_known_adds_nothing() {
        let estimated = ProgramTime { estimated_ns: Some(5), counted_ns: None };
        let both = ProgramTime { estimated_ns: Some(7), counted_ns: Some(9) };
        let sum: ProgramTime = [estimated, both, ProgramTime::default()].into_iter().sum();
        assert_eq!(sum, ProgramTime { estimated_ns: Some(12), counted_ns: Some(9) });
    }
}
