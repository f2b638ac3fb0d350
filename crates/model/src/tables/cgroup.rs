//! `cgroup`: use, limits and stalls of each control group, v1 and v2.
crate::table! {
    /// One control group in one sample.
    CgroupRow = "cgroup", grain "one row for each control group and sample; controllers of v1 joined by path", origin "/sys/fs/cgroup", born_at_zero true;
    key path: Text(Path), None, "Path below the hierarchy's root";
    label version: Text(Word), None, "v1 or v2";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    counter cpu_s: Float, Seconds, "CPU time";
    counter cpu_user_s: Float, Seconds, "CPU time in user mode";
    counter cpu_system_s: Float, Seconds, "CPU time in kernel mode";
    gauge cpu_quota: Float, Count, "CPU quota, in CPUs; NULL without a quota";
    gauge cpu_period_s: Float, Seconds, "Period of the quota";
    gauge cpu_weight: Int, None, "cpu.weight (v2) or cpu.shares (v1)";
    counter periods: Int, Count, "Periods in which it ran (nr_periods)";
    counter throttled_periods: Int, Count, "Periods in which it was throttled (nr_throttled)";
    counter throttled_s: Float, Seconds, "Throttled time, summed over CPUs (throttled_time, throttled_usec)";
    gauge memory_bytes: Int, Bytes, "Memory in use, page cache included (memory.current, usage_in_bytes)";
    gauge memory_limit_bytes: Int, Bytes, "Memory limit (memory.max, limit_in_bytes); NULL without one";
    gauge memory_high_bytes: Int, Bytes, "memory.high; NULL without one";
    gauge memory_anon_bytes: Int, Bytes, "Anonymous memory";
    gauge memory_file_bytes: Int, Bytes, "Page cache";
    gauge swap_bytes: Int, Bytes, "Swap in use";
    counter memory_limit_hits: Int, Count, "Times the limit was hit (failcnt, or max of memory.events)";
    counter memory_high_hits: Int, Count, "Times memory.high was exceeded";
    counter oom_kills: Int, Count, "Processes killed by the OOM killer (oom_kill)";
    counter refault_file_pages: Int, Pages, "File pages evicted and read again (workingset_refault_file)";
    counter refault_anon_pages: Int, Pages, "Anonymous pages evicted and swapped in again (workingset_refault_anon)";
    counter major_faults: Int, Count, "Major page faults: they read a device";
    counter read_bytes: Int, Bytes, "Read from block devices";
    counter write_bytes: Int, Bytes, "Written to block devices";
    counter reads: Int, Count, "Reads sent to block devices";
    counter writes: Int, Count, "Writes sent to block devices";
    gauge processes: Int, Count, "Tasks in the group (pids.current)";
    gauge processes_max: Int, Count, "Limit on tasks (pids.max); NULL without one";
    counter forks_refused: Int, Count, "Forks refused by a pids limit (max of pids.events); before 6.11 counted in the parent's group, not in the group of the limit. NULL without a limit";
    counter cpu_some_s: Float, Seconds, "Time with at least one task of the group waiting for a CPU";
    counter memory_some_s: Float, Seconds, "Time with at least one task of the group stalled on memory";
    counter memory_full_s: Float, Seconds, "Time with all tasks of the group stalled on memory";
    counter io_some_s: Float, Seconds, "Time with at least one task of the group stalled on I/O";
    counter io_full_s: Float, Seconds, "Time with all tasks of the group stalled on I/O";
}
