//! An archive's window as a capture: what a look at the live machine would have given.

// Clippy knows test functions, not what they call.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "machine/mod.rs"]
mod machine;
#[path = "scratch/mod.rs"]
mod scratch;

use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, SegmentHeader};
use heldup_archive::kept::{ArchiveFolder, Rhythm, Sign, SourceTables, Tiers, compact, seal};
use heldup_archive::{Database, Value};
use heldup_model::tables::{
    EventRow, FilesystemRow, HostRow, NetIfRow, RecorderRow, SettingRow, SourceCostRow, StackRow, TaskTimeRow,
};
use heldup_model::{Capture, Method, RowSet, Span};
use machine::{Machine, SINCE_MS};
use scratch::Scratch;

/// Samples of the recording; before the 61st there are 20 that could not be taken.
const SAMPLES: i64 = 180;
const HOLE: std::ops::Range<i64> = 60..80;

fn sources() -> Vec<SourceTables> {
    let of = |source, table, rhythm| SourceTables { source, tables: vec![table], rhythm };
    vec![
        of("system", "system", Rhythm::Samples),
        of("proc_pid", "process", Rhythm::Ends),
        of("filesystem", "filesystem", Rhythm::Ends),
        of("setting", "setting", Rhythm::Once),
        of("host", "host", Rhythm::Once),
        of("kmsg", "event", Rhythm::Once),
        of("ksm", "ksm", Rhythm::Ends),
        of("thermal", "thermal", Rhythm::Ends),
    ]
}

/// What is read rarely: settings at the beginning, file systems every 30 s, stacks each minute.
fn rarely(second: i64) -> Vec<Reading> {
    let mut readings = Vec::new();
    let mut add = |rows, secs| readings.push(Reading { rows, secs });
    if second == 0 {
        let setting = SettingRow {
            setting_key: Some("vm.swappiness".into()),
            setting_value: Some("60".into()),
            ..Default::default()
        };
        let host = HostRow { name: Some("db1".into()), cpus: Some(4), ..Default::default() };
        add(RowSet::increases([setting]), None);
        add(RowSet::increases([host]), None);
    }
    if second % 30 == 0 {
        let full = FilesystemRow {
            mount: Some("/".into()),
            available_bytes: Some(1_000_000 - second),
            ..Default::default()
        };
        add(RowSet::increases([full]), None);
    }
    if second % 60 == 59 {
        let stack = StackRow { tid: Some(7), samples: Some(second), ..Default::default() };
        let cost = |name: &str, status: &str, detail: Option<&str>| SourceCostRow {
            source_name: Some(name.into()),
            status: Some(status.into()),
            detail: detail.map(Into::into),
            ..Default::default()
        };
        add(RowSet::increases([stack]), Some(60.0));
        let costs = [cost("ksm", "ok", None), cost("thermal", "missing", Some("no zones"))];
        add(RowSet::increases(costs), Some(60.0));
    }
    if second == 100 {
        let event = |sequence, second: i64| EventRow {
            sequence: Some(sequence),
            event_ms: Some(SINCE_MS + second * 1000 - 500),
            in_window: Some(second == 100),
            level: Some("err".into()),
            message: Some("an error".into()),
            ..Default::default()
        };
        add(RowSet::increases([event(1, 20), event(2, 100)]), None);
    }
    readings
}

fn record(archive: &Path) -> PathBuf {
    let mut machine = Machine::new(40);
    let settings = JournalSettings::default();
    let journals = ArchiveFolder::at(archive).journals();
    let mut writer = JournalWriter::create(&journals, &machine.header(), settings).expect("a journal");
    for second in 0..SAMPLES {
        let mut sample = machine.sample();
        sample.readings.extend(rarely(second));
        if !HOLE.contains(&second) {
            writer.append(sample).expect("appended");
        }
    }
    writer.close().expect("closed")
}

/// Seconds of the recording as a window: after the first, until the last.
fn window(since_s: i64, until_s: i64) -> Span {
    Span { since_ms: SINCE_MS + since_s * 1000, until_ms: SINCE_MS + until_s * 1000 }
}

fn capture(archive: &Path, since_s: i64, until_s: i64) -> Option<Capture> {
    let folder = ArchiveFolder::at(archive);
    folder.capture(window(since_s, until_s), &sources()).expect("an archive")
}

fn ask(capture: &Capture, sql: &str) -> Vec<Vec<Value>> {
    Database::open(capture).expect("a database").query(sql).expect("an answer").rows
}

fn int(capture: &Capture, sql: &str) -> Option<i64> {
    ask(capture, sql).first()?.first()?.as_i64()
}

