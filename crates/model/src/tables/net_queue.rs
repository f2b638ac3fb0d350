//! `net_queue`: receive and transmit queues of interfaces, and which CPUs serve them.
crate::table! {
    /// One queue in one sample.
    NetQueueRow = "net_queue", grain "one row for each queue of each interface, over the window; of other network namespaces the queues that a driver counts for", origin "/sys/class/net/*/queues, ioctl SIOCETHTOOL (ethtool -S)", born_at_zero false;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface; a new one has no increases in its first sample: it may have come from another namespace, with what it counted there";
    key direction: Text(Word), None, "rx or tx";
    key queue_idx: Int, None, "Number of the queue";
    counter packets: Int, Count, "Packets; NULL where the driver does not count by queue, as in the next two";
    counter moved_bytes: Int, Bytes, "Bytes received or sent";
    counter drops: Int, Count, "Packets dropped";
    counter timeouts: Int, Count, "Times a transmit queue stood still until it was reset (tx_timeout)";
    label cpus: Text(Word), None, "CPUs that packets received here are spread to (RPS), or that send through this queue (XPS), as a list; empty where that is off; NULL where it cannot be";
    gauge cpus_count: Int, Count, "How many those are";
    gauge flows: Int, Count, "Flows that receive flow steering tells apart (rps_flow_cnt); 0 where it is off";
    gauge bql_limit_bytes: Int, Bytes, "Bytes that may be given to the driver (byte queue limit)";
    gauge bql_inflight_bytes: Int, Bytes, "Bytes given to the driver and not yet sent";
    counter bql_stalls: Int, Count, "Times nothing was completed for the time that stall_thrs sets (since 6.9)";
}
