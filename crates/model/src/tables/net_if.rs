//! `net_if`: traffic, errors and drops of each network interface.
crate::table! {
    /// One interface in one sample.
    NetIfRow = "net_if", grain "one row for each network namespace, interface and sample", origin "/proc/net/dev, /sys/class/net", born_at_zero false;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface; a new one has no increases in its first sample, because it may come from another namespace with its counts";
    counter rx_bytes: Int, Bytes, "Bytes received";
    counter rx_packets: Int, Count, "Packets received";
    counter rx_errors: Int, Count, "Damaged packets received";
    counter rx_drops: Int, Count, "Packets dropped on receipt";
    counter rx_fifo_errors: Int, Count, "Packets lost because the receive ring was full";
    counter tx_bytes: Int, Bytes, "Bytes sent";
    counter tx_packets: Int, Count, "Packets sent";
    counter tx_errors: Int, Count, "Errors while sending";
    counter tx_drops: Int, Count, "Packets dropped while sending";
    counter collisions: Int, Count, "Collisions";
    gauge speed_bits_per_s: Int, BitsPerSecond, "Link speed; NULL for a virtual interface or a link that is down";
    gauge mtu_bytes: Int, Bytes, "MTU";
    label state: Text(Word), None, "operstate";
}
