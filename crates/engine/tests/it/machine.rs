//! A recorder's archive of a small machine of which every table is read that a view asks: half an hour is sealed, ten
//! minutes are still a journal.

use std::path::Path;
use std::time::Duration;

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
use heldup_archive::kept::{ArchiveFolder, seal};
use heldup_model::tables::{
    CpuTimeRow, DiskRow, HostRow, MemoryRow, NetIfRow, ObjectTimeRow, PressureRow, ProcessIoRow, ProcessRow,
    StackRow, SystemRow, TaskTimeRow,
};
use heldup_model::{Class, Record, RowSet, Text};

use crate::recorded::{BEGIN_MS, Folder};

/// Seconds that are sealed, and all.
pub const SEALED: i64 = 1_800;
pub const ALL: i64 = 2_400;
/// From here on the reader waits for most of its time.
pub const SLOW: i64 = 1_200;

fn text(of: &str) -> Option<Text> {
    Some(of.into())
}

fn time(tid: i64, pid: i64, program: &str, class: Class, seconds: f64) -> TaskTimeRow {
    TaskTimeRow {
        tid: Some(tid),
        pid: Some(pid),
        start_ms: Some(BEGIN_MS - 5_000),
        name: text(&format!("{program}-{tid}")),
        process_name: text(program),
        class_name: text(class.name()),
        group_name: text(class.group().name()),
        seconds: Some(seconds),
        kernel_thread: Some(false),
        unit: text(&format!("{program}.service")),
        waits: Some(10),
        ..TaskTimeRow::default()
    }
}

/// The part of a second that the reader waits for its disk.
pub fn waiting(second: i64) -> f64 {
    if second > SLOW { 0.75 } else { 0.25 }
}

fn process(pid: i64, name: &str, second: i64) -> ProcessRow {
    ProcessRow {
        pid: Some(pid),
        start_ms: Some(BEGIN_MS - 5_000),
        name: text(name),
        command: text(&format!("/usr/bin/{name} --now")),
        kernel_thread: Some(false),
        unit: text(&format!("{name}.service")),
        threads: Some(if pid == 7 { 2 } else { 1 }),
        user_s: Some(0.5),
        system_s: Some(0.125),
        resident_bytes: Some(1_000_000 + second),
        anon_bytes: Some(1_000 * second),
        read_bytes: Some(4_096),
        write_bytes: Some(0),
        child_minor_faults: Some(0),
        ..ProcessRow::default()
    }
}

/// Rows of a second.
fn of<R: Record>(rows: impl IntoIterator<Item = R>) -> Reading {
    Reading { rows: RowSet::increases(rows), secs: Some(1.0) }
}

/// The disk, the interfaces, stalls, CPUs and memory in a second.
fn of_resources(waiting: f64) -> Vec<Reading> {
    let disk = DiskRow {
        device: text("vda"),
        kind: text("disk"),
        reads: Some(100),
        writes: Some(0),
        read_bytes: Some(409_600),
        write_bytes: Some(0),
        read_s: Some(waiting),
        write_s: Some(0.0),
        busy_s: Some(0.5),
        queue_s: Some(waiting),
        ..DiskRow::default()
    };
    let interface = |name: &str, bytes| NetIfRow {
        netns: Some(1),
        name: text(name),
        rx_bytes: Some(bytes),
        tx_bytes: Some(bytes / 2),
        rx_packets: Some(10),
        tx_packets: Some(5),
        ..NetIfRow::default()
    };
    let stalled = |resource: &str, some_s| PressureRow {
        resource: text(resource),
        some_s: Some(some_s),
        ..PressureRow::default()
    };
    let cpu = |cpu_idx, busy_s| CpuTimeRow {
        cpu_idx: Some(cpu_idx),
        busy_s: Some(busy_s),
        idle_s: Some(1.0 - busy_s),
        ..CpuTimeRow::default()
    };
    let memory =
        MemoryRow { total_bytes: Some(1 << 30), available_bytes: Some(1 << 28), ..MemoryRow::default() };
    vec![
        of([disk]),
        of([interface("lo", 9_000_000), interface("eth0", 2_000)]),
        of([stalled("cpu", 0.125), stalled("io", waiting), stalled("memory", 0.0)]),
        of([cpu(0, 1.0), cpu(1, 0.5)]),
        of([memory]),
    ]
}

