//! Rows of one table that become one batch, column by column.
//!
//! A table has many columns and a tool tells few of them: a column takes memory from its first value on,
//! and becomes Arrow's without being copied. Does not know which row is about what.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use heldup_model::{ColumnType, TableDef, Text};

use crate::table::names::{Mixed, Names};

/// From here on a code of a text is one of its column's own, that is kept there alone.
const OWN: u32 = 1 << 31;
/// Beyond it a float has no integer of 64 bits.
const INT_BOUND: f64 = 9.2e18;

/// Rows that may still change.
#[derive(Debug)]
pub struct Segment {
    /// End of each row's interval, in milliseconds.
    pub times: Vec<i64>,
    /// Which thing of the table each row is about.
    pub ids: Vec<u32>,
    secs: Lengths,
    columns: Vec<Column>,
}

/// Rows that will not change any more.
#[derive(Debug)]
pub struct Frozen {
    /// Time and length of each row.
    pub stamps: [ArrayRef; 2],
    /// The table's own columns; none where no row has a value.
    pub columns: Vec<Option<ArrayRef>>,
    /// Number of rows.
    pub rows: usize,
}

/// Values up to the last that was set, with a bit for each that was.
#[derive(Debug, Default)]
struct Values<T> {
    values: Vec<T>,
    valid: Vec<u8>,
}

/// Lengths of intervals. Nearly all of a recording are the same, and cost nothing as long as they are.
#[derive(Debug, Default)]
struct Lengths {
    /// Of how many rows from the first on.
    same: usize,
    of_these: f64,
    /// Of all rows, once they differ.
    each: Values<f64>,
}

#[derive(Debug)]
enum Column {
    Empty(ColumnType),
    Int(Values<i64>),
    Float(Values<f64>),
    Bool(Values<bool>),
    /// Codes of names, or of texts that are kept here.
    Text(Values<u32>, Vec<Text>),
}

