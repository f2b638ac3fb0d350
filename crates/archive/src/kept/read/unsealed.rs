//! Rows of a journal that is not sealed yet, with what sealing makes of them.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use heldup_model::batch::filter_rows;
use heldup_model::rollup::Rollup;
use heldup_model::tables::{ClassTimeRow, TaskTimeRow};
use heldup_model::{Record, Span, rollup};

use crate::journal::JournalReader;
use crate::kept::seal::by_class::ClassTimes;
use crate::kept::seal::entity_order::joined;
use crate::kept::seal::roll::{MINUTE_MS, Rolling, Stamps};
use crate::store::StoreError;

/// The wanted tables within a span; those that sealing makes of others are made of the same rows.
pub(in crate::kept) fn tables(
    journal: &mut JournalReader,
    wanted: &dyn Fn(&str) -> bool,
    span: Span,
    only: Option<(&str, i64)>,
) -> Result<BTreeMap<String, Vec<RecordBatch>>, StoreError> {
    let by_the_minute: Vec<&Rollup> = rollup::all().iter().filter(|rollup| wanted(rollup.def.name)).collect();
    let by_class = wanted(ClassTimeRow::DEF.name);
    let is_base = |name: &str| {
        by_the_minute.iter().any(|rollup| rollup.base.name == name)
            || (by_class && name == TaskTimeRow::DEF.name)
    };
    let mut tables = journal.window(&|name| wanted(name) || is_base(name), span)?;
    if let Some((column, value)) = only {
        for batch in tables.values_mut().flatten() {
            *batch = with_value(batch, column, value).map_err(StoreError::corrupt(journal.path()))?;
        }
        tables.values_mut().for_each(|batches| batches.retain(|batch| batch.num_rows() > 0));
        tables.retain(|_, batches| !batches.is_empty());
    }
    for rollup in by_the_minute {
        let rows = tables.get(rollup.base.name).map(Vec::as_slice).unwrap_or_default();
        let made = minutes(rollup, rows).map_err(StoreError::corrupt(journal.path()))?;
        tables.extend(made.map(|made| (rollup.def.name.to_owned(), vec![made])));
    }
    if by_class {
        let mut classes = ClassTimes::default();
        let rows = tables.get(TaskTimeRow::DEF.name).map(Vec::as_slice).unwrap_or_default();
        rows.iter().for_each(|rows| classes.add(rows));
        let made = classes.take().map_err(StoreError::corrupt(journal.path()))?;
        tables.extend(made.map(|made| (ClassTimeRow::DEF.name.to_owned(), vec![made])));
    }
    tables.retain(|name, _| wanted(name));
    Ok(tables)
}

/// The rows that have a value in a column of integers; all of a table without such a column.
fn with_value(batch: &RecordBatch, column: &str, value: i64) -> Result<RecordBatch, String> {
    let array = batch.column_by_name(column).and_then(|array| array.as_primitive_opt::<Int64Type>());
    let Some(array) = array else { return Ok(batch.clone()) };
    let has = |row: usize| array.is_valid(row) && array.value(row) == value;
    filter_rows(batch, has).map_err(|error| error.to_string())
}

fn minutes(rollup: &Rollup, batches: &[RecordBatch]) -> Result<Option<RecordBatch>, String> {
    let mut stamps = Stamps::of_steps(MINUTE_MS);
    for batch in batches {
        let times = batch.columns().first().and_then(|times| times.as_primitive_opt::<Int64Type>());
        times.iter().flat_map(|times| times.values().iter()).for_each(|time_ms| stamps.note(*time_ms));
    }
    let mut rolling = Rolling::by_the_minute(rollup);
    rolling.push(&joined(rollup.base, batches)?)?;
    rolling.take(true, &stamps)
}
