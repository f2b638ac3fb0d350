//! What a viewer answers of an archive, a capture and a recording.

use std::collections::BTreeMap;
use std::path::Path;

use heldup_archive::kept::RecorderFile;
use heldup_engine::{Silent, ViewRequest, Viewer};
use heldup_model::{Cell, Class, Frame, FrameKind, RecorderState, SeenTask, Span, SqlColumnKind};

use crate::machine::{self, ALL, SLOW, waiting};
use crate::recorded::{self, BEGIN_MS, Folder};

fn viewer(source: &str) -> Viewer {
    let request = ViewRequest { sources: vec![source.to_owned()], ..ViewRequest::default() };
    Viewer::open(&request, &Silent).expect("it can be opened")
}

fn of_seconds(since: i64, until: i64) -> Span {
    Span { since_ms: BEGIN_MS + since * 1000, until_ms: BEGIN_MS + until * 1000 }
}

/// A recording of two real programs in trouble.
fn trouble() -> Viewer {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../top/fixtures/sync-and-lock.heldup");
    viewer(place.to_str().expect("a path"))
}

/// Thread, process and class with their seconds, rounded to a microsecond.
fn times(tasks: &[SeenTask]) -> BTreeMap<(i64, Option<i64>, Class), i64> {
    let each = |task: &SeenTask| {
        let (tid, pid) = (task.tid, task.pid);
        task.times
            .iter()
            .map(move |(class, s)| ((tid, pid, *class), (s * 1e6).round() as i64))
            .collect::<Vec<_>>()
    };
    tasks.iter().flat_map(each).collect()
}

#[test]
fn who_of_a_capture_is_who_its_examination_saw() {
    let viewer = trouble();
    let all = viewer.all().expect("a span");
    let (seen, who) = (viewer.look(all).expect("a view"), viewer.who(all).expect("who"));
    assert!(who.tasks.len() > 50 && who.processes.len() > 50);
    assert_eq!(times(&who.tasks), times(&seen.tasks));
    let names = |tasks: &[SeenTask]| {
        let mut names: Vec<(i64, String)> = tasks.iter().map(|task| (task.tid, task.name.clone())).collect();
        names.sort();
        names
    };
    assert_eq!(names(&who.tasks), names(&seen.tasks));
    let rounded = |mut process: heldup_model::SeenProcess| {
        process.cpu_s = process.cpu_s.map(|s| (s * 1e6).round());
        // The start that the ledger tells of those that began and ended in the window.
        process.start_ms = None;
        process
    };
    for (own, other) in who.processes.into_iter().zip(seen.processes) {
        let is_read = other.command.is_some();
        let (own, mut other) = (rounded(own), rounded(other));
        if !is_read || other.read_bytes.is_none() {
            (other.read_bytes, other.write_bytes) = (own.read_bytes, own.write_bytes);
        }
        assert_eq!(own, other);
    }
}

#[test]
fn who_of_a_long_window_is_what_its_seconds_add_up_to() {
    let folder = Folder::new();
    let (word, _writer) = machine::archive(&folder);
    let viewer = viewer(&word);
    let all = of_seconds(0, ALL);
    let who = viewer.who_over_time(all, 1, 4).expect("who");
    assert_eq!(who.span, all);
    let waited: f64 = (1..=ALL).map(waiting).sum();
    let (ran, seconds) = (ALL as f64 - waited, ALL as f64);
    let micros = |seconds: f64| (seconds * 1e6).round() as i64;
    let expected = [
        ((7, Some(7), Class::DiskRead), micros(waited)),
        ((7, Some(7), Class::User), micros(ran)),
        ((70, Some(7), Class::Park), micros(seconds)),
        ((8, Some(8), Class::User), micros(0.875 * seconds)),
        ((8, Some(8), Class::CpuQueue), micros(0.125 * seconds)),
    ];
    assert_eq!(times(&who.tasks), BTreeMap::from(expected));
    let reader = who.processes.iter().find(|process| process.pid == 7).expect("the reader");
    assert_eq!((reader.name.as_str(), reader.threads), ("reader", Some(2)));
    assert_eq!(reader.command.as_deref(), Some("/usr/bin/reader --now"));
    assert!((reader.cpu_s.unwrap_or_default() - 0.625 * seconds).abs() < 1e-6, "{reader:?}");
    assert_eq!(reader.resident_bytes, Some(1_000_000 + ALL));
    // The first minute is known by its last second.
    assert_eq!(reader.growth_bytes, Some(1_000 * (ALL - 59)));
    // Both waited or ran all the time; one is asked for.
    let over_time = who.over_time.expect("asked for");
    assert_eq!((over_time.steps.len(), over_time.processes.len()), (4, 1));
    let first = &over_time.processes[0];
    let in_all: f64 = first.classes.iter().filter_map(|of| of.tasks[0]).sum();
    assert!((in_all - 1.0).abs() < 0.01, "{first:?}");
}

