//! What a report shows beside an examination: the figures that are evidence of its findings, the first ones of each
//! resource, and its rules in words.

use std::collections::HashSet;

use heldup_archive::Database;
use heldup_diagnose::Ruleset;
use heldup_figure::{Ask, Figure, answer, answer_all, find, shipped};
use heldup_model::{
    BreakdownKind, Capture, Examination, Frame, ReportFigure, ReportPage, ReportParts, Severity, Span,
    Timeline,
};

use crate::breakdown::of_capture;
use crate::error::Result;
use crate::plot;
use crate::rules::in_words;
use crate::seen::seen;
use crate::source::archive::ArchiveSource;

/// Figures that show the machine, whatever was found.
const FIRST: [&str; 18] = [
    "time.classes",
    "time.units",
    "time.containers",
    "cpu.states",
    "cpu.runnable",
    "cpu.load",
    "memory.use",
    "memory.swapping",
    "disk.latency",
    "disk.queue",
    "disk.throughput",
    "fs.used",
    "net.throughput",
    "groups.throttled",
    "db.active-sessions",
    "db.waits",
    "db.load",
    "process.cpu",
];
/// Pictures of one figure, where it is drawn for each of many things.
const MOST_OF_ONE: usize = 2;
/// Pictures that are evidence of one finding.
const MOST_OF_FINDING: usize = 3;
/// Pictures of a report: a day of them is a page that opens at once.
const MOST: usize = 20;

/// A finding, as far as figures are chosen for it.
struct Asking<'f> {
    key: &'f str,
    subject: &'f str,
    /// Ids of the figures that its rule names.
    figures: Vec<&'f str>,
}

/// The parts of an examination's report.
pub fn of_examination(
    examination: &Examination,
    capture: &Capture,
    set: &Ruleset,
    steps: usize,
    how: How,
) -> ReportParts {
    let is_asking = |finding: &&heldup_model::Finding| finding.severity != Severity::Info;
    let asking: Vec<Asking<'_>> = examination
        .findings
        .iter()
        .filter(is_asking)
        .map(|finding| Asking {
            key: &finding.key,
            subject: &finding.subject.name,
            figures: finding.figures.iter().map(String::as_str).collect(),
        })
        .collect();
    let ask = Ask { steps, by_minute: false };
    let mut parts = figures(&asking, capture, ask);
    let others = others(&parts.figures, capture, ask);
    parts.more_figures = others.len();
    let others: Vec<Frame> = others.into_iter().flatten().collect();
    let ids: HashSet<&str> = examination.findings.iter().map(|finding| finding.id.as_str()).collect();
    parts.rules = set.rules.iter().filter(|rule| ids.contains(rule.id.as_str())).map(in_words).collect();
    parts.boots_ms = boots(capture);
    parts.redacted = how.redacted;
    parts.page = page(capture, others, how.own_pid);
    parts
}

/// How a report is made.
#[derive(Clone, Copy)]
pub struct How {
    /// Whether names are replaced by pseudonyms.
    pub redacted: bool,
    /// Process of the recorder or of the examination, which is no part of the answer.
    pub own_pid: Option<i64>,
}

/// Figures with numbers that are not among these, with their frames.
fn others(shown: &[ReportFigure], capture: &Capture, ask: Ask) -> Vec<Vec<Frame>> {
    let shown: HashSet<&str> = shown.iter().map(|one| one.frame.id.as_str()).collect();
    let others: Vec<&Figure> =
        shipped().iter().filter(|figure| !shown.contains(figure.id.as_str())).collect();
    answer_all(&others, capture, ask).into_iter().filter(|frames| !frames.is_empty()).collect()
}

