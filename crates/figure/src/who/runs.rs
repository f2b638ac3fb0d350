//! Rows of one key that follow each other: sealed rows are sorted by entity and time, so that what is looked up is looked
//! up once for many rows.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, Int64Array, RecordBatch, StringArray};

/// A column of integers, or none.
#[derive(Clone, Copy)]
pub struct Ints<'b>(Option<&'b Int64Array>);

impl<'b> Ints<'b> {
    pub fn of(batch: &'b RecordBatch, column: &str) -> Ints<'b> {
        Ints(batch.column_by_name(column).and_then(|array| array.as_primitive_opt::<Int64Type>()))
    }

    #[inline]
    pub fn get(&self, row: usize) -> Option<i64> {
        self.0.and_then(|array| array.is_valid(row).then(|| array.value(row)))
    }

    /// The last value of some rows.
    pub fn last(&self, rows: &Range<usize>) -> Option<i64> {
        self.0?;
        rows.clone().rev().find_map(|row| self.get(row))
    }

    /// The sum of some rows; none where none has a value.
    pub fn sum(&self, rows: &Range<usize>) -> Option<i64> {
        let array = self.0?;
        if array.null_count() == 0 {
            return Some(array.values()[rows.clone()].iter().sum());
        }
        rows.clone().filter_map(|row| self.get(row)).reduce(|a, b| a.saturating_add(b))
    }

    /// The rows from one on that have the same value as it.
    #[inline]
    fn same_until(&self, begin: usize, end: usize) -> usize {
        let Some(array) = self.0 else { return end };
        let value = self.get(begin);
        if array.null_count() == 0 {
            let first = array.value(begin);
            let values = &array.values()[begin..end];
            return begin + values.iter().position(|other| *other != first).unwrap_or(values.len());
        }
        (begin..end).find(|row| self.get(*row) != value).unwrap_or(end)
    }
}

/// A column of text as codes, or none.
pub struct Words<'b> {
    codes: Option<&'b arrow_array::Int32Array>,
    words: Option<&'b StringArray>,
    plain: Option<&'b StringArray>,
}

impl<'b> Words<'b> {
    pub fn of(batch: &'b RecordBatch, column: &str) -> Words<'b> {
        let array = batch.column_by_name(column);
        let coded = array.and_then(|array| array.as_dictionary_opt::<Int32Type>());
        Words {
            codes: coded.map(|coded| coded.keys()),
            words: coded.and_then(|coded| coded.values().as_string_opt::<i32>()),
            plain: array.and_then(|array| array.as_string_opt::<i32>()),
        }
    }

    #[inline]
    pub fn get(&self, row: usize) -> Option<&'b str> {
        if let (Some(codes), Some(words)) = (self.codes, self.words) {
            let code = codes.is_valid(row).then(|| codes.value(row) as usize)?;
            return (code < words.len() && words.is_valid(code)).then(|| words.value(code));
        }
        let plain = self.plain?;
        plain.is_valid(row).then(|| plain.value(row))
    }

    /// The last value of some rows.
    pub fn last(&self, rows: &Range<usize>) -> Option<&'b str> {
        if self.codes.is_none() && self.plain.is_none() {
            return None;
        }
        rows.clone().rev().find_map(|row| self.get(row))
    }

    fn same_until(&self, begin: usize, end: usize) -> usize {
        if let Some(codes) = self.codes.filter(|codes| codes.null_count() == 0) {
            let first = codes.value(begin);
            let values = &codes.values()[begin..end];
            return begin + values.iter().position(|other| *other != first).unwrap_or(values.len());
        }
        let value = self.get(begin);
        (begin..end).find(|row| self.get(*row) != value).unwrap_or(end)
    }
}

/// Calls for each run of rows with the same values in columns of integers, and in a column of text.
pub fn runs(rows: usize, ints: &[Ints<'_>], words: Option<&Words<'_>>, each: &mut dyn FnMut(Range<usize>)) {
    let mut begin = 0;
    while begin < rows {
        // The first column that ends a run bounds the search in the next.
        let mut end = rows;
        if let Some(words) = words {
            end = words.same_until(begin, end);
        }
        for column in ints {
            end = column.same_until(begin, end);
        }
        each(begin..end);
        begin = end;
    }
}