#[test]
fn who_of_a_short_window_has_the_io_of_its_seconds() {
    let folder = Folder::new();
    let (word, _writer) = machine::archive(&folder);
    let who = viewer(&word).who(of_seconds(100, 110)).expect("who");
    let reader = who.processes.iter().find(|process| process.pid == 7).expect("the reader");
    assert_eq!((reader.read_bytes, reader.write_bytes), (Some(40_000), Some(960)));
    assert_eq!(reader.growth_bytes, Some(9_000));
    let waited = times(&who.tasks)[&(7, Some(7), Class::DiskRead)];
    assert_eq!(waited, 2_500_000);
    let error = viewer(&word).who(of_seconds(-900, -800)).expect_err("nothing there").to_string();
    assert!(error.contains("no data"), "{error}");
}

fn mean(frames: &[Frame], id: &str, series: &str) -> f64 {
    let frame = frames.iter().find(|frame| frame.id == id).unwrap_or_else(|| panic!("{id}"));
    let found =
        frame.series.iter().find(|one| one.name == series).unwrap_or_else(|| panic!("{series}: {frame:?}"));
    found.summary.mean.expect("a mean")
}

#[test]
fn a_process_has_a_life() {
    let folder = Folder::new();
    let (word, _writer) = machine::archive(&folder);
    let viewer = viewer(&word);
    // By the second, and by the minute of what is sealed and what is not.
    for (span, waited) in
        [(of_seconds(100, 160), 60.0 * 0.25), (of_seconds(0, ALL), (1..=ALL).map(waiting).sum())]
    {
        let life = viewer.life(7, None, span).expect("a life");
        assert_eq!((life.process.name.as_str(), life.threads.len()), ("reader", 2));
        assert_eq!(life.threads[0].tid, 7, "who waits and runs most is first");
        let seconds = (span.until_ms - span.since_ms) as f64 / 1000.0;
        let near = |a: f64, b: f64| (a - b).abs() < 0.02 * b.abs().max(0.01);
        let read = mean(&life.frames, "life.classes", Class::DiskRead.label());
        assert!(near(read, waited / seconds), "{read}");
        assert!(near(mean(&life.frames, "life.cpu", "user"), 0.5));
        assert!(near(mean(&life.frames, "life.io", "read"), 4_096.0));
        assert!(mean(&life.frames, "life.memory", "resident") > 1_000_000.0);
        let frame = life.frames.iter().find(|frame| frame.id == "life.classes").expect("its classes");
        assert_eq!(frame.kind, FrameKind::Stack);
        assert!(frame.sql.contains("pid = 7"), "{}", frame.sql);
        // Half of its wait is known to be for the disk; of the rest nobody knows.
        let objects: Vec<_> =
            life.waited_for.iter().map(|wait| (wait.class, wait.device.as_deref(), wait.waits)).collect();
        assert_eq!(objects.len(), 2, "{objects:?}");
        assert!(objects.contains(&(Class::DiskRead, None, None)));
        let disk = life.waited_for.iter().find(|wait| wait.device.is_some()).expect("the disk");
        assert!(near(disk.seconds, waited / 2.0), "{disk:?}");
        assert_eq!(disk.waits, Some(5 * seconds as i64));
        let stack = disk.stack.as_ref().expect("a stack");
        assert_eq!(stack.kernel_stack.as_deref(), Some("read;io_schedule"));
        let wakers: Vec<_> = life.woken_by.iter().filter_map(|waker| waker.name.as_deref()).collect();
        assert_eq!(wakers, ["kworker", "swapper"]);
        let woken: f64 = life.woken_by.iter().map(|waker| waker.seconds).sum();
        assert!(woken <= waited + 1e-6, "{woken}");
    }
}

