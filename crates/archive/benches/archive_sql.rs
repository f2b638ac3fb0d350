//! A day of an archive asked: prints sizes and the time of its answers, asserts nothing.
//!
//! `cargo bench -p heldup-archive --bench archive_sql [-- FOLDER]`; a folder that is named is kept, and
//! one that has an archive is only asked. A hundred made-up processes, a sample a second for a
//! day: 8.6 million rows of `process`, sealed by the hour and put together. `HELDUP_BENCH_HOURS`
//! makes the day shorter.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

#[path = "../tests/machine/mod.rs"]
mod machine;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heldup_archive::journal::{JournalSettings, JournalWriter};
use heldup_archive::kept::{ArchiveFolder, Tiers, compact, seal};
use heldup_archive::{Database, Limits};
use heldup_hostfs::thread_cpu_ns;
use heldup_model::{Capture, Method, Span};
use machine::{Machine, SINCE_MS};

const DAY_MS: i64 = 86_400_000;
const PROCESSES: usize = 100;
const HOUR: usize = 3600;
/// Top ten processes by CPU, of a table.
const TOP_TEN: &str =
    "select name, sum(user_s + system_s) as cpu_s from TABLE group by name order by 2 desc limit 10";

fn main() {
    let named = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let scratch = std::env::temp_dir().join(format!("heldup-bench-archive-{}", std::process::id()));
    let root = named.as_ref().map_or(scratch, PathBuf::from);
    let hours = std::env::var("HELDUP_BENCH_HOURS").ok().and_then(|hours| hours.parse().ok()).unwrap_or(24);
    if root.join("table=process").exists() {
        return ask(&root, "as it is");
    }
    record(&root, hours);
    sizes(&root, "sealed by the hour", hours);
    ask(&root, "sealed by the hour");
    for (what, days) in [("put together", 1), ("ten seconds", 3), ("minutes", 15)] {
        let before = (thread_cpu_ns(), Instant::now());
        let now_ms = (SINCE_MS / DAY_MS + 1 + days) * DAY_MS;
        let (made, flaws) = compact(&root, Tiers::default(), now_ms).expect("compacted");
        assert!(flaws.is_empty(), "{flaws:?}");
        println!(
            "{what}: {made} files made in {:.1} s CPU, {:.1} s",
            cpu_s(before.0),
            before.1.elapsed().as_secs_f64()
        );
        sizes(&root, what, hours);
        ask(&root, what);
    }
    if named.is_none() {
        // The folder is this program's own.
        let _ = fs::remove_dir_all(&root);
    }
}

fn cpu_s(since_ns: u64) -> f64 {
    (thread_cpu_ns() - since_ns) as f64 / 1e9
}

/// From midnight on, so that a day is one folder.
fn record(root: &Path, hours: usize) {
    let mut machine = Machine::new(PROCESSES);
    let midnight_ms = SINCE_MS - SINCE_MS % DAY_MS;
    let shift_ms = midnight_ms - SINCE_MS;
    let mut sealing = 0.0;
    for _ in 0..hours {
        let mut header = machine.header();
        header.realtime_ms += shift_ms;
        let journals = ArchiveFolder::at(root).journals();
        let settings = JournalSettings::default();
        let mut writer = JournalWriter::create(&journals, &header, settings).expect("a journal");
        for _ in 0..HOUR {
            let mut sample = machine.sample();
            sample.time_ms += shift_ms;
            writer.append(sample).expect("appended");
        }
        let journal = writer.close().expect("closed");
        let before = thread_cpu_ns();
        seal(&journal, root).expect("sealed");
        sealing += cpu_s(before);
    }
    let samples = (hours * HOUR) as f64;
    println!("sealed {hours} hours of {PROCESSES} processes: {:.1} µs CPU a sample", sealing * 1e6 / samples);
}

fn sizes(root: &Path, what: &str, hours: usize) {
    let mut all = 0;
    let mut tables: Vec<(u64, usize, String)> = Vec::new();
    for table in fs::read_dir(root).expect("a folder").flatten() {
        let Ok(days) = fs::read_dir(table.path()) else { continue };
        let files = days.flatten().flat_map(|day| fs::read_dir(day.path()).expect("a folder").flatten());
        let lengths: Vec<u64> = files.map(|file| file.metadata().expect("a file").len()).collect();
        let name = table.file_name().to_string_lossy().into_owned();
        tables.push((lengths.iter().sum(), lengths.len(), name));
    }
    tables.sort_unstable_by(|a, b| b.cmp(a));
    for (bytes, files, table) in &tables {
        all += bytes;
        println!("    {table}: {bytes} bytes in {files} files");
    }
    println!("{what}: {:.1} MB a day", all as f64 / 1e6 / hours as f64 * 24.0);
}

fn ask(root: &Path, what: &str) {
    let midnight_ms = SINCE_MS - SINCE_MS % DAY_MS;
    let span = Span { since_ms: midnight_ms, until_ms: midnight_ms + DAY_MS - 1 };
    for table in ["process_minute", "process"] {
        let began = Instant::now();
        let column = |_: &str, name: &str| ["name", "user_s", "system_s"].contains(&name);
        let window = ArchiveFolder::at(root).columns(span, &|name| name == table, &column).expect("a window");
        let read_s = began.elapsed().as_secs_f64();
        let rows: usize = window.tables.values().flatten().map(|batch| batch.num_rows()).sum();
        let capture = Capture {
            host: "db1".into(),
            span,
            method: Method::Ebpf,
            coverage: 1.0,
            untold: Vec::new(),
            timing: heldup_model::Timing::default(),
            tables: window.tables,
            missing: Vec::new(),
            flaws: window.flaws,
        };
        let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
        let database = Database::open_with(&capture, limits).expect("a database");
        let answer = database.query(&TOP_TEN.replace("TABLE", table)).expect("an answer");
        assert_eq!(answer.rows.len(), 10);
        println!(
            "{what}: top ten of {table}, {rows} rows: {:.3} s, {read_s:.3} s of it to read",
            began.elapsed().as_secs_f64()
        );
    }
}
