//! A storm of processes that live for moments: by minute they are told together, and nothing that they did
//! is lost; who was there all the time, or ran for long, is still told by itself.

// Clippy knows test functions, not what they call.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "scratch/mod.rs"]
mod scratch;

use std::fs;
use std::path::{Path, PathBuf};

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
use heldup_archive::kept::{ArchiveFolder, seal};
use heldup_archive::{Database, Value};
use heldup_model::tables::{SystemCallRow, SystemRow, TaskTimeRow};
use heldup_model::{Capture, RowSet, Span, Text};
use scratch::Scratch;

/// A full minute, and the seconds that are recorded from it on.
const BEGIN_MS: i64 = 1_763_700_000_000;
const SECONDS: i64 = 240;
/// Processes that begin and end in each second.
const STORM: i64 = 50;
/// Runs for forty seconds, and ends in its minute.
const COMPILER: i64 = 7;
/// Is there all the time, with threads that are not.
const SERVER: i64 = 9;

fn text(of: &str) -> Option<Text> {
    Some(of.into())
}

fn task(pid: i64, tid: i64, program: &str, start_ms: i64, exited: bool) -> [TaskTimeRow; 2] {
    let row = |class: &str, group: &str, seconds: f64| TaskTimeRow {
        tid: Some(tid),
        start_ms: Some(start_ms),
        class_name: text(class),
        group_name: text(group),
        pid: Some(pid),
        name: text(program),
        process_name: text(program),
        kernel_thread: Some(false),
        cgroup: text("/work"),
        // The last second of a task has not all of its classes.
        exited: Some(exited && group == "running"),
        seconds: Some(seconds),
        waits: Some(2),
        ..TaskTimeRow::default()
    };
    // Nanoseconds without a pattern (Knuth's multiplicative hash).
    let more = (tid * 2_654_435_761 % 9_999_991) as f64 / 1e9;
    [row("user", "running", 0.011 + more), row("cpu_queue", "waiting", 0.003 + more)]
}

/// A thread of its own name, which ends at once.
fn thread(pid: i64, tid: i64, program: &str, start_ms: i64) -> [TaskTimeRow; 2] {
    let name: Text = format!("worker {tid}").into();
    task(pid, tid, program, start_ms, true).map(|row| TaskTimeRow { name: Some(name.clone()), ..row })
}

/// What one second has: a storm, a compiler, a server and a thread of it that answers and ends.
fn tasks(second: i64) -> Vec<TaskTimeRow> {
    let now_ms = BEGIN_MS + second * 1000;
    let mut rows = Vec::new();
    for at in 0..STORM {
        let pid = 10_000 + second * STORM + at;
        let program = if at % 5 == 0 { "sed" } else { "sh" };
        rows.extend(task(pid, pid, program, now_ms - 300, true));
        if at % 10 == 0 {
            rows.extend(thread(pid, 100_000 + pid, program, now_ms - 200));
        }
    }
    if (65..105).contains(&second) {
        let mut compiler = task(COMPILER, COMPILER, "cc1", BEGIN_MS + 64_500, second == 104);
        compiler[0].seconds = Some(0.9);
        rows.extend(compiler);
    }
    rows.extend(task(SERVER, SERVER, "server", BEGIN_MS - 900_000, false));
    rows.extend(thread(SERVER, 200_000 + second, "server", now_ms - 100));
    rows
}

fn calls(second: i64) -> Vec<SystemCallRow> {
    let call = |pid: i64, name: &str, error: Option<&str>, calls| SystemCallRow {
        pid: Some(pid),
        syscall: text("openat"),
        error_name: error.and_then(text),
        name: text(name),
        argument_1: error.map(|_| -100),
        calls: Some(calls),
        ..SystemCallRow::default()
    };
    let of_storm = |at| {
        let pid = 10_000 + second * STORM + at;
        [call(pid, "sh", None, 4 + pid * 2_654_435_761 % 47), call(pid, "sh", Some("ENOENT"), 1 + at % 3)]
    };
    let mut rows: Vec<_> = (0..STORM).flat_map(of_storm).collect();
    rows.push(call(SERVER, "server", None, 30));
    rows
}

