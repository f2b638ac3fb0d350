//! The rows of processes, added up.

use std::collections::HashMap;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, BooleanArray, Float64Array, RecordBatch};
use heldup_model::SeenProcess;

use super::runs::{Ints, Words, runs};
use super::tasks::{put, put_some};
use crate::numbers::Numbers;

/// Id and start.
type Key = (i64, Option<i64>);

/// A process, as far as it was read.
#[derive(Clone, Default)]
struct Sums {
    seen: SeenProcess,
    last_ms: Option<i64>,
    /// Its own memory: when it was read first, and how much it was; how much it was last.
    first_anon: Option<(i64, i64)>,
    last_anon: Option<(i64, i64)>,
    /// I/O of its own threads, from the ledger.
    io: Option<(i64, i64)>,
}

/// All processes.
#[derive(Default)]
pub struct Processes {
    all: Vec<Sums>,
    at: HashMap<Key, usize>,
    /// The ledger counted I/O.
    has_io: bool,
}

impl Processes {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds rows of `process`.
    pub fn add(&mut self, batch: &RecordBatch) {
        let columns = Columns::of(batch);
        runs(batch.num_rows(), &[columns.pids, columns.starts], None, &mut |rows| {
            let Some(pid) = columns.pids.get(rows.start) else { return };
            let at = self.place((pid, columns.starts.get(rows.start)));
            self.all[at].add(&columns, &rows);
        });
    }

    /// Adds of rows behind the window those of the first reading, where it covers the window's end.
    pub fn add_covering(&mut self, batches: &[RecordBatch], until_ms: i64) {
        let times = |batch| {
            let (times, lengths) = (Ints::of(batch, "time"), Numbers::of(batch, "secs"));
            let rows =
                (0..batch.num_rows()).filter_map(move |row| Some((times.get(row)?, lengths.get(row)?)));
            rows.filter(|(time, secs)| time - (*secs * 1000.0) as i64 <= until_ms).map(|(time, _)| time).min()
        };
        let Some(first_ms) = batches.iter().filter_map(times).min() else { return };
        for batch in batches {
            let columns = Columns::of(batch);
            runs(batch.num_rows(), &[columns.pids, columns.starts, columns.times], None, &mut |rows| {
                let Some(pid) = columns.pids.get(rows.start) else { return };
                if columns.times.get(rows.start) == Some(first_ms) {
                    let at = self.place((pid, columns.starts.get(rows.start)));
                    self.all[at].add(&columns, &rows);
                }
            });
        }
    }

    /// Adds rows of `process_io`.
    pub fn add_io(&mut self, batch: &RecordBatch) {
        let (pids, starts) = (Ints::of(batch, "pid"), Ints::of(batch, "start_ms"));
        let (read, written) = (Ints::of(batch, "read_bytes"), Ints::of(batch, "write_bytes"));
        self.has_io |= batch.num_rows() > 0;
        runs(batch.num_rows(), &[pids, starts], None, &mut |rows| {
            let Some(pid) = pids.get(rows.start) else { return };
            let at = self.place((pid, starts.get(rows.start)));
            let sums = self.all[at].io.get_or_insert((0, 0));
            sums.0 += read.sum(&rows).unwrap_or(0);
            sums.1 += written.sum(&rows).unwrap_or(0);
        });
    }

    fn place(&mut self, key: Key) -> usize {
        *self.at.entry(key).or_insert_with(|| {
            let seen = SeenProcess { pid: key.0, start_ms: key.1, ..SeenProcess::default() };
            self.all.push(Sums { seen, ..Sums::default() });
            self.all.len() - 1
        })
    }

    /// What was gathered behind these.
    pub fn append(&mut self, later: Processes) {
        self.has_io |= later.has_io;
        for sums in later.all {
            let at = self.place((sums.seen.pid, sums.seen.start_ms));
            self.all[at].join(sums);
        }
    }

    /// All of a window that begins then. Those that only the ledger's I/O knows are left to the ledger's time.
    pub fn seen(self, since_ms: i64) -> Vec<SeenProcess> {
        let has_io = self.has_io;
        let known = self.all.into_iter().filter(|sums| sums.last_ms.is_some());
        known.map(|sums| sums.seen(since_ms, has_io)).collect()
    }
}

