//! `task_time`: the ledger. Where each task's time went.
crate::table! {
    /// One task and class in one sample.
    TaskTimeRow = "task_time", grain "one row for each task, class of non-zero time, and sample", origin "eBPF: sched_switch, sched_waking, iter/task; samples of /proc", born_at_zero false;
    key tid: Int, None, "Thread id";
    key start_ms: Int, TimeMs, "When the task started";
    key class_name: Text(Word), None, "Class of time";
    label group_name: Text(Word), None, "running, waiting, peer, idle or other";
    label pid: Int, None, "Process id";
    label name: Text(Name), None, "Name of the thread (comm)";
    label process_name: Text(Name), None, "Name of the first thread of its process";
    label kernel_thread: Bool, None, "Belongs to the kernel";
    label cgroup: Text(Path), None, "Control group (of v2; of the cpu controller on v1)";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    label exited: Bool, None, "Ended within the interval";
    counter seconds: Float, Seconds, "Time in the class";
    error error_s: Float, Seconds, "Standard error of seconds where they were sampled, and of time in the run queue what samples leave open of the kernel's count; errors of several rows add up as squares do. NULL where they were counted";
    counter waits: Int, Count, "Waits of the class that ended in the interval";
    counter idle_elsewhere_s: Float, Seconds, "Of class cpu_queue: part of seconds during which a CPU that the task may use was idle, its own on the way out of idleness included; for tasks that may use some of the CPUs an estimate; NULL where not measured";
    label in_command: Bool, None, "Belongs to the command that heldup ran, or to what that started; NULL where none was run";
}
