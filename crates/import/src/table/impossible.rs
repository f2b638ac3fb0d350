//! Values that cannot be are left out, column by column, once all rows are there.
//!
//! Tools print 10^15 % where a counter fell, a negative size where a number of 32 bits overflowed, and what a
//! damaged file makes of a digit. Bounds follow from unit and kind of a column, whichever tool printed it, and
//! are far from what machines do: a disk of several paths that is busy for 150 %, a thread at 800 % of a CPU and
//! memory available beyond a container's limit are no errors. What was left out is a row of `refused_value`.
//!
//! Most batches are within the bounds, which the least and the greatest value of a column show.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use heldup_model::batch::filter_rows;
use heldup_model::tables::{CpuRow, DbMetricRow, DiskRow, RefusedValueRow};
use heldup_model::{Column, ColumnKind, ColumnType, Record, RowSet, Stamp, TableDef, Unit};

use crate::error::ImportError;
use crate::table::sheets::first_ms;

/// CPU time of a CPU, against the interval: what `sar` rounds and ticks that come late stay below.
const OF_ONE_CPU: f64 = 1.2;
/// Busy time of a device: several paths to one disk are counted together.
const OF_ONE_DEVICE: f64 = 2.0;
/// CPU time of everything else: Linux runs 8,192 CPUs at most.
const OF_ALL_CPUS: f64 = 1e4;
/// Other times add up over requests and tasks, of which a million may wait.
const OF_ALL_TASKS: f64 = 1e6;
/// Things a second: a CPU's cycles, of a thousand CPUs.
const THINGS_PER_S: f64 = 1e13;
/// Bytes a second: a thousand links of 8 Tbit/s.
const BYTES_PER_S: f64 = 1e15;
/// Largest amount of bytes at one moment: addresses of processes have 57 bits.
const BYTES: f64 = (1_u64 << 60) as f64;
/// Largest number of anything else at one moment.
const THINGS: f64 = 1e16;
/// Longest time in seconds: some thousand years.
const SECONDS: f64 = 1e11;
/// What was too large for an integer is the largest one.
const BEYOND_INTEGERS: f64 = 9.2e18;
/// A share of one, rounded up.
const SHARE: f64 = 1.005;
/// A part against its whole: both may be rounded (`df -h`).
const ROUNDED: f64 = 1.05;
/// What a tick and a digit make of a time.
const TICKS_S: f64 = 0.05;

/// Times on a CPU, in whichever table.
const CPU_TIMES: [&str; 11] = [
    "user_s",
    "nice_s",
    "system_s",
    "idle_s",
    "iowait_s",
    "irq_s",
    "softirq_s",
    "steal_s",
    "guest_s",
    "guest_nice_s",
    "cpu_s",
];
/// States of a CPU that add up to its time.
const STATES: [&str; 8] =
    ["user_s", "nice_s", "system_s", "idle_s", "iowait_s", "irq_s", "softirq_s", "steal_s"];
/// Columns without bounds: BSD's df shows what root has used of the reserve as negative; shares of DB time count what
/// ends in an interval and began before; a CPU use is of one CPU, and of several threads.
const UNBOUNDED: [(&str, &str); 6] = [
    ("command_run", "cpu_ratio"),
    ("db_advice", "impact_share"),
    ("db_sql", "event_share"),
    ("db_wait", "wait_share"),
    ("filesystem", "available_bytes"),
    ("profile", "inclusive_share"),
];
/// Parts and their wholes.
const PARTS: [(&str, &str, &str); 8] = [
    ("filesystem", "free_bytes", "size_bytes"),
    ("filesystem", "inodes_free", "inodes"),
    ("hugepages", "free_pages", "pages"),
    ("memory", "free_bytes", "total_bytes"),
    ("memory", "huge_pages_free", "huge_pages_total"),
    ("memory", "swap_free_bytes", "swap_total_bytes"),
    ("memory", "swap_used_bytes", "swap_total_bytes"),
    ("numa", "free_bytes", "memory_bytes"),
];

/// From what to what a value may be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bounds {
    /// At one moment.
    Level(f64, f64),
    /// In an interval: not negative, and at most so much a second and so much beyond.
    Increase(f64, f64),
}

