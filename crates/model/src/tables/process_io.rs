//! `process_io`: what each process itself read and wrote, by interval, those that ended included.
crate::table! {
    /// One process that read or wrote in one sample.
    ProcessIoRow = "process_io", grain "one row for each process and interval in which one of its threads read or wrote, eBPF only", origin "iter/task, sched_switch: the counts of each thread", born_at_zero false;
    key pid: Int, None, "Process id";
    key start_ms: Int, TimeMs, "When it started";
    label name: Text(Name), None, "Name (comm) of its first thread";
    label parent_pid: Int, None, "Process id of its parent";
    label kernel_thread: Bool, None, "Belongs to the kernel";
    label cgroup: Text(Path), None, "Control group (of v2; of the cpu controller on v1)";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    label exited: Bool, None, "Ended within the interval";
    counter read_bytes: Int, Bytes, "Read from block devices by its threads, those that ended included; never by its children. So for all counts here";
    counter write_bytes: Int, Bytes, "Sent towards block devices (dirtied)";
    counter cancelled_write_bytes: Int, Bytes, "Dirtied and dropped before they were written";
    counter read_chars: Int, Bytes, "Read by calls, cache included";
    counter write_chars: Int, Bytes, "Written by calls, cache included";
    counter read_calls: Int, Count, "Read calls";
    counter write_calls: Int, Count, "Write calls";
}
