//! Troubles that hold nobody up, in an archive of half an hour: each is a stretch of the timeline, at its time and
//! with its cause.
//!
//! Some seconds are recorded of the machine with the trouble. The minutes before are made: what is usual there is
//! what the machine was held up by anyway, so that nothing but the sign of the trouble stands out.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
use heldup_archive::kept::ArchiveFolder;
use heldup_model::tables::{SystemRow, TaskTimeRow};
use heldup_model::{Examination, RecorderStatus, RowSet, Span, StretchReason, Timeline};
use heldup_testkit::condition::until;
use heldup_testkit::expect;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::running::Running;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

use crate::json_schema::is_a_timeline;
use crate::survives::archive::{number, status};

/// Seconds of trouble that are recorded: a minute counts from 5 s on.
const SECONDS: f64 = 6.0;
/// The same wherever a minute's end cuts them in two.
const CUT_SECONDS: f64 = 11.0;
/// From when they are decided on until the last of them is recorded, on a slow machine.
const LEAD_S: f64 = 6.0;
/// Minutes before.
const USUAL_MINUTES: i64 = 20;
const MINUTE_MS: i64 = 60_000;
/// Between two made samples.
const STEP_MS: i64 = 10_000;
/// What is usual, in times of what was recorded: near enough that the trouble's minute is none of those in which
/// much is held up, and not the very same, so that it is not taken for a usual one.
const USUAL: f64 = 1.2;

/// Troubles, and the sign that each is seen by.
const SIGNS: [(&str, StretchReason); 3] = [
    ("cpu.single-thread", StretchReason::BusyTask),
    ("fs.full", StretchReason::NearlyFull),
    ("net.drops", StretchReason::Events),
];

pub fn trials() -> Vec<Trial> {
    let makers = ALL.iter().filter_map(|maker| {
        let (_, reason) = SIGNS.iter().find(|(name, _)| *name == maker.name)?;
        Some((maker, *reason))
    });
    let trial = |(maker, reason): (&'static TroubleMaker, StretchReason)| {
        let needs = [maker.needs, crate::LEDGER].concat();
        crate::trial(format!("record::sign-is-found::{}", maker.name), &needs, move || sign(maker, reason))
    };
    makers.map(trial).collect()
}

fn sign(maker: &TroubleMaker, reason: StretchReason) -> Result<()> {
    let heldup = Heldup::found()?;
    let folder = heldup.home().join("archive");
    let archive = folder.to_str().context("a folder with a name")?;
    let trouble = (maker.make)()?;
    // A debug build costs more than it may, and would read less often.
    let mut recorder = Running::start(heldup.command(&["record", "-o", archive, "--cpu-budget", "100%"]))?;
    let recorded = recorded(&heldup, &folder, seconds_to_record()?)?;
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to");
    let expected = trouble.expected.clone();
    drop(trouble);
    let ms = |time: &Option<String>| -> Result<i64> { unix_ms(&folder, time.as_ref().context("a sample")?) };
    let (first_ms, last_ms) = (ms(&recorded.first)?, ms(&recorded.last)?);
    // From before the first sample on, whose interval began before it.
    let recording = Span { since_ms: first_ms - MINUTE_MS, until_ms: last_ms + MINUTE_MS };
    make_usual_minutes(&folder, recording)?;

    let words = ["examine", archive, "--since", "25 min ago", "--format", "json"];
    let output = heldup.run(&words)?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = serde_json::from_slice(&output.stdout)?;
    is_a_timeline(&told)?;
    let told: Timeline = serde_json::from_value(told)?;
    let shown = || serde_json::to_string_pretty(&told).unwrap_or_default();
    let stretch = told.stretches.iter().find(|stretch| stretch.reason == reason);
    let stretch = stretch.with_context(|| format!("no stretch {reason:?}: {}", shown()))?;
    ensure!(stretch.findings.iter().any(|finding| finding.id == expected.id), "{}", shown());
    // Its time: the minutes that were recorded with the trouble, and no other.
    let (from_ms, to_ms) = (unix_ms(&folder, &stretch.from)?, unix_ms(&folder, &stretch.to)?);
    let begins = first_ms - MINUTE_MS..=last_ms;
    ensure!(begins.contains(&from_ms) && to_ms > first_ms && to_ms <= last_ms + MINUTE_MS, "{}", shown());
    // Its cause, with who did it, by the command that it names.
    let words: Vec<&str> = stretch.command.split(' ').skip(1).chain(["--format", "json"]).collect();
    let full = heldup.run(&words)?;
    ensure!(full.status.success(), "{}", String::from_utf8_lossy(&full.stderr));
    let full: Examination = serde_json::from_slice(&full.stdout)?;
    expect::finding(&full, &expected)
}