/// How the lengths of intervals are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lengths {
    /// Shares and rates are of the interval, whatever that was.
    Exact,
    /// Sums between two moments that are known to a second.
    ToASecond,
}

type Tables = BTreeMap<String, Vec<RecordBatch>>;
/// Rows by column.
type Wrong = BTreeMap<usize, BTreeSet<usize>>;

fn note(wrong: &mut Wrong, column: usize, rows: Vec<usize>) {
    if !rows.is_empty() {
        wrong.entry(column).or_default().extend(rows);
    }
}

/// Leaves out what cannot be, and says so in a table of its own, with the rows that were left out by their times.
pub fn leave_out_impossible(
    tables: &mut Tables,
    host: &str,
    lengths: Lengths,
    beyond_time: &BTreeMap<&'static str, u64>,
) -> Result<(), ImportError> {
    let slack_s = if lengths == Lengths::Exact { TICKS_S } else { 1.0 + TICKS_S };
    let mut refused = Refused::default();
    let first_ms = tables.values().flatten().map(first_ms).min();
    for (table, rows) in beyond_time {
        refused.rows(table, *rows, first_ms);
    }
    let mut emptied = Vec::new();
    for (name, batches) in tables.iter_mut() {
        let Some(def) = heldup_model::tables::find(name) else { continue };
        let had_rows = batches.iter().any(|batch| batch.num_rows() > 0);
        let bounds: Vec<Option<Bounds>> =
            def.columns.iter().map(|column| bounds(def, column, slack_s)).collect();
        for batch in batches.iter_mut() {
            checked(def, batch, &bounds, slack_s, &mut refused)
                .map_err(|source| ImportError::Table { table: def.name, source })?;
        }
        // A table without rows says that it was read and that nothing was there.
        if had_rows && batches.iter().all(|batch| batch.num_rows() == 0) {
            emptied.push(def.name);
        }
    }
    tables.retain(|name, _| !emptied.contains(&name.as_str()));
    refused.write(tables, host)
}

fn bounds(def: &TableDef, column: &Column, slack_s: f64) -> Option<Bounds> {
    if UNBOUNDED.contains(&(def.name, column.name)) {
        return None;
    }
    match (column.kind, column.unit) {
        (ColumnKind::Counter, Unit::Seconds) if CPU_TIMES.contains(&column.name) => {
            Some(Bounds::Increase(OF_ALL_CPUS, slack_s))
        }
        (ColumnKind::Counter, Unit::Seconds) if def.name == DiskRow::DEF.name && column.name == "busy_s" => {
            Some(Bounds::Increase(OF_ONE_DEVICE, slack_s))
        }
        (ColumnKind::Counter, Unit::Seconds) => Some(Bounds::Increase(OF_ALL_TASKS, OF_ALL_TASKS)),
        (ColumnKind::Counter, Unit::Bytes) => Some(Bounds::Increase(BYTES_PER_S, BYTES_PER_S)),
        (ColumnKind::Counter, Unit::Count | Unit::Pages) => {
            Some(Bounds::Increase(THINGS_PER_S, THINGS_PER_S))
        }
        (ColumnKind::Gauge, Unit::Ratio) => Some(Bounds::Level(0.0, SHARE)),
        (ColumnKind::Gauge, Unit::Bytes) => Some(Bounds::Level(0.0, BYTES)),
        (ColumnKind::Gauge, Unit::Count | Unit::Pages) => Some(Bounds::Level(0.0, THINGS)),
        (ColumnKind::Gauge, Unit::Seconds) => Some(Bounds::Level(0.0, SECONDS)),
        _ if column.ty == ColumnType::Int => Some(Bounds::Level(-BEYOND_INTEGERS, BEYOND_INTEGERS)),
        _ => None,
    }
}