impl Segment {
    /// No rows yet.
    pub fn of(def: &TableDef) -> Segment {
        Segment {
            times: Vec::new(),
            ids: Vec::new(),
            secs: Lengths::default(),
            columns: def.columns.iter().map(|column| Column::Empty(column.ty)).collect(),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// A new row, without values.
    pub fn push(&mut self, ms: i64, id: u32) -> usize {
        self.times.push(ms);
        self.ids.push(id);
        self.times.len() - 1
    }

    /// Says how long the interval of a row is; what was said first stays.
    pub fn set_secs(&mut self, row: usize, secs: Option<f64>) {
        if let Some(secs) = secs
            && self.secs.get(row).is_none()
        {
            self.secs.set(row, secs);
        }
    }

    /// Sets a cell; a float becomes the nearest integer where the column has integers. What is no number is left
    /// out; what the column cannot hold becomes its largest integer, which is then refused (`impossible.rs`).
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        match self.columns.get_mut(column) {
            Some(Column::Float(values)) if value.is_finite() => values.set(row, value),
            Some(Column::Int(values)) if value.abs() < INT_BOUND => values.set(row, nearest(value)),
            Some(Column::Int(values)) if value.is_finite() => values.set(row, i64::MAX),
            Some(empty @ Column::Empty(ColumnType::Int | ColumnType::Float)) => {
                empty.fill();
                self.set(row, column, value);
            }
            _ => {}
        }
    }

    /// Sets a cell of a column of integers.
    pub fn set_int(&mut self, row: usize, column: usize, value: i64) {
        match self.columns.get_mut(column) {
            Some(Column::Int(values)) => values.set(row, value),
            Some(empty @ Column::Empty(ColumnType::Int)) => {
                empty.fill();
                self.set_int(row, column, value);
            }
            _ => {}
        }
    }

    /// Sets a cell of a column of truths.
    pub fn set_bool(&mut self, row: usize, column: usize, value: bool) {
        match self.columns.get_mut(column) {
            Some(Column::Bool(values)) => values.set(row, value),
            Some(empty @ Column::Empty(ColumnType::Bool)) => {
                empty.fill();
                self.set_bool(row, column, value);
            }
            _ => {}
        }
    }

    /// Sets a cell of text to a name.
    pub fn set_name(&mut self, row: usize, column: usize, name: u32) {
        match self.columns.get_mut(column) {
            Some(Column::Text(codes, _)) => codes.set(row, name),
            Some(empty @ Column::Empty(ColumnType::Text)) => {
                empty.fill();
                self.set_name(row, column, name);
            }
            _ => {}
        }
    }

    /// Sets a cell of text to one that hardly any other row has.
    pub fn set_text(&mut self, row: usize, column: usize, text: Text) {
        match self.columns.get_mut(column) {
            Some(Column::Text(codes, own)) => {
                codes.set(row, OWN | own.len() as u32);
                own.push(text);
            }
            Some(empty @ Column::Empty(ColumnType::Text)) => {
                empty.fill();
                self.set_text(row, column, text);
            }
            _ => {}
        }
    }

    /// Writes the values of another segment's row over those of a row.
    pub fn take_values(&mut self, row: usize, other: &Segment, from: usize) {
        self.set_secs(row, other.secs.get(from));
        for (at, column) in other.columns.iter().enumerate() {
            match column {
                Column::Empty(_) => {}
                Column::Int(values) => values.get(from).into_iter().for_each(|v| self.set_int(row, at, v)),
                Column::Float(values) => values.get(from).into_iter().for_each(|v| self.set(row, at, v)),
                Column::Bool(values) => values.get(from).into_iter().for_each(|v| self.set_bool(row, at, v)),
                Column::Text(codes, own) => match codes.get(from) {
                    Some(code) if code >= OWN => {
                        if let Some(text) = own.get((code - OWN) as usize) {
                            self.set_text(row, at, text.clone());
                        }
                    }
                    Some(code) => self.set_name(row, at, code),
                    None => {}
                },
            }
        }
    }

    /// Takes the rows from one on out of it.
    pub fn split_off(&mut self, first: usize, def: &TableDef) -> Segment {
        let mut rest = Segment::of(def);
        for row in first..self.len() {
            let at = rest.push(self.times[row], self.ids[row]);
            rest.take_values(at, self, row);
        }
        self.times.truncate(first);
        self.ids.truncate(first);
        self.secs.truncate(first);
        for column in &mut self.columns {
            match column {
                Column::Empty(_) => {}
                Column::Int(values) => values.truncate(first),
                Column::Float(values) => values.truncate(first),
                Column::Bool(values) => values.truncate(first),
                Column::Text(codes, _) => codes.truncate(first),
            }
        }
        rest
    }

    /// The rows as Arrow's columns.
    pub fn freeze(self, names: &Names) -> Result<Frozen, ArrowError> {
        let rows = self.times.len();
        let (secs, valid) = self.secs.into_values().into_parts(rows);
        let columns = self.columns.into_iter().map(|column| column.freeze(rows, names));
        Ok(Frozen {
            stamps: [
                Arc::new(Int64Array::new(self.times.into(), None)),
                Arc::new(Float64Array::try_new(secs.into(), valid)?),
            ],
            columns: columns.collect::<Result<_, _>>()?,
            rows,
        })
    }
}

/// The nearest integer; that of a half is the one further from 0.
#[inline]
fn nearest(value: f64) -> i64 {
    let whole = value as i64;
    // Most are whole already, and rounding is a call where the processor's own instruction may be missing.
    if whole as f64 == value { whole } else { value.round() as i64 }
}

impl Column {
    /// Makes an empty column one that takes values.
    fn fill(&mut self) {
        if let Column::Empty(ty) = self {
            *self = match ty {
                ColumnType::Int => Column::Int(Values::default()),
                ColumnType::Float => Column::Float(Values::default()),
                ColumnType::Bool => Column::Bool(Values::default()),
                ColumnType::Text => Column::Text(Values::default(), Vec::new()),
            };
        }
    }

