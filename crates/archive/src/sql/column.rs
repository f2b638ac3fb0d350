//! One column of a table in memory: the batches' values joined end to end.
//!
//! Columns are joined when a question first uses them, so that a question pays for
//! the columns that it names. Text is kept as codes into one list of words a column,
//! so that equality and grouping compare integers. Booleans are 0 and 1.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use heldup_model::ColumnType;

/// Code of NULL in a text column.
pub(super) const NO_WORD: u32 = u32::MAX;

/// Values of which some may be NULL; the mask is left out where none is.
#[derive(Debug, Default)]
pub(super) struct Values<T> {
    values: Vec<T>,
    present: Option<Vec<bool>>,
}

impl<T: Copy + Default> Values<T> {
    /// The value of a row; none for NULL and beyond the end.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<T> {
        match &self.present {
            Some(present) if !present.get(row).copied().unwrap_or(false) => None,
            _ => self.values.get(row).copied(),
        }
    }

    /// All values where none is NULL.
    pub(super) fn complete(&self) -> Option<&[T]> {
        self.present.is_none().then_some(&self.values)
    }

    /// Values as they come.
    pub(super) fn of(options: Vec<Option<T>>) -> Values<T> {
        let present =
            options.iter().any(Option::is_none).then(|| options.iter().map(Option::is_some).collect());
        Values { values: options.into_iter().map(Option::unwrap_or_default).collect(), present }
    }

    /// Adds an array's values; where it is NULL they mean nothing.
    fn push(&mut self, values: impl Iterator<Item = T>, array: &dyn Array) {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        if nulls.is_some() && self.present.is_none() {
            self.present = Some(vec![true; self.values.len()]);
        }
        self.values.extend(values);
        match (&mut self.present, nulls) {
            (Some(present), Some(nulls)) => present.extend(nulls.iter()),
            (Some(present), None) => present.resize(self.values.len(), true),
            (None, _) => {}
        }
    }

    fn push_nulls(&mut self, rows: usize) {
        let present = self.present.get_or_insert_with(|| vec![true; self.values.len()]);
        self.values.resize(self.values.len() + rows, T::default());
        present.resize(self.values.len(), false);
    }
}

/// Text as codes into a list of words.
#[derive(Debug, Default)]
pub(super) struct Texts {
    codes: Vec<u32>,
    words: Vec<Arc<str>>,
    code_of: HashMap<Arc<str>, u32>,
}

impl Texts {
    /// The text of a row; none for NULL and beyond the end.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<&str> {
        self.words.get(self.code(row) as usize).map(|word| &**word)
    }

    /// The code of a row's text; [`NO_WORD`] for NULL and beyond the end.
    #[inline]
    pub(super) fn code(&self, row: usize) -> u32 {
        self.codes.get(row).copied().unwrap_or(NO_WORD)
    }

    /// The text of a code; none of [`NO_WORD`].
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        self.words.get(code as usize).map(|word| &**word)
    }

    /// The same, to be kept.
    pub(super) fn word(&self, code: u32) -> Option<Arc<str>> {
        self.words.get(code as usize).cloned()
    }

    /// Other rows of the same words.
    pub(super) fn with_codes(&self, codes: Vec<u32>) -> Texts {
        Texts { codes, words: self.words.clone(), code_of: self.code_of.clone() }
    }

    /// The code of a word; none where no row has it.
    pub(super) fn code_of(&self, word: &str) -> Option<u32> {
        self.code_of.get(word).copied()
    }

    /// Number of different words.
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    fn intern(&mut self, word: &str) -> u32 {
        if let Some(code) = self.code_of.get(word) {
            return *code;
        }
        let word: Arc<str> = word.into();
        let code = self.words.len() as u32;
        self.words.push(word.clone());
        self.code_of.insert(word, code);
        code
    }
}

/// How many values at the beginning are the same.
fn length_of_run<T: PartialEq>(values: &[T]) -> usize {
    let Some(first) = values.first() else { return 0 };
    values.iter().position(|value| value != first).unwrap_or(values.len())
}

/// One column.
#[derive(Debug)]
pub(super) enum Column {
    /// Integers, and booleans as 0 and 1.
    Int(Values<i64>),
    /// Floats.
    Float(Values<f64>),
    /// Text.
    Text(Texts),
}

