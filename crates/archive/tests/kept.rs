//! Archives: sealed files and journals give every row once, whenever the sealing was stopped.

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
use std::io::{Error, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentName};
use heldup_archive::kept::{
    ArchiveFolder, HouseKeeping, Retention, SealStep, Sealed, Tiers, keep_house, retain, seal, seal_with,
};
use heldup_archive::{Database, Value};
use heldup_model::tables::SettingRow;
use heldup_model::{Capture, Method, RowSet, Span, Stamp};
use machine::{Machine, SINCE_MS};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use rows::{Rows, assert_same, rows_of};
use scratch::Scratch;

const EVER: Span = Span { since_ms: i64::MIN / 2, until_ms: i64::MAX / 2 };

/// A segment's journal in the archive, and its samples; `shift_ms` is added to their times.
fn record(archive: &Path, machine: &mut Machine, samples: usize, shift_ms: i64) -> (PathBuf, Vec<Sample>) {
    let folder = ArchiveFolder::at(archive).journals();
    let settings = JournalSettings::default();
    let mut writer = JournalWriter::create(&folder, &machine.header(), settings).expect("a journal");
    let mut taken = Vec::new();
    for _ in 0..samples {
        let mut sample = machine.sample();
        sample.time_ms += shift_ms;
        writer.append(sample.clone()).expect("appended");
        taken.push(sample);
    }
    (writer.close().expect("closed"), taken)
}

/// The rows of samples in a span, in the order of their text: files are sorted by entity.
fn expected(samples: &[Sample], span: Span) -> Rows {
    let mut tables: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for sample in samples.iter().filter(|s| (span.since_ms..=span.until_ms).contains(&s.time_ms)) {
        for reading in &sample.readings {
            let stamp = Stamp { time_ms: sample.time_ms, secs: reading.secs, host: "db1".into() };
            let batch = reading.rows.to_batch(&stamp).expect("a batch");
            tables.entry(reading.rows.def.name.to_owned()).or_default().push(batch);
        }
    }
    sorted(rows_of(&tables))
}

fn sorted(mut rows: Rows) -> Rows {
    rows.values_mut().for_each(|rows| rows.sort_unstable());
    rows
}

