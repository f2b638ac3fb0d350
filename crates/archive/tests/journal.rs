//! Journals: what is written comes back as whole rows, whatever happens to the file's end.

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
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_archive::journal::{
    JournalReader, JournalSettings, JournalWriter, MAX_LATER_WORD_BYTES, Reading, Sample, SegmentHeader,
};
use heldup_model::tables::{CpuRow, ProcessRow};
use heldup_model::{Column, Form, Record, RowSet, Span, Stamp, TableDef};
use machine::{Machine, SINCE_MS};
use rows::{Rows, assert_same, rows_of};
use scratch::Scratch;

/// Writes samples of a machine; the file, what should be read, and the length after each.
fn record(scratch: &Scratch, machine: &mut Machine, samples: usize) -> (PathBuf, Vec<Sample>, Vec<u64>) {
    let mut writer =
        JournalWriter::create(&scratch.0, &machine.header(), JournalSettings::default()).expect("a journal");
    let mut lengths = Vec::new();
    let mut taken = Vec::new();
    for _ in 0..samples {
        let sample = machine.sample();
        writer.append(sample.clone()).expect("appended");
        taken.push(sample);
        lengths.push(writer.length());
    }
    (writer.close().expect("closed"), taken, lengths)
}

/// The rows of samples, as they would be without a journal.
fn expected(samples: &[Sample]) -> Rows {
    let mut tables = BTreeMap::new();
    for sample in samples {
        for Reading { rows, secs } in &sample.readings {
            let stamp = Stamp { time_ms: sample.time_ms, secs: *secs, host: "db1".into() };
            let batch = rows.to_batch(&stamp).expect("a batch");
            tables.entry(rows.def.name.to_owned()).or_insert_with(Vec::new).push(batch);
        }
    }
    rows_of(&tables)
}

fn all(reader: &mut JournalReader) -> Rows {
    rows_of(&reader.tables(&|_| true, None).expect("tables"))
}

fn open(path: &Path) -> JournalReader {
    JournalReader::open(path).expect("a journal")
}

#[test]
fn every_row_comes_back_whole() {
    let scratch = Scratch::new("journal-whole");
    let mut machine = Machine::new(40);
    let header = machine.header();
    let (path, samples, _) = record(&scratch, &mut machine, 150);
    let mut reader = open(&path);
    assert_same(&all(&mut reader), &expected(&samples), "all");
    assert_eq!(reader.header(), &header);
    assert!(reader.is_current() && reader.gaps().is_empty());
    assert_eq!(reader.program(), env!("CARGO_PKG_VERSION"));
    assert_eq!(reader.tail().expect("a tail"), None);
}

#[test]
fn a_window_has_its_samples_only() {
    let scratch = Scratch::new("journal-window");
    let (path, samples, _) = record(&scratch, &mut Machine::new(10), 200);
    for (first, last) in [(0, 0), (59, 61), (60, 60), (70, 130), (150, 199), (199, 199)] {
        let span = Span { since_ms: samples[first].time_ms, until_ms: samples[last].time_ms };
        let mut reader = open(&path);
        let tables = reader.tables(&|_| true, Some(span)).expect("tables");
        assert_same(&rows_of(&tables), &expected(&samples[first..=last]), &format!("{first} to {last}"));
    }
    let mut reader = open(&path);
    let some = reader.tables(&|name| name == "cpu", None).expect("tables");
    assert_eq!(some.keys().collect::<Vec<_>>(), ["cpu"]);
    // Two windows of one reader, one after the other.
    let mut reader = open(&path);
    let window = |first: usize, last: usize| {
        Some(Span { since_ms: samples[first].time_ms, until_ms: samples[last].time_ms })
    };
    reader.tables(&|_| true, window(0, 10)).expect("tables");
    assert!(rows_of(&reader.tables(&|_| true, window(50, 60)).expect("tables")).is_empty());
}

