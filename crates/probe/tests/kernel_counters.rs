//! The counters beside the ledger on the running machine. These tests need root and say so
//! when they are skipped.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's own helpers fail the test")]

use heldup_hostfs::{Host, cpu_time_ns, is_root, own_pid};
use heldup_probe::{KernelCounters, Profile, ProfileOptions};

/// What starting costs is printed, because it is part of every examination.
#[test]
fn every_counter_starts_and_is_read() {
    if !is_root() {
        return heldup_skip::skipped("BPF needs root");
    }
    // The kernel's types are read by whoever is first: in an examination that is the ledger.
    let first = Profile::start(&Host::live(), ProfileOptions::default());
    assert!(first.is_ok());
    let (mut missing, mut flaws) = (Vec::new(), Vec::new());
    let before = cpu_time_ns();
    let mut counters = KernelCounters::start(&Host::live(), own_pid(), &mut missing);
    let started = cpu_time_ns();
    // Virtual machines seldom have hardware counters.
    missing.retain(|missing| missing.what != "pmu");
    assert!(missing.is_empty(), "{missing:?}");
    assert!(counters.read(&mut flaws).is_empty(), "the first reading is the base");
    let based = cpu_time_ns();
    let read = counters.read(&mut flaws);
    let (start, base, again) = (started - before, based - started, cpu_time_ns() - based);
    println!("start {} µs, base {} µs, reading {} µs", start / 1000, base / 1000, again / 1000);
    assert!(!read.is_empty());
    assert!(flaws.is_empty(), "{flaws:?}");
}
