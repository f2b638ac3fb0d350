//! A command that is run within limits or on chosen CPUs: the change is undone when it has ended.

use std::ffi::OsString;
use std::process::ExitStatus;

use heldup_hostfs::{ChildOutput, Interrupts, monotonic_ns};
use heldup_model::TuneApplyAnswer;
use heldup_tune::Foreign;

use super::apply::{Terms, commit, done, not_done, warn};
use super::changed::{ChangedHost, writer};
use super::wanted::WantedChanges;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::progress::Progress;
use crate::session::command_run::CommandRun;

/// How often it checks whether a command has ended, besides the signal.
const CHECK_NS: u64 = 1_000_000_000;

/// What came of it.
#[derive(Debug)]
pub enum RunWithin {
    /// The change was not made, and the command not run.
    NotMade(Box<TuneApplyAnswer>),
    /// The command was run.
    Ran {
        /// How it ended; none where somebody asked to stop and it did not end in time.
        status: Option<ExitStatus>,
        /// Whether all of the change is undone; what is not was noted.
        undone: bool,
    },
}

/// Changes this process, which a command then inherits, and undoes that when the command has ended; `made` is
/// called with the change before the command is run. Killed in between, the change is in effect until an undo.
pub fn run_within(
    wanted: &WantedChanges,
    command: &[OsString],
    made: &mut dyn FnMut(&TuneApplyAnswer),
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<RunWithin> {
    let terms = Terms { persist: wanted.persist(), confirm: None };
    let interrupts = cancel.begin()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, progress)?;
    let wanted = wanted.plan(&changed, progress)?;
    warn(&wanted, progress);
    let plan = wanted.apply(&writer, &|| interrupts.stopped()).and_then(|made| commit(&writer, made, None));
    let plan = match plan {
        Ok(plan) => plan,
        Err(failed) => return Ok(RunWithin::NotMade(Box::new(not_done(&failed)))),
    };
    made(&done(&plan, terms));
    // Others may change settings while it runs.
    drop(writer);
    let ended = run(command, &interrupts);
    let Some(plan) = plan.plan else { return Ok(RunWithin::Ran { status: ended?, undone: true }) };
    let outcomes = changer.wait_for_writer()?.undo_plan(plan, Foreign::Goes)?;
    let mut undone = true;
    for error in outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().err()) {
        undone = false;
        progress.note(&format!("not undone: {error}; the next `heldup tune apply` or `undo` tries again"));
    }
    // What is left is worse than a command that could not be run.
    let status = if undone { ended? } else { ended.unwrap_or_default() };
    Ok(RunWithin::Ran { status, undone })
}

/// Runs a command to its end.
fn run(command: &[OsString], interrupts: &Interrupts) -> Result<Option<ExitStatus>> {
    let mut run = CommandRun::start(command, ChildOutput::Shared)?;
    while !run.has_ended()? && !interrupts.stopped() {
        interrupts.wait_until(monotonic_ns().saturating_add(CHECK_NS));
    }
    run.await_end(interrupts)?;
    Ok(run.finish()?.1)
}
