//! `heldup status [ARCHIVE]`: what is recorded, and what that costs, from what the recorder leaves
//! in its archive; changes of settings that are pending; the last findings. It only reads, also while somebody
//! records.

use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_archive::kept::{
    ArchiveFolder, ArchiveWindow, BetweenSamples, Sizes, between_samples, read_recorder_file, sizes,
};
use heldup_archive::{Database, Value};
use heldup_hostfs::realtime_ms;
use heldup_model::tables::RecorderRow;
use heldup_model::{
    BpfTime, Capture, ClockStep, LastExamination, LastFinding, Method, Record, RecorderCost, RecorderState,
    RecorderStatus, STATUS_SCHEMA, Severity, Span, StatusGap,
};

use crate::error::{Context, EngineError, Result};
use crate::progress::Progress;
use crate::source::archive::archive_folder;
use crate::source::examinations::Examinations;
use crate::times::rfc3339;
use crate::tune;

const DAY: Duration = Duration::from_secs(86_400);
const DAY_MS: i64 = DAY.as_millis() as i64;
const MINUTE_MS: i64 = 60_000;
/// Samples further apart than so many intervals have a gap between them.
const GAP: f64 = 2.5;
/// Seconds of samples from which on sealed segments tell what a day takes: of less, what each
/// segment holds once (settings, mounts) would be most.
const LEAST_SEALED_S: f64 = 600.0;
/// So many gaps are told, the last ones.
const MOST_GAPS: usize = 50;

/// How recording into an archive goes.
#[derive(Clone, Debug, Default)]
pub struct StatusRequest {
    /// The archive's folder; without it the machine's, or that of an ordinary user.
    pub archive: Option<PathBuf>,
}

/// Tells how it stands. That nobody has recorded is an answer, unless an archive is named.
pub fn status(request: &StatusRequest, progress: &dyn Progress) -> Result<RecorderStatus> {
    let folder = archive_folder(request.archive.clone())?;
    let recorded = match (read_recorder_file(&folder)?, &request.archive) {
        (Some((state, running)), _) => of(&folder, &state, running, realtime_ms(), progress)?,
        (None, Some(_)) => {
            let what = format!("{} is not a heldup archive (`heldup record` writes one)", folder.display());
            return Err(EngineError::not_found(what));
        }
        (None, None) => RecorderStatus {
            schema: STATUS_SCHEMA.to_owned(),
            archive: folder.display().to_string(),
            ..RecorderStatus::default()
        },
    };
    // Who may not read the log of changes is told of the recorder all the same.
    let changes = tune::status().ok().map(|found| found.changes);
    let in_state = |states: &[&str]| {
        let changes = changes.as_ref()?.iter();
        Some(changes.filter(|change| states.contains(&change.state.as_str())).count() as u64)
    };
    Ok(RecorderStatus {
        changes: in_state(&["in_effect", "waits", "covered", "drifted", "unreadable", "unfinished"]),
        changes_waiting: in_state(&["waits"]),
        last_examination: last_examination(),
        ..recorded
    })
}

/// The last saved examination in brief; none where there is none.
fn last_examination() -> Option<LastExamination> {
    let saved = Examinations::here().ok()?.last()?;
    let examination = saved.answer()?;
    let numbered = examination.groups.iter().enumerate().map(|(at, group)| (at + 1, group));
    let worse = numbered.filter(|(_, group)| group.severity <= Severity::Warning);
    let findings = worse.filter_map(|(number, group)| {
        let first =
            examination.findings.iter().find(|finding| group.members.first() == Some(&finding.key))?;
        Some(LastFinding { number, severity: group.severity, title: first.title.clone() })
    });
    Some(LastExamination { number: saved.number, to: examination.to.clone(), findings: findings.collect() })
}

/// One row of the table `recorder`.
#[derive(Clone, Debug, Default)]
struct Row {
    time_ms: i64,
    secs: Option<f64>,
    cpu_s: Option<f64>,
    bpf_s: Option<f64>,
    bpf_time: Option<BpfTime>,
    written_bytes: Option<i64>,
    resident_bytes: Option<i64>,
    tasks: Option<i64>,
    processes: Option<i64>,
    thinned: Option<String>,
}

