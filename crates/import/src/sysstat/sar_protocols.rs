//! The counters of network protocols that `sar -n` prints, under the names of `nstat`: data, and
//! nothing else.

/// Packets of IPv4.
pub const IP: &[(&str, &str)] = &[
    ("irec/s", "IpInReceives"),
    ("fwddgm/s", "IpForwDatagrams"),
    ("idel/s", "IpInDelivers"),
    ("orq/s", "IpOutRequests"),
    ("asmrq/s", "IpReasmReqds"),
    ("asmok/s", "IpReasmOKs"),
    ("fragok/s", "IpFragOKs"),
    ("fragcrt/s", "IpFragCreates"),
];
/// Errors of IPv4.
pub const IP_ERRORS: &[(&str, &str)] = &[
    ("ihdrerr/s", "IpInHdrErrors"),
    ("iadrerr/s", "IpInAddrErrors"),
    ("iukwnpr/s", "IpInUnknownProtos"),
    ("idisc/s", "IpInDiscards"),
    ("odisc/s", "IpOutDiscards"),
    ("onort/s", "IpOutNoRoutes"),
    ("asmf/s", "IpReasmFails"),
    ("fragf/s", "IpFragFails"),
];
/// Connections and segments of TCP, and its errors.
pub const TCP: &[(&str, &str)] = &[
    ("active/s", "TcpActiveOpens"),
    ("passive/s", "TcpPassiveOpens"),
    ("iseg/s", "TcpInSegs"),
    ("oseg/s", "TcpOutSegs"),
    ("atmptf/s", "TcpAttemptFails"),
    ("estres/s", "TcpEstabResets"),
    ("retrans/s", "TcpRetransSegs"),
    ("isegerr/s", "TcpInErrs"),
    ("orsts/s", "TcpOutRsts"),
];
/// Datagrams of UDP over IPv4.
pub const UDP: &[(&str, &str)] = &[
    ("idgm/s", "UdpInDatagrams"),
    ("odgm/s", "UdpOutDatagrams"),
    ("noport/s", "UdpNoPorts"),
    ("idgmerr/s", "UdpInErrors"),
];
/// Datagrams of UDP over IPv6.
pub const UDP6: &[(&str, &str)] = &[
    ("idgm6/s", "Udp6InDatagrams"),
    ("odgm6/s", "Udp6OutDatagrams"),
    ("noport6/s", "Udp6NoPorts"),
    ("idgmer6/s", "Udp6InErrors"),
];
/// Packets of IPv6.
pub const IP6: &[(&str, &str)] = &[
    ("irec6/s", "Ip6InReceives"),
    ("fwddgm6/s", "Ip6OutForwDatagrams"),
    ("idel6/s", "Ip6InDelivers"),
    ("orq6/s", "Ip6OutRequests"),
    ("asmrq6/s", "Ip6ReasmReqds"),
    ("asmok6/s", "Ip6ReasmOKs"),
    ("imcpck6/s", "Ip6InMcastPkts"),
    ("omcpck6/s", "Ip6OutMcastPkts"),
    ("fragok6/s", "Ip6FragOKs"),
    ("fragcr6/s", "Ip6FragCreates"),
];
/// Errors of IPv6.
pub const IP6_ERRORS: &[(&str, &str)] = &[
    ("ihdrer6/s", "Ip6InHdrErrors"),
    ("iadrer6/s", "Ip6InAddrErrors"),
    ("iukwnp6/s", "Ip6InUnknownProtos"),
    ("i2big6/s", "Ip6InTooBigErrors"),
    ("idisc6/s", "Ip6InDiscards"),
    ("odisc6/s", "Ip6OutDiscards"),
    ("inort6/s", "Ip6InNoRoutes"),
    ("onort6/s", "Ip6OutNoRoutes"),
    ("asmf6/s", "Ip6ReasmFails"),
    ("fragf6/s", "Ip6FragFails"),
    ("itrpck6/s", "Ip6InTruncatedPkts"),
];
/// Messages of ICMP.
pub const ICMP: &[(&str, &str)] = &[
    ("imsg/s", "IcmpInMsgs"),
    ("omsg/s", "IcmpOutMsgs"),
    ("iech/s", "IcmpInEchos"),
    ("iechr/s", "IcmpInEchoReps"),
    ("oech/s", "IcmpOutEchos"),
    ("oechr/s", "IcmpOutEchoReps"),
    ("itm/s", "IcmpInTimestamps"),
    ("itmr/s", "IcmpInTimestampReps"),
    ("otm/s", "IcmpOutTimestamps"),
    ("otmr/s", "IcmpOutTimestampReps"),
    ("iadrmk/s", "IcmpInAddrMasks"),
    ("iadrmkr/s", "IcmpInAddrMaskReps"),
    ("oadrmk/s", "IcmpOutAddrMasks"),
    ("oadrmkr/s", "IcmpOutAddrMaskReps"),
];
/// Errors that ICMP tells of.
pub const ICMP_ERRORS: &[(&str, &str)] = &[
    ("ierr/s", "IcmpInErrors"),
    ("oerr/s", "IcmpOutErrors"),
    ("idstunr/s", "IcmpInDestUnreachs"),
    ("odstunr/s", "IcmpOutDestUnreachs"),
    ("itmex/s", "IcmpInTimeExcds"),
    ("otmex/s", "IcmpOutTimeExcds"),
    ("iparmpb/s", "IcmpInParmProbs"),
    ("oparmpb/s", "IcmpOutParmProbs"),
    ("isrcq/s", "IcmpInSrcQuenchs"),
    ("osrcq/s", "IcmpOutSrcQuenchs"),
    ("iredir/s", "IcmpInRedirects"),
    ("oredir/s", "IcmpOutRedirects"),
];
/// Messages of ICMP over IPv6.
pub const ICMP6: &[(&str, &str)] = &[
    ("imsg6/s", "Icmp6InMsgs"),
    ("omsg6/s", "Icmp6OutMsgs"),
    ("iech6/s", "Icmp6InEchos"),
    ("iechr6/s", "Icmp6InEchoReplies"),
    ("oechr6/s", "Icmp6OutEchoReplies"),
    ("igmbq6/s", "Icmp6InGroupMembQueries"),
    ("igmbr6/s", "Icmp6InGroupMembResponses"),
    ("ogmbr6/s", "Icmp6OutGroupMembResponses"),
    ("igmbrd6/s", "Icmp6InGroupMembReductions"),
    ("ogmbrd6/s", "Icmp6OutGroupMembReductions"),
    ("irtsol6/s", "Icmp6InRouterSolicits"),
    ("ortsol6/s", "Icmp6OutRouterSolicits"),
    ("irtad6/s", "Icmp6InRouterAdvertisements"),
    ("inbsol6/s", "Icmp6InNeighborSolicits"),
    ("onbsol6/s", "Icmp6OutNeighborSolicits"),
    ("inbad6/s", "Icmp6InNeighborAdvertisements"),
    ("onbad6/s", "Icmp6OutNeighborAdvertisements"),
];
/// Errors that ICMP over IPv6 tells of.
pub const ICMP6_ERRORS: &[(&str, &str)] = &[
    ("ierr6/s", "Icmp6InErrors"),
    ("idtunr6/s", "Icmp6InDestUnreachs"),
    ("odtunr6/s", "Icmp6OutDestUnreachs"),
    ("itmex6/s", "Icmp6InTimeExcds"),
    ("otmex6/s", "Icmp6OutTimeExcds"),
    ("iprmpb6/s", "Icmp6InParmProblems"),
    ("oprmpb6/s", "Icmp6OutParmProblems"),
    ("iredir6/s", "Icmp6InRedirects"),
    ("oredir6/s", "Icmp6OutRedirects"),
    ("ipck2b6/s", "Icmp6InPktTooBigs"),
    ("opck2b6/s", "Icmp6OutPktTooBigs"),
];
