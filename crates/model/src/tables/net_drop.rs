//! `net_drop`: packets that the kernel threw away, and why.
crate::table! {
    /// Packets of one kind that one function dropped in one sample.
    NetDropRow = "net_drop", grain "one row for each reason, place and protocol of dropped packets, and sample, of all network namespaces; eBPF only", origin "kfree_skb", born_at_zero false;
    key reason: Text(Word), None, "Why, as the kernel calls it (enum skb_drop_reason): SOCKET_RCVBUFF, NO_SOCKET, QDISC_DROP …; NOT_SPECIFIED where a function gives none: see place. NULL before Linux 5.17";
    key place: Text(Word), None, "Function of the kernel that dropped them";
    key network: Text(Word), None, "IPv4, IPv6, ARP, VLAN, LLDP or the Ethernet type; NULL for packets of Unix and Netlink sockets";
    key transport: Text(Word), None, "TCP, UDP, ICMP, ICMPv6, IGMP, SCTP, GRE, ESP or the number of the protocol; NULL where it is none of IP";
    counter packets: Int, Count, "Packets dropped in the sample; also what a socket that closes had not read";
}
