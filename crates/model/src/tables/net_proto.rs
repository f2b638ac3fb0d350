//! `net_proto`: the counters of the network protocols, under the names that nstat prints.
crate::table! {
    /// One counter in one sample.
    NetProtoRow = "net_proto", grain "one row for each network namespace, counter and sample", origin "/proc/net/snmp, /proc/net/netstat, /proc/net/snmp6", born_at_zero false;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Word), None, "Group and counter as nstat prints them: TcpExtListenOverflows, TcpRetransSegs";
    counter value: Int, Count, "Increase of the counter";
}
