//! Several recordings of one host as one capture, on one time line.

mod align;
pub mod covered;
pub mod doubled;
pub mod log_copies;
pub mod one_name;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use heldup_model::batch::{concat, take};
use heldup_model::tables::HostRow;
use heldup_model::{Capture, Record, Span, TimeSource, Timing};

use crate::Import;
use crate::error::ImportError;
use crate::host_name::{UNKNOWN, is_placeholder, is_same_host};
use crate::merge::align::align;
use crate::merge::doubled::leave_out_doubled;
use crate::merge::log_copies::leave_out_copies;
use crate::merge::one_name::name_disks_once;

/// Batches are joined up to so many rows.
const JOINED_ROWS: usize = 8192;

/// So many hosts are named where there are several.
const MOST_HOSTS: usize = 20;

/// What became of several recordings.
pub enum Merged {
    /// None of them had numbers.
    Nothing,
    /// One capture of them all.
    One(Box<Capture>),
    /// They are of several hosts, whose names these are: the first twenty.
    Hosts(Vec<String>),
}

/// Joins what files became. Of what two files tell of the same thing at the same time the finer is kept, which
/// the other says in its notes.
pub fn merge(imports: &mut [Import]) -> Result<Merged, ImportError> {
    let mut hosts: Vec<String> = Vec::new();
    for capture in imports.iter().filter_map(|import| import.capture.as_ref()) {
        let is_other = |known: &String| !is_same_host(known, &capture.host);
        if capture.host != UNKNOWN && hosts.len() < MOST_HOSTS && hosts.iter().all(is_other) {
            hosts.push(capture.host.clone());
        }
    }
    if hosts.len() > 1 {
        hosts.retain(|host| !is_placeholder(host));
    }
    if hosts.len() > 1 {
        return Ok(Merged::Hosts(hosts));
    }
    align(imports)?;
    name_disks_once(imports)?;
    leave_out_doubled(imports)?;
    leave_out_copies(imports)?;
    let captures = imports.iter_mut().filter_map(|import| import.capture.take());
    let Some(mut joined) = captures.reduce(both) else { return Ok(Merged::Nothing) };
    one_row_of_the_host(&mut joined)
        .map_err(|source| ImportError::Table { table: HostRow::DEF.name, source })?;
    for (table, batches) in &mut joined.tables {
        batches.sort_by_key(crate::table::sheets::first_ms);
        let table = heldup_model::tables::find(table).map_or("a table", |def| def.name);
        *batches =
            joined_small(std::mem::take(batches)).map_err(|source| ImportError::Table { table, source })?;
    }
    Ok(Merged::One(Box::new(joined)))
}

fn both(mut first: Capture, second: Capture) -> Capture {
    // What does not say when it was stands beside the window and does not stretch it: seconds since a boot go back days.
    let is_known = |capture: &Capture| capture.timing.time != TimeSource::Unknown;
    first.span = match (is_known(&first), is_known(&second)) {
        (true, false) => first.span,
        (false, true) => second.span,
        _ => Span {
            since_ms: first.span.since_ms.min(second.span.since_ms),
            until_ms: first.span.until_ms.max(second.span.until_ms),
        },
    };
    // What says more is kept: a name, its domain.
    let says = |host: &str| (host != UNKNOWN && !is_placeholder(host), host.len());
    if first.host == UNKNOWN || says(&second.host) > says(&first.host) && second.host != UNKNOWN {
        first.host = second.host;
    }
    first.timing = together(first.timing, second.timing);
    for (table, batches) in second.tables {
        first.tables.entry(table).or_default().extend(batches);
    }
    first.flaws.extend(second.flaws);
    first.missing.extend(second.missing.into_iter().filter(|missing| {
        // Each file says it of itself; once is enough.
        missing.what != "task_time"
    }));
    first
}

/// The window is that of the files that have times; and only where no file has intervals nobody knows them.
fn together(one: Timing, other: Timing) -> Timing {
    let time = one.time.min(other.time);
    Timing { time, has_intervals: one.has_intervals || other.has_intervals }
}

/// Batches of some rows, of which thousands of small files leave thousands, as few that have many.
fn joined_small(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>, ArrowError> {
    let mut joined = Vec::new();
    let (mut small, mut rows) = (Vec::new(), 0);
    for batch in batches {
        if rows + batch.num_rows() > JOINED_ROWS {
            joined.extend(one(&mut small)?);
            rows = 0;
        }
        rows += batch.num_rows();
        small.push(batch);
    }
    joined.extend(one(&mut small)?);
    Ok(joined)
}

/// Some batches as one; none of none.
fn one(batches: &mut Vec<RecordBatch>) -> Result<Option<RecordBatch>, ArrowError> {
    let batches = std::mem::take(batches);
    batches.first().map(|first| concat(&first.schema(), &batches)).transpose()
}

/// Each recording tells something of the machine; there is one machine. What was told last counts.
fn one_row_of_the_host(capture: &mut Capture) -> Result<(), ArrowError> {
    let Some(batches) = capture.tables.get_mut(HostRow::DEF.name) else { return Ok(()) };
    let Some(schema) = batches.first().map(RecordBatch::schema) else { return Ok(()) };
    let all = concat(&schema, batches)?;
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (field, column) in schema.fields().iter().zip(all.columns()) {
        let known = (0..column.len()).rev().find(|row| column.is_valid(*row));
        columns.push(match field.name().as_str() {
            "time" => Arc::new(Int64Array::from(vec![capture.span.until_ms])),
            "secs" => Arc::new(Float64Array::from(vec![None::<f64>])),
            "window_s" => Arc::new(Float64Array::from(vec![capture.span.secs()])),
            _ => take(column, &[known.map(|row| row as u32)])?,
        });
    }
    *batches = vec![RecordBatch::try_new(schema, columns)?];
    Ok(())
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::MemoryRow;
    use heldup_model::{RowSet, Stamp};

    use super::*;

    #[test]
    fn small_batches_become_one_and_large_ones_stay() {
        let of = |rows: usize| {
            let rows = RowSet::totals((0..rows).map(|_| MemoryRow::default()));
            rows.to_batch(&Stamp { time_ms: 0, secs: None, host: "a".into() }).expect("a batch")
        };
        let joined = joined_small([3, 5, JOINED_ROWS, JOINED_ROWS - 1, 1, 2].map(of).to_vec());
        let rows: Vec<usize> = joined.expect("one schema").iter().map(RecordBatch::num_rows).collect();
        assert_eq!(rows, [8, JOINED_ROWS, JOINED_ROWS, 2]);
        assert!(joined_small(Vec::new()).expect("nothing").is_empty());
    }
}