fn record(archive: &Path) -> PathBuf {
    let header = SegmentHeader {
        host: "db1".into(),
        boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
        realtime_ms: BEGIN_MS - 1000,
        monotonic_ns: 5_000_000_000,
    };
    let journals = ArchiveFolder::at(archive).journals();
    let mut writer =
        JournalWriter::create(&journals, &header, JournalSettings::default()).expect("a journal");
    for second in 0..SECONDS {
        let reading = |rows| Reading { rows, secs: Some(1.0) };
        let readings = vec![
            reading(RowSet::increases([SystemRow { load1: Some(1.0), ..SystemRow::default() }])),
            reading(RowSet::increases(tasks(second))),
            reading(RowSet::increases(calls(second))),
        ];
        let monotonic_ns = (6 + second as u64) * 1_000_000_000;
        let sample = Sample { time_ms: BEGIN_MS + second * 1000, monotonic_ns, readings };
        writer.append(sample).expect("appended");
    }
    writer.close().expect("closed")
}

fn all(archive: &Path) -> Capture {
    let span = Span { since_ms: BEGIN_MS - 1000, until_ms: BEGIN_MS + SECONDS * 1000 };
    ArchiveFolder::at(archive).readings(span, &[], &|_| true, &|_, _| true).expect("readings")
}

fn asked(capture: &Capture, sql: &str) -> Vec<Vec<Value>> {
    Database::open(capture).and_then(|database| database.query(sql)).expect("an answer").rows
}

/// Asks a table and the one by minute the same.
fn check_same(capture: &Capture, table: &str, sql: &str) {
    let ask = |table: &str| asked(capture, &sql.replace("TABLE", table));
    let (seconds, minutes) = (ask(table), ask(&format!("{table}_minute")));
    assert!(!seconds.is_empty(), "{sql}");
    assert_eq!(format!("{minutes:?}"), format!("{seconds:?}"), "{sql}");
}

fn check(archive: &Path) {
    let capture = all(archive);
    check_same(
        &capture,
        "task_time",
        "select time / 60000, process_name, class_name, group_name, cgroup, kernel_thread, \
         round(sum(seconds), 6), sum(waits) from TABLE group by 1, 2, 3 order by 1, 2, 3",
    );
    check_same(
        &capture,
        "task_time",
        "select pid, class_name, round(sum(seconds), 6) from TABLE where pid in (7, 9) group by 1, 2 order by 1, 2",
    );
    check_same(
        &capture,
        "system_call",
        "select time / 60000, name, syscall, error_name, sum(calls) from TABLE group by 1, 2, 3, 4 order by 1, 2, 3, 4",
    );
    let number = |sql: &str| asked(&capture, sql)[0][0].as_f64();
    // Who ran for long is listed by itself, with its start; so is a process with many calls.
    let of_compiler = "select sum(seconds) from task_time_minute \
                       where tid = 7 and start_ms = 1763700064500 and class_name = 'user' and minute_processes is null";
    assert_eq!(number(of_compiler).map(f64::round), Some(36.0));
    assert_eq!(
        number("select sum(calls) from system_call_minute where pid = 9"),
        Some((SECONDS * 30) as f64)
    );
    let storm = (SECONDS * STORM) as f64;
    let counted = "select sum(minute_processes) from task_time_minute where class_name = 'user'";
    assert_eq!(number(counted), Some(storm), "each process once, whatever threads it had");
    let failed = "select sum(minute_processes) from system_call_minute where error_name = 'ENOENT'";
    assert_eq!(number(failed), Some(storm));
    // Two programs and their threads, a compiler, and a server and its threads: two classes of each.
    let most = (SECONDS / 60) * 2 * (2 + 2 + 2) + 2;
    let rows = number("select count(*) from task_time_minute").unwrap_or_default();
    assert!(rows <= most as f64, "{rows} rows, at most {most}");
    assert_eq!(number("select count(*) from system_call_minute"), Some((SECONDS / 60 * 3) as f64));
    let numbers = "select count(*) from system_call_minute where pid is null and argument_1 is not null";
    assert_eq!(number(numbers), Some(0.0), "an argument of one of many");
}

#[test]
fn minutes_of_a_storm_have_its_sums_in_few_rows() {
    let scratch = Scratch::new("short-lived");
    let journal = record(&scratch.0);
    check(&scratch.0);
    seal(&journal, &scratch.0).expect("sealed");
    check(&scratch.0);
    let bytes = |table: &str| -> u64 {
        let folder = scratch.0.join(format!("table={table}/date=2025-11-21"));
        let files = fs::read_dir(folder).expect("a folder").flatten();
        files.map(|file| file.metadata().expect("a file").len()).sum()
    };
    let (seconds, minutes) = (bytes("task_time"), bytes("task_time_minute"));
    assert!(minutes * 8 < seconds, "{minutes} bytes by the minute of {seconds}");
}