#[test]
fn a_life_is_of_who_is_asked_for() {
    let folder = Folder::new();
    let (word, _writer) = machine::archive(&folder);
    let viewer = viewer(&word);
    let span = of_seconds(100, 160);
    let spinner = viewer.life(8, Some(BEGIN_MS - 5_000), span).expect("a life");
    assert_eq!(spinner.process.name, "spinner");
    assert!(spinner.waited_for.iter().all(|wait| wait.class == Class::CpuQueue && wait.object.is_none()));
    assert!(spinner.woken_by.is_empty());
    for (pid, start_ms) in [(9, None), (8, Some(BEGIN_MS + 130_000))] {
        let error = viewer.life(pid, start_ms, span).expect_err("nobody").to_string();
        assert_eq!(error, format!("no process {pid} in this window"));
    }
}

#[test]
fn a_life_in_a_capture_is_part_of_who_is_there() {
    let viewer = trouble();
    let all = viewer.all().expect("a span");
    let who = viewer.who(all).expect("who");
    let active =
        |task: &SeenTask| task.times.iter().filter(|(class, _)| *class == Class::DiskSync).count() > 0;
    let pid = who.tasks.iter().find(|task| active(task)).and_then(|task| task.pid).expect("one that syncs");
    let life = viewer.life(pid, None, all).expect("a life");
    assert_eq!(Some(&life.process), who.processes.iter().find(|process| process.pid == pid));
    let own = who.tasks.iter().filter(|task| task.pid == Some(pid)).count();
    assert_eq!(life.threads.len(), own);
    assert!(life.waited_for.iter().any(|wait| wait.class == Class::DiskSync && wait.stack.is_some()));
    assert!(life.frames.iter().any(|frame| frame.id == "life.classes"));
}

#[test]
fn sql_has_pages_and_columns_as_they_are_declared() {
    let folder = Folder::new();
    let (word, _writer) = machine::archive(&folder);
    let viewer = viewer(&word);
    let span = of_seconds(0, ALL);
    let query = "select time, pid, class_name, seconds, 2 * seconds as twice, name || '!' as called, unit from task_time \
                 order by time, tid, class_name";
    let first = viewer.sql(query, span, 0).expect("rows");
    let kinds: Vec<_> = first
        .columns
        .iter()
        .map(|column| (column.name.as_str(), column.kind, column.unit.as_deref()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("time", SqlColumnKind::Time, Some("ms UTC")),
            ("pid", SqlColumnKind::Pid, Some("")),
            ("class_name", SqlColumnKind::Class, Some("")),
            ("seconds", SqlColumnKind::Number, Some("s")),
            ("twice", SqlColumnKind::Number, None),
            ("called", SqlColumnKind::Text, None),
            ("unit", SqlColumnKind::Unit, Some("")),
        ]
    );
    assert_eq!((first.rows.len(), first.offset, first.more), (1_000, 0, true));
    let last = viewer.sql(query, span, 5 * ALL as u64 - 3).expect("rows");
    assert_eq!((last.rows.len(), last.more), (3, false));
    assert_eq!(last.rows[2][0], Cell::Int(BEGIN_MS + ALL * 1000));
    let behind = viewer.sql(query, span, 5 * ALL as u64).expect("no row");
    assert_eq!((behind.rows.len(), behind.more), (0, false));
}

#[test]
fn sql_only_reads_and_ends() {
    let viewer = trouble();
    let all = viewer.all().expect("a span");
    for query in ["delete from disk", "attach 'x' as x", "create table x(a)", "selec 1", ""] {
        assert!(viewer.sql(query, all, 0).is_err(), "{query}");
    }
    let much = "with recursive n(i) as (select 1 union all select i + 1 from n limit 400000) \
                select printf('%2000d', i) from n order by random()";
    let error = viewer.sql(much, all, 0).expect_err("too much").whole();
    assert!(error.contains("memory"), "{error}");
}

#[test]
fn every_table_is_listed_with_its_columns() {
    let tables = trouble().tables().tables;
    let of = |name: &str| tables.iter().find(|table| table.name == name).expect("a table");
    let column = of("task_time").columns.iter().find(|column| column.name == "seconds").expect("a column");
    assert_eq!((column.unit.as_str(), column.kind.as_str()), ("s", "counter"));
    assert_eq!(of("disk").by_the_minute.as_deref(), Some("disk_minute"));
    assert_eq!(of("disk_minute").kind, "rollup");
    assert!(!of("disk_minute").columns.is_empty());
}

