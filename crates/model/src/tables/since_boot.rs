//! `since_boot`: counters as they stand in a single listing or file: sums since boot, of which nobody knows when they came.
//!
//! A listing that was made once (`netstat -s`, `ethtool -S`, one `/proc/net/dev`) has no increases. Its sums are no
//! increases either and stay out of the tables of those. Only counters of losses are kept, and what they are a share of.

crate::table! {
    /// One counter in one listing.
    SinceBootRow = "since_boot", grain "one row for each kept counter, thing and listing; only in recordings", origin "netstat -s, ip -s link, ifconfig, netstat -i, ethtool -S, numastat; files of /proc and /sys", born_at_zero false;
    key counter: Text(Word), None, "Table and column that an increase would be in (net_if.rx_drops); of net_proto and net_driver table and counter (net_proto.TcpRetransSegs)";
    key thing: Text(Path), None, "Interface, CPU, NUMA node, or NFS operation and mount; NULL for the machine";
    gauge total: Int, Count, "The sum since boot; for a driver's counter since its last reset, for an NFS mount since the mount; times (nfs_op.rtt_s) in ms";
}

/// Counters by table that are kept, each with what it is a share of.
const KEPT: [(&str, &[&str]); 6] = [
    (
        "net_if",
        &[
            "rx_packets",
            "rx_errors",
            "rx_drops",
            "rx_fifo_errors",
            "tx_packets",
            "tx_errors",
            "tx_drops",
            "collisions",
        ],
    ),
    (
        "net_proto",
        &[
            "IpInDiscards",
            "IpInReceives",
            "IpReasmFails",
            "IpReasmReqds",
            "TcpActiveOpens",
            "TcpAttemptFails",
            "TcpExtListenDrops",
            "TcpExtListenOverflows",
            "TcpExtPruneCalled",
            "TcpExtSyncookiesFailed",
            "TcpExtSyncookiesSent",
            "TcpExtTCPAbortOnMemory",
            "TcpExtTCPBacklogDrop",
            "TcpExtTCPRcvQDrop",
            "TcpExtTCPReqQFullDoCookies",
            "TcpExtTCPReqQFullDrop",
            "TcpExtTCPTimeWaitOverflow",
            "TcpExtTCPTimeouts",
            "TcpInErrs",
            "TcpInSegs",
            "TcpOutSegs",
            "TcpPassiveOpens",
            "TcpRetransSegs",
            "Udp6InDatagrams",
            "Udp6RcvbufErrors",
            "UdpInDatagrams",
            "UdpRcvbufErrors",
            "UdpSndbufErrors",
        ],
    ),
    ("nfs_op", &["execute_s", "major_timeouts", "operations", "queue_s", "retransmissions", "rtt_s"]),
    ("numa", &["interleave_hit", "local_node", "numa_foreign", "numa_hit", "numa_miss", "other_node"]),
    ("softnet", &["dropped", "flow_limits", "processed", "time_squeezes"]),
    ("conntrack", &["drops", "early_drops"]),
];

/// Words in the names of a driver's counters of losses.
const OF_LOSSES: [&str; 10] =
    ["drop", "discard", "miss", "no_buf", "nobuf", "fifo", "over", "err", "crc", "timeout"];

/// The name that a counter has in the table, where it is kept. Of the hundreds that a driver has, only losses and
/// all packets are.
pub fn kept(table: &str, name: &str, total: i64) -> Option<String> {
    let is_kept = match table {
        "net_driver" => {
            matches!(name, "rx_packets" | "tx_packets")
                || (total > 0 && OF_LOSSES.iter().any(|word| name.to_ascii_lowercase().contains(word)))
        }
        table => KEPT.iter().any(|(of, names)| *of == table && names.contains(&name)),
    };
    (is_kept && total >= 0).then(|| format!("{table}.{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::find;

    #[test]
    fn kept_counters_are_columns_but_of_protocols_and_drivers() {
        for (table, names) in KEPT.iter().filter(|(table, _)| *table != "net_proto") {
            let def = find(table).expect("a table");
            assert!(names.iter().all(|name| def.position(name).is_some()), "{table}");
        }
        assert_eq!(kept("net_if", "rx_drops", 0).as_deref(), Some("net_if.rx_drops"));
        assert_eq!(kept("net_if", "rx_bytes", 7), None);
        assert_eq!(kept("net_driver", "rx_missed_errors", 7).as_deref(), Some("net_driver.rx_missed_errors"));
        assert_eq!(kept("net_driver", "rx_missed_errors", 0), None);
        assert_eq!(kept("net_driver", "rx_queue_0_packets", 7), None);
    }
}
