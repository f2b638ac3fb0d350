//! `nfs_op`: count, size and latency of each operation of an NFS mount.
crate::table! {
    /// One operation of one NFS mount in one sample.
    NfsOpRow = "nfs_op", grain "one row for each NFS mount and operation with a count, over the window", origin "/proc/self/mountstats", born_at_zero true;
    key mount: Text(Path), None, "Mount point";
    key operation: Text(Word), None, "READ, WRITE, GETATTR, COMMIT …";
    counter operations: Int, Count, "Operations completed";
    counter transmissions: Int, Count, "Transmissions";
    counter retransmissions: Int, Count, "Retransmissions";
    counter major_timeouts: Int, Count, "Major timeouts: no reply to any retransmission";
    counter sent_bytes: Int, Bytes, "Bytes sent, headers included";
    counter received_bytes: Int, Bytes, "Bytes received, headers included";
    counter queue_s: Float, Seconds, "Time waiting to be sent, sum of all operations";
    counter rtt_s: Float, Seconds, "Round-trip time, sum: network and server";
    counter execute_s: Float, Seconds, "Total time, sum: queue, round trip and overhead";
    counter errors: Int, Count, "Operations that ended with an error; NULL on kernels that do not count them";
}
