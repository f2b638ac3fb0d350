//! Counters that the kernel does not keep itself: each is an object of its own, loaded beside
//! the ledger, and one that the kernel refuses is missing without harm to the others.

use heldup_hostfs::{Host, recorded_s};
use heldup_model::{Flaw, Missing, RowSet};

use crate::block_latency::BlockLatency;
use crate::calls::Calls;
use crate::counter::Counter;
use crate::error::ProbeError;
use crate::failed_calls::FailedCalls;
use crate::memory_event::MemoryEvents;
use crate::net_drop::NetDrop;
use crate::overhead::ProgramTime;
use crate::pmu::Pmu;

/// A recorder reads this seldom what may rest.
const REST_NS: u64 = 10_000_000_000;
/// Samples lie this close to their times.
const EARLY_NS: u64 = 100_000_000;

/// Rows of one table.
#[derive(Clone, Debug)]
pub struct CountedRows {
    /// The rows; their counters are increases.
    pub rows: RowSet,
    /// Length of the interval that they are about, in seconds.
    pub secs: f64,
}

/// Running counters; dropping them detaches their programs.
pub struct KernelCounters {
    counters: Vec<Running>,
    /// The first reading is the base.
    based: bool,
}

struct Running {
    table: &'static str,
    counter: Box<dyn Counter>,
    /// Said that something was not counted.
    said: bool,
    /// When it was read for a recorder, on the monotonic clock.
    read_ns: Option<u64>,
}

impl Running {
    /// What was counted since the reading before; none where that cannot be read.
    fn read(&mut self, flaws: &mut Vec<Flaw>) -> Option<RowSet> {
        let place = self.table.to_owned();
        let rows = self.counter.read();
        let rows = rows.map_err(|error| flaws.push(Flaw { place: place.clone(), what: error.to_string() }));
        let (dropped, why) = self.counter.dropped();
        if dropped > 0 && !std::mem::replace(&mut self.said, true) {
            flaws.push(Flaw { place, what: format!("incomplete counts: {why}") });
        }
        rows.ok()
    }

    fn rests(&mut self, now_ns: u64) -> bool {
        let is_due = self.read_ns.is_none_or(|read_ns| now_ns + EARLY_NS >= read_ns + REST_NS);
        !is_due && self.counter.may_rest()
    }
}

impl KernelCounters {
    /// None at all: where nobody asked for eBPF.
    pub fn none() -> KernelCounters {
        KernelCounters { counters: Vec::new(), based: false }
    }

    /// Starts what the kernel allows, and says what it does not. `own_pid` is the machine's
    /// number of this program ([`crate::Ledger::own_pid`]), whose calls make no rows.
    pub fn start(host: &Host, own_pid: i64, missing: &mut Vec<Missing>) -> KernelCounters {
        let mut started = KernelCounters::none();
        started.add("block_latency", BlockLatency::start(host), missing);
        started.add("memory_event", MemoryEvents::start(host), missing);
        started.add("net_drop", NetDrop::start(host), missing);
        started.add("pmu", Pmu::start(host), missing);
        started.add("system_call", Calls::start(host, own_pid), missing);
        started
    }

    /// What the kernel counts without eBPF: calls that fail on a limit.
    pub fn without_programs(host: &Host, missing: &mut Vec<Missing>) -> KernelCounters {
        let mut started = KernelCounters::none();
        started.add("system_call", FailedCalls::start(host), missing);
        started
    }

    fn add<C: Counter + 'static>(
        &mut self,
        table: &'static str,
        counter: Result<C, ProbeError>,
        missing: &mut Vec<Missing>,
    ) {
        match counter {
            Ok(counter) => {
                self.counters.push(Running { table, counter: Box::new(counter), said: false, read_ns: None })
            }
            Err(error) => missing.push(Missing {
                what: table.to_owned(),
                why: error.to_string(),
                how: error.remedy().to_owned(),
            }),
        }
    }

    /// Rows of each table: what was counted since the reading before. The first reading is the
    /// base and has none.
    pub fn read(&mut self, flaws: &mut Vec<Flaw>) -> Vec<RowSet> {
        let rows = self.counters.iter_mut().filter_map(|running| running.read(flaws)).collect();
        match std::mem::replace(&mut self.based, true) {
            true => rows,
            false => Vec::new(),
        }
    }

    /// The same for a recorder, at a sample that is taken at `now_ns` of the monotonic clock: what can stay in the
    /// kernel meanwhile is read every ten seconds.
    pub fn follow(&mut self, now_ns: u64, flaws: &mut Vec<Flaw>) -> Vec<CountedRows> {
        let mut counted = Vec::new();
        for running in &mut self.counters {
            if running.rests(now_ns) {
                continue;
            }
            let Some(rows) = running.read(flaws) else { continue };
            let before_ns = running.read_ns.replace(now_ns);
            counted
                .extend(before_ns.map(|before_ns| CountedRows { rows, secs: recorded_s(before_ns, now_ns) }));
        }
        counted
    }

    /// When, on the monotonic clock, [`KernelCounters::look_after`] wants to be called.
    pub fn want_ns(&self) -> Option<u64> {
        self.counters.iter().filter_map(|running| running.counter.wants_ns()).min()
    }

    /// Lets counters that cost too much rest before the next reading.
    pub fn look_after(&mut self, flaws: &mut Vec<Flaw>) {
        for running in &mut self.counters {
            if let Err(error) = running.counter.look_after() {
                flaws.push(Flaw { place: running.table.to_owned(), what: error.to_string() });
            }
        }
    }

    /// Time that all programs took.
    pub fn program_time(&self) -> ProgramTime {
        self.counters.iter().map(|running| running.counter.program_time()).sum()
    }
}
