//! `thread`: each thread: CPU time, affinity, context switches, delays.
crate::table! {
    /// One thread in one sample.
    ThreadRow = "thread", grain "one row for each thread and sample at the start and end of the window", origin "iter/task, or /proc/PID/task/TID/{stat,status,schedstat} and taskstats", born_at_zero true;
    key tid: Int, None, "Thread id";
    key start_ms: Int, TimeMs, "Start time";
    label pid: Int, None, "Process id";
    label name: Text(Name), None, "Name (comm)";
    label kernel_thread: Bool, None, "Kernel thread";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    label state: Text(Word), None, "State, one letter";
    label cpu_idx: Int, None, "Last CPU";
    label policy: Text(Word), None, "Scheduling policy: other, batch, idle, fifo, rr, deadline";
    label realtime_priority: Int, None, "Real-time priority; 0 for ordinary policies";
    label nice: Int, None, "Nice value";
    gauge allowed_cpus: Int, Count, "CPUs that it may run on";
    counter user_s: Float, Seconds, "CPU time in user mode (utime)";
    counter system_s: Float, Seconds, "CPU time in kernel mode (stime)";
    counter run_s: Float, Seconds, "CPU time of the scheduler (sum_exec_runtime); too high after idle wake-ups on virtual machines";
    counter run_delay_s: Float, Seconds, "Run-queue wait of the scheduler (run_delay); throttling included";
    counter voluntary_switches: Int, Count, "Voluntary context switches";
    counter involuntary_switches: Int, Count, "Involuntary context switches (preemptions)";
    counter minor_faults: Int, Count, "Minor page faults";
    counter major_faults: Int, Count, "Major page faults: they read a device";
    counter block_io_delay_s: Float, Seconds, "Wait for block I/O, swap included (delay accounting); only without eBPF. All delays are NULL until the first one of the thread is counted";
    counter swap_in_delay_s: Float, Seconds, "Wait for swap-in (delay accounting)";
    counter reclaim_delay_s: Float, Seconds, "Direct reclaim, its CPU time included (delay accounting)";
    counter thrashing_delay_s: Float, Seconds, "Wait for refaulted pages: thrashing (delay accounting, 4.20)";
    counter compaction_delay_s: Float, Seconds, "Direct compaction, its CPU time included (delay accounting, 5.17)";
    counter copy_delay_s: Float, Seconds, "Copy-on-write (delay accounting, 5.19)";
    counter irq_delay_s: Float, Seconds, "Interrupts on its CPU (delay accounting, 6.3)";
    counter device_read_bytes: Int, Bytes, "Bytes read from devices (taskstats)";
    counter device_write_bytes: Int, Bytes, "Bytes dirtied or written to devices (taskstats)";
}