/// A batch without the values that cannot be.
fn checked(
    def: &'static TableDef,
    batch: &mut RecordBatch,
    bounds: &[Option<Bounds>],
    slack_s: f64,
    refused: &mut Refused,
) -> Result<(), ArrowError> {
    let secs = batch.column(1).as_primitive::<Float64Type>().clone();
    let shortest_s = extremes(secs.values()).0;
    let mut wrong = Wrong::new();
    for (at, bounds) in bounds.iter().enumerate() {
        let Some(bounds) = bounds else { continue };
        let column = batch.column(at + STAMPS);
        if !is_within(column, *bounds, shortest_s) {
            note(&mut wrong, at, beyond(column, *bounds, &secs));
        }
    }
    if def.name == CpuRow::DEF.name {
        states_beyond(def, batch, &secs, slack_s, &mut wrong);
    }
    if def.name == DbMetricRow::DEF.name {
        metrics_beyond(def, batch, &mut wrong);
    }
    for (_, part, whole) in PARTS.iter().filter(|(table, ..)| *table == def.name) {
        parts_beyond(def, batch, part, whole, &mut wrong);
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let mut columns = batch.columns().to_vec();
    let mut hit = vec![false; batch.num_rows()];
    for (at, rows) in &wrong {
        let rows: Vec<usize> = rows.iter().copied().collect();
        rows.iter().for_each(|row| hit[*row] = true);
        refused.take(def, *at, &rows, batch);
        columns[at + STAMPS] = without(&columns[at + STAMPS], &rows);
    }
    *batch = RecordBatch::try_new(batch.schema(), columns)?;
    let is_empty = |row: usize| {
        let measured = |column: &Column| matches!(column.kind, ColumnKind::Counter | ColumnKind::Gauge);
        let values =
            def.columns.iter().zip(&batch.columns()[STAMPS..]).filter(|(column, _)| measured(column));
        values.map(|(_, values)| values).all(|values| values.is_null(row))
    };
    let gone: Vec<bool> = hit.iter().enumerate().map(|(row, hit)| *hit && is_empty(row)).collect();
    if gone.contains(&true) {
        *batch = filter_rows(batch, |row| !gone[row])?;
    }
    Ok(())
}

/// Columns that every table begins with.
const STAMPS: usize = TableDef::STAMP.len();

/// The least and the greatest; NULL has the value 0, which every bound allows.
fn extremes<T: Copy + PartialOrd + Default>(values: &[T]) -> (T, T) {
    let mut values = values.iter().copied();
    let first = values.next().unwrap_or_default();
    values.fold((first, first), |(least, most), value| {
        (if value < least { value } else { least }, if value > most { value } else { most })
    })
}

/// Whether all of a column is within its bounds, at a glance.
fn is_within(column: &ArrayRef, bounds: Bounds, shortest_s: f64) -> bool {
    if column.null_count() == column.len() {
        return true;
    }
    let (least, most) = match column.data_type() {
        DataType::Float64 => extremes(column.as_primitive::<Float64Type>().values()),
        DataType::Int64 => {
            let (least, most) = extremes(column.as_primitive::<Int64Type>().values());
            (least as f64, most as f64)
        }
        _ => return true,
    };
    match bounds {
        Bounds::Level(from, to) => least >= from && most <= to,
        Bounds::Increase(per_s, slack) => least >= 0.0 && most <= per_s * shortest_s + slack,
    }
}

/// A number of a column of numbers; none where it is NULL.
fn number(column: &ArrayRef, row: usize) -> Option<f64> {
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::Float64 => Some(column.as_primitive::<Float64Type>().value(row)),
        DataType::Int64 => Some(column.as_primitive::<Int64Type>().value(row) as f64),
        _ => None,
    }
}

/// Rows whose value is not within the bounds. Without the length of an interval only a negative one is not.
fn beyond(column: &ArrayRef, bounds: Bounds, secs: &Float64Array) -> Vec<usize> {
    let is_beyond = |row: &usize| {
        number(column, *row).is_some_and(|value| match bounds {
            Bounds::Level(from, to) => value < from || value > to,
            Bounds::Increase(per_s, slack) => {
                value < 0.0 || secs.is_valid(*row) && value > per_s * secs.value(*row) + slack
            }
        })
    };
    (0..column.len()).filter(is_beyond).collect()
}

