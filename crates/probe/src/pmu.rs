//! What the CPUs' hardware counters count, by process: rows of `pmu`.
//!
//! Each event is counted on each CPU, which is exact. Reading all counters at every switch of
//! tasks would say whose the events are, and cost more than the ledger; instead the BPF half
//! (`bpf/pmu.bpf.c`) notes the process at each overflow, some hundred times a second, and what
//! was counted is divided among processes as these samples are.

use std::collections::HashMap;
use std::os::fd::AsFd;

use aya::Pod;
use aya::programs::PerfEvent;
use heldup_hostfs::{CpuEvent, EventCount, EventCounter, Host, HostError};
use heldup_model::tables::PmuRow;
use heldup_model::{RowSet, Text};

use crate::counter::{Counter, Totals};
use crate::error::ProbeError;
use crate::loader::{Object, refused};
use crate::map_drain::DrainedMap;
use crate::needed_types::kernel_types;
use crate::objects;
use crate::overhead::ProgramTime;

/// The constants of bpf/pmu.h.
const EVENTS: usize = 6;
const PROCESSES: usize = 4096;
/// Programs of the object, by event.
const PROGRAMS: [&str; EVENTS] =
    ["on_event_0", "on_event_1", "on_event_2", "on_event_3", "on_event_4", "on_event_5"];
/// Overflows a second, event and CPU: at some 2 µs each, six events cost a tenth of a percent.
/// A prime, so as not to keep step with anything.
const HERTZ: u64 = 89;

/// `PERF_TYPE_HARDWARE` and `PERF_TYPE_HW_CACHE` of linux/perf_event.h.
const HARDWARE: u32 = 0;
const CACHE: u32 = 3;
/// In the order of the columns: cycles, instructions, cache misses, misses of data reads in the
/// TLB (`DTLB | READ << 8 | MISS << 16`), branches, branch misses.
pub(crate) const HARDWARE_EVENTS: [CpuEvent; EVENTS] = [
    CpuEvent { kind: HARDWARE, config: 0 },
    CpuEvent { kind: HARDWARE, config: 1 },
    CpuEvent { kind: HARDWARE, config: 3 },
    CpuEvent { kind: CACHE, config: 0x1_0003 },
    CpuEvent { kind: HARDWARE, config: 4 },
    CpuEvent { kind: HARDWARE, config: 5 },
];

/// Running counters; dropping it ends them.
pub(crate) struct Pmu {
    // Before the object: a counter goes before its program.
    counters: Vec<CpuCounter>,
    object: Object,
    counts: DrainedMap<u32, Count>,
    totals: Totals,
    unsampled: Unsampled,
}

/// Events by CPU that were counted and have no sample yet: the next one stands for them too.
type Unsampled = HashMap<usize, [f64; EVENTS]>;

/// An event on a CPU.
struct CpuCounter {
    event: usize,
    cpu: usize,
    counter: EventCounter,
    before: EventCount,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    periods: [u64; EVENTS],
    samples: [u64; EVENTS],
    comm: [u8; 16],
}

const _: () = assert!(size_of::<Count>() == 16 * EVENTS + 16);

// SAFETY: plain integers without padding; every pattern of bytes is a value.
unsafe impl Pod for Count {}

/// What was counted on a CPU, by event; none where it is not known.
type Counted = [Option<f64>; EVENTS];

impl Pmu {
    /// Counts the hardware's events on every CPU.
    pub(crate) fn start(host: &Host) -> Result<Pmu, ProbeError> {
        Pmu::counting(host, &HARDWARE_EVENTS, HERTZ)
    }

