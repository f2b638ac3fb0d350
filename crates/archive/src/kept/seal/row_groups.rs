//! A journal's rows as row groups, with a bound to the memory that they take meanwhile.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use heldup_model::TableDef;

use super::roll::{MINUTE_MS, Stamps};
use crate::date::day_of;
use crate::journal::{JournalReader, TableRows};
use crate::store::StoreError;

/// Values that wait at most before the largest table becomes a row group: about 32 MB. A group
/// of processes holds 55,000 rows then, nine minutes of a hundred.
pub(in crate::kept) const MAX_CELLS: usize = 2 << 20;

/// One table on one day.
pub(in crate::kept) type Part = (&'static str, i64);

/// What takes a row group of a table's part, with the samples so far.
type Take<'a> = dyn FnMut(&'static TableDef, Part, &RecordBatch, &Stamps) -> Result<(), StoreError> + 'a;

/// Reads a journal to its end and passes on each row group: of one table and day, sorted by
/// entity and time, later than those of the same part before it. Returns how many samples there
/// are, and the last of each minute.
pub(in crate::kept) fn for_each(
    reader: &mut JournalReader,
    take: &mut Take,
) -> Result<(u64, Stamps), StoreError> {
    let mut stamps = Stamps::of_steps(MINUTE_MS);
    let mut waiting: BTreeMap<Part, (&'static TableDef, TableRows)> = BTreeMap::new();
    let mut cells = 0;
    let mut samples = 0;
    while let Some(sample) = reader.next_sample(&|_| true)? {
        samples += 1;
        stamps.note(sample.time_ms);
        reader.fresh_rows(&mut |def, push| {
            let part = (def.name, day_of(sample.time_ms));
            let (_, rows) = waiting.entry(part).or_insert_with(|| (def, TableRows::new(def)));
            let before = rows.cells();
            push(rows, sample.time_ms);
            cells += rows.cells() - before;
        });
        while cells > MAX_CELLS {
            let Some(largest) =
                waiting.iter().max_by_key(|(_, (_, rows))| rows.cells()).map(|(part, _)| *part)
            else {
                break;
            };
            if let Some((def, mut rows)) = waiting.remove(&largest) {
                cells -= rows.cells();
                take(def, largest, &reader.sorted_batch(&mut rows)?, &stamps)?;
            }
        }
    }
    for (part, (def, mut rows)) in waiting {
        if rows.len() > 0 {
            take(def, part, &reader.sorted_batch(&mut rows)?, &stamps)?;
        }
    }
    Ok((samples, stamps))
}