/// States of one CPU that are more than its time, each or together: which of them is wrong nobody can say.
fn states_beyond(def: &TableDef, batch: &RecordBatch, secs: &Float64Array, slack_s: f64, wrong: &mut Wrong) {
    let cpus = batch.column_by_name("cpu_idx");
    let states: Vec<usize> = STATES.iter().filter_map(|state| def.position(state)).collect();
    let mut sums = vec![0.0; batch.num_rows()];
    for at in &states {
        let Some(values) = batch.column(at + STAMPS).as_primitive_opt::<Float64Type>() else { continue };
        if values.null_count() < values.len() {
            sums.iter_mut().zip(values.values()).for_each(|(sum, value)| *sum += value);
        }
    }
    let is_one = |row: usize| cpus.is_some_and(|cpus| cpus.is_valid(row)) && secs.is_valid(row);
    let most_s = |row: usize| OF_ONE_CPU * secs.value(row) + slack_s;
    let of_sum: Vec<usize> =
        (0..sums.len()).filter(|row| sums[*row] > most_s(*row) && is_one(*row)).collect();
    if of_sum.is_empty() {
        return;
    }
    let rows_of = |at: &usize| -> Vec<usize> {
        let column = batch.column(at + STAMPS);
        let alone = |row: usize| number(column, row).is_some_and(|value| value > most_s(row) || value < 0.0);
        let others_are = |row: usize| {
            states
                .iter()
                .any(|other| number(batch.column(other + STAMPS), row).is_some_and(|v| v > most_s(row)))
        };
        // One that is too large by itself explains the sum.
        let is_wrong = |row: &usize| column.is_valid(*row) && (alone(*row) || !others_are(*row));
        of_sum.iter().copied().filter(is_wrong).collect()
    };
    states.iter().for_each(|at| note(wrong, *at, rows_of(at)));
}

/// Figures of a database, whose names say the unit.
fn metrics_beyond(def: &TableDef, batch: &RecordBatch, wrong: &mut Wrong) {
    let (Some(value), Some(name)) = (def.position("value"), def.position("metric_name")) else { return };
    let is_beyond = |row: &usize| {
        let Some(figure) = number(batch.column(value + STAMPS), *row) else { return false };
        let name = text(batch.column(name + STAMPS), *row).unwrap_or_default();
        let is_size = ["_s", "_bytes"].iter().any(|unit| name.ends_with(unit));
        name.ends_with("_ratio") && !(0.0..=SHARE).contains(&figure) || is_size && figure < 0.0
    };
    note(wrong, value, (0..batch.num_rows()).filter(is_beyond).collect());
}

/// Parts above their wholes, and these wholes.
fn parts_beyond(def: &TableDef, batch: &RecordBatch, part: &str, whole: &str, wrong: &mut Wrong) {
    let (Some(part), Some(whole)) = (def.position(part), def.position(whole)) else { return };
    let (parts, wholes) = (batch.column(part + STAMPS), batch.column(whole + STAMPS));
    if parts.null_count() == parts.len() || wholes.null_count() == wholes.len() {
        return;
    }
    let is_beyond = |row: &usize| {
        number(parts, *row).zip(number(wholes, *row)).is_some_and(|(part, whole)| part > ROUNDED * whole)
    };
    let rows: Vec<usize> = (0..batch.num_rows()).filter(is_beyond).collect();
    note(wrong, part, rows.clone());
    note(wrong, whole, rows);
}

/// The column with NULL in these rows, which are in order.
fn without(column: &ArrayRef, rows: &[usize]) -> ArrayRef {
    let stays = |row: usize| rows.binary_search(&row).is_err();
    match column.data_type() {
        DataType::Float64 => {
            let values = column.as_primitive::<Float64Type>().iter().enumerate();
            Arc::new(values.map(|(row, value)| value.filter(|_| stays(row))).collect::<Float64Array>())
        }
        DataType::Int64 => {
            let values = column.as_primitive::<Int64Type>().iter().enumerate();
            Arc::new(values.map(|(row, value)| value.filter(|_| stays(row))).collect::<Int64Array>())
        }
        _ => Arc::clone(column),
    }
}

fn text(column: &ArrayRef, row: usize) -> Option<&str> {
    let words = column.as_dictionary_opt::<Int32Type>()?;
    let word = words.keys().is_valid(row).then(|| words.keys().value(row))?;
    let known = words.values().as_string_opt::<i32>()?;
    Some(known.value(usize::try_from(word).ok()?))
}

/// What was left out, by table and column.
#[derive(Default)]
struct Refused {
    columns: BTreeMap<(&'static str, &'static str), (i64, RefusedValueRow)>,
}