    /// Counts other events in their place, so that machines without hardware counters can test it.
    fn counting(host: &Host, events: &[CpuEvent; EVENTS], hertz: u64) -> Result<Pmu, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "hardware counters" });
        }
        let cpus = cpus(host)?;
        // The first event decides, before anything is loaded.
        let mut counters = on_every_cpu(host, events[0], 0, &cpus, hertz).map_err(without_counters)?;
        let mut object = Object::open("pmu.bpf.o", objects::PMU, Some(kernel_types()?), &[])?;
        let counts = DrainedMap::new(object.take_map("counts")?, PROCESSES)?;
        let totals = Totals::of(&mut object)?;
        for (event, wanted) in events.iter().enumerate().skip(1) {
            // One that this kind of CPU does not have is a column without values.
            counters.extend(on_every_cpu(host, *wanted, event, &cpus, hertz).unwrap_or_default());
        }
        for counter in &counters {
            let name = PROGRAMS[counter.event];
            let program: &mut PerfEvent = object.program(name)?.try_into().map_err(|e| refused(name, &e))?;
            if program.fd().is_err() {
                program.load().map_err(|error| refused(name, &error))?;
            }
            let loaded = program.fd().map_err(|error| refused(name, &error))?;
            counter.counter.begin_with(loaded.as_fd())?;
        }
        Ok(Pmu { counters, object, counts, totals, unsampled: Unsampled::new() })
    }

    /// What each CPU counted since the call before, scaled to the whole time.
    fn counted(&mut self) -> Result<HashMap<usize, Counted>, ProbeError> {
        let mut counted: HashMap<usize, Counted> = HashMap::new();
        for counter in &mut self.counters {
            let now = counter.counter.read()?;
            counted.entry(counter.cpu).or_default()[counter.event] = scaled(&counter.before, &now);
            counter.before = now;
        }
        Ok(counted)
    }
}

/// A counter of one event for each CPU that is online, or why there is none.
fn on_every_cpu(
    host: &Host,
    wanted: CpuEvent,
    event: usize,
    cpus: &[u32],
    hertz: u64,
) -> Result<Vec<CpuCounter>, HostError> {
    let mut counters = Vec::with_capacity(cpus.len());
    for &cpu in cpus {
        match host.event_counter(wanted, cpu, hertz) {
            Ok(counter) => {
                let before = EventCount::default();
                counters.push(CpuCounter { event, cpu: cpu as usize, counter, before });
            }
            Err(HostError::Io { source, .. }) if source.raw_os_error() == Some(libc::ENODEV) => {}
            // Counted on some CPUs only (hybrid ones differ), it would be wrong without a word.
            Err(error) => return Err(error),
        }
    }
    Ok(counters)
}

fn without_counters(error: HostError) -> ProbeError {
    match error.is_absent() {
        true => ProbeError::NoCounters,
        false if error.is_denied() => ProbeError::Denied { what: "hardware counters".to_owned() },
        false => error.into(),
    }
}

/// Numbers of the CPUs that exist, online or not.
pub(crate) fn cpus(host: &Host) -> Result<Vec<u32>, ProbeError> {
    let names = host.list("/sys/devices/system/cpu")?;
    Ok(names.iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok()).collect())
}

impl Counter for Pmu {
    fn read(&mut self) -> Result<RowSet, ProbeError> {
        let mut sampled: Vec<(u32, Vec<Count>)> = Vec::new();
        // Asked for what was dropped alone: samples come all the time.
        self.totals.have_moved();
        self.counts.drain_cpus(|pid, cpus| sampled.push((*pid, cpus.to_vec())))?;
        let counted = self.counted()?;
        let mut rows = shared_out(&sampled, &counted, &mut self.unsampled);
        rows.sort_unstable_by_key(|row| row.pid);
        Ok(RowSet::increases(rows))
    }

    fn dropped(&self) -> (u64, &'static str) {
        (self.totals.dropped(), "samples lost: buffer full")
    }

    fn program_time(&self) -> ProgramTime {
        self.object.program_time()
    }
}

/// Events between two readings, as if the event had had a counter all the time. None where it
/// had none at all: how many there were is then unknown.
fn scaled(before: &EventCount, now: &EventCount) -> Option<f64> {
    let events = now.events.checked_sub(before.events)? as f64;
    let enabled = now.enabled_ns.checked_sub(before.enabled_ns)? as f64;
    let running = now.running_ns.checked_sub(before.running_ns)? as f64;
    (running > 0.0).then(|| events * (enabled / running).max(1.0))
}

/// Divides what each CPU counted among the processes as the events are that its samples stand
/// for. What was not counted on one CPU is not known of any process. What was counted before the
/// first sample is divided with the next that comes, since a sample stands for the events since the
/// one before: a rare event may have none for many readings.
fn shared_out(
    sampled: &[(u32, Vec<Count>)],
    counted: &HashMap<usize, Counted>,
    unsampled: &mut Unsampled,
) -> Vec<PmuRow> {
    let known: [bool; EVENTS] =
        std::array::from_fn(|event| !counted.is_empty() && counted.values().all(|cpu| cpu[event].is_some()));
    // Events of a CPU for each event that a sample stands for: 1, but for lost samples and turns.
    let mut rates: HashMap<usize, [f64; EVENTS]> = HashMap::new();
    for (cpu, events) in counted {
        let left = unsampled.entry(*cpu).or_default();
        rates.insert(
            *cpu,
            std::array::from_fn(|event| {
                let stand_for =
                    |(_, cpus): &(u32, Vec<Count>)| cpus.get(*cpu).map_or(0, |c| c.periods[event]);
                let all: u64 = sampled.iter().map(stand_for).sum();
                let events = left[event] + events[event].unwrap_or(0.0);
                left[event] = if all > 0 { 0.0 } else { events };
                if all > 0 { events / all as f64 } else { 0.0 }
            }),
        );
    }
    // The idle tasks take their share of what was counted, and are no process.
    sampled.iter().filter(|(pid, _)| *pid != 0).map(|(pid, cpus)| row(*pid, cpus, &rates, &known)).collect()
}

