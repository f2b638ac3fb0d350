//! Vital signs of the last samples, from their rows: what is read every second is not asked by SQL.

use std::collections::{BTreeMap, HashMap};

use arrow_array::RecordBatch;
use heldup_model::tables::{
    CpuRow, CpuTimeRow, DiskRow, MemoryRow, NetIfRow, ObjectTimeRow, PressureRow, TaskTimeRow,
};
use heldup_model::{Class, DiskVitals, NetworkVitals, Now, PressureVitals, Record, Span, Vitals};

use crate::keys::KeyNames;
use crate::numbers::Numbers;

/// The tables that vital signs are read from.
const TABLES: [&str; 8] = [
    CpuRow::DEF.name,
    CpuTimeRow::DEF.name,
    DiskRow::DEF.name,
    MemoryRow::DEF.name,
    NetIfRow::DEF.name,
    ObjectTimeRow::DEF.name,
    PressureRow::DEF.name,
    TaskTimeRow::DEF.name,
];
/// What was read so long before the newest sample says nothing of now, in milliseconds: a recorder that has much to do
/// reads some tables less often.
const STALE_MS: i64 = 30_000;

/// Whether vital signs are read from a table.
pub fn is_vital(table: &str) -> bool {
    TABLES.contains(&table)
}

/// What names each of some rows of a batch; none for those that are not taken.
type Keys<'k> = dyn Fn(&RecordBatch, &[usize]) -> Vec<Option<String>> + 'k;

/// The newest samples of these tables.
#[derive(Default)]
pub struct LastSamples {
    by_table: BTreeMap<String, LastSample>,
}

/// The last sample of a table.
struct LastSample {
    time_ms: i64,
    secs: f64,
    /// The batches that have rows of it, and which rows.
    rows: Vec<(RecordBatch, Vec<usize>)>,
}

impl LastSamples {
    /// Takes in what has been read since.
    pub fn add(&mut self, tables: &BTreeMap<String, Vec<RecordBatch>>) {
        for (table, batches) in tables.iter().filter(|(table, _)| is_vital(table)) {
            let Some(last) = LastSample::of(batches) else { continue };
            match self.by_table.get_mut(table) {
                Some(known) if known.time_ms > last.time_ms => {}
                Some(known) => *known = last,
                None => drop(self.by_table.insert(table.clone(), last)),
            }
        }
    }

    /// The vital signs; none where no sample is there.
    pub fn now(&self) -> Option<Now> {
        let newest = self.by_table.values().max_by_key(|last| last.time_ms)?;
        let of =
            |table: &str| self.by_table.get(table).filter(|last| last.time_ms >= newest.time_ms - STALE_MS);
        let vitals = Vitals {
            cpu_busy: of(CpuTimeRow::DEF.name)
                .and_then(busy)
                .or_else(|| of(CpuRow::DEF.name).and_then(busy_of_ticks)),
            queue: of(TaskTimeRow::DEF.name).and_then(queue),
            memory_used: of(MemoryRow::DEF.name).and_then(memory),
            disk: of(DiskRow::DEF.name).and_then(|disks| disk(disks, of(ObjectTimeRow::DEF.name))),
            network: of(NetIfRow::DEF.name).and_then(network),
            pressure: of(PressureRow::DEF.name).map(pressure).unwrap_or_default(),
            ..Vitals::default()
        };
        let since_ms = newest.time_ms - (newest.secs * 1000.0).round() as i64;
        Some(Now { span: Span { since_ms, until_ms: newest.time_ms }, vitals })
    }
}

impl LastSample {
    fn of(batches: &[RecordBatch]) -> Option<LastSample> {
        let time = |batch: &RecordBatch, row| Numbers::of(batch, "time").get(row).map(|time| time as i64);
        let times = |batch| (0..RecordBatch::num_rows(batch)).filter_map(move |row| time(batch, row));
        let time_ms = batches.iter().flat_map(times).max()?;
        let mut last = LastSample { time_ms, secs: 0.0, rows: Vec::new() };
        for batch in batches {
            let rows: Vec<usize> =
                (0..batch.num_rows()).filter(|row| time(batch, *row) == Some(time_ms)).collect();
            let secs = Numbers::of(batch, "secs");
            last.secs = rows.iter().filter_map(|row| secs.get(*row)).fold(last.secs, f64::max);
            if !rows.is_empty() {
                last.rows.push((batch.clone(), rows));
            }
        }
        Some(last)
    }

