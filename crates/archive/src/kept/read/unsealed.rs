//! Rows of a journal that is not sealed yet, with its rollups by minute.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use heldup_model::rollup::Rollup;
use heldup_model::{Span, rollup};

use crate::journal::JournalReader;
use crate::kept::seal::entity_order::joined;
use crate::kept::seal::roll::{MINUTE_MS, Rolling, Stamps};
use crate::store::StoreError;

/// The wanted tables within a span; those by minute are made of what sealing would make them of.
pub(in crate::kept) fn tables(
    journal: &mut JournalReader,
    wanted: &dyn Fn(&str) -> bool,
    span: Span,
) -> Result<BTreeMap<String, Vec<RecordBatch>>, StoreError> {
    let by_the_minute: Vec<&Rollup> = rollup::all().iter().filter(|rollup| wanted(rollup.def.name)).collect();
    let is_base = |name: &str| by_the_minute.iter().any(|rollup| rollup.base.name == name);
    let mut tables = journal.window(&|name| wanted(name) || is_base(name), span)?;
    for rollup in by_the_minute {
        let rows = tables.get(rollup.base.name).map(Vec::as_slice).unwrap_or_default();
        let made = minutes(rollup, rows).map_err(StoreError::corrupt(journal.path()))?;
        tables.extend(made.map(|made| (rollup.def.name.to_owned(), vec![made])));
    }
    tables.retain(|name, _| wanted(name));
    Ok(tables)
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
