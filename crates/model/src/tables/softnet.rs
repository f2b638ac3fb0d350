//! `softnet`: packets that each CPU took from the network cards, and where it could not keep up.
crate::table! {
    /// One CPU in one sample.
    SoftnetRow = "softnet", grain "one row for each online CPU and sample", origin "/proc/net/softnet_stat", born_at_zero false;
    key cpu_idx: Int, None, "Number of the CPU";
    counter processed: Int, Count, "Packets taken, bridged and tunnelled ones more than once (column 1)";
    counter dropped: Int, Count, "Packets dropped because the CPU's backlog was full, see net.core.netdev_max_backlog (column 2)";
    counter time_squeezes: Int, Count, "Rounds that ended with packets left, see net.core.netdev_budget (column 3)";
    counter received_rps: Int, Count, "Wake-ups by another CPU to take packets over, see RPS (column 10, 2.6.35)";
    counter flow_limits: Int, Count, "Packets dropped because their flow filled the backlog (column 11, 3.11)";
    gauge backlog_packets: Int, Count, "Packets waiting in the backlog (column 12, 5.10)";
    gauge input_packets: Int, Count, "Of them not yet taken by the CPU (column 14, 6.4)";
    gauge process_packets: Int, Count, "Of them being worked on (column 15, 6.4)";
}
