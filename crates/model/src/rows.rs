//! Rows of one table, column by column, before and after they become Arrow batches.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use crate::table::{ColumnType, TableDef};

/// Text that many rows may share (names, control groups).
pub type Text = Arc<str>;

/// A typed row of one table; implemented by [`crate::table!`].
pub trait Record: Sized {
    /// The table that the row belongs to.
    const DEF: &'static TableDef;
    /// Appends the row's values, in column order.
    fn push_to(self, cells: &mut [Cells]);
    /// Appends the values of all `rows`, column by column, and empties them: for a few rows at a
    /// time that takes half as long as one row after the other.
    fn push_all(rows: &mut Vec<Self>, cells: &mut [Cells]);
    /// A row of totals with its increases since `before` in the place of counters, by the rules of
    /// [`crate::increase`]. Without a row before it is a new row of the sample.
    fn since(&self, before: Option<&Self>) -> Self;
}

/// The values of one column; `None` is NULL.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Integers.
    Int(Vec<Option<i64>>),
    /// Floats.
    Float(Vec<Option<f64>>),
    /// Booleans.
    Bool(Vec<Option<bool>>),
    /// Text.
    Text(Vec<Option<Text>>),
}

impl Cells {
    /// An empty column of a type.
    pub fn of(ty: ColumnType) -> Cells {
        match ty {
            ColumnType::Int => Cells::Int(Vec::new()),
            ColumnType::Float => Cells::Float(Vec::new()),
            ColumnType::Bool => Cells::Bool(Vec::new()),
            ColumnType::Text => Cells::Text(Vec::new()),
        }
    }

    fn clear(&mut self) {
        match self {
            Cells::Int(v) => v.clear(),
            Cells::Float(v) => v.clear(),
            Cells::Bool(v) => v.clear(),
            Cells::Text(v) => v.clear(),
        }
    }

    /// Makes room for as many more values.
    fn reserve(&mut self, more: usize) {
        match self {
            Cells::Int(v) => v.reserve(more),
            Cells::Float(v) => v.reserve(more),
            Cells::Bool(v) => v.reserve(more),
            Cells::Text(v) => v.reserve(more),
        }
    }

    /// Appends an integer; a column of another type takes NULL.
    pub fn push_int(&mut self, value: Option<i64>) {
        match self {
            Cells::Int(v) => v.push(value),
            other => other.push_null(),
        }
    }

    /// Appends a float; NaN and infinities are not measurements and become NULL.
    pub fn push_float(&mut self, value: Option<f64>) {
        match self {
            Cells::Float(v) => v.push(value.filter(|x| x.is_finite())),
            other => other.push_null(),
        }
    }

    /// Appends a boolean; a column of another type takes NULL.
    pub fn push_bool(&mut self, value: Option<bool>) {
        match self {
            Cells::Bool(v) => v.push(value),
            other => other.push_null(),
        }
    }

    /// Appends text; a column of another type takes NULL.
    pub fn push_text(&mut self, value: Option<Text>) {
        match self {
            Cells::Text(v) => v.push(value),
            other => other.push_null(),
        }
    }

    /// Appends integers; a column of another type takes NULLs.
    pub fn extend_ints(&mut self, values: impl Iterator<Item = Option<i64>>) {
        match self {
            Cells::Int(v) => v.extend(values),
            other => values.for_each(|_| other.push_null()),
        }
    }

    /// Appends floats as [`Cells::push_float`] does.
    pub fn extend_floats(&mut self, values: impl Iterator<Item = Option<f64>>) {
        match self {
            Cells::Float(v) => v.extend(values.map(|value| value.filter(|x| x.is_finite()))),
            other => values.for_each(|_| other.push_null()),
        }
    }

    /// Appends booleans; a column of another type takes NULLs.
    pub fn extend_bools(&mut self, values: impl Iterator<Item = Option<bool>>) {
        match self {
            Cells::Bool(v) => v.extend(values),
            other => values.for_each(|_| other.push_null()),
        }
    }

