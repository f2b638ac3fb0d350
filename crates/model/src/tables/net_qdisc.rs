//! `net_qdisc`: what waits and is dropped in the queueing disciplines of interfaces, and the rates that they keep.
crate::table! {
    /// One queueing discipline in one sample.
    NetQdiscRow = "net_qdisc", grain "one row for each network namespace, interface and queueing discipline, and for each class of htb, over the window", origin "rtnetlink RTM_GETQDISC, RTM_GETTCLASS (tc -s qdisc, tc -s class)", born_at_zero true;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface";
    key handle: Text(Word), None, "Handle as tc writes it: `8001:`; `0:` for those that the kernel made by itself, `1:10` for a class";
    key parent: Text(Word), None, "root, ingress, clsact or the class above: `1:2`";
    label kind: Text(Word), None, "Kind: fq_codel, pfifo_fast, mq, htb, noqueue …; htb class";
    gauge rate_bits_per_s: Int, None, "Bits a second that it lets through (tbf, cake, netem, a class of htb), or that each flow may have (maxrate of fq); NULL without a limit";
    gauge ceil_bits_per_s: Int, None, "Bits a second up to which a class of htb may borrow";
    gauge delay_s: Float, Seconds, "How long it holds each packet back (netem)";
    counter sent_bytes: Int, Bytes, "Sent";
    counter sent_packets: Int, Count, "Packets sent";
    counter drops: Int, Count, "Packets dropped";
    counter overlimits: Int, Count, "Packets held back or marked because a rate was reached";
    counter throttled: Int, Count, "Times a flow was held back by its rate (fq)";
    counter requeues: Int, Count, "Packets put back because the driver's queue was full";
    gauge backlog_bytes: Int, Bytes, "Waiting";
    gauge backlog_packets: Int, Count, "Packets waiting";
}
