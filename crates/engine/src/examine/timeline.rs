//! A long window of an archive: its worst stretches, each examined by the rules.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use heldup_archive::kept::Minutes;
use heldup_diagnose::{Focus, Options, Ruleset, Stretch, add_baseline, diagnose_with, worst_stretches};
use heldup_model::{
    BriefFinding, Capture, ErrorNote, Finding, Flaw, ImpactKind, Severity, Span, StretchReason,
    TIMELINE_SCHEMA, Timeline, TimelineStretch,
};

use crate::error::{EngineError, Result};
use crate::ignored::Ignored;
use crate::progress::{Progress, Step};
use crate::source::archive::ArchiveSource;
use crate::times::rfc3339;

/// Stretches that are examined for what they cost, beside what is looked at once.
const MOST_STRETCHES: usize = 8;
/// Threads: what is read and judged is independent, and the machine has other work.
const MOST_THREADS: usize = 4;
const MINUTE_MS: i64 = 60_000;
/// To what is older nothing is added: readings that end behind a window, messages of the kernel that are read later.
pub const SETTLES_MS: i64 = 2 * MINUTE_MS;

/// What the stretches are judged by.
pub struct Judge<'a> {
    /// The rules.
    pub ruleset: &'a Ruleset,
    /// Findings that are not told.
    pub ignored: &'a Ignored,
    /// Look only at this.
    pub focus: Option<Focus>,
    /// What settings are held against.
    pub baseline: Option<Capture>,
}

/// The rule that tells how settings differ from a baseline.
const DRIFT: &str = "config.drift";

/// What was found in stretches, and what went wrong there.
type Judged = BTreeMap<(i64, i64), (Vec<BriefFinding>, Vec<ErrorNote>)>;

/// What was found out of a recording that goes on, so that it is not found out again.
#[derive(Default)]
pub struct Remembered {
    /// Whole minutes that nothing is added to any more.
    minutes: Option<Minutes>,
    /// Nobody writes any more: what is at the end stays as it is.
    pub is_closed: bool,
    /// What goes on is judged as it is now elsewhere: here its end is not.
    pub skips_end: bool,
    /// What was found in stretches, by what was looked at.
    judged: Judged,
}

/// The timeline of a window.
pub fn timeline(
    archive: &ArchiveSource,
    window: Span,
    judge: &Judge,
    progress: &dyn Progress,
) -> Result<Timeline> {
    timeline_with(archive, window, judge, &mut Remembered::default(), progress)
}

/// The same of a recording that goes on: what was read and judged before, by the same judge, is so no more.
pub fn timeline_with(
    archive: &ArchiveSource,
    window: Span,
    judge: &Judge,
    before: &mut Remembered,
    progress: &dyn Progress,
) -> Result<Timeline> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    let settled_ms = if before.is_closed { i64::MAX } else { window.until_ms - SETTLES_MS };
    let minutes = minutes_with(archive, window, &mut before.minutes, threads, progress)?;
    if minutes.minutes.iter().all(|minute| minute.recorded_s == 0.0) {
        return Err(EngineError::not_found(archive.nothing_in(window)?));
    }
    let mut found = worst_stretches(&minutes, window, MOST_STRETCHES);
    found.stretches.retain(|stretch| !before.skips_end || stretch.reason != StretchReason::End);
    let examined = AtomicUsize::new(0);
    let stretches = in_threads(&found.stretches, threads, |stretch| {
        let one = examine(archive, stretch, judge, &before.judged);
        let done = examined.fetch_add(1, Ordering::Relaxed) + 1;
        let of = Some(found.stretches.len() as u64);
        progress.step(Step::Done { count: done as u64, of, what: "stretches examined" });
        one
    })?;
    let stretches = stretches.into_iter().collect::<Result<Vec<_>>>()?;
    before.judged.retain(|(since_ms, _), _| *since_ms >= window.since_ms);
    for (told, stretch) in stretches.iter().zip(&found.stretches) {
        let look = stretch.look;
        if look.until_ms <= settled_ms {
            before
                .judged
                .insert((look.since_ms, look.until_ms), (told.findings.clone(), told.errors.clone()));
        }
    }
    let sum = |of: fn(&heldup_archive::kept::Minute) -> f64| minutes.minutes.iter().map(of).sum::<f64>();
    Ok(Timeline {
        schema: TIMELINE_SCHEMA.to_owned(),
        source: archive.name.clone(),
        host: archive.host.clone(),
        from: rfc3339(window.since_ms)?,
        to: rfc3339(window.until_ms)?,
        recorded_seconds: sum(|minute| minute.recorded_s),
        active_seconds: sum(|minute| minute.running_s + minute.waiting_s),
        waiting_seconds: sum(|minute| minute.waiting_s),
        stretches: worth_telling(stretches),
        more_stretches: found.left_out as u64,
        errors: minutes.flaws.into_iter().map(ErrorNote::from).collect(),
    })
}