impl Refused {
    fn take(&mut self, def: &'static TableDef, at: usize, rows: &[usize], batch: &RecordBatch) {
        let Some(first) = rows.first() else { return };
        let column = def.columns[at].name;
        let time = batch.column(0).as_primitive::<Int64Type>().value(*first);
        let (_, row) = self.columns.entry((def.name, column)).or_insert_with(|| {
            let row = RefusedValueRow {
                table_name: Some(def.name.into()),
                column_name: Some(column.into()),
                thing: thing(def, batch, *first).map(|thing| thing.as_str().into()),
                cells: Some(0),
                first_value: number(batch.column(at + STAMPS), *first),
            };
            (time, row)
        });
        row.cells = row.cells.map(|cells| cells + rows.len() as i64);
    }

    fn rows(&mut self, table: &'static str, rows: u64, time_ms: Option<i64>) {
        let row = RefusedValueRow {
            table_name: Some(table.into()),
            column_name: Some("time".into()),
            cells: Some(rows as i64),
            ..RefusedValueRow::default()
        };
        self.columns.extend(time_ms.map(|time_ms| ((table, "time"), (time_ms, row))));
    }

    fn write(self, tables: &mut Tables, host: &str) -> Result<(), ImportError> {
        let table = RefusedValueRow::DEF.name;
        for (time_ms, row) in self.columns.into_values() {
            let stamp = Stamp { time_ms, secs: None, host: host.into() };
            let batch = RowSet::increases([row]).to_batch(&stamp);
            let batch = batch.map_err(|source| ImportError::Table { table, source })?;
            tables.entry(table.to_owned()).or_default().push(batch);
        }
        if let Some(batches) = tables.get_mut(table) {
            batches.sort_by_key(first_ms);
        }
        Ok(())
    }
}

