//! The tables that a recording becomes: rows found by time and key, filled cell by cell.
//!
//! A tool may tell of one sample in many places (`sar` prints all times of one section, then all
//! of the next); what it tells of the same time and thing is one row here. Does not know what a
//! number means.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch};
use heldup_model::batch::take_rows;
use heldup_model::{Cells, ColumnKind, Form, RowSet, TableDef, Text};

use crate::error::ImportError;

/// Rows that are turned into a batch at once, where none of them can change any more.
const BATCH_ROWS: usize = 1 << 16;

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
    /// All things of the table together; left out where the things themselves are told.
    All,
}

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

/// Where a row is.
#[derive(Clone, Copy, Debug)]
pub struct RowAt {
    sheet: usize,
    row: usize,
}

/// All tables of a recording.
#[derive(Debug, Default)]
pub struct Sheets {
    sheets: Vec<Sheet>,
    names: HashMap<Text, u64>,
    /// The name that was asked for last, and its number: rows of a thing stand together.
    last_name: Option<(Text, u64)>,
}

/// Hashes a time and a number: both are the tool's own, of which nobody can make collisions that hurt
/// more than a large file does.
#[derive(Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        // The table takes its place from both ends.
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(26) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }
}

#[derive(Debug)]
struct Sheet {
    def: &'static TableDef,
    floats: bool,
    of_all: bool,
    keys: Vec<usize>,
    times: Vec<i64>,
    secs: Vec<Option<f64>>,
    rows: RowSet,
    index: HashMap<(i64, u64), usize, BuildHasherDefault<Mixer>>,
    batches: Vec<RecordBatch>,
    count: u64,
}

impl Sheets {
    /// The row of a time and a thing; a row without values where there is none yet.
    pub fn row(&mut self, def: &'static TableDef, when: When, key: Key<'_>) -> RowAt {
        let of_all = key == Key::All;
        let place = self.sheets.iter().position(|sheet| {
            is_same(sheet.def, def) && sheet.floats == when.floats && sheet.of_all == of_all
        });
        let sheet = place.unwrap_or_else(|| {
            self.sheets.push(Sheet::of(def, when.floats, of_all));
            self.sheets.len() - 1
        });
        let name = match key {
            Key::Name(name) | Key::NameOn(name, _) | Key::Identity(name) => Some(self.intern(name)),
            _ => None,
        };
        let id = match (key, &name) {
            (Key::Number(number), _) => number as u64,
            (Key::NameOn(_, number), Some((_, id))) => id << 32 | number as u64,
            (_, Some((_, id))) => *id,
            _ => 0,
        };
        let found = &mut self.sheets[sheet];
        let row = match found.index.get(&(when.ms, id)) {
            Some(row) => *row,
            None => {
                let is_named = !matches!(key, Key::Identity(_));
                found.add(when, id, key, name.map(|(name, _)| name).filter(|_| is_named))
            }
        };
        if let Some(secs) = found.secs.get_mut(row).filter(|secs| secs.is_none()) {
            *secs = when.secs;
        }
        RowAt { sheet, row }
    }

    /// Sets a cell; a float becomes the nearest integer where the column has integers.
    pub fn set(&mut self, at: RowAt, column: usize, value: f64) {
        let Some(cells) = self.sheets.get_mut(at.sheet).and_then(|sheet| sheet.rows.cells.get_mut(column))
        else {
            return;
        };
        match cells {
            Cells::Int(values) => set(values, at.row, value.round() as i64),
            Cells::Float(values) => set(values, at.row, value),
            Cells::Bool(_) | Cells::Text(_) => {}
        }
    }

    /// Sets a cell of text.
    pub fn set_text(&mut self, at: RowAt, column: Option<usize>, value: &str) {
        // Words repeat (names of tasks, zones): each is kept once. Messages do not.
        let text = if value.len() <= LONGEST_SHARED { self.intern(value).0 } else { Arc::from(value) };
        let sheet = self.sheets.get_mut(at.sheet);
        let cells = sheet.zip(column).and_then(|(sheet, column)| sheet.rows.cells.get_mut(column));
        if let Some(Cells::Text(values)) = cells {
            set(values, at.row, text);
        }
    }

