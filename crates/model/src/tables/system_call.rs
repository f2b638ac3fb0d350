//! `system_call`: which process makes which system calls, and with which error they fail.
//!
//! Counted at the returns for as long as that is cheap: every window begins with it, and where
//! there are so many calls that counting them would cost more than it may, it rests.
crate::table! {
    /// One system call of one process with one outcome in one sample.
    SystemCallRow = "system_call", grain "one row for each process, system call and outcome, and sample in which calls were counted; without eBPF only of calls that failed on a limit", origin "sys_exit", born_at_zero false;
    key pid: Int, None, "Process id";
    key syscall: Text(Word), None, "System call; its number where it is newer than the list";
    key error_name: Text(Word), None, "Error that it failed with (EMFILE, …); NULL for calls that succeeded";
    label name: Text(Name), None, "Name (comm) of the first thread of its process";
    label argument_1: Int, None, "First argument of the last call that failed, as a signed number";
    label argument_2: Int, None, "Second argument";
    label argument_3: Int, None, "Third argument";
    label mappings: Int, Count, "Mappings that the process had when the call failed last; vm.max_map_count holds for them";
    label locked_bytes: Int, Bytes, "Memory that the process had locked when the call failed last";
    counter calls: Int, Count, "Calls that ended in the sample; those that a signal interrupts and the kernel makes again are counted once";
    counter counted_s: Float, Seconds, "How long calls were counted up to this sample, since the one before that has rows: all the time, unless there were too many calls. NULL where only failures on a limit are counted";
}
