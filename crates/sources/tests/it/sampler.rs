//! The sampler over recorded trees that change between the samples.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use heldup_hostfs::Host;
use heldup_model::tables::{CpuTimeRow, MemoryRow, ThreadRow};
use heldup_model::{Capture, Method, Record, RowSet, Stamp, TableDef};
use heldup_sources::{Cadence, ReadContext, Reading, SampleKind, Sampler, Schedule, Source, live};

use crate::recorded::{Tree, show_table};

const SECOND_NS: u64 = 1_000_000_000;

/// Samples a tree once for each change that is made to it before.
fn capture(sources: Vec<Box<dyn Source>>, tree: &Tree, changes: &[&[(&str, &str)]]) -> Capture {
    let mut sampler = Sampler::new(Host::recorded(&tree.root), sources, "box");
    for (at, change) in changes.iter().enumerate() {
        for (path, content) in *change {
            tree.write(path, content.as_bytes());
        }
        let kind = match at {
            0 => SampleKind::First,
            _ if at == changes.len() - 1 => SampleKind::Last,
            _ => SampleKind::Middle,
        };
        sampler.sample(kind, 1000 * at as i64, SECOND_NS * at as u64);
    }
    sampler.into_capture(Method::Ebpf, 0.75)
}

fn only(name: &str) -> Vec<Box<dyn Source>> {
    live().into_iter().filter(|source| source.name() == name).collect()
}

fn flaws(capture: &Capture) -> Vec<String> {
    capture.flaws.iter().map(|flaw| format!("{}: {}", flaw.place, flaw.what)).collect()
}

#[test]
fn totals_become_increases_and_the_first_reading_is_the_base() {
    let capture = capture(
        only("system"),
        &Tree::empty(),
        &[
            &[("/proc/stat", "cpu0 100 0 50 1000 7 0 0 0 0 0\nctxt 500\nprocs_running 2\n")],
            &[("/proc/stat", "cpu0 150 0 60 1040 7 0 0 0 0 0\nctxt 530\nprocs_running 3\n")],
        ],
    );
    let zeros = "irq_s=0 softirq_s=0 steal_s=0 guest_s=0 guest_nice_s=0";
    let row = format!(
        "time=1000 secs=1 cpu_idx=0 user_s=0.5 nice_s=0 system_s=0.1 idle_s=0.4 iowait_s=0 {zeros}\n"
    );
    assert_eq!(show_table(&capture, "cpu"), row);
    assert_eq!(show_table(&capture, "system"), "time=1000 secs=1 runnable=3 context_switches=30\n");
    assert_eq!(flaws(&capture), [""; 0]);
    let missing: Vec<_> = capture.missing.iter().map(|missing| missing.what.as_str()).collect();
    assert_eq!(missing, ["system.load1", "system.uptime_s"], "each once, though read twice");
    assert_eq!((capture.span.since_ms, capture.span.until_ms), (0, 1000));
}

/// Gauges of a file system that is read at both ends, and fills.
fn filling() -> Reading {
    static READ: AtomicI64 = AtomicI64::new(0);
    let row = MemoryRow { free_bytes: Some(READ.fetch_add(1, Relaxed)), ..MemoryRow::default() };
    Reading { rows: vec![RowSet::totals([row])], ..Reading::default() }
}

/// The reading at a turn ends one window and begins the next: nothing is read twice, nothing lost.
#[test]
fn windows_meet_at_a_turn() {
    let tree = Tree::empty();
    let mut sources = only("system");
    sources.push(fake("filling", Cadence::Ends, filling));
    let mut sampler = Sampler::new(Host::recorded(&tree.root), sources, "box");
    let sample = |sampler: &mut Sampler, kind, at: u64, switches| {
        tree.write("/proc/stat", format!("ctxt {switches}\n").as_bytes());
        sampler.sample(kind, 1000 * at as i64, SECOND_NS * at);
    };
    sample(&mut sampler, SampleKind::First, 0, 100);
    sample(&mut sampler, SampleKind::Middle, 1, 110);
    sample(&mut sampler, SampleKind::Turn, 2, 130);
    let one = sampler.end_window(Method::Ebpf, 1.0);
    sample(&mut sampler, SampleKind::Middle, 3, 160);
    sample(&mut sampler, SampleKind::Last, 4, 200);
    let two = sampler.into_capture(Method::Ebpf, 1.0);

    assert_eq!((one.span.since_ms, one.span.until_ms), (0, 2000));
    assert_eq!((two.span.since_ms, two.span.until_ms), (2000, 4000));
    let switches = |at: u64, count| format!("time={at}000 secs=1 context_switches={count}\n");
    assert_eq!(show_table(&one, "system"), switches(1, 10) + &switches(2, 20));
    assert_eq!(show_table(&two, "system"), switches(3, 30) + &switches(4, 40));
    assert_eq!(show_table(&one, "memory"), "time=0 free_bytes=0\ntime=2000 secs=2 free_bytes=1\n");
    assert_eq!(show_table(&two, "memory"), "time=2000 free_bytes=1\ntime=4000 secs=2 free_bytes=2\n");
    assert_eq!(reads_of(&one, "system"), 3);
    assert_eq!(reads_of(&two, "system"), 2, "costs are told by window");
    assert!(!two.missing.is_empty(), "what is missing is missing in each window");
}

