//! Who lives and who was on a CPU between two readings.

use super::kind::{LATE, STOPPED};
use super::record::Brief;

/// Time on a CPU from which a process is said to have run in any case: a tenth of what the kernel
/// shows of it.
const SHOWN_NS: u64 = 1_000_000;

/// Who lives, and who was on a CPU between two readings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhoRan {
    /// Processes by number, with their starts where these are known, milliseconds UTC.
    pub alive: Vec<(i64, Option<i64>)>,
    /// Those that were on a CPU, by number; also of those that have ended. Left out is who ran for less than a
    /// millisecond since it was named last, and had no fault, did no I/O and has as much memory.
    pub ran: Vec<i64>,
    /// Those that were on a CPU at all, by number; also of those that have ended.
    pub woke: Vec<i64>,
    /// Number of tasks.
    pub tasks: usize,
}

/// What a task had done when its process was last said to have run; nothing where that is not known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Activity {
    sum: Option<u64>,
    on_cpu_ns: u64,
}

impl Activity {
    /// Of a task that has been on a CPU for so long; what else it did is not known.
    pub(crate) fn after(on_cpu_ns: u64) -> Activity {
        Activity { sum: None, on_cpu_ns }
    }

    /// Whether the task has done something since the last report of the files of its process `pid`, or is
    /// in another state than asleep. Of the other tasks of a process their sum would have to be known.
    pub(crate) fn acted(&mut self, brief: &Brief, pid: u32) -> bool {
        let sleeps = brief.on == 0 && (LATE as u8..STOPPED).contains(&brief.open_kind);
        let acted = !sleeps
            || self.sum != Some(brief.deeds)
            || brief.on_cpu.saturating_sub(self.on_cpu_ns) >= SHOWN_NS
            || brief.tid != pid;
        if acted {
            *self = Activity { sum: Some(brief.deeds), on_cpu_ns: brief.on_cpu };
        }
        acted
    }
}

/// Gathers who was on a CPU between two readings.
#[derive(Default)]
pub(crate) struct RunTracker {
    /// Processes that were on a CPU, and did something there.
    ran: Vec<i64>,
    /// Processes that were on a CPU at all.
    woke: Vec<i64>,
}

impl RunTracker {
    /// Another reading begins.
    pub(crate) fn next_reading(&mut self) {
        self.ran.clear();
        self.woke.clear();
    }

    /// A process was on a CPU.
    pub(crate) fn note_woken(&mut self, pid: u32) {
        self.woke.push(pid.into());
    }

    /// A process did something on a CPU.
    pub(crate) fn note_ran(&mut self, pid: u32) {
        self.ran.push(pid.into());
    }

    /// Who ran, and who lives: `living` has the process of each task, with its start where the task is its first.
    pub(crate) fn who_ran(&mut self, living: impl Iterator<Item = (u32, Option<i64>)>) -> WhoRan {
        let (ran, woke) = (std::mem::take(&mut self.ran), std::mem::take(&mut self.woke));
        let mut who = WhoRan { ran, woke, ..WhoRan::default() };
        for (pid, start_ms) in living {
            who.tasks += 1;
            // Threads of a process follow its first as a rule.
            if who.alive.last().is_none_or(|(last, start)| *last != i64::from(pid) || start.is_none()) {
                who.alive.push((pid.into(), start_ms));
            }
        }
        who.alive.sort_unstable_by_key(|(pid, start_ms)| (*pid, start_ms.is_none()));
        who.alive.dedup_by_key(|(pid, _)| *pid);
        for pids in [&mut who.ran, &mut who.woke] {
            pids.sort_unstable();
            pids.dedup();
        }
        who
    }
}
