//! Breakdowns of small tables and of an archive.

use std::path::Path;

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
use heldup_archive::kept::{ArchiveFolder, seal};
use heldup_model::tables::{StackRow, SystemCallRow, SystemRow, TaskTimeRow};
use heldup_model::{Method, RowSet, Stamp, Text};

use super::*;
use crate::progress::Silent;

fn text(of: &str) -> Option<Text> {
    Some(of.into())
}

fn time(pid: i64, program: &str, class: Class, seconds: f64) -> TaskTimeRow {
    TaskTimeRow {
        tid: Some(pid),
        pid: Some(pid),
        process_name: text(program),
        class_name: text(class.name()),
        group_name: text(class.group().name()),
        seconds: Some(seconds),
        waits: Some(2),
        ..TaskTimeRow::default()
    }
}

fn stack(program: &str, device: &str, kernel: &str, seconds: f64) -> StackRow {
    StackRow {
        kind: text("wait"),
        pid: Some(7),
        process_name: text(program),
        class_name: text(Class::DiskRead.name()),
        kernel_stack: text(kernel),
        object_device: text(device),
        seconds: Some(seconds),
        samples: Some(1),
        ..StackRow::default()
    }
}

/// Two samples, of 24 s each.
fn capture() -> Capture {
    let at = |time_ms| Stamp { time_ms, secs: Some(24.0), host: "box".into() };
    let batch = |rows: RowSet, time_ms| rows.to_batch(&at(time_ms)).expect("a batch");
    let early = vec![time(7, "reader", Class::DiskRead, 3.0), time(8, "spinner", Class::User, 24.0)];
    let late = vec![time(7, "reader", Class::DiskRead, 1.0), time(9, "waiter", Class::LockUser, 20.0)];
    let stacks = vec![
        stack("reader", "vda", "read;io_schedule", 2.5),
        stack("reader", "sdb", "read;folio_wait", 1.25),
    ];
    let calls = vec![
        SystemCallRow {
            pid: Some(7),
            name: text("reader"),
            syscall: text("read"),
            calls: Some(40),
            ..SystemCallRow::default()
        },
        SystemCallRow {
            pid: Some(7),
            name: text("reader"),
            syscall: text("read"),
            error_name: text("EAGAIN"),
            calls: Some(60),
            ..SystemCallRow::default()
        },
    ];
    let tables = [
        ("task_time", vec![batch(RowSet::increases(early), 24_000), batch(RowSet::increases(late), 48_000)]),
        ("stack", vec![batch(RowSet::increases(stacks), 48_000)]),
        ("system_call", vec![batch(RowSet::increases(calls), 48_000)]),
    ];
    Capture {
        host: "box".to_owned(),
        span: Span { since_ms: 0, until_ms: 48_000 },
        method: Method::Ebpf,
        coverage: 1.0,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: tables.map(|(name, batches)| (name.to_owned(), batches)).into(),
        missing: Vec::new(),
        flaws: Vec::new(),
    }
}

fn drill(kind: BreakdownKind, focus: Option<&str>) -> Drill {
    let focus = focus.map(|focus| focus.parse::<Focus>().expect("a focus"));
    Drill::of(kind, focus.as_ref()).expect("a drill")
}

fn broken_down(kind: BreakdownKind, focus: Option<&str>) -> Breakdown {
    of_tables(&capture(), &drill(kind, focus), true).expect("an answer")
}

/// Programs as lines of words.
fn programs(answer: &Breakdown) -> Vec<String> {
    let word = |value: Option<i64>| value.map_or("-".to_owned(), |value| value.to_string());
    let line = |one: &BreakdownProgram| {
        let BreakdownProgram { amount, program, processes, class, waits } = one;
        let name = program.as_deref().unwrap_or("-");
        format!("{amount} {name} {} {class} {}", word(*processes), word(*waits))
    };
    answer.programs.iter().map(line).collect()
}