#[test]
fn a_journal_is_read_while_it_is_written() {
    let scratch = Scratch::new("journal-follow");
    let mut machine = Machine::new(20);
    let (whole, samples, lengths) = record(&scratch, &mut machine, 130);
    let bytes = fs::read(&whole).expect("bytes");
    let growing = scratch.0.join("growing");
    let mut written = header_bytes(&bytes);
    fs::write(&growing, &bytes[..written]).expect("written");
    let mut reader = open(&growing);
    let mut file = fs::OpenOptions::new().append(true).open(&growing).expect("open");
    let mut read = 0;
    // Pieces of all sizes, so that most looks find a part of a frame.
    for piece in [1, 10, 40, 300, 5_000, 1, 20_000, usize::MAX] {
        let end = bytes.len().min(written.saturating_add(piece));
        file.write_all(&bytes[written..end]).expect("appended");
        written = end;
        let whole_frames = lengths.iter().filter(|length| **length <= end as u64).count();
        assert_same(&all(&mut reader), &expected(&samples[read..whole_frames]), &format!("up to byte {end}"));
        read = whole_frames;
    }
    assert_eq!(read, samples.len());
}

/// Processes of a storm, no two alike, of `bytes` bytes each in what they are called by.
fn storm(sample: &mut Sample, processes: usize, bytes: usize) {
    let rows = (0..processes).map(|at| ProcessRow {
        pid: Some(sample.time_ms % 1_000_000 * 100 + at as i64),
        start_ms: Some(sample.time_ms),
        command: Some(format!("{:>bytes$}", sample.time_ms * 1000 + at as i64).into()),
        ..ProcessRow::default()
    });
    sample.readings.push(Reading { rows: RowSet::increases(rows), secs: None });
}

#[test]
fn texts_of_a_storm_end_a_segment() {
    let scratch = Scratch::new("journal-storm");
    let mut machine = Machine::new(20);
    let (mut segments, mut taken, mut most) = (Vec::new(), vec![Vec::new()], 0);
    let begin = |machine: &Machine| {
        JournalWriter::create(&scratch.0, &machine.header(), JournalSettings::default()).expect("a journal")
    };
    let mut writer = begin(&machine);
    // 200 seconds with a hundred processes each, whose texts are 20 MB.
    for _ in 0..200 {
        let mut sample = machine.sample();
        if writer.is_full(sample.monotonic_ns) {
            segments.push(std::mem::replace(&mut writer, begin(&machine)).close().expect("closed"));
            taken.push(Vec::new());
        }
        storm(&mut sample, 100, 1000);
        writer.append(sample.clone()).expect("appended");
        most = most.max(writer.later_word_bytes());
        taken.last_mut().expect("a segment").push(sample);
    }
    segments.push(writer.close().expect("closed"));
    // A sample's texts, 0.1 MB, come before it is seen that they are too many.
    assert!((MAX_LATER_WORD_BYTES..MAX_LATER_WORD_BYTES + 120_000).contains(&most), "{most}");
    assert_eq!(segments.len(), 5, "of 41 seconds or less");
    for (segment, samples) in segments.iter().zip(&taken) {
        assert_same(&all(&mut open(segment)), &expected(samples), "a segment");
    }
}

#[test]
fn a_segment_is_not_full_of_what_it_begins_with() {
    let scratch = Scratch::new("journal-large-machine");
    let mut machine = Machine::new(2);
    let mut writer =
        JournalWriter::create(&scratch.0, &machine.header(), JournalSettings::default()).expect("a journal");
    let mut sample = machine.sample();
    storm(&mut sample, 6000, 1000);
    let now_ns = sample.monotonic_ns;
    writer.append(sample).expect("appended");
    assert!(!writer.is_full(now_ns) && writer.later_word_bytes() == 0);
}

/// Where the header of a journal ends.
fn header_bytes(bytes: &[u8]) -> usize {
    bytes.windows(4).position(|four| four == [0xF5, b'h', b'u', 0xFA]).expect("a frame")
}

