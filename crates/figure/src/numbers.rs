//! Numbers of a batch's columns, whatever their type.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, BooleanArray, Float64Array, Int64Array, RecordBatch};

/// A column of numbers.
pub enum Numbers<'a> {
    /// Integers.
    Int(&'a Int64Array),
    /// Floats.
    Float(&'a Float64Array),
    /// Truths, as 0 and 1.
    Bool(&'a BooleanArray),
    /// The batch does not have the column.
    Absent,
}

impl<'a> Numbers<'a> {
    /// A column of a batch.
    pub fn of(batch: &'a RecordBatch, name: &str) -> Numbers<'a> {
        let Some(array) = batch.column_by_name(name) else { return Numbers::Absent };
        let int = || array.as_primitive_opt::<Int64Type>().map(Numbers::Int);
        let float = || array.as_primitive_opt::<Float64Type>().map(Numbers::Float);
        let truth = || array.as_boolean_opt().map(Numbers::Bool);
        int().or_else(float).or_else(truth).unwrap_or(Numbers::Absent)
    }

    /// All values, where they are floats and none is NULL: what most rows of a day have.
    pub fn dense(&self) -> Option<&'a [f64]> {
        match self {
            Numbers::Float(array) if array.null_count() == 0 => Some(array.values()),
            _ => None,
        }
    }

    /// Whether there is such a column.
    pub fn is_there(&self) -> bool {
        !matches!(self, Numbers::Absent)
    }

    /// The value of a row; none for NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<f64> {
        match self {
            Numbers::Int(array) => array.is_valid(row).then(|| array.value(row) as f64),
            Numbers::Float(array) => array.is_valid(row).then(|| array.value(row)),
            Numbers::Bool(array) => array.is_valid(row).then(|| f64::from(u8::from(array.value(row)))),
            Numbers::Absent => None,
        }
    }
}

/// Columns that are added up, and columns that are taken off.
pub struct Amount<'a> {
    is_count: bool,
    plus: Vec<Numbers<'a>>,
    minus: Vec<Numbers<'a>>,
}

impl<'a> Amount<'a> {
    /// Columns of a batch.
    pub fn of(batch: &'a RecordBatch, plus: &[String], minus: &[String]) -> Amount<'a> {
        let columns =
            |names: &[String]| names.iter().map(|name| Numbers::of(batch, name)).collect::<Vec<_>>();
        Amount { is_count: false, plus: columns(plus), minus: columns(minus) }
    }

    /// Each row is one.
    pub fn of_rows() -> Amount<'a> {
        Amount { is_count: true, plus: Vec::new(), minus: Vec::new() }
    }

    /// All amounts, where they are one column of floats without NULL.
    pub fn dense(&self) -> Option<&'a [f64]> {
        match (&self.plus[..], &self.minus[..]) {
            ([only], []) => only.dense(),
            _ => None,
        }
    }

    /// Whether it is of any column.
    pub fn is_there(&self) -> bool {
        self.is_count || !self.plus.is_empty()
    }

    /// The amount of a row. Of several columns those that were not measured are left out, none where none was;
    /// of a difference every column is needed.
    #[inline]
    pub fn get(&self, row: usize) -> Option<f64> {
        if let ([only], []) = (&self.plus[..], &self.minus[..]) {
            return only.get(row);
        }
        if self.is_count {
            return Some(1.0);
        }
        if self.minus.is_empty() {
            return self.plus.iter().filter_map(|column| column.get(row)).reduce(|a, b| a + b);
        }
        let plus = self.plus.iter().try_fold(0.0, |sum, column| Some(sum + column.get(row)?))?;
        self.minus.iter().try_fold(plus, |sum, column| Some(sum - column.get(row)?))
    }
}