/// Two hours and a half of an archive, which begin and end within a minute: a program that goes on, and one
/// of a moment in every sample.
fn recorded(folder: &Path) -> Span {
    const SAMPLES: i64 = 900;
    let begin_ms = 1_763_700_017_000;
    let header = SegmentHeader {
        host: "box".into(),
        boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
        realtime_ms: begin_ms,
        monotonic_ns: 1_000_000_000,
    };
    let settings = JournalSettings { max_age: Duration::from_secs(20_000), ..JournalSettings::default() };
    let journals = ArchiveFolder::at(folder).journals();
    let mut writer = JournalWriter::create(&journals, &header, settings).expect("a journal");
    let time_ms = |number: i64| begin_ms + number * 10_000;
    for number in 1..=SAMPLES {
        let program = if number % 3 == 0 { "sed" } else { "sh" };
        let moment = |class| TaskTimeRow {
            start_ms: Some(time_ms(number) - 400),
            exited: Some(true),
            cgroup: text(if program == "sed" { "/work" } else { "/other" }),
            ..time(1_000 + number, program, class, 0.01 + number as f64 / 1e6)
        };
        let stays = TaskTimeRow { start_ms: Some(5), ..time(7, "reader", Class::DiskRead, 3.0) };
        let call = SystemCallRow {
            pid: Some(1_000 + number),
            name: text(program),
            syscall: text("read"),
            calls: Some(number),
            ..SystemCallRow::default()
        };
        let reading = |rows| Reading { rows, secs: Some(10.0) };
        let readings = vec![
            reading(RowSet::increases([SystemRow { load1: Some(1.0), ..SystemRow::default() }])),
            reading(RowSet::increases([moment(Class::User), moment(Class::DiskRead), stays])),
            reading(RowSet::increases([call])),
        ];
        let monotonic_ns = 1_000_000_000 + number as u64 * 10_000_000_000;
        writer.append(Sample { time_ms: time_ms(number), monotonic_ns, readings }).expect("appended");
    }
    seal(&writer.close().expect("closed"), folder).expect("sealed");
    Span { since_ms: begin_ms, until_ms: time_ms(SAMPLES) }
}

