//! `softnet`: packets processed by each CPU, drops and time squeezes.
crate::table! {
    /// One CPU in one sample.
    SoftnetRow = "softnet", grain "one row for each online CPU and sample", origin "/proc/net/softnet_stat", born_at_zero false;
    key cpu_idx: Int, None, "CPU number";
    counter processed: Int, Count, "Packets processed; bridged and tunnelled ones more than once (column 1)";
    counter dropped: Int, Count, "Packets dropped because the CPU's backlog was full, see net.core.netdev_max_backlog (column 2)";
    counter time_squeezes: Int, Count, "Polls that ended with packets left, see net.core.netdev_budget (column 3)";
    counter received_rps: Int, Count, "Wake-ups by another CPU to process packets, see RPS (column 10, 2.6.35)";
    counter flow_limits: Int, Count, "Packets dropped because their flow filled the backlog (column 11, 3.11)";
    gauge backlog_packets: Int, Count, "Packets in the backlog (column 12, 5.10)";
    gauge input_packets: Int, Count, "Packets in the input queue (column 14, 6.4)";
    gauge process_packets: Int, Count, "Packets in the process queue (column 15, 6.4)";
}
