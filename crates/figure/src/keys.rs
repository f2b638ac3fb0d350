//! Which rows are taken, and which series each of them belongs to.

use std::collections::{BTreeMap, HashMap};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};

use crate::document::{Condition, Scalar, Series};

/// A row whose key is NULL, or that is left out.
pub const NONE: u32 = u32::MAX;

/// The values of a column, numbered in the order in which they occur.
#[derive(Default)]
pub struct KeyNames {
    names: Vec<String>,
    words: HashMap<String, u32>,
    ints: HashMap<i64, u32>,
}

impl KeyNames {
    /// The names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn word(&mut self, word: &str) -> u32 {
        if let Some(number) = self.words.get(word) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(word.to_owned());
        self.words.insert(word.to_owned(), number);
        number
    }

    fn int(&mut self, value: i64) -> u32 {
        *self.ints.entry(value).or_insert_with(|| {
            self.names.push(value.to_string());
            self.names.len() as u32 - 1
        })
    }

    /// The number of each row's value in a column of a batch; [`NONE`] for NULL.
    pub fn of_rows(&mut self, batch: &RecordBatch, column: &str) -> Vec<u32> {
        let rows = batch.num_rows();
        let Some(array) = batch.column_by_name(column) else { return vec![NONE; rows] };
        if let Some(array) = array.as_dictionary_opt::<Int32Type>() {
            let words = array.values().as_string_opt::<i32>();
            let numbers: Vec<u32> = words.map_or_else(Vec::new, |words| {
                words.iter().map(|word| word.map_or(NONE, |word| self.word(word))).collect()
            });
            let number = |key: &i32| {
                usize::try_from(*key).ok().and_then(|key| numbers.get(key).copied()).unwrap_or(NONE)
            };
            let mut of_rows: Vec<u32> = array.keys().values().iter().map(number).collect();
            blank(&mut of_rows, array.keys());
            return of_rows;
        }
        if let Some(array) = array.as_string_opt::<i32>() {
            return array.iter().map(|word| word.map_or(NONE, |word| self.word(word))).collect();
        }
        if let Some(array) = array.as_primitive_opt::<Int64Type>() {
            let mut last = (0, NONE);
            let mut number = |value: i64| {
                if last.1 == NONE || last.0 != value {
                    last = (value, self.int(value));
                }
                last.1
            };
            return array.iter().map(|value| value.map_or(NONE, &mut number)).collect();
        }
        if let Some(array) = array.as_boolean_opt() {
            return array
                .iter()
                .map(|value| value.map_or(NONE, |value| self.int(i64::from(value))))
                .collect();
        }
        vec![NONE; rows]
    }
}

/// Rows whose value is NULL have no number, whatever stands in their place.
fn blank(numbers: &mut [u32], array: &dyn Array) {
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        numbers.iter_mut().zip(nulls).filter(|(_, valid)| !valid).for_each(|(number, _)| *number = NONE);
    }
}

/// Takes away the numbers of the rows that are not taken.
pub fn keep_taken(batch: &RecordBatch, series: &Series, numbers: &mut [u32]) {
    let conditions = series.only.iter().map(|c| (c, true)).chain(series.except.iter().map(|c| (c, false)));
    for ((column, condition), is_wanted) in conditions {
        let mut names = KeyNames::default();
        let values = names.of_rows(batch, column);
        // As in SQL a row whose value is NULL is not taken, whatever is asked of it.
        let is_taken: Vec<bool> =
            names.names().iter().map(|name| has(condition, name) == is_wanted).collect();
        if values.iter().all(|value| is_taken.get(*value as usize) == Some(&true)) {
            continue;
        }
        for (number, value) in numbers.iter_mut().zip(values) {
            if !is_taken.get(value as usize).copied().unwrap_or(false) {
                *number = NONE;
            }
        }
    }
}

/// Whether each row of a batch has the values of some conditions; none without a condition.
pub fn matching(batch: &RecordBatch, conditions: &BTreeMap<String, Condition>) -> Option<Vec<bool>> {
    let mut matching: Option<Vec<bool>> = None;
    for (column, condition) in conditions {
        let mut names = KeyNames::default();
        let values = names.of_rows(batch, column);
        let has: Vec<bool> = names.names().iter().map(|name| has(condition, name)).collect();
        let matching = matching.get_or_insert_with(|| vec![true; values.len()]);
        for (matches, value) in matching.iter_mut().zip(values) {
            *matches &= has.get(value as usize).copied().unwrap_or(false);
        }
    }
    matching
}

fn has(condition: &Condition, name: &str) -> bool {
    condition.values().iter().any(|value| match value {
        Scalar::Bool(value) => name == if *value { "1" } else { "0" },
        Scalar::Int(value) => name == value.to_string(),
        Scalar::Text(value) => name == value,
    })
}
