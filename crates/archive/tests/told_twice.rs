//! Minutes that were told twice, because the clock was set back while they were recorded: what was recorded of
//! them is twice as long, so that nothing is said to have gone twice as fast; in journals, sealed, put together
//! and made coarser.

// Clippy knows test functions, not what they call.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "machine/mod.rs"]
mod machine;
#[path = "scratch/mod.rs"]
mod scratch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, SegmentHeader};
use heldup_archive::kept::{ArchiveFolder, Minute, Rhythm, SourceTables, Tiers, compact, seal};
use heldup_archive::{Database, Value};
use heldup_model::tables::{DiskRow, HostRow, RecorderRow, SettingRow, ThreadRow};
use heldup_model::{Capture, RowSet, Span};
use machine::{Machine, SINCE_MS};
use scratch::Scratch;

/// Samples before the clock is set back, and after.
const SAMPLES: [i64; 2] = [240, 200];
/// By so much it is set back.
const BACK_MS: i64 = 150_000;
const DAY_MS: i64 = 86_400_000;
/// Ticks of a thread in each sample, whatever the clock says.
const TICKS: i64 = 7;

/// Length of the sample of a number, seconds. As in life no two are the same to the nanosecond.
fn length_s(number: i64) -> f64 {
    1.0 + number as f64 * 1e-9
}

/// What does the same in every second, so that each rate is known.
fn steady(secs: f64) -> Vec<Reading> {
    let disk = DiskRow { device: Some("steady".into()), reads: Some(TICKS), ..DiskRow::default() };
    let thread = ThreadRow {
        tid: Some(77),
        start_ms: Some(5),
        voluntary_switches: Some(TICKS),
        ..ThreadRow::default()
    };
    let setting = SettingRow {
        setting_key: Some("vm.swappiness".into()),
        setting_value: Some("60".into()),
        ..SettingRow::default()
    };
    let host = HostRow { name: Some("db1".into()), cpus: Some(4), ..HostRow::default() };
    let reading = |rows| Reading { rows, secs: Some(secs) };
    vec![
        reading(RowSet::increases([disk])),
        reading(RowSet::increases([thread])),
        Reading { rows: RowSet::increases([setting]), secs: None },
        Reading { rows: RowSet::increases([host]), secs: None },
    ]
}

/// Two segments, the second of which begins as the clock is set back.
fn record(archive: &Path) -> Vec<PathBuf> {
    let mut machine = Machine::new(4);
    let journals = ArchiveFolder::at(archive).journals();
    let settings = JournalSettings { max_age: Duration::from_secs(9000), ..JournalSettings::default() };
    let (mut closed, mut number) = (Vec::new(), 0);
    for (samples, set_ms) in SAMPLES.into_iter().zip([0, -BACK_MS]) {
        let header = machine.header();
        let header = SegmentHeader { realtime_ms: header.realtime_ms + set_ms, ..header };
        let mut writer = JournalWriter::create(&journals, &header, settings).expect("a journal");
        for _ in 0..samples {
            let mut sample = machine.sample();
            sample.time_ms += set_ms;
            number += 1;
            let secs = length_s(number);
            sample.readings.iter_mut().for_each(|reading| reading.secs = Some(secs));
            let row = RecorderRow {
                boot_id: Some(header.boot_id.as_str().into()),
                booted_ms: Some(SINCE_MS - 500_000 + set_ms),
                ..RecorderRow::default()
            };
            sample.readings.push(Reading { rows: RowSet::increases([row]), secs: Some(secs) });
            sample.readings.extend(steady(secs));
            writer.append(sample).expect("appended");
        }
        closed.push(writer.close().expect("closed"));
    }
    closed
}

/// Runs a check on journals, on sealed segments, and on the day that they become, at several steps.
fn in_each_form(name: &str, check: impl Fn(&Path, &str)) {
    let scratch = Scratch::new(name);
    let journals = record(&scratch.0);
    check(&scratch.0, "journals");
    for journal in journals {
        seal(&journal, &scratch.0).expect("sealed");
    }
    check(&scratch.0, "sealed");
    let tiers = Tiers {
        ten_seconds_after: Duration::from_secs(86_400),
        minutes_after: Duration::from_secs(3 * 86_400),
    };
    let midnight_ms = SINCE_MS - SINCE_MS % DAY_MS;
    for (days, form) in [(1, "a day"), (2, "by ten seconds"), (4, "by minutes")] {
        let (made, flaws) = compact(&scratch.0, tiers, midnight_ms + days * DAY_MS + 1).expect("compacted");
        assert!(made > 0 && flaws.is_empty(), "{form}: {flaws:?}");
        check(&scratch.0, form);
    }
}

