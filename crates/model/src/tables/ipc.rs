//! `ipc`: shared memory, semaphores and message queues that processes made by name or key.
crate::table! {
    /// One object in one sample.
    IpcRow = "ipc", grain "one row for each object and IPC namespace and sample at the start and end of the window", origin "/proc/sysvipc/{shm,sem,msg} in each IPC namespace, /dev/mqueue of the same", born_at_zero false;
    key ipcns: Int, None, "Inode of the IPC namespace";
    key kind: Text(Word), None, "shared_memory, semaphores, message_queue (System V) or posix_message_queue";
    key ipc_id: Int, None, "Id as ipcs prints it (shmid, semid, msqid); of a POSIX queue the inode";
    label ipc_key: Int, None, "Key that programs find it by, signed; 0 is private";
    label name: Text(Name), None, "Name of a POSIX message queue";
    label permissions: Text(Word), None, "Permissions, octal";
    label uid: Int, None, "Owner";
    label creator_uid: Int, None, "User who made it";
    label creator_pid: Int, None, "Process that made a segment of shared memory";
    label last_pid: Int, None, "Process that attached or detached, or sent, last";
    label creator_name: Text(Name), None, "Name of the process that made it, where that still runs";
    label unit: Text(Name), None, "systemd unit of that process, else of a process in the namespace";
    label container: Text(Name), None, "Container id of that process, else of a process in the namespace";
    label destroyed: Bool, None, "Removed, and kept only by those who are still attached";
    gauge size_bytes: Int, Bytes, "Size of a segment; bytes that wait in a queue";
    gauge resident_bytes: Int, Bytes, "Of it in memory (Linux 2.6.37)";
    gauge swap_bytes: Int, Bytes, "Of it swapped out (Linux 2.6.37)";
    gauge attached: Int, Count, "Times that a segment is attached";
    gauge semaphores: Int, Count, "Semaphores of a set";
    gauge messages: Int, Count, "Messages that wait in a queue; not known of POSIX queues";
    label changed_ms: Int, TimeMs, "When it was made or its owner changed (ctime)";
    label used_ms: Int, TimeMs, "When it was last attached, operated on or sent to; NULL for never";
}