#[test]
fn two_windows_are_held_against_each_other() {
    let folder = Folder::new();
    let (word, _writer) = machine::archive(&folder);
    let viewer = viewer(&word);
    let (before, after) = (of_seconds(SLOW - 300, SLOW), of_seconds(SLOW, SLOW + 300));
    let found = viewer.compare(before, after).expect("a comparison");
    let class = found.ledger.iter().find(|class| class.class_name == "disk_read").expect("the class");
    assert!((class.first - 0.25).abs() < 0.01 && (class.second - 0.75).abs() < 0.01, "{class:?}");
    assert!(found.notes.iter().all(|note| !note.contains("minutes are compared")), "{:?}", found.notes);
    let long = viewer.compare(of_seconds(0, SLOW), of_seconds(SLOW, ALL)).expect("a comparison");
    assert!(long.notes.iter().any(|note| note.contains("last 15 minutes")), "{:?}", long.notes);
    let waits =
        viewer.breakdown_difference(heldup_model::BreakdownKind::Io, before, after).expect("a difference");
    let class =
        waits.classes.iter().find(|class| class.class.as_deref() == Some("disk_read")).expect("the class");
    assert!((class.difference.unwrap_or(0.0) - 0.5).abs() < 0.01, "{class:?}");
}

#[test]
fn a_focus_leaves_one_process_in_figures_and_stacks() {
    let folder = Folder::new();
    let (word, _writer) = machine::archive(&folder);
    let viewer = viewer(&word);
    let span = of_seconds(100, 220);
    let of = |focus| viewer.figures_of(&["time.classes"], span, 60, focus).expect("a figure");
    let (all, own) = (of(None), of(Some("pid:8")));
    for same in ["unit:spinner.service", "comm:spinner"] {
        let frames = of(Some(same));
        assert_eq!(frames[0].series, own[0].series, "{same}");
        assert_ne!(frames[0].sql, own[0].sql);
    }
    assert!(own[0].sql.contains("pid = 8"), "{}", own[0].sql);
    let has = |frames: &[Frame], class: Class| {
        frames.iter().flat_map(|frame| &frame.series).any(|series| series.name == class.label())
    };
    assert!(has(&all, Class::DiskRead) && has(&all, Class::CpuQueue));
    assert!(!has(&own, Class::DiskRead) && has(&own, Class::CpuQueue));
    let flame = viewer.flame(heldup_model::BreakdownKind::Io, span, Some("pid:7")).expect("stacks").flame;
    assert!(!flame.expect("a flame graph").stacks.is_empty());
    assert!(viewer.figures_of(&["time.classes"], span, 60, Some("nonsense")).is_err());
}

#[test]
fn time_of_several_recordings_is_broken_down() {
    let folder = Folder::new();
    let stacks = folder.word("stacks.folded");
    std::fs::write(&stacks, "reader;main;read 300\nreader;main;work 100\nwriter;main;write 50\n")
        .expect("written");
    let request = ViewRequest { sources: vec![recorded::vmstat(&folder), stacks], ..ViewRequest::default() };
    let viewer = Viewer::open(&request, &Silent).expect("they can be opened");
    let all = viewer.all().expect("a span");
    let found = viewer.flame(heldup_model::BreakdownKind::Cpu, all, None).expect("a breakdown");
    assert_eq!(found.source, viewer.name().unwrap_or_default());
    let stacks = found.flame.expect("stacks").stacks;
    assert!(stacks.iter().any(|stack| stack.program.as_deref() == Some("reader")), "{stacks:?}");
}

#[test]
fn threads_may_share_a_viewer() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Viewer>();
}

#[test]
fn what_is_recorded_is_told_of_archives_only() {
    let folder = Folder::new();
    let word = recorded::capture_file(&folder, "a.heldup", 0.5);
    let error = viewer(&word).status().expect_err("no archive").to_string();
    assert!(error.contains("is not an archive"), "{error}");
    let (word, _writer) = machine::archive(&folder);
    let error = viewer(&word).status().expect_err("nobody has recorded it").to_string();
    assert!(error.contains("no recorder"), "{error}");
    let state = RecorderState {
        pid: 8,
        program: "0.1.0".to_owned(),
        host: "box".to_owned(),
        since_ms: BEGIN_MS,
        until_ms: None,
        interval_ms: 1_000,
        method: "ebpf".to_owned(),
        cpu_budget: 0.01,
        retention_s: 86_400,
        max_bytes: 1 << 30,
        lost_samples: 3,
        last_error: None,
        last_error_ms: None,
    };
    let file = RecorderFile::take(Path::new(&word)).expect("nobody records");
    file.write(&state).expect("written");
    let viewer = viewer(&word);
    let status = viewer.status().expect("a status");
    assert_eq!(
        (status.archive.as_str(), status.running, status.lost_samples),
        (word.as_str(), true, Some(3))
    );
    // Its own process is no part of what it recorded.
    let who = viewer.who(of_seconds(100, 110)).expect("who");
    let pids: Vec<i64> = who.processes.iter().map(|process| process.pid).collect();
    assert_eq!((pids, who.tasks.iter().any(|task| task.pid == Some(8))), (vec![7], false));
}

