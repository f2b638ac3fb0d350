//! `user_limit`: limits of each process (ulimit, `Limit…=` of a unit) and how much of each is used.
crate::table! {
    /// One limit of one process in one sample.
    UserLimitRow = "user_limit", grain "one row for each process and limit of which some is used, and sample at the start and end of the window; none for unlimited ones, for kernel threads, and for limits whose use nobody tells (message queues, sizes of files, core files, priorities)", origin "/proc/PID/{limits,status,fd}", born_at_zero false;
    key pid: Int, None, "Process id";
    key start_ms: Int, TimeMs, "When it started";
    key limit_name: Text(Word), None, "address_space, cpu_time, data, locked_memory, open_files, pending_signals, processes, stack";
    label name: Text(Name), None, "Name (comm) of its first thread";
    label uid: Int, None, "Real user id: whose processes and signals are counted";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    gauge used: Int, None, "In use, in bytes, seconds (cpu_time) or a number of things; of processes and pending_signals by all of the user, threads counted; NULL without the right to see it";
    gauge soft_max: Int, None, "Limit that holds, in the same unit (soft); processes does not hold for root";
    gauge hard_max: Int, None, "Limit up to which the process may raise it itself (hard); NULL for none";
}