    fn freeze(self, rows: usize, names: &Names) -> Result<Option<ArrayRef>, ArrowError> {
        Ok(Some(match self {
            Column::Empty(_) => return Ok(None),
            Column::Int(values) => {
                let (values, valid) = values.into_parts(rows);
                Arc::new(Int64Array::try_new(ScalarBuffer::from(values), valid)?)
            }
            Column::Float(values) => {
                let (values, valid) = values.into_parts(rows);
                Arc::new(Float64Array::try_new(ScalarBuffer::from(values), valid)?)
            }
            Column::Bool(values) => {
                let (values, valid) = values.into_parts(rows);
                Arc::new(BooleanArray::new(BooleanBuffer::from(values), valid))
            }
            Column::Text(codes, own) => Arc::new(words_of(codes, &own, rows, names)?),
        }))
    }
}

/// Text, each word once.
fn words_of(
    codes: Values<u32>,
    own: &[Text],
    rows: usize,
    names: &Names,
) -> Result<DictionaryArray<Int32Type>, ArrowError> {
    let mut places: HashMap<u32, i32, Mixed> = HashMap::default();
    let mut own_places: HashMap<&str, i32> = HashMap::new();
    let mut words: Vec<&str> = Vec::new();
    let (codes, valid) = codes.into_parts(rows);
    let mut last = None;
    let is_valid = |row: usize| valid.as_ref().is_none_or(|valid| valid.is_valid(row));
    let place = |(row, code): (usize, u32)| {
        if !is_valid(row) {
            return 0;
        }
        if let Some((_, place)) = last.filter(|(before, _)| *before == code) {
            return place;
        }
        let mut add = |word| {
            words.push(word);
            words.len() as i32 - 1
        };
        let place = match code.checked_sub(OWN) {
            Some(at) => {
                let word: &str = own.get(at as usize).map_or("", |text| &**text);
                *own_places.entry(word).or_insert_with(|| add(word))
            }
            None => *places.entry(code).or_insert_with(|| add(names.name(code))),
        };
        last = Some((code, place));
        place
    };
    let keys: Vec<i32> = codes.into_iter().enumerate().map(place).collect();
    let keys = Int32Array::try_new(ScalarBuffer::from(keys), valid)?;
    DictionaryArray::try_new(keys, Arc::new(StringArray::from(words)))
}

impl Lengths {
    fn set(&mut self, row: usize, secs: f64) {
        let goes_on = self.same == 0 || secs.to_bits() == self.of_these.to_bits();
        if self.each.is_empty() && row == self.same && goes_on {
            (self.same, self.of_these) = (row + 1, secs);
            return;
        }
        self.tell_apart();
        self.each.set(row, secs);
    }

    fn get(&self, row: usize) -> Option<f64> {
        if row < self.same { Some(self.of_these) } else { self.each.get(row) }
    }

    fn truncate(&mut self, rows: usize) {
        self.same = self.same.min(rows);
        self.each.truncate(rows);
    }

    fn into_values(mut self) -> Values<f64> {
        self.tell_apart();
        self.each
    }

    fn tell_apart(&mut self) {
        (0..std::mem::take(&mut self.same)).for_each(|row| self.each.set(row, self.of_these));
    }
}

impl<T: Copy + Default> Values<T> {
    fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    #[inline]
    fn set(&mut self, row: usize, value: T) {
        // Nearly always the row behind the last one: nothing is to be filled up.
        if row == self.values.len() {
            self.values.push(value);
            match (row % 8, self.valid.last_mut()) {
                (1.., Some(bits)) => *bits |= 1 << (row % 8),
                _ => self.valid.push(1),
            }
            return;
        }
        self.set_elsewhere(row, value);
    }

    fn set_elsewhere(&mut self, row: usize, value: T) {
        if row >= self.values.len() {
            self.values.resize(row + 1, T::default());
            self.valid.resize(row / 8 + 1, 0);
        }
        if let (Some(cell), Some(bits)) = (self.values.get_mut(row), self.valid.get_mut(row / 8)) {
            *cell = value;
            *bits |= 1 << (row % 8);
        }
    }

