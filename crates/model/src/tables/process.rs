//! `process`: each process: identity, resources, I/O.
crate::table! {
    /// One process in one sample.
    ProcessRow = "process", grain "one row for each process and sample at the start and end of the window", origin "/proc/PID/{stat,status,io,cgroup,cmdline,ns}", born_at_zero true;
    key pid: Int, None, "Process id";
    key start_ms: Int, TimeMs, "Start time";
    label name: Text(Name), None, "Name (comm) of its first thread";
    label command: Text(Command), None, "Command line; the name in brackets for kernel threads";
    label parent_pid: Int, None, "Process id of its parent";
    label uid: Int, None, "Effective user id";
    label state: Text(Word), None, "State of its first thread, one letter";
    label kernel_thread: Bool, None, "Kernel thread";
    label cgroup: Text(Path), None, "Control group: v2, else the longest path of v1";
    label cgroup_cpu: Text(Path), None, "Control group of the cpu controller";
    label cgroup_memory: Text(Path), None, "Control group of the memory controller";
    label cgroup_io: Text(Path), None, "Control group of the io (blkio) controller";
    label cgroup_pids: Text(Path), None, "Control group of the pids controller";
    label unit: Text(Name), None, "systemd unit";
    label container: Text(Name), None, "Container: twelve digits of its id, or its name (LXC, systemd-nspawn)";
    label netns: Int, None, "Inode of its network namespace; NULL for a kernel thread, like the next two";
    label ipcns: Int, None, "Inode of its IPC namespace";
    label mntns: Int, None, "Inode of its mount namespace";
    label nice: Int, None, "Nice value";
    label oom_score_adj: Int, None, "Adjustment of its OOM score";
    gauge threads: Int, Count, "Threads";
    counter user_s: Float, Seconds, "CPU time in user mode (utime)";
    counter system_s: Float, Seconds, "CPU time in kernel mode (stime)";
    counter minor_faults: Int, Count, "Minor page faults";
    counter major_faults: Int, Count, "Major page faults: they read a device";
    counter child_minor_faults: Int, Count, "Minor page faults of children that it waited for; if they grow, the I/O counts include I/O of such children at unknown times";
    gauge resident_bytes: Int, Bytes, "Resident memory";
    gauge anon_bytes: Int, Bytes, "Resident anonymous memory (RssAnon)";
    gauge anon_growth_bytes: Int, Bytes, "Change of anon_bytes since the start of the window; all of it for a process that started within the window";
    gauge virtual_bytes: Int, Bytes, "Size of the address space";
    gauge swap_bytes: Int, Bytes, "Swapped out (VmSwap)";
    counter read_bytes: Int, Bytes, "Read from block devices, by it and by children that it waited for, as all I/O counts here (view own_io: by it alone)";
    counter write_bytes: Int, Bytes, "Written to block devices (dirtied)";
    counter cancelled_write_bytes: Int, Bytes, "Dirtied and discarded before they were written";
    counter read_chars: Int, Bytes, "Bytes read by system calls, cache included (rchar)";
    counter write_chars: Int, Bytes, "Bytes written by system calls, cache included (wchar)";
    counter read_calls: Int, Count, "Read calls";
    counter write_calls: Int, Count, "Write calls";
    counter cpu_s: Float, Seconds, "CPU time in both modes, if another tool reports no more (TIME of ps and top)";
}
