//! The ledger on the running machine. These tests need root and say so when they are skipped.

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::sleep;
use std::time::Duration;

use heldup_hostfs::{Host, is_root, monotonic_ns, own_pid};
use heldup_model::{Cells, RowSet};
use heldup_probe::{Ledger, LedgerOptions, LedgerReading};

/// One ledger at a time: two of them would measure each other.
static ONE: Mutex<()> = Mutex::new(());

fn skipped(what: &str) -> bool {
    if !is_root() {
        eprintln!("SKIPPED {what}: needs root to load eBPF programs");
    }
    !is_root()
}

fn ints(set: &RowSet, column: &str) -> Vec<Option<i64>> {
    match &set.cells[set.def.position(column).expect(column)] {
        Cells::Int(v) => v.clone(),
        other => panic!("{column}: {other:?}"),
    }
}

fn floats(set: &RowSet, column: &str) -> Vec<f64> {
    match &set.cells[set.def.position(column).expect(column)] {
        Cells::Float(v) => v.iter().map(|value| value.expect(column)).collect(),
        other => panic!("{column}: {other:?}"),
    }
}

fn texts(set: &RowSet, column: &str) -> Vec<String> {
    match &set.cells[set.def.position(column).expect(column)] {
        Cells::Text(v) => v.iter().map(|t| t.as_deref().unwrap_or("").to_owned()).collect(),
        other => panic!("{column}: {other:?}"),
    }
}

fn table<'a>(reading: &'a LedgerReading, name: &str) -> &'a RowSet {
    reading.rows.iter().find(|set| set.def.name == name).expect(name)
}

/// Seconds by thread name and class.
fn by_name(reading: &LedgerReading) -> HashMap<(String, String), f64> {
    let set = table(reading, "task_time");
    let keys = texts(set, "name").into_iter().zip(texts(set, "class_name"));
    let mut sums = HashMap::new();
    for (key, seconds) in keys.zip(floats(set, "seconds")) {
        *sums.entry(key).or_insert(0.0) += seconds;
    }
    sums
}

#[test]
fn time_is_conserved_for_every_task_and_cpu() {
    if skipped("time_is_conserved_for_every_task_and_cpu") {
        return;
    }
    let _one = ONE.lock();
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    let base = ledger.read().expect("base");
    assert_eq!(table(&base, "task_time").len, 0);
    assert!(table(&base, "thread").len > 10);
    let from = monotonic_ns();
    sleep(Duration::from_secs(2));
    let reading = ledger.read().expect("reading");
    let window = (monotonic_ns() - from) as f64 / 1e9;

    let set = table(&reading, "task_time");
    let mut tasks: HashMap<Option<i64>, f64> = HashMap::new();
    for (tid, seconds) in ints(set, "tid").into_iter().zip(floats(set, "seconds")) {
        *tasks.entry(tid).or_default() += seconds;
    }
    let own = tasks[&Some(own_pid())];
    assert!((own / window - 1.0).abs() < 0.005, "own time {own} of {window}");
    let longest = tasks.values().copied().fold(0.0, f64::max);
    assert!(longest <= window * 1.005, "a task with {longest} s in {window} s");

    let cpus = table(&reading, "cpu_time");
    assert!(cpus.len > 0);
    for (busy, idle) in floats(cpus, "busy_s").into_iter().zip(floats(cpus, "idle_s")) {
        assert!(((busy + idle) / window - 1.0).abs() < 0.005, "busy {busy} + idle {idle} of {window}");
    }
    assert!(reading.coverage > 0.99, "{:?} {}", reading.gaps, reading.coverage);
    eprintln!("{:?} coverage {} tasks {}", reading.gaps, reading.coverage, tasks.len());
    let mut all: Vec<_> = by_name(&reading).into_iter().collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    for ((name, class), s) in all.iter().take(20) {
        eprintln!("{name:16} {class:12} {s:.6}");
    }
}
