//! `task_time`: the ledger: time of each task by class.
crate::table! {
    /// One task and class in one sample.
    TaskTimeRow = "task_time", grain "one row for each task, class with non-zero time, and sample", origin "eBPF: sched_switch, sched_waking, iter/task; samples of /proc", born_at_zero false;
    key tid: Int, None, "Thread id";
    key start_ms: Int, TimeMs, "Start time of the task";
    key class_name: Text(Word), None, "Class of time";
    label group_name: Text(Word), None, "running, waiting, peer, idle or other";
    label pid: Int, None, "Process id";
    label name: Text(Name), None, "Name of the thread (comm)";
    label process_name: Text(Name), None, "Name of the first thread of its process";
    label kernel_thread: Bool, None, "Kernel thread";
    label cgroup: Text(Path), None, "Control group (v2; on v1 of the cpu controller)";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    label exited: Bool, None, "Ended within the interval";
    counter seconds: Float, Seconds, "Time in the class";
    error error_s: Float, Seconds, "Standard error of sampled seconds, and of run-queue time; errors of several rows add up as squares. NULL if counted exactly";
    counter waits: Int, Count, "Waits of the class that ended in the interval";
    counter idle_elsewhere_s: Float, Seconds, "For class cpu_queue: part of seconds with an idle CPU that the task may use, wake-up from idle included; an estimate for tasks with a CPU affinity; NULL if not measured";
    label in_command: Bool, None, "Belongs to the command of heldup run, or to its children; NULL without a command";
}
