//! How long each test took, said at the end: the whole run has a bar to keep, and a test that
//! grew is seen.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Slowest tests that are named.
const NAMED: usize = 25;

/// Name and length, in the order in which they ended.
static TOOK: Mutex<Vec<(String, Duration)>> = Mutex::new(Vec::new());

/// Runs a test and remembers how long it took.
pub fn clocked<T>(name: &str, run: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = run();
    let mut all = TOOK.lock().unwrap_or_else(PoisonError::into_inner);
    all.push((name.to_owned(), started.elapsed()));
    result
}

/// Says the length of each group, and of the slowest tests.
pub fn say() {
    let mut all = TOOK.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // One test needs no list.
    if all.len() < 2 {
        return;
    }
    let mut groups: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
    for (name, took) in &all {
        let group = groups.entry(name.split("::").next().unwrap_or(name)).or_default();
        *group = (group.0 + 1, group.1 + *took);
    }
    println!("seconds of each group, and of the slowest tests:");
    for (group, (tests, took)) in groups {
        println!("{:7.1}  {group} ({tests})", took.as_secs_f64());
    }
    all.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
    for (name, took) in all.iter().take(NAMED) {
        println!("{:7.1}  {name}", took.as_secs_f64());
    }
}
