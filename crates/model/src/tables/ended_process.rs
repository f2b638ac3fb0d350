//! `ended_process`: the control groups of processes that ended, where each controller has a tree of its own.
crate::table! {
    /// One process that ended.
    EndedProcessRow = "ended_process", grain "one row for each process that ended in the interval in a v1 control group other than the root; eBPF only", origin "sched_switch", born_at_zero false;
    key pid: Int, None, "Process id";
    key start_ms: Int, TimeMs, "Start time";
    label name: Text(Name), None, "Name (comm) of its first thread";
    label cgroup: Text(Path), None, "Control group of the cpu controller";
    label cgroup_memory: Text(Path), None, "Control group of the memory controller";
    label cgroup_io: Text(Path), None, "Control group of the io (blkio) controller";
    label cgroup_pids: Text(Path), None, "Control group of the pids controller";
}