fn reads_of(capture: &Capture, source: &str) -> i64 {
    let costs = show_table(capture, "source_cost");
    let line = costs.lines().find(|line| line.contains(&format!("source_name={source} "))).expect(source);
    let reads = line.split(" reads=").nth(1).and_then(|rest| rest.split(' ').next());
    reads.and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn a_counter_that_runs_backwards_is_null_and_said_once() {
    let capture = capture(
        only("system"),
        &Tree::empty(),
        &[
            &[("/proc/stat", "cpu0 10 0 50 1000 70\nctxt 500\n")],
            &[("/proc/stat", "cpu0 20 0 50 1000 60\nctxt 400\n")],
            &[("/proc/stat", "cpu0 30 0 50 1000 60\nctxt 300\n")],
        ],
    );
    let rows = "time=1000 secs=1 cpu_idx=0 user_s=0.1 nice_s=0 system_s=0 idle_s=0\n\
                time=2000 secs=1 cpu_idx=0 user_s=0.1 nice_s=0 system_s=0 idle_s=0 iowait_s=0\n";
    assert_eq!(show_table(&capture, "cpu"), rows, "iowait may run backwards: NULL without a word");
    assert_eq!(show_table(&capture, "system"), "time=1000 secs=1\ntime=2000 secs=1\n");
    assert_eq!(flaws(&capture), ["system.context_switches: ran backwards in 1 row(s); left out (2 times)"]);
}

#[test]
fn a_cpu_that_goes_offline_has_no_row_and_comes_back_without_an_increase() {
    let both = "cpu0 10 0 0 0\ncpu1 10 0 0 0\n";
    let capture = capture(
        only("system"),
        &Tree::empty(),
        &[
            &[("/proc/stat", both)],
            &[("/proc/stat", "cpu0 20 0 0 0\n")],
            &[("/proc/stat", "cpu0 30 0 0 0\ncpu1 12 0 0 0\n")],
        ],
    );
    let rows = "time=1000 secs=1 cpu_idx=0 user_s=0.1 nice_s=0 system_s=0 idle_s=0\n\
                time=2000 secs=1 cpu_idx=0 user_s=0.1 nice_s=0 system_s=0 idle_s=0\n\
                time=2000 secs=1 cpu_idx=1\n";
    assert_eq!(show_table(&capture, "cpu"), rows);
    assert_eq!(flaws(&capture), [""; 0]);
}

#[test]
fn a_damaged_line_between_two_whole_readings_costs_its_own_values_only() {
    let capture = capture(
        only("proc_vmstat"),
        &Tree::empty(),
        &[
            &[("/proc/vmstat", "pgfault 100\npgmajfault 1\n")],
            &[("/proc/vmstat", "pgfault 1x0\npgmajfault 3\n")],
            &[("/proc/vmstat", "pgfault 150\npgmajfault 3\n")],
        ],
    );
    let rows = "time=1000 secs=1 major_faults=2\ntime=2000 secs=1 major_faults=0\n";
    assert_eq!(show_table(&capture, "vmstat"), rows);
    let expected = "/proc/vmstat:1: pgfault: found \"pgfault 1x0\", expected a number from 0 to 2^63-1";
    assert_eq!(flaws(&capture), [expected]);
}

/// A source that does what a test wants.
struct Fake {
    name: &'static str,
    cadence: Cadence,
    read: fn() -> Reading,
}

impl Source for Fake {
    fn name(&self) -> &'static str {
        self.name
    }
    fn tables(&self) -> &'static [&'static TableDef] {
        &[MemoryRow::DEF]
    }
    fn schedule(&self) -> Schedule {
        Schedule::new(self.cadence)
    }
    fn read(&mut self, _: &ReadContext) -> Reading {
        (self.read)()
    }
}

