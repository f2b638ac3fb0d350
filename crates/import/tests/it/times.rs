//! When a recording was made, and of which host: what the files say, or unknown.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use arrow_array::RecordBatch;
use heldup_import::{Bundle, Hints, Import, Limits, Merged, merge, read};
use heldup_model::{Capture, Span, TimeSource, Timing};

use crate::handed_over::{Folder, read_with};
use crate::table_text::value;

const FREE: &str = "              total        used        free      shared  buff/cache   available\n\
                    Mem:       24684100     1000000    20000000        9000     3684100    23000000\n";
const VMSTAT: &str = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                      r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n \
                      1  0      0 500000  20000 300000    0    0     1     2  100  200  1  1 98  0  0\n \
                      1  0      0 500000  20000 300000    0    0     1     2  100  200  1  1 98  0  0\n \
                      1  0      0 500000  20000 300000    0    0     1     2  100  200  1  1 98  0  0\n";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bundles").join(name)
}

fn text_of(name: &str) -> String {
    fs::read_to_string(fixture(name)).expect("a recording")
}

fn import(text: &str, hints: Hints) -> Import {
    read("x", text.as_bytes(), hints).expect("memory can be read")
}

fn whole(mut bundle: Bundle) -> Capture {
    match merge(&mut bundle.imports).expect("tables") {
        Merged::One(capture) => *capture,
        Merged::Nothing => panic!("nothing: {:?} {:?}", bundle.unknown, bundle.flaws),
        Merged::Hosts(hosts) => panic!("{hosts:?}"),
    }
}

/// A column of a table, row by row.
fn values(capture: &Capture, table: &str, column: &str) -> Vec<Option<f64>> {
    let rows = |batch: &RecordBatch| -> Vec<Option<f64>> {
        let number = |row| value(batch, column, row).and_then(|text| text.parse().ok());
        (0..batch.num_rows()).map(number).collect()
    };
    capture.tables.get(table).into_iter().flatten().flat_map(rows).collect()
}

/// The numbers behind a word, each time that a line begins with it.
fn behind(text: &str, word: &str) -> Vec<f64> {
    let line = |line: &str| line.strip_prefix(word)?.split_whitespace().next()?.parse().ok();
    text.lines().filter_map(line).collect()
}

fn growth(totals: &[f64]) -> Vec<f64> {
    totals.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn written(path: &Path, since_1970_s: u64) {
    let file = File::options().write(true).open(path).expect("a file");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(since_1970_s)).expect("a time");
}

#[test]
fn several_files_below_each_date_are_a_snapshot_each() {
    let name = "debian-12-6.18.44-date-tail.log";
    let text = text_of(name);
    let bundle = read_with(&fixture(name), Limits::default());
    assert_eq!(bundle.flaws, []);
    assert!(bundle.imports[0].file.what.starts_with("9 files of /proc and /sys, 3 snapshots within"));
    let capture = whole(bundle);
    // Thu Nov 26 15:37:30 UTC 2026, :33 and :36.
    assert_eq!(capture.span, Span { since_ms: 1_795_707_450_000, until_ms: 1_795_707_456_000 });
    assert_eq!(capture.timing, Timing::default());
    let switches = values(&capture, "system", "context_switches");
    assert_eq!(switches.into_iter().flatten().collect::<Vec<_>>(), growth(&behind(&text, "ctxt ")));
    let loads: Vec<f64> = values(&capture, "system", "load1").into_iter().flatten().collect();
    assert_eq!(loads.len(), 3, "of each snapshot");
}

#[test]
fn seconds_since_1970_are_times() {
    let name = "debian-12-6.18.44-epoch-meminfo.log";
    let text = text_of(name);
    let capture = whole(read_with(&fixture(name), Limits::default()));
    let free: Vec<f64> = behind(&text, "MemFree:").iter().map(|kib| kib * 1024.0).collect();
    assert_eq!(values(&capture, "memory", "free_bytes").into_iter().flatten().collect::<Vec<_>>(), free);
    let times: Vec<f64> = values(&capture, "memory", "time").into_iter().flatten().collect();
    let told: Vec<f64> =
        text.lines().filter_map(|line| line.parse::<f64>().ok()).map(|s| s * 1000.0).collect();
    assert_eq!((times.len(), times), (4, told));
}

