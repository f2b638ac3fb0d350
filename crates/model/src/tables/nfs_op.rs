//! `nfs_op`: how often, how large and how slow each operation of an NFS mount is.
crate::table! {
    /// One operation of one NFS mount in one sample.
    NfsOpRow = "nfs_op", grain "one row for each NFS mount and operation that was ever done, over the window", origin "/proc/self/mountstats", born_at_zero true;
    key mount: Text(Path), None, "Mount point";
    key operation: Text(Word), None, "READ, WRITE, GETATTR, COMMIT …";
    counter operations: Int, Count, "Completed";
    counter transmissions: Int, Count, "Times they were sent";
    counter retransmissions: Int, Count, "Times they were sent again";
    counter major_timeouts: Int, Count, "Times all repetitions of one went without an answer";
    counter sent_bytes: Int, Bytes, "Sent, headers included";
    counter received_bytes: Int, Bytes, "Received, headers included";
    counter queue_s: Float, Seconds, "Waiting to be sent, of all operations";
    counter rtt_s: Float, Seconds, "From sending to the answer: network and server";
    counter execute_s: Float, Seconds, "From the request to its end: queue, round trip and what is around them";
    counter errors: Int, Count, "Ended with an error; NULL on kernels that do not count them";
}
