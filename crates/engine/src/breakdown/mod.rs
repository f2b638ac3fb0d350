//! One kind of time of a window, by programs, by what it was spent on, and over the time of the window.

mod difference;
mod questions;
mod stacks;

use std::time::Duration;

use heldup_archive::{Database, Value};
use heldup_diagnose::{Focus, cut, device_of_mount};
use heldup_model::{
    BREAKDOWN_SCHEMA, Breakdown, BreakdownKind, BreakdownPart, BreakdownPlace, BreakdownProgram,
    BreakdownStack, Capture, Class, Holds, Span,
};
use heldup_probe::ProgramTime;

use crate::cancel::Cancel;
use crate::error::{Context, EngineError, Result};
use crate::focus_subject;
use crate::overhead;
use crate::progress::{Progress, Silent};
use crate::redaction;
use crate::request::{AskedSpan, MethodChoice};
use crate::session::look::{Request, Window, look};
use crate::source::Source;
use crate::source::archive::ArchiveSource;
use crate::source::side;
use crate::times::rfc3339;
use questions::{
    CALLS, CALLS_OF_FOCUS, CALLS_OF_MINUTES, FULL_STACKS, MINUTES, OF_DEVICE, PLACES, Questions, SECONDS,
    STACKS,
};
use stacks::Origin;

pub use difference::{Compared, breakdown_difference, difference};

/// How long to look at the live machine.
const DEFAULT_WINDOW: Duration = Duration::from_secs(10);
/// What is taken of the end of an archive where no time is asked for; of a longer window its minutes are asked.
const LAST_MS: i64 = 3_600_000;
const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60_000;
/// Parts of a window that are told one by one.
const PARTS: u64 = 12;
/// What is broken down.
#[derive(Clone, Debug)]
pub struct BreakdownRequest {
    /// Which time.
    pub kind: BreakdownKind,
    /// A SOURCE word; none for the running machine.
    pub source: Option<String>,
    /// How long to look, from now or from the time asked for.
    pub window: Option<Duration>,
    /// Which window of an archive.
    pub span: AskedSpan,
    /// Only this.
    pub focus: Option<Focus>,
    /// How to account for time.
    pub method: MethodChoice,
    /// Whether stacks are wanted one by one.
    pub stacks: bool,
    /// Whether names are replaced by pseudonyms.
    pub redact: bool,
    /// Whether stacks are wanted for a flame graph.
    pub flame: bool,
}