/// Runs a check on an archive whose journal is there, and on the same sealed.
fn in_both(name: &str, check: impl Fn(&Path)) {
    let scratch = Scratch::new(name);
    let journal = record(&scratch.0);
    check(&scratch.0);
    seal(&journal, &scratch.0).expect("sealed");
    check(&scratch.0);
}

#[test]
fn processes_have_one_row_each_with_the_increases_of_the_window() {
    in_both("capture-processes", |archive| {
        let one = capture(archive, 9, 40).expect("a capture");
        let folder = ArchiveFolder::at(archive);
        let readings = folder.readings(window(9, 40), &sources(), &|_| true, &|_, _| true).expect("readings");
        assert_eq!(int(&readings, "select count(distinct time) from process"), Some(31));
        let pids = "select count(*) - count(distinct pid) from process";
        assert_eq!(int(&one, pids), Some(0));
        assert_eq!(int(&one, "select count(*) from process"), Some(40));
        let sum = "select sum(minor_faults) from process where pid in (select pid from process where time = (select \
                   max(time) from process))";
        assert_eq!(int(&one, sum), int(&readings, sum));
        // An interval of a made-up machine is up to a millisecond longer than a second.
        assert!((one.span.secs() - 31.0).abs() < 0.002 && one.span.until_ms == SINCE_MS + 40_000);
        assert_eq!(int(&one, "select count(*) from system"), Some(31), "what is read at every sample stays");
        assert_eq!(int(&one, "select samples from window_span"), Some(31));
    });
}

#[test]
fn what_holds_until_it_is_read_again_is_there() {
    in_both("capture-holds", |archive| {
        let one = capture(archive, 100, 135).expect("a capture");
        assert_eq!(int(&one, "select count(*) from setting where setting_value = '60'"), Some(1));
        assert_eq!(int(&one, "select cpus from window_span"), Some(4));
        let fill = ask(&one, "select available_bytes from filesystem order by time");
        assert_eq!(fill, [[Value::Int(999_910)], [Value::Int(999_880)]], "at 90 s, and at 120 s");
        let ms = "select round(window_s), method from host";
        assert_eq!(ask(&one, ms), [[Value::Float(35.0), Value::Text("imported".into())]]);
        let early = capture(archive, 0, 20).expect("a capture");
        assert_eq!(int(&early, "select count(*) from filesystem"), Some(1), "only what was read by then");
        let asked = ArchiveFolder::at(archive)
            .readings(window(100, 135), &sources(), &|table| table == "setting", &|_, _| true)
            .expect("readings");
        assert_eq!(int(&asked, "select count(*) from setting"), Some(1));
        assert!(!asked.tables.contains_key("process"), "nobody asked for it");
    });
}

#[test]
fn intervals_and_messages_belong_to_the_window_in_which_they_lie() {
    in_both("capture-intervals", |archive| {
        let stacks = |since, until| {
            let one = capture(archive, since, until).expect("a capture");
            ask(&one, "select samples from stack order by 1")
        };
        assert_eq!(stacks(130, 150), [[Value::Int(179)]], "the minute that ends behind the window");
        assert_eq!(stacks(100, 150), [[Value::Int(119)], [Value::Int(179)]]);
        let one = capture(archive, 95, 105).expect("a capture");
        let messages = ask(&one, "select sequence, in_window from event");
        assert_eq!(messages, [[Value::Int(2), Value::Int(1)]]);
    });
}

#[test]
fn what_a_source_found_nothing_of_was_measured() {
    in_both("capture-measured", |archive| {
        let one = capture(archive, 110, 125).expect("a capture");
        assert_eq!(one.tables.get("ksm").map(Vec::len), Some(0), "read, and nothing there");
        assert!(!one.tables.contains_key("thermal"));
        let missing: Vec<_> = one.missing.iter().map(|m| (m.what.as_str(), m.why.as_str())).collect();
        assert_eq!(missing, [("thermal", "no zones")]);
    });
}

#[test]
fn holes_are_named_and_windows_without_a_sample_are_none() {
    in_both("capture-holes", |archive| {
        let one = capture(archive, 50, 100).expect("a capture");
        let flaws: Vec<_> = one.flaws.iter().map(|flaw| flaw.what.as_str()).collect();
        assert_eq!(flaws, ["nothing was recorded for 20.0 s of this window, from 9.0 s after its beginning"]);
        assert!(capture(archive, 0, 40).expect("a capture").flaws.is_empty());
        assert!(capture(archive, 62, 78).is_none());
        assert!(capture(archive, 500, 600).is_none());
        let stretches = ArchiveFolder::at(archive).stretches().expect("stretches");
        assert_eq!(stretches.len(), 1);
        assert_eq!((stretches[0].host.as_str(), stretches[0].span), ("db1", window(0, SAMPLES - 1)));
    });
}