    /// Calls for each batch with its rows.
    fn each(&self) -> impl Iterator<Item = (&RecordBatch, &[usize])> {
        self.rows.iter().map(|(batch, rows)| (batch, rows.as_slice()))
    }

    /// The sum of a column; none where no row has a value.
    fn sum(&self, column: &str) -> Option<f64> {
        let of = |(batch, rows): (&RecordBatch, &[usize])| {
            let numbers = Numbers::of(batch, column);
            rows.iter().filter_map(|row| numbers.get(*row)).reduce(|a, b| a + b)
        };
        self.each().filter_map(of).reduce(|a, b| a + b)
    }

    /// The sums of columns by what keys name; rows that are not taken have no key.
    fn sums<const N: usize>(&self, key: &Keys<'_>, columns: [&str; N]) -> HashMap<String, [Option<f64>; N]> {
        let mut sums: HashMap<String, [Option<f64>; N]> = HashMap::new();
        for (batch, rows) in self.each() {
            let numbers = columns.map(|column| Numbers::of(batch, column));
            for (row, key) in rows.iter().zip(key(batch, rows)) {
                let Some(key) = key else { continue };
                let own = sums.entry(key).or_insert([None; N]);
                for (own, numbers) in own.iter_mut().zip(&numbers) {
                    if let Some(value) = numbers.get(*row) {
                        *own = Some(own.unwrap_or(0.0) + value);
                    }
                }
            }
        }
        sums
    }

    fn per_second(&self, amount: f64) -> Option<f64> {
        (self.secs > 0.0).then(|| amount / self.secs)
    }
}

/// The texts of a column in some rows.
fn texts(batch: &RecordBatch, column: &str, rows: &[usize]) -> Vec<Option<String>> {
    let mut names = KeyNames::default();
    let numbers = names.of_rows(batch, column);
    let text =
        |row: &usize| numbers.get(*row).and_then(|number| names.names().get(*number as usize).cloned());
    rows.iter().map(text).collect()
}

fn busy(of_ledger: &LastSample) -> Option<f64> {
    let (busy, idle) = (of_ledger.sum("busy_s")?, of_ledger.sum("idle_s")?);
    (busy + idle > 0.0).then(|| busy / (busy + idle))
}

/// The same by the kernel's tick.
fn busy_of_ticks(ticks: &LastSample) -> Option<f64> {
    let sum = |columns: &[&str]| columns.iter().filter_map(|column| ticks.sum(column)).sum::<f64>();
    let idle = ticks.sum("idle_s")? + sum(&["iowait_s"]);
    let busy = sum(&["user_s", "nice_s", "system_s", "irq_s", "softirq_s", "steal_s"]);
    (busy + idle > 0.0).then(|| busy / (busy + idle))
}

/// Tasks in the run queue, without threads of the kernel.
fn queue(ledger: &LastSample) -> Option<f64> {
    let mut waited = 0.0;
    for (batch, rows) in ledger.each() {
        let (seconds, kernel) = (Numbers::of(batch, "seconds"), Numbers::of(batch, "kernel_thread"));
        let mut names = KeyNames::default();
        let classes = names.of_rows(batch, "class_name");
        let queue = names.names().iter().position(|name| name == Class::CpuQueue.name());
        let is_taken =
            |row: &&usize| Some(classes[**row] as usize) == queue && kernel.get(**row) != Some(1.0);
        waited += rows.iter().filter(is_taken).filter_map(|row| seconds.get(*row)).sum::<f64>();
    }
    ledger.per_second(waited)
}

fn memory(of: &LastSample) -> Option<f64> {
    let total = of.sum("total_bytes").filter(|total| *total > 0.0)?;
    // Before 3.14 there was no MemAvailable.
    let old = || Some(of.sum("free_bytes")? + of.sum("buffers_bytes")? + of.sum("cached_bytes")?);
    let available = of.sum("available_bytes").or_else(old)?;
    Some(1.0 - available / total)
}