#[test]
fn a_tail_cut_at_any_byte_costs_its_sample_only() {
    let scratch = Scratch::new("journal-cut");
    let (path, samples, lengths) = record(&scratch, &mut Machine::new(5), 8);
    let bytes = fs::read(&path).expect("bytes");
    let (last, before) = (lengths[7] as usize, lengths[6] as usize);
    let kept = expected(&samples[..7]);
    let cut_path = scratch.0.join("cut");
    for length in before..last {
        fs::write(&cut_path, &bytes[..length]).expect("written");
        let mut reader = open(&cut_path);
        assert_same(&all(&mut reader), &kept, &format!("cut at {length}"));
        let tail = reader.tail().expect("a tail");
        assert_eq!(tail.map_or(0, |tail| tail.bytes), (length - before) as u64);
        assert!(tail.is_none_or(|tail| tail.after_ms == Some(samples[6].time_ms) && tail.until_ms.is_none()));
    }
}

#[test]
fn a_flipped_bit_costs_what_comes_after_it_and_is_said() {
    let scratch = Scratch::new("journal-flip");
    let (path, samples, lengths) = record(&scratch, &mut Machine::new(5), 8);
    let bytes = fs::read(&path).expect("bytes");
    let flipped_path = scratch.0.join("flipped");
    for at in lengths[3] as usize..lengths[4] as usize {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&flipped_path, &flipped).expect("written");
        let mut reader = open(&flipped_path);
        assert_same(&all(&mut reader), &expected(&samples[..4]), &format!("flipped at {at}"));
        let tail = reader.tail().expect("a tail").expect("damage");
        assert_eq!(tail.bytes, bytes.len() as u64 - lengths[3]);
        assert_eq!((tail.after_ms, tail.until_ms), (Some(samples[3].time_ms), Some(samples[7].time_ms)));
    }
    // The header: it is said that it is damaged, and nothing is believed.
    for at in 0..lengths[0] as usize / 4 {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        fs::write(&flipped_path, &flipped).expect("written");
        if let Ok(mut reader) = JournalReader::open(&flipped_path) {
            assert!(all(&mut reader).is_empty(), "flipped at {at}");
        }
    }
}

#[test]
fn a_frame_with_a_right_checksum_and_anything_in_it_is_an_error_or_rows() {
    let scratch = Scratch::new("journal-hostile");
    let (path, _, lengths) = record(&scratch, &mut Machine::new(3), 3);
    let bytes = fs::read(&path).expect("bytes");
    let hostile_path = scratch.0.join("hostile");
    let frames = [(header_bytes(&bytes), lengths[0] as usize), (lengths[0] as usize, lengths[1] as usize)];
    let mut errors = 0;
    for (start, end) in frames {
        for at in (start + 32..end).step_by(3) {
            let mut hostile = bytes.clone();
            hostile[at] ^= [0x01, 0x80, 0xFF, 0x08][at % 4];
            let checksum = crc32fast::hash(&hostile[start + 8..end]);
            hostile[start + 4..start + 8].copy_from_slice(&checksum.to_le_bytes());
            fs::write(&hostile_path, &hostile).expect("written");
            let mut reader = open(&hostile_path);
            let read = reader.tables(&|_| true, None).map(drop);
            errors += usize::from(read.is_err());
            // Once it made no sense it stays so.
            assert!(read.is_ok() || reader.tables(&|_| true, None).is_err());
        }
    }
    assert!(errors > 30, "{errors}");
}

