//! The list of sources: sorted, complete, each with its file and its recordings.

use std::collections::BTreeSet;
use std::path::Path;

use heldup_model::tables;
use heldup_sources::live;

use crate::fixtures::recordings;

/// Tables that eBPF fills, the command that is run, the account of the sources themselves, what
/// another capture said, and what only other tools' recordings tell.
const NOT_FROM_SOURCES: [&str; 36] = [
    "baseline_setting",
    "benchmark",
    "block_latency",
    "class_time",
    "command_run",
    "cpu_time",
    "db_advice",
    "db_cache_advice",
    "db_contention",
    "db_file",
    "db_latch",
    "db_metric",
    "db_session",
    "db_sql",
    "db_wait",
    "deadlock",
    "disk_health",
    "ended_process",
    "file_extents",
    "listed_cpu",
    "listed_wait",
    "memory_event",
    "net_drop",
    "object_time",
    "pmu",
    "process_io",
    "profile",
    "recorder",
    "refused_value",
    "slab_path",
    "socket_count",
    "source_cost",
    "since_boot",
    "stack",
    "system_call",
    "task_time",
];

#[test]
fn names_are_sorted_and_unique() {
    let names: Vec<_> = live().iter().map(|source| source.name()).collect();
    let sorted: Vec<_> = names.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    assert_eq!(names, sorted);
}

#[test]
fn every_table_has_a_source() {
    let supplied: BTreeSet<_> =
        live().iter().flat_map(|source| source.tables().iter().map(|def| def.name)).collect();
    let without: Vec<_> = tables::ALL
        .iter()
        .map(|def| def.name)
        .filter(|name| !supplied.contains(name) && !NOT_FROM_SOURCES.contains(name))
        .collect();
    assert_eq!(without, [""; 0]);
}

#[test]
fn every_source_has_its_file_and_a_recording() {
    let code = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for source in live() {
        let name = source.name();
        assert!(code.join(format!("{name}.rs")).is_file(), "src/{name}.rs is not there");
        assert!(!recordings(name).is_empty(), "fixtures/{name}/ has no recording");
    }
}