fn sources() -> Vec<SourceTables> {
    let of = |source, table, rhythm| SourceTables { source, tables: vec![table], rhythm };
    vec![
        of("system", "system", Rhythm::Samples),
        of("threads", "thread", Rhythm::Ends),
        of("setting", "setting", Rhythm::Once),
        of("host", "host", Rhythm::Once),
    ]
}

fn capture(archive: &Path, since_s: i64, until_s: i64) -> Capture {
    let window = Span { since_ms: SINCE_MS + since_s * 1000, until_ms: SINCE_MS + until_s * 1000 };
    ArchiveFolder::at(archive).capture(window, &sources()).expect("an archive").expect("a capture")
}

fn numbers(capture: &Capture, sql: &str) -> Vec<f64> {
    let rows = Database::open(capture).expect("a database").query(sql).expect("an answer").rows;
    rows.iter().flatten().filter_map(Value::as_f64).collect()
}

/// All samples: 240 s, of which 150 were told again, and 50 more.
const ALL_S: f64 = 440.0;

/// The same but for nanoseconds.
fn nearly(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3)
}

#[test]
fn a_window_is_as_long_as_what_was_recorded_of_it() {
    in_each_form("twice-window", |archive, form| {
        let one = capture(archive, -60, 600);
        assert!(nearly(&[one.secs()], &[ALL_S]), "{form}: {}", one.secs());
        let said = numbers(&one, "select w.secs, h.window_s from window_span w, host h");
        assert!(nearly(&said, &[ALL_S, ALL_S]), "{form}: {said:?}");
    });
}

#[test]
fn rates_are_of_what_was_recorded() {
    in_each_form("twice-rates", |archive, form| {
        let one = capture(archive, -60, 600);
        let all = TICKS as f64 * ALL_S;
        // Read at every sample: each row has the length that its counters are of.
        let of_disk = "select sum(reads), sum(secs), max(reads / secs) from disk where device = 'steady'";
        let disk = numbers(&one, of_disk);
        assert!(nearly(&disk, &[all, ALL_S, TICKS as f64]), "{form}: {disk:?}");
        // Read at the ends of a window: one row of all readings.
        let thread = numbers(&one, "select count(*), sum(voluntary_switches), max(secs) from thread");
        assert!(nearly(&thread, &[1.0, all, ALL_S]), "{form}: {thread:?}");
    });
}

/// A window that ends where times were told twice: what holds at its end is told once.
#[test]
fn what_holds_at_the_end_is_there_once() {
    in_each_form("twice-end", |archive, form| {
        let one = capture(archive, 60, 179);
        assert_eq!(numbers(&one, "select count(*) from thread"), [1.0], "{form}");
        assert_eq!(numbers(&one, "select count(*) from setting"), [1.0], "{form}");
    });
}

#[test]
fn minutes_are_as_long_as_what_was_recorded_of_them() {
    in_each_form("twice-minutes", |archive, form| {
        // More than an hour: of sealed files the rollups by minute are read.
        for hours in [0, 2] {
            let span = Span {
                since_ms: SINCE_MS - 60_000 - hours * 3_600_000,
                until_ms: SINCE_MS + 600_000 + hours * 3_600_000,
            };
            let minutes = ArchiveFolder::at(archive).minutes(span).expect("minutes").minutes;
            let recorded: f64 = minutes.iter().map(|minute| minute.recorded_s).sum();
            assert!((recorded - ALL_S).abs() < 1.0, "{form}, {hours} h: {recorded}");
            let running = |minute: &Minute| minute.running_s / minute.recorded_s.max(1.0);
            let rates: Vec<f64> =
                minutes.iter().filter(|minute| minute.recorded_s > 50.0).map(running).collect();
            let mean = rates.iter().sum::<f64>() / rates.len() as f64;
            // A made-up machine does the same on average in each minute: half as much again is one that was told twice.
            let alike = rates.iter().all(|rate| *rate < mean * 1.5 && *rate > mean / 1.5);
            assert!(rates.len() >= 4 && alike, "{form}, {hours} h: {rates:?}");
        }
    });
}

#[test]
fn every_sample_is_there() {
    in_each_form("twice-samples", |archive, form| {
        let span = Span { since_ms: SINCE_MS - DAY_MS, until_ms: SINCE_MS + DAY_MS };
        let all = ArchiveFolder::at(archive).readings(span, &sources(), &|_| true, &|_, _| true);
        let lengths = numbers(&all.expect("readings"), "select sum(secs) from system");
        assert!(nearly(&lengths, &[ALL_S]), "{form}: {lengths:?}");
    });
}