/// The disk that tasks waited for most, and without such waits the one with most requests in flight.
fn disk(disks: &LastSample, waits: Option<&LastSample>) -> Option<DiskVitals> {
    let whole = |batch: &RecordBatch, rows: &[usize]| {
        let kinds = texts(batch, "kind", rows);
        let named = texts(batch, "device", rows).into_iter().zip(kinds);
        named.map(|(device, kind)| device.filter(|_| kind.as_deref() != Some("partition"))).collect()
    };
    let columns = ["read_s", "write_s", "reads", "writes", "queue_s"];
    let all = disks.sums(&whole, columns);
    let waited = waits.map(|waits| {
        let device = |batch: &RecordBatch, rows: &[usize]| texts(batch, "object_device", rows);
        waits.sums(&device, ["seconds"])
    });
    let waited_s = |device: &str| waited.as_ref().and_then(|waited| waited.get(device)?[0]).unwrap_or(0.0);
    let busy = all
        .into_iter()
        .filter(|(_, [.., reads, writes, _])| reads.unwrap_or(0.0) + writes.unwrap_or(0.0) > 0.0);
    let rank =
        |(device, [.., queue_s]): &(String, [Option<f64>; 5])| (waited_s(device), queue_s.unwrap_or(0.0));
    let (device, [read_s, write_s, reads, writes, queue_s]) = busy.max_by(|a, b| {
        let ((waited_a, queue_a), (waited_b, queue_b)) = (rank(a), rank(b));
        waited_a.total_cmp(&waited_b).then(queue_a.total_cmp(&queue_b)).then_with(|| b.0.cmp(&a.0))
    })?;
    let requests = reads.unwrap_or(0.0) + writes.unwrap_or(0.0);
    let took_s =
        (read_s.is_some() || write_s.is_some()).then(|| read_s.unwrap_or(0.0) + write_s.unwrap_or(0.0));
    Some(DiskVitals {
        latency_s: took_s.map(|took_s| took_s / requests),
        depth: queue_s.and_then(|queue_s| disks.per_second(queue_s)),
        device,
    })
}

/// The interface with most traffic; what stays on the machine is none.
fn network(interfaces: &LastSample) -> Option<NetworkVitals> {
    let key = |batch: &RecordBatch, rows: &[usize]| {
        let spaces = texts(batch, "netns", rows);
        let named = texts(batch, "name", rows).into_iter().zip(spaces);
        let key = |(name, space): (Option<String>, Option<String>)| {
            name.filter(|name| name != "lo").map(|name| format!("{}\n{name}", space.unwrap_or_default()))
        };
        named.map(key).collect()
    };
    let all = interfaces.sums(&key, ["rx_bytes", "tx_bytes", "rx_packets", "tx_packets"]);
    let known = all.into_iter().filter(|(_, of)| of.iter().any(Option::is_some));
    let sum = |a: Option<f64>, b: Option<f64>| a.unwrap_or(0.0) + b.unwrap_or(0.0);
    // A packet has 64 bytes or more, also where nobody counts bytes.
    let size = |of: &[Option<f64>; 4]| sum(of[0], of[1]).max(64.0 * sum(of[2], of[3]));
    let (key, of) = known.max_by(|a, b| size(&a.1).total_cmp(&size(&b.1)).then_with(|| b.0.cmp(&a.0)))?;
    let packets = of[2].zip(of[3]).map(|(received, sent)| received + sent);
    Some(NetworkVitals {
        interface: key.split_once('\n').map_or(key.as_str(), |(_, name)| name).to_owned(),
        bytes_per_s: interfaces.per_second(sum(of[0], of[1]))?,
        packets_per_s: packets.and_then(|packets| interfaces.per_second(packets)),
    })
}

fn pressure(of: &LastSample) -> PressureVitals {
    let resource = |batch: &RecordBatch, rows: &[usize]| texts(batch, "resource", rows);
    let all = of.sums(&resource, ["some_s"]);
    let some = |resource: &str| all.get(resource).and_then(|[some_s]| of.per_second((*some_s)?));
    PressureVitals { cpu: some("cpu"), io: some("io"), memory: some("memory") }
}
