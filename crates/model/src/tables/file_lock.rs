//! `file_lock`: who holds a lock on a file, and who waits for it.
crate::table! {
    /// One lock, or one that waits for it, in one sample.
    FileLockRow = "file_lock", grain "one row for each file lock and each waiter, and sample at the start and end of the window", origin "/proc/locks, /proc/PID/{comm,cgroup,fdinfo}", born_at_zero false;
    key lock_no: Int, None, "Number in /proc/locks; a waiter has the number of the lock that it waits for";
    key waits: Bool, None, "True for a waiter, false for a holder";
    key pid: Int, None, "Process id; NULL for locks of an open file, and of other PID namespaces";
    label name: Text(Name), None, "Name of that process";
    label unit: Text(Name), None, "systemd unit of that process";
    label container: Text(Name), None, "Container id of that process";
    label holder_pid: Int, None, "Process that holds the lock; NULL for a holder";
    label kind: Text(Word), None, "flock, posix (fcntl), ofd (of an open file), lease, delegation, access";
    label state: Text(Word), None, "advisory or mandatory; of a lease active, breaking or breaker";
    label access: Text(Word), None, "read, write or unlock";
    label dev_id: Text(Word), None, "major:minor of the file system";
    label device: Text(Word), None, "Kernel name of that block device";
    label mount: Text(Path), None, "Mount point";
    label inode: Int, None, "Inode number of the file";
    label path: Text(Path), None, "Path of the file as its holder opened it; only for locks with waiters";
    label range_start_bytes: Int, Bytes, "First locked byte";
    label range_end_bytes: Int, Bytes, "Last locked byte; NULL for the end of the file";
}