/// The columns of a batch.
struct Columns<'b> {
    times: Ints<'b>,
    pids: Ints<'b>,
    starts: Ints<'b>,
    names: Words<'b>,
    commands: Words<'b>,
    parents: Ints<'b>,
    uids: Ints<'b>,
    states: Words<'b>,
    kernel: Option<&'b BooleanArray>,
    cgroups: Words<'b>,
    units: Words<'b>,
    containers: Words<'b>,
    nices: Ints<'b>,
    threads: Ints<'b>,
    user: Option<&'b Float64Array>,
    system: Option<&'b Float64Array>,
    resident: Ints<'b>,
    anon: Ints<'b>,
    growth: Ints<'b>,
    swap: Ints<'b>,
    faults: Ints<'b>,
    child_faults: Ints<'b>,
    read: Ints<'b>,
    written: Ints<'b>,
}

impl<'b> Columns<'b> {
    fn of(batch: &'b RecordBatch) -> Columns<'b> {
        let ints = |column: &str| Ints::of(batch, column);
        let words = |column: &str| Words::of(batch, column);
        let floats = |column: &str| {
            batch.column_by_name(column).and_then(|array| array.as_primitive_opt::<Float64Type>())
        };
        Columns {
            times: ints("time"),
            pids: ints("pid"),
            starts: ints("start_ms"),
            names: words("name"),
            commands: words("command"),
            parents: ints("parent_pid"),
            uids: ints("uid"),
            states: words("state"),
            kernel: batch.column_by_name("kernel_thread").and_then(|array| array.as_boolean_opt()),
            cgroups: words("cgroup"),
            units: words("unit"),
            containers: words("container"),
            nices: ints("nice"),
            threads: ints("threads"),
            user: floats("user_s"),
            system: floats("system_s"),
            resident: ints("resident_bytes"),
            anon: ints("anon_bytes"),
            growth: ints("anon_growth_bytes"),
            swap: ints("swap_bytes"),
            faults: ints("major_faults"),
            child_faults: ints("child_minor_faults"),
            read: ints("read_bytes"),
            written: ints("write_bytes"),
        }
    }
}

fn sum(floats: Option<&Float64Array>, rows: &Range<usize>) -> Option<f64> {
    let array = floats?;
    if array.null_count() == 0 {
        return Some(array.values()[rows.clone()].iter().sum());
    }
    let known = rows.clone().filter(|row| array.is_valid(*row)).map(|row| array.value(row));
    known.reduce(|a, b| a + b)
}

fn add(sum: &mut Option<i64>, more: Option<i64>) {
    *sum = match (*sum, more) {
        (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
        (sum, more) => sum.or(more),
    };
}

fn add_float(sum: &mut Option<f64>, more: Option<f64>) {
    *sum = match (*sum, more) {
        (Some(sum), Some(more)) => Some(sum + more),
        (sum, more) => sum.or(more),
    };
}

impl Sums {
    fn add(&mut self, columns: &Columns<'_>, rows: &Range<usize>) {
        let seen = &mut self.seen;
        add_float(&mut seen.cpu_s, sum(columns.user, rows));
        add_float(&mut seen.cpu_s, sum(columns.system, rows));
        add(&mut seen.major_faults, columns.faults.sum(rows));
        // Where it waited for children, their I/O is in its counts.
        if columns.child_faults.sum(rows).unwrap_or(0) == 0 {
            add(&mut seen.read_bytes, columns.read.sum(rows));
            add(&mut seen.write_bytes, columns.written.sum(rows));
        } else {
            for row in rows.clone().filter(|row| columns.child_faults.get(*row).unwrap_or(0) == 0) {
                add(&mut seen.read_bytes, columns.read.get(row));
                add(&mut seen.write_bytes, columns.written.get(row));
            }
        }
        self.note_memory(columns, rows);
        let last = rows.end - 1;
        let time_ms = columns.times.get(last).unwrap_or(i64::MIN);
        if self.last_ms.is_some_and(|last_ms| time_ms < last_ms) {
            return;
        }
        self.last_ms = Some(time_ms);
        let seen = &mut self.seen;
        put(&mut seen.name, columns.names.last(rows));
        put_some(&mut seen.command, columns.commands.last(rows));
        put_some(&mut seen.state, columns.states.last(rows));
        put_some(&mut seen.cgroup, columns.cgroups.last(rows));
        put_some(&mut seen.unit, columns.units.last(rows));
        put_some(&mut seen.container, columns.containers.last(rows));
        seen.is_kernel |= columns.kernel.is_some_and(|kernel| kernel.is_valid(last) && kernel.value(last));
        for (own, column) in [
            (&mut seen.parent, columns.parents),
            (&mut seen.uid, columns.uids),
            (&mut seen.nice, columns.nices),
            (&mut seen.threads, columns.threads),
            (&mut seen.resident_bytes, columns.resident),
            (&mut seen.swap_bytes, columns.swap),
            (&mut seen.growth_bytes, columns.growth),
        ] {
            *own = column.last(rows).or(*own);
        }
    }

    /// Its own memory, first and last.
    fn note_memory(&mut self, columns: &Columns<'_>, rows: &Range<usize>) {
        let known = |row: &usize| Some((columns.times.get(*row)?, columns.anon.get(*row)?));
        if let Some(first) = rows.clone().find_map(|row| known(&row)) {
            self.first_anon = Some(self.first_anon.map_or(first, |known| known.min(first)));
        }
        if let Some(last) = rows.clone().rev().find_map(|row| known(&row)) {
            self.last_anon =
                Some(self.last_anon.map_or(last, |known| if known.0 > last.0 { known } else { last }));
        }
    }

    fn join(&mut self, later: Sums) {
        let (cpu_s, faults) = (later.seen.cpu_s, later.seen.major_faults);
        let (read, written) = (later.seen.read_bytes, later.seen.write_bytes);
        if let (Some(own), Some(io)) = (&mut self.io, later.io) {
            *own = (own.0 + io.0, own.1 + io.1);
        } else {
            self.io = self.io.or(later.io);
        }
        self.first_anon = [self.first_anon, later.first_anon].into_iter().flatten().min();
        self.last_anon = [self.last_anon, later.last_anon].into_iter().flatten().max();
        if later.last_ms >= self.last_ms {
            self.last_ms = later.last_ms;
            let own = std::mem::replace(&mut self.seen, later.seen);
            let seen = &mut self.seen;
            if seen.name.is_empty() {
                seen.name = own.name;
            }
            seen.is_kernel |= own.is_kernel;
            for (now, before) in [
                (&mut seen.command, own.command),
                (&mut seen.state, own.state),
                (&mut seen.cgroup, own.cgroup),
                (&mut seen.unit, own.unit),
                (&mut seen.container, own.container),
            ] {
                *now = now.take().or(before);
            }
            for (now, before) in [
                (&mut seen.parent, own.parent),
                (&mut seen.uid, own.uid),
                (&mut seen.nice, own.nice),
                (&mut seen.threads, own.threads),
                (&mut seen.resident_bytes, own.resident_bytes),
                (&mut seen.swap_bytes, own.swap_bytes),
                (&mut seen.growth_bytes, own.growth_bytes),
            ] {
                *now = now.or(before);
            }
            (seen.cpu_s, seen.major_faults) = (own.cpu_s, own.major_faults);
            (seen.read_bytes, seen.write_bytes) = (own.read_bytes, own.write_bytes);
        }
        let seen = &mut self.seen;
        add_float(&mut seen.cpu_s, cpu_s);
        add(&mut seen.major_faults, faults);
        add(&mut seen.read_bytes, read);
        add(&mut seen.write_bytes, written);
    }

    fn seen(self, since_ms: i64, has_io: bool) -> SeenProcess {
        let mut seen = self.seen;
        if has_io {
            // The ledger knows whose I/O it was; who is not in it did none.
            let (read, written) = self.io.unwrap_or((0, 0));
            (seen.read_bytes, seen.write_bytes) = (Some(read), Some(written));
        }
        // A window of a machine that runs says it; an archive has what was held at each reading.
        if seen.growth_bytes.is_none() {
            let is_new = seen.start_ms.is_some_and(|start_ms| start_ms > since_ms);
            seen.growth_bytes = match (self.first_anon, self.last_anon) {
                (_, Some((_, last))) if is_new => Some(last),
                (Some((first_ms, first)), Some((last_ms, last))) if last_ms > first_ms => Some(last - first),
                _ => None,
            };
        }
        seen
    }
}
