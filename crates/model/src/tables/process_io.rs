//! `process_io`: I/O of each process itself, by interval, ended processes included.
crate::table! {
    /// One process that read or wrote in one sample.
    ProcessIoRow = "process_io", grain "one row for each process and interval in which one of its threads read or wrote, eBPF only", origin "iter/task, sched_switch: the counts of each thread", born_at_zero false;
    key pid: Int, None, "Process id";
    key start_ms: Int, TimeMs, "Start time";
    label name: Text(Name), None, "Name (comm) of its first thread";
    label parent_pid: Int, None, "Process id of its parent";
    label kernel_thread: Bool, None, "Kernel thread";
    label cgroup: Text(Path), None, "Control group (v2; on v1 of the cpu controller)";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    label exited: Bool, None, "Ended within the interval";
    counter read_bytes: Int, Bytes, "Read from block devices by its threads, ended ones included, never by its children, as all counts here";
    counter write_bytes: Int, Bytes, "Written to block devices (dirtied)";
    counter cancelled_write_bytes: Int, Bytes, "Dirtied and discarded before they were written";
    counter read_chars: Int, Bytes, "Bytes read by system calls, cache included (rchar)";
    counter write_chars: Int, Bytes, "Bytes written by system calls, cache included (wchar)";
    counter read_calls: Int, Count, "Read calls";
    counter write_calls: Int, Count, "Write calls";
}