impl Column {
    /// Joins a column of some batches. A batch that does not have it gives NULLs.
    pub(super) fn join(batches: &[RecordBatch], name: &str, ty: ColumnType) -> Column {
        let mut column = match ty {
            ColumnType::Int | ColumnType::Bool => Column::Int(Values::default()),
            ColumnType::Float => Column::Float(Values::default()),
            ColumnType::Text => Column::Text(Texts::default()),
        };
        column.reserve(batches.iter().map(RecordBatch::num_rows).sum());
        for batch in batches {
            column.append(batch.column_by_name(name), batch.num_rows());
        }
        column
    }

    fn reserve(&mut self, rows: usize) {
        match self {
            Column::Int(values) => values.values.reserve_exact(rows),
            Column::Float(values) => values.values.reserve_exact(rows),
            Column::Text(texts) => texts.codes.reserve_exact(rows),
        }
    }

    fn append(&mut self, array: Option<&ArrayRef>, rows: usize) {
        let array = array.filter(|array| array.null_count() < rows);
        match self {
            Column::Int(values) => {
                if let Some(array) = array.and_then(|a| a.as_primitive_opt::<Int64Type>()) {
                    values.push(array.values().iter().copied(), array);
                } else if let Some(array) = array.and_then(|a| a.as_boolean_opt()) {
                    values.push(array.values().iter().map(i64::from), array);
                } else {
                    values.push_nulls(rows);
                }
            }
            Column::Float(values) => match array.and_then(|a| a.as_primitive_opt::<Float64Type>()) {
                Some(array) => values.push(array.values().iter().copied(), array),
                None => values.push_nulls(rows),
            },
            Column::Text(texts) => texts.append(array, rows),
        }
    }

    /// From a row on, the first row before `end` that has another key, or `end`. Floats have none.
    pub(super) fn end_of_run(&self, row: usize, end: usize) -> usize {
        let run = |same: &dyn Fn(usize) -> bool| (row + 1..end).find(|next| !same(*next)).unwrap_or(end);
        match self {
            Column::Int(values) => match values.complete().and_then(|values| values.get(row..end)) {
                Some(values) => row + length_of_run(values),
                None => {
                    let value = values.get(row);
                    run(&|next| values.get(next) == value)
                }
            },
            Column::Float(_) => end,
            Column::Text(texts) => texts.codes.get(row..end).map_or(end, |codes| row + length_of_run(codes)),
        }
    }
}

impl Texts {
    fn append(&mut self, array: Option<&ArrayRef>, rows: usize) {
        if let Some(array) = array.and_then(|a| a.as_dictionary_opt::<Int32Type>()) {
            let words: Vec<u32> = array.values().as_string_opt::<i32>().map_or_else(Vec::new, |words| {
                words.iter().map(|word| word.map_or(NO_WORD, |word| self.intern(word))).collect()
            });
            let code = |key: i32| words.get(key as usize).copied().unwrap_or(NO_WORD);
            match array.nulls() {
                None => self.codes.extend(array.keys().values().iter().map(|key| code(*key))),
                Some(_) => self.codes.extend(array.keys().iter().map(|key| key.map_or(NO_WORD, code))),
            }
        } else if let Some(array) = array.and_then(|a| a.as_string_opt::<i32>()) {
            for word in array {
                let code = word.map_or(NO_WORD, |word| self.intern(word));
                self.codes.push(code);
            }
        } else {
            self.codes.extend(std::iter::repeat_n(NO_WORD, rows));
        }
    }
}

/// Whether an Arrow type can stand for a declared one.
pub(crate) fn fits(found: &DataType, declared: ColumnType) -> bool {
    match declared {
        ColumnType::Int => matches!(found, DataType::Int64),
        ColumnType::Float => matches!(found, DataType::Float64),
        ColumnType::Bool => matches!(found, DataType::Boolean),
        ColumnType::Text => match found {
            DataType::Utf8 => true,
            DataType::Dictionary(key, word) => **key == DataType::Int32 && **word == DataType::Utf8,
            _ => false,
        },
    }
}
