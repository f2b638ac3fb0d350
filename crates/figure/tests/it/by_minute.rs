//! A day is drawn by the minute: what one second of it was is still to be seen, and classes are drawn of `class_time`.

use std::fs;
use std::path::PathBuf;

use heldup_archive::Database;
use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
use heldup_archive::kept::{ArchiveFolder, seal};
use heldup_figure::{Ask, answer, find};
use heldup_model::tables::{
    CpuRow, DiskRow, MemoryRow, NetIfRow, PressureRow, SystemRow, TaskTimeRow, VmstatRow,
};
use heldup_model::{Capture, Frame, RowSet, Span};

const BEGIN_MS: i64 = 1_763_700_000_000;
const SECONDS: i64 = 600;
/// The second in which everything is at its limit.
const SPIKE: i64 = 433;

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What one second has.
fn readings(second: i64) -> Vec<Reading> {
    let is_spike = second == SPIKE;
    let of = |usual: f64, spike: f64| Some(if is_spike { spike } else { usual });
    let count = |usual: i64, spike: i64| Some(if is_spike { spike } else { usual });
    let cpu = |cpu_idx| CpuRow {
        cpu_idx: Some(cpu_idx),
        user_s: of(0.1, 0.97),
        idle_s: of(0.9, 0.03),
        ..CpuRow::default()
    };
    let disk = |device: &str, kind: &str| DiskRow {
        device: Some(device.into()),
        kind: Some(kind.into()),
        reads: count(100, 100),
        read_s: of(0.1, 90.0),
        read_bytes: count(409_600, 500_000_000),
        busy_s: of(0.05, 1.0),
        queue_s: of(0.1, 88.0),
        ..DiskRow::default()
    };
    let net =
        NetIfRow { name: Some("eth0".into()), rx_bytes: count(1000, 125_000_000), ..NetIfRow::default() };
    let pressure =
        PressureRow { resource: Some("io".into()), some_s: of(0.0, 0.99), ..PressureRow::default() };
    let memory = MemoryRow { available_bytes: count(8 << 30, 1 << 20), ..MemoryRow::default() };
    let task = |tid, class: &str, group: &str, seconds| TaskTimeRow {
        tid: Some(tid),
        start_ms: Some(5),
        class_name: Some(class.into()),
        group_name: Some(group.into()),
        kernel_thread: Some(false),
        seconds,
        ..TaskTimeRow::default()
    };
    let mut tasks = vec![task(7, "user", "running", Some(0.1)), task(8, "poll", "idle", Some(1.0))];
    if is_spike {
        tasks.extend((10..50).map(|tid| task(tid, "disk_read", "waiting", Some(0.9))));
    }
    let system = SystemRow { runnable: count(1, 64), ..SystemRow::default() };
    let vmstat = VmstatRow { major_faults: count(0, 5000), ..VmstatRow::default() };
    let reading = |rows| Reading { rows, secs: Some(1.0) };
    vec![
        reading(RowSet::increases([cpu(0), cpu(1)])),
        // A partition beside its disk has no picture of its own.
        reading(RowSet::increases([disk("sda", "disk"), disk("sda1", "partition")])),
        reading(RowSet::increases([net])),
        reading(RowSet::increases([pressure])),
        reading(RowSet::increases([memory])),
        reading(RowSet::increases(tasks)),
        reading(RowSet::increases([system])),
        reading(RowSet::increases([vmstat])),
    ]
}

fn recorded(name: &str) -> (Scratch, Capture) {
    let scratch = Scratch(std::env::temp_dir().join(format!("heldup-figure-{name}-{}", std::process::id())));
    let header = SegmentHeader {
        host: "db1".into(),
        boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
        realtime_ms: BEGIN_MS - 1000,
        monotonic_ns: 5_000_000_000,
    };
    let journals = ArchiveFolder::at(&scratch.0).journals();
    let mut writer =
        JournalWriter::create(&journals, &header, JournalSettings::default()).expect("a journal");
    for second in 1..=SECONDS {
        let monotonic_ns = (6 + second as u64) * 1_000_000_000;
        let time_ms = BEGIN_MS + second * 1000;
        writer.append(Sample { time_ms, monotonic_ns, readings: readings(second) }).expect("appended");
    }
    seal(&writer.close().expect("closed"), &scratch.0).expect("sealed");
    let span = Span { since_ms: BEGIN_MS, until_ms: BEGIN_MS + SECONDS * 1000 };
    let capture =
        ArchiveFolder::at(&scratch.0).readings(span, &[], &|_| true, &|_, _| true).expect("readings");
    (scratch, Capture { span, ..capture })
}

