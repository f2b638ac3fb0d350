//! `net_queue`: receive and transmit queues of interfaces, and which CPUs serve them.
crate::table! {
    /// One queue in one sample.
    NetQueueRow = "net_queue", grain "one row for each queue of each interface, over the window; from other network namespaces only queues with driver statistics", origin "/sys/class/net/*/queues, ioctl SIOCETHTOOL (ethtool -S)", born_at_zero false;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface; a new one has no increases in its first sample, because it may come from another namespace with its counts";
    key direction: Text(Word), None, "rx or tx";
    key queue_idx: Int, None, "Queue number";
    counter packets: Int, Count, "Packets; NULL if the driver does not count by queue, as in the next two";
    counter moved_bytes: Int, Bytes, "Bytes received or sent";
    counter drops: Int, Count, "Packets dropped";
    counter timeouts: Int, Count, "Transmit timeouts: the queue stalled until its reset (tx_timeout)";
    label cpus: Text(Word), None, "CPUs of receive (RPS) or transmit (XPS) packet steering, as a list; empty if off; NULL if not supported";
    gauge cpus_count: Int, Count, "Number of these CPUs";
    gauge flows: Int, Count, "Flow table size of receive flow steering (rps_flow_cnt); 0 if off";
    gauge bql_limit_bytes: Int, Bytes, "Byte queue limit: bytes that the driver accepts";
    gauge bql_inflight_bytes: Int, Bytes, "Bytes in the driver, not yet sent";
    counter bql_stalls: Int, Count, "Stalls: nothing completed within stall_thrs (since 6.9)";
}