/// Stacks of a minute.
fn stacks() -> Reading {
    let stack = |kernel: &str, seconds, waker: &str| StackRow {
        kind: text("wait"),
        tid: Some(7),
        pid: Some(7),
        process_name: text("reader"),
        class_name: text("disk_read"),
        kernel_stack: text(kernel),
        syscall: text("read"),
        object_kind: text("device"),
        object_name: text("vda"),
        object_device: text("vda"),
        waker_tid: Some(1),
        waker_pid: Some(1),
        waker_name: text(waker),
        seconds: Some(seconds),
        samples: Some(10),
        ..StackRow::default()
    };
    let rows = [stack("read;filemap_fault", 5.0, "swapper"), stack("read;io_schedule", 10.0, "kworker")];
    Reading { rows: RowSet::increases(rows), secs: Some(60.0) }
}

fn readings(second: i64) -> Vec<Reading> {
    let waiting = waiting(second);
    let tasks = [
        time(7, 7, "reader", Class::DiskRead, waiting),
        time(7, 7, "reader", Class::User, 1.0 - waiting),
        time(70, 7, "reader", Class::Park, 1.0),
        time(8, 8, "spinner", Class::User, 0.875),
        time(8, 8, "spinner", Class::CpuQueue, 0.125),
    ];
    let wait = ObjectTimeRow {
        pid: Some(7),
        process_name: text("reader"),
        class_name: text("disk_read"),
        object_kind: text("device"),
        object_name: text("vda"),
        object_device: text("vda"),
        seconds: Some(waiting / 2.0),
        waits: Some(5),
        ..ObjectTimeRow::default()
    };
    let io = ProcessIoRow {
        pid: Some(7),
        start_ms: Some(BEGIN_MS - 5_000),
        name: text("reader"),
        read_bytes: Some(4_000),
        write_bytes: Some(96),
        ..ProcessIoRow::default()
    };
    let mut all = vec![
        of([SystemRow { load1: Some(1.0), ..SystemRow::default() }]),
        of(tasks),
        of([process(7, "reader", second), process(8, "spinner", second)]),
        of([io]),
        of([wait]),
    ];
    all.extend(of_resources(waiting));
    if second % 60 == 0 {
        all.push(stacks());
    }
    if second % SEALED == 1 {
        let host = HostRow {
            name: text("box"),
            kernel: text("6.1.0"),
            cpus: Some(2),
            memory_bytes: Some(1 << 30),
            ..HostRow::default()
        };
        all.push(Reading { rows: RowSet::increases([host]), secs: None });
    }
    all
}

/// Writes seconds into a journal that begins with the first of them.
pub fn write(archive: &Path, seconds: std::ops::RangeInclusive<i64>) -> JournalWriter {
    let begun = seconds.start() - 1;
    let header = SegmentHeader {
        host: "box".into(),
        boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
        realtime_ms: BEGIN_MS + begun * 1000,
        monotonic_ns: (begun as u64 + 1) * 1_000_000_000,
    };
    let settings = JournalSettings { max_age: Duration::from_secs(9_000), ..JournalSettings::default() };
    let journals = ArchiveFolder::at(archive).journals();
    let mut writer = JournalWriter::create(&journals, &header, settings).expect("a journal");
    append(&mut writer, seconds);
    writer
}

/// Goes on writing.
pub fn append(writer: &mut JournalWriter, seconds: std::ops::RangeInclusive<i64>) {
    for second in seconds {
        let monotonic_ns = (second as u64 + 1) * 1_000_000_000;
        let time_ms = BEGIN_MS + second * 1000;
        writer.append(Sample { time_ms, monotonic_ns, readings: readings(second) }).expect("appended");
    }
}

/// The archive; whoever records it goes on.
pub fn archive(folder: &Folder) -> (String, JournalWriter) {
    let word = folder.word("machine");
    let root = Path::new(&word);
    let first = write(root, 1..=SEALED);
    seal(&first.close().expect("closed"), root).expect("sealed");
    let goes_on = write(root, SEALED + 1..=ALL);
    (word, goes_on)
}
