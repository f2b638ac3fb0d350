//! Signs of trouble in a minute that need hold nobody up: one task that runs all the time, packets
//! that are lost, file systems that are full.
//!
//! Each is one number a minute. What is unusual is judged elsewhere.

use std::collections::HashMap;

use arrow_array::RecordBatch;

use crate::kept::batch_columns::{floats, ints, texts};

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Seconds that the task ran which ran most.
    BusyTask,
    /// Packets that interfaces damaged or lost for want of room in a ring.
    NetErrors,
    /// Packets that were dropped: by interfaces, and where a CPU's backlog was full.
    NetDrops,
    /// Connections and packets that a program's queue had no room for, and time-outs of TCP.
    NetOverflows,
    /// Readings of file systems of which less than a twentieth is left.
    NearlyFull,
}

impl Sign {
    /// All signs, in the order of a minute's numbers.
    pub const ALL: [Sign; 5] =
        [Sign::BusyTask, Sign::NetErrors, Sign::NetDrops, Sign::NetOverflows, Sign::NearlyFull];
}

/// Counters of a table that make a sign.
struct Counted {
    sign: Sign,
    table: &'static str,
    columns: &'static [&'static str],
    /// Only rows of these names; all where there is none.
    names: &'static [&'static str],
}

const COUNTED: [Counted; 4] = [
    Counted {
        sign: Sign::NetErrors,
        table: "net_if",
        columns: &["rx_errors", "tx_errors", "rx_fifo_errors"],
        names: &[],
    },
    Counted { sign: Sign::NetDrops, table: "net_if", columns: &["rx_drops", "tx_drops"], names: &[] },
    Counted { sign: Sign::NetDrops, table: "softnet", columns: &["dropped", "flow_limits"], names: &[] },
    Counted {
        sign: Sign::NetOverflows,
        table: "net_proto",
        columns: &["value"],
        names: &["TcpExtListenOverflows", "TcpExtTCPTimeouts", "UdpRcvbufErrors", "Udp6RcvbufErrors"],
    },
];
/// Read where it is full, ten seconds apart at most: there is no table of it by minute.
pub(in crate::kept) const FILE_SYSTEMS: &str = "filesystem";
/// Share of a file system that is left when it is nearly full: where the rule `fs.full` speaks.
const LEAST_LEFT: f64 = 0.05;
/// Smaller ones are nobody's disk.
const LEAST_SIZE_BYTES: i64 = 1_000_000;

/// Tables that signs are counted in, and are kept by minute too.
pub(in crate::kept) const TABLES: [&str; 3] = ["net_if", "softnet", "net_proto"];

/// Whether a column is needed for a sign.
pub(in crate::kept) fn needs(column: &str) -> bool {
    const OTHERS: [&str; 7] =
        ["name", "mount", "read_only", "size_bytes", "free_bytes", "available_bytes", "tid"];
    OTHERS.contains(&column) || COUNTED.iter().any(|counted| counted.columns.contains(&column))
}

/// Calls with sign, time and amount for each value that counts of a table.
pub(in crate::kept) fn count(table: &str, batch: &RecordBatch, add: &mut dyn FnMut(Sign, i64, f64)) {
    for counted in COUNTED.iter().filter(|counted| counted.table == table) {
        let names = if counted.names.is_empty() { Vec::new() } else { texts(batch, "name") };
        let is_meant = |row: usize| {
            names.get(row).is_none_or(|name| name.is_some_and(|name| counted.names.contains(&name)))
        };
        let times = ints(batch, "time");
        for column in counted.columns {
            for (row, value) in ints(batch, column).into_iter().enumerate() {
                let amount = value.filter(|value| *value > 0 && is_meant(row));
                if let Some((time, amount)) = times.get(row).copied().flatten().zip(amount) {
                    add(counted.sign, time, amount as f64);
                }
            }
        }
    }
}

/// Calls for each reading of a file system that is nearly full.
pub(in crate::kept) fn full(batch: &RecordBatch, add: &mut dyn FnMut(Sign, i64, f64)) {
    let (times, read_only) = (ints(batch, "time"), crate::kept::batch_columns::bools(batch, "read_only"));
    let sizes = ints(batch, "size_bytes").into_iter().zip(ints(batch, "free_bytes"));
    for (row, ((size, free), left)) in sizes.zip(ints(batch, "available_bytes")).enumerate() {
        let (Some(size), Some(free), Some(left)) = (size, free, left) else { continue };
        let is_written = read_only.get(row).copied().flatten() != Some(true);
        let ordinary = (size - free + left).max(1) as f64;
        if let Some(time) = times.get(row).copied().flatten()
            && is_written
            && size > LEAST_SIZE_BYTES
            && (left as f64) < LEAST_LEFT * ordinary
        {
            add(Sign::NearlyFull, time, 1.0);
        }
    }
}

/// What each task ran in each minute.
#[derive(Default)]
pub(in crate::kept) struct Running(HashMap<(usize, i64), f64>);

impl Running {
    /// Adds what a task ran.
    pub(in crate::kept) fn add(&mut self, minute: usize, tid: i64, seconds: f64) {
        *self.0.entry((minute, tid)).or_insert(0.0) += seconds;
    }

    /// Minute and seconds of each task.
    pub(in crate::kept) fn each(self) -> impl Iterator<Item = (usize, f64)> {
        self.0.into_iter().map(|((minute, _), seconds)| (minute, seconds))
    }
}

/// Times and lengths of samples: of the table that has one row each, in which a time that was twice, as the
/// clock was set back, is there twice, or of another, where each time counts once.
pub(in crate::kept) fn lengths(one_row: &[RecordBatch], others: &[RecordBatch]) -> Vec<(i64, f64)> {
    let rows = |batch: &RecordBatch| -> Vec<(i64, f64)> {
        let rows = ints(batch, "time").into_iter().zip(floats(batch, "secs"));
        rows.filter_map(|(time, secs)| Some((time?, secs?))).collect()
    };
    if !one_row.is_empty() {
        return one_row.iter().flat_map(rows).collect();
    }
    others.iter().flat_map(rows).collect::<HashMap<i64, f64>>().into_iter().collect()
}
