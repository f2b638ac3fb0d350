//! Days of an archive: put together, made coarser and counted by minute, whenever that was stopped.

// Clippy knows test functions, not what they call.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "machine/mod.rs"]
mod machine;
#[path = "rows/mod.rs"]
mod rows;
#[path = "scratch/mod.rs"]
mod scratch;

use std::collections::BTreeMap;
use std::fs;
use std::io::Error;
use std::path::Path;
use std::time::Duration;

use heldup_archive::journal::{JournalSettings, JournalWriter, SegmentName};
use heldup_archive::kept::{
    ArchiveFolder, Retention, SealStep, Tiers, compact, compact_with, retain, seal, seal_with,
};
use heldup_archive::{Answer, Database, Value};
use heldup_model::{Capture, Method, Span};
use machine::{Machine, SINCE_MS};
use parquet::file::reader::{FileReader, SerializedFileReader};
use rows::{Rows, assert_same, rows_of};
use scratch::Scratch;

const EVER: Span = Span { since_ms: i64::MIN / 2, until_ms: i64::MAX / 2 };
/// Midnight before and after the samples.
const DAY_MS: i64 = 86_400_000;
const MIDNIGHT_MS: i64 = SINCE_MS - SINCE_MS % DAY_MS;
const TIERS: Tiers =
    Tiers { ten_seconds_after: Duration::from_secs(86_400), minutes_after: Duration::from_secs(3 * 86_400) };

/// A closed journal of so many samples; the machine goes on.
fn record(archive: &Path, machine: &mut Machine, samples: usize) -> std::path::PathBuf {
    let folder = ArchiveFolder::at(archive).journals();
    let settings = JournalSettings::default();
    let mut writer = JournalWriter::create(&folder, &machine.header(), settings).expect("a journal");
    for _ in 0..samples {
        writer.append(machine.sample()).expect("appended");
    }
    writer.close().expect("closed")
}

/// Three sealed segments.
fn archive_of(archive: &Path, processes: usize, samples: usize) {
    let mut machine = Machine::new(processes);
    for _ in 0..3 {
        let journal = record(archive, &mut machine, samples);
        seal(&journal, archive).expect("sealed");
    }
}

/// All rows, in the order of their text.
fn all(archive: &Path) -> Rows {
    let window = ArchiveFolder::at(archive).window(EVER, &|_| true).expect("a window");
    assert_eq!(window.flaws, []);
    let mut rows = rows_of(&window.tables);
    rows.values_mut().for_each(|rows| rows.sort_unstable());
    rows
}

fn ask(archive: &Path, sql: &str) -> Answer {
    let window = ArchiveFolder::at(archive).asked_for(EVER, &|table| sql.contains(table)).expect("a window");
    assert_eq!(window.flaws, []);
    let capture = Capture {
        host: "db1".into(),
        span: Span { since_ms: SINCE_MS, until_ms: SINCE_MS + 1000 },
        method: Method::Ebpf,
        coverage: 1.0,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: window.tables,
        missing: Vec::new(),
        flaws: Vec::new(),
    };
    Database::open(&capture).expect("a database").query(sql).expect("an answer")
}

