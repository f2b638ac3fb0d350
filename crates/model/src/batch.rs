//! Rows of Arrow batches chosen, repeated and joined.
//!
//! Tables have four types of columns; the kernels of Arrow know forty, in a megabyte of code. A column of
//! another type than a table may have is an error.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, SchemaRef};

/// Text, each word once.
type Words = DictionaryArray<Int32Type>;

/// The rows of these numbers, in their order; one beyond the last row is NULLs.
pub fn take_rows(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<Option<u32>> = rows.iter().copied().map(Some).collect();
    let columns = batch.columns().iter().map(|column| take(column, &rows));
    RecordBatch::try_new(batch.schema(), columns.collect::<Result<_, _>>()?)
}

/// The requested rows.
pub fn filter_rows(
    batch: &RecordBatch,
    mut wanted: impl FnMut(usize) -> bool,
) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<u32> = (0..batch.num_rows()).filter(|row| wanted(*row)).map(|row| row as u32).collect();
    if rows.len() == batch.num_rows() {
        return Ok(batch.clone());
    }
    take_rows(batch, &rows)
}

/// The values of these rows of a column; NULL where there is no number of one.
pub fn take(column: &ArrayRef, rows: &[Option<u32>]) -> Result<ArrayRef, ArrowError> {
    if column.null_count() == column.len() {
        return null_column(column.data_type(), rows.len());
    }
    let place = |row: Option<u32>| row.map(|row| row as usize).filter(|row| *row < column.len());
    let known = column.nulls();
    let is_there =
        |at: usize| place(rows[at]).is_some_and(|row| known.is_none_or(|known| known.is_valid(row)));
    let nulls = NullBuffer::from(BooleanBuffer::collect_bool(rows.len(), is_there));
    let nulls = (nulls.null_count() > 0).then_some(nulls);
    Ok(match Typed::of(column)? {
        Typed::Int(array) => Arc::new(Int64Array::try_new(values(array.values(), rows).into(), nulls)?),
        Typed::Float(array) => Arc::new(Float64Array::try_new(values(array.values(), rows).into(), nulls)?),
        Typed::Bool(array) => {
            let value = |at: usize| place(rows[at]).is_some_and(|row| array.values().value(row));
            let values = BooleanBuffer::collect_bool(rows.len(), value);
            Arc::new(BooleanArray::new(values, nulls))
        }
        Typed::Text(array) => {
            let codes = Int32Array::try_new(values(array.keys().values(), rows).into(), nulls)?;
            Arc::new(Words::try_new(codes, array.values().clone())?)
        }
    })
}

fn values<T: Copy + Default>(of: &[T], rows: &[Option<u32>]) -> Vec<T> {
    let value = |row: &Option<u32>| row.and_then(|row| of.get(row as usize).copied()).unwrap_or_default();
    rows.iter().map(value).collect()
}

/// Batches of one schema as one.
pub fn concat(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<RecordBatch, ArrowError> {
    if let [only] = batches {
        return Ok(only.clone());
    }
    let columns = schema.fields().iter().enumerate().map(|(at, field)| {
        let parts: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(at)).collect();
        concat_columns(field.data_type(), &parts)
    });
    RecordBatch::try_new(schema.clone(), columns.collect::<Result<_, _>>()?)
}

/// A column of so many NULLs.
pub fn null_column(ty: &DataType, rows: usize) -> Result<ArrayRef, ArrowError> {
    Ok(match ty {
        DataType::Int64 => Arc::new(Int64Array::new_null(rows)),
        DataType::Float64 => Arc::new(Float64Array::new_null(rows)),
        DataType::Boolean => Arc::new(BooleanArray::new_null(rows)),
        DataType::Dictionary(..) => {
            Arc::new(Words::try_new(Int32Array::new_null(rows), Arc::new(StringArray::new_null(0)))?)
        }
        other => return Err(no_such_column(other)),
    })
}