/// What each minute cost, of which most were read before.
fn minutes_with(
    archive: &ArchiveSource,
    window: Span,
    before: &mut Option<Minutes>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Minutes> {
    let full = |ms: i64| ms.div_euclid(MINUTE_MS) * MINUTE_MS;
    let first_ms = full(window.since_ms + MINUTE_MS - 1);
    let end_ms = |minutes: &Minutes| minutes.since_ms + minutes.minutes.len() as i64 * MINUTE_MS;
    let is_part = |known: &&Minutes| known.since_ms <= first_ms && end_ms(known) > first_ms;
    let known = before.as_ref().filter(is_part).filter(|known| end_ms(known) <= window.until_ms);
    let all = match known {
        None => minutes(archive, window, threads, progress)?,
        Some(known) => {
            let mut all = part_of(known, first_ms, end_ms(known));
            if window.since_ms < first_ms {
                let mut head = archive.minutes(Span { until_ms: first_ms, ..window })?;
                head.append(all);
                all = head;
            }
            let rest = Span { since_ms: end_ms(known), ..window };
            if rest.until_ms > rest.since_ms {
                all.append(minutes(archive, rest, threads, progress)?);
            }
            all
        }
    };
    let settled_ms = full(window.until_ms - SETTLES_MS).max(first_ms);
    *before = Some(part_of(&all, first_ms, settled_ms));
    Ok(all)
}

/// Some of the minutes, without what could not be read: that is said once.
fn part_of(minutes: &Minutes, since_ms: i64, until_ms: i64) -> Minutes {
    let place = |ms: i64| {
        usize::try_from((ms - minutes.since_ms) / MINUTE_MS).unwrap_or(0).min(minutes.minutes.len())
    };
    let (begin, end) = (place(since_ms), place(until_ms));
    Minutes {
        since_ms,
        minutes: minutes.minutes[begin..end.max(begin)].to_vec(),
        cpus: minutes.cpus,
        flaws: Vec::new(),
    }
}

/// What each minute cost, read in as many parts of the window as there are threads.
fn minutes(
    archive: &ArchiveSource,
    window: Span,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Minutes> {
    let length_ms = (window.until_ms - window.since_ms) / threads as i64 + 1;
    // Cut before full minutes, so that no minute is in two parts.
    let cut = |part: i64| match part {
        0 => window.since_ms,
        part if part == threads as i64 => window.until_ms,
        part => {
            let at_ms = (window.since_ms + part * length_ms).div_euclid(MINUTE_MS) * MINUTE_MS - 1;
            at_ms.clamp(window.since_ms, window.until_ms)
        }
    };
    let parts: Vec<Span> = (0..threads as i64)
        .map(|part| Span { since_ms: cut(part), until_ms: cut(part + 1) })
        .filter(|part| part.until_ms > part.since_ms)
        .collect();
    let of = (window.until_ms - window.since_ms).div_euclid(MINUTE_MS).unsigned_abs();
    progress.step(Step::Done { count: 0, of: Some(of), what: "minutes read" });
    let mut all: Option<Minutes> = None;
    for minutes in in_threads(&parts, threads, |part| archive.minutes(*part))? {
        let minutes = minutes?;
        match &mut all {
            Some(all) => all.append(minutes),
            None => all = Some(minutes),
        }
    }
    Ok(all.unwrap_or_default())
}

/// Does a work for each of some things, in threads; the answers are in the order of the things.
pub fn in_threads<T: Sync, R: Send>(
    things: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(at) else { return done };
            done.push((at, work(thing)));
        }
    };
    let done: Result<Vec<Vec<(usize, R)>>, _> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads.min(things.len())).map(|_| scope.spawn(run)).collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut done: Vec<(usize, R)> = done
        .map_err(|_| EngineError::failed("a thread that reads the archive failed"))?
        .into_iter()
        .flatten()
        .collect();
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, answer)| answer).collect())
}