/// Seconds that a recorder which is started now has to record, so that a minute has enough of them.
pub fn seconds_to_record() -> Result<f64> {
    let of_minute = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() % 60.0;
    Ok(if of_minute + LEAD_S + SECONDS < 60.0 { SECONDS } else { CUT_SECONDS })
}

/// Waits until enough of the trouble can be read.
fn recorded(heldup: &Heldup, archive: &Path, seconds: f64) -> Result<RecorderStatus> {
    let mut seen = None;
    until("it is recorded", || {
        // The file is there before it says something.
        seen = status(heldup, archive).ok();
        Ok(seen.as_ref().and_then(|now| now.cost.as_ref()).is_some_and(|cost| cost.seconds >= seconds))
    })?;
    seen.context("a status")
}

/// Milliseconds since 1970 of a time as RFC 3339 has it.
fn unix_ms(archive: &Path, time: &str) -> Result<i64> {
    let query = format!("select 1000.0 * unixepoch('{time}', 'subsec')");
    let ms = number(archive, "recorder", &query)?.with_context(|| format!("no time: {time}"))?;
    Ok(ms.round() as i64)
}

/// Minutes before a recording, in which as much was held up as in it.
fn make_usual_minutes(folder: &Path, recording: Span) -> Result<()> {
    let archive = ArchiveFolder::at(folder);
    let seen = archive.minutes(recording)?.minutes;
    let sum = |of: fn(&heldup_archive::kept::Minute) -> f64| seen.iter().map(of).sum::<f64>();
    let recorded_s = sum(|minute| minute.recorded_s);
    ensure!(recorded_s > SECONDS / 2.0, "{recorded_s} s are recorded");
    let (waiting, running) = (sum(|minute| minute.waiting_s), sum(|minute| minute.running_s));
    let secs = STEP_MS as f64 / 1e3;
    let share = |seconds: f64| Some(seconds / recorded_s * secs * USUAL);
    // A minute without anything lies in between.
    let end_ms = (recording.since_ms.div_euclid(MINUTE_MS) - 1) * MINUTE_MS;
    let begin_ms = end_ms - USUAL_MINUTES * MINUTE_MS;
    let header = SegmentHeader {
        host: std::fs::read_to_string("/proc/sys/kernel/hostname")?.trim().to_owned(),
        boot_id: "00000000-0000-4000-8000-000000000000".to_owned(),
        realtime_ms: begin_ms,
        monotonic_ns: 1,
    };
    let mut writer = JournalWriter::create(&archive.journals(), &header, JournalSettings::default())?;
    for at in 1..=USUAL_MINUTES * MINUTE_MS / STEP_MS {
        // Of many tasks, none of which runs all the time.
        let tasks = (0..100).flat_map(|tid| {
            [("running", "user", running), ("waiting", "cpu_queue", waiting)].map(|(group, class, all)| {
                TaskTimeRow {
                    tid: Some(1_000_000 + tid),
                    start_ms: Some(1),
                    class_name: Some(class.into()),
                    group_name: Some(group.into()),
                    kernel_thread: Some(false),
                    seconds: share(all / 100.0),
                    ..TaskTimeRow::default()
                }
            })
        });
        let reading = |rows| Reading { rows, secs: Some(secs) };
        writer.append(Sample {
            time_ms: begin_ms + at * STEP_MS,
            monotonic_ns: 1 + at as u64 * STEP_MS as u64 * 1_000_000,
            readings: vec![
                reading(RowSet::increases([SystemRow::default()])),
                reading(RowSet::increases(tasks)),
            ],
        })?;
    }
    writer.close()?;
    Ok(())
}
