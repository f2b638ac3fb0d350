//! `nfs_mount`: traffic, connections and errors of each mounted NFS file system.
crate::table! {
    /// One NFS mount in one sample.
    NfsMountRow = "nfs_mount", grain "one row for each NFS mount of our mount namespace, over the window; mounts of one export with equal options share their counters", origin "/proc/self/mountstats", born_at_zero true;
    key mount: Text(Path), None, "Mount point";
    label server: Text(Mounted), None, "Server and path: `nas:/export`";
    label fs_type: Text(Word), None, "nfs or nfs4";
    label version: Text(Word), None, "Protocol version: 3, 4.2 …";
    label protocol: Text(Word), None, "tcp, udp, rdma or local";
    label options: Text(Options), None, "Mount options";
    gauge connections: Int, Count, "Connections to the server";
    gauge age_s: Float, Seconds, "Time since the mount";
    counter read_bytes: Int, Bytes, "Bytes read by programs, from the page cache or the server";
    counter write_bytes: Int, Bytes, "Bytes written by programs";
    counter direct_read_bytes: Int, Bytes, "Bytes read with O_DIRECT";
    counter direct_write_bytes: Int, Bytes, "Bytes written with O_DIRECT";
    counter server_read_bytes: Int, Bytes, "Bytes received from the server";
    counter server_write_bytes: Int, Bytes, "Bytes sent to the server";
    counter read_pages: Int, Pages, "Pages read";
    counter write_pages: Int, Pages, "Pages written";
    counter inode_revalidations: Int, Count, "Revalidations of cached attributes";
    counter dentry_revalidations: Int, Count, "Revalidations of cached names";
    counter data_invalidations: Int, Count, "Invalidations of a file's cached data";
    counter attribute_invalidations: Int, Count, "Invalidations of cached attributes";
    counter opens: Int, Count, "Files and directories opened";
    counter lookups: Int, Count, "Name lookups in directories";
    counter fsyncs: Int, Count, "fsync calls";
    counter congestion_waits: Int, Count, "Writers that waited because too many writes were in flight; 0 on later kernels";
    counter silly_renames: Int, Count, "Silly renames: open files that were removed";
    counter short_reads: Int, Count, "Short reads: the server returned less than requested";
    counter short_writes: Int, Count, "Short writes: the server accepted less than sent";
    counter delays: Int, Count, "Delay replies of the server (JUKEBOX, DELAY)";
    counter connects: Int, Count, "Connections made; more than 0 in a window means a broken connection";
    counter rpc_sent: Int, Count, "Requests sent, retransmissions included";
    counter rpc_received: Int, Count, "Replies received";
    counter bad_xids: Int, Count, "Replies that match no pending request: often after an early retransmission";
    counter inflight_sum: Int, Count, "Sum of the requests in flight at each send; divided by rpc_sent, their mean";
    counter backlog_sum: Int, Count, "Sum of the requests waiting for a slot at each send; divided by rpc_sent, their mean";
    counter sending_sum: Int, Count, "Likewise for requests waiting to be sent";
    counter pending_sum: Int, Count, "Likewise for requests waiting for their reply";
    gauge slots_max: Int, Count, "Peak of slots in use on a connection";
}
