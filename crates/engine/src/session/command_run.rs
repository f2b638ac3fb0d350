//! The command that is run and examined: its start, its end, and what is said of them.
//!
//! It keeps this program's process group and terminal, so that Ctrl-C reaches it as it would
//! without us; nothing here ends it.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

use heldup_hostfs::{ChildOutput, HostError, Interrupts, monotonic_ns};
use heldup_model::RowSet;
use heldup_model::tables::CommandRunRow;

use crate::error::{EngineError, ErrorKind, Result};

/// How long a command that was interrupted with us may take to end: longer than most need to
/// tidy up, and short for somebody who waits for the answer.
const GRACE_NS: u64 = 2_000_000_000;
/// Longest command line that is kept; a shell expands `*` to any length.
const LONGEST: usize = 4096;

/// The running command.
pub struct CommandRun {
    child: Child,
    words: String,
    begun_ns: u64,
    ended_ns: Option<u64>,
}

impl CommandRun {
    /// Starts it.
    pub fn start(command: &[OsString], output: ChildOutput) -> Result<CommandRun> {
        let begun_ns = monotonic_ns();
        let child = heldup_hostfs::spawn(command, output).map_err(|error| not_run(command, error))?;
        let words: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let mut words = words.join(" ");
        words.truncate(words.floor_char_boundary(LONGEST));
        Ok(CommandRun { child, words, begun_ns, ended_ns: None })
    }

    /// Whether it has ended. It stays a task that can be read until [`CommandRun::finish`].
    pub fn has_ended(&mut self) -> Result<bool> {
        if self.ended_ns.is_none() && heldup_hostfs::has_ended(&self.child)? {
            self.ended_ns = Some(monotonic_ns());
        }
        Ok(self.ended_ns.is_some())
    }

    /// After a request to stop, which a terminal sends to the command too: its end, or as long
    /// as it is worth waiting for.
    pub fn await_end(&mut self, interrupts: &Interrupts) -> Result<()> {
        let until_ns = monotonic_ns() + GRACE_NS;
        while !self.has_ended()? && monotonic_ns() < until_ns {
            interrupts.wait_for_child(until_ns);
        }
        Ok(())
    }

    /// What there is to say of it when nobody looks any more, and how it ended.
    pub fn finish(mut self) -> Result<(RowSet, Option<ExitStatus>)> {
        let ended = self.has_ended()?;
        let wall_ns = self.ended_ns.unwrap_or_else(monotonic_ns) - self.begun_ns;
        let exit = if ended { heldup_hostfs::reap(&mut self.child)? } else { None };
        let cpu_s = exit.map(|_| heldup_hostfs::children_cpu_s());
        let row = CommandRunRow {
            pid: Some(self.child.id().into()),
            command: Some(self.words.into()),
            wall_s: Some(wall_ns as f64 / 1e9),
            exit_code: exit.and_then(|exit| exit.code()).map(i64::from),
            signal_no: exit.and_then(|exit| exit.signal()).map(i64::from),
            user_s: cpu_s.map(|(user, _)| user),
            system_s: cpu_s.map(|(_, system)| system),
        };
        Ok((RowSet::increases([row]), exit))
    }
}

/// Why a command cannot be run; that it is not there has a kind of its own.
pub fn not_run(command: &[OsString], error: HostError) -> EngineError {
    let name = command.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    if error.is_absent() {
        return EngineError::of(ErrorKind::CommandNotFound, format!("{name}: command not found"));
    }
    if error.is_denied() {
        return EngineError::of(ErrorKind::NotPermitted, format!("{name}: cannot be run: permission denied"));
    }
    EngineError::failed(format!("{name}: cannot be run: {error}"))
}
