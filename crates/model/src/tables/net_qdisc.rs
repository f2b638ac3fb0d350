//! `net_qdisc`: backlog, drops and rates of the queueing disciplines of interfaces.
crate::table! {
    /// One queueing discipline in one sample.
    NetQdiscRow = "net_qdisc", grain "one row for each network namespace, interface and queueing discipline, and for each class of htb, over the window", origin "rtnetlink RTM_GETQDISC, RTM_GETTCLASS (tc -s qdisc, tc -s class)", born_at_zero true;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface";
    key handle: Text(Word), None, "Handle as tc prints it: `8001:`; `0:` for the kernel's default ones, `1:10` for a class";
    key parent: Text(Word), None, "root, ingress, clsact or the class above: `1:2`";
    label kind: Text(Word), None, "Kind: fq_codel, pfifo_fast, mq, htb, noqueue …; htb class";
    gauge rate_bits_per_s: Int, None, "Rate limit in bit/s (tbf, cake, netem, class of htb), or per flow (maxrate of fq); NULL without a limit";
    gauge ceil_bits_per_s: Int, None, "Rate in bit/s up to which a class of htb may borrow (ceil)";
    gauge delay_s: Float, Seconds, "Delay added to each packet (netem)";
    counter sent_bytes: Int, Bytes, "Bytes sent";
    counter sent_packets: Int, Count, "Packets sent";
    counter drops: Int, Count, "Packets dropped";
    counter overlimits: Int, Count, "Packets delayed or marked because a rate was reached";
    counter throttled: Int, Count, "Times a flow was delayed by its rate (fq)";
    counter requeues: Int, Count, "Packets requeued because the driver's queue was full";
    gauge backlog_bytes: Int, Bytes, "Bytes queued";
    gauge backlog_packets: Int, Count, "Packets queued";
}
