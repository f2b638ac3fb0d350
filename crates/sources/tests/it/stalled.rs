//! Sources that do not come back, and files that never end: they are named within their time
//! limit, and everything else is read.

use std::fs::{self, File};
use std::process::Command;
use std::time::{Duration, Instant};

use heldup_hostfs::Host;
use heldup_model::{Capture, Method};
use heldup_sources::{Cadence, Reading, SampleKind, Sampler, Source, live};

use crate::recorded::{Tree, show_table};
use crate::sampler::{fake, free_memory};
use crate::trees::tree;

/// For sources that never come back: long enough for those that do on a busy machine.
const LIMIT: Duration = Duration::from_millis(500);

fn capture(host: Host, sources: Vec<Box<dyn Source>>) -> Capture {
    let mut sampler = Sampler::new(host, sources, "box").with_time_limit(LIMIT);
    sampler.sample(SampleKind::First, 0, 0);
    sampler.sample(SampleKind::Last, 1000, 1_000_000_000);
    sampler.into_capture(Method::Sampling, 1.0)
}

/// Waits for a pipe of its own that nobody writes to, and never comes back.
fn never() -> Reading {
    let mut pipe = std::io::pipe().expect("a pipe");
    let _ = std::io::Read::read(&mut pipe.0, &mut [0]);
    Reading::default()
}

#[test]
fn a_source_that_blocks_is_named_with_its_call_and_asked_once() {
    let began = Instant::now();
    let sources = vec![
        fake("before", Cadence::EverySample, free_memory),
        fake("blocked", Cadence::EverySample, never),
        fake("after", Cadence::EverySample, free_memory),
    ];
    let capture = capture(Host::recorded("/no-such-tree"), sources);
    // A busy machine may take its time, but not as much as a wait without a limit.
    assert!(began.elapsed() < 20 * LIMIT, "{:?}", began.elapsed());
    assert_eq!(show_table(&capture, "memory").lines().count(), 2, "the two others");
    let [flaw] = capture.flaws.as_slice() else { panic!("{:?}", capture.flaws) };
    assert_eq!(flaw.place, "source blocked");
    let said = flaw.what.starts_with("no answer within ") && flaw.what.contains(" s (read of pipe:[");
    assert!(said, "{}", flaw.what);
    let costs = show_table(&capture, "source_cost");
    assert!(
        costs.lines().any(|line| line.contains("blocked reads=1") && line.contains("status=failed")),
        "{costs}"
    );
}

#[test]
fn a_source_that_works_for_longer_is_waited_for() {
    let busy = || {
        let began = Instant::now();
        while began.elapsed() < 2 * LIMIT {
            std::hint::spin_loop();
        }
        free_memory()
    };
    let capture = capture(Host::recorded("/no-such-tree"), vec![fake("busy", Cadence::Ends, busy)]);
    assert_eq!(capture.flaws, []);
    assert_eq!(show_table(&capture, "memory").lines().count(), 2, "both ends");
}

#[test]
fn a_source_that_sleeps_but_gets_on_is_waited_for() {
    let slow = || {
        let began = Instant::now();
        while began.elapsed() < 2 * LIMIT {
            std::thread::sleep(LIMIT / 50);
        }
        free_memory()
    };
    let capture = capture(Host::recorded("/no-such-tree"), vec![fake("slow", Cadence::Ends, slow)]);
    assert_eq!(capture.flaws, []);
}

/// Files, and the sources that read them: nobody else may notice what is wrong with one.
const FILES: [(&str, &[&str]); 8] = [
    ("proc/diskstats", &["proc_diskstats"]),
    ("proc/interrupts", &["proc_interrupts"]),
    ("proc/locks", &["proc_locks"]),
    ("proc/net/dev", &["net_driver", "net_setting", "proc_net_dev"]),
    ("proc/slabinfo", &["proc_slabinfo"]),
    ("proc/softirqs", &["proc_softirqs"]),
    ("proc/vmstat", &["proc_vmstat"]),
    ("proc/zoneinfo", &["proc_zoneinfo"]),
];

/// The sources that read them, and one that reads something else.
fn readers_and_another() -> Vec<Box<dyn Source>> {
    let mut sources = live();
    sources.retain(|source| {
        source.name() == "proc_meminfo" || FILES.iter().any(|(_, readers)| readers.contains(&source.name()))
    });
    sources
}

/// Names and numbers of rows, without those that may differ.
fn rows_of_others(capture: &Capture, readers: &[&str]) -> Vec<String> {
    let costs = show_table(capture, "source_cost");
    let named = |line: &str, what: &str| {
        line.split(' ').find_map(|cell| cell.strip_prefix(what)).unwrap_or_default().to_owned()
    };
    let rows = costs.lines().map(|line| (named(line, "source_name="), named(line, "rows_read=")));
    rows.filter(|(name, _)| !readers.contains(&name.as_str()))
        .map(|(name, rows)| format!("{name} {rows}"))
        .collect()
}

#[test]
fn a_pipe_or_a_file_without_an_end_in_the_place_of_a_file_costs_its_readers_only() {
    let whole = capture(Host::recorded(tree()), readers_and_another());
    assert_eq!(whole.flaws, []);
    let copy = Tree::copy_of(&tree());
    for (file, readers) in FILES {
        for (kind, said) in [("pipe", "a pipe, not a file"), ("endless", "more than 67108864 bytes")] {
            // 64 MB are read before it is given up: two of the files are enough.
            if kind == "endless" && !["proc/net/dev", "proc/vmstat"].contains(&file) {
                continue;
            }
            let path = copy.root.join(file);
            fs::remove_file(&path).expect("the file");
            if kind == "pipe" {
                let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo of coreutils");
                assert!(made.success(), "{file}");
            } else {
                File::create(&path).and_then(|file| file.set_len(1 << 40)).expect("a file of holes");
            }
            let capture = capture(Host::recorded(&copy.root), readers_and_another());
            let at = format!("{file}, {kind}: {:?}", capture.flaws);
            let named = capture.flaws.iter().any(|flaw| {
                let text = format!("{}: {}", flaw.place, flaw.what);
                text.contains(file) && text.contains(said)
            });
            assert!(named, "{at}");
            assert!(!capture.flaws.iter().any(|flaw| flaw.place.starts_with("source ")), "{at}");
            assert_eq!(rows_of_others(&capture, readers), rows_of_others(&whole, readers), "{at}");
            fs::remove_file(&path).and_then(|()| fs::copy(tree().join(file), &path)).expect("whole again");
        }
    }
}

#[test]
fn files_of_two_megabytes_are_read_in_time() {
    let copy = Tree::copy_of(&tree());
    // Of interfaces and disks each line is a device with files of its own, which no machine has
    // ten thousand of.
    let of_lines = |file: &str| !["proc/diskstats", "proc/net/dev"].contains(&file);
    for (file, _) in FILES.into_iter().filter(|(file, _)| of_lines(file)) {
        let path = copy.root.join(file);
        let content = fs::read(&path).expect("the file");
        fs::write(&path, content.repeat((2 << 20) / content.len().max(1) + 1)).expect("a larger one");
    }
    let capture = capture(Host::recorded(&copy.root), readers_and_another());
    let given_up = capture.flaws.iter().find(|flaw| flaw.place.starts_with("source "));
    assert_eq!(given_up, None);
    for table in ["file_lock", "vmstat", "zone", "slab"] {
        assert!(capture.tables.contains_key(table), "no rows of {table}");
    }
}
