//! `thread`: what each thread used, where it may run, and how it switched.
crate::table! {
    /// One thread in one sample.
    ThreadRow = "thread", grain "one row for each thread and sample at the start and end of the window", origin "iter/task, or /proc/PID/task/TID/{stat,status,schedstat} and taskstats", born_at_zero true;
    key tid: Int, None, "Thread id";
    key start_ms: Int, TimeMs, "When it started";
    label pid: Int, None, "Process id";
    label name: Text(Name), None, "Name (comm)";
    label kernel_thread: Bool, None, "Belongs to the kernel";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    label state: Text(Word), None, "State, one letter";
    label cpu_idx: Int, None, "CPU that it ran on last";
    label policy: Text(Word), None, "Scheduling policy: other, batch, idle, fifo, rr, deadline";
    label realtime_priority: Int, None, "Real-time priority; 0 for ordinary policies";
    label nice: Int, None, "Nice value";
    gauge allowed_cpus: Int, Count, "CPUs that it may run on";
    counter user_s: Float, Seconds, "CPU in user mode (utime)";
    counter system_s: Float, Seconds, "CPU in kernel mode (stime)";
    counter run_s: Float, Seconds, "CPU as the scheduler counts it (sum_exec_runtime); too high after idle wake-ups on virtual machines";
    counter run_delay_s: Float, Seconds, "Waited for a CPU as the scheduler counts it; throttling included";
    counter voluntary_switches: Int, Count, "Switches because it waited";
    counter involuntary_switches: Int, Count, "Switches because it was preempted";
    counter minor_faults: Int, Count, "Page faults without a read";
    counter major_faults: Int, Count, "Page faults that read a device";
    counter block_io_delay_s: Float, Seconds, "Waited for block I/O, swap included (delay accounting); only without eBPF. All delays are NULL until the kernel has counted the thread's first one: counting may have begun after the thread";
    counter swap_in_delay_s: Float, Seconds, "Waited for pages to come back from swap (delay accounting)";
    counter reclaim_delay_s: Float, Seconds, "Freed memory before getting any, its CPU time included (delay accounting)";
    counter thrashing_delay_s: Float, Seconds, "Waited for pages that had been dropped from memory shortly before (delay accounting, 4.20)";
    counter compaction_delay_s: Float, Seconds, "Compacted memory before getting any, its CPU time included (delay accounting, 5.17)";
    counter copy_delay_s: Float, Seconds, "Copied pages on the first write to them (delay accounting, 5.19)";
    counter irq_delay_s: Float, Seconds, "Its CPU served interrupts meanwhile (delay accounting, 6.3)";
    counter device_read_bytes: Int, Bytes, "Read from devices (taskstats)";
    counter device_write_bytes: Int, Bytes, "Made dirty or written to devices (taskstats)";
}
