//! Writers that are killed or run out of room: a process of its own writes, and what it said
//! it had written is there afterwards.

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
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use heldup_archive::journal::{JournalReader, JournalSettings, JournalWriter, Sample};
use heldup_model::Stamp;
use machine::Machine;
use rows::{Rows, assert_same, rows_of};
use scratch::Scratch;

/// Names the folder to write to, in a process that is to write.
const FOLDER: &str = "HELDUP_TEST_JOURNAL";
/// How often a writer is killed.
const KILLS: &str = "HELDUP_TEST_KILLS";
const KILLS_BY_DEFAULT: u64 = 8;
const PROCESSES: usize = 30;
/// Processes of which the first sample does not fit below the limit that a test sets.
const TOO_MANY: usize = 1500;

/// A sample that is too large comes now and then where room is short.
fn sample_at(machine: &mut Machine, large: &mut Machine, number: usize, short_of_room: bool) -> Sample {
    let sample = machine.sample();
    if short_of_room && number % 4 == 3 {
        return Sample { readings: large.sample().readings, ..sample };
    }
    sample
}

/// Not a test: the writer, when this program is started as one.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let short_of_room = std::env::var_os("HELDUP_TEST_SHORT").is_some();
    let (mut machine, mut large) = (Machine::new(PROCESSES), Machine::new(TOO_MANY));
    let settings = JournalSettings { flush: Duration::from_millis(5), ..JournalSettings::default() };
    let mut writer = JournalWriter::create(&folder, &machine.header(), settings).expect("a journal");
    let mut out = std::io::stdout();
    for number in 0..if short_of_room { 20 } else { usize::MAX } {
        let sample = sample_at(&mut machine, &mut large, number, short_of_room);
        let word = if writer.append(sample).is_ok() { "written" } else { "failed" };
        // A pipe that is closed ends it.
        if writeln!(out, "\n{word} {number}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn start(folder: &Path, short_of_room: bool) -> (Child, BufReader<ChildStdout>) {
    let this = std::env::current_exe().expect("this program");
    let mut command = Command::new("sh");
    // The limit is in blocks of 512 bytes; past it a write fails rather than ends the program.
    let script = match short_of_room {
        true => r#"trap "" XFSZ; ulimit -f 96; exec "$0" --exact writer --nocapture"#,
        false => r#"exec "$0" --exact writer --nocapture"#,
    };
    command.args(["-c", script]).arg(this).env(FOLDER, folder).stdout(Stdio::piped());
    if short_of_room {
        command.env("HELDUP_TEST_SHORT", "1");
    }
    let mut child = command.spawn().expect("a writer");
    let out = BufReader::new(child.stdout.take().expect("its output"));
    (child, out)
}

/// The samples that a writer says it wrote and those that it could not, from a line on.
fn said(line: &str, written: &mut Vec<usize>, failed: &mut Vec<usize>) {
    match line.trim().split_once(' ') {
        Some(("written", number)) => written.push(number.parse().expect("a number")),
        Some(("failed", number)) => failed.push(number.parse().expect("a number")),
        _ => {}
    }
}

fn read(folder: &Path) -> (Rows, JournalReader) {
    let path = fs::read_dir(folder).expect("a folder").next().expect("a journal").expect("an entry").path();
    let mut reader = JournalReader::open(&path).expect("a journal");
    let tables = reader.tables(&|_| true, None).expect("tables");
    (rows_of(&tables), reader)
}

fn expected(numbers: impl Fn(usize) -> bool, end: usize, short_of_room: bool) -> Rows {
    let (mut machine, mut large) = (Machine::new(PROCESSES), Machine::new(TOO_MANY));
    let mut tables: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for number in 0..end {
        let sample = sample_at(&mut machine, &mut large, number, short_of_room);
        for reading in sample.readings.iter().filter(|_| numbers(number)) {
            let stamp = Stamp { time_ms: sample.time_ms, secs: reading.secs, host: "db1".into() };
            let batch = reading.rows.to_batch(&stamp).expect("a batch");
            tables.entry(reading.rows.def.name.to_owned()).or_default().push(batch);
        }
    }
    rows_of(&tables)
}

#[test]
fn a_killed_writer_loses_nothing_that_it_wrote() {
    let kills = std::env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS_BY_DEFAULT);
    for round in 0..kills {
        let scratch = Scratch::new(&format!("journal-kill-{round}"));
        let (mut child, out) = start(&scratch.0, false);
        let (mut written, mut failed) = (Vec::new(), Vec::new());
        // After so many samples it is killed, wherever it is by then.
        let until = (round * 7919 % 90) as usize;
        for line in out.lines() {
            said(&line.expect("a line"), &mut written, &mut failed);
            if written.len() > until {
                child.kill().expect("killed");
            }
        }
        child.wait().expect("its end");
        assert!(failed.is_empty() && written.len() > until);
        let (rows, reader) = read(&scratch.0);
        let samples = rows["system"].len();
        // The last one may have been written and not told.
        assert!(samples == written.len() || samples == written.len() + 1, "{samples} of {}", written.len());
        assert_same(&rows, &expected(|_| true, samples, false), "all");
        assert!(reader.gaps().is_empty());
    }
}

#[test]
fn what_does_not_fit_is_a_gap_and_the_rest_goes_on() {
    let scratch = Scratch::new("journal-room");
    let (mut child, out) = start(&scratch.0, true);
    let (mut written, mut failed) = (Vec::new(), Vec::new());
    for line in out.lines() {
        said(&line.expect("a line"), &mut written, &mut failed);
    }
    assert!(child.wait().expect("its end").success());
    assert!(failed.contains(&3) && written.contains(&4), "written {written:?}, failed {failed:?}");
    let (rows, reader) = read(&scratch.0);
    assert_same(&rows, &expected(|number| written.contains(&number), 20, true), "all");
    assert_eq!(reader.tail().expect("a tail"), None);
    let missing: u32 = reader.gaps().iter().map(|gap| gap.samples).sum();
    let last = written.last().expect("a sample");
    assert_eq!(missing as usize, failed.iter().filter(|number| *number < last).count());
}
