//! Which queue a driver's statistic is about: every driver has its own way to write it.

/// Direction of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// It receives.
    Rx,
    /// It sends.
    Tx,
}

impl Direction {
    /// As the table writes it.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Rx => "rx",
            Direction::Tx => "tx",
        }
    }
}

/// What a queue's statistic counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Packets dropped.
    Drops,
}

/// A statistic of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueStatistic {
    /// Direction.
    pub direction: Direction,
    /// Number of the queue.
    pub queue_idx: i64,
    /// What is counted.
    pub measure: Measure,
}

/// Reads a name; `None` where it is about no queue, or counts something else.
///
/// `rx_queue_0_packets` (igb, ixgbe, ice, hv_netvsc, veth, ifb), `rx0_bytes` (mlx5, virtio_net,
/// nfp), `rx-0.packets` (i40e), `queue_0_rx_cnt` (ena), `[0]: rx_bytes` (bnx2x, bnxt_en),
/// `rx_bytes[0]` (gve), `rx_0_packets` (mana). Where a driver counts by kind of address
/// (`[0]: rx_ucast_packets`), the kinds are to be added up.
pub fn read(name: &str) -> Option<QueueStatistic> {
    let (direction, number, rest) = directed(name).or_else(|| numbered(name)).or_else(|| trailing(name))?;
    let rest = rest.trim_start_matches(['_', '.', ':', ' ']);
    let rest = rest.strip_prefix(direction.name()).map_or(rest, |rest| rest.trim_start_matches('_'));
    let measure = match rest {
        "packets" | "cnt" | "pkts" | "ucast_packets" | "mcast_packets" | "bcast_packets" => Measure::Packets,
        "bytes" | "octets" | "ucast_bytes" | "mcast_bytes" | "bcast_bytes" => Measure::Bytes,
        "drops" | "drop" | "dropped" | "drop_packets" | "discards" => Measure::Drops,
        _ => return None,
    };
    Some(QueueStatistic { direction, queue_idx: number, measure })
}

/// `rx_queue_0_…`, `rx0_…`, `rx-0.…`, `rxq0_…`, `rx_0_…`.
fn directed(name: &str) -> Option<(Direction, i64, &str)> {
    let (direction, rest) = direction(name)?;
    let rest = rest.strip_prefix("_queue_").or_else(|| rest.strip_prefix('q')).unwrap_or(rest);
    let (number, rest) = number(rest.trim_start_matches(['_', '-']))?;
    Some((direction, number, rest))
}

/// `queue_0_rx_…`, `[0]: rx_…`.
fn numbered(name: &str) -> Option<(Direction, i64, &str)> {
    let rest = name.strip_prefix("queue_").or_else(|| name.strip_prefix('['))?;
    let (number, rest) = number(rest)?;
    let (direction, rest) = direction(rest.trim_start_matches([']', ':', '_', ' ']))?;
    Some((direction, number, rest))
}

/// `rx_bytes[0]`.
fn trailing(name: &str) -> Option<(Direction, i64, &str)> {
    let (before, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let (direction, rest) = direction(before)?;
    let (number, after) = number(index)?;
    after.is_empty().then_some((direction, number, rest))
}

fn direction(name: &str) -> Option<(Direction, &str)> {
    let rx = name.strip_prefix("rx").map(|rest| (Direction::Rx, rest));
    rx.or_else(|| name.strip_prefix("tx").map(|rest| (Direction::Tx, rest)))
}

/// At most four digits: no device has more queues.
fn number(text: &str) -> Option<(i64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits).filter(|_| (1..=4).contains(&digits))?;
    Some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_it() {
        for (name, expected) in [
            ("rx_queue_0_packets", "rx 0 Packets"),
            ("tx_queue_12_bytes", "tx 12 Bytes"),
            ("rx_queue_1_drops", "rx 1 Drops"),
            ("rx3_packets", "rx 3 Packets"),
            ("tx3_dropped", "tx 3 Drops"),
            ("tx-7.bytes", "tx 7 Bytes"),
            ("rx-7.rx_packets", "rx 7 Packets"),
            ("queue_2_tx_cnt", "tx 2 Packets"),
            ("queue_2_rx_bytes", "rx 2 Bytes"),
            ("[5]: rx_bytes", "rx 5 Bytes"),
            ("[5]: tx_mcast_packets", "tx 5 Packets"),
            ("[5]: rx_discards", "rx 5 Drops"),
            ("tx_bytes[4]", "tx 4 Bytes"),
            ("rx_9_packets", "rx 9 Packets"),
        ] {
            let read = read(name)
                .map(|read| format!("{} {} {:?}", read.direction.name(), read.queue_idx, read.measure));
            assert_eq!(read.as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn what_is_about_no_queue_or_counts_something_else() {
        for name in [
            "rx_packets",
            "rx_queue_0_xdp_packets",
            "rx0_kicks",
            "tx_64_bytes_or_less",
            "rx_64_byte_packets",
            "rx_prio0_bytes",
            "rx_1024_to_15xx_packets",
            "rx12345_bytes",
            "rx",
            "[0]",
            "",
            "tx_bytes[x]",
        ] {
            assert_eq!(read(name), None, "{name}");
        }
    }
}
