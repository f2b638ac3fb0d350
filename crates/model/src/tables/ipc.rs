//! `ipc`: shared memory, semaphores and message queues that processes made by name or key.
crate::table! {
    /// One object in one sample.
    IpcRow = "ipc", grain "one row for each object and IPC namespace and sample at the start and end of the window", origin "/proc/sysvipc/{shm,sem,msg} in each IPC namespace, /dev/mqueue of the same", born_at_zero false;
    key ipcns: Int, None, "Inode of the IPC namespace";
    key kind: Text(Word), None, "shared_memory, semaphores, message_queue (System V) or posix_message_queue";
    key ipc_id: Int, None, "Id as ipcs prints it (shmid, semid, msqid); inode of a POSIX queue";
    label ipc_key: Int, None, "IPC key, signed; 0 is private";
    label name: Text(Name), None, "Name of a POSIX message queue";
    label permissions: Text(Word), None, "Permissions, octal";
    label uid: Int, None, "Owner";
    label creator_uid: Int, None, "User id of the creator";
    label creator_pid: Int, None, "Process that created a shared memory segment";
    label last_pid: Int, None, "Process that last attached, detached or sent";
    label creator_name: Text(Name), None, "Name of the creating process, if it still runs";
    label unit: Text(Name), None, "systemd unit of that process, else of a process in the namespace";
    label container: Text(Name), None, "Container id of that process, else of a process in the namespace";
    label destroyed: Bool, None, "Marked for removal, still attached by processes";
    gauge size_bytes: Int, Bytes, "Size of a segment; bytes in a message queue";
    gauge resident_bytes: Int, Bytes, "Resident part (Linux 2.6.37)";
    gauge swap_bytes: Int, Bytes, "Swapped-out part (Linux 2.6.37)";
    gauge attached: Int, Count, "Attachments of a segment";
    gauge semaphores: Int, Count, "Semaphores of a set";
    gauge messages: Int, Count, "Messages in a queue; NULL for POSIX queues";
    label changed_ms: Int, TimeMs, "Time of creation or change of owner (ctime)";
    label used_ms: Int, TimeMs, "Time of the last attach, operation or send; NULL for never";
}