/// Names of a table's files on the day.
fn files(archive: &Path, table: &str) -> Vec<String> {
    let folder = archive.join(format!("table={table}/date=2025-11-21"));
    let names = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn made(archive: &Path, tiers: Tiers, days_later: i64) -> usize {
    let (made, flaws) = compact(archive, tiers, MIDNIGHT_MS + (1 + days_later) * DAY_MS).expect("compacted");
    assert_eq!(flaws, []);
    made
}

#[test]
fn a_day_becomes_one_file_with_the_same_rows() {
    let scratch = Scratch::new("day-same");
    archive_of(&scratch.0, 8, 40);
    let before = all(&scratch.0);
    assert_eq!(made(&scratch.0, TIERS, -1), 0, "the day is not over");
    assert_eq!(files(&scratch.0, "process").len(), 3);
    assert!(made(&scratch.0, TIERS, 0) > 5);
    assert_same(&all(&scratch.0), &before, "put together");
    assert_eq!(files(&scratch.0, "process"), ["db1-day-20251121.parquet"]);
    assert_eq!(files(&scratch.0, "process_minute"), ["db1-day-20251121.parquet"]);
    assert_eq!(made(&scratch.0, TIERS, 0), 0, "nothing is left to do");
    // A segment that comes late: another day has begun, and its journal is sealed only now.
    let mut machine = Machine::new(3);
    (0..500).for_each(|_| drop(machine.sample()));
    let journal = record(&scratch.0, &mut machine, 5);
    seal(&journal, &scratch.0).expect("sealed");
    let before = all(&scratch.0);
    assert_eq!(files(&scratch.0, "process").len(), 2);
    assert!(made(&scratch.0, TIERS, 0) > 5);
    assert_eq!(all(&scratch.0), before);
    assert_eq!(files(&scratch.0, "process"), ["db1-day-20251121.parquet"]);
}

#[test]
fn a_day_of_which_a_journal_is_open_waits() {
    let scratch = Scratch::new("day-open");
    archive_of(&scratch.0, 3, 5);
    let mut machine = Machine::new(3);
    (0..100).for_each(|_| drop(machine.sample()));
    let journal = record(&scratch.0, &mut machine, 5);
    // Sealed but for the last step: its files do not count, and may be written again.
    let stop = &mut |step| if step == SealStep::Remove { Err(Error::other("stopped")) } else { Ok(()) };
    seal_with(&journal, &scratch.0, stop).expect_err("stopped");
    let before = all(&scratch.0);
    assert_eq!(made(&scratch.0, Tiers::NEVER, 0), 0);
    // Nobody seals it, and the day should not wait for ever.
    assert!(made(&scratch.0, Tiers::NEVER, 1) > 5);
    assert_eq!(files(&scratch.0, "cpu").len(), 2);
    assert_eq!(all(&scratch.0), before);
    seal(&journal, &scratch.0).expect("sealed");
    assert_eq!(all(&scratch.0), before);
    assert!(made(&scratch.0, Tiers::NEVER, 1) > 5);
    assert_eq!(files(&scratch.0, "cpu").len(), 1);
    assert_eq!(all(&scratch.0), before);
}

#[test]
fn old_days_become_coarser_and_sums_stay() {
    let scratch = Scratch::new("day-tiers");
    archive_of(&scratch.0, 8, 70);
    let sums = "select pid, start_ms, sum(user_s), sum(minor_faults), sum(secs), max(time) from process
                group by pid, start_ms order by pid";
    let rows = |table: &str| match ask(&scratch.0, &format!("select count(*) from {table}")).rows[0][0] {
        Value::Int(rows) => rows,
        ref other => panic!("{other:?}"),
    };
    let without_times = |answer: Answer| -> Vec<Vec<Value>> {
        answer.rows.into_iter().map(|row| row[..5].iter().map(rounded).collect()).collect()
    };
    let before = without_times(ask(&scratch.0, sums));
    assert!(made(&scratch.0, TIERS, 0) > 5);
    let seconds = (rows("process"), rows("process_minute"));
    assert!(made(&scratch.0, TIERS, 1) > 5);
    let tens = rows("process");
    assert!(tens > seconds.0 / 11 && tens < seconds.0 / 8, "{tens} of {}", seconds.0);
    assert_eq!(without_times(ask(&scratch.0, sums)), before);
    assert_eq!(made(&scratch.0, TIERS, 2), 0);
    assert!(made(&scratch.0, TIERS, 3) > 5);
    assert_eq!(without_times(ask(&scratch.0, sums)), before);
    assert!(rows("process") <= seconds.1, "{} and {}", rows("process"), seconds.1);
    assert_eq!(made(&scratch.0, Tiers::NEVER, 3), 0, "what is coarse stays so");
    // A gauge is that of the last sample; the last row of the day is where it was.
    let last = ask(&scratch.0, "select max(time) from cpu").rows[0][0].clone();
    assert_eq!(last, Value::Int(SINCE_MS + 209_000));
}

#[test]
fn a_day_has_fewer_row_groups_than_its_segments_and_the_same_windows() {
    let scratch = Scratch::new("day-groups");
    let journal = record(&scratch.0, &mut Machine::new(500), 160);
    seal(&journal, &scratch.0).expect("sealed");
    let groups = || {
        let folder = scratch.0.join("table=process/date=2025-11-21");
        let file = fs::File::open(folder.join(&files(&scratch.0, "process")[0])).expect("a file");
        SerializedFileReader::new(file).expect("a Parquet file").metadata().num_row_groups()
    };
    let window = |from_s: i64, until_s: i64| {
        let span = Span { since_ms: SINCE_MS + from_s * 1000, until_ms: SINCE_MS + until_s * 1000 };
        let window = ArchiveFolder::at(&scratch.0).window(span, &|name| name == "process").expect("a window");
        assert_eq!(window.flaws, []);
        let mut rows = rows_of(&window.tables);
        rows.values_mut().for_each(|rows| rows.sort_unstable());
        rows
    };
    let windows = || [(0, 0), (40, 47), (100, 159), (-5, 500), (500, 600)].map(|(from, to)| window(from, to));
    let (before, groups_before) = (windows(), groups());
    assert!(groups_before > 1, "{groups_before} row group");
    assert!(made(&scratch.0, TIERS, 0) > 5);
    assert_eq!(groups(), 1);
    assert!(windows() == before, "another window than before");
    // More rows than become coarser at once.
    let sums = "select sum(user_s), sum(minor_faults), count(distinct pid), max(time) from process";
    let sums = || ask(&scratch.0, sums).rows[0].iter().map(rounded).collect::<Vec<_>>();
    let before = sums();
    assert!(made(&scratch.0, TIERS, 1) > 5);
    assert_eq!(sums(), before);
    let doubled = "select pid, start_ms, time, count(*) from process group by 1, 2, 3 having count(*) > 1";
    assert!(ask(&scratch.0, doubled).rows.is_empty(), "one row for each entity and step");
}

/// Floats to nanoseconds: sums in another order differ in the last digit.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Float(value) => Value::Int((value * 1e9).round() as i64),
        other => other.clone(),
    }
}