pub fn fake(name: &'static str, cadence: Cadence, read: fn() -> Reading) -> Box<dyn Source> {
    Box::new(Fake { name, cadence, read })
}

pub fn free_memory() -> Reading {
    let row = MemoryRow { free_bytes: Some(7), ..MemoryRow::default() };
    Reading { rows: vec![RowSet::totals([row])], ..Reading::default() }
}

#[test]
fn each_source_is_read_when_it_is_due_and_accounted_for() {
    let sources = vec![
        fake("always", Cadence::EverySample, Reading::default),
        fake("ends", Cadence::Ends, free_memory),
        fake("once", Cadence::Once, Reading::default),
    ];
    let capture = capture(sources, &Tree::empty(), &[&[], &[], &[], &[]]);
    let rows = "time=0 free_bytes=7\ntime=3000 secs=3 free_bytes=7\n";
    assert_eq!(show_table(&capture, "memory"), rows, "gauges of both ends have a row at the start too");
    let costs = show_table(&capture, "source_cost");
    let reads: Vec<Vec<&str>> = costs
        .lines()
        .map(|line| line.split(' ').filter(|cell| !cell.contains("_s=")).skip(1).collect())
        .collect();
    let expected = [
        ["secs=3", "source_name=always", "reads=4", "rows_read=0", "status=ok"],
        ["secs=3", "source_name=ends", "reads=2", "rows_read=2", "status=ok"],
        ["secs=3", "source_name=once", "reads=1", "rows_read=0", "status=ok"],
    ];
    assert_eq!(reads, expected);
}

#[test]
fn a_source_that_panics_is_named_and_the_others_are_read() {
    let sources = vec![
        fake("broken", Cadence::EverySample, || panic!("index out of bounds")),
        fake("whole", Cadence::EverySample, free_memory),
    ];
    let capture = capture(sources, &Tree::empty(), &[&[], &[], &[]]);
    assert_eq!(show_table(&capture, "memory").lines().count(), 2);
    let expected = "source broken: stopped by a defect of its own (index out of bounds); not read any more";
    assert_eq!(flaws(&capture), [expected]);
    let costs = show_table(&capture, "source_cost");
    assert!(
        costs.lines().any(|line| line.contains("broken reads=1") && line.contains("status=failed")),
        "{costs}"
    );
}

#[test]
fn pushed_rows_are_treated_like_those_of_sources() {
    let mut sampler = Sampler::new(Host::recorded("/no-such-tree"), Vec::new(), "box");
    let thread = |voluntary| ThreadRow {
        tid: Some(1),
        start_ms: Some(5),
        voluntary_switches: Some(voluntary),
        ..ThreadRow::default()
    };
    for (at, kind) in [SampleKind::First, SampleKind::Last].into_iter().enumerate() {
        sampler.sample(kind, 2000 * at as i64, 2 * SECOND_NS * at as u64);
        let stamp = sampler.stamp();
        sampler.push(RowSet::totals([thread(10 + 3 * at as i64)]), &stamp);
        if kind == SampleKind::Last {
            let row = CpuTimeRow { cpu_idx: Some(0), busy_s: Some(0.5), ..CpuTimeRow::default() };
            sampler.push(RowSet::increases([row]), &stamp);
        }
    }
    assert_eq!(sampler.window_stamp(), Stamp { time_ms: 2000, secs: Some(2.0), host: "box".into() });
    let capture = sampler.into_capture(Method::Ebpf, 1.0);
    let expected = "time=2000 secs=2 tid=1 start_ms=5 voluntary_switches=3\n";
    assert_eq!(show_table(&capture, "thread"), expected);
    assert_eq!(show_table(&capture, "cpu_time"), "time=2000 secs=2 cpu_idx=0 busy_s=0.5\n");
}

#[test]
fn the_host_is_described_with_the_capture() {
    let tree = Tree::empty();
    let name: &[(&str, &str)] = &[("/proc/sys/kernel/hostname", "box\n")];
    let capture = capture(only("host"), &tree, &[name, &[]]);
    assert_eq!(show_table(&capture, "host"), "time=1000 name=box window_s=1 method=ebpf coverage=0.75\n");
}
