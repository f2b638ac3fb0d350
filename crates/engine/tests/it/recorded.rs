//! What the requests are made of: a small machine as a capture, in an archive, and in the words of another tool.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
use heldup_archive::kept::{ArchiveFolder, seal};
use heldup_archive::store;
use heldup_model::tables::{HostRow, StackRow, SystemRow, TaskTimeRow};
use heldup_model::{Capture, Method, Record, RowSet, Span, Stamp, Text};

/// 2025-11-21 04:40:00 UTC.
pub const BEGIN_MS: i64 = 1_763_700_000_000;
/// Seconds of a capture.
pub const SECONDS: i64 = 40;

/// A folder that goes with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heldup-engine-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A name in it, as a word of a request.
    pub fn word(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a name").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(of: &str) -> Option<Text> {
    Some(of.into())
}

fn time(pid: i64, program: &str, class: &str, group: &str, seconds: f64) -> TaskTimeRow {
    TaskTimeRow {
        tid: Some(pid),
        pid: Some(pid),
        start_ms: Some(5),
        process_name: text(program),
        class_name: text(class),
        group_name: text(group),
        seconds: Some(seconds),
        kernel_thread: Some(false),
        waits: Some(10),
        ..TaskTimeRow::default()
    }
}

/// What tasks did in a second: one computes, one waits for a disk for so much of it.
fn tasks(waiting: f64) -> RowSet {
    RowSet::increases([
        time(7, "reader", "disk_read", "waiting", waiting),
        time(7, "reader", "user", "running", 1.0 - waiting),
        time(8, "spinner", "user", "running", 1.0),
    ])
}

fn host() -> RowSet {
    let row = HostRow {
        name: text("box"),
        kernel: text("6.1.0"),
        cpus: Some(2),
        memory_bytes: Some(1 << 30),
        ..HostRow::default()
    };
    RowSet::increases([row])
}

/// A capture in which the reader waits for so much of its time.
pub fn capture(waiting: f64) -> Capture {
    let at = |second: i64| Stamp { time_ms: BEGIN_MS + second * 1000, secs: Some(1.0), host: "box".into() };
    let batch = |rows: RowSet, second| rows.to_batch(&at(second)).expect("a batch");
    let stack = StackRow {
        kind: text("wait"),
        pid: Some(7),
        process_name: text("reader"),
        class_name: text("disk_read"),
        kernel_stack: text("read;io_schedule"),
        object_device: text("vda"),
        seconds: Some(waiting * SECONDS as f64),
        samples: Some(100),
        ..StackRow::default()
    };
    // A load that varies a little, as all do.
    let varied = |second: i64| waiting * (1.0 + (second * 7 % 5 - 2) as f64 / 50.0);
    let seconds = 1..=SECONDS;
    let system =
        |second| batch(RowSet::increases([SystemRow { load1: Some(1.0), ..SystemRow::default() }]), second);
    let tables = [
        ("task_time", seconds.clone().map(|second| batch(tasks(varied(second)), second)).collect::<Vec<_>>()),
        ("system", seconds.map(system).collect()),
        ("host", vec![batch(host(), SECONDS)]),
        ("stack", vec![batch(RowSet::increases([stack]), SECONDS)]),
    ];
    Capture {
        host: "box".to_owned(),
        span: Span { since_ms: BEGIN_MS, until_ms: BEGIN_MS + SECONDS * 1000 },
        method: Method::Ebpf,
        coverage: 1.0,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: tables.map(|(name, batches)| (name.to_owned(), batches)).into(),
        missing: Vec::new(),
        flaws: Vec::new(),
    }
}

/// The same as a file.
pub fn capture_file(folder: &Folder, name: &str, waiting: f64) -> String {
    let word = folder.word(name);
    store::save_file(&capture(waiting), Path::new(&word), false).expect("written");
    word
}

/// Half an hour of an archive, in which the reader waits most of the time.
pub fn archive(folder: &Folder) -> String {
    let word = folder.word("archive");
    let header = SegmentHeader {
        host: "box".into(),
        boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
        realtime_ms: BEGIN_MS,
        monotonic_ns: 1_000_000_000,
    };
    let settings = JournalSettings { max_age: Duration::from_secs(9_000), ..JournalSettings::default() };
    let journals = ArchiveFolder::at(Path::new(&word)).journals();
    let mut writer = JournalWriter::create(&journals, &header, settings).expect("a journal");
    for second in 1..=1_800_i64 {
        let of = |rows| Reading { rows, secs: Some(1.0) };
        let system = RowSet::increases([SystemRow { load1: Some(1.0), ..SystemRow::default() }]);
        let mut readings = vec![of(tasks(0.9)), of(system)];
        if second == 1 {
            readings.push(Reading { rows: host(), secs: None });
        }
        let monotonic_ns = 1_000_000_000 + second as u64 * 1_000_000_000;
        let sample = Sample { time_ms: BEGIN_MS + second * 1000, monotonic_ns, readings };
        writer.append(sample).expect("appended");
    }
    seal(&writer.close().expect("closed"), Path::new(&word)).expect("sealed");
    word
}

/// What `vmstat 1` printed.
pub fn vmstat(folder: &Folder) -> String {
    let mut text = "$ vmstat 1\n\
                    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                    r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        .to_owned();
    for second in 0..20 {
        text.push_str(&format!(
            " 4  0      0 {free} 10240 204800    0    0     0     0  900 1200 90  9  1  0  0\n",
            free = 400_000 + second
        ));
    }
    let word = folder.word("vmstat.txt");
    std::fs::write(&word, text).expect("written");
    word
}

/// What `vmstat 1` printed for ten minutes: from the fifth to the sixth two CPUs have twelve runnable tasks.
pub fn vmstat_with_a_bad_minute(folder: &Folder) -> String {
    let mut text = "$ vmstat 1\n\
                    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                    r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        .to_owned();
    // The first line is of the time since boot.
    for second in 0..=600 {
        let (runnable, cpu) = if (301..=360).contains(&second) { (12, "90  9  1") } else { (1, " 4  3 93") };
        let free = 400_000 + second;
        text.push_str(&format!(
            "{runnable:2}  0      0 {free} 10240 204800    0    0     0     0  900 1200 {cpu}  0  0\n"
        ));
    }
    let word = folder.word("vmstat-10.txt");
    std::fs::write(&word, text).expect("written");
    word
}

/// The name of a table's rows, so that a test says which it means.
pub const TASK_TIME: &str = TaskTimeRow::DEF.name;

/// What `sar -u` of HP-UX printed on 8 May 2019 each ten minutes: from 10:00 to 11:00 all CPUs are busy.
pub fn sar_day(folder: &Folder) -> String {
    let mut text =
        "\nHP-UX erpdb B.11.31 U ia64    05/08/19\n\n00:00:00    %usr    %sys    %wio   %idle\n".to_owned();
    for sample in 1..144 {
        let (user, idle) =
            if (61..=66).contains(&sample) { (88, 2) } else { (9 + sample % 7, 75 - sample % 7) };
        let (hour, minute) = (sample / 6, sample % 6 * 10);
        text.push_str(&format!(
            "{hour:02}:{minute:02}:00 {user:7} {:7} {:7} {idle:7}\n",
            10,
            100 - 10 - user - idle
        ));
    }
    let word = folder.word("sar.txt");
    std::fs::write(&word, text).expect("written");
    word
}