#[test]
fn a_clock_that_was_set_is_named_and_is_no_hole() {
    let scratch = Scratch::new("capture-clock");
    let mut machine = Machine::new(5);
    let journals = ArchiveFolder::at(&scratch.0).journals();
    let mut sealed = Vec::new();
    // An hour forward after 20 samples, and another segment, as a recorder does.
    for step_ms in [0, 3_600_000] {
        let header = machine.header();
        let header = SegmentHeader { realtime_ms: header.realtime_ms + step_ms, ..header };
        let mut writer =
            JournalWriter::create(&journals, &header, JournalSettings::default()).expect("a journal");
        for _ in 0..20 {
            let mut sample = machine.sample();
            sample.time_ms += step_ms;
            let row = RecorderRow {
                boot_id: Some(header.boot_id.as_str().into()),
                booted_ms: Some(SINCE_MS - 500_000 + step_ms),
                ..Default::default()
            };
            sample.readings.push(Reading { rows: RowSet::increases([row]), secs: Some(1.0) });
            writer.append(sample).expect("appended");
        }
        sealed.push(writer.close().expect("closed"));
    }
    let said = |archive: &Path| -> Vec<String> {
        let one = capture(archive, -1, 3700).expect("a capture");
        one.flaws.into_iter().map(|flaw| flaw.what).collect()
    };
    let expected = "the clock was set forward by 3600.0 s, 20.0 s after the beginning of this window: so much of it \
                    never was";
    assert_eq!(said(&scratch.0), [expected]);
    for journal in sealed {
        seal(&journal, &scratch.0).expect("sealed");
        assert_eq!(said(&scratch.0), [expected]);
    }
}

#[test]
fn the_first_sample_is_found_wherever_it_lies() {
    in_both("first-sample", |archive| {
        assert_eq!(ArchiveFolder::at(archive).first_ms().expect("an archive"), Some(SINCE_MS));
    });
    let scratch = Scratch::new("first-of-a-day");
    seal(&record(&scratch.0), &scratch.0).expect("sealed");
    let over_ms = SINCE_MS + 3 * 86_400_000;
    let (made, flaws) = compact(&scratch.0, Tiers::NEVER, over_ms).expect("put together");
    assert!(made > 0 && flaws.is_empty(), "{flaws:?}");
    let days = std::fs::read_dir(scratch.0.join("table=system")).expect("a table").flatten();
    let files = days.flat_map(|day| std::fs::read_dir(day.path()).expect("a day").flatten());
    let names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.is_empty() && names.iter().all(|name| name.contains("-day-")), "{names:?}");
    let folder = ArchiveFolder::at(&scratch.0);
    assert_eq!(folder.first_ms().expect("an archive"), Some(SINCE_MS), "and not the day's midnight");
    assert_eq!(ArchiveFolder::at(scratch.0.join("none")).first_ms().expect("nothing"), None);
}

#[test]
fn each_host_of_an_archive_is_by_itself() {
    let scratch = Scratch::new("capture-hosts");
    let journals = ArchiveFolder::at(&scratch.0).journals();
    for (host, processes) in [("db1", 5), ("web/1", 3)] {
        let mut machine = Machine::new(processes);
        let header = SegmentHeader { host: host.into(), ..machine.header() };
        let settings = JournalSettings::default();
        let mut writer = JournalWriter::create(&journals, &header, settings).expect("a journal");
        for _ in 0..20 {
            writer.append(machine.sample()).expect("appended");
        }
        writer.close().expect("closed");
    }
    let folder = ArchiveFolder::at(&scratch.0);
    assert_eq!(folder.hosts().expect("hosts"), ["db1", "web_1"]);
    let web = folder.of_host("web/1");
    let one = web.capture(window(0, 15), &sources()).expect("an archive").expect("a capture");
    assert_eq!((one.host.as_str(), one.method), ("web/1", Method::Imported));
    assert_eq!(int(&one, "select count(*) from process"), Some(3));
    assert_eq!(web.hosts().expect("hosts"), ["web_1"]);
}

#[test]
fn minutes_add_up_to_what_the_rows_say() {
    in_both("capture-minutes", |archive| {
        let folder = ArchiveFolder::at(archive);
        let span = Span { since_ms: SINCE_MS - 1000, until_ms: SINCE_MS + SAMPLES * 1000 };
        let minutes = folder.minutes(span).expect("minutes");
        let all = folder.readings(span, &sources(), &|_| true, &|_, _| true).expect("readings");
        let wanted = ask(&all, "select running_s, waiting_s from active_time");
        let sum = |of: fn(&heldup_archive::kept::Minute) -> f64| minutes.minutes.iter().map(of).sum::<f64>();
        let said = |column: usize| wanted[0][column].as_f64().expect("a number");
        assert!((sum(|minute| minute.running_s) - said(0)).abs() < 1e-6);
        assert!((sum(|minute| minute.waiting_s) - said(1)).abs() < 1e-6);
        let recorded = sum(|minute| minute.recorded_s);
        assert!((recorded - (SAMPLES - 20) as f64).abs() < 0.5, "{recorded}");
        assert_eq!(minutes.cpus, Some(4));
        assert_eq!(minutes.minutes.iter().map(|minute| minute.errors).sum::<u32>(), 2);
    });
}