/// What the page answers; nothing where the window cannot be read.
fn page(capture: &Capture, figures: Vec<Frame>, own_pid: Option<i64>) -> Option<ReportPage> {
    let (mut tasks, mut processes) = seen(capture).ok()?;
    processes.retain(|process| Some(process.pid) != own_pid);
    tasks.retain(|task| task.pid.is_none() || task.pid != own_pid);
    let kinds = [BreakdownKind::Wait, BreakdownKind::Cpu].into_iter();
    let breakdowns = kinds.filter_map(|kind| of_capture(capture, kind, own_pid).ok()).collect();
    Some(ReportPage { span: capture.span, tasks, processes, figures, breakdowns })
}

/// The parts of the report of a long window of an archive.
pub fn of_timeline(
    timeline: &Timeline,
    archive: &ArchiveSource,
    window: Span,
    set: &Ruleset,
    steps: usize,
) -> Result<ReportParts> {
    let asking: Vec<Asking<'_>> = timeline
        .stretches
        .iter()
        .flat_map(|stretch| &stretch.findings)
        .filter(|finding| finding.severity != Severity::Info)
        .map(|finding| {
            let subject = finding.key.split_once(':').map_or("", |(_, subject)| subject);
            let rule = set.find(&finding.id);
            let figures = rule.into_iter().flat_map(|rule| rule.figures.iter().map(String::as_str));
            Asking { key: &finding.key, subject, figures: figures.collect() }
        })
        .collect();
    let ids = asking.iter().flat_map(|one| &one.figures).copied().chain(FIRST);
    let mut taken = HashSet::new();
    let wanted: Vec<&'static Figure> = ids.filter(|id| taken.insert(*id)).filter_map(find).collect();
    let (capture, by_minute) = plot::of_archive(archive, window, &wanted)?;
    let mut parts = figures(&asking, &capture, Ask { steps, by_minute });
    // What else there are numbers of is not read.
    parts.more_figures = shipped().len() - wanted.len();
    parts.boots_ms = boots(&capture);
    Ok(parts)
}

/// The pictures: evidence first, each once.
fn figures(asking: &[Asking<'_>], capture: &Capture, ask: Ask) -> ReportParts {
    let mut all: Vec<ReportFigure> = Vec::new();
    for one in asking {
        let mut own = 0;
        for figure in one.figures.iter().filter_map(|id| find(id)) {
            if own >= MOST_OF_FINDING || all.len() >= MOST {
                break;
            }
            if let Some(known) = all.iter_mut().find(|known| known.frame.id == figure.id) {
                known.findings.push(one.key.to_owned());
                own += 1;
                continue;
            }
            for frame in of_subject(answer(figure, capture, ask), one.subject) {
                own += 1;
                all.push(ReportFigure { frame, findings: vec![one.key.to_owned()] });
            }
        }
    }
    for figure in FIRST.into_iter().filter_map(find) {
        if all.len() >= MOST {
            break;
        }
        if all.iter().any(|known| known.frame.id == figure.id) {
            continue;
        }
        let frames = answer(figure, capture, ask).into_iter().take(MOST_OF_ONE);
        all.extend(frames.map(|frame| ReportFigure { frame, findings: Vec::new() }));
    }
    ReportParts { figures: all, ..ReportParts::default() }
}

/// The frame of a finding's subject, else the largest ones.
fn of_subject(frames: Vec<Frame>, subject: &str) -> Vec<Frame> {
    match frames.iter().find(|frame| frame.subject.as_deref() == Some(subject)) {
        Some(own) => vec![own.clone()],
        None => frames.into_iter().take(MOST_OF_ONE).collect(),
    }
}

/// Boots within the window; none where the capture does not say.
fn boots(capture: &Capture) -> Vec<i64> {
    let asked = |database: Database| database.query("select distinct boot_ms from host order by 1");
    let answer = Database::open(capture).and_then(asked);
    let rows = answer.map(|answer| answer.rows).unwrap_or_default();
    let is_inside = |ms: &i64| *ms > capture.span.since_ms && *ms < capture.span.until_ms;
    rows.iter().filter_map(|row| row.first()?.as_i64()).filter(is_inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_that_is_chosen_is_one() {
        for id in FIRST {
            assert!(find(id).is_some(), "{id}");
        }
    }
}