#[test]
fn a_long_window_has_the_same_sums_by_the_minute() {
    let folder = std::env::temp_dir().join(format!("heldup-breakdown-{}", std::process::id()));
    let span = recorded(&folder);
    let archive = ArchiveSource::open("archive", &folder, None).expect("an archive");
    let of = |span, drill| {
        let (capture, drill) = of_archive(&archive, span, drill, &Silent).expect("a window");
        (of_tables(&capture, &drill, false).expect("an answer"), capture)
    };
    for kind in [BreakdownKind::Io, BreakdownKind::Cpu, BreakdownKind::Calls] {
        let seconds = drill(kind, None);
        let by_the_second = archive.readings(Some(span), &seconds.needs(), &Silent).expect("readings");
        let expected = of_tables(&by_the_second, &seconds, false).expect("an answer");
        let (found, capture) = of(span, drill(kind, None));
        let tables: Vec<&String> = capture.tables.keys().collect();
        assert!(tables.iter().any(|name| name.ends_with("_minute")), "{tables:?}");
        assert!(!tables.iter().any(|name| ["task_time", "system_call"].contains(&name.as_str())));
        assert!(!expected.programs.is_empty());
        assert_eq!(found.programs.len(), expected.programs.len());
        for (found, expected) in found.programs.iter().zip(&expected.programs) {
            assert!(
                (found.amount - expected.amount).abs() < 1e-6 * expected.amount,
                "{found:?} {expected:?}"
            );
            // Calls by the minute do not say of how many processes they are.
            let processes = expected.processes.filter(|_| kind != BreakdownKind::Calls);
            assert_eq!(found, &BreakdownProgram { amount: found.amount, processes, ..expected.clone() });
        }
        // A part is whole minutes; together they are all of it.
        let parts = &found.parts;
        assert!(parts.len() as u64 <= PARTS && parts.len() > 8, "{} parts", parts.len());
        assert!(parts.iter().all(|part| part.from.ends_with(":00Z")), "{parts:?}");
    }
    let first = "select count(*), min(time) from system";
    let all = archive.readings(None, first, &Silent).expect("readings");
    let answer = Database::open(&all).and_then(|database| database.query(first)).expect("an answer");
    let begins = Value::Int(span.since_ms + 10_000);
    assert_eq!(answer.rows, [[Value::Int(900), begins]], "the first sample of sealed files too");
    let hour = Span { since_ms: span.until_ms - LAST_MS, ..span };
    let (_, capture) = of(hour, drill(BreakdownKind::Io, None));
    assert!(capture.tables.contains_key("task_time"), "an hour is told by the second");
    let (_, capture) = of(span, drill(BreakdownKind::Io, Some("pid:7")));
    assert!(capture.tables.contains_key("task_time"), "who is meant is told by the second");
    // A group is found though no answer names it, and calls are of its processes.
    let focus = "cgroup:/work".parse::<Focus>().expect("a focus");
    for kind in [BreakdownKind::Io, BreakdownKind::Calls] {
        let asked = drill(kind, Some("cgroup:/work"));
        let (capture, asked) = of_archive(&archive, span, asked, &Silent).expect("a window");
        let cut = cut(&capture, Some(&focus), None);
        assert!(cut.errors.is_empty(), "{:?}", cut.errors);
        let found = of_tables(&cut.capture, &asked, false).expect("an answer");
        let found: Vec<_> = found.programs.iter().map(|one| one.program.as_deref()).collect();
        assert_eq!(found, [Some("sed")]);
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn each_kind_has_its_own_classes() {
    let who = |kind| programs(&broken_down(kind, None));
    assert_eq!(who(BreakdownKind::Wait), ["20 waiter 1 lock_user 2", "4 reader 1 disk_read 4"]);
    assert_eq!(who(BreakdownKind::Io), ["4 reader 1 disk_read 4"]);
    assert_eq!(who(BreakdownKind::Lock), ["20 waiter 1 lock_user 2"]);
    assert_eq!(who(BreakdownKind::Cpu), ["24 spinner 1 user 2"]);
    assert!(who(BreakdownKind::Memory).is_empty());
    assert_eq!(who(BreakdownKind::Calls), ["60 reader 1 read EAGAIN -", "40 reader 1 read -"]);
}

#[test]
fn a_sample_belongs_to_the_part_that_it_ends() {
    let parts = broken_down(BreakdownKind::Wait, None).parts;
    let told: Vec<_> = parts.iter().map(|part| (part.from.as_str(), part.amount, part.top_amount)).collect();
    assert_eq!(told, [("1970-01-01T00:00:20Z", 3.0, 3.0), ("1970-01-01T00:00:44Z", 21.0, 20.0)]);
    assert_eq!(parts[1].top_program.as_deref(), Some("waiter"));
    assert_eq!(parts[1].to, "1970-01-01T00:00:48Z", "no part is longer than the window");
}

#[test]
fn of_a_device_stacks_tell_all() {
    let of_vda = broken_down(BreakdownKind::Io, Some("device:vda"));
    assert_eq!(programs(&of_vda), ["2.5 reader 1 disk_read 1"]);
    assert_eq!(of_vda.places.len(), 1, "{:?}", of_vda.places);
    let frames = "reader;disk_read;read;io_schedule".to_owned();
    assert_eq!(of_vda.stacks, [BreakdownStack { frames, value: 2_500_000 }]);
    // A quote in a name is one of the name.
    assert!(broken_down(BreakdownKind::Io, Some("device:v'a")).stacks.is_empty());
    for focus in ["device:vda", "mount:/"] {
        let focus = focus.parse().expect("a focus");
        assert!(Drill::of(BreakdownKind::Calls, Some(&focus)).is_err());
    }
}

#[test]
fn a_flame_graph_has_calls_and_objects_of_its_kind() {
    let capture = capture();
    let database = Database::open(&capture).expect("tables");
    let of = |kind, focus| {
        let drill = drill(kind, focus);
        stacks::flame(&database, &capture, &drill, Origin::Kept).expect("stacks")
    };
    let io = of(BreakdownKind::Io, None);
    let seen: Vec<_> = io.stacks.iter().map(|one| (one.amount, one.object.as_deref())).collect();
    assert_eq!(seen, [(2.5, Some("vda")), (1.25, Some("sdb"))]);
    assert_eq!(of(BreakdownKind::Io, Some("device:sdb")).stacks.len(), 1);
    let cpu = of(BreakdownKind::Cpu, None);
    assert!(cpu.stacks.is_empty() && cpu.gaps.missing.is_some(), "{cpu:?}");
}

#[test]
fn windows_of_different_length_are_held_against_each_other_per_second() {
    let mut before = broken_down(BreakdownKind::Wait, None);
    let mut after = before.clone();
    (before.length_s, after.length_s) = (48.0, 12.0);
    after.programs.retain(|one| one.class == "disk_read");
    let found = difference(&before, &after);
    let classes: Vec<_> =
        found.classes.iter().map(|row| (row.class.as_deref(), row.before, row.after)).collect();
    let some = Some::<f64>;
    let lock = (Some("lock_user"), some(20.0 / 48.0), some(0.0));
    assert_eq!(classes, [lock, (Some("disk_read"), some(4.0 / 48.0), some(4.0 / 12.0))]);
    let signs: Vec<_> = found.classes.iter().map(|row| row.difference.map(f64::signum)).collect();
    assert_eq!(signs, [Some(-1.0), Some(1.0)]);
    // Without a length only shares can be compared.
    before.length_s = 0.0;
    let found = difference(&before, &after);
    assert_eq!(found.per, heldup_model::DifferencePer::Total);
    assert_eq!(found.classes.iter().filter_map(|row| row.after).sum::<f64>(), 1.0);
}

#[test]
fn a_class_that_a_window_does_not_tell_is_not_zero() {
    let ledger = broken_down(BreakdownKind::Wait, None);
    let stacks = heldup_model::Flame {
        stacks: vec![heldup_model::FlameStack {
            class: Some("disk_read".to_owned()),
            amount: 2.0,
            ..heldup_model::FlameStack::default()
        }],
        ..heldup_model::Flame::default()
    };
    let profile = Breakdown { programs: Vec::new(), flame: Some(stacks), ..ledger.clone() };
    let found = difference(&profile, &ledger);
    let class = |name: &str| {
        let row = found.classes.iter().find(|row| row.class.as_deref() == Some(name)).expect("a row");
        (row.before_amount, row.after_amount, row.difference.is_some())
    };
    assert_eq!(class("disk_read"), (Some(2.0), Some(4.0), true));
    assert_eq!(class("lock_user"), (None, Some(20.0), false));
    let untold = Breakdown { not_measured: vec!["lock_user".to_owned()], ..ledger.clone() };
    assert!(difference(&untold, &ledger).classes.iter().any(|row| row.before.is_none()));
}

#[test]
fn a_source_names_a_part_of_its_time() {
    let request = |source: &str, since: Option<&str>| BreakdownRequest {
        redact: false,
        kind: BreakdownKind::Wait,
        source: Some(source.to_owned()),
        window: None,
        span: AskedSpan { since: since.map(str::to_owned), ..AskedSpan::default() },
        focus: None,
        method: MethodChoice::Auto,
        stacks: false,
        flame: false,
    };
    let part = request("day@03:00..03:10", None);
    let (source, span) = side_of(&part).expect("a part");
    assert_eq!(
        (source, span.since.as_deref(), span.until.as_deref()),
        (Some("day"), Some("03:00"), Some("03:10"))
    );
    let last = request("@last", Some("+2m"));
    let (source, span) = side_of(&last).expect("a source");
    assert_eq!((source, span.since.as_deref()), (Some("@last"), Some("+2m")));
    assert!(side_of(&request("day@03:00..", Some("03:05"))).is_err());
}
