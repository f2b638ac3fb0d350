//! Peaks: of the counters that people look for spikes in, rollups by minute have the greatest value of one sample.
//!
//! A minute's sum does not show a second in which all requests took a second each. Levels need none: their rollups have
//! `min_` and `max_`.

use crate::table::{Column, Unit};

/// Counters of which rollups have the greatest rate of one sample, by table.
const RATES: [(&str, &[&str]); 7] = [
    ("cgroup", &["cpu_s", "throttled_s", "read_bytes", "write_bytes"]),
    ("disk", &["reads", "writes", "read_bytes", "write_bytes", "busy_s", "queue_s"]),
    ("net_if", &["rx_bytes", "rx_packets", "rx_drops", "tx_bytes", "tx_packets", "tx_drops"]),
    ("net_proto", &["value"]),
    ("pressure", &["some_s", "full_s"]),
    ("system", &["context_switches", "forks", "interrupts"]),
    (
        "vmstat",
        &[
            "page_in_bytes",
            "page_out_bytes",
            "swap_in_pages",
            "swap_out_pages",
            "faults",
            "major_faults",
            "scan_direct_pages",
            "allocation_stalls",
        ],
    ),
];

/// A ratio of counters of which a rollup has the greatest value of one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeakRatio {
    /// The table.
    table: &'static str,
    /// The column of the rollup.
    pub name: &'static str,
    /// The columns that are added up.
    pub of: &'static [&'static str],
    /// The columns whose sum it is divided by.
    pub per: &'static [&'static str],
    unit: Unit,
    meaning: &'static str,
}

const RATIOS: [PeakRatio; 4] = [
    PeakRatio {
        table: "cpu",
        name: "peak_busy",
        of: &["user_s", "nice_s", "system_s", "irq_s", "softirq_s", "steal_s"],
        per: &["user_s", "nice_s", "system_s", "idle_s", "iowait_s", "irq_s", "softirq_s", "steal_s"],
        unit: Unit::Ratio,
        meaning: "greatest share of busy time in one sample",
    },
    PeakRatio {
        table: "disk",
        name: "peak_read_latency_s",
        of: &["read_s"],
        per: &["reads"],
        unit: Unit::Seconds,
        meaning: "greatest mean latency of reads in one sample",
    },
    PeakRatio {
        table: "disk",
        name: "peak_write_latency_s",
        of: &["write_s"],
        per: &["writes"],
        unit: Unit::Seconds,
        meaning: "greatest mean latency of writes in one sample",
    },
    PeakRatio {
        table: "disk",
        name: "peak_flush_latency_s",
        of: &["flush_s"],
        per: &["flushes"],
        unit: Unit::Seconds,
        meaning: "greatest mean latency of flushes in one sample",
    },
];

/// Whether the rollup of a table has the greatest rate of a counter.
pub fn is_rate(table: &str, column: &str) -> bool {
    RATES.iter().any(|(of, columns)| *of == table && columns.contains(&column))
}

/// The ratios of a table.
pub fn ratios(table: &str) -> impl Iterator<Item = &'static PeakRatio> {
    RATIOS.iter().filter(move |ratio| ratio.table == table)
}

/// The column with the greatest rate of a counter.
pub fn name_of_rate(column: &str) -> String {
    format!("peak_{column}_per_s")
}

impl PeakRatio {
    /// Its declaration, like that of another column but for what it says itself.
    pub(super) fn column(&self, like: &Column) -> Column {
        Column { name: self.name, unit: self.unit, meaning: self.meaning, ..*like }
    }
}

/// The unit of a counter's rate.
pub(super) const fn rate_of(unit: Unit) -> Unit {
    match unit {
        Unit::Bytes => Unit::BytesPerSecond,
        Unit::Seconds => Unit::Ratio,
        _ => Unit::PerSecond,
    }
}
