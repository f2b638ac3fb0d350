//! Tables that are given as changes since the reading before come back as whole rows.

// Clippy knows test functions, not what they call.
#![allow(clippy::expect_used)]

#[path = "rows/mod.rs"]
mod rows;
#[path = "scratch/mod.rs"]
mod scratch;

use std::collections::BTreeMap;
use std::fs;

use heldup_archive::journal::{
    ChangedReading, JOURNAL_VERSION, JournalReader, JournalSettings, JournalWriter, Reading, Sample,
    SegmentHeader,
};
use heldup_model::tables::{SystemRow, TaskTimeRow};
use heldup_model::{Record, RowChanges, RowSet, Stamp};
use rows::{assert_same, rows_of};
use scratch::Scratch;

const SINCE_MS: i64 = 1_763_700_001_000;
const SECOND_NS: u64 = 1_000_000_000;

/// A task, and the rows that it had in the reading before: the first, and its classes.
struct Task {
    tid: i64,
    told: Option<(usize, Vec<TaskTimeRow>)>,
    /// It did nothing since it was told.
    still: bool,
}

/// Tasks of which most sleep, told both ways.
struct Tasks {
    numbers: u64,
    next_tid: i64,
    tasks: Vec<Task>,
    before: usize,
}

impl Tasks {
    fn new(tasks: usize) -> Tasks {
        let mut made = Tasks { numbers: 0x5EED_CAFE, next_tid: 1, tasks: Vec::new(), before: 0 };
        (0..tasks).for_each(|_| made.start());
        made
    }

    /// Numbers without a pattern (Marsaglia's xorshift64).
    fn number(&mut self, below: u64) -> u64 {
        self.numbers ^= self.numbers << 13;
        self.numbers ^= self.numbers >> 7;
        self.numbers ^= self.numbers << 17;
        self.numbers % below
    }

    fn start(&mut self) {
        self.tasks.push(Task { tid: self.next_tid, told: None, still: false });
        self.next_tid += 1;
    }

    fn row(tid: i64, class: &str, seconds: f64, waits: i64) -> TaskTimeRow {
        TaskTimeRow {
            tid: Some(tid),
            start_ms: Some(SINCE_MS - tid),
            class_name: Some(class.into()),
            pid: Some(tid / 3),
            name: Some(format!("task{}", tid % 7).into()),
            cgroup: (tid % 5 > 0).then(|| format!("/group{}", tid % 5).into()),
            exited: Some(false),
            seconds: Some(seconds),
            waits: Some(waits),
            ..TaskTimeRow::default()
        }
    }

    /// The next second: all rows, and the same by what changed.
    fn next(&mut self, secs: f64) -> (RowSet, RowChanges) {
        if self.number(3) == 0 && !self.tasks.is_empty() {
            let ends = self.number(self.tasks.len() as u64) as usize;
            self.tasks.remove(ends);
        }
        // New ones are first, last or in between: places of tasks that have gone are used again.
        if self.number(2) == 0 {
            self.start();
            let to = self.number(self.tasks.len() as u64) as usize;
            let last = self.tasks.len() - 1;
            self.tasks.swap(to, last);
        }
        let mut changes = RowChanges::new(TaskTimeRow::DEF, self.before).with_but("seconds", secs);
        let mut all: Vec<TaskTimeRow> = Vec::new();
        for at in 0..self.tasks.len() {
            let moves = self.number(8) == 0;
            let (seconds, waits) = (self.number(1_000_000_000) as f64 / 1e9, self.number(4) as i64);
            let with_queue = self.number(2) == 0;
            let Task { tid, told, still } = &mut self.tasks[at];
            let moves = moves || told.is_none();
            let rows = match moves {
                false => vec![Tasks::row(*tid, "poll", secs, 0)],
                true if with_queue => {
                    vec![Tasks::row(*tid, "user", seconds, 0), Tasks::row(*tid, "poll", seconds / 3.0, waits)]
                }
                true => vec![Tasks::row(*tid, "poll", seconds, waits)],
            };
            match told {
                Some((row, _)) if !moves && *still => changes.same_but(*row),
                _ => rows.iter().for_each(|row| tell(&mut changes, told.as_ref(), row, all.last())),
            }
            *still = !moves;
            *told = Some((all.len(), rows.clone()));
            all.extend(rows);
        }
        self.before = all.len();
        (RowSet::increases(all), changes)
    }
}

/// Tells a row of a task that did something; `above` is the row of the task before.
fn tell(
    changes: &mut RowChanges,
    told: Option<&(usize, Vec<TaskTimeRow>)>,
    row: &TaskTimeRow,
    above: Option<&TaskTimeRow>,
) {
    let mut had = told.into_iter().flat_map(|(first, had)| had.iter().zip(*first..));
    if let Some((had, at)) = had.find(|(had, _)| had.class_name == row.class_name) {
        return changes.changed(at, had.clone(), row.clone());
    }
    if changes.lacks_row_above() {
        let (above, at) = (above.expect("a row above"), changes.take_back().expect("its place"));
        changes.changed(at, TaskTimeRow { seconds: None, ..above.clone() }, above.clone());
    }
    changes.new_row(row.clone());
}

fn settings() -> JournalSettings {
    JournalSettings { keyframe: std::time::Duration::from_secs(20), ..JournalSettings::default() }
}

fn header() -> SegmentHeader {
    let (host, boot_id) = ("db1".into(), "8f6c".into());
    SegmentHeader { host, boot_id, realtime_ms: SINCE_MS - 1000, monotonic_ns: 500 * SECOND_NS }
}