fn row(pid: u32, cpus: &[Count], rates: &HashMap<usize, [f64; EVENTS]>, known: &[bool; EVENTS]) -> PmuRow {
    let of = |event: usize| {
        let on = |(cpu, count): (usize, &Count)| {
            rates.get(&cpu).map_or(0.0, |rates| rates[event] * count.periods[event] as f64)
        };
        known[event].then(|| cpus.iter().enumerate().map(on).sum::<f64>().round() as i64)
    };
    let samples: u64 = cpus.iter().flat_map(|count| count.samples).sum();
    PmuRow {
        pid: Some(i64::from(pid)),
        name: cpus.iter().find_map(|count| name(&count.comm)),
        cycles: of(0),
        instructions: of(1),
        llc_misses: of(2),
        tlb_misses: of(3),
        branches: of(4),
        branch_misses: of(5),
        samples: Some(samples as i64),
    }
}

fn name(comm: &[u8; 16]) -> Option<Text> {
    let end = comm.iter().position(|byte| *byte == 0).unwrap_or(comm.len());
    (end > 0).then(|| String::from_utf8_lossy(&comm[..end]).into())
}

#[cfg(test)]
mod tests {
    use heldup_hostfs::{cpu_time_ns, is_root, own_pid};

    use super::*;

    fn count(events: u64, enabled_ns: u64, running_ns: u64) -> EventCount {
        EventCount { events, enabled_ns, running_ns }
    }

    #[test]
    fn an_event_that_took_turns_is_scaled_to_the_whole_time() {
        let before = count(1000, 1_000, 500);
        assert_eq!(scaled(&before, &count(1600, 2_000, 1_500)), Some(600.0), "a counter all the time");
        assert_eq!(scaled(&before, &count(1600, 2_000, 750)), Some(2400.0), "a quarter of the time");
        assert_eq!(scaled(&before, &count(1000, 2_000, 500)), None, "never: unknown, not none");
        assert_eq!(scaled(&before, &count(999, 2_000, 900)), None, "another counter");
        assert_eq!(scaled(&count(0, 0, 0), &count(7, 99, 100)), Some(7.0), "clocks read one after the other");
    }

    fn sampled(pid: u32, comm: &[u8], by_cpu: &[[u64; EVENTS]]) -> (u32, Vec<Count>) {
        let mut text = [0; 16];
        text[..comm.len()].copy_from_slice(comm);
        let count = |periods: &[u64; EVENTS]| Count {
            periods: *periods,
            samples: periods.map(|period| u64::from(period > 0)),
            comm: if periods[0] > 0 { text } else { [0; 16] },
        };
        (pid, by_cpu.iter().map(count).collect())
    }

    #[test]
    fn what_the_cpus_counted_is_divided_as_the_samples_are() {
        let sampled = [
            sampled(0, b"swapper/0", &[[100, 0, 0, 0, 0, 0], [0; EVENTS]]),
            sampled(7, b"busy", &[[300, 40, 0, 0, 0, 0], [500, 0, 0, 0, 9, 0]]),
            sampled(8, b"other", &[[0; EVENTS], [500, 10, 0, 0, 0, 0]]),
        ];
        let counted = HashMap::from([
            (0, [Some(800.0), Some(40.0), Some(5.0), None, Some(0.0), Some(1.0)]),
            (1, [Some(1000.0), Some(20.0), Some(0.0), Some(3.0), Some(18.0), Some(1.0)]),
        ]);
        let rows = shared_out(&sampled, &counted, &mut Unsampled::new());
        let [busy, other] = &rows[..] else { panic!("{rows:?}") };
        // Three quarters of CPU 0, half of CPU 1.
        assert_eq!((busy.pid, busy.name.as_deref(), busy.cycles), (Some(7), Some("busy"), Some(1100)));
        assert_eq!((other.name.as_deref(), other.cycles, other.samples), (Some("other"), Some(500), Some(2)));
        assert_eq!((busy.instructions, other.instructions), (Some(40), Some(20)));
        assert_eq!((busy.branches, busy.llc_misses), (Some(18), Some(0)));
        assert_eq!((busy.tlb_misses, other.tlb_misses), (None, None), "not counted on CPU 0");
    }

