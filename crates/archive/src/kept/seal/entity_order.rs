//! The order of rows in archived files: by entity, then by time.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use heldup_model::batch::{concat, take_rows};
use heldup_model::{ColumnKind, RowSet, TableDef};

/// Position of `time`, the first column of every table.
pub(in crate::kept) const TIME: usize = 0;

/// Which entity each row of a batch is about, and when.
pub(in crate::kept) struct Entities {
    /// A key column each; NULL comes first. Text is its place among the batch's words.
    keys: Vec<Vec<Option<i64>>>,
    pub(in crate::kept) times: Vec<i64>,
}

impl Entities {
    /// Of a batch in the table's declared form; a time that is NULL is 0.
    pub(in crate::kept) fn of(def: &TableDef, batch: &RecordBatch) -> Result<Entities, String> {
        Entities::of_columns(key_columns(def).map(|at| Ok(batch.column(at).clone())), batch.column(TIME))
    }

    /// Of the [`key_columns`] of rows and their times.
    pub(in crate::kept) fn of_columns(
        keys: impl Iterator<Item = Result<ArrayRef, String>>,
        times: &ArrayRef,
    ) -> Result<Entities, String> {
        let keys = keys.map(|key| comparable(&key?)).collect::<Result<_, _>>()?;
        let times = times.as_primitive_opt::<Int64Type>().ok_or("no times")?;
        Ok(Entities { keys, times: times.iter().map(|time| time.unwrap_or(0)).collect() })
    }

    /// Whether two rows are about the same entity.
    pub(in crate::kept) fn same(&self, a: usize, b: usize) -> bool {
        self.keys.iter().all(|key| key[a] == key[b])
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let other = self.keys.iter().map(|key| key[a].cmp(&key[b])).find(|order| order.is_ne());
        other.unwrap_or_else(|| self.times[a].cmp(&self.times[b]))
    }

    /// The order of the rows; none where they lie in it.
    pub(in crate::kept) fn order(&self) -> Option<Vec<u32>> {
        let rows = self.times.len();
        if (1..rows).all(|row| self.compare(row - 1, row).is_le()) {
            return None;
        }
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_by(|a, b| self.compare(*a as usize, *b as usize));
        Some(order)
    }
}

/// Positions of the columns that tell entities apart.
pub(in crate::kept) fn key_columns(def: &TableDef) -> impl Iterator<Item = usize> {
    let keys =
        def.all_columns().enumerate().filter(|(at, column)| column.kind == ColumnKind::Key && *at != TIME);
    keys.map(|(at, _)| at)
}

/// Several batches of a table as one, by entity and time.
pub(in crate::kept) fn joined(def: &TableDef, batches: &[RecordBatch]) -> Result<RecordBatch, String> {
    let all = concat(&RowSet::schema(def), batches).map_err(|error| error.to_string())?;
    match Entities::of(def, &all)?.order() {
        None => Ok(all),
        Some(order) => take_rows(&all, &order).map_err(|error| error.to_string()),
    }
}

/// Numbers that compare as a column's values do.
fn comparable(array: &ArrayRef) -> Result<Vec<Option<i64>>, String> {
    match array.data_type() {
        DataType::Int64 => Ok(array.as_primitive::<Int64Type>().iter().collect()),
        DataType::Boolean => Ok(array.as_boolean().iter().map(|value| value.map(i64::from)).collect()),
        DataType::Float64 => Ok(array.as_primitive::<Float64Type>().iter().map(|v| v.map(total)).collect()),
        _ => {
            let texts =
                array.as_dictionary_opt::<Int32Type>().ok_or("a key that is neither number nor text")?;
            let words = texts.values().as_string_opt::<i32>().ok_or("text in another form")?;
            let sorted: Vec<&str> = words.iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
            let place = |word: &str| sorted.binary_search(&word).map_or(-1, |place| place as i64);
            let places: Vec<i64> = words.iter().map(|word| word.map_or(-1, place)).collect();
            let of = |code: Option<i32>| code.and_then(|code| places.get(code as usize).copied());
            Ok(texts.keys().iter().map(of).collect())
        }
    }
}

/// An integer that is ordered as the float is (IEEE 754, totalOrder).
fn total(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::DiskRow;
    use heldup_model::{Record, Stamp};

    use super::*;

    #[test]
    fn rows_of_several_batches_lie_by_entity_and_time() {
        let batch = |time_ms, devices: &[&str]| {
            let row = |device: &&str| DiskRow { device: Some((*device).into()), ..Default::default() };
            let stamp = Stamp { time_ms, secs: Some(1.0), host: "db1".into() };
            RowSet::increases(devices.iter().map(row)).to_batch(&stamp).expect("a batch")
        };
        let all = joined(DiskRow::DEF, &[batch(2, &["b", "a"]), batch(1, &["c", "b"])]).expect("rows");
        let entities = Entities::of(DiskRow::DEF, &all).expect("entities");
        assert_eq!(entities.times, [2, 1, 2, 1]);
        assert!(!entities.same(0, 1) && entities.same(1, 2) && !entities.same(2, 3));
        assert!(entities.order().is_none());
    }

    #[test]
    fn floats_are_ordered() {
        let values = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-9, 3.0];
        assert!(values.map(total).is_sorted());
    }
}
