//! Following an archive gives the captures that reading each window as a whole gives.

// Clippy knows test functions, not what they call.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "machine/mod.rs"]
mod machine;
#[path = "rows/mod.rs"]
mod rows;
#[path = "scratch/mod.rs"]
mod scratch;

use std::fs;
use std::path::PathBuf;

use heldup_archive::journal::{JournalSettings, JournalWriter};
use heldup_archive::kept::{ArchiveFolder, Following, Rhythm, SourceTables, seal};
use heldup_model::{Capture, Span};
use machine::Machine;
use rows::{Rows, assert_same, rows_of};
use scratch::Scratch;

const MINUTE_MS: i64 = 60_000;

/// A rhythm of each kind.
fn sources() -> Vec<SourceTables> {
    vec![
        SourceTables { source: "processes", tables: vec!["process"], rhythm: Rhythm::Ends },
        SourceTables { source: "settings", tables: vec!["setting"], rhythm: Rhythm::Once },
        SourceTables { source: "disks", tables: vec!["disk"], rhythm: Rhythm::Samples },
    ]
}

/// The rows of a capture, whatever their order.
fn sorted(capture: &Capture) -> Rows {
    let mut rows = rows_of(&capture.tables);
    rows.values_mut().for_each(|rows| rows.sort_unstable());
    rows
}

fn check(following: &mut Following, archive: &ArchiveFolder, what: &str) {
    let there = following.read(&|_, batch| batch).expect("read");
    let followed = following.capture().expect("read").expect("a capture");
    let all = archive.stretches().expect("stretches");
    let since_ms = all.iter().map(|stretch| stretch.span.since_ms).min().expect("a stretch") - 1;
    let until_ms = all.iter().map(|stretch| stretch.span.until_ms).max().expect("a stretch");
    assert_eq!(there.map(|all| all.until_ms), Some(until_ms), "{what}");
    let asked = Span { since_ms: since_ms.max(until_ms - MINUTE_MS), until_ms };
    let read = archive.capture(asked, &sources()).expect("read").expect("a capture");
    assert_eq!((followed.span, followed.method), (read.span, read.method), "{what}");
    assert_eq!(followed.flaws, read.flaws, "{what}");
    assert_eq!(followed.missing, read.missing, "{what}");
    assert_same(&sorted(&followed), &sorted(&read), what);
}

fn samples(machine: &mut Machine, writer: &mut JournalWriter, count: usize) {
    for _ in 0..count {
        writer.append(machine.sample()).expect("appended");
    }
}

#[test]
fn what_is_followed_is_what_is_read_as_a_whole() {
    let scratch = Scratch::new("follow");
    let archive = ArchiveFolder::at(&scratch.0);
    let folder = archive.journals();
    let mut machine = Machine::new(40);
    machine.idle_rows = true;
    let begin = |machine: &Machine| {
        JournalWriter::create(&folder, &machine.header(), JournalSettings::default()).expect("a journal")
    };
    let mut writer = begin(&machine);
    samples(&mut machine, &mut writer, 7);
    let mut following = Following::new(archive.clone(), MINUTE_MS, sources());
    check(&mut following, &archive, "less than a window");
    // Windows that overlap in part, hardly, and not at all.
    for count in [10, 1, 13, 10, 10, 11, 59, 3, 140, 10] {
        samples(&mut machine, &mut writer, count);
        check(&mut following, &archive, &format!("{count} samples later"));
    }
    check(&mut following, &archive, "nothing later");
    // The next segment begins before the last one is sealed.
    samples(&mut machine, &mut writer, 4);
    let closed = writer.close().expect("closed");
    let mut writer = begin(&machine);
    samples(&mut machine, &mut writer, 6);
    check(&mut following, &archive, "in another segment");
    seal(&closed, &scratch.0).expect("sealed");
    samples(&mut machine, &mut writer, 10);
    check(&mut following, &archive, "after the sealing");
    for _ in 0..7 {
        samples(&mut machine, &mut writer, 10);
        check(&mut following, &archive, "out of the sealed segment");
    }
    // A segment that comes and is sealed while nobody looks.
    let closed = writer.close().expect("closed");
    let mut between = begin(&machine);
    samples(&mut machine, &mut between, 9);
    let unseen = between.close().expect("closed");
    let mut writer = begin(&machine);
    samples(&mut machine, &mut writer, 5);
    seal(&closed, &scratch.0).expect("sealed");
    seal(&unseen, &scratch.0).expect("sealed");
    check(&mut following, &archive, "after a segment that was not seen");
    samples(&mut machine, &mut writer, 10);
    check(&mut following, &archive, "and on");
}

#[test]
fn a_frame_that_is_half_written_is_read_when_it_is_whole() {
    let scratch = Scratch::new("follow-half");
    let archive = ArchiveFolder::at(&scratch.0);
    let place = scratch.0.join("whole");
    let mut machine = Machine::new(15);
    let settings = JournalSettings::default();
    let mut writer = JournalWriter::create(&place, &machine.header(), settings).expect("a journal");
    samples(&mut machine, &mut writer, 100);
    let whole: PathBuf = writer.close().expect("closed");
    let bytes = fs::read(&whole).expect("a journal");
    fs::create_dir_all(archive.journals()).expect("a folder");
    let grown = archive.journals().join(whole.file_name().expect("a name"));
    let mut following = Following::new(archive.clone(), MINUTE_MS, sources());
    for part in 5..=20 {
        fs::write(&grown, &bytes[..bytes.len() * part / 20]).expect("written");
        check(&mut following, &archive, &format!("{part} of 20"));
    }
}
