//! Who is gathered of small batches.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use heldup_model::tables::{ProcessIoRow, ProcessRow, TaskTimeRow};
use heldup_model::{Class, Record, RowSet, Span, Stamp, Text, Who};

use super::{Gathered, Trace};

type Tables = BTreeMap<String, Vec<RecordBatch>>;

const SPAN: Span = Span { since_ms: 100_000, until_ms: 104_000 };

fn text(of: &str) -> Option<Text> {
    Some(of.into())
}

/// A second's rows of a table.
fn rows<R: Record>(second: i64, rows: impl IntoIterator<Item = R>) -> RecordBatch {
    let stamp = Stamp { time_ms: SPAN.since_ms + second * 1000, secs: Some(1.0), host: "box".into() };
    RowSet::increases(rows).to_batch(&stamp).expect("a batch")
}

fn task(tid: i64, pid: i64, class: Class, seconds: f64) -> TaskTimeRow {
    TaskTimeRow {
        tid: Some(tid),
        start_ms: Some(5_000),
        pid: Some(pid),
        name: text(&format!("t{tid}")),
        process_name: text("server"),
        class_name: text(class.name()),
        kernel_thread: Some(false),
        unit: text("server.service"),
        seconds: Some(seconds),
        ..TaskTimeRow::default()
    }
}

fn process(pid: i64, start_ms: i64, name: &str) -> ProcessRow {
    ProcessRow {
        pid: Some(pid),
        start_ms: Some(start_ms),
        name: text(name),
        kernel_thread: Some(false),
        user_s: Some(0.25),
        system_s: Some(0.5),
        ..ProcessRow::default()
    }
}

