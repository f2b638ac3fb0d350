//! Tables as rows of text, to be compared whatever batches they are cut into.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};

/// Rows by table.
pub type Rows = BTreeMap<String, Vec<String>>;

/// The rows of tables, in their order; tables without rows are left out.
pub fn rows_of(tables: &BTreeMap<String, Vec<RecordBatch>>) -> Rows {
    let mut all = Rows::new();
    for (name, batches) in tables {
        let rows: Vec<String> =
            batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|row| text_of(batch, row))).collect();
        if !rows.is_empty() {
            all.insert(name.clone(), rows);
        }
    }
    all
}

/// Rows as they should be; says the first that is not.
#[track_caller]
pub fn assert_same(found: &Rows, expected: &Rows, what: &str) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "tables, {what}");
    for (table, rows) in expected {
        let found = &found[table];
        for (row, (found, expected)) in found.iter().zip(rows).enumerate() {
            assert_eq!(found, expected, "row {row} of {table}, {what}");
        }
        assert_eq!(found.len(), rows.len(), "rows of {table}, {what}");
    }
}

fn text_of(batch: &RecordBatch, row: usize) -> String {
    let schema = batch.schema_ref();
    let cells = schema.fields().iter().zip(batch.columns()).map(|(field, array)| {
        let value = if array.is_null(row) {
            "-".to_owned()
        } else if let Some(ints) = array.as_primitive_opt::<Int64Type>() {
            ints.value(row).to_string()
        } else if let Some(floats) = array.as_primitive_opt::<Float64Type>() {
            format!("{:?}", floats.value(row))
        } else if let Some(bools) = array.as_boolean_opt() {
            bools.value(row).to_string()
        } else {
            let texts = array.as_dictionary::<Int32Type>();
            let code = texts.keys().value(row) as usize;
            texts.values().as_string::<i32>().value(code).to_owned()
        };
        format!("{}={value}", field.name())
    });
    cells.collect::<Vec<_>>().join(" ")
}