#[test]
fn columns_that_an_older_program_did_not_know_are_null() {
    let scratch = Scratch::new("journal-older");
    let of_now = CpuRow::DEF.columns;
    let later = Column { name: "of_a_later_version", ..of_now[1] };
    let columns = Vec::leak(vec![of_now[2], later, of_now[0]]);
    let older: &'static TableDef = Box::leak(Box::new(TableDef { columns, ..*CpuRow::DEF }));
    let unknown: &'static TableDef = Box::leak(Box::new(TableDef { name: "no_such_table", ..*older }));
    let machine = Machine::new(1);
    let mut writer =
        JournalWriter::create(&scratch.0, &machine.header(), JournalSettings::default()).expect("a journal");
    for at in 0..3_i64 {
        let rows = |def| {
            let mut rows = RowSet::empty(def, Form::Increases);
            rows.len = 2;
            rows.cells[0].extend_floats([Some(0.25), Some(at as f64)].into_iter());
            rows.cells[1].extend_floats([Some(9.0), None].into_iter());
            rows.cells[2].extend_ints([Some(0), Some(1)].into_iter());
            Reading { rows, secs: Some(1.0) }
        };
        let time_ms = SINCE_MS + at * 1000;
        let readings = vec![rows(unknown), rows(older)];
        writer.append(Sample { time_ms, monotonic_ns: at as u64, readings }).expect("appended");
    }
    let read = all(&mut open(&writer.close().expect("closed")));
    let cpu = |at: i64, cpu_idx: i64, nice_s: f64| {
        let row = CpuRow { cpu_idx: Some(cpu_idx), nice_s: Some(nice_s), ..Default::default() };
        (SINCE_MS + at * 1000, row)
    };
    let tables = (0..3).flat_map(|at| [cpu(at, 0, 0.25), cpu(at, 1, at as f64)]).map(|(time_ms, row)| {
        let stamp = Stamp { time_ms, secs: Some(1.0), host: "db1".into() };
        RowSet::increases([row]).to_batch(&stamp).expect("a batch")
    });
    assert_eq!(read, rows_of(&BTreeMap::from([("cpu".to_owned(), tables.collect())])));
}

#[test]
fn a_clock_that_is_set_loses_nothing() {
    let scratch = Scratch::new("journal-clock");
    let mut machine = Machine::new(5);
    let mut writer =
        JournalWriter::create(&scratch.0, &machine.header(), JournalSettings::default()).expect("a journal");
    let mut samples = Vec::new();
    for at in 0..20 {
        let mut sample = machine.sample();
        sample.time_ms += match at {
            5..10 => -3_600_000,
            10..15 => 3_600_000,
            _ => 0,
        };
        writer.append(sample.clone()).expect("appended");
        samples.push(sample);
    }
    // A segment that begins where there is one is another one's.
    let header = SegmentHeader { realtime_ms: SINCE_MS - 1000, ..machine.header() };
    let other = JournalWriter::create(&scratch.0, &header, JournalSettings::default()).expect("a journal");
    assert_ne!(other.path(), writer.path());
    assert!(JournalWriter::create(&scratch.0, &header, JournalSettings::default()).is_err());
    let path = writer.close().expect("closed");
    assert_same(&all(&mut open(&path)), &expected(&samples), "all");
    let span = Span { since_ms: SINCE_MS, until_ms: SINCE_MS + 60_000 };
    let in_span: Vec<Sample> =
        samples.iter().filter(|s| (span.since_ms..=span.until_ms).contains(&s.time_ms)).cloned().collect();
    assert_eq!(in_span.len(), 10);
    let tables = open(&path).tables(&|_| true, Some(span)).expect("tables");
    assert_same(&rows_of(&tables), &expected(&in_span), "all");
}

#[test]
fn what_cannot_be_recorded_leaves_a_gap_that_is_said() {
    let scratch = Scratch::new("journal-gap");
    let mut machine = Machine::new(5);
    let mut writer =
        JournalWriter::create(&scratch.0, &machine.header(), JournalSettings::default()).expect("a journal");
    let mut samples = Vec::new();
    for at in 0..9 {
        let sample = machine.sample();
        if at == 4 || at == 5 {
            let totals = RowSet::totals([CpuRow { cpu_idx: Some(0), ..Default::default() }]);
            let bad = Sample { readings: vec![Reading { rows: totals, secs: None }], ..sample };
            let error = writer.append(bad).expect_err("an error").to_string();
            assert!(error.contains("cpu: running totals"), "{error}");
            continue;
        }
        writer.append(sample.clone()).expect("appended");
        samples.push(sample);
    }
    let path = writer.close().expect("closed");
    let mut reader = open(&path);
    assert_same(&all(&mut reader), &expected(&samples), "all");
    let gap = reader.gaps()[0];
    assert_eq!((gap.after_ms, gap.until_ms, gap.samples), (SINCE_MS + 3000, SINCE_MS + 6000, 2));
    assert_eq!(reader.gaps().len(), 1);
}

