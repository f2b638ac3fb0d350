//! The tables that a recording becomes: rows found by time and key, filled cell by cell.
//!
//! A tool may tell of one sample in many places (`sar` prints all times of one section, then all
//! of the next); what it tells of the same time and thing is one row here. Does not know what a
//! number means.

use std::collections::{BTreeMap, HashSet};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType};
use heldup_model::batch::{filter_rows, null_column, take_rows};
use heldup_model::{RowSet, TableDef};

use crate::error::ImportError;
use crate::table::impossible::{Lengths, leave_out_impossible};
use crate::table::names::Names;
use crate::table::segment::{Frozen, Segment};
use crate::table::sheet::{Place, Sheet};
use crate::text::civil::{DAY_S, INSTANTS_MS, TOLD_MS};

const DAY_MS: i64 = DAY_S * 1000;
/// Texts up to this length are kept once for all cells.
const LONGEST_SHARED: usize = 32;

/// Which thing of a table a row is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key<'a> {
    /// A table of one row a sample.
    Host,
    /// A number.
    Number(i64),
    /// A name.
    Name(&'a str),
    /// A name, on a thing with a number: an interrupt on a CPU.
    NameOn(&'a str, i64),
    /// One of a table with several keys, or with none that is text or a number: who asks for the row
    /// sets its columns.
    Identity(&'a str),
    /// One of many that nothing distinguishes but where they stand, such as a stack: by its line.
    Nth(i64),
    /// All things of the table together; left out where the things themselves are told.
    All,
}

/// What keeps samples in their order of which nobody knows how long they are apart, in milliseconds.
pub const ORDER_STEP_MS: i64 = 1;

/// Nobody records every fifty years: an interval beyond that is damage.
pub const LONGEST_INTERVAL_S: f64 = 50.0 * 365.0 * 86_400.0;

/// When a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct When {
    /// End of the interval: milliseconds since 1970-01-01 UTC or, where the recording has no times,
    /// since its beginning.
    pub ms: i64,
    /// Length of the interval; none where it is not known what the sample covers.
    pub secs: Option<f64>,
    /// The recording has no times.
    pub floats: bool,
}

/// Where a row is, until the sample that it is of is over.
#[derive(Clone, Copy, Debug)]
pub struct RowAt {
    sheet: usize,
    place: Place,
}

/// All tables of a recording.
#[derive(Debug, Default)]
pub struct Sheets {
    sheets: Vec<Sheet>,
    /// Which sheet was found for what was asked for: a few declarations are asked for again and again.
    found: Vec<(&'static TableDef, bool, bool, usize)>,
    names: Names,
    /// Tables of which rows of all things count, and not those of each.
    totals_count: Vec<&'static str>,
    /// Samples of unknown length are taken as one second: a count then is a rate.
    pub is_interval_assumed: bool,
}

impl Sheets {
    /// Says that rows of all things count where there are rows of each too: those do not add up to them.
    pub fn totals_count(&mut self, def: &'static TableDef) {
        if !self.totals_count.contains(&def.name) {
            self.totals_count.push(def.name);
        }
    }

    /// The row of a time and a thing; a row without values where there is none yet.
    pub fn row(&mut self, def: &'static TableDef, when: When, key: Key<'_>) -> RowAt {
        let sheet = self.sheet(def, when.floats, key == Key::All);
        let thing = self.names.thing(key);
        RowAt { sheet, place: self.sheets[sheet].row(when, thing, key) }
    }

    /// The row's segment, and its number there: for who sets many of its cells.
    pub fn cells(&mut self, at: RowAt) -> Option<(&mut Segment, usize)> {
        let segment = self.sheets.get_mut(at.sheet)?.segment(at.place)?;
        Some((segment, at.place.row))
    }

    /// Sets a cell; a float becomes the nearest integer where the column has integers.
    pub fn set(&mut self, at: RowAt, column: usize, value: f64) {
        if let Some((segment, row)) = self.cells(at) {
            segment.set(row, column, value);
        }
    }

    /// Sets a cell of text.
    pub fn set_text(&mut self, at: RowAt, column: Option<usize>, value: &str) {
        let Some(column) = column else { return };
        // Words repeat (names of tasks, zones): each is kept once. Messages do not.
        let name = (value.len() <= LONGEST_SHARED).then(|| self.names.number(value));
        match (self.cells(at), name) {
            (Some((segment, row)), Some(name)) => segment.set_name(row, column, name),
            (Some((segment, row)), None) => segment.set_text(row, column, Arc::from(value)),
            (None, _) => {}
        }
    }

    /// Sets a cell of text that few rows have twice, however short it is: a message, of which a log has millions.
    pub fn set_message(&mut self, at: RowAt, column: usize, value: &str) {
        if let Some((segment, row)) = self.cells(at) {
            segment.set_text(row, column, Arc::from(value));
        }
    }

    /// Sets a cell of a column of truths.
    pub fn set_bool(&mut self, at: RowAt, column: usize, value: bool) {
        if let Some((segment, row)) = self.cells(at) {
            segment.set_bool(row, column, value);
        }
    }

    /// Says that no row that is there will be told of again: a tool that prints a sample in one
    /// piece has gone on to the next.
    pub fn settle(&mut self) -> Result<(), ImportError> {
        for sheet in &mut self.sheets {
            sheet.settle(&self.names).map_err(|source| failed(sheet.def, source))?;
        }
        Ok(())
    }

    /// The batches of every table, oldest first; what has no times ends with what has, else at `end_ms`. With the
    /// number of rows of each.
    pub fn finish(self, host: &str, end_ms: i64) -> Result<Finished, ImportError> {
        let mut sheets = Vec::new();
        for sheet in self.sheets {
            let (def, floats, of_all) = (sheet.def, sheet.floats, sheet.of_all);
            let frozen = sheet.finish(&self.names).map_err(|source| failed(def, source))?;
            let batches = batches(def, frozen, host).map_err(|source| failed(def, source))?;
            sheets.push(Batches { def, floats, of_all, batches });
        }
        leave_out_totals(&mut sheets, &self.totals_count)?;
        let last = |floats: bool| {
            let batches =
                sheets.iter().filter(|sheet| sheet.floats == floats).flat_map(|sheet| &sheet.batches);
            batches
                .filter_map(|batch| of_instants(batch.clone(), times_told(floats)).ok())
                .filter_map(|batch| Some(*span_of(&batch)?.end()))
                .max()
        };
        let (last, dated_until) = (last(true), last(false));
        let end_ms = dated_until.unwrap_or(end_ms);
        let mut finished = Finished { is_dated: dated_until.is_some(), ..Finished::default() };
        for sheet in sheets {
            let shift = if sheet.floats { end_ms.saturating_sub(last.unwrap_or(0)) } else { 0 };
            for batch in sheet.batches {
                let told = batch.num_rows();
                let times = times_told(sheet.floats);
                let batch =
                    shifted(batch, shift).and_then(sorted).and_then(|batch| of_instants(batch, times));
                let batch = batch.map_err(|e| failed(sheet.def, e))?;
                if batch.num_rows() < told {
                    *finished.beyond_time.entry(sheet.def.name).or_default() +=
                        (told - batch.num_rows()) as u64;
                }
                if batch.num_rows() == 0 {
                    continue;
                }
                finished.has_floating |= sheet.floats;
                *finished.rows.entry(sheet.def.name).or_default() += batch.num_rows() as u64;
                finished.tables.entry(sheet.def.name.to_owned()).or_default().push(batch);
            }
        }
        for batches in finished.tables.values_mut() {
            batches.sort_by_key(first_ms);
        }
        leave_out_impossible(&mut finished.tables, host, Lengths::Exact, &finished.beyond_time)?;
        Ok(finished)
    }

    fn sheet(&mut self, def: &'static TableDef, floats: bool, of_all: bool) -> usize {
        let asked = |(known, f, a, _): &&(&'static TableDef, bool, bool, usize)| {
            std::ptr::eq(*known, def) && *f == floats && *a == of_all
        };
        if let Some((.., sheet)) = self.found.iter().find(asked) {
            return *sheet;
        }
        let is_it =
            |sheet: &Sheet| is_same(sheet.def, def) && sheet.floats == floats && sheet.of_all == of_all;
        let sheet = self.sheets.iter().position(is_it).unwrap_or_else(|| {
            self.sheets.push(Sheet::of(def, floats, of_all));
            self.sheets.len() - 1
        });
        self.found.push((def, floats, of_all, sheet));
        sheet
    }
}

/// What a recording became.
#[derive(Debug, Default)]
pub struct Finished {
    /// Batches by table.
    pub tables: BTreeMap<String, Vec<RecordBatch>>,
    /// Rows by table.
    pub rows: BTreeMap<&'static str, u64>,
    /// Rows that were left out, since their time can be none, by table.
    pub beyond_time: BTreeMap<&'static str, u64>,
    /// Whether any row has a time.
    pub is_dated: bool,
    /// Whether any row has none.
    pub has_floating: bool,
}

impl Finished {
    /// Brings times whose day is assumed to the last day on which none is after the end of the file.
    pub fn not_after(&mut self, written_ms: i64) -> Result<(), ImportError> {
        let last = self.tables.values().flatten().filter_map(span_of).map(|span| *span.end()).max();
        let beyond_ms = last.map_or(0, |last| last - written_ms);
        if written_ms <= 0 || beyond_ms <= 0 {
            return Ok(());
        }
        let days = (beyond_ms - 1).div_euclid(DAY_MS) + 1;
        for batch in self.tables.values_mut().flatten() {
            let moved = shifted_by(batch, -days * DAY_MS);
            *batch = moved.map_err(|source| ImportError::Table { table: "a table", source })?;
        }
        Ok(())
    }
}

/// A sheet that is finished.
struct Batches {
    def: &'static TableDef,
    floats: bool,
    of_all: bool,
    batches: Vec<RecordBatch>,
}

/// Batches of frozen rows. What is the same in all of them (the host, columns without a value) is there once.
fn batches(def: &TableDef, frozen: Vec<Frozen>, host: &str) -> Result<Vec<RecordBatch>, ArrowError> {
    let schema = RowSet::schema(def);
    let most = frozen.iter().map(|frozen| frozen.rows).max().unwrap_or(0);
    let word = Arc::new(StringArray::from(vec![host]));
    let hosts: ArrayRef =
        Arc::new(DictionaryArray::<Int32Type>::try_new(Int32Array::from(vec![0; most]), word)?);
    let mut nulls: Vec<(DataType, ArrayRef)> = Vec::new();
    let mut empty = |ty: &DataType, rows: usize| -> Result<ArrayRef, ArrowError> {
        if let Some((_, column)) = nulls.iter().find(|(known, _)| known == ty) {
            return Ok(first_of(column, rows));
        }
        let column = null_column(ty, most)?;
        nulls.push((ty.clone(), column.clone()));
        Ok(first_of(&column, rows))
    };
    let batch = |frozen: Frozen| {
        let own = schema.fields().iter().skip(3).zip(frozen.columns).map(|(field, column)| match column {
            Some(column) => Ok(column),
            None => empty(field.data_type(), frozen.rows),
        });
        let stamps = frozen.stamps.into_iter().chain([first_of(&hosts, frozen.rows)]).map(Ok);
        RecordBatch::try_new(schema.clone(), stamps.chain(own).collect::<Result<_, _>>()?)
    };
    frozen.into_iter().map(batch).collect()
}

/// The first rows of a column; all of them are the column itself, which takes no memory again.
fn first_of(column: &ArrayRef, rows: usize) -> ArrayRef {
    if rows == column.len() { Arc::clone(column) } else { column.slice(0, rows) }
}

/// All things together are not told beside each of them: they would count twice. Of some tables it is the other way
/// round.
fn leave_out_totals(sheets: &mut [Batches], totals_count: &[&str]) -> Result<(), ImportError> {
    for at in 0..sheets.len() {
        let of = &sheets[at];
        if of.of_all == totals_count.contains(&of.def.name) {
            continue;
        }
        let of_others = |sheet: &&Batches| {
            is_same(sheet.def, of.def) && sheet.floats == of.floats && sheet.of_all != of.of_all
        };
        let spans = sheets.iter().filter(of_others).flat_map(|sheet| &sheet.batches);
        let things: Vec<(RangeInclusive<i64>, &RecordBatch)> =
            spans.filter_map(|batch| Some((span_of(batch)?, batch))).collect();
        let kept = of.batches.iter().map(|batch| without_told(batch, &things));
        let kept: Vec<RecordBatch> =
            kept.collect::<Result<_, _>>().map_err(|source| failed(of.def, source))?;
        sheets[at].batches = kept;
    }
    Ok(())
}

/// The rows at whose times nothing is told of things.
fn without_told(
    batch: &RecordBatch,
    things: &[(RangeInclusive<i64>, &RecordBatch)],
) -> Result<RecordBatch, ArrowError> {
    let Some(own) = span_of(batch) else { return Ok(batch.clone()) };
    let meets = |span: &RangeInclusive<i64>| span.start() <= own.end() && own.start() <= span.end();
    let mut meeting = things.iter().filter(|(span, _)| meets(span)).peekable();
    if meeting.peek().is_none() {
        return Ok(batch.clone());
    }
    let times = times_of(batch).values();
    let there: HashSet<i64> = times.iter().copied().collect();
    let mut told: HashSet<i64> = HashSet::new();
    for times in meeting.map(|(_, batch)| times_of(batch).values()) {
        told.extend(times.chunk_by(|a, b| a == b).filter_map(|same| there.get(same.first()?)));
    }
    filter_rows(batch, |row| times.get(row).is_none_or(|ms| !told.contains(ms)))
}

fn failed(def: &TableDef, source: ArrowError) -> ImportError {
    ImportError::Table { table: def.name, source }
}

/// Whether two declarations are of one table: what a constant refers to may be in the program twice.
pub fn is_same(one: &'static TableDef, other: &'static TableDef) -> bool {
    std::ptr::eq(one, other) || one.name == other.name
}

/// The first column of every table.
fn times_of(batch: &RecordBatch) -> &Int64Array {
    batch.column(0).as_primitive::<Int64Type>()
}

/// Time of a batch's first row.
pub fn first_ms(batch: &RecordBatch) -> i64 {
    times_of(batch).values().first().copied().unwrap_or(i64::MAX)
}

/// From the earliest of its times to the latest.
fn span_of(batch: &RecordBatch) -> Option<RangeInclusive<i64>> {
    let times = times_of(batch).values();
    Some(*times.iter().min()?..=*times.iter().max()?)
}

fn shifted(batch: RecordBatch, by_ms: i64) -> Result<RecordBatch, ArrowError> {
    if by_ms == 0 { Ok(batch) } else { shifted_by(&batch, by_ms) }
}

/// A batch whose times are so much later.
pub fn shifted_by(batch: &RecordBatch, by_ms: i64) -> Result<RecordBatch, ArrowError> {
    let times: Int64Array = times_of(batch).values().iter().map(|ms| ms.saturating_add(by_ms)).collect();
    let mut columns = batch.columns().to_vec();
    if let Some(first) = columns.first_mut() {
        *first = Arc::new(times);
    }
    RecordBatch::try_new(batch.schema(), columns)
}

/// What times rows may have: what has none gets its own later.
const fn times_told(floats: bool) -> Range<i64> {
    if floats { INSTANTS_MS } else { TOLD_MS }
}

/// Without rows whose time can be none: nobody could say when they were.
fn of_instants(batch: RecordBatch, instants_ms: Range<i64>) -> Result<RecordBatch, ArrowError> {
    let is_one = |ms: &i64| instants_ms.contains(ms);
    if span_of(&batch).is_none_or(|span| is_one(span.start()) && is_one(span.end())) {
        return Ok(batch);
    }
    let times = times_of(&batch).values();
    filter_rows(&batch, |row| times.get(row).is_some_and(is_one))
}

fn sorted(batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
    let times = times_of(&batch).values();
    if times.is_sorted() {
        return Ok(batch);
    }
    let mut order: Vec<u32> = (0..times.len() as u32).collect();
    order.sort_by_key(|row| times.get(*row as usize).copied());
    take_rows(&batch, &order)
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Float64Type;
    use heldup_model::Record;
    use heldup_model::tables::{DiskRow, VmstatRow};

    use super::*;
    use crate::table::sheet::BATCH_ROWS;

    /// Times are told after this one: nothing is of 1970.
    const BASE_MS: i64 = 1_700_000_000_000;

    fn at(ms: i64) -> When {
        When { ms: BASE_MS + ms, secs: Some(1.0), floats: false }
    }

    fn column(def: &'static TableDef, name: &str) -> usize {
        def.position(name).expect("a column")
    }

    fn values(finished: &Finished, def: &TableDef, name: &str) -> Vec<(i64, Option<f64>)> {
        let batches = finished.tables.get(def.name).expect("a table");
        let rows = |batch: &RecordBatch| {
            let values = batch.column_by_name(name).expect("a column").clone();
            let times = times_of(batch).values().to_vec();
            let value = |at: usize| match values.data_type() {
                DataType::Float64 => values.as_primitive::<Float64Type>().value(at),
                _ => values.as_primitive::<Int64Type>().value(at) as f64,
            };
            let cells =
                (0..times.len()).map(|at| (times[at] - BASE_MS, values.is_valid(at).then(|| value(at))));
            cells.collect::<Vec<_>>()
        };
        batches.iter().flat_map(rows).collect()
    }

    /// Two sections that go through all times, as sar prints them, across several batches.
    #[test]
    fn sections_of_one_table_become_one_row_a_time() {
        let def = VmstatRow::DEF;
        let (first, second) = (column(def, "swap_in_pages"), column(def, "faults"));
        let times = (BATCH_ROWS * 5 / 2) as i64;
        let mut sheets = Sheets::default();
        for (column, factor) in [(first, 1.0), (second, 2.0)] {
            for ms in (0..times).filter(|ms| column == first || ms % 3 == 0) {
                let row = sheets.row(def, at(ms), Key::Host);
                sheets.set(row, column, ms as f64 * factor);
            }
        }
        let finished = sheets.finish("host", 0).expect("tables");
        assert_eq!(finished.rows.get(def.name), Some(&(times as u64)));
        let (ones, twos) = (values(&finished, def, "swap_in_pages"), values(&finished, def, "faults"));
        for ms in 0..times {
            assert_eq!(ones[ms as usize], (ms, Some(ms as f64)));
            assert_eq!(twos[ms as usize], (ms, (ms % 3 == 0).then_some(2.0 * ms as f64)));
        }
    }

    #[test]
    fn what_is_settled_is_not_told_of_again() {
        let def = DiskRow::DEF;
        let (reads, writes) = (column(def, "reads"), column(def, "writes"));
        let mut sheets = Sheets::default();
        let put = |sheets: &mut Sheets, ms: i64, name: &str, column: usize, value: f64| {
            let row = sheets.row(def, at(ms), Key::Name(name));
            sheets.set(row, column, value);
        };
        put(&mut sheets, 5, "sda", reads, 1.0);
        sheets.settle().expect("rows");
        // Of the same time and thing, and then times that fall and come again.
        for (ms, name, column, value) in [
            (5, "sda", writes, 2.0),
            (7, "sdb", reads, 3.0),
            (6, "sda", reads, 4.0),
            (7, "sdb", writes, 5.0),
            (7, "sda", reads, 6.0),
            (5, "sda", writes, 7.0),
        ] {
            put(&mut sheets, ms, name, column, value);
        }
        sheets.settle().expect("rows");
        put(&mut sheets, 7, "sdb", reads, 8.0);
        let finished = sheets.finish("host", 0).expect("tables");
        let expect =
            [(5, Some(1.0)), (5, None), (6, Some(4.0)), (7, Some(3.0)), (7, Some(6.0)), (7, Some(8.0))];
        assert_eq!(values(&finished, def, "reads"), expect);
        let expect = [(5, None), (5, Some(7.0)), (6, None), (7, Some(5.0)), (7, None), (7, None)];
        assert_eq!(values(&finished, def, "writes"), expect);
    }

    #[test]
    fn many_things_of_one_time_are_found_again() {
        let def = DiskRow::DEF;
        let (reads, writes) = (column(def, "reads"), column(def, "writes"));
        let mut sheets = Sheets::default();
        for ms in [1, 2] {
            for column in [reads, writes] {
                for disk in 0..100 {
                    let row = sheets.row(def, at(ms), Key::Name(&format!("sd{disk}")));
                    sheets.set(row, column, f64::from(disk));
                }
            }
        }
        let finished = sheets.finish("host", 0).expect("tables");
        let reads = values(&finished, def, "reads");
        assert_eq!(reads.len(), 200);
        assert_eq!(reads, values(&finished, def, "writes"));
        assert_eq!((reads[0], reads[199]), ((1, Some(0.0)), (2, Some(99.0))));
    }

    #[test]
    fn all_together_are_left_out_where_things_are_told() {
        let def = DiskRow::DEF;
        let reads = column(def, "reads");
        let mut sheets = Sheets::default();
        for (ms, key) in [(1, Key::All), (1, Key::Name("sda")), (2, Key::All)] {
            let row = sheets.row(def, at(ms), key);
            sheets.set(row, reads, 1.0);
        }
        let finished = sheets.finish("host", 0).expect("tables");
        assert_eq!(values(&finished, def, "reads"), [(1, Some(1.0)), (2, Some(1.0))]);
        assert_eq!(finished.rows.get(def.name), Some(&2));
    }

    #[test]
    fn no_number_is_left_out() {
        let def = DiskRow::DEF;
        let reads = column(def, "reads");
        let mut sheets = Sheets::default();
        for (ms, value) in [(1, f64::NAN), (2, 1e300), (3, 2.6)] {
            let row = sheets.row(def, at(ms), Key::Name("sda"));
            sheets.set(row, reads, value);
        }
        let finished = sheets.finish("host", 0).expect("tables");
        assert_eq!(values(&finished, def, "reads"), [(1, None), (3, Some(3.0))]);
        assert_eq!(finished.tables["refused_value"][0].num_rows(), 1, "the second");
    }
}
