//! Interfaces and their queues.

use anyhow::{Context, Result, ensure};
use heldup_testkit::needs::Need;
use serde_json::Value;

use super::{Seen, TableTest, by_path, own_namespace, sums};
use crate::classic::{Numbers, held_between};

/// A test for each table of the network that `classic` does not compare.
pub const TESTS: &[TableTest] = &[
    ("conntrack", &[Need::File("/proc/net/stat/nf_conntrack")], conntrack),
    ("net_if", &[], net_if),
    ("net_qdisc", &[], net_qdisc),
    ("net_queue", &[], net_queue),
];

/// `ip -s link` splits what `/proc/net/dev` adds up: its `dropped` is without what was missed
/// (rx_missed_errors), its errors of one kind are not those of another. Bytes, packets and what
/// was not sent are the same.
fn net_if(seen: &Seen) -> Result<()> {
    let read = |text: &str| {
        let mut numbers = Numbers::new();
        let links: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        for link in &links {
            // A pair's end is printed with its other end behind an `@` by the text form only.
            let name = link["ifname"].as_str().unwrap_or_default();
            for (way, what) in
                [("rx", "bytes"), ("rx", "packets"), ("tx", "bytes"), ("tx", "packets"), ("tx", "dropped")]
            {
                if let Some(number) = link["stats64"][way][what].as_f64() {
                    numbers.insert(format!("{way} {what} {name}"), number);
                }
            }
        }
        numbers
    };
    let own = format!("(select * from net_if where netns = {})", own_namespace("net")?);
    let columns = [
        ("rx bytes", "rx_bytes"),
        ("rx packets", "rx_packets"),
        ("tx bytes", "tx_bytes"),
        ("tx packets", "tx_packets"),
        ("tx dropped", "tx_drops"),
    ];
    let sent = format!("tx packets {}", seen.load.interface);
    seen.counted(&sums(&own, "name", &columns), "ip-link", read, &[&sent, "rx packets lo", "tx bytes lo"])
}

fn net_qdisc(seen: &Seen) -> Result<()> {
    let read = |text: &str| {
        let mut numbers = Numbers::new();
        let disciplines: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        for one in &disciplines {
            let kind = one["kind"].as_str().unwrap_or_default();
            for what in ["bytes", "packets", "drops", "overlimits", "requeues"] {
                if let Some(number) = one[what].as_f64() {
                    numbers.insert(format!("{what} {kind}"), number);
                }
            }
        }
        numbers
    };
    let of_interface = format!(
        "(select * from net_qdisc where name = '{}' and netns = {})",
        seen.load.interface,
        own_namespace("net")?
    );
    let columns = [
        ("bytes", "sent_bytes"),
        ("packets", "sent_packets"),
        ("drops", "drops"),
        ("overlimits", "overlimits"),
        ("requeues", "requeues"),
    ];
    let query = sums(&of_interface, "kind", &columns);
    seen.counted(&query, "tc", read, &["bytes pfifo", "packets pfifo"])
}

/// CPUs that receive for a queue (RPS): the kernel writes them as a mask in hexadecimal.
fn net_queue(seen: &Seen) -> Result<()> {
    let ours = seen.numbers(&format!(
        "select name || ' ' || queue_idx as name, cast(max(cpus_count) as real) from net_queue \
         where direction = 'rx' and netns = {} group by 1",
        own_namespace("net")?
    ))?;
    let mut compared = 0;
    for (path, mask) in by_path(seen.text("queues")?) {
        let parts: Vec<&str> = path.split('/').collect();
        let name = format!("{} {}", parts[4], parts[6].trim_start_matches("rx-"));
        let cpus: u32 = mask.chars().filter_map(|digit| digit.to_digit(16)).map(u32::count_ones).sum();
        let counted = ours.get(&name).with_context(|| format!("no row of {name} in {ours:?}"))?;
        ensure!(*counted == f64::from(cpus), "{name}: {counted} CPUs, the mask is {mask}");
        compared += cpus;
    }
    ensure!(compared > 0, "no queue is received for by others: {}", seen.text("queues")?);
    Ok(())
}

/// A line of names and one of hexadecimal numbers for each CPU; entries are a gauge.
fn conntrack(seen: &Seen) -> Result<()> {
    let columns = [
        ("found", "found"),
        ("invalid", "invalid"),
        ("insert", "insertions"),
        ("insert_failed", "insert_failures"),
        ("drop", "drops"),
        ("early_drop", "early_drops"),
        ("clashres", "clashes_resolved"),
        ("chainlength", "chains_too_long"),
        ("icmp_error", "icmp_errors"),
        ("search_restart", "search_restarts"),
        ("expect_new", "expectations_new"),
        ("expect_create", "expectations_created"),
        ("expect_delete", "expectations_deleted"),
    ];
    let own = format!("(select * from conntrack where netns = {})", own_namespace("net")?);
    let ours = seen.numbers(&sums(&own, "cpu_idx", &columns))?;
    let theirs = seen.growth("conntrack", by_cpu);
    let compared = theirs.keys().filter(|name| ours.contains_key(*name)).count();
    ensure!(compared > 5, "{compared} counters were compared: {:?}", theirs.keys());
    held_between(&ours, &theirs, &[], 0.0)?;
    let limit = std::fs::read_to_string("/proc/sys/net/netfilter/nf_conntrack_max")?;
    let ours = seen.words(&format!("select distinct entries_max from {own}"))?;
    ensure!(ours == [[limit.trim()]], "{ours:?}, nf_conntrack_max is {limit}");
    Ok(())
}

/// Hexadecimal numbers below a line of names; each line is a CPU.
fn by_cpu(text: &str) -> Numbers {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let cells = |(cpu, line): (usize, &str)| {
        let numbers = line.split_whitespace().filter_map(|word| i64::from_str_radix(word, 16).ok());
        let named = names.iter().zip(numbers).map(|(name, number)| (format!("{name} {cpu}"), number as f64));
        named.collect::<Vec<_>>()
    };
    lines.enumerate().flat_map(cells).collect()
}
