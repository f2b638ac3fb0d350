//! Looking at the running machine for one window: a time, or the run of a command.

use std::borrow::Borrow;
use std::ffi::OsString;
use std::process::ExitStatus;
use std::time::Duration;

use heldup_hostfs::{ChildOutput, Host, Interrupts};
use heldup_model::{Capture, Missing};
use heldup_probe::{ProgramTime, RunTimeCount};
use heldup_sources::SampleKind;

use crate::cancel::Cancel;
use crate::error::Result;
use crate::progress::{Progress, Step};
use crate::request::MethodChoice;
use crate::session::Session;
use crate::session::command_run::CommandRun;

/// From when to when to look.
#[derive(Clone, Debug)]
pub enum Window {
    /// For a time from now.
    For(Duration),
    /// From the start of a command to its end.
    Command(CommandToRun),
}

/// A command that is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandToRun {
    /// Program and arguments.
    pub words: Vec<OsString>,
    /// Whether standard output carries an answer for a program, so that the command's own has to go elsewhere.
    pub answer_on_stdout: bool,
}

/// What to look at.
#[derive(Clone, Debug)]
pub struct Request {
    window: Window,
    method: MethodChoice,
    measure_overhead: bool,
    /// A query whose tables are asked for.
    query: Option<String>,
    /// Whether all of them are.
    all_tables: bool,
}

/// What was seen.
pub struct Looked {
    /// The tables.
    pub capture: Capture,
    /// Process id of this program within the account of time, whose own time is left out.
    pub own_pid: Option<i64>,
    /// Time that the eBPF programs took.
    pub programs: ProgramTime,
    /// How the command ended, where one was run.
    pub exit: Option<ExitStatus>,
}

impl Request {
    /// A request.
    pub fn of(window: Window, method: MethodChoice) -> Request {
        Request { window, method, measure_overhead: false, query: None, all_tables: false }
    }

    /// The request with the kernel counting the run time of our BPF programs, or not.
    pub fn with_overhead(self, measure_overhead: bool) -> Request {
        Request { measure_overhead, ..self }
    }

    /// The request with all rows of the tables that a query names, also those that no rule needs
    /// and that cost something to read.
    pub fn with_query(self, query: &str) -> Request {
        Request { query: Some(query.to_ascii_lowercase()), ..self }
    }

    /// The same of all tables.
    pub fn with_all_tables(self) -> Request {
        Request { all_tables: true, ..self }
    }
}

impl Looked {
    /// A capture that was kept earlier.
    pub fn kept(capture: Capture) -> Looked {
        Looked { capture, own_pid: None, programs: ProgramTime::default(), exit: None }
    }
}

/// Looks at the running machine.
pub fn look(request: &Request, progress: &dyn Progress, cancel: &Cancel) -> Result<Looked> {
    look_with(request, progress, &|| cancel.begin())
}

/// The same for who listens already.
pub fn look_until(request: &Request, progress: &dyn Progress, interrupts: &Interrupts) -> Result<Looked> {
    look_with(request, progress, &|| Ok(interrupts))
}

/// Begins to listen once everything is open: until then a signal ends the process by itself.
fn look_with<I: Borrow<Interrupts>>(
    request: &Request,
    progress: &dyn Progress,
    listen: &dyn Fn() -> Result<I>,
) -> Result<Looked> {
    let host = Host::live();
    let with_command = matches!(request.window, Window::Command(_));
    // From before the programs are loaded to after their run times are read.
    let (_counted, missing) = count_overhead(request.measure_overhead);
    // A table's name that means something else in the query costs a few milliseconds.
    let is_asked =
        |table: &str| request.all_tables || request.query.as_ref().is_some_and(|query| query.contains(table));
    let mut session = Session::open(&host, request.method, with_command, &is_asked, missing)?;
    let interrupts = listen()?;
    let interrupts = interrupts.borrow();
    let (length, mut command) = match &request.window {
        Window::For(length) => (Some(*length), None),
        Window::Command(CommandToRun { words, answer_on_stdout }) => {
            let output = if *answer_on_stdout { ChildOutput::ToStandardError } else { ChildOutput::Shared };
            (None, Some(CommandRun::start(words, output)?))
        }
    };
    let end_ns =
        length.map_or(u64::MAX, |length| session.start_ns().saturating_add(length.as_nanos() as u64));
    let show = &mut |ns| progress.step(Step::Looked { so_far: Duration::from_nanos(ns), of: length });
    let ended = &mut || command.as_mut().map_or(Ok(false), CommandRun::has_ended);
    let stopped = session.sample_until(interrupts, end_ns, ended, show)?;
    if let Some(command) = command.as_mut().filter(|_| stopped) {
        command.await_end(interrupts)?;
    }
    session.sample(SampleKind::Last)?;
    let exit = command.map(|command| session.finish_command(command)).transpose()?.flatten();
    let programs = session.program_time();
    let own_pid = Some(session.own_pid());
    Ok(Looked { capture: session.close(), own_pid, programs, exit })
}

/// Has the kernel count the run time of our programs for as long as the first value lives; the
/// second is what is missing where it does not.
pub fn count_overhead(wanted: bool) -> (Option<RunTimeCount>, Vec<Missing>) {
    match wanted.then(RunTimeCount::start) {
        None => (None, Vec::new()),
        Some(Ok(count)) => (Some(count), Vec::new()),
        Some(Err(error)) => {
            let missing = Missing {
                what: "overhead.bpf_seconds".to_owned(),
                why: error.to_string(),
                how: "Linux 5.8 or later, and root".to_owned(),
            };
            (None, vec![missing])
        }
    }
}