    fn get(&self, row: usize) -> Option<T> {
        let is_valid = self.valid.get(row / 8).is_some_and(|bits| bits & 1 << (row % 8) != 0);
        self.values.get(row).copied().filter(|_| is_valid)
    }

    fn truncate(&mut self, rows: usize) {
        self.values.truncate(rows);
        self.valid.truncate(rows.div_ceil(8));
        if let (Some(last), 1..) = (self.valid.get_mut(rows / 8), rows % 8) {
            *last &= (1 << (rows % 8)) - 1;
        }
    }

    /// So many values, and which of them are NULL; nothing where none is.
    fn into_parts(mut self, rows: usize) -> (Vec<T>, Option<NullBuffer>) {
        self.values.resize(rows, T::default());
        self.valid.resize(rows.div_ceil(8), 0);
        let valid = NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(self.valid), 0, rows));
        (self.values, (valid.null_count() > 0).then_some(valid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_told_apart_once_they_differ() {
        let check = |told: &[(usize, f64)], expect: &[Option<f64>]| {
            let mut lengths = Lengths::default();
            told.iter().for_each(|(row, secs)| lengths.set(*row, *secs));
            let got: Vec<_> = (0..expect.len()).map(|row| lengths.get(row)).collect();
            assert_eq!(got, expect, "{told:?}");
            let values = lengths.into_values();
            let got: Vec<_> = (0..expect.len()).map(|row| values.get(row)).collect();
            assert_eq!(got, expect, "{told:?}, each by itself");
        };
        check(&[], &[None]);
        check(&[(0, 1.0), (1, 1.0)], &[Some(1.0), Some(1.0), None]);
        check(&[(0, 1.0), (1, 2.0), (2, 1.0)], &[Some(1.0), Some(2.0), Some(1.0)]);
        check(&[(1, 1.0), (2, 1.0)], &[None, Some(1.0), Some(1.0)]);
        check(&[(0, 1.0), (2, 1.0)], &[Some(1.0), None, Some(1.0)]);
        let mut lengths = Lengths::default();
        (0..3).for_each(|row| lengths.set(row, 5.0));
        lengths.truncate(1);
        lengths.set(1, 6.0);
        assert_eq!([lengths.get(0), lengths.get(1), lengths.get(2)], [Some(5.0), Some(6.0), None]);
    }

    #[test]
    fn the_nearest_integer_is_that_of_rounding() {
        for value in
            [0.0, -0.0, 0.4, 0.5, -0.5, 1.5, 2.5, -2.5, 0.499_999_999_999_999_94, 4_503_599_627_370_495.5]
        {
            assert_eq!(nearest(value), value.round() as i64, "{value}");
        }
        assert_eq!([nearest(2.5), nearest(-2.5), nearest(-3.0)], [3, -3, -3]);
    }

    #[test]
    fn values_one_behind_the_other_are_those_set_anywhere() {
        let (mut one, mut other) = (Values::default(), Values::default());
        for row in 0..100_i64 {
            one.set(row as usize, row);
            other.set(99 - row as usize, 99 - row);
            if row == 42 {
                one.truncate(35);
                (35..=42).for_each(|row| one.set(row, row as i64));
            }
        }
        let (one, other) = (one.into_parts(100), other.into_parts(100));
        assert_eq!(one, other);
        assert!(one.1.is_none());
    }

    #[test]
    fn values_are_null_until_they_are_set() {
        let mut values = Values::default();
        values.set(9, 5_i64);
        values.set(2, 3);
        assert_eq!(
            (values.get(2), values.get(3), values.get(9), values.get(10)),
            (Some(3), None, Some(5), None)
        );
        values.truncate(9);
        values.set(10, 1);
        assert_eq!((values.get(9), values.get(10)), (None, Some(1)));
        let (all, valid) = values.into_parts(12);
        assert_eq!(all.len(), 12);
        assert_eq!(valid.expect("NULLs").null_count(), 10);
    }
}
