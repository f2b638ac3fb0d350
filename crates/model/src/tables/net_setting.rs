//! `net_setting`: settings of interfaces and their drivers.
crate::table! {
    /// One interface.
    NetSettingRow = "net_setting", grain "one row for each network namespace and interface with driver information, once", origin "ioctl SIOCETHTOOL (ethtool, ethtool -i -g -c -l -k)", born_at_zero false;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface";
    label driver: Text(Word), None, "Driver; NULL if not reported, as in every column here";
    label driver_version: Text(Word), None, "Driver version; for in-tree drivers mostly the kernel's";
    label firmware: Text(Word), None, "Firmware version";
    label bus_address: Text(Word), None, "Bus address: `0000:00:03.0`";
    gauge speed_bits_per_s: Int, BitsPerSecond, "Link speed; nominal for virtual interfaces (veth: 10 Gbit/s)";
    label duplex: Text(Word), None, "half or full";
    label autonegotiation: Bool, None, "Speed and duplex are negotiated";
    gauge rx_ring: Int, Count, "Descriptors of a receive ring";
    gauge rx_ring_max: Int, Count, "Maximum of these";
    gauge tx_ring: Int, Count, "Descriptors of a transmit ring";
    gauge tx_ring_max: Int, Count, "Maximum of these";
    gauge rx_channels: Int, Count, "Receive-only queues; NULL if the driver has none, as in the next ones";
    gauge rx_channels_max: Int, Count, "Maximum of these";
    gauge tx_channels: Int, Count, "Transmit-only queues";
    gauge tx_channels_max: Int, Count, "Maximum of these";
    gauge combined_channels: Int, Count, "Combined queues";
    gauge combined_channels_max: Int, Count, "Maximum of these";
    gauge rx_coalesce_s: Float, Seconds, "Receive interrupt delay (rx-usecs); 0 also if the driver does not support it (as in the next five)";
    gauge rx_coalesce_packets: Int, Count, "Packets per receive interrupt, at most (rx-frames)";
    gauge tx_coalesce_s: Float, Seconds, "Transmit interrupt delay (tx-usecs)";
    gauge tx_coalesce_packets: Int, Count, "Packets per transmit interrupt, at most (tx-frames)";
    label adaptive_rx: Bool, None, "Adaptive receive coalescing (adaptive-rx)";
    label adaptive_tx: Bool, None, "Adaptive transmit coalescing (adaptive-tx)";
    label rx_checksum: Bool, None, "Receive checksum offload (rx-checksum)";
    label tx_checksum: Bool, None, "Transmit checksum offload (any of tx-checksum-ipv4, -ipv6 and -ip-generic)";
    label scatter_gather: Bool, None, "Scatter-gather (tx-scatter-gather)";
    label tso: Bool, None, "TCP segmentation offload (tx-tcp-segmentation)";
    label gso: Bool, None, "Generic segmentation offload (tx-generic-segmentation)";
    label gro: Bool, None, "Generic receive offload (rx-gro)";
    label gro_hw: Bool, None, "Generic receive offload in hardware (rx-gro-hw)";
    label lro: Bool, None, "Large receive offload (rx-lro)";
    label rx_hash: Bool, None, "Receive hashing (rx-hashing)";
    label features_on: Text(Word), None, "Features that are on, by the kernel's names, separated by spaces";
    label features_off: Text(Word), None, "Features that are off and can be switched on";
}