#[test]
fn vital_signs_are_those_of_the_last_second_as_it_is_written() {
    let folder = Folder::new();
    let (word, mut writer) = machine::archive(&folder);
    let viewer = viewer(&word);
    let now = viewer.vitals().expect("vital signs");
    assert_eq!(now.span, of_seconds(ALL - 1, ALL));
    let vitals = now.vitals;
    assert_eq!((vitals.cpu_busy, vitals.queue, vitals.memory_used), (Some(0.75), Some(0.125), Some(0.75)));
    let disk = vitals.disk.expect("the disk");
    assert_eq!((disk.device.as_str(), disk.latency_s, disk.depth), ("vda", Some(0.0075), Some(0.75)));
    let network = vitals.network.expect("the interface");
    let interface = (network.interface.as_str(), network.bytes_per_s, network.packets_per_s);
    assert_eq!(interface, ("eth0", 3_000.0, Some(15.0)));
    let pressure = vitals.pressure;
    assert_eq!((pressure.cpu, pressure.io, pressure.memory), (Some(0.125), Some(0.75), Some(0.0)));
    // What is asked by SQL says the same.
    let asked = viewer.look(of_seconds(ALL - 1, ALL)).expect("a view").examination.vitals;
    let of_sql = viewer.vitals().expect("vital signs").vitals;
    assert_eq!(of_sql, asked);
    machine::append(&mut writer, ALL + 1..=ALL + 3);
    assert_eq!(viewer.vitals().expect("vital signs").span, of_seconds(ALL + 2, ALL + 3));
    // A second later nothing is new.
    assert_eq!(viewer.vitals().expect("vital signs").span, of_seconds(ALL + 2, ALL + 3));
}

#[test]
fn vital_signs_of_a_capture_are_those_of_its_examination() {
    let viewer = trouble();
    let all = viewer.all().expect("a span");
    assert_eq!(
        viewer.vitals().expect("vital signs").vitals,
        viewer.look(all).expect("a view").examination.vitals
    );
}

#[test]
fn the_time_line_is_the_figure_of_all_that_there_is() {
    let folder = Folder::new();
    let (word, mut writer) = machine::archive(&folder);
    let viewer = viewer(&word);
    let drawn = |steps| {
        let (all, strip) = viewer.strip(steps).expect("a time line");
        (strip.expect("classes"), viewer.figures(&["time.classes"], all, steps).expect("a figure").remove(0))
    };
    let (strip, figure) = drawn(60);
    assert_eq!(strip, figure);
    // A step is 40 s: three seconds change nothing, a minute does.
    machine::append(&mut writer, ALL + 1..=ALL + 3);
    let (same, _) = drawn(60);
    assert_eq!(same, strip);
    machine::append(&mut writer, ALL + 4..=ALL + 60);
    let (later, figure) = drawn(60);
    assert_eq!(later, figure);
    assert!(later.until_ms > strip.until_ms);
}

#[test]
fn what_was_found_before_is_found_again() {
    let folder = Folder::new();
    let (word, mut writer) = machine::archive(&folder);
    let keeps = viewer(&word);
    let of = |viewer: &Viewer| {
        let marks = viewer.marks(viewer.all().expect("a span")).expect("marks");
        let said = |mark: heldup_model::Mark| {
            (mark.span, mark.findings.into_iter().map(|finding| finding.key).collect::<Vec<_>>())
        };
        marks.into_iter().map(said).collect::<Vec<_>>()
    };
    let first = of(&keeps);
    assert!(!first.is_empty());
    machine::append(&mut writer, ALL + 1..=ALL + 600);
    assert_eq!(of(&keeps), of(&viewer(&word)));
}