fn window(archive: &Path, span: Span) -> Rows {
    let window = ArchiveFolder::at(archive).window(span, &|_| true).expect("a window");
    assert_eq!(window.flaws, []);
    sorted(rows_of(&window.tables))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        match entry.path().is_dir() {
            true => found.extend(files_below(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}

#[test]
fn a_sealed_journal_has_the_same_rows_and_is_gone() {
    let scratch = Scratch::new("seal-same");
    let machine = Machine::new(30);
    let (journal, samples) = record(&scratch.0, &mut Machine::new(30), 130, 0);
    assert_same(&window(&scratch.0, EVER), &expected(&samples, EVER), "all");
    let Sealed { files, samples: count, gaps, lost } = seal(&journal, &scratch.0).expect("sealed");
    assert_eq!((count, gaps.len(), lost), (130, 0, None));
    assert!(!journal.exists());
    let name = SegmentName::of(&machine.header()).parquet();
    let process = scratch.0.join("table=process/date=2025-11-21").join(&name);
    assert!(files.contains(&process), "{files:?}");
    assert_eq!(files_below(&scratch.0).len(), files.len());
    for file in &files {
        assert_eq!(fs::metadata(file).expect("a file").permissions().mode() & 0o777, 0o600);
    }
    assert_same(&window(&scratch.0, EVER), &expected(&samples, EVER), "all");
    for (first, last) in [(0, 0), (20, 90), (129, 129)] {
        let span = Span { since_ms: samples[first].time_ms, until_ms: samples[last].time_ms };
        assert_same(&window(&scratch.0, span), &expected(&samples, span), &format!("{first} to {last}"));
    }
    assert!(seal(&journal, &scratch.0).is_err(), "sealed twice");
}

#[test]
fn a_sealing_that_is_stopped_at_any_step_loses_and_doubles_nothing() {
    let scratch = Scratch::new("seal-stopped");
    let mut stopped_at = Vec::new();
    for stop in 0.. {
        let archive = scratch.0.join(format!("at-{stop}"));
        let (journal, samples) = record(&archive, &mut Machine::new(4), 5, 0);
        let mut steps = 0;
        let outcome = seal_with(&journal, &archive, &mut |step| {
            steps += 1;
            if steps > stop {
                stopped_at.push(step);
                return Err(Error::other("stopped"));
            }
            Ok(())
        });
        assert_same(&window(&archive, EVER), &expected(&samples, EVER), &format!("stopped at {stop}"));
        if outcome.is_ok() {
            break;
        }
        // And again, as after a restart.
        let files = seal(&journal, &archive).expect("sealed").files;
        assert_same(&window(&archive, EVER), &expected(&samples, EVER), &format!("sealed after {stop}"));
        assert_eq!(files_below(&archive).len(), files.len(), "nothing is left over after {stop}");
    }
    for step in [SealStep::Write, SealStep::Sync, SealStep::Rename, SealStep::SyncFolder, SealStep::Remove] {
        assert!(stopped_at.contains(&step), "{step:?}");
    }
}

#[test]
fn a_journal_that_never_began_is_removed_and_others_are_not() {
    let scratch = Scratch::new("never-began");
    let (journal, samples) = record(&scratch.0, &mut Machine::new(2), 3, 0);
    let whole = fs::read(&journal).expect("a journal");
    let other = |number: &str, bytes: &[u8]| {
        let path = journal.with_file_name(format!("db1-{SINCE_MS}-{number}.journal"));
        fs::write(&path, bytes).expect("written");
        path
    };
    let mut later = whole.clone();
    later[8] = 9;
    let (empty, cut, later) =
        (other("0000000e", b""), other("0000000c", &whole[..30]), other("0000000f", &later));
    let keeping = HouseKeeping {
        retention: Retention { max_age: Duration::from_secs(86_400), max_bytes: u64::MAX },
        tiers: Tiers::default(),
    };
    let young = keep_house(&scratch.0, &keeping, SINCE_MS).expect("kept");
    assert!(empty.exists() && cut.exists() && young.flaws.len() == 3, "{:?}", young.flaws);
    let kept = keep_house(&scratch.0, &keeping, SINCE_MS + 3_600_000).expect("kept");
    assert!(!empty.exists() && !cut.exists(), "there was nothing in them");
    assert!(later.exists() && kept.flaws.len() == 1, "of a later version: {:?}", kept.flaws);
    fs::remove_file(&later).expect("removed");
    assert_same(&window(&scratch.0, EVER), &expected(&samples, EVER), "the samples");
}

#[test]
fn a_sealing_that_was_stopped_is_read_from_the_journal_while_others_are_sealed() {
    let scratch = Scratch::new("seal-mixed");
    let mut machine = Machine::new(6);
    let mut samples = Vec::new();
    for segment in 0..3_usize {
        let (journal, more) = record(&scratch.0, &mut machine, 20, 0);
        samples.extend(more);
        match segment {
            0 => drop(seal(&journal, &scratch.0).expect("sealed")),
            1 => {
                let stop = &mut |step| match step {
                    SealStep::Remove => Err(Error::other("stopped")),
                    _ => Ok(()),
                };
                seal_with(&journal, &scratch.0, stop).expect_err("stopped");
            }
            _ => {}
        }
    }
    assert_same(&window(&scratch.0, EVER), &expected(&samples, EVER), "all");
    let span = Span { since_ms: samples[15].time_ms, until_ms: samples[45].time_ms };
    assert_same(&window(&scratch.0, span), &expected(&samples, span), "all");
}

#[test]
fn only_closed_journals_are_sealed() {
    let scratch = Scratch::new("seal-closed");
    let archive = ArchiveFolder::at(&scratch.0);
    let mut machine = Machine::new(4);
    let (closed, mut samples) = record(&scratch.0, &mut machine, 5, 0);
    let settings = JournalSettings::default();
    let mut writer =
        JournalWriter::create(&archive.journals(), &machine.header(), settings).expect("a journal");
    samples.push(machine.sample());
    writer.append(samples[5].clone()).expect("appended");
    let rubbish = archive.journals().join("db1-1763700099999-00000000.journal");
    fs::write(&rubbish, b"rubbish").expect("written");
    let error = seal(writer.path(), &scratch.0).expect_err("an error").to_string();
    assert!(error.contains("somebody writes to it"), "{error}");
    let (sealed, flaws) = archive.seal_closed().expect("sealed");
    assert_eq!(sealed.iter().map(|sealed| sealed.samples).collect::<Vec<_>>(), [5]);
    assert!(flaws.len() == 1 && flaws[0].place == rubbish.display().to_string(), "{flaws:?}");
    assert!(!closed.exists() && writer.path().exists());
    fs::remove_file(&rubbish).expect("removed");
    assert_same(&window(&scratch.0, EVER), &expected(&samples, EVER), "all");
    writer.close().expect("closed");
    assert_eq!(archive.seal_closed().expect("sealed").0.len(), 1);
    assert_same(&window(&scratch.0, EVER), &expected(&samples, EVER), "all");
}

#[test]
fn a_large_segment_is_read_by_row_groups() {
    let scratch = Scratch::new("seal-groups");
    let (journal, samples) = record(&scratch.0, &mut Machine::new(500), 110, 0);
    let files = seal(&journal, &scratch.0).expect("sealed").files;
    let path = files.iter().find(|file| file.starts_with(scratch.0.join("table=process"))).expect("a file");
    let file = SerializedFileReader::new(fs::File::open(path).expect("a file")).expect("a Parquet file");
    let groups = file.metadata().row_groups();
    assert!(groups.len() > 1, "{} row group", groups.len());
    let times = |group: &RowGroupMetaData| match group.column(0).statistics() {
        Some(Statistics::Int64(times)) => {
            (*times.min_opt().expect("least"), *times.max_opt().expect("greatest"))
        }
        other => panic!("{other:?}"),
    };
    assert!(times(&groups[0]).1 < times(&groups[1]).0, "row groups follow each other in time");
    let edge = times(&groups[0]).1;
    for span in [
        Span { since_ms: edge, until_ms: edge + 1000 },
        Span { since_ms: edge + 1000, until_ms: edge + 1000 },
        Span { since_ms: SINCE_MS, until_ms: SINCE_MS },
    ] {
        let wanted = |name: &str| name == "process";
        let window = ArchiveFolder::at(&scratch.0).window(span, &wanted).expect("a window");
        let mut expected = expected(&samples, span);
        expected.retain(|table, _| table == "process");
        assert_same(&sorted(rows_of(&window.tables)), &expected, &format!("{span:?}"));
    }
}

#[test]
fn the_oldest_segments_are_removed_first() {
    let scratch = Scratch::new("retain");
    let archive = ArchiveFolder::at(&scratch.0);
    let mut machine = Machine::new(4);
    let mut samples = Vec::new();
    for _ in 0..4 {
        let (journal, more) = record(&scratch.0, &mut machine, 20, 0);
        samples.extend(more);
        seal(&journal, &scratch.0).expect("sealed");
    }
    let (journal, more) = record(&scratch.0, &mut machine, 20, 0);
    samples.extend(more);
    fs::write(archive.journals().join("db1-0000000000001-00000000.damaged"), b"old").expect("written");
    fs::write(scratch.0.join("notes.txt"), b"not ours").expect("written");
    let now_ms = SINCE_MS + 100_000;
    let all = Retention { max_age: Duration::from_secs(1 << 40), max_bytes: u64::MAX };
    let before = retain(&scratch.0, all, now_ms).expect("retained");
    assert_eq!(before.segments_removed, 0);
    // Of an age: the damaged one of 1970, and the first, which began 101 seconds ago.
    let aged = Retention { max_age: Duration::from_secs(100), ..all };
    let after = retain(&scratch.0, aged, now_ms).expect("retained");
    assert_eq!((after.segments_removed, after.bytes + after.bytes_removed), (2, before.bytes));
    assert_same(&window(&scratch.0, EVER), &expected(&samples[20..], EVER), "by age");
    // Of a size: one more has to go.
    let sized = Retention { max_bytes: after.bytes - 1, ..all };
    assert_eq!(retain(&scratch.0, sized, now_ms).expect("retained").segments_removed, 1);
    assert_same(&window(&scratch.0, EVER), &expected(&samples[40..], EVER), "by size");
    // Of nothing: the journal stays, and so does what is not ours.
    let nothing = Retention { max_bytes: 0, ..all };
    let left = retain(&scratch.0, nothing, now_ms).expect("retained");
    assert_eq!(left.bytes, fs::metadata(&journal).expect("the journal").len());
    assert_same(&window(&scratch.0, EVER), &expected(&samples[80..], EVER), "the journal");
    assert_eq!(files_below(&scratch.0).len(), 2);
    assert!(!scratch.0.join("table=cpu").exists());
}

#[test]
fn what_is_read_rarely_stands_until_it_is_read_again() {
    let scratch = Scratch::new("kept-last");
    let archive = ArchiveFolder::at(&scratch.0);
    let mut machine = Machine::new(3);
    let mut samples = Vec::new();
    for value in ["first", "second"] {
        let settings = JournalSettings::default();
        let mut writer =
            JournalWriter::create(&archive.journals(), &machine.header(), settings).expect("a journal");
        for at in 0..10 {
            let mut sample = machine.sample();
            if at == 0 {
                let setting = |key: &str| SettingRow {
                    setting_key: Some(key.into()),
                    setting_value: Some(value.into()),
                    ..Default::default()
                };
                let rows = RowSet::increases([setting("vm.swappiness"), setting("vm.dirty_ratio")]);
                sample.readings.push(Reading { rows, secs: None });
            }
            writer.append(sample.clone()).expect("appended");
            samples.push(sample);
        }
        writer.close().expect("closed");
    }
    let check = |at: usize, read_at: Option<usize>| {
        let last = archive.last_reading("setting", samples[at].time_ms, Duration::from_secs(8));
        let found = sorted(rows_of(&last.expect("a reading").tables));
        let time_ms = read_at.map_or(0, |read_at| samples[read_at].time_ms);
        let mut expected = expected(&samples, Span { since_ms: time_ms, until_ms: time_ms });
        expected.retain(|table, _| table == "setting");
        assert_same(&found, &expected, &format!("at {at}"));
    };
    for sealed in [false, true] {
        if sealed {
            assert_eq!(archive.seal_closed().expect("sealed").0.len(), 2);
        }
        for (at, read_at) in [(0, Some(0)), (8, Some(0)), (9, None), (10, Some(10)), (13, Some(10))] {
            check(at, read_at);
        }
    }
}

#[test]
fn rows_lie_under_the_day_of_their_time() {
    let scratch = Scratch::new("seal-days");
    let midnight = 1_763_769_600_000;
    let (journal, samples) = record(&scratch.0, &mut Machine::new(4), 20, midnight - SINCE_MS - 10_000);
    seal(&journal, &scratch.0).expect("sealed");
    let days = |table: &str| {
        let folder = scratch.0.join(format!("table={table}"));
        let mut days: Vec<_> =
            fs::read_dir(folder).expect("days").map(|day| day.expect("a day").file_name()).collect();
        days.sort();
        days
    };
    assert_eq!(days("cpu"), ["date=2025-11-21", "date=2025-11-22"]);
    for span in [
        EVER,
        Span { since_ms: midnight - 3000, until_ms: midnight - 1 },
        Span { since_ms: midnight, until_ms: midnight },
        Span { since_ms: midnight - 1000, until_ms: midnight + 1000 },
    ] {
        assert_same(&window(&scratch.0, span), &expected(&samples, span), &format!("{span:?}"));
    }
}

#[test]
fn what_cannot_be_read_is_kept_or_said() {
    let scratch = Scratch::new("seal-damaged");
    let (journal, samples) = record(&scratch.0, &mut Machine::new(4), 20, 0);
    let bytes = fs::read(&journal).expect("bytes");
    // The end cut off: what is before it is sealed, and there is nothing to keep.
    fs::write(&journal, &bytes[..bytes.len() - 1]).expect("cut");
    let sealed = seal(&journal, &scratch.0).expect("sealed");
    let lost = sealed.lost.expect("something lost");
    assert_eq!((lost.after_ms, lost.until_ms), (Some(samples[18].time_ms), None));
    assert_same(&window(&scratch.0, EVER), &expected(&samples[..19], EVER), "all");
    assert!(!journal.with_extension("damaged").exists());
    // A bit in the middle: whole samples stand behind it.
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    fs::write(&journal, &flipped).expect("flipped");
    let sealed = seal(&journal, &scratch.0).expect("sealed");
    assert_eq!(sealed.lost.and_then(|lost| lost.until_ms), Some(samples[19].time_ms));
    assert_eq!(fs::read(journal.with_extension("damaged")).expect("kept"), flipped);
    // A damaged file is named, and the others are read.
    let name = SegmentName::of(&Machine::new(4).header()).parquet();
    let disk = scratch.0.join("table=disk/date=2025-11-21").join(name);
    let mut file = fs::OpenOptions::new().append(true).open(&disk).expect("a file");
    file.write_all(b"rubbish").expect("written");
    fs::write(journal.with_file_name("db1-1763700099999-00000000.journal"), b"rubbish").expect("written");
    fs::write(journal.with_file_name("notes.txt"), b"not ours").expect("written");
    let read = ArchiveFolder::at(&scratch.0).window(EVER, &|_| true).expect("a window");
    let places: Vec<&str> = read.flaws.iter().map(|flaw| flaw.place.as_str()).collect();
    assert_eq!(places.len(), 2, "{:?}", read.flaws);
    assert!(places.iter().any(|place| Path::new(place) == disk));
    assert!(read.tables.contains_key("cpu") && !read.tables.contains_key("disk"));
}

#[test]
fn questions_are_answered_alike_before_and_after() {
    let scratch = Scratch::new("seal-sql");
    let mut machine = Machine::new(30);
    let (journal, _) = record(&scratch.0, &mut machine, 60, 0);
    let (_, samples) = record(&scratch.0, &mut machine, 60, 0);
    let span = Span { since_ms: SINCE_MS + 30_000, until_ms: samples[30].time_ms };
    let ask = || {
        let tables = ArchiveFolder::at(&scratch.0).window(span, &|_| true).expect("a window").tables;
        let capture = Capture {
            host: "db1".into(),
            span,
            method: Method::Ebpf,
            coverage: 1.0,
            untold: Vec::new(),
            timing: heldup_model::Timing::default(),
            tables,
            missing: Vec::new(),
            flaws: Vec::new(),
        };
        let database = Database::open(&capture).expect("a database");
        [
            "select pid, start_ms, sum(user_s) as s from process group by 1, 2 order by s desc, pid limit 10",
            "select time, count(*) as n, max(resident_bytes) from process group by time order by time",
            "select class_name, sum(waits), count(*) from task_time group by 1 order by 1",
            "select p.pid, sum(t.waits) as n from process p join task_time t on t.tid = p.pid and t.time = p.time
             group by 1 order by n desc, 1 limit 5",
        ]
        .map(|question| database.query(question).expect("an answer").rows)
    };
    let before = ask();
    assert!(before.iter().all(|rows| !rows.is_empty()));
    seal(&journal, &scratch.0).expect("sealed");
    // Sums of floats differ in their last digits with the order of rows.
    let rounded = |answers: [Vec<Vec<Value>>; 4]| {
        answers.map(|rows| {
            let text = |value: &Value| match value {
                Value::Float(value) => format!("{value:.9}"),
                other => format!("{other:?}"),
            };
            rows.iter().map(|row| row.iter().map(text).collect::<Vec<_>>()).collect::<Vec<_>>()
        })
    };
    assert_eq!(rounded(ask()), rounded(before));
}

#[test]
fn an_archive_that_is_not_there_is_empty() {
    let scratch = Scratch::new("seal-none");
    let window = ArchiveFolder::at(scratch.0.join("none")).window(EVER, &|_| true).expect("a window");
    assert!(window.tables.is_empty() && window.flaws.is_empty() && window.gaps.is_empty());
}
