//! `socket`: each TCP and UDP socket, its queues and its drops.
crate::table! {
    /// One socket in one sample.
    SocketRow = "socket", grain "one row for each TCP and UDP socket and sample at the start and end of the window", origin "sock_diag netlink; /proc/net/{tcp,tcp6,udp,udp6} where that is not allowed", born_at_zero true;
    key netns: Int, None, "Inode of the network namespace";
    key protocol: Text(Word), None, "tcp or udp";
    key local_addr: Text(Address), None, "Local address";
    key local_port: Int, None, "Local port";
    key peer_addr: Text(Address), None, "Address of the peer";
    key peer_port: Int, None, "Port of the peer";
    key inode: Int, None, "Inode of the socket; 0 if no process holds it";
    label state: Text(Word), None, "State: established, listen, time_wait …";
    label uid: Int, None, "Owner";
    label pid: Int, None, "A process that holds the socket, if found";
    label name: Text(Name), None, "Name of that process";
    label unit: Text(Name), None, "systemd unit of that process, else of a process in the namespace if that is not ours";
    label container: Text(Name), None, "Container of that process, else of a process in the namespace if that is not ours";
    gauge receive_queue: Int, None, "Bytes not yet read; for a listener, connections waiting for accept";
    gauge send_queue: Int, None, "Bytes not yet acknowledged";
    gauge backlog_max: Int, Count, "Maximum of waiting connections of a listener (backlog)";
    gauge receive_buffer_bytes: Int, Bytes, "Limit of the receive buffer (sk_rcvbuf), bookkeeping included";
    gauge receive_memory_bytes: Int, Bytes, "In use of it (sk_rmem_alloc)";
    gauge drops_total: Int, Count, "Drops since the socket was opened; only in listings of ss -m";
    gauge retransmits_total: Int, Count, "Segments retransmitted since the connection began; only in listings of ss -i";
    gauge sent_total: Int, Count, "Segments sent since the connection began (segs_out); only in listings of ss -i";
    counter drops: Int, Count, "Packets or connections dropped at this socket (sk_drops)";
    counter retransmits: Int, Count, "Retransmitted segments of this connection";
    gauge rtt_s: Float, Seconds, "Smoothed round-trip time";
}
