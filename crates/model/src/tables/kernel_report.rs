//! `kernel_report`: troubles that the kernel reports in its log over several lines.
crate::table! {
    /// One report of the kernel log.
    KernelReportRow = "kernel_report", grain "one row for each report in the kernel log; one for each process that an OOM report names as killed", origin "/dev/kmsg, kernel logs", born_at_zero false;
    key sequence: Int, None, "Number of the first message of the report";
    label event_ms: Int, TimeMs, "Time of that message";
    label in_window: Bool, None, "Begins within the window";
    label kind: Text(Word), None, "hung_task, soft_lockup, hard_lockup, rcu_stall, allocation_failure, oom or hardware_error";
    label detail: Text(Word), None, "oom: group, nodes (of a CPU set or policy), no_victim, panic_only or daemon (killed by a program, whose name is in requester); hardware_error: corrected, deferred, uncorrected or fatal; allocation_failure: atomic or waiting; rcu_stall: self, other, expedited, starved (its thread did not run) or idle (the CPU idled); hung_task: doubted (the kernel doubts all functions)";
    label name: Text(Name), None, "Task: hung, stuck on the CPU, whose allocation failed, or killed";
    label pid: Int, None, "Its thread id; process id if killed";
    label cpu: Int, None, "CPU that is stuck, stalled or reports the error";
    label duration_s: Float, Seconds, "How long the task or CPU had not gone on by then";
    label stalled_jiffies: Int, Count, "The same of an RCU stall in ticks of the kernel; duration_s is NULL if their length is unknown";
    label function_name: Text(Word), None, "Function in which the task waits, outside of scheduler and locks, or which the CPU runs";
    label class_name: Text(Word), None, "Class of that wait, as in table stack; NULL if its functions have none";
    label kernel_stack: Text(Word), None, "Functions, outermost first, separated by semicolons";
    label holder_name: Text(Name), None, "Task that likely holds the lock, as the kernel says (6.15 and later)";
    label holder_pid: Int, None, "Its thread id";
    label page_order: Int, None, "Requested pages, as a power of two";
    label flags: Text(Word), None, "Allocation flags, as printed";
    label requester: Text(Name), None, "Task that invoked the OOM killer";
    label cgroup: Text(Path), None, "Control group at its memory limit";
    label limit_bytes: Int, Bytes, "That limit";
    label dirty_bytes: Int, Bytes, "Pages of that group that wait to be written";
    label anon_bytes: Int, Bytes, "Private memory of the killed process";
    label device: Text(Name), None, "Component with the hardware error: memory controller and module, CPU bank, PCI device";
    label errors: Int, Count, "Errors that the report stands for";
    label panicked: Bool, None, "The kernel stopped (panic) because of it";
}
