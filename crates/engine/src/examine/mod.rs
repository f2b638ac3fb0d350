//! Where a machine's time goes, and why: of the running machine, a command's run, a kept capture, recordings of other
//! tools, or a window of an archive.

pub mod assemble;
pub mod timeline;
pub mod worst;

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use heldup_diagnose::{Focus, Options, add_baseline, cut, diagnose_with};
use heldup_hostfs::Host;
use heldup_model::{Capture, ErrorNote, Examination, Flaw, Method, ReportParts, Span, Timeline};

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::focus_subject;
use crate::ignored::Ignored;
use crate::overhead;
use crate::progress::Progress;
use crate::redaction;
use crate::report;
use crate::request::{AskedSpan, MethodChoice};
use crate::rules;
use crate::session::look::{CommandToRun, Looked, Request, Window, look};
use crate::source::archive::{ArchiveSource, quoted};
use crate::source::examinations::{Examinations, Saved};
use crate::source::{Source, baseline_file, load, side};
use timeline::{Judge, timeline};

/// How long to look at the live machine.
const DEFAULT_WINDOW: Duration = Duration::from_secs(10);
/// Rules look at every row of a window; of a longer one they look at the worst stretches.
const LONGEST_WINDOW_MS: i64 = 15 * 60_000;
/// What is looked at of an archive where nobody says what.
const DAY_MS: i64 = 24 * 3_600_000;

/// The last saved examination, as a word.
const LAST: &str = "@last";

/// Of many stretches each would have pseudonyms of its own.
const LONG_AND_REDACTED: &str =
    "--redact takes 15 minutes of an archive at most: name them with --since and --until";