#[test]
fn a_minute_adds_up_to_its_seconds_sealed_or_not() {
    let scratch = Scratch::new("day-minutes");
    let journal = record(&scratch.0, &mut Machine::new(8), 130);
    let of = |table: &str, columns: &str| {
        let answer =
            ask(&scratch.0, &format!("select {columns} from {table} group by pid, start_ms order by pid"));
        answer.rows.iter().map(|row| row.iter().map(rounded).collect()).collect::<Vec<Vec<Value>>>()
    };
    let expected =
        of("process", "pid, sum(user_s), sum(read_calls), max(resident_bytes), count(*), sum(secs)");
    let columns =
        "pid, sum(user_s), sum(read_calls), max(max_resident_bytes), sum(minute_samples), sum(secs)";
    assert_eq!(of("process_minute", columns), expected, "of a journal");
    let times = "select distinct time from process_minute order by time";
    let unsealed = ask(&scratch.0, times).rows;
    seal(&journal, &scratch.0).expect("sealed");
    assert_eq!(of("process_minute", columns), expected, "sealed");
    assert_eq!(ask(&scratch.0, times).rows, unsealed);
    // 04:40:01 until 04:42:10: the minutes' last samples.
    let minutes = [59_000, 119_000, 130_000].map(|at| vec![Value::Int(SINCE_MS - 1000 + at)]);
    assert_eq!(unsealed, minutes);
    let window = ArchiveFolder::at(&scratch.0).window(EVER, &|_| true).expect("a window");
    assert!(!window.tables.contains_key("process_minute"), "only who asks for it gets it");
}

