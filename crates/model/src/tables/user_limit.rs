//! `user_limit`: limits of each process (ulimit, `Limit…=` of a unit) and how much of each is used.
crate::table! {
    /// One limit of one process in one sample.
    UserLimitRow = "user_limit", grain "one row for each process and limit in use, and sample at the start and end of the window; not for unlimited ones, kernel threads, and limits whose use is not reported (message queues, file sizes, core files, priorities)", origin "/proc/PID/{limits,status,fd}", born_at_zero false;
    key pid: Int, None, "Process id";
    key start_ms: Int, TimeMs, "Start time";
    key limit_name: Text(Word), None, "address_space, cpu_time, data, locked_memory, open_files, pending_signals, processes, stack";
    label name: Text(Name), None, "Name (comm) of its first thread";
    label uid: Int, None, "Real user id, for which processes and signals are counted";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    gauge used: Int, None, "In use, in bytes, seconds (cpu_time) or a count; processes and pending_signals for the whole user, threads included; NULL without permission";
    gauge soft_max: Int, None, "Soft limit, in the same unit; processes is not enforced for root";
    gauge hard_max: Int, None, "Hard limit: the process may raise the soft limit up to it; NULL for none";
}
