//! Columns of a batch by their names, as values that may be missing.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};

/// An integer column; nothing where there is none of that name and type.
pub(super) fn ints(batch: &RecordBatch, name: &str) -> Vec<Option<i64>> {
    let column = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
    column.map(|column| column.iter().collect()).unwrap_or_default()
}

/// A column of floats.
pub(super) fn floats(batch: &RecordBatch, name: &str) -> Vec<Option<f64>> {
    let column = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Float64Type>());
    column.map(|column| column.iter().collect()).unwrap_or_default()
}

/// A column of yes and no.
pub(super) fn bools(batch: &RecordBatch, name: &str) -> Vec<Option<bool>> {
    let column = batch.column_by_name(name).and_then(|column| column.as_boolean_opt());
    column.map(|column| column.iter().collect()).unwrap_or_default()
}

/// A column of text.
pub(super) fn texts<'a>(batch: &'a RecordBatch, name: &str) -> Vec<Option<&'a str>> {
    let words = |column: &'a ArrayRef| -> Option<Vec<Option<&'a str>>> {
        let dictionary = column.as_dictionary_opt::<Int32Type>()?;
        let words = dictionary.values().as_string_opt::<i32>()?;
        let word = |row: usize| {
            let code = dictionary.key(row).filter(|code| words.is_valid(*code))?;
            Some(words.value(code))
        };
        Some((0..dictionary.len()).map(word).collect())
    };
    batch.column_by_name(name).and_then(words).unwrap_or_default()
}

/// The batch with another column in the place of one; unchanged where it has none of that name.
pub(super) fn with_column(batch: &RecordBatch, name: &str, array: ArrayRef) -> Result<RecordBatch, String> {
    let mut columns = batch.columns().to_vec();
    if let Ok(at) = batch.schema_ref().index_of(name) {
        columns[at] = array;
    }
    RecordBatch::try_new(Arc::clone(batch.schema_ref()), columns).map_err(|error| error.to_string())
}