    /// Sets a cell of a column of truths.
    pub fn set_bool(&mut self, at: RowAt, column: usize, value: bool) {
        if let Some(Cells::Bool(values)) =
            self.sheets.get_mut(at.sheet).and_then(|sheet| sheet.rows.cells.get_mut(column))
        {
            set(values, at.row, value);
        }
    }

    /// Says that no row that is there will be told of again: a tool that prints a sample in one
    /// piece has gone on to the next.
    pub fn settle(&mut self, host: &str) -> Result<(), ImportError> {
        for sheet in &mut self.sheets {
            sheet.index.clear();
            if sheet.times.len() >= BATCH_ROWS {
                sheet.flush(host)?;
            }
        }
        Ok(())
    }

    /// The batches of every table, oldest first; what has no times ends at `end_ms`. With the number
    /// of rows of each.
    pub fn finish(mut self, host: &str, end_ms: i64) -> Result<Finished, ImportError> {
        self.leave_out_totals();
        let mut finished = Finished::default();
        let last = self.sheets.iter().filter(|sheet| sheet.floats).filter_map(Sheet::last_ms).max();
        for mut sheet in self.sheets {
            if sheet.count == 0 {
                continue;
            }
            sheet.flush(host)?;
            let shift = if sheet.floats { end_ms - last.unwrap_or(0) } else { 0 };
            let table = sheet.def.name;
            for batch in sheet.batches {
                let batch = shifted(batch, shift).and_then(sorted);
                let batch = batch.map_err(|source| ImportError::Table { table, source })?;
                finished.tables.entry(table.to_owned()).or_default().push(batch);
            }
            *finished.rows.entry(table).or_default() += sheet.count;
        }
        for batches in finished.tables.values_mut() {
            batches.sort_by_key(first_ms);
        }
        Ok(finished)
    }

    /// All things together are not told beside each of them: they would count twice.
    fn leave_out_totals(&mut self) {
        for at in 0..self.sheets.len() {
            if !self.sheets[at].of_all {
                continue;
            }
            let (def, floats) = (self.sheets[at].def, self.sheets[at].floats);
            let told: HashSet<i64> = self
                .sheets
                .iter()
                .filter(|sheet| is_same(sheet.def, def) && sheet.floats == floats && !sheet.of_all)
                .flat_map(Sheet::all_times)
                .collect();
            if !told.is_empty() {
                self.sheets[at].keep_rows(|ms| !told.contains(&ms));
            }
        }
    }

    fn intern(&mut self, name: &str) -> (Text, u64) {
        if let Some((text, id)) = self.last_name.as_ref().filter(|(text, _)| **text == *name) {
            return (text.clone(), *id);
        }
        let known = self.names.get_key_value(name).map(|(text, id)| (text.clone(), *id));
        let (text, id) = known.unwrap_or_else(|| {
            let id = self.names.len() as u64 + 1;
            let text: Text = Arc::from(name);
            self.names.insert(text.clone(), id);
            (text, id)
        });
        self.last_name = Some((text.clone(), id));
        (text, id)
    }
}

/// What a recording became.
#[derive(Debug, Default)]
pub struct Finished {
    /// Batches by table.
    pub tables: BTreeMap<String, Vec<RecordBatch>>,
    /// Rows by table.
    pub rows: BTreeMap<&'static str, u64>,
}

impl Sheet {
    fn of(def: &'static TableDef, floats: bool, of_all: bool) -> Sheet {
        Sheet {
            def,
            floats,
            of_all,
            keys: (0..def.columns.len())
                .filter(|at| def.columns[*at].kind == ColumnKind::Key && def.columns[*at].name != "netns")
                .collect(),
            times: Vec::new(),
            secs: Vec::new(),
            rows: RowSet::empty(def, Form::Increases),
            index: HashMap::default(),
            batches: Vec::new(),
            count: 0,
        }
    }

