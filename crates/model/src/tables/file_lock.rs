//! `file_lock`: who holds a lock on a file, and who waits for it.
crate::table! {
    /// One lock, or one that waits for it, in one sample.
    FileLockRow = "file_lock", grain "one row for each lock on a file and each that waits for one, and sample at the start and end of the window", origin "/proc/locks, /proc/PID/{comm,cgroup,fdinfo}", born_at_zero false;
    key lock_no: Int, None, "Number in the kernel's list; those that wait have the number of the lock that they wait for";
    key waits: Bool, None, "It waits for the lock, rather than holding it";
    key pid: Int, None, "Process id; NULL for locks of an open file, and of other PID namespaces";
    label name: Text(Name), None, "Name of that process";
    label unit: Text(Name), None, "systemd unit of that process";
    label container: Text(Name), None, "Container id of that process";
    label holder_pid: Int, None, "Process that holds the lock that this one waits for; NULL for a holder";
    label kind: Text(Word), None, "flock, posix (fcntl), ofd (of an open file), lease, delegation, access";
    label state: Text(Word), None, "advisory or mandatory; of a lease active, breaking or breaker";
    label access: Text(Word), None, "read, write or unlock";
    label dev_id: Text(Word), None, "major:minor of the file system";
    label device: Text(Word), None, "Kernel name of that block device";
    label mount: Text(Path), None, "Where it is mounted";
    label inode: Int, None, "Inode number of the file";
    label path: Text(Path), None, "Path of the file as its holder opened it; only of locks that somebody waits for";
    label range_start_bytes: Int, Bytes, "First byte that is locked";
    label range_end_bytes: Int, Bytes, "Last byte that is locked; NULL for the end of the file";
}
