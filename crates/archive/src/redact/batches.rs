//! Texts of Arrow batches: read, and replaced.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch};
use heldup_model::{Capture, ColumnType, Holds, TableDef, tables};

use super::cells::Cells;
use crate::store::conform;

/// All columns of text, and what they hold.
pub(super) fn columns(capture: &Capture) -> Result<Vec<(ArrayRef, Holds)>, String> {
    let mut all = Vec::new();
    for (name, batches) in &capture.tables {
        let Some(def) = tables::find(name) else { continue };
        for batch in batches {
            let batch = conform(def, batch).map_err(|what| format!("table {name}: {what}"))?;
            let of_text = def.all_columns().zip(batch.columns()).filter(|(c, _)| c.ty == ColumnType::Text);
            all.extend(of_text.map(|(column, array)| (array.clone(), column.holds)));
        }
    }
    Ok(all)
}

/// The different texts of a column, each once, and perhaps some that no row has.
pub(super) fn distinct(column: &ArrayRef) -> Vec<&str> {
    let Some(column) = column.as_dictionary_opt::<Int32Type>() else { return Vec::new() };
    let values = column.values().as_string_opt::<i32>();
    values.map(|values| values.iter().flatten().collect()).unwrap_or_default()
}

/// A batch with its texts replaced.
pub(super) fn redacted(
    def: &TableDef,
    batch: &RecordBatch,
    cells: &mut Cells,
) -> Result<RecordBatch, String> {
    let batch = conform(def, batch)?;
    let packages = packages(def, &batch);
    let arrays = def.all_columns().zip(batch.columns()).map(|(column, array)| match column.ty {
        ColumnType::Text => {
            let kept = if column.name == "setting_value" { packages.as_slice() } else { &[] };
            text(def, (column.name, column.holds), array, kept, cells)
        }
        ColumnType::Int | ColumnType::Float | ColumnType::Bool => Ok(array.clone()),
    });
    let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, _>>()?;
    RecordBatch::try_new(batch.schema(), arrays).map_err(|error| error.to_string())
}

/// Which rows of the table `setting` are packages: a version such as 5.10.0.1 is no address.
fn packages(def: &TableDef, batch: &RecordBatch) -> Vec<bool> {
    let keys = batch.column_by_name("setting_key").filter(|_| def.name == "setting");
    let keys = keys.and_then(|keys| keys.as_dictionary_opt::<Int32Type>());
    let Some(keys) = keys.and_then(|keys| keys.downcast_dict::<arrow_array::StringArray>()) else {
        return Vec::new();
    };
    keys.into_iter().map(|key| key.is_some_and(|key| key.starts_with("package."))).collect()
}

fn text(
    def: &TableDef,
    (name, holds): (&str, Holds),
    array: &ArrayRef,
    kept: &[bool],
    cells: &mut Cells,
) -> Result<ArrayRef, String> {
    let unreadable = || format!("{}.{name} is not text as every table has it", def.name);
    let column = array.as_dictionary_opt::<Int32Type>().ok_or_else(unreadable)?;
    let typed = column.downcast_dict::<arrow_array::StringArray>().ok_or_else(unreadable)?;
    // Made anew: two texts may have become one, and what no row has must not stay.
    let replaced = typed.into_iter().enumerate().map(|(row, text)| {
        let is_kept = kept.get(row) == Some(&true);
        text.map(|text| if is_kept { text.to_owned() } else { cells.redacted(holds, text) })
    });
    let replaced: Vec<Option<String>> = replaced.collect();
    let replaced: DictionaryArray<Int32Type> = replaced.iter().map(Option::as_deref).collect();
    Ok(Arc::new(replaced))
}