/// More than an hour: so that the rollups by minute are read, but for the ends.
#[test]
fn minutes_of_hours_add_up_to_what_the_rows_say() {
    const LONG: i64 = 4000;
    let scratch = Scratch::new("capture-hours");
    let mut machine = Machine::new(3);
    let journals = ArchiveFolder::at(&scratch.0).journals();
    let settings = JournalSettings { max_age: Duration::from_secs(9000), ..JournalSettings::default() };
    let mut writer = JournalWriter::create(&journals, &machine.header(), settings).expect("a journal");
    for second in 0..LONG {
        let mut sample = machine.sample();
        let lost =
            NetIfRow { name: Some("eth0".into()), rx_drops: Some(second / 2000), ..Default::default() };
        sample.readings.push(Reading { rows: RowSet::increases([lost]), secs: Some(1.0) });
        let busy = TaskTimeRow {
            tid: Some(99),
            start_ms: Some(1),
            class_name: Some("user".into()),
            group_name: Some("running".into()),
            kernel_thread: Some(false),
            seconds: Some(if (600..660).contains(&second) { 1.0 } else { 0.125 }),
            ..Default::default()
        };
        sample.readings.push(Reading { rows: RowSet::increases([busy]), secs: Some(1.0) });
        if second % 10 == 0 {
            let left = if second == 3000 { 10_000 } else { 90_000_000 };
            let mount = FilesystemRow {
                mount: Some("/".into()),
                size_bytes: Some(100_000_000),
                free_bytes: Some(left),
                available_bytes: Some(left),
                ..Default::default()
            };
            sample.readings.push(Reading { rows: RowSet::increases([mount]), secs: None });
        }
        writer.append(sample).expect("appended");
    }
    let journal = writer.close().expect("closed");
    let check = || {
        let folder = ArchiveFolder::at(&scratch.0);
        // Ends that are no full minutes, and the samples at them.
        let span = window(17, LONG - 20);
        let minutes = folder.minutes(span).expect("minutes");
        let query = "select w.running_s, w.waiting_s, n.drops from active_time w, (select sum(rx_drops) as drops from net_if) n";
        let all = folder.readings(span, &sources(), &|_| true, &|_, _| true).expect("readings");
        let said: Vec<f64> = ask(&all, query)[0].iter().filter_map(Value::as_f64).collect();
        let sum =
            |of: &dyn Fn(&heldup_archive::kept::Minute) -> f64| minutes.minutes.iter().map(of).sum::<f64>();
        let found = [
            sum(&|minute| minute.running_s),
            sum(&|minute| minute.waiting_s),
            sum(&|minute| minute.sign(Sign::NetDrops)),
        ];
        assert!(
            said.len() == 3 && said.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-5),
            "{said:?} {found:?}"
        );
        let recorded = sum(&|minute| minute.recorded_s);
        assert!((recorded - (LONG - 37) as f64).abs() < 4.0, "{recorded}");
        let busy: Vec<bool> =
            minutes.minutes.iter().map(|minute| minute.sign(Sign::BusyTask) > 45.0).collect();
        assert_eq!(busy.iter().filter(|busy| **busy).count(), 1, "the eleventh minute: {busy:?}");
        let full: Vec<usize> =
            (0..busy.len()).filter(|at| minutes.minutes[*at].sign(Sign::NearlyFull) > 0.0).collect();
        assert_eq!(full, [50]);
    };
    check();
    seal(&journal, &scratch.0).expect("sealed");
    check();
}

#[test]
fn columns_that_nobody_asks_for_are_null() {
    let scratch = Scratch::new("capture-columns");
    let journal = record(&scratch.0);
    seal(&journal, &scratch.0).expect("sealed");
    let folder = ArchiveFolder::at(&scratch.0);
    let process = |_: &str, column: &str| column == "pid";
    let read =
        folder.readings(window(0, 30), &sources(), &|table| table == "process", &process).expect("readings");
    let found = ask(&read, "select count(*), count(pid), count(name), count(user_s) from process");
    assert_eq!(found, [[Value::Int(1200), Value::Int(1200), Value::Int(0), Value::Int(0)]]);
}