    /// Appends texts; a column of another type takes NULLs.
    pub fn extend_texts(&mut self, values: impl Iterator<Item = Option<Text>>) {
        match self {
            Cells::Text(v) => v.extend(values),
            other => values.for_each(|_| other.push_null()),
        }
    }

    /// Appends so many values of another column of the type, from one on; of another type NULLs.
    pub(crate) fn extend_from(&mut self, from: &Cells, first: usize, rows: usize) {
        let range = first..first + rows;
        match (self, from) {
            (Cells::Int(to), Cells::Int(from)) => to.extend_from_slice(&from[range]),
            (Cells::Float(to), Cells::Float(from)) => to.extend_from_slice(&from[range]),
            (Cells::Bool(to), Cells::Bool(from)) => to.extend_from_slice(&from[range]),
            (Cells::Text(to), Cells::Text(from)) => to.extend_from_slice(&from[range]),
            (to, _) => range.for_each(|_| to.push_null()),
        }
    }

    /// Appends NULL.
    pub fn push_null(&mut self) {
        match self {
            Cells::Int(v) => v.push(None),
            Cells::Float(v) => v.push(None),
            Cells::Bool(v) => v.push(None),
            Cells::Text(v) => v.push(None),
        }
    }

    fn to_array(&self) -> ArrayRef {
        match self {
            Cells::Int(v) => Arc::new(Int64Array::from(v.clone())),
            Cells::Float(v) => Arc::new(Float64Array::from(v.clone())),
            Cells::Bool(v) => Arc::new(BooleanArray::from(v.clone())),
            Cells::Text(v) => text_array(v.iter().map(|t| t.as_deref())),
        }
    }
}

/// Dictionary-encoded text: names repeat in almost every row.
fn text_array<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    let mut codes: HashMap<&'a str, i32> = HashMap::new();
    let mut words: Vec<&'a str> = Vec::new();
    let keys: Int32Array = values
        .map(|value| {
            value.map(|text| {
                *codes.entry(text).or_insert_with(|| {
                    words.push(text);
                    words.len() as i32 - 1
                })
            })
        })
        .collect();
    // SAFETY: every key was handed out as an index into `words`.
    Arc::new(unsafe { DictionaryArray::<Int32Type>::new_unchecked(keys, Arc::new(StringArray::from(words))) })
}

/// Whether counters are running totals, as the kernel shows them, or increases already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the kernel shows them.
    Totals,
    /// Increase over the interval.
    Increases,
}

/// When and where a sample was taken; becomes the first columns of every table.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamp {
    /// End of the interval, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    /// Measured length; none for a single sample.
    pub secs: Option<f64>,
    /// Host.
    pub host: Text,
}

/// Rows of one table from one sample.
#[derive(Clone, Debug)]
pub struct RowSet {
    /// The table.
    pub def: &'static TableDef,
    /// Totals or increases.
    pub form: Form,
    /// One entry for each of the table's own columns.
    pub cells: Vec<Cells>,
    /// Number of rows.
    pub len: usize,
}

fn schema_of(def: &TableDef) -> SchemaRef {
    let fields: Vec<Field> = def
        .all_columns()
        .map(|column| {
            let ty = match column.ty {
                ColumnType::Int => DataType::Int64,
                ColumnType::Float => DataType::Float64,
                ColumnType::Bool => DataType::Boolean,
                ColumnType::Text => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            };
            Field::new(column.name, ty, true)
        })
        .collect();
    Arc::new(Schema::new(fields))
}

impl RowSet {
    /// No rows yet.
    pub fn empty(def: &'static TableDef, form: Form) -> RowSet {
        RowSet { def, form, cells: def.columns.iter().map(|c| Cells::of(c.ty)).collect(), len: 0 }
    }

