//! `command_run`: the command that heldup ran and examined (`heldup run CMD`).
crate::table! {
    /// The command.
    CommandRunRow = "command_run", grain "one row if a command was run", origin "fork, waitid, getrusage (ended children)", born_at_zero false;
    key pid: Int, None, "Process id";
    label command: Text(Command), None, "Program and arguments";
    gauge wall_s: Float, Seconds, "Elapsed time until its end, or until the end of the window";
    gauge exit_code: Int, None, "Exit code; NULL if a signal ended it or it still ran";
    gauge signal_no: Int, None, "Signal that ended it";
    gauge user_s: Float, Seconds, "CPU time in user mode of it and of the children that it waited for; NULL if it still ran";
    gauge system_s: Float, Seconds, "CPU time in kernel mode, likewise";
}