/// What a row is about: `sda`, `CPU 3`.
fn thing(def: &TableDef, batch: &RecordBatch, row: usize) -> Option<String> {
    let keys = def.columns.iter().zip(&batch.columns()[STAMPS..]);
    let mut keys = keys.filter(|(column, _)| column.kind == ColumnKind::Key && column.name != "netns");
    keys.find_map(|(column, values)| match column.ty {
        ColumnType::Text => text(values, row).map(str::to_owned),
        ColumnType::Int if values.is_valid(row) => {
            let number = values.as_primitive::<Int64Type>().value(row);
            Some(if column.name == "cpu_idx" {
                format!("CPU {number}")
            } else {
                format!("{} {number}", column.name)
            })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::{FilesystemRow, MemoryRow, ProcessRow};

    use super::*;

    fn checked_tables<R: Record>(
        rows: impl IntoIterator<Item = R>,
        secs: Option<f64>,
        lengths: Lengths,
    ) -> Tables {
        let set = RowSet::increases(rows);
        let batch = set.to_batch(&Stamp { time_ms: 1_000_000, secs, host: "box".into() }).expect("a batch");
        let mut tables = BTreeMap::from([(set.def.name.to_owned(), vec![batch])]);
        leave_out_impossible(&mut tables, "box", lengths, &BTreeMap::new()).expect("tables");
        tables
    }

    /// What was refused: table, column, thing, cells.
    fn refused(tables: &Tables) -> Vec<(String, String, String, f64)> {
        let batches = tables.get(RefusedValueRow::DEF.name).map(Vec::as_slice).unwrap_or_default();
        let word = |batch: &RecordBatch, name: &str| {
            batch.column_by_name(name).and_then(|column| text(column, 0)).unwrap_or_default().to_owned()
        };
        let cells =
            |batch: &RecordBatch| number(batch.column_by_name("cells").expect("cells"), 0).unwrap_or(0.0);
        let row = |batch: &RecordBatch| {
            (word(batch, "table_name"), word(batch, "column_name"), word(batch, "thing"), cells(batch))
        };
        batches.iter().map(row).collect()
    }

    fn check<R: Record>(row: R, expected: &[(&str, &str, f64)]) {
        let found = refused(&checked_tables([row], Some(10.0), Lengths::Exact));
        let found: Vec<(&str, &str, f64)> =
            found.iter().map(|(_, column, thing, cells)| (column.as_str(), thing.as_str(), *cells)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_cannot_be_is_left_out() {
        let cpu = CpuRow { cpu_idx: Some(3), idle_s: Some(1.0), ..CpuRow::default() };
        check(CpuRow { user_s: Some(1e14), ..cpu.clone() }, &[("user_s", "CPU 3", 1.0)]);
        check(CpuRow { user_s: Some(15.0), ..cpu.clone() }, &[("user_s", "CPU 3", 1.0)]);
        check(CpuRow { user_s: Some(-0.5), ..cpu.clone() }, &[("user_s", "CPU 3", 1.0)]);
        check(
            CpuRow { user_s: Some(8.0), idle_s: Some(8.0), ..cpu },
            &[("idle_s", "CPU 3", 1.0), ("user_s", "CPU 3", 1.0)],
        );
        let disk = DiskRow { device: Some("sda".into()), ..DiskRow::default() };
        check(
            DiskRow { busy_s: Some(21.0), read_s: Some(-4.0), reads: Some(i64::MAX), ..disk },
            &[("busy_s", "sda", 1.0), ("read_s", "sda", 1.0), ("reads", "sda", 1.0)],
        );
        let memory = MemoryRow { total_bytes: Some(1000), free_bytes: Some(2000), ..MemoryRow::default() };
        check(memory, &[("free_bytes", "", 1.0), ("total_bytes", "", 1.0)]);
        let ratio = |value| DbMetricRow {
            metric_name: Some("buffer_hit_ratio".into()),
            value: Some(value),
            ..DbMetricRow::default()
        };
        check(ratio(-0.52), &[("value", "buffer_hit_ratio", 1.0)]);
        check(ratio(1.2), &[("value", "buffer_hit_ratio", 1.0)]);
    }

    #[test]
    fn what_machines_do_stays() {
        let all = CpuRow { user_s: Some(600.0), idle_s: Some(40.0), ..CpuRow::default() };
        check(all, &[]);
        check(CpuRow { cpu_idx: Some(0), user_s: Some(10.02), idle_s: Some(0.1), ..CpuRow::default() }, &[]);
        check(DiskRow { busy_s: Some(15.0), queue_s: Some(6420.0), ..DiskRow::default() }, &[]);
        check(ProcessRow { pid: Some(7), user_s: Some(80.0), ..ProcessRow::default() }, &[]);
        let container = MemoryRow {
            total_bytes: Some(1_000_000),
            available_bytes: Some(9_000_000),
            ..MemoryRow::default()
        };
        check(container, &[]);
        let reserve = FilesystemRow {
            size_bytes: Some(1000),
            available_bytes: Some(-40),
            free_bytes: Some(10),
            ..FilesystemRow::default()
        };
        check(reserve, &[]);
        let ratio = DbMetricRow {
            metric_name: Some("soft_parse_ratio".into()),
            value: Some(1.0),
            ..DbMetricRow::default()
        };
        check(ratio, &[]);
    }

    #[test]
    fn a_row_stays_with_its_other_values() {
        let cpu = |user_s, idle_s| CpuRow { cpu_idx: Some(0), user_s, idle_s, ..CpuRow::default() };
        let rows = [cpu(Some(1.0), Some(9.0)), cpu(Some(1e14), Some(9.0)), cpu(Some(1e14), None)];
        let tables = checked_tables(rows, Some(10.0), Lengths::Exact);
        let cpus = &tables["cpu"][0];
        assert_eq!(cpus.num_rows(), 2, "nothing is left of the third");
        let user = cpus.column_by_name("user_s").expect("user_s");
        assert_eq!([number(user, 0), number(user, 1)], [Some(1.0), None]);
        assert_eq!(refused(&tables), [("cpu".to_owned(), "user_s".to_owned(), "CPU 0".to_owned(), 2.0)]);
    }

    #[test]
    fn clocks_of_a_second_leave_room_for_one() {
        let busy = || CpuRow { cpu_idx: Some(0), user_s: Some(1.0), idle_s: Some(0.9), ..CpuRow::default() };
        assert_eq!(refused(&checked_tables([busy()], Some(1.0), Lengths::ToASecond)), []);
        assert_eq!(refused(&checked_tables([busy()], Some(1.0), Lengths::Exact)).len(), 2);
        assert_eq!(refused(&checked_tables([busy()], None, Lengths::Exact)), [], "of an unknown interval");
    }
}