fn of(
    folder: &Path,
    state: &RecorderState,
    running: bool,
    now_ms: i64,
    progress: &dyn Progress,
) -> Result<RecorderStatus> {
    let span = Span { since_ms: now_ms - DAY_MS, until_ms: now_ms + DAY_MS };
    let archive = ArchiveFolder::at(folder).of_host(&state.host);
    let window = archive.window(span, &|table| table == RecorderRow::DEF.name);
    let window = window.with_context(|| format!("cannot read {}", folder.display()))?;
    window.flaws.iter().for_each(|flaw| progress.note(&format!("{}: {}", flaw.place, flaw.what)));
    let recorder = window.tables.get(RecorderRow::DEF.name).map(Vec::as_slice);
    let between = between_samples(recorder.unwrap_or_default());
    let rows = rows_of(window, state, span)?;
    let sizes = sizes(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let last = rows.last().cloned().unwrap_or_default();
    let first_ms = archive.first_ms().with_context(|| format!("cannot read {}", folder.display()))?;
    let interval_s = state.interval_ms as f64 / 1e3;
    let time = |ms: Option<i64>| ms.map(rfc3339).transpose();
    let last_ms = (!rows.is_empty()).then_some(last.time_ms);
    let recent = rows.iter().filter(|row| row.time_ms > last.time_ms - MINUTE_MS);
    let of_this = rows.iter().filter(|row| row.time_ms >= state.since_ms);
    Ok(RecorderStatus {
        schema: STATUS_SCHEMA.to_owned(),
        archive: folder.display().to_string(),
        running,
        pid: Some(state.pid),
        host: Some(state.host.clone()),
        since: time(Some(state.since_ms))?,
        until: time(state.until_ms)?,
        interval_s: Some(interval_s),
        method: Some(state.method.clone()),
        cpu_budget: Some(state.cpu_budget),
        processes: last.processes,
        tasks: last.tasks,
        overhead_last_minute: cost(recent),
        cost: cost(of_this),
        resident_bytes: last.resident_bytes,
        thinned: last.thinned,
        archive_bytes: sizes.sealed.iter().chain(&sizes.journals).map(|(_, bytes)| *bytes as i64).sum(),
        bytes_per_day: sealed_per_day(&sizes, &rows, now_ms),
        journal_bytes_per_day: written_per_day(&rows),
        retention_s: Some(state.retention_s),
        max_bytes: Some(state.max_bytes),
        first: time(first_ms)?,
        last: time(last_ms)?,
        last_age_s: last_ms.map(|last_ms| (now_ms - last_ms) as f64 / 1e3),
        gaps: gaps(&between, state.interval_ms)?,
        clock_steps: clock_steps(&between)?,
        lost_samples: Some(state.lost_samples),
        last_error: state.last_error.clone(),
        last_error_at: time(state.last_error_ms)?,
        ..RecorderStatus::default()
    })
}

/// What is asked of the table; one row a sample, up to 86,400 a day.
const QUERY: &str = "select time, secs, cpu_s, bpf_s, bpf_time, written_bytes, resident_bytes, tasks, processes, \
                     thinned from recorder order by time";

fn rows_of(window: ArchiveWindow, state: &RecorderState, span: Span) -> Result<Vec<Row>> {
    let capture = Capture {
        host: state.host.clone(),
        span,
        method: Method::Imported,
        coverage: 1.0,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: window.tables,
        missing: Vec::new(),
        flaws: Vec::new(),
    };
    let answer = Database::open(&capture)?.query(QUERY)?;
    Ok(answer.rows.into_iter().filter_map(row_of).collect())
}

/// A row in the order of the query.
fn row_of(values: Vec<Value>) -> Option<Row> {
    let mut values = values.into_iter();
    let mut next = || values.next().unwrap_or(Value::Null);
    let int = |value: Value| if let Value::Int(value) = value { Some(value) } else { None };
    let float = |value: Value| if let Value::Float(value) = value { Some(value) } else { None };
    let text = |value: Value| if let Value::Text(value) = value { Some(value) } else { None };
    Some(Row {
        time_ms: int(next())?,
        secs: float(next()),
        cpu_s: float(next()),
        bpf_s: float(next()),
        bpf_time: text(next()).as_deref().and_then(BpfTime::from_name),
        written_bytes: int(next()),
        resident_bytes: int(next()),
        tasks: int(next()),
        processes: int(next()),
        thinned: text(next()),
    })
}

/// None where nothing was measured.
fn cost<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<RecorderCost> {
    let (mut seconds, mut cpu_s) = (0.0, 0.0);
    // Not every row tells what the programs ran: from one that does to the next.
    let (mut bpf_s, mut bpf_since_s, mut bpf_seconds, mut bpf_time) = (0.0, None, 0.0, None);
    for row in rows {
        let (Some(secs), Some(cpu)) = (row.secs, row.cpu_s) else { continue };
        seconds += secs;
        cpu_s += cpu;
        bpf_time = row.bpf_time.or(bpf_time);
        match (row.bpf_s, bpf_since_s) {
            (Some(bpf), Some(since_s)) => (bpf_s, bpf_seconds) = (bpf_s + bpf, seconds - since_s),
            (Some(_), None) => bpf_since_s = Some(seconds),
            (None, _) => {}
        }
    }
    (seconds > 0.0).then(|| RecorderCost {
        cpu_ratio: cpu_s / seconds,
        bpf_ratio: (bpf_seconds > 0.0).then(|| bpf_s / bpf_seconds),
        bpf_time: bpf_time.filter(|_| bpf_seconds > 0.0),
        seconds,
    })
}

/// What a day takes once it is sealed, by the segments of the last day that are.
fn sealed_per_day(sizes: &Sizes, rows: &[Row], now_ms: i64) -> Option<f64> {
    let of_day = sizes.sealed.iter().filter(|(begun_ms, _)| *begun_ms >= now_ms - DAY_MS);
    let (mut first_ms, mut bytes) = (None, 0.0);
    for (begun_ms, length) in of_day {
        first_ms.get_or_insert(*begun_ms);
        bytes += *length as f64;
    }
    let first_ms = first_ms?;
    let until_ms = sizes.journals.first().map_or(i64::MAX, |(begun_ms, _)| *begun_ms);
    let inside = rows.iter().filter(|row| row.time_ms >= first_ms && row.time_ms < until_ms);
    let seconds: f64 = inside.filter_map(|row| row.secs).sum();
    (seconds >= LEAST_SEALED_S).then(|| bytes / seconds * DAY.as_secs_f64())
}

fn written_per_day(rows: &[Row]) -> Option<f64> {
    let counted = rows.iter().filter_map(|row| Some((row.secs?, row.written_bytes? as f64)));
    let (seconds, bytes) = counted.fold((0.0, 0.0), |(s, b), (secs, bytes)| (s + secs, b + bytes));
    (seconds > 0.0).then(|| bytes / seconds * DAY.as_secs_f64())
}

/// Spans without samples: nobody recorded, or nothing could be written.
fn gaps(all: &[BetweenSamples], interval_ms: i64) -> Result<Vec<StatusGap>> {
    let longest_ms = (interval_ms as f64 * GAP) as i64;
    let gap = |one: &BetweenSamples| {
        let (after, until) = (rfc3339(one.after_ms)?, rfc3339(one.until_ms)?);
        Ok(StatusGap { after, until, seconds: one.passed_ms as f64 / 1e3, why: one.why(interval_ms) })
    };
    last(all, |one| one.passed_ms > longest_ms).iter().map(gap).collect()
}

/// Where the clock was set.
fn clock_steps(all: &[BetweenSamples]) -> Result<Vec<ClockStep>> {
    let step = |one: &BetweenSamples| {
        let (after, until) = (rfc3339(one.after_ms)?, rfc3339(one.until_ms)?);
        Ok(ClockStep { after, until, seconds: one.set_ms as f64 / 1e3 })
    };
    last(all, |one| one.set_ms != 0).iter().map(step).collect()
}

/// The last ones of which something holds, as many as are told.
fn last(all: &[BetweenSamples], holds: impl Fn(&BetweenSamples) -> bool) -> Vec<BetweenSamples> {
    let which: Vec<BetweenSamples> = all.iter().copied().filter(|one| holds(one)).collect();
    which[which.len().saturating_sub(MOST_GAPS)..].to_vec()
}

#[cfg(test)]
mod tests {
    use heldup_archive::kept::Told;
    use heldup_model::GapReason;

    use super::*;

    fn row(time_ms: i64, secs: Option<f64>, cpu_s: Option<f64>) -> Row {
        Row { time_ms, secs, cpu_s, written_bytes: Some(1000), ..Row::default() }
    }

    #[test]
    fn gaps_are_told_from_late_samples_and_clocks_that_were_set() {
        let between = |after_ms, passed_ms, set_ms| BetweenSamples {
            after_ms,
            until_ms: after_ms + passed_ms + set_ms,
            passed_ms,
            set_ms,
            told: Told::First,
        };
        let all = [
            between(0, 1000, 0),
            between(1000, 2000, 0),
            between(3000, 1000, 0),
            between(4000, 5000, 0),
            between(9000, 1000, 3_600_000),
        ];
        let gaps = gaps(&all, 1000).expect("times");
        assert_eq!(gaps.len(), 1);
        assert_eq!((gaps[0].seconds, gaps[0].after.as_str()), (5.0, "1970-01-01T00:00:04Z"));
        assert_eq!(gaps[0].why, Some(GapReason::NotRecorded));
        let steps = clock_steps(&all).expect("times");
        assert_eq!(steps.len(), 1);
        assert_eq!((steps[0].seconds, steps[0].until.as_str()), (3600.0, "1970-01-01T01:00:10Z"));
    }

    #[test]
    fn what_programs_cost_is_told_of_the_time_that_tells_it() {
        let rows: Vec<Row> = (0..28)
            .map(|second| Row {
                bpf_s: (second % 10 == 5).then_some(0.004),
                ..row(1000 * second, Some(1.0), Some(0.002))
            })
            .collect();
        // The first tells of time before: two of ten seconds each are left.
        assert_eq!(cost(rows.iter()).and_then(|cost| cost.bpf_ratio), Some(0.0004));
        assert_eq!(cost(rows[..12].iter()).and_then(|cost| cost.bpf_ratio), None);
    }

    #[test]
    fn what_was_not_measured_is_left_out_of_the_cost() {
        let rows = [row(0, None, None), row(1000, Some(1.0), Some(0.002)), row(2000, Some(1.0), Some(0.004))];
        let cost = cost(rows.iter()).expect("measured");
        assert!((cost.cpu_ratio - 0.003).abs() < 1e-9 && cost.bpf_ratio.is_none(), "{cost:?}");
        assert_eq!(super::cost(rows[..1].iter()), None);
        assert_eq!(written_per_day(&rows), Some(1000.0 * 86_400.0));
    }

    #[test]
    fn a_days_size_is_that_of_sealed_segments() {
        let hour: Vec<Row> = (1..=3600).map(|second| row(second * 1000, Some(1.0), None)).collect();
        let sizes = Sizes { sealed: vec![(0, 2_000_000)], journals: vec![(3_600_001, 9_000_000)] };
        assert_eq!(sealed_per_day(&sizes, &hour, 3_700_000), Some(48_000_000.0));
        assert_eq!(sealed_per_day(&Sizes::default(), &hour, 3_700_000), None);
        let short = Sizes { sealed: vec![(0, 900_000)], journals: vec![(120_001, 1_000_000)] };
        assert_eq!(sealed_per_day(&short, &hour, 3_700_000), None);
    }
}