#[test]
fn files_one_behind_the_other_without_times_are_clocked_by_the_kernel() {
    let name = "debian-12-6.18.44-cat-in-a-loop.log";
    let text = text_of(name);
    let capture = whole(read_with(&fixture(name), Limits::default()));
    assert_eq!(capture.timing, Timing { time: TimeSource::Unknown, has_intervals: true });
    let switches = values(&capture, "system", "context_switches");
    assert_eq!(switches.into_iter().flatten().collect::<Vec<_>>(), growth(&behind(&text, "ctxt ")));
    // `sleep 2` between them, and the start of programs on a busy machine.
    let secs: Vec<f64> = values(&capture, "system", "secs").into_iter().flatten().collect();
    assert!(secs.len() == 2 && secs.iter().all(|secs| (1.9..2.4).contains(secs)), "{secs:?}");
}

#[test]
fn every_row_of_vmstat_in_a_loop_is_since_boot() {
    let name = "debian-12-6.18.44-vmstat-in-a-loop.log";
    let capture = whole(read_with(&fixture(name), Limits::default()));
    assert_eq!(values(&capture, "system", "runnable").len(), 3);
    for (table, column) in [("system", "context_switches"), ("vmstat", "page_in_bytes"), ("cpu", "user_s")] {
        assert!(values(&capture, table, column).iter().all(Option::is_none), "{table}.{column}");
    }
    assert_eq!(capture.timing, Timing { time: TimeSource::Unknown, has_intervals: false });
}

#[test]
fn a_screenful_of_vmstat_is_one_run_and_its_interval_is_told_or_unknown() {
    let (head, rows) = VMSTAT.split_at(VMSTAT.rfind(" 1  0").expect("a row"));
    let (head, row) = (&head[..head.find(" 1  0").expect("a row")], rows);
    let screen = format!("{head}{}", row.repeat(21));
    let of = |text: &str| {
        let capture = import(text, Hints::default()).capture.expect("a capture");
        (values(&capture, "system", "context_switches"), capture.timing.has_intervals, capture.span)
    };
    let (switches, has_intervals, _) = of(&screen.repeat(2));
    assert_eq!(switches.iter().flatten().count(), 41, "of all but the first");
    assert!(!has_intervals);
    let (_, has_intervals, span) = of(&format!("$ vmstat 5\n{screen}"));
    assert!(has_intervals);
    assert_eq!(span.secs(), 100.0);
}

#[test]
fn listings_of_one_file_are_of_one_moment_and_again_of_a_later_one() {
    let once = import(&format!("{FREE}\n{VMSTAT}"), Hints::default());
    assert_eq!(once.file.timing.time, TimeSource::Unknown);
    let again = import(&FREE.repeat(3), Hints::default()).capture.expect("a capture");
    assert_eq!(values(&again, "memory", "free_bytes").len(), 3);
    assert!(again.span.secs() < 0.1, "{:?}", again.span);
    assert_eq!(again.timing, Timing { time: TimeSource::Unknown, has_intervals: false });
    // Interfaces are things of one moment.
    let text = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ethtool/debian-12-6.18.44-ethtool-6.1-all.txt"),
    );
    let things = import(&text.expect("a recording"), Hints::default()).capture.expect("a capture");
    // Its two lines of `date` are a second apart.
    assert_eq!(things.span.secs(), 1.0, "{:?}", things.span);
}

#[test]
fn what_has_no_time_is_at_the_end_of_what_has() {
    let dated = "Sun Nov 22 10:00:00 UTC 2026\n";
    let capture = import(&format!("{dated}{FREE}"), Hints { modified_ms: 1, ..Hints::default() });
    assert_eq!(capture.file.span.map(|span| span.secs()), Some(0.0));
    assert_eq!(capture.file.timing, Timing::default());
    let folder = Folder::empty();
    // Of 2016 and of 2024 by their own times, which say nothing of the machine.
    for (name, text, at) in
        [("a", format!("$ vmstat 5\n{VMSTAT}"), 1_451_606_400), ("b", FREE.to_owned(), 1_704_067_200)]
    {
        written(&folder.write(name, text.as_bytes()), at);
    }
    let undated = whole(folder.read());
    assert_eq!(undated.timing, Timing { time: TimeSource::Unknown, has_intervals: true });
    assert!((undated.span.secs() - 10.0).abs() < 0.1, "{:?}", undated.span);
    written(&folder.write("c", format!("{dated}{FREE}").as_bytes()), 1_704_067_200);
    let capture = whole(folder.read());
    assert_eq!(capture.timing, Timing::default());
    assert_eq!(capture.span.until_ms, 1_795_341_600_000);
    // What has no time does not stretch the window.
    assert_eq!(capture.span.secs(), 0.0, "{:?}", capture.span);
}

