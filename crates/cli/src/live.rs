//! Looking at the running machine for one window: a time, or the run of a command.

use std::ffi::OsString;
use std::process::ExitStatus;
use std::time::Duration;

use heldup_hostfs::{ChildOutput, Host, Interrupts};
use heldup_model::{Capture, Missing};
use heldup_probe::{ProgramTime, RunTimeCount};
use heldup_sources::SampleKind;

use crate::args::MethodChoice;
use crate::command_run::CommandRun;
use crate::session::Session;
use crate::terminal::Progress;

/// From when to when to look.
#[derive(Clone, Debug)]
pub enum Window {
    /// For a time from now.
    For(Duration),
    /// From the start of a command to its end.
    Command {
        /// Program and arguments.
        command: Vec<OsString>,
        /// Whether standard output carries our answer for a program, so that the
        /// command's own output has to go elsewhere.
        answer_on_stdout: bool,
    },
}

/// What to look at.
#[derive(Clone, Debug)]
pub struct Request {
    window: Window,
    method: MethodChoice,
    own_cost: bool,
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
        Request { window, method, own_cost: false, query: None, all_tables: false }
    }

    /// The request with the kernel counting the run time of our BPF programs, or not.
    pub fn with_own_cost(self, own_cost: bool) -> Request {
        Request { own_cost, ..self }
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
pub fn look(request: &Request) -> anyhow::Result<Looked> {
    let host = Host::live();
    let with_command = matches!(request.window, Window::Command { .. });
    // From before the programs are loaded to after their run times are read.
    let (_counted, missing) = count_own_cost(request.own_cost);
    // A table's name that means something else in the query costs a few milliseconds.
    let is_asked =
        |table: &str| request.all_tables || request.query.as_ref().is_some_and(|query| query.contains(table));
    let mut session = Session::open(&host, request.method, with_command, &is_asked, missing)?;
    let interrupts = Interrupts::watch()?;
    let (length, mut command) = match &request.window {
        Window::For(length) => (Some(*length), None),
        Window::Command { command, answer_on_stdout } => {
            let output = if *answer_on_stdout { ChildOutput::ToStandardError } else { ChildOutput::Shared };
            (None, Some(CommandRun::start(command, output)?))
        }
    };
    let mut progress = Progress::of(length);
    let end_ns =
        length.map_or(u64::MAX, |length| session.start_ns().saturating_add(length.as_nanos() as u64));
    let show = &mut |ns| progress.show(Duration::from_nanos(ns));
    let ended = &mut || command.as_mut().map_or(Ok(false), CommandRun::has_ended);
    let stopped = session.sample_until(&interrupts, end_ns, ended, show)?;
    if let Some(command) = command.as_mut().filter(|_| stopped) {
        command.await_end(&interrupts)?;
    }
    session.sample(SampleKind::Last)?;
    let exit = command.map(|command| session.finish_command(command)).transpose()?.flatten();
    let programs = session.program_time();
    let own_pid = Some(session.own_pid());
    Ok(Looked { capture: session.close(), own_pid, programs, exit })
}

/// Has the kernel count the run time of our programs for as long as the first value lives; the
/// second is what is missing where it does not.
pub fn count_own_cost(wanted: bool) -> (Option<RunTimeCount>, Vec<Missing>) {
    match wanted.then(RunTimeCount::start) {
        None => (None, Vec::new()),
        Some(Ok(count)) => (Some(count), Vec::new()),
        Some(Err(error)) => {
            let missing = Missing {
                what: "cost_of_looking.bpf_seconds".to_owned(),
                why: error.to_string(),
                how: "Linux 5.8 or later, and root".to_owned(),
            };
            (None, vec![missing])
        }
    }
}