    #[test]
    fn what_no_sample_stands_for_yet_goes_with_the_next() {
        let counted = |misses: f64| HashMap::from([(0, [Some(100.0), None, Some(misses), None, None, None])]);
        let mut unsampled = Unsampled::new();
        let cycles = [sampled(7, b"busy", &[[100, 0, 0, 0, 0, 0]])];
        let rows = shared_out(&cycles, &counted(30.0), &mut unsampled);
        assert_eq!((rows[0].cycles, rows[0].llc_misses), (Some(100), Some(0)));
        let rows = shared_out(&cycles, &counted(20.0), &mut unsampled);
        assert_eq!(rows[0].llc_misses, Some(0));
        let both = [sampled(7, b"busy", &[[100, 0, 60, 0, 0, 0]])];
        let rows = shared_out(&both, &counted(10.0), &mut unsampled);
        assert_eq!(rows[0].llc_misses, Some(60), "30 and 20 before, 10 since");
        let rows = shared_out(&both, &counted(5.0), &mut unsampled);
        assert_eq!(rows[0].llc_misses, Some(5), "once only");
    }

    #[test]
    fn sizes_are_those_of_the_header() {
        let header = include_str!("../../../bpf/pmu.h");
        assert!(header.contains(&format!("#define PMU_EVENTS {EVENTS}\n")));
        assert!(header.contains(&format!("#define PMU_PROCESSES {PROCESSES} ")));
    }

    #[test]
    fn a_recorded_host_has_no_counters() {
        let error = Pmu::start(&Host::recorded("/nowhere")).err();
        assert!(matches!(error, Some(ProbeError::NotLive { .. })));
    }

    /// Page faults of this process, by the kernel's own count of it.
    fn faults() -> i64 {
        // SAFETY: all zeroes is a value of this plain structure.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: `usage` is valid to write.
        unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
        usage.ru_minflt + usage.ru_majflt
    }

    /// Events of the kernel's own (`PERF_TYPE_SOFTWARE`) go the same way as the hardware's; the
    /// first is page faults, which the kernel also counts by process.
    #[test]
    fn page_faults_are_those_that_the_kernel_counts_for_the_process() {
        if !is_root() {
            return heldup_skip::skipped("counting on every CPU needs root");
        }
        const PAGES: usize = 50_000;
        // Faults of alignment, faults that are emulated, and an event that never happens.
        let software = [2, 7, 8, 9, 9, 9].map(|config| CpuEvent { kind: 1, config });
        let mut pmu = Pmu::counting(&Host::live(), &software, 997).expect("software events");
        pmu.read().expect("the base");
        // The kernel needs a while to find out how many faults make that many samples a second: a
        // count of few samples says little, and the next is taken of twice the time.
        let mut before = faults();
        for cpu_ms in [500, 1_000, 2_000, 4_000, 8_000] {
            let until_ns = cpu_time_ns() + cpu_ms * 1_000_000;
            while cpu_time_ns() < until_ns {
                let mut memory = vec![0_u8; PAGES * 4096];
                memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
                assert_eq!(std::hint::black_box(&memory)[4096], 1);
            }
            let counted = pmu.read().expect("what was counted");
            let pids = counted.ints("pid");
            // Without a sample it is counted with the next reading.
            let Some(own) = pids.iter().position(|pid| *pid == Some(own_pid())) else { continue };
            let true_faults = (faults() - before) as f64;
            before = faults();
            let (found, samples) = (counted.ints("cycles")[own], counted.ints("samples")[own]);
            let (found, samples) = (found.expect("a count") as f64, samples.expect("samples") as f64);
            let off = (found / true_faults - 1.0).abs();
            println!("{true_faults} faults, {found} counted by {samples} samples, {off:.3} off");
            if samples > 25.0 {
                // Five standard errors.
                assert!(off < 5.0 / samples.sqrt(), "{true_faults} faults, {found} counted");
                return;
            }
        }
        panic!("never more than 25 samples");
    }
}