fn sample(number: u64, secs: f64, task_time: Option<RowSet>) -> Sample {
    let system = RowSet::increases([SystemRow { load1: Some(number as f64), ..SystemRow::default() }]);
    let rows = task_time.into_iter().chain([system]);
    Sample {
        time_ms: SINCE_MS + number as i64 * 1000,
        monotonic_ns: (501 + number) * SECOND_NS,
        readings: rows.map(|rows| Reading { rows, secs: Some(secs) }).collect(),
    }
}

#[test]
fn rows_told_by_what_changed_come_back_whole() {
    let scratch = Scratch::new("journal-changes");
    let mut writer = JournalWriter::create(&scratch.0, &header(), settings()).expect("a journal");
    let mut tasks = Tasks::new(60);
    let mut expected = BTreeMap::new();
    let (mut before, mut told) = (None, 0);
    for number in 0..100 {
        let secs = 1.0 + tasks.number(1_000_000) as f64 / 1e9;
        let (all, rows) = tasks.next(secs);
        if let Some(before) = &before {
            assert_eq!(rows.on(before).expect("on the rows before").cells, all.cells, "sample {number}");
        }
        // Now and then somebody tells them whole, though there is no need to.
        let takes = writer.takes_changes("task_time", (501 + number) * SECOND_NS) && number % 9 != 5;
        let whole = (!takes).then(|| all.clone());
        let changed = ChangedReading { rows, secs: Some(secs) };
        let changed = if takes { vec![changed] } else { Vec::new() };
        told += changed.len();
        let sample = sample(number, secs, whole);
        let stamp = Stamp { time_ms: sample.time_ms, secs: Some(secs), host: "db1".into() };
        for rows in sample.readings.iter().map(|reading| &reading.rows).chain(takes.then_some(&all)) {
            let batches: &mut Vec<_> = expected.entry(rows.def.name.to_owned()).or_default();
            batches.push(rows.to_batch(&stamp).expect("a batch"));
        }
        writer.append_changed(sample, &changed).expect("appended");
        before = Some(all);
    }
    assert!(told > 70, "{told}");
    let mut reader = JournalReader::open(&writer.close().expect("closed")).expect("a journal");
    let tables = reader.tables(&|_| true, None).expect("tables");
    assert_same(&rows_of(&tables), &rows_of(&expected), "all");
}

#[test]
fn who_does_nothing_takes_no_room() {
    let scratch = Scratch::new("journal-still");
    let mut writer = JournalWriter::create(&scratch.0, &header(), settings()).expect("a journal");
    let still: Vec<TaskTimeRow> = (1..=2000).map(|tid| Tasks::row(tid, "poll", 1.0, 0)).collect();
    let first = sample(0, 1.0, Some(RowSet::increases(still)));
    writer.append(first).expect("appended");
    let mut changes = RowChanges::new(TaskTimeRow::DEF, 2000).with_but("seconds", 1.000_123_456);
    (0..2000).for_each(|row| changes.same_but(row));
    let changed = [ChangedReading { rows: changes, secs: Some(1.0) }];
    let bytes = writer.append_changed(sample(1, 1.0, None), &changed).expect("appended");
    assert!(bytes < 100, "{bytes} bytes");
}

#[test]
fn changes_of_other_rows_than_those_before_are_refused() {
    let scratch = Scratch::new("journal-other-rows");
    let mut writer = JournalWriter::create(&scratch.0, &header(), settings()).expect("a journal");
    let changes = |before, steps: &dyn Fn(&mut RowChanges)| {
        let mut rows = RowChanges::new(TaskTimeRow::DEF, before).with_but("seconds", 1.5);
        steps(&mut rows);
        [ChangedReading { rows, secs: None }]
    };
    let row = |tid| Tasks::row(tid, "poll", 1.0, 0);
    let refused = |writer: &mut JournalWriter, number, changed: &[ChangedReading]| {
        assert!(writer.append_changed(sample(number, 1.0, None), changed).is_err());
        assert!(!writer.takes_changes("task_time", (502 + number) * SECOND_NS), "the next is told whole");
    };
    let whole = |writer: &mut JournalWriter, number| {
        let rows = RowSet::increases([row(1), row(2)]);
        writer.append(sample(number, 1.0, Some(rows))).expect("appended");
        assert!(writer.takes_changes("task_time", (502 + number) * SECOND_NS));
        assert!(!writer.takes_changes("process", (502 + number) * SECOND_NS), "nobody told any");
    };
    refused(&mut writer, 0, &changes(0, &|_| {}));
    whole(&mut writer, 1);
    refused(&mut writer, 2, &changes(3, &|rows| rows.same(0)));
    whole(&mut writer, 3);
    refused(
        &mut writer,
        4,
        &changes(2, &|rows| {
            rows.same(0);
            rows.new_row(row(9));
        }),
    );
    whole(&mut writer, 5);
    writer.append_changed(sample(6, 1.0, None), &changes(2, &|rows| rows.same_but(1))).expect("appended");
    let path = writer.close().expect("closed");
    assert_eq!(fs::read(&path).expect("bytes")[8], JOURNAL_VERSION as u8, "the version");
    let mut reader = JournalReader::open(&path).expect("a journal");
    let tables = reader.tables(&|_| true, None).expect("tables");
    let rows: usize = tables["task_time"].iter().map(|batch| batch.num_rows()).sum();
    assert_eq!((rows, reader.gaps().len()), (7, 2));
}
