//! Rows of one table gathered from many samples, until they become an Arrow batch.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use heldup_model::{RowSet, TableDef, Text};

use super::decoder::ReadStream;
use super::matching::key_columns;
use super::row_delta_read::Column;

/// Rows of one table, in the declared columns.
pub(crate) struct TableRows {
    def: &'static TableDef,
    times: Vec<i64>,
    secs: Vec<Option<f64>>,
    columns: Vec<Column>,
}

impl TableRows {
    pub(crate) fn new(def: &'static TableDef) -> TableRows {
        let columns = def.columns.iter().map(|column| Column::of(column.ty)).collect();
        TableRows { def, times: Vec::new(), secs: Vec::new(), columns }
    }

    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    /// Appends the rows of a stream's last reading.
    pub(super) fn push(&mut self, stream: &ReadStream, time_ms: i64) {
        let length = self.times.len() + stream.rows;
        self.times.resize(length, time_ms);
        self.secs.resize(length, stream.secs);
        for (column, source) in self.columns.iter_mut().zip(&stream.sources) {
            match source.and_then(|at| stream.columns.get(at)) {
                Some(from) => column.extend(from, 0, stream.rows),
                None => column.extend_null(stream.rows),
            }
        }
    }

    /// Values in all columns: a measure of the memory that the rows take.
    pub(crate) fn cells(&self) -> usize {
        self.len() * (self.columns.len() + 2)
    }

    /// Puts the rows of one entity together, in the order of time.
    pub(crate) fn sort_by_entity(&mut self, words: &[Text]) {
        let keys = key_columns(self.def);
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by(|a, b| {
            let (a, b) = (*a as usize, *b as usize);
            let entities = keys.iter().map(|at| self.columns[*at].compare(a, b, words));
            let other = entities.into_iter().find(|order| order.is_ne());
            other.unwrap_or_else(|| self.times[a].cmp(&self.times[b]))
        });
        self.times = order.iter().map(|row| self.times[*row as usize]).collect();
        self.secs = order.iter().map(|row| self.secs[*row as usize]).collect();
        self.columns.iter_mut().for_each(|column| column.permute(&order));
    }

    /// The rows as a batch; none are left.
    pub(crate) fn take_batch(&mut self, words: &[Text], host: &str) -> Result<RecordBatch, String> {
        let rows = self.len();
        let host_codes = Int32Array::from(vec![0; rows]);
        let mut arrays: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(std::mem::take(&mut self.times))),
            Arc::new(Float64Array::from(std::mem::take(&mut self.secs))),
            dictionary(host_codes, vec![host])?,
        ];
        for column in &mut self.columns {
            arrays.push(match column {
                Column::Int(values) => Arc::new(Int64Array::from(std::mem::take(values))),
                Column::Float(values) => Arc::new(Float64Array::from(std::mem::take(values))),
                Column::Bool(values) => Arc::new(BooleanArray::from(std::mem::take(values))),
                Column::Text(values) => texts(&std::mem::take(values), words)?,
            });
        }
        RecordBatch::try_new(RowSet::schema(self.def), arrays).map_err(|error| error.to_string())
    }
}

/// Text whose words are numbered anew, so that a batch carries only those that it uses.
fn texts(values: &[Option<u32>], words: &[Text]) -> Result<ArrayRef, String> {
    let mut codes = vec![-1; words.len()];
    let mut used = Vec::new();
    let keys: Int32Array = values
        .iter()
        .map(|value| {
            let number = (*value)? as usize;
            if codes[number] < 0 {
                codes[number] = used.len() as i32;
                used.push(&*words[number]);
            }
            Some(codes[number])
        })
        .collect();
    dictionary(keys, used)
}

fn dictionary(keys: Int32Array, words: Vec<&str>) -> Result<ArrayRef, String> {
    let words = Arc::new(StringArray::from(words));
    let array = DictionaryArray::<Int32Type>::try_new(keys, words).map_err(|error| error.to_string())?;
    Ok(Arc::new(array))
}