    /// Removes all rows and keeps their room: new memory for many rows costs more than filling it.
    pub fn clear(&mut self) {
        self.cells.iter_mut().for_each(Cells::clear);
        self.len = 0;
    }

    /// Makes room for as many more rows.
    pub fn reserve(&mut self, more: usize) {
        self.cells.iter_mut().for_each(|cells| cells.reserve(more));
    }

    /// Rows whose counters are running totals.
    pub fn totals<R: Record>(rows: impl IntoIterator<Item = R>) -> RowSet {
        RowSet::from_rows(Form::Totals, rows)
    }

    /// Rows whose counters are increases already.
    pub fn increases<R: Record>(rows: impl IntoIterator<Item = R>) -> RowSet {
        RowSet::from_rows(Form::Increases, rows)
    }

    fn from_rows<R: Record>(form: Form, rows: impl IntoIterator<Item = R>) -> RowSet {
        let rows = rows.into_iter();
        let mut set = RowSet::empty(R::DEF, form);
        set.reserve(rows.size_hint().0);
        for row in rows {
            row.push_to(&mut set.cells);
            set.len += 1;
        }
        set
    }

    /// Values of an integer column; empty where the table has no such column.
    pub fn ints(&self, column: &str) -> &[Option<i64>] {
        match self.cells_of(column) {
            Some(Cells::Int(values)) => values,
            _ => &[],
        }
    }

    /// Values of a float column; empty where the table has no such column.
    pub fn floats(&self, column: &str) -> &[Option<f64>] {
        match self.cells_of(column) {
            Some(Cells::Float(values)) => values,
            _ => &[],
        }
    }

    /// Values of a text column; empty where the table has no such column.
    pub fn texts(&self, column: &str) -> &[Option<Text>] {
        match self.cells_of(column) {
            Some(Cells::Text(values)) => values,
            _ => &[],
        }
    }

    /// Values of a boolean column; empty where the table has no such column.
    pub fn bools(&self, column: &str) -> &[Option<bool>] {
        match self.cells_of(column) {
            Some(Cells::Bool(values)) => values,
            _ => &[],
        }
    }

    fn cells_of(&self, column: &str) -> Option<&Cells> {
        self.def.position(column).and_then(|at| self.cells.get(at))
    }

    /// The Arrow schema of a table: what the SQL engine, Parquet and every other reader see. It is made once, and
    /// shared: a batch of some rows is smaller than its schema.
    pub fn schema(def: &TableDef) -> SchemaRef {
        // By where the columns are declared, which is for good.
        static MADE: Mutex<BTreeMap<(usize, usize), SchemaRef>> = Mutex::new(BTreeMap::new());
        let declared = (def.columns.as_ptr() as usize, def.columns.len());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry(declared).or_insert_with(|| schema_of(def)).clone()
    }

    /// The rows as one Arrow batch, each with a time and a length of its own: of recordings, where
    /// a batch has many samples.
    pub fn to_batch_of_samples(
        &self,
        times_ms: Vec<i64>,
        secs: Vec<Option<f64>>,
        host: &str,
    ) -> Result<RecordBatch, ArrowError> {
        let mut arrays: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(times_ms)),
            Arc::new(Float64Array::from(secs)),
            text_array(std::iter::repeat_n(Some(host), self.len)),
        ];
        arrays.extend(self.cells.iter().map(Cells::to_array));
        RecordBatch::try_new(RowSet::schema(self.def), arrays)
    }

    /// The rows as one Arrow batch, stamped with time, length and host.
    pub fn to_batch(&self, stamp: &Stamp) -> Result<RecordBatch, ArrowError> {
        let mut arrays: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![stamp.time_ms; self.len])),
            Arc::new(Float64Array::from(vec![stamp.secs; self.len])),
            text_array(std::iter::repeat_n(Some(&*stamp.host), self.len)),
        ];
        arrays.extend(self.cells.iter().map(Cells::to_array));
        RecordBatch::try_new(RowSet::schema(self.def), arrays)
    }
}
