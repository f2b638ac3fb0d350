//! `net_setting`: how interfaces and their drivers are set.
crate::table! {
    /// One interface.
    NetSettingRow = "net_setting", grain "one row for each network namespace and interface whose driver tells something, once", origin "ioctl SIOCETHTOOL (ethtool, ethtool -i -g -c -l -k)", born_at_zero false;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface";
    label driver: Text(Word), None, "Driver; NULL where it does not say, as in every column here";
    label driver_version: Text(Word), None, "Version that the driver names: of in-tree drivers mostly the kernel's";
    label firmware: Text(Word), None, "Version of the firmware";
    label bus_address: Text(Word), None, "Where the device is: `0000:00:03.0`";
    gauge speed_bits_per_s: Int, BitsPerSecond, "Link speed; invented for virtual interfaces (veth says 10 Gbit/s)";
    label duplex: Text(Word), None, "half or full";
    label autonegotiation: Bool, None, "Speed and duplex are negotiated";
    gauge rx_ring: Int, Count, "Descriptors of a receive ring";
    gauge rx_ring_max: Int, Count, "How many there may be";
    gauge tx_ring: Int, Count, "Descriptors of a transmit ring";
    gauge tx_ring_max: Int, Count, "How many there may be";
    gauge rx_channels: Int, Count, "Queues that only receive; NULL where the driver has none, as in the next ones";
    gauge rx_channels_max: Int, Count, "How many there may be";
    gauge tx_channels: Int, Count, "Queues that only send";
    gauge tx_channels_max: Int, Count, "How many there may be";
    gauge combined_channels: Int, Count, "Queues that receive and send";
    gauge combined_channels_max: Int, Count, "How many there may be";
    gauge rx_coalesce_s: Float, Seconds, "How long an interrupt may wait for more packets received; 0 also where the driver cannot (as in the next five)";
    gauge rx_coalesce_packets: Int, Count, "How many packets received it waits for at most";
    gauge tx_coalesce_s: Float, Seconds, "How long an interrupt may wait for more packets sent";
    gauge tx_coalesce_packets: Int, Count, "How many packets sent it waits for at most";
    label adaptive_rx: Bool, None, "The driver sets the receive side by itself";
    label adaptive_tx: Bool, None, "The driver sets the transmit side by itself";
    label rx_checksum: Bool, None, "The device checks checksums (rx-checksum)";
    label tx_checksum: Bool, None, "The device makes checksums (any of tx-checksum-ipv4, -ipv6 and -ip-generic)";
    label scatter_gather: Bool, None, "The device takes packets in pieces (tx-scatter-gather)";
    label tso: Bool, None, "The device cuts TCP segments (tx-tcp-segmentation)";
    label gso: Bool, None, "Segments are cut as late as can be (tx-generic-segmentation)";
    label gro: Bool, None, "Received segments are joined (rx-gro)";
    label gro_hw: Bool, None, "The device joins them (rx-gro-hw)";
    label lro: Bool, None, "The driver joins them in a way that cannot be undone (rx-lro)";
    label rx_hash: Bool, None, "The device hashes flows (rx-hashing)";
    label features_on: Text(Word), None, "Every feature that is on, by the kernel's names, separated by spaces";
    label features_off: Text(Word), None, "Features that are off and could be switched on";
}