#[test]
fn compaction_that_is_stopped_at_any_step_loses_and_doubles_nothing() {
    let scratch = Scratch::new("day-stopped");
    let sums = "select sum(user_s), sum(secs), count(distinct pid) from process";
    let total = |archive: &Path| ask(archive, sums).rows[0].iter().map(rounded).collect::<Vec<_>>();
    let template = scratch.0.join("template");
    archive_of(&template, 3, 12);
    let mut stopped_at = BTreeMap::new();
    for days_later in [0, 1] {
        if days_later == 1 {
            made(&template, TIERS, 0);
        }
        let (before, sum) = (all(&template), total(&template));
        // Seven steps a table: each of them is met at some table.
        for stop in (0..).step_by(3) {
            let archive = scratch.0.join(format!("{days_later}-{stop}"));
            copy(&template, &archive);
            let mut steps = 0;
            let now_ms = MIDNIGHT_MS + (1 + days_later) * DAY_MS;
            let outcome = compact_with(&archive, TIERS, now_ms, &mut |step| {
                steps += 1;
                if steps > stop {
                    *stopped_at.entry(format!("{step:?}")).or_insert(0) += 1;
                    return Err(Error::other("stopped"));
                }
                Ok(())
            });
            assert_eq!(total(&archive), sum, "stopped at {stop}");
            if days_later == 0 {
                assert_eq!(all(&archive), before, "stopped at {stop}");
            }
            let finished = outcome.is_ok();
            if !finished {
                made(&archive, TIERS, days_later);
            }
            assert_eq!(total(&archive), sum, "done after {stop}");
            assert_eq!(files(&archive, "process"), ["db1-day-20251121.parquet"], "after {stop}");
            fs::remove_dir_all(&archive).expect("removed");
            if finished {
                break;
            }
        }
    }
    for step in ["Write", "Sync", "Rename", "SyncFolder", "Remove"] {
        assert!(stopped_at.contains_key(step), "{step}: {stopped_at:?}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("copied")),
        }
    }
}

#[test]
fn a_day_that_is_damaged_is_said_and_left_alone() {
    let scratch = Scratch::new("day-damaged");
    archive_of(&scratch.0, 3, 5);
    let folder = scratch.0.join("table=process/date=2025-11-21");
    let first = folder.join(&files(&scratch.0, "process")[0]);
    fs::write(&first, b"rubbish").expect("written");
    let (made, flaws) = compact(&scratch.0, TIERS, MIDNIGHT_MS + DAY_MS).expect("compacted");
    assert!(made > 5, "the other tables: {made}");
    assert_eq!(flaws.len(), 1, "{flaws:?}");
    assert!(flaws[0].place.contains("table=process"), "{flaws:?}");
    assert_eq!(files(&scratch.0, "process").iter().filter(|name| !name.starts_with('.')).count(), 3);
}

#[test]
fn days_are_retained_until_their_end_is_old() {
    let scratch = Scratch::new("day-retained");
    archive_of(&scratch.0, 3, 5);
    made(&scratch.0, TIERS, 0);
    let day = |days: u64| Duration::from_secs(86_400 * days);
    let retention = |max_age, max_bytes| Retention { max_age, max_bytes };
    let now_ms = MIDNIGHT_MS + 3 * DAY_MS;
    let kept =
        retain(&scratch.0, retention(day(2) + Duration::from_secs(1), u64::MAX), now_ms).expect("retained");
    assert_eq!(kept.segments_removed, 0);
    let kept =
        retain(&scratch.0, retention(day(2) - Duration::from_secs(1), u64::MAX), now_ms).expect("retained");
    assert_eq!((kept.segments_removed, kept.bytes), (1, 0));
    assert!(SegmentName::of_parquet("db1-day-20251121.parquet").is_some());
    assert!(all(&scratch.0).is_empty());
}
