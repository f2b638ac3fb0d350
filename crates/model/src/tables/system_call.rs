//! `system_call`: which process makes which system calls, and with which error they fail.
//!
//! Counted at the returns as long as the overhead is small: every window begins with it, and if
//! there are too many calls, counting pauses.
crate::table! {
    /// One system call of one process with one outcome in one sample.
    SystemCallRow = "system_call", grain "one row for each process, system call and outcome, and sample in which calls were counted; without eBPF only calls that failed on a limit", origin "sys_exit", born_at_zero false;
    key pid: Int, None, "Process id";
    key syscall: Text(Word), None, "System call; its number if it is newer than the list";
    key error_name: Text(Word), None, "Error (EMFILE, …); NULL for successful calls";
    label name: Text(Name), None, "Name (comm) of the first thread of its process";
    label argument_1: Int, None, "First argument of the last failed call, as a signed number";
    label argument_2: Int, None, "Second argument";
    label argument_3: Int, None, "Third argument";
    label mappings: Int, Count, "Mappings of the process at the last failed call; limited by vm.max_map_count";
    label locked_bytes: Int, Bytes, "Locked memory of the process at the last failed call";
    counter calls: Int, Count, "Calls that ended in the sample; calls restarted after a signal count once";
    counter seconds: Float, Seconds, "Time in the calls, as a tracer measured it; of strace -c without -w CPU time";
    counter counted_s: Float, Seconds, "Time in which calls were counted, since the previous sample with rows; less than secs if there were too many calls. NULL if only failures on a limit are counted";
}