fn tables(of: impl IntoIterator<Item = (&'static str, RecordBatch)>) -> Tables {
    let mut tables = Tables::new();
    for (table, batch) in of {
        tables.entry(table.to_owned()).or_default().push(batch);
    }
    tables
}

fn gathered(pieces: &[Tables]) -> Gathered {
    let trace = Some(Trace { span: SPAN, steps: 2 });
    let mut all = Gathered::new(SPAN.since_ms, false, trace);
    for piece in pieces {
        let mut part = Gathered::new(SPAN.since_ms, false, trace);
        part.add(piece);
        all.append(part);
    }
    all
}

fn who(pieces: &[Tables]) -> Who {
    gathered(pieces).who(SPAN, None, 10)
}

#[test]
fn seconds_of_threads_add_up_by_class_whatever_the_pieces() {
    let first = || rows(1, [task(7, 7, Class::User, 0.25), task(8, 7, Class::DiskSync, 0.5)]);
    let later = || {
        let renamed = TaskTimeRow { name: text("renamed"), ..task(8, 7, Class::DiskSync, 0.25) };
        rows(3, [task(7, 7, Class::User, 0.5), task(7, 7, Class::Kernel, 0.125), renamed])
    };
    let one = who(&[tables([("task_time", first()), ("task_time", later())])]);
    let two = who(&[tables([("task_time", first())]), tables([("task_time", later())])]);
    assert_eq!(one, two);
    let of: Vec<_> =
        one.tasks.iter().map(|task| (task.tid, task.name.as_str(), task.times.clone())).collect();
    assert_eq!(
        of,
        [
            (7, "t7", vec![(Class::User, 0.75), (Class::Kernel, 0.125)]),
            (8, "renamed", vec![(Class::DiskSync, 0.75)])
        ]
    );
    // The ledger alone knows the process.
    let process = &one.processes[0];
    assert_eq!((process.pid, process.name.as_str()), (7, "server"));
    assert_eq!((process.unit.as_deref(), process.cpu_s), (Some("server.service"), None));
}

#[test]
fn counts_of_a_process_add_up_and_the_rest_is_the_last_reading() {
    let at = |second, name, anon, resident| {
        let read = ProcessRow {
            anon_bytes: Some(anon),
            resident_bytes: resident,
            major_faults: Some(2),
            ..process(7, 5_000, name)
        };
        ("process", rows(second, [read]))
    };
    let pieces = [
        tables([at(1, "young", 1_000, Some(5_000)), at(2, "old", 4_000, Some(6_000))]),
        tables([at(4, "old", 3_000, None)]),
    ];
    let seen = who(&pieces).processes.remove(0);
    assert_eq!((seen.name.as_str(), seen.cpu_s, seen.major_faults), ("old", Some(2.25), Some(6)));
    // What was not read the last time is known from before.
    assert_eq!((seen.resident_bytes, seen.growth_bytes), (Some(6_000), Some(2_000)));
    // A process that began in the window has grown by all that it has.
    let mut new = tables([at(4, "old", 3_000, None)]);
    new.insert(
        "process".to_owned(),
        vec![rows(4, [ProcessRow { anon_bytes: Some(9), ..process(9, 101_000, "new") }])],
    );
    assert_eq!(who(&[new]).processes[0].growth_bytes, Some(9));
}

#[test]
fn io_is_the_ledgers_where_it_has_some_and_without_that_of_children() {
    let io = |read: i64, child_faults: i64| ProcessRow {
        read_bytes: Some(read),
        write_bytes: Some(0),
        child_minor_faults: Some(child_faults),
        ..process(7, 5_000, "reader")
    };
    let proc = tables([("process", rows(1, [io(100, 0)])), ("process", rows(2, [io(50_000, 3)]))]);
    let seen = who(std::slice::from_ref(&proc)).processes.remove(0);
    assert_eq!((seen.read_bytes, seen.write_bytes), (Some(100), Some(0)));
    let of_ledger = ProcessIoRow {
        pid: Some(7),
        start_ms: Some(5_000),
        read_bytes: Some(70),
        write_bytes: Some(30),
        ..ProcessIoRow::default()
    };
    let mut both = proc;
    both.insert("process_io".to_owned(), vec![rows(2, [of_ledger])]);
    let seen = who(&[both]).processes.remove(0);
    assert_eq!((seen.read_bytes, seen.write_bytes), (Some(70), Some(30)));
}

#[test]
fn a_number_that_was_given_again_is_the_later_process() {
    let former =
        TaskTimeRow { exited: Some(true), process_name: text("former"), ..task(7, 7, Class::User, 0.5) };
    let later = TaskTimeRow { start_ms: Some(102_000), ..task(7, 7, Class::Kernel, 0.25) };
    let all = tables([
        ("process", rows(1, [process(7, 5_000, "former")])),
        ("task_time", rows(1, [former])),
        ("task_time", rows(3, [later])),
        ("process", rows(4, [process(7, 102_010, "server")])),
    ]);
    let who = who(&[all]);
    assert_eq!(who.processes.len(), 1);
    let process = &who.processes[0];
    assert_eq!((process.name.as_str(), process.ended, process.cpu_s), ("server", false, Some(0.75)));
    assert_eq!(who.tasks.len(), 1);
    assert_eq!(who.tasks[0].times, [(Class::Kernel, 0.25)]);
    let of_name = &who.short_lived[0];
    assert_eq!(
        (of_name.name.as_str(), of_name.processes, of_name.times.as_slice()),
        ("former", Some(1), &[(Class::User, 0.5)][..])
    );
}

#[test]
fn the_recorder_itself_is_left_out_and_who_has_ended_is_marked() {
    let ended = TaskTimeRow { exited: Some(true), ..task(7, 7, Class::User, 0.5) };
    let all = tables([("task_time", rows(1, [ended, task(9, 9, Class::User, 0.5)]))]);
    let who = gathered(&[all]).who(SPAN, Some(9), 10);
    let pids: Vec<(i64, bool)> = who.processes.iter().map(|process| (process.pid, process.ended)).collect();
    assert_eq!((pids, who.tasks.len()), (vec![(7, true)], 1));
    assert!(who.over_time.expect("asked for").processes.iter().all(|process| process.pid == 7));
}

#[test]
fn over_time_a_step_that_was_not_recorded_is_not_known() {
    let all = tables([
        ("task_time", rows(1, [task(7, 7, Class::User, 0.5), task(8, 8, Class::DiskSync, 0.9)])),
        ("task_time", rows(2, [task(7, 7, Class::User, 0.5), task(7, 7, Class::Park, 0.5)])),
    ]);
    let over_time = who(&[all]).over_time.expect("asked for");
    let steps: Vec<(i64, i64)> = over_time.steps.iter().map(|step| (step.since_ms, step.until_ms)).collect();
    assert_eq!(steps, [(100_000, 102_000), (102_000, 104_000)]);
    let of: Vec<_> = over_time
        .processes
        .iter()
        .map(|process| (process.pid, process.classes[0].class, process.classes[0].tasks.clone()))
        .collect();
    assert_eq!(of, [(7, Class::User, vec![Some(0.5), None]), (8, Class::DiskSync, vec![Some(0.45), None])]);
    assert!(over_time.processes.iter().all(|process| process.classes.len() == 1), "idle time is not shown");
}

#[test]
fn a_reading_behind_the_window_counts_where_it_covers_its_end() {
    let behind = |second| tables([("process", rows(second, [process(7, 5_000, "server")]))]);
    let mut covered = gathered(&[]);
    covered.add_covering(&behind(5), SPAN.until_ms);
    assert!(!covered.lacks_processes());
    let mut late = gathered(&[]);
    late.add_covering(&behind(6), SPAN.until_ms);
    assert!(late.lacks_processes());
}
