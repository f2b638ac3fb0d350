//! `net_drop`: packets that the kernel dropped, by reason.
crate::table! {
    /// Packets of one kind that one function dropped in one sample.
    NetDropRow = "net_drop", grain "one row for each reason, place and protocol of dropped packets, and sample, of all network namespaces; eBPF only", origin "kfree_skb", born_at_zero false;
    key reason: Text(Word), None, "Drop reason of the kernel (enum skb_drop_reason): SOCKET_RCVBUFF, NO_SOCKET, QDISC_DROP …; NOT_SPECIFIED if the function gives none (see place). NULL before Linux 5.17";
    key place: Text(Word), None, "Kernel function that dropped them";
    key network: Text(Word), None, "IPv4, IPv6, ARP, VLAN, LLDP or the Ethernet type; NULL for packets of Unix and Netlink sockets";
    key transport: Text(Word), None, "TCP, UDP, ICMP, ICMPv6, IGMP, SCTP, GRE, ESP or the protocol number; NULL if not IP";
    counter packets: Int, Count, "Packets dropped in the sample; includes unread packets of closing sockets";
}
