//! `command_run`: the command that heldup ran and examined (`heldup -- CMD`).
crate::table! {
    /// The command.
    CommandRunRow = "command_run", grain "one row where a command was run", origin "fork, waitid; the kernel's account of ended children (getrusage)", born_at_zero false;
    key pid: Int, None, "Process id";
    label command: Text(Command), None, "Program and arguments";
    gauge wall_s: Float, Seconds, "From its start to its end, or to the end of the look";
    gauge exit_code: Int, None, "Code that it ended with; NULL where a signal ended it or it still ran";
    gauge signal_no: Int, None, "Signal that ended it";
    gauge user_s: Float, Seconds, "CPU in user mode of it and of the children that were waited for; NULL where it still ran";
    gauge system_s: Float, Seconds, "CPU in kernel mode, likewise";
}
