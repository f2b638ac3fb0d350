//! `net_qdisc`: what waits and is dropped in the queueing disciplines of interfaces.
crate::table! {
    /// One queueing discipline in one sample.
    NetQdiscRow = "net_qdisc", grain "one row for each network namespace, interface and queueing discipline, over the window", origin "rtnetlink RTM_GETQDISC (tc -s qdisc)", born_at_zero true;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface";
    key handle: Text(Word), None, "Handle as tc writes it: `8001:`; `0:` for those that the kernel made by itself";
    key parent: Text(Word), None, "root, ingress, clsact or the class above: `1:2`";
    label kind: Text(Word), None, "Kind: fq_codel, pfifo_fast, mq, htb, noqueue …";
    counter sent_bytes: Int, Bytes, "Sent";
    counter sent_packets: Int, Count, "Packets sent";
    counter drops: Int, Count, "Packets dropped";
    counter overlimits: Int, Count, "Packets held back or marked because a rate was reached";
    counter requeues: Int, Count, "Packets put back because the driver's queue was full";
    gauge backlog_bytes: Int, Bytes, "Waiting";
    gauge backlog_packets: Int, Count, "Packets waiting";
}