/// Breaks one kind of time down.
pub fn breakdown(request: &BreakdownRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<Breakdown> {
    let drill = drill(request)?;
    let seen = tables(request, drill, progress, cancel)?;
    answer(request, seen)
}

/// What is open already, and the part of it that is meant.
pub enum Opened<'a> {
    /// A window of an archive.
    Archive(&'a ArchiveSource, Span),
    /// A capture, or recordings of other tools as one, with their name.
    Capture(&'a str, Capture, bool),
}

/// The same of what is open already.
pub fn breakdown_of(opened: Opened<'_>, request: &BreakdownRequest) -> Result<Breakdown> {
    let drill = drill(request)?;
    let (found, drill) = match opened {
        Opened::Archive(archive, span) => of_window(archive, span, drill, &Silent)?,
        Opened::Capture(name, capture, is_recorded_by_others) => {
            let origin = if is_recorded_by_others { Origin::Recordings } else { Origin::Kept };
            let name = name.to_owned();
            (Found { capture, name, own_pid: None, origin, programs: None }, drill)
        }
    };
    answer(request, cut_to_focus(request, drill, found)?)
}

fn drill(request: &BreakdownRequest) -> Result<Drill> {
    let mut drill = Drill::of(request.kind, request.focus.as_ref())?;
    drill.has_flame = request.flame && drill.has_stacks();
    Ok(drill)
}

fn answer(request: &BreakdownRequest, seen: Seen) -> Result<Breakdown> {
    let mut answer = of_tables(&seen.capture, &seen.drill, request.stacks)?;
    // Of a profile of another tool there are stacks alone.
    if request.flame || (answer.programs.is_empty() && seen.origin == Origin::Recordings) {
        let database = Database::open(&seen.capture)?;
        answer.flame = Some(stacks::flame(&database, &seen.capture, &seen.drill, seen.origin)?);
    }
    answer.source = seen.name;
    answer.focus = request.focus.as_ref().map(Focus::to_string);
    answer.errors.splice(0..0, seen.errors);
    answer.overhead = seen.programs.map(|programs| overhead::so_far(programs, false));
    Ok(answer)
}

/// One kind of time of tables that are at hand, with its stacks, without the process that looked on.
pub fn of_capture(capture: &Capture, kind: BreakdownKind, own_pid: Option<i64>) -> Result<Breakdown> {
    let mut drill = Drill::of(kind, None)?;
    drill.has_flame = drill.has_stacks();
    let capture = cut(capture, None, own_pid).capture;
    let mut answer = of_tables(&capture, &drill, false)?;
    answer.flame = Some(stacks::flame(&Database::open(&capture)?, &capture, &drill, Origin::Kept)?);
    Ok(answer)
}

/// What the questions are asked of.
struct Seen {
    capture: Capture,
    drill: Drill,
    /// What the source is called.
    name: String,
    origin: Origin,
    /// Time of our eBPF programs, where somebody looked.
    programs: Option<ProgramTime>,
    errors: Vec<heldup_model::ErrorNote>,
}

/// Tables, and whose they are.
struct Found {
    capture: Capture,
    name: String,
    /// The process that looked or recorded.
    own_pid: Option<i64>,
    origin: Origin,
    programs: Option<ProgramTime>,
}

/// A window of an archive, with the drill that asks it.
fn of_window(
    archive: &ArchiveSource,
    span: Span,
    drill: Drill,
    progress: &dyn Progress,
) -> Result<(Found, Drill)> {
    let (capture, drill) = of_archive(archive, span, drill, progress)?;
    let (name, own_pid) = (archive.name.clone(), archive.own_pid(&capture));
    Ok((Found { capture, name, own_pid, origin: Origin::Archive, programs: None }, drill))
}

/// The tables that the drill asks, cut to the focus. A long window of an archive is asked by the minute.
fn tables(
    request: &BreakdownRequest,
    drill: Drill,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Seen> {
    let (word, asked_span) = side_of(request)?;
    let source = Source::open(word, &asked_span, progress)?;
    let recorded = source.recorded(&asked_span, request.window, progress)?;
    let origin = match source {
        Source::Live => Origin::Live,
        Source::Kept { .. } => Origin::Kept,
        Source::Archive(_) => Origin::Archive,
        Source::Recordings { .. } => Origin::Recordings,
    };
    let found = |capture, name| Found { capture, name, own_pid: None, origin, programs: None };
    let (found, drill) = match (source, recorded) {
        (Source::Kept { name, .. } | Source::Recordings { name, .. }, Some(recorded)) => {
            (found(recorded.capture, name), drill)
        }
        (Source::Archive(archive), _) => {
            let asked = archive.asked(&asked_span, request.window, progress)?;
            let span = asked.map_or_else(|| last_of(&archive), Ok)?;
            of_window(&archive, span, drill, progress)?
        }
        _ => {
            focus_subject::must_be_here(request.focus.as_ref())?;
            let window = Window::For(request.window.unwrap_or(DEFAULT_WINDOW));
            let asked = Request::of(window, request.method).with_query(&drill.needs());
            let looked = look(&asked, progress, cancel)?;
            let found = found(looked.capture, "this machine".to_owned());
            (Found { own_pid: looked.own_pid, programs: Some(looked.programs), ..found }, drill)
        }
    };
    cut_to_focus(request, drill, found)
}

/// What the questions are asked of: cut to the focus, without whoever looked.
fn cut_to_focus(request: &BreakdownRequest, drill: Drill, found: Found) -> Result<Seen> {
    let Found { capture, name, own_pid, origin, programs } = found;
    let mut drill = drill;
    if let Some(focus) = request.focus.as_ref().filter(|_| origin != Origin::Live) {
        focus_subject::must_be_in(&capture, focus)?;
    }
    if let Some(Focus::Mount(path)) = &request.focus {
        let none = || EngineError::not_found(format!("{name}: no block device below mount:{path}"));
        drill.device = Some(device_of_mount(&capture, path).ok_or_else(none)?);
    }
    // What a device held up is told by stacks, which name it: nothing else is cut to it.
    let is_of_tasks = |focus: &&Focus| !matches!(focus, Focus::Device(_) | Focus::Mount(_));
    let of_tasks = request.focus.as_ref().filter(is_of_tasks);
    let mut cut = cut(&capture, of_tasks, own_pid);
    let redactor = redaction::of_one(&mut cut.capture, request.redact)?;
    let name = redactor.map_or(name.clone(), |mut redactor| redactor.text(Holds::Message, &name));
    Ok(Seen { capture: cut.capture, drill, name, origin, programs, errors: cut.errors })
}

/// The source and the part of its time: `SOURCE@FROM..UNTIL` says both.
fn side_of(request: &BreakdownRequest) -> Result<(Option<&str>, AskedSpan)> {
    let Some(word) = request.source.as_deref() else { return Ok((None, request.span.clone())) };
    let (source, Some((from, until))) = side::split(word) else {
        return Ok((Some(word), request.span.clone()));
    };
    if request.span.since.is_some() || request.window.is_some() {
        return Err(EngineError::usage(format!("both `{word}` and an option say which part is meant")));
    }
    let until = Some(until.trim().to_owned()).filter(|until| !until.is_empty());
    let since = Some(from.trim().to_owned());
    Ok((Some(source), AskedSpan { since, until, ..request.span.clone() }))
}

/// The end of an archive of which no time is asked for.
fn last_of(archive: &ArchiveSource) -> Result<Span> {
    archive.all().map(|all| Span { since_ms: all.since_ms.max(all.until_ms - LAST_MS), ..all })
}

/// The tables of a window of an archive, and the drill that asks them. Of whom a row by the minute is, it may
/// not say: with a focus the seconds are asked.
fn of_archive(
    archive: &ArchiveSource,
    span: Span,
    drill: Drill,
    progress: &dyn Progress,
) -> Result<(Capture, Drill)> {
    let is_long = span.until_ms - span.since_ms > LAST_MS;
    let Some(by_the_minute) = drill.minutes().filter(|_| is_long && !drill.has_focus) else {
        return Ok((archive.readings(Some(span), &drill.needs(), progress)?, drill));
    };
    let full = |ms: i64| ms.div_euclid(MINUTE_MS) * MINUTE_MS;
    let span = Span { since_ms: full(span.since_ms), until_ms: full(span.until_ms + MINUTE_MS - 1) };
    let mut read = archive.readings(Some(span), &by_the_minute.needs(), progress)?;
    // A recording that begins in a minute has a row of what it has of it.
    read.span.since_ms = full(read.span.since_ms);
    Ok((read, by_the_minute))
}

/// Which questions are asked, and with what.
struct Drill {
    kind: BreakdownKind,
    questions: &'static Questions,
    /// The device that all of it is about.
    device: Option<String>,
    /// Whether all of it is about some processes, or a device, only.
    has_focus: bool,
    /// Tables and columns that tell what a focus means.
    whose: &'static str,
    /// What parts of the window are whole multiples of, milliseconds.
    grain_ms: i64,
    /// Whether stacks are asked for a flame graph.
    has_flame: bool,
}

impl Drill {
    fn of(kind: BreakdownKind, focus: Option<&Focus>) -> Result<Drill> {
        let device = match focus {
            Some(Focus::Device(name)) => Some(name.clone()),
            _ => None,
        };
        let is_by_device = matches!(focus, Some(Focus::Device(_) | Focus::Mount(_)));
        let questions = match (kind, is_by_device, focus) {
            (BreakdownKind::Calls, true, _) => {
                return Err(EngineError::usage("system calls are not counted by device or mount"));
            }
            (BreakdownKind::Calls, false, None) => &CALLS,
            (BreakdownKind::Calls, false, Some(_)) => &CALLS_OF_FOCUS,
            (_, true, _) => &OF_DEVICE,
            (_, false, _) => &SECONDS,
        };
        let whose = focus.map_or("", focus_subject::named_by);
        let has_focus = focus.is_some();
        Ok(Drill { kind, questions, device, has_focus, whose, grain_ms: SECOND_MS, has_flame: false })
    }

    /// The same asked of the tables by the minute; none of what there are none of.
    fn minutes(&self) -> Option<Drill> {
        let questions = match (self.kind, &self.device) {
            (_, Some(_)) => return None,
            (BreakdownKind::Calls, None) => &CALLS_OF_MINUTES,
            (_, None) => &MINUTES,
        };
        Some(Drill { questions, device: None, grain_ms: MINUTE_MS, ..*self })
    }

    fn has_stacks(&self) -> bool {
        self.kind != BreakdownKind::Calls
    }

    /// A text that names all tables and columns that are needed.
    fn needs(&self) -> String {
        // Rows by the minute do not say from when to when samples were taken.
        let samples = if self.grain_ms == MINUTE_MS { " from system" } else { "" };
        let stacks = if self.has_stacks() { STACKS } else { "" };
        let full = if self.has_flame { FULL_STACKS } else { "" };
        format!("{} {stacks} {full} from host cpus, window_s{samples} {}", self.questions.part, self.whose)
    }

    /// Length of a part, so that at most [`PARTS`] of them hold the span.
    fn step_ms(&self, span: Span) -> i64 {
        let length_ms = (span.until_ms - span.since_ms).max(1).unsigned_abs();
        let grains = length_ms.div_ceil(PARTS * self.grain_ms.unsigned_abs());
        i64::try_from(grains).unwrap_or(i64::MAX).saturating_mul(self.grain_ms)
    }

    fn parameters(&self, span: Span) -> Vec<(&'static str, Value)> {
        let of_kind = Class::ALL.iter().filter(|class| self.kind.has(**class));
        let classes: String = of_kind.map(|class| format!("{},", class.name())).collect();
        vec![
            (":classes", Value::Text(format!(",{classes}"))),
            (":device", self.device.clone().map_or(Value::Null, Value::Text)),
            (":since", Value::Int(span.since_ms)),
            (":step", Value::Int(self.step_ms(span))),
        ]
    }
}

/// Asks the tables.
fn of_tables(capture: &Capture, drill: &Drill, with_stacks: bool) -> Result<Breakdown> {
    let span = capture.span;
    let database = Database::open(capture)?;
    let parameters = drill.parameters(span);
    let ask = |query: &str| -> Result<Vec<Vec<Value>>> {
        let answer = database.query_with(query, &parameters).context("the tables could not be asked")?;
        Ok(answer.rows)
    };
    let part = |row: Vec<Value>| part(&mut row.into_iter(), span, drill.step_ms(span));
    let places = if drill.has_stacks() { ask(PLACES)? } else { Vec::new() };
    let stacks = if with_stacks { ask(drill.questions.stacks)? } else { Vec::new() };
    Ok(Breakdown {
        schema: BREAKDOWN_SCHEMA.to_owned(),
        kind: drill.kind,
        source: String::new(),
        host: capture.host.clone(),
        focus: None,
        from: rfc3339(span.since_ms)?,
        to: rfc3339(span.until_ms)?,
        length_s: length_s(capture),
        not_measured: not_measured(capture, drill.kind),
        unit: drill.kind.unit().to_owned(),
        programs: rows(ask(drill.questions.programs)?, program),
        places: rows(places, place),
        parts: ask(drill.questions.parts)?
            .into_iter()
            .filter_map(|row| part(row).transpose())
            .collect::<Result<_>>()?,
        stacks: rows(stacks, stack),
        flame: None,
        errors: Vec::new(),
        overhead: None,
    })
}

/// Classes of the kind that this method, or this recording, cannot tell from others.
fn not_measured(capture: &Capture, kind: BreakdownKind) -> Vec<String> {
    let is_told = |class: &Class| capture.method.tells(*class) && !capture.untold.contains(class);
    let of_kind = Class::ALL.into_iter().filter(|class| kind.has(*class));
    of_kind.filter(|class| !is_told(class)).map(|class| class.name().to_owned()).collect()
}

/// Recorded seconds; 0 of recordings that do not say.
fn length_s(capture: &Capture) -> f64 {
    let timing = capture.timing;
    let is_known = timing.has_intervals && capture.span.until_ms > capture.span.since_ms;
    if is_known { capture.secs() } else { 0.0 }
}

/// The cells of a row, in the order of the question.
type Cells<'a> = dyn Iterator<Item = Value> + 'a;

/// A row without an amount or a class is none.
fn rows<T>(rows: Vec<Vec<Value>>, read: fn(&mut Cells<'_>) -> Option<T>) -> Vec<T> {
    rows.into_iter().filter_map(|row| read(&mut row.into_iter())).collect()
}

fn text(cells: &mut Cells<'_>) -> Option<String> {
    match cells.next() {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

fn int(cells: &mut Cells<'_>) -> Option<i64> {
    cells.next()?.as_i64()
}

fn number(cells: &mut Cells<'_>) -> Option<f64> {
    cells.next()?.as_f64()
}

fn program(cells: &mut Cells<'_>) -> Option<BreakdownProgram> {
    let (amount, program, processes) = (number(cells)?, text(cells), int(cells));
    Some(BreakdownProgram { amount, program, processes, class: text(cells)?, waits: int(cells) })
}

fn place(cells: &mut Cells<'_>) -> Option<BreakdownPlace> {
    let (amount, class) = (number(cells)?, text(cells)?);
    let (program, syscall, object) = (text(cells), text(cells), text(cells));
    let (waker, kernel_stack) = (text(cells), text(cells));
    Some(BreakdownPlace { amount, class, program, syscall, object, waker, kernel_stack })
}

fn part(cells: &mut Cells<'_>, span: Span, step_ms: i64) -> Result<Option<BreakdownPart>> {
    let (Some(since_ms), Some(amount)) = (int(cells), number(cells)) else { return Ok(None) };
    let (top_program, top_class, top_amount) = (text(cells), text(cells), number(cells));
    let (Some(top_class), Some(top_amount)) = (top_class, top_amount) else { return Ok(None) };
    let (from, to) = (rfc3339(since_ms)?, rfc3339((since_ms + step_ms).min(span.until_ms))?);
    Ok(Some(BreakdownPart { from, to, amount, top_program, top_class, top_amount }))
}

fn stack(cells: &mut Cells<'_>) -> Option<BreakdownStack> {
    let (frames, value) = (text(cells)?, int(cells)?);
    (value > 0).then_some(BreakdownStack { frames, value })
}

#[cfg(test)]
mod tests;
