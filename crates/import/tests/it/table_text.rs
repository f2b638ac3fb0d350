//! What was read, as lines that a person can compare with the recording.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use heldup_import::{Hints, Import, read};

/// When all recordings of the tests were last written.
pub const WRITTEN_MS: i64 = 1_795_325_999_000;

/// Reads a text.
pub fn import(text: &[u8]) -> Import {
    read("recording", text, Hints { modified_ms: WRITTEN_MS, ..Hints::default() })
        .expect("reading from memory does not fail")
}

/// Everything that an import says: what the file was, its notes and flaws, and each value.
pub fn told(import: &Import) -> String {
    let mut text =
        format!("{} ({} of {} lines)\n", import.file.what, import.file.lines_read, import.file.lines);
    for note in &import.file.notes {
        let _ = writeln!(text, "note: {note}");
    }
    for flaw in &import.flaws {
        let _ = writeln!(text, "flaw: {}: {}", flaw.place, flaw.what);
    }
    let tables = import.capture.iter().flat_map(|capture| &capture.tables);
    for (table, batches) in tables {
        for batch in batches {
            for row in 0..batch.num_rows() {
                let values: Vec<String> = batch
                    .schema()
                    .fields()
                    .iter()
                    .filter(|field| field.name() != "host")
                    .filter_map(|field| {
                        Some(format!("{}={}", field.name(), value(batch, field.name(), row)?))
                    })
                    .collect();
                let _ = writeln!(text, "{table} {}", values.join(" "));
            }
        }
    }
    text
}

/// A value as text; none for NULL.
pub fn value(batch: &RecordBatch, column: &str, row: usize) -> Option<String> {
    let array = batch.column_by_name(column)?;
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float64 => {
            let rounded = (array.as_primitive::<Float64Type>().value(row) * 1e9).round() / 1e9;
            rounded.to_string()
        }
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        _ => {
            let words = array.as_dictionary::<Int32Type>();
            let all = words.values().as_any().downcast_ref::<StringArray>().expect("text");
            all.value(words.keys().value(row) as usize).to_owned()
        }
    })
}

/// A number in a table, of the row with this time (of all rows the first) and this key.
pub fn number(
    import: &Import,
    table: &str,
    column: &str,
    key: Option<(&str, &str)>,
    at: usize,
) -> Option<f64> {
    let capture = import.capture.as_ref()?;
    let mut found = Vec::new();
    for batch in capture.tables.get(table)? {
        for row in 0..batch.num_rows() {
            let is_it = key.is_none_or(|(name, wanted)| value(batch, name, row).as_deref() == Some(wanted));
            if is_it {
                found.push(value(batch, column, row));
            }
        }
    }
    found.get(at).cloned().flatten().and_then(|text| text.parse().ok())
}