#[test]
fn two_sources_of_one_table_and_tables_that_come_and_go() {
    let scratch = Scratch::new("journal-streams");
    let mut machine = Machine::new(3);
    let settings = JournalSettings { keyframe: Duration::from_secs(4), ..JournalSettings::default() };
    let mut writer = JournalWriter::create(&scratch.0, &machine.header(), settings).expect("a journal");
    let mut samples = Vec::new();
    for at in 0..20_usize {
        let mut sample = machine.sample();
        let more = |pid| ProcessRow { pid: Some(pid), nice: Some(at as i64 / 3), ..Default::default() };
        sample.readings.push(Reading { rows: RowSet::increases([more(1), more(2)]), secs: None });
        if at % 3 == 1 {
            sample.readings.swap_remove(at % sample.readings.len());
        }
        writer.append(sample.clone()).expect("appended");
        samples.push(sample);
    }
    assert_eq!(all(&mut open(&writer.close().expect("closed"))), expected(&samples));
}

#[test]
fn what_is_read_as_rarely_as_keyframes_come_is_told_whole() {
    let scratch = Scratch::new("journal-rare");
    let settings = JournalSettings { keyframe: Duration::from_secs(60), ..JournalSettings::default() };
    let header = Machine::new(1).header();
    let mut writer = JournalWriter::create(&scratch.0, &header, settings).expect("a journal");
    let rows = (0..100).map(|pid| ProcessRow { pid: Some(pid), threads: Some(1), ..Default::default() });
    let rows = RowSet::increases(rows.collect::<Vec<_>>());
    let mut samples = Vec::new();
    let mut append = |at: i64, secs| {
        let readings = vec![Reading { rows: rows.clone(), secs: Some(secs) }];
        let sample = Sample { time_ms: SINCE_MS + at * 1000, monotonic_ns: at as u64, readings };
        samples.push(sample.clone());
        writer.append(sample).expect("appended")
    };
    let [_, again, sooner, soon] =
        [(0, 60.0), (40, 40.0), (50, 10.0), (51, 1.0)].map(|(at, secs)| append(at, secs));
    // A byte a row at least, where each is told.
    assert!(
        again >= soon + 90 && sooner >= soon + 90,
        "{again} and {sooner} bytes of rows that are told, {soon} of known ones"
    );
    assert_eq!(all(&mut open(&writer.close().expect("closed"))), expected(&samples));
}

#[test]
fn a_segment_says_when_it_is_full() {
    let scratch = Scratch::new("journal-full");
    let mut machine = Machine::new(3);
    let begun = machine.header().monotonic_ns;
    let settings = JournalSettings { max_bytes: 1000, ..JournalSettings::default() };
    let mut writer = JournalWriter::create(&scratch.0, &machine.header(), settings).expect("a journal");
    assert!(!writer.is_full(begun));
    assert!(writer.is_full(begun + 3600 * 1_000_000_000));
    while writer.length() < 1000 {
        writer.append(machine.sample()).expect("appended");
    }
    assert!(writer.is_full(begun));
    assert!(writer.take_flush_error().is_none());
}

#[test]
fn another_file_is_refused() {
    let scratch = Scratch::new("journal-other");
    let path = scratch.0.join("other");
    for (bytes, says) in [(&b""[..], "not a journal"), (b"PAR1PAR1PAR1", "not a journal")] {
        fs::write(&path, bytes).expect("written");
        let error = JournalReader::open(&path).map(drop).expect_err("an error").to_string();
        assert!(error.contains(says) && error.contains("other"), "{error}");
    }
    assert!(JournalReader::open(&scratch.0.join("none")).is_err());
}
