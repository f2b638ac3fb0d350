//! `nfs_mount`: traffic, connections and troubles of each mounted NFS file system.
crate::table! {
    /// One NFS mount in one sample.
    NfsMountRow = "nfs_mount", grain "one row for each NFS mount of our mount namespace, over the window; mounts of one export with equal options share their counters", origin "/proc/self/mountstats", born_at_zero true;
    key mount: Text(Path), None, "Mount point";
    label server: Text(Mounted), None, "Server and path: `nas:/export`";
    label fs_type: Text(Word), None, "nfs or nfs4";
    label version: Text(Word), None, "Version of the protocol: 3, 4.2 …";
    label protocol: Text(Word), None, "tcp, udp, rdma or local";
    label options: Text(Options), None, "Options of the mount";
    gauge connections: Int, Count, "Connections to the server";
    gauge age_s: Float, Seconds, "How long it has been mounted";
    counter read_bytes: Int, Bytes, "Read by programs, from the page cache or the server";
    counter write_bytes: Int, Bytes, "Written by programs";
    counter direct_read_bytes: Int, Bytes, "Read with O_DIRECT";
    counter direct_write_bytes: Int, Bytes, "Written with O_DIRECT";
    counter server_read_bytes: Int, Bytes, "Received from the server";
    counter server_write_bytes: Int, Bytes, "Sent to the server";
    counter read_pages: Int, Pages, "Pages read";
    counter write_pages: Int, Pages, "Pages written";
    counter inode_revalidations: Int, Count, "Times attributes were checked whether they are still right";
    counter dentry_revalidations: Int, Count, "Times names were checked whether they are still right";
    counter data_invalidations: Int, Count, "Times a file's cached data were dropped";
    counter attribute_invalidations: Int, Count, "Times cached attributes were dropped";
    counter opens: Int, Count, "Files and folders opened";
    counter lookups: Int, Count, "Names looked up in folders";
    counter fsyncs: Int, Count, "Calls of fsync";
    counter congestion_waits: Int, Count, "Times a writer waited because too many writes were under way; later kernels never wait so and have 0";
    counter silly_renames: Int, Count, "Open files that were removed and had to be renamed";
    counter short_reads: Int, Count, "Reads that the server answered with less than it had";
    counter short_writes: Int, Count, "Writes of which the server took less than it was given";
    counter delays: Int, Count, "Times the server said to come again later (JUKEBOX, DELAY)";
    counter connects: Int, Count, "Connections made: more than none in a window is a connection that broke";
    counter rpc_sent: Int, Count, "Requests sent over the connections, repeated ones included";
    counter rpc_received: Int, Count, "Answers received";
    counter bad_xids: Int, Count, "Answers to no request that waits: often to one that was repeated too early";
    counter inflight_sum: Int, Count, "Requests under way, added up at each request sent; over rpc_sent it is their mean number";
    counter backlog_sum: Int, Count, "Requests waiting for a slot, added up at each request sent; over rpc_sent it is their mean number";
    counter sending_sum: Int, Count, "The same for requests waiting to be sent";
    counter pending_sum: Int, Count, "The same for requests waiting for their answer";
    gauge slots_max: Int, Count, "Most slots that were in use at once on a connection";
}
