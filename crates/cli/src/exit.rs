//! What a command ends with. A number of its own, because the standard library's does not tell
//! what it is, and the process that was started ends with that of its child.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Exit code of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(pub u8);

impl Exit {
    /// Done; with `--fail-on`, nothing of that severity was found.
    pub const DONE: Exit = Exit(0);
    /// With `--fail-on`: something was found. With `--require-gain`: no change has helped.
    pub const FOUND: Exit = Exit(1);
    /// Wrong usage, as clap has it too, and names that are unknown.
    pub const WRONG_USAGE: Exit = Exit(2);
    /// Something could not be done.
    pub const COULD_NOT: Exit = Exit(3);
    /// Somebody asked to stop while settings were changed, and the change was undone.
    pub const UNDONE: Exit = Exit(4);
    /// A measure exceeded its limit with a change, which was undone.
    pub const GUARD_BREACHED: Exit = Exit(5);
    /// With `--require-gain`: no change has helped, and of one at least that is not known yet.
    pub const UNDECIDED: Exit = Exit(6);
    /// The command to run was not found, as a shell says it.
    pub const COMMAND_NOT_FOUND: Exit = Exit(127);

    /// The exit code by which a shell reports how a command ended: 128 and the number of the signal.
    pub fn of_command(status: ExitStatus) -> Exit {
        let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
        Exit(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
    }
}
