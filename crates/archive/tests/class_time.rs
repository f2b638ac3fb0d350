//! `class_time` is what `task_time` adds up to, class by class and sample by sample: in a journal, sealed, and put
//! together as a day.

// Clippy knows test functions, not what they call.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "machine/mod.rs"]
mod machine;
#[path = "scratch/mod.rs"]
mod scratch;

use std::path::Path;

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample};
use heldup_archive::kept::{ArchiveFolder, Tiers, compact, seal};
use heldup_archive::{Database, Value};
use heldup_model::tables::TaskTimeRow;
use heldup_model::{RowSet, Span};
use machine::{Machine, SINCE_MS};
use scratch::Scratch;

const SAMPLES: i64 = 150;
/// All tasks are idle in this one.
const IDLE: i64 = 77;
const DAY_MS: i64 = 86_400_000;

/// What an idle task and a kernel thread that was sampled have.
fn more(sample: i64) -> Vec<TaskTimeRow> {
    let task = |tid, class: &str, group: &str| TaskTimeRow {
        tid: Some(tid),
        start_ms: Some(5),
        class_name: Some(class.into()),
        group_name: Some(group.into()),
        pid: Some(tid),
        kernel_thread: Some(tid == 2),
        seconds: Some(sample as f64 / 1000.0),
        ..TaskTimeRow::default()
    };
    let writeback =
        |tid, error_s| TaskTimeRow { error_s: Some(error_s), ..task(tid, "disk_write", "waiting") };
    match sample {
        IDLE => vec![task(9, "poll", "idle")],
        _ => vec![task(9, "poll", "idle"), writeback(2, 0.3), writeback(9, 0.3), writeback(10, 0.4)],
    }
}

fn with_more(mut sample: Sample, number: i64) -> Sample {
    let secs = Some(1.0);
    sample.readings.retain(|reading| number != IDLE || reading.rows.def.name != "task_time");
    sample.readings.push(Reading { rows: RowSet::increases(more(number)), secs });
    sample
}

fn asked(archive: &Path, sql: &str) -> Vec<Vec<Value>> {
    let span = Span { since_ms: SINCE_MS - 1000, until_ms: SINCE_MS + SAMPLES * 1000 };
    let capture = ArchiveFolder::at(archive).readings(span, &[], &|_| true, &|_, _| true).expect("readings");
    Database::open(&capture).and_then(|database| database.query(sql)).expect("an answer").rows
}

fn check(archive: &Path, form: &str) {
    let by_class = |table: &str, only: &str| {
        let sql = format!(
            "select time, class_name, group_name, kernel_thread, round(sum(seconds), 9), sum(waits), \
             round(sum(error_s * error_s), 9), max(secs) from {table} where {only} \
             group by time, class_name, kernel_thread order by 1, 2, 4"
        );
        asked(archive, &sql)
    };
    let (tasks, classes) = (by_class("task_time", "group_name <> 'idle'"), by_class("class_time", "true"));
    let idle_ms = SINCE_MS + IDLE * 1000;
    let of_idle = |row: &&Vec<Value>| row[0] == Value::Int(idle_ms);
    let others: Vec<&Vec<Value>> = classes.iter().filter(|row| !of_idle(row)).collect();
    assert!(tasks.len() as i64 > 4 * SAMPLES, "{form}: {} rows", tasks.len());
    assert_eq!(format!("{others:?}"), format!("{:?}", tasks.iter().collect::<Vec<_>>()), "{form}");
    let idle: Vec<&Vec<Value>> = classes.iter().filter(of_idle).collect();
    let [row] = &idle[..] else { panic!("{form}: {idle:?}") };
    assert_eq!((&row[1], row[4].as_f64()), (&Value::Text("user".into()), Some(0.0)), "{form}");
    let rows = asked(archive, "select count(*) from class_time")[0][0].as_f64();
    assert!(rows.is_some_and(|rows| rows <= (SAMPLES * 5) as f64), "{form}: {rows:?} rows");
}

#[test]
fn classes_are_what_the_tasks_add_up_to() {
    let scratch = Scratch::new("class-time");
    let mut machine = Machine::new(40);
    let journals = ArchiveFolder::at(&scratch.0).journals();
    let settings = JournalSettings::default();
    let mut writer = JournalWriter::create(&journals, &machine.header(), settings).expect("a journal");
    for number in 0..SAMPLES {
        writer.append(with_more(machine.sample(), number)).expect("appended");
    }
    let journal = writer.close().expect("closed");
    check(&scratch.0, "a journal");
    seal(&journal, &scratch.0).expect("sealed");
    check(&scratch.0, "sealed");
    let over_ms = (SINCE_MS / DAY_MS + 1) * DAY_MS;
    let (made, flaws) = compact(&scratch.0, Tiers::NEVER, over_ms).expect("put together");
    assert!(made > 0 && flaws.is_empty(), "{flaws:?}");
    check(&scratch.0, "a day");
}