/// Lets the rules look at a stretch. What goes wrong there is said with it.
fn examine(
    archive: &ArchiveSource,
    stretch: &Stretch,
    judge: &Judge,
    before: &Judged,
) -> Result<TimelineStretch> {
    let mut told = TimelineStretch {
        from: rfc3339(stretch.span.since_ms)?,
        to: rfc3339(stretch.span.until_ms)?,
        seconds: stretch.sum.recorded_s,
        reason: stretch.reason,
        active_seconds: stretch.sum.running_s + stretch.sum.waiting_s,
        waiting_seconds: stretch.sum.waiting_s,
        excess_seconds: stretch.excess_s,
        examined_from: rfc3339(stretch.look.since_ms)?,
        examined_to: rfc3339(stretch.look.until_ms)?,
        findings: Vec::new(),
        command: archive.command(stretch.look)?,
        errors: Vec::new(),
    };
    if let Some((findings, errors)) = before.get(&(stretch.look.since_ms, stretch.look.until_ms)) {
        (told.findings, told.errors) = (findings.clone(), errors.clone());
        return Ok(told);
    }
    match archive.capture(stretch.look) {
        Ok(mut capture) => {
            if let Some(Err(error)) =
                judge.baseline.as_ref().map(|baseline| add_baseline(&mut capture, baseline))
            {
                capture.flaws.push(Flaw { place: "baseline".to_owned(), what: error.to_string() });
            }
            let own_pid = archive.own_pid(&capture);
            let options = Options { own_pid, focus: judge.focus.clone(), clock: None };
            let mut diagnosis = diagnose_with(&capture, judge.ruleset, &options);
            judge.ignored.leave_out(&mut diagnosis.findings);
            let causes = diagnosis.findings.into_iter().filter(|finding| finding.because.is_empty());
            told.findings = causes.map(brief).collect();
            told.errors = capture.flaws.into_iter().map(ErrorNote::from).collect();
        }
        Err(error) => told.errors.push(ErrorNote { place: "archive".to_owned(), what: format!("{error:#}") }),
    }
    Ok(told)
}

/// A finding in brief.
pub fn brief(finding: Finding) -> BriefFinding {
    BriefFinding {
        key: finding.key,
        id: finding.id,
        severity: finding.severity,
        impact: finding.impact.kind,
        cost: finding.cost,
        title: finding.title,
        culprits: finding.culprits,
    }
}