/// What is to be examined, and how it is judged.
#[derive(Clone, Debug, Default)]
pub struct ExamineRequest {
    /// SOURCE words; none for the running machine.
    pub sources: Vec<String>,
    /// A command that is run and examined from its start to its end.
    pub command: Option<CommandToRun>,
    /// How long to look, from now or from the time asked for.
    pub window: Option<Duration>,
    /// Which window of an archive.
    pub span: AskedSpan,
    /// Judge only this.
    pub focus: Option<Focus>,
    /// How to account for time.
    pub method: MethodChoice,
    /// Findings that are left out, by id or key.
    pub ignore: Vec<String>,
    /// What settings are held against; without it what was kept as the machine's baseline.
    pub baseline: Option<String>,
    /// Further rules: a folder.
    pub rules: Option<PathBuf>,
    /// Whether the kernel counts what our eBPF programs cost.
    pub measure_overhead: bool,
    /// Whether it is saved, as @last.
    pub save: bool,
    /// Whether names are replaced by pseudonyms; nothing is saved then.
    pub redact: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Examined {
    /// Of one window.
    Window {
        /// The answer.
        examination: Box<Examination>,
        /// How the command ended, where one was run.
        exit: Option<ExitStatus>,
    },
    /// Of a long window of an archive: its worst stretches.
    Timeline(Timeline),
}

/// Examines.
pub fn examine(request: &ExamineRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<Examined> {
    Ok(examined(request, None, progress, cancel)?.0)
}

/// Examines, and gives the figures and rules of a report: so many steps of time in each figure at most.
pub fn examine_for_report(
    request: &ExamineRequest,
    steps: usize,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<(Examined, ReportParts)> {
    examined(request, Some(steps), progress, cancel)
}

fn examined(
    request: &ExamineRequest,
    steps: Option<usize>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<(Examined, ReportParts)> {
    let ruleset = rules::ruleset(request.rules.as_deref());
    let ignored = Ignored::parse(&request.ignore, &ruleset)?;
    let source = Source::parse_all(&request.sources, &request.span)?;
    source.say(progress);
    if request.command.is_some() && request.span.is_asked() {
        let what = "a command is run now: --since, --until and --host are for archives";
        return Err(EngineError::usage(what));
    }
    let baseline = baseline(request, &source, progress)?;
    let mut files = Vec::new();
    let focus = request.focus.clone();
    let live = matches!(source, Source::Live).then(Host::live);
    if let (Some(host), Some(focus)) = (&live, &focus)
        && !focus_subject::is_there(host, focus)
    {
        return Err(EngineError::not_found(focus_subject::absent(focus)));
    }
    let recorded = source.recorded(&request.span, request.window, progress)?;
    let mut zone = None;
    let (name, mut looked) = match (&source, recorded) {
        (Source::Kept { name, .. } | Source::Recordings { name, .. }, Some(recorded)) => {
            files = recorded.files;
            zone = recorded.zone;
            (name.as_str(), Looked::kept(recorded.capture))
        }
        (Source::Archive(archive), _) => {
            let (span, is_long) = window(archive, request, progress)?;
            if is_long {
                let judge = Judge { ruleset: &ruleset, ignored: &ignored, focus, baseline };
                return long_window(archive, span, &judge, request.redact, steps, progress);
            }
            (archive.name.as_str(), self::recorded(archive, span)?)
        }
        _ => ("live", look(&of_now(request), progress, cancel)?),
    };
    if let Some(focus) = focus.as_ref().filter(|_| live.is_none()) {
        focus_subject::must_be_in(&looked.capture, focus)?;
    }
    if let Some(Err(error)) = baseline.map(|baseline| add_baseline(&mut looked.capture, &baseline)) {
        let place = "baseline".to_owned();
        looked.capture.flaws.push(Flaw { place, what: error.to_string() });
    }
    let mut redactor = redaction::of_one(&mut looked.capture, request.redact)?;
    let ended = ended(live.as_ref(), focus.as_ref());
    let focus_of_stretches = focus.clone();
    let options = Options { own_pid: looked.own_pid, focus, clock: Some(heldup_hostfs::thread_cpu_ns) };
    let mut diagnosis = diagnose_with(&looked.capture, &ruleset, &options);
    diagnosis.errors.extend(ended);
    ignored.leave_out(&mut diagnosis.findings);
    let mut examination = assemble::of(&looked.capture, diagnosis, name)?;
    examination.files = files;
    examination.time_zone = zone.as_ref().and_then(worst::zone_name);
    if live.is_none() && looked.capture.method == Method::Imported {
        let judge = worst::Judge { ruleset: &ruleset, ignored: &ignored, focus: focus_of_stretches.as_ref() };
        worst::add(&mut examination, &looked.capture, &judge)?;
    }
    examination.overhead = overhead::so_far(looked.programs, request.measure_overhead);
    let host = request.span.host.as_deref();
    let is_saved = request.save && !request.redact;
    number(&mut examination, &source, host, is_saved.then_some(&looked), progress);
    if let Some(redactor) = &mut redactor {
        redaction::of_examination(&mut examination, redactor);
    }
    let how = report::How { redacted: request.redact, own_pid: looked.own_pid };
    let parts =
        steps.map(|steps| report::of_examination(&examination, &looked.capture, &ruleset, steps, how));
    let examination = Box::new(examination);
    Ok((Examined::Window { examination, exit: looked.exit }, parts.unwrap_or_default()))
}

/// That the subject of the focus is not there any more, on the running machine.
fn ended(live: Option<&Host>, focus: Option<&Focus>) -> Option<ErrorNote> {
    let (host, focus) = live.zip(focus)?;
    (!focus_subject::is_there(host, focus)).then(|| focus_subject::ended(focus))
}

/// The worst stretches of a long window, and the parts of their report.
fn long_window(
    archive: &ArchiveSource,
    span: Span,
    judge: &Judge<'_>,
    redact: bool,
    steps: Option<usize>,
    progress: &dyn Progress,
) -> Result<(Examined, ReportParts)> {
    if redact {
        return Err(EngineError::usage(LONG_AND_REDACTED));
    }
    let found = timeline(archive, span, judge, progress)?;
    let parts =
        steps.map(|steps| report::of_timeline(&found, archive, span, judge.ruleset, steps)).transpose()?;
    Ok((Examined::Timeline(found), parts.unwrap_or_default()))
}

/// What settings are held against: what is named, else, for the live machine, what was kept as its
/// baseline. One that was kept and cannot be read is said, and the examination goes on.
fn baseline(request: &ExamineRequest, source: &Source, progress: &dyn Progress) -> Result<Option<Capture>> {
    if let Some(word) = &request.baseline {
        return side::baseline(word).map(|side| Some(side.capture));
    }
    let kept = baseline_file().ok().filter(|file| matches!(source, Source::Live) && file.exists());
    let loaded = kept.map(|file| load(&file)).transpose();
    Ok(loaded.unwrap_or_else(|error| {
        progress.note(&format!("baseline not used: {}", error.whole()));
        None
    }))
}

/// The window of an archive that was asked for, else its last day, and whether it is so long that
/// only its worst stretches are examined.
fn window(
    archive: &ArchiveSource,
    request: &ExamineRequest,
    progress: &dyn Progress,
) -> Result<(Span, bool)> {
    if let Some(span) = archive.asked(&request.span, request.window, progress)? {
        return Ok((span, span.until_ms - span.since_ms > LONGEST_WINDOW_MS));
    }
    let all = archive.all()?;
    let length_ms =
        request.window.map_or(DAY_MS, |length| i64::try_from(length.as_millis()).unwrap_or(DAY_MS));
    let last = Span { since_ms: all.since_ms.max(all.until_ms - length_ms), ..all };
    Ok((last, last.until_ms - last.since_ms > LONGEST_WINDOW_MS))
}

/// A window of an archive, without the recorder's own part in it.
fn recorded(archive: &ArchiveSource, span: Span) -> Result<Looked> {
    let capture = archive.capture(span)?;
    let own_pid = archive.own_pid(&capture);
    Ok(Looked { own_pid, ..Looked::kept(capture) })
}

fn of_now(request: &ExamineRequest) -> Request {
    let window = match &request.command {
        None => Window::For(request.window.unwrap_or(DEFAULT_WINDOW)),
        Some(command) => Window::Command(command.clone()),
    };
    Request::of(window, request.method).with_overhead(request.measure_overhead)
}

/// Gives the examination its number: that of what is reported again, else a new one, under which it is saved.
fn number(
    examination: &mut Examination,
    source: &Source,
    host: Option<&str>,
    seen: Option<&Looked>,
    progress: &dyn Progress,
) {
    worst::name_commands(examination, source, host);
    if let Source::Kept { name, number, .. } = source {
        examination.number = *number;
        let steps = examination.findings.iter_mut().flat_map(|finding| &mut finding.next);
        steps.for_each(|step| step.command = asking(&step.command, name));
        return;
    }
    // The query that a finding prints asks @last: of an archive's window too.
    let Some(looked) = seen else { return };
    let saved = save(looked).and_then(|saved| {
        examination.number = Some(saved.number);
        worst::name_commands(examination, source, host);
        saved.write_answer(examination)
    });
    if let Err(error) = saved {
        progress.note(&format!("this examination is not saved: {}", error.whole()));
    }
}

/// A command of a rule, which asks the last examination, asking another source.
fn asking(command: &str, source: &str) -> String {
    if source == LAST {
        return command.to_owned();
    }
    let source = quoted(source);
    match command.strip_prefix("heldup sql ") {
        Some(query) => format!("heldup sql -s {source} {query}"),
        None if command.starts_with("heldup breakdown ") => command.replace(LAST, &source),
        None => command.to_owned(),
    }
}

/// Saved without this program's own rows, as the rules saw it: the query that a finding
/// prints must give the same numbers again.
fn save(looked: &Looked) -> Result<Saved> {
    Examinations::here()?.save(&cut(&looked.capture, None, looked.own_pid).capture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_asks_what_was_examined() {
        let query = "heldup sql \"select 1\"";
        assert_eq!(asking(query, "@last"), query);
        assert_eq!(asking(query, "@41"), "heldup sql -s @41 \"select 1\"");
        assert_eq!(asking(query, "my file"), "heldup sql -s 'my file' \"select 1\"");
        assert_eq!(asking("heldup breakdown io @last", "@41"), "heldup breakdown io @41");
        assert_eq!(asking("iostat -x 1", "@41"), "iostat -x 1");
    }
}