#[test]
fn a_time_of_day_is_of_the_day_that_the_other_files_say_or_of_an_assumed_one() {
    let top = "top - 16:48:03 up 12 days,  3:04,  2 users,  load average: 3.15, 2.50, 1.70\n\
               Tasks:   3 total,   1 running,   2 sleeping,   0 stopped,   0 zombie\n";
    let timing = |modified_ms| import(top, Hints { modified_ms, ..Hints::default() }).file.timing.time;
    // 2026-11-26; 1980-01-01, as archives have it that are made to be the same each time.
    assert_eq!(
        (timing(1_795_700_000_000), timing(315_532_800_000)),
        (TimeSource::Assumed, TimeSource::Unknown)
    );
    let folder = Folder::empty();
    folder.write("top.txt", top.as_bytes());
    folder.write("free.txt", format!("Thu Mar  3 17:33:44 UTC 2022\n{FREE}").as_bytes());
    let capture = whole(folder.read());
    // 2022-03-03 16:48:03 until 17:33:44.
    assert_eq!(capture.span, Span { since_ms: 1_646_326_083_000, until_ms: 1_646_328_824_000 });
}

#[test]
fn a_report_is_of_the_host_that_it_names_and_other_names_are_notes() {
    let folder = Folder::empty();
    folder.write("s/hostname", b"db1.example.com\n");
    folder.write("s/uname", b"Linux db1.example.com 5.14.0 #1 SMP x86_64\n");
    folder.write(
        "s/var/log/messages",
        b"Mar  3 10:00:00 template kernel: Linux version 5.14.0 (gcc) #1 SMP\n\
          Mar  3 10:00:01 template kernel: Command line: ro quiet\n",
    );
    folder.write(
        "s/sar",
        b"Linux 5.14.0 (olddb) \t03/03/2022 \t_x86_64_\t(4 CPU)\n\n\
          10:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
          10:10:00        all     10.00      0.00      5.00     25.00      0.00     60.00\n",
    );
    let bundle = folder.read();
    let notes: Vec<&String> = bundle.imports.iter().flat_map(|import| &import.file.notes).collect();
    for name in ["template", "olddb"] {
        assert!(notes.iter().any(|note| note.contains(&format!("named {name} in it"))), "{name}: {notes:?}");
    }
    assert_eq!(whole(bundle).host, "db1.example.com");
    // Without a report they are two machines.
    let folder = Folder::empty();
    for host in ["db1", "db2"] {
        let text = format!("Linux 5.14.0 ({host}) \t03/03/2022 \t_x86_64_\t(4 CPU)\n\n{}", FREE);
        folder.write(host, text.as_bytes());
    }
    assert!(matches!(merge(&mut folder.read().imports), Ok(Merged::Hosts(hosts)) if hosts == ["db1", "db2"]));
}

#[test]
fn a_file_that_is_named_after_its_command_is_read_with_it() {
    let folder = Folder::empty();
    let statistics = "NIC statistics:\n     rx_packets: 5\n     rx_dropped: 1\n";
    folder.write("s/networking/ethtool_-S_eth0", statistics.as_bytes());
    folder.write("s/memory/free_-m", FREE.as_bytes());
    let bundle = folder.read();
    let notes: Vec<&String> = bundle.imports.iter().flat_map(|import| &import.file.notes).collect();
    assert!(!notes.iter().any(|note| note.contains("unknown interface")), "{notes:?}");
    let capture = whole(bundle);
    let total = values(&capture, "memory", "total_bytes");
    assert_eq!(total.into_iter().flatten().collect::<Vec<_>>(), [24_684_100.0 * 1024.0 * 1024.0]);
}