    fn add(&mut self, when: When, id: u64, key: Key<'_>, name: Option<Text>) -> usize {
        let row = self.times.len();
        self.times.push(when.ms);
        self.secs.push(when.secs);
        self.rows.cells.iter_mut().for_each(Cells::push_null);
        self.rows.len += 1;
        self.count += 1;
        self.index.insert((when.ms, id), row);
        let (mut name, mut number) = (
            name,
            match key {
                Key::Number(number) | Key::NameOn(_, number) => Some(number),
                _ => None,
            },
        );
        for column in &self.keys {
            match self.rows.cells.get_mut(*column) {
                Some(Cells::Text(values)) if name.is_some() => {
                    if let Some(value) = values.get_mut(row) {
                        *value = name.take();
                    }
                }
                Some(Cells::Int(values)) => {
                    if let Some(number) = number.take() {
                        set(values, row, number);
                    }
                }
                _ => {}
            }
        }
        row
    }

    fn flush(&mut self, host: &str) -> Result<(), ImportError> {
        if self.times.is_empty() {
            return Ok(());
        }
        let (times, secs) = (std::mem::take(&mut self.times), std::mem::take(&mut self.secs));
        let batch = self.rows.to_batch_of_samples(times, secs, host);
        self.batches.push(batch.map_err(|source| ImportError::Table { table: self.def.name, source })?);
        self.rows.clear();
        self.index.clear();
        Ok(())
    }

    fn all_times(&self) -> Vec<i64> {
        let flushed = self.batches.iter().flat_map(|batch| times_of(batch).values().to_vec());
        flushed.chain(self.times.iter().copied()).collect()
    }

    fn last_ms(&self) -> Option<i64> {
        self.all_times().into_iter().max()
    }

    /// Keeps the rows whose time is wanted.
    fn keep_rows(&mut self, is_wanted: impl Fn(i64) -> bool) {
        // Rows of all things together are one a sample: few, so that none was flushed before.
        let keep: Vec<usize> = (0..self.times.len()).filter(|row| is_wanted(self.times[*row])).collect();
        let flushed = self.batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        self.times = keep.iter().map(|row| self.times[*row]).collect();
        self.secs = keep.iter().map(|row| self.secs[*row]).collect();
        for cells in &mut self.rows.cells {
            match cells {
                Cells::Int(values) => *values = keep.iter().map(|row| values[*row]).collect(),
                Cells::Float(values) => *values = keep.iter().map(|row| values[*row]).collect(),
                Cells::Bool(values) => *values = keep.iter().map(|row| values[*row]).collect(),
                Cells::Text(values) => *values = keep.iter().map(|row| values[*row].clone()).collect(),
            }
        }
        self.rows.len = keep.len();
        self.count = flushed + keep.len() as u64;
    }
}

/// Whether two declarations are of one table: what a constant refers to may be in the program twice.
pub fn is_same(one: &'static TableDef, other: &'static TableDef) -> bool {
    std::ptr::eq(one, other) || one.name == other.name
}

fn set<T>(values: &mut [Option<T>], row: usize, value: T) {
    if let Some(cell) = values.get_mut(row) {
        *cell = Some(value);
    }
}

/// The first column of every table.
fn times_of(batch: &RecordBatch) -> &Int64Array {
    batch.column(0).as_primitive::<Int64Type>()
}

/// Time of a batch's first row.
pub fn first_ms(batch: &RecordBatch) -> i64 {
    times_of(batch).values().first().copied().unwrap_or(i64::MAX)
}

fn shifted(batch: RecordBatch, by_ms: i64) -> Result<RecordBatch, arrow_schema::ArrowError> {
    if by_ms == 0 {
        return Ok(batch);
    }
    let times: Int64Array = times_of(&batch).values().iter().map(|ms| ms + by_ms).collect();
    let mut columns = batch.columns().to_vec();
    if let Some(first) = columns.first_mut() {
        *first = Arc::new(times);
    }
    RecordBatch::try_new(batch.schema(), columns)
}

fn sorted(batch: RecordBatch) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let times = times_of(&batch).values();
    if times.is_sorted() {
        return Ok(batch);
    }
    let mut order: Vec<u32> = (0..times.len() as u32).collect();
    order.sort_by_key(|row| times.get(*row as usize).copied());
    take_rows(&batch, &order)
}