fn frame(capture: &Capture, id: &str, steps: usize) -> Frame {
    let figure = find(id).unwrap_or_else(|| panic!("{id}"));
    let frames = answer(figure, capture, Ask { steps, by_minute: true });
    let [frame] = &frames[..] else { panic!("{id}: {} frames", frames.len()) };
    frame.clone()
}

#[test]
fn a_second_at_the_limit_is_seen_in_minutes() {
    let (_scratch, capture) = recorded("spike");
    for (id, series, expected) in [
        ("disk.latency", "read", 0.9),
        ("disk.throughput", "read", 500e6),
        ("disk.busy", "busy", 1.0),
        ("disk.queue", "in flight", 88.0),
        ("disk.pressure", "some", 0.99),
        ("net.throughput", "received", 125e6),
        ("memory.faults", "major", 5000.0),
        ("cpu.busy-by-cpu", "CPU 1", 0.97),
        ("cpu.runnable", "runnable", 64.0),
        ("time.classes", "disk read", 36.0),
    ] {
        let frame = frame(&capture, id, 5);
        let by_class = id == "time.classes";
        assert_eq!(
            (frame.sql.contains("_minute"), frame.sql.contains("class_time")),
            (!by_class, by_class),
            "{id}"
        );
        let drawn = frame.series.iter().find(|drawn| drawn.name == series);
        let drawn = drawn.unwrap_or_else(|| panic!("{id}: {:?}", frame.series));
        let greatest: Vec<f64> = drawn.greatest.iter().flatten().copied().collect();
        let spikes = greatest.iter().filter(|value| (**value - expected).abs() < expected * 1e-9).count();
        assert_eq!(spikes, 1, "{id}: {greatest:?}");
        assert!(drawn.summary.mean.is_some_and(|mean| mean < expected / 2.0), "{id}");
        assert_eq!(drawn.summary.greatest, drawn.greatest.iter().flatten().copied().reduce(f64::max), "{id}");
    }
    let available = frame(&capture, "memory.available", 5);
    let least = available.series[0].least.iter().flatten().copied().fold(f64::MAX, f64::min);
    assert_eq!(least, f64::from(1 << 20), "memory that was available for a second");
}

#[test]
fn classes_over_a_day_are_what_single_tasks_add_up_to() {
    let (_scratch, capture) = recorded("classes");
    let by_class = frame(&capture, "time.classes", 1000);
    assert_eq!(by_class.steps.len() as i64, SECONDS, "by the second");
    let mut of_tasks = capture.clone();
    of_tasks.tables.remove("class_time");
    let figure = find("time.classes").expect("a figure");
    let [by_task] = &answer(figure, &of_tasks, Ask { steps: 1000, by_minute: false })[..] else {
        panic!("a frame")
    };
    assert!(by_task.sql.contains("from task_time where"), "{}", by_task.sql);
    assert_eq!(by_class.steps, by_task.steps);
    let alike = |a: &Option<f64>, b: &Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a == b,
    };
    for (of_class, of_tasks) in by_class.series.iter().zip(&by_task.series) {
        assert_eq!(
            (&of_class.name, of_class.colour, of_class.below),
            (&of_tasks.name, of_tasks.colour, of_tasks.below)
        );
        for (a, b) in
            of_class.mean.iter().zip(&of_tasks.mean).chain(of_class.greatest.iter().zip(&of_tasks.greatest))
        {
            assert!(alike(a, b), "{}: {a:?} and {b:?}", of_class.name);
        }
    }
    let database = Database::open(&capture).expect("a database");
    let rows = |frame: &Frame| database.query(&frame.sql).expect("an answer").rows;
    let (of_classes, of_tasks) = (rows(&by_class), rows(by_task));
    assert_eq!(of_classes.len(), of_tasks.len());
    for (a, b) in of_classes.iter().zip(&of_tasks) {
        assert!(a[..2] == b[..2] && alike(&a[2].as_f64(), &b[2].as_f64()), "{a:?} and {b:?}");
    }
}