/// Columns of one type as one, one below the other.
pub fn concat_columns(ty: &DataType, parts: &[&ArrayRef]) -> Result<ArrayRef, ArrowError> {
    let rows: usize = parts.iter().map(|part| part.len()).sum();
    if let Some(other) = parts.iter().find(|part| part.data_type() != ty) {
        return Err(no_such_column(other.data_type()));
    }
    if parts.iter().all(|part| part.null_count() == part.len()) {
        return null_column(ty, rows);
    }
    let nulls = joined_nulls(parts, rows);
    let typed = parts.iter().map(|part| Typed::of(part)).collect::<Result<Vec<_>, _>>()?;
    match typed.first() {
        Some(Typed::Int(_)) => {
            let mut values: Vec<i64> = Vec::with_capacity(rows);
            typed.iter().for_each(|part| values.extend_from_slice(part.ints()));
            Ok(Arc::new(Int64Array::try_new(values.into(), nulls)?))
        }
        Some(Typed::Float(_)) => {
            let mut values: Vec<f64> = Vec::with_capacity(rows);
            typed.iter().for_each(|part| values.extend_from_slice(part.floats()));
            Ok(Arc::new(Float64Array::try_new(values.into(), nulls)?))
        }
        Some(Typed::Bool(_)) => {
            let bools = typed.iter().flat_map(|part| match part {
                Typed::Bool(array) => array.values().iter().collect::<Vec<bool>>(),
                _ => Vec::new(),
            });
            Ok(Arc::new(BooleanArray::new(bools.collect(), nulls)))
        }
        Some(Typed::Text(_)) => joined_text(&typed, rows, nulls),
        None => null_column(ty, rows),
    }
}

fn joined_nulls(parts: &[&ArrayRef], rows: usize) -> Option<NullBuffer> {
    if parts.iter().all(|part| part.null_count() == 0) {
        return None;
    }
    let mut valid = BooleanBufferBuilder::new(rows);
    for part in parts {
        match part.nulls() {
            Some(nulls) => valid.append_buffer(nulls.inner()),
            None => valid.append_n(part.len(), true),
        }
    }
    Some(NullBuffer::new(valid.finish()))
}

/// Text with one list of words, each once.
fn joined_text<'a>(
    parts: &[Typed<'a>],
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let mut known: HashMap<&'a str, i32> = HashMap::new();
    let mut words: Vec<&'a str> = Vec::new();
    let mut all: Vec<i32> = Vec::with_capacity(rows);
    for part in parts {
        let Typed::Text(part) = part else { continue };
        let Some(texts) = part.values().as_string_opt::<i32>() else {
            return Err(no_such_column(part.values().data_type()));
        };
        if texts.null_count() > 0 {
            return Err(ArrowError::InvalidArgumentError("a word that is NULL".into()));
        }
        let code = |word: Option<&'a str>| {
            let word = word.unwrap_or_default();
            *known.entry(word).or_insert_with(|| {
                words.push(word);
                words.len() as i32 - 1
            })
        };
        let codes: Vec<i32> = texts.iter().map(code).collect();
        // A row that is NULL may have any code.
        all.extend(part.keys().values().iter().map(|key| codes.get(*key as usize).copied().unwrap_or(0)));
    }
    let codes = Int32Array::try_new(all.into(), nulls)?;
    Ok(Arc::new(Words::try_new(codes, Arc::new(StringArray::from(words)))?))
}