/// What need hold nobody up is told where something was found that other stretches have not.
fn worth_telling(mut stretches: Vec<TimelineStretch>) -> Vec<TimelineStretch> {
    let mut told: Vec<String> = Vec::new();
    stretches.retain_mut(|stretch| {
        let is_of_sign = match stretch.reason {
            StretchReason::End => {
                stretch.findings.retain(|finding| {
                    let is_bad = finding.severity <= Severity::Warning
                        && matches!(finding.impact, ImpactKind::Failure | ImpactKind::Risk);
                    is_bad || finding.id == DRIFT
                });
                true
            }
            StretchReason::Events | StretchReason::NearlyFull => {
                stretch.findings.retain(|finding| finding.severity <= Severity::Warning);
                true
            }
            // That a task is busy is information.
            StretchReason::BusyTask => true,
            StretchReason::Waiting | StretchReason::Usual | StretchReason::KernelErrors => false,
        };
        // A setting that was changed before all of them is told once.
        stretch
            .findings
            .retain(|finding| !(is_of_sign || finding.id == DRIFT) || !told.contains(&finding.key));
        told.extend(stretch.findings.iter().map(|finding| finding.key.clone()));
        !is_of_sign || !stretch.findings.is_empty()
    });
    stretches
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
    use heldup_archive::kept::{ArchiveFolder, seal};
    use heldup_archive::{Database, Value};
    use heldup_model::tables::{HostRow, SettingRow, SystemRow, TaskTimeRow};
    use heldup_model::{Record, RowSet, Text};

    use super::*;
    use crate::progress::Silent;
    use crate::rules;
    use crate::source::side;

    /// 2025-11-21 04:40:00 UTC.
    const BEGIN_MS: i64 = 1_763_700_000_000;
    const SEGMENT_MS: i64 = 1_200_000;

    /// Two segments of twenty minutes, between which somebody has changed a setting.
    fn record(folder: &Path) {
        record_with(folder, false);
    }

    /// The same; in some minutes of the first four tasks may wait for a disk.
    fn record_with(folder: &Path, has_waits: bool) {
        let text = |of: &str| -> Option<Text> { Some(of.into()) };
        for (number, swappiness) in [(0, "60"), (1, "10")] {
            let since_ms = BEGIN_MS + number * SEGMENT_MS;
            let header = SegmentHeader {
                host: "box".into(),
                boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
                realtime_ms: since_ms,
                monotonic_ns: 1_000_000_000 + number as u64 * 1_200_000_000_000,
            };
            let settings =
                JournalSettings { max_age: Duration::from_secs(9000), ..JournalSettings::default() };
            let journals = ArchiveFolder::at(folder).journals();
            let mut writer = JournalWriter::create(&journals, &header, settings).expect("a journal");
            for second in (10..=1200).step_by(10) {
                let setting = |key: &str, value: &str| SettingRow {
                    setting_key: text(key),
                    setting_value: text(value),
                    ..SettingRow::default()
                };
                let host = HostRow { name: text("box"), cpus: Some(2), ..HostRow::default() };
                let system = SystemRow { load1: Some(1.0), ..SystemRow::default() };
                let task = TaskTimeRow {
                    tid: Some(7),
                    pid: Some(7),
                    start_ms: Some(5),
                    process_name: text("reader"),
                    class_name: text("user"),
                    group_name: text("running"),
                    seconds: Some(2.0),
                    ..TaskTimeRow::default()
                };
                fn reading<R: Record>(secs: Option<f64>, rows: impl IntoIterator<Item = R>) -> Reading {
                    Reading { rows: RowSet::increases(rows), secs }
                }
                let waits = has_waits && number == 0 && (300..=480).contains(&second);
                let reader = |tid| TaskTimeRow {
                    tid: Some(tid),
                    pid: Some(tid),
                    class_name: text("disk_read"),
                    group_name: text("waiting"),
                    seconds: Some(9.0),
                    waits: Some(900),
                    ..task.clone()
                };
                let waiting: Vec<TaskTimeRow> = (8..12).filter(|_| waits).map(reader).collect();
                let tasks = std::iter::once(task.clone()).chain(waiting);
                let mut readings = vec![reading(Some(10.0), [system]), reading(Some(10.0), tasks)];
                if second == 10 {
                    readings.push(reading(None, [host]));
                    let rows = [setting("vm.swappiness", swappiness), setting("vm.dirty_ratio", "20")];
                    readings.push(reading(None, rows));
                }
                let monotonic_ns = header.monotonic_ns + second as u64 * 1_000_000_000;
                let sample = Sample { time_ms: since_ms + second * 1000, monotonic_ns, readings };
                writer.append(sample).expect("appended");
            }
            seal(&writer.close().expect("closed"), folder).expect("sealed");
        }
    }

    #[test]
    fn what_was_set_since_a_date_of_the_archive_is_told_once() {
        let folder = std::env::temp_dir().join(format!("heldup-timeline-{}", std::process::id()));
        record(&folder);
        let archive = ArchiveSource::open("archive", &folder, None).expect("an archive");
        let window = archive.all().expect("a span");
        let ruleset = rules::ruleset(None);
        let ignored = Ignored::parse(&[], &ruleset).expect("nothing");
        let drifted = |time: &str| -> Vec<String> {
            let word = format!("{}@{time}", folder.display());
            let baseline = Some(side::baseline(&word).expect("a baseline").capture);
            let judge = Judge { ruleset: &ruleset, ignored: &ignored, focus: None, baseline };
            let told = timeline(&archive, window, &judge, &Silent).expect("a timeline");
            assert!(told.stretches.iter().all(|stretch| stretch.errors.is_empty()), "{:?}", told.stretches);
            let findings = told.stretches.into_iter().flat_map(|stretch| stretch.findings);
            findings.filter(|finding| finding.id == DRIFT).map(|finding| finding.title).collect()
        };
        let told = drifted("2025-11-21T04:45:00Z");
        assert_eq!(told.len(), 1, "{told:?}");
        let title = "vm.swappiness: changed since baseline 2025-11-21 04:46 UTC (was 60, now 10)";
        assert_eq!(told[0], title);
        assert!(
            drifted("2025-11-21T05:10:00Z").iter().all(|title| !title.contains("now 10")),
            "it was so then"
        );
        let word = format!("{}@2025-11-20T05:10:00Z", folder.display());
        let error = side::baseline(&word).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("no data for"), "{error}");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn what_was_judged_is_not_judged_again() {
        let folder = std::env::temp_dir().join(format!("heldup-remembered-{}", std::process::id()));
        record_with(&folder, true);
        let archive = ArchiveSource::open("archive", &folder, None).expect("an archive");
        let window = archive.all().expect("a span");
        let (all, none) = (rules::ruleset(None), Ruleset { rules: Vec::new(), ..rules::ruleset(None) });
        let ignored = Ignored::parse(&[], &all).expect("nothing");
        let mut before = Remembered::default();
        let mut told = |ruleset| {
            let judge = Judge { ruleset, ignored: &ignored, focus: None, baseline: None };
            let told = timeline_with(&archive, window, &judge, &mut before, &Silent).expect("a timeline");
            let of = |stretch: TimelineStretch| {
                let keys: Vec<String> = stretch.findings.into_iter().map(|finding| finding.key).collect();
                (stretch.examined_from, stretch.examined_to, keys)
            };
            told.stretches.into_iter().map(of).collect::<Vec<_>>()
        };
        let first = told(&all);
        let found =
            |told: &[(String, String, Vec<String>)]| told.iter().map(|(.., keys)| keys.len()).sum::<usize>();
        assert!(found(&first) > 0, "{first:?}");
        // Without a rule nothing new is found: what is told was found before.
        let again = told(&none);
        assert!(found(&again) > 0, "{again:?}");
        assert!(again.iter().all(|stretch| stretch.2.is_empty() || first.contains(stretch)), "{again:?}");
        assert_eq!(before.minutes.expect("minutes").since_ms, BEGIN_MS + MINUTE_MS);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn the_window_of_all_has_the_first_sample() {
        let folder = std::env::temp_dir().join(format!("heldup-all-{}", std::process::id()));
        record(&folder);
        let archive = ArchiveSource::open("archive", &folder, None).expect("an archive");
        let capture = archive.capture(archive.all().expect("a span")).expect("a capture");
        let database = Database::open(&capture).expect("a database");
        let answer = database.query("select sum(seconds) from task_time").expect("an answer");
        // 240 samples of two seconds each.
        assert_eq!(answer.rows, [[Value::Float(480.0)]]);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn answers_are_in_the_order_of_the_questions() {
        let things: Vec<u32> = (0..100).collect();
        let doubled = in_threads(&things, 3, |thing| thing * 2).expect("no thread ended early");
        assert_eq!(doubled, (0..200).step_by(2).collect::<Vec<u32>>());
        assert_eq!(in_threads(&[], 3, |thing: &u32| *thing).expect("none"), Vec::<u32>::new());
    }
}