/// A column as what it is.
enum Typed<'a> {
    Int(&'a Int64Array),
    Float(&'a Float64Array),
    Bool(&'a BooleanArray),
    Text(&'a Words),
}

impl<'a> Typed<'a> {
    fn of(column: &'a ArrayRef) -> Result<Typed<'a>, ArrowError> {
        let typed = match column.data_type() {
            DataType::Int64 => column.as_primitive_opt::<Int64Type>().map(Typed::Int),
            DataType::Float64 => column.as_primitive_opt::<Float64Type>().map(Typed::Float),
            DataType::Boolean => column.as_boolean_opt().map(Typed::Bool),
            _ => column.as_dictionary_opt::<Int32Type>().map(Typed::Text),
        };
        typed.ok_or_else(|| no_such_column(column.data_type()))
    }

    fn ints(&self) -> &'a [i64] {
        match self {
            Typed::Int(array) => array.values(),
            _ => &[],
        }
    }

    fn floats(&self) -> &'a [f64] {
        match self {
            Typed::Float(array) => array.values(),
            _ => &[],
        }
    }
}

fn no_such_column(ty: &DataType) -> ArrowError {
    ArrowError::SchemaError(format!(
        "a column of {ty}; tables have Int64, Float64, Boolean and words by Int32"
    ))
}

#[cfg(test)]
mod tests {
    use arrow_schema::{Field, Schema};

    use super::*;

    fn batch(
        ints: Vec<Option<i64>>,
        floats: Vec<Option<f64>>,
        bools: Vec<Option<bool>>,
        texts: Vec<Option<&str>>,
    ) -> RecordBatch {
        let texts: Words = texts.into_iter().collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(ints)),
            Arc::new(Float64Array::from(floats)),
            Arc::new(BooleanArray::from(bools)),
            Arc::new(texts),
        ];
        let fields = ["i", "f", "b", "t"].iter().zip(&columns);
        let fields = fields.map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        RecordBatch::try_new(schema, columns).expect("a batch")
    }

    fn three() -> RecordBatch {
        batch(
            vec![Some(1), None, Some(3)],
            vec![Some(0.5), Some(-1.5), None],
            vec![None, Some(true), Some(false)],
            vec![Some("b"), None, Some("a")],
        )
    }

    #[test]
    fn rows_are_taken_in_the_order_that_is_asked_for() {
        let taken = take_rows(&three(), &[2, 0, 0, 1]).expect("rows");
        let expected = batch(
            vec![Some(3), Some(1), Some(1), None],
            vec![None, Some(0.5), Some(0.5), Some(-1.5)],
            vec![Some(false), None, None, Some(true)],
            vec![Some("a"), Some("b"), Some("b"), None],
        );
        assert_eq!(words(&taken), words(&expected));
        assert_eq!(taken.columns()[..3], expected.columns()[..3]);
    }

    #[test]
    fn no_row_and_one_that_is_not_there_are_null() {
        for column in three().columns() {
            let taken = take(column, &[None, Some(3), Some(0)]).expect("a column");
            assert!(taken.is_null(0) && taken.is_null(1), "{:?}", column.data_type());
            assert_eq!(taken.is_null(2), column.is_null(0));
        }
    }

    #[test]
    fn rows_that_are_wanted_stay() {
        let kept = filter_rows(&three(), |row| row != 1).expect("rows");
        assert_eq!(words(&kept), [Some("b"), Some("a")]);
        assert_eq!(kept.column(0).as_primitive::<Int64Type>().values(), &[1, 3]);
        assert_eq!(filter_rows(&three(), |_| true).expect("rows"), three());
        assert_eq!(filter_rows(&three(), |_| false).expect("rows").num_rows(), 0);
    }

    #[test]
    fn joined_batches_have_each_word_once() {
        let other = batch(vec![Some(9)], vec![None], vec![Some(true)], vec![Some("a")]);
        let empty = three().slice(0, 0);
        let all = concat(&three().schema(), &[three(), empty, other, three().slice(1, 2)]).expect("rows");
        assert_eq!(words(&all), [Some("b"), None, Some("a"), Some("a"), None, Some("a")]);
        assert_eq!(all.column(3).as_dictionary::<Int32Type>().values().len(), 2);
        let ints: Vec<_> = all.column(0).as_primitive::<Int64Type>().iter().collect();
        assert_eq!(ints, [Some(1), None, Some(3), Some(9), None, Some(3)]);
        let bools: Vec<_> = all.column(2).as_boolean().iter().collect();
        assert_eq!(bools, [None, Some(true), Some(false), Some(true), Some(true), Some(false)]);
        let none = concat(&three().schema(), &[]).expect("no rows");
        assert_eq!(none.num_rows(), 0);
    }

    #[test]
    fn columns_without_a_value_and_of_other_types() {
        for column in three().columns() {
            let nulls = null_column(column.data_type(), 4).expect("a column");
            assert_eq!((nulls.null_count(), nulls.data_type()), (4, column.data_type()));
            assert_eq!(take(&nulls, &[Some(1); 3]).expect("a column").null_count(), 3);
            let parts = concat_columns(column.data_type(), &[&nulls, column]).expect("a column");
            assert_eq!(parts.slice(4, 3).null_count(), 1);
        }
        assert!(null_column(&DataType::Int32, 1).is_err());
        let narrow: ArrayRef = Arc::new(Int32Array::from(vec![1]));
        assert!(take(&narrow, &[Some(0)]).is_err());
    }

    fn words(batch: &RecordBatch) -> Vec<Option<&str>> {
        let texts = batch.column(3).as_dictionary::<Int32Type>();
        let words = texts.values().as_string::<i32>();
        texts.keys().iter().map(|key| key.map(|key| words.value(key as usize))).collect()
    }
}
