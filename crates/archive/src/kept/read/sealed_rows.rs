//! Rows of one table's sealed files within a span, row group by row group.
//!
//! Row groups follow each other in time, and are skipped by the least and greatest time that the file
//! says of them. A question about a day reads hundreds of them: then as many threads as there are CPUs
//! share them. A row group is a batch, whose text keeps the dictionaries of the file, and each column of it is
//! one `pread(2)`.

use std::collections::BTreeMap;
use std::fs::File;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::DataType;
use heldup_model::batch::{filter_rows, null_column};
use heldup_model::{Flaw, RowSet, Span, TableDef};

use crate::kept::seal::binary_seconds;
use crate::parquet_file::ParquetFile;
use crate::store::conform_with;

/// Rows of a column of NULLs, of which shorter ones are parts.
const NULL_ROWS: usize = 1 << 16;
/// Rows that are worth a thread of their own: some milliseconds.
const ROWS_A_THREAD: u64 = 1 << 18;
/// Threads at most: what reads beside others is not to take a machine for itself.
const MOST_THREADS: usize = 4;
/// Position of `time`, the first column of every table.
const TIME: usize = 0;

/// The rows of some files of a table within a span, both ends included, in the order of the files, with
/// NULL in columns that are not wanted; of a table with the column `only` those that have its value. What cannot be read is
/// said in the flaws.
pub(in crate::kept) fn read(
    def: &'static TableDef,
    files: Vec<(PathBuf, File)>,
    span: Span,
    column: &dyn Fn(&str) -> bool,
    only: Option<(&str, i64)>,
    flaws: &mut Vec<Flaw>,
) -> Vec<RecordBatch> {
    // Rows are chosen by their time.
    let wanted = |name: &&str| *name == "time" || column(name);
    let columns: Vec<&str> = def.all_columns().map(|column| column.name).filter(wanted).collect();
    let only = only.filter(|(column, _)| def.position(column).is_some());
    let mut wrong: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut sources = Vec::new();
    for (path, file) in files {
        match ParquetFile::open(file) {
            Ok(file) => sources.push((path, file)),
            Err(what) => drop(wrong.insert(path, what)),
        }
    }
    let groups: Vec<(usize, usize)> = sources
        .iter()
        .enumerate()
        .flat_map(|(at, (_, file))| (0..file.groups()).map(move |group| (at, group)))
        .filter(|(at, group)| may_hold(&sources[*at].1, *group, span))
        .collect();
    let rows = |(at, group): &(usize, usize)| sources[*at].1.rows_of(*group);
    let worth = groups.iter().map(rows).sum::<u64>() / ROWS_A_THREAD;
    let read = |(at, group): &(usize, usize), nulls: &mut Nulls| {
        rows_of(&sources[*at].1, def, *group, (span, only), &columns, nulls)
    };
    let mut batches = Vec::new();
    for (at, rows) in each_in_threads(&groups, usize::try_from(worth).unwrap_or(0), &read) {
        match rows {
            Ok(rows) if rows.num_rows() > 0 => batches.push(rows),
            Ok(_) => {}
            Err(what) => drop(wrong.entry(sources[groups[at].0].0.clone()).or_insert(what)),
        }
    }
    flaws.extend(wrong.into_iter().map(|(path, what)| Flaw { place: path.display().to_string(), what }));
    batches
}

type Rows = Result<RecordBatch, String>;

/// Reads row groups in no more threads than there are CPUs; the answers are in the groups' order.
fn each_in_threads<T: Sync>(
    groups: &[T],
    worth: usize,
    read: &(impl Fn(&T, &mut Nulls) -> Rows + Sync),
) -> Vec<(usize, Rows)> {
    let next = AtomicUsize::new(0);
    let run = || {
        let (mut done, mut nulls) = (Vec::new(), Nulls::default());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(group) = groups.get(at) else { return done };
            done.push((at, read(group, &mut nulls)));
        }
    };
    let cpus = || thread::available_parallelism().map_or(1, NonZero::get);
    let others = if worth > 1 { worth.min(cpus()).min(MOST_THREADS) - 1 } else { 0 };
    let mut done = thread::scope(|scope| {
        // Where no thread is to be had, this one reads all.
        let others: Vec<_> =
            (0..others).filter_map(|_| thread::Builder::new().spawn_scoped(scope, run).ok()).collect();
        let mut done = run();
        for other in others {
            done.extend(other.join().unwrap_or_default());
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done
}

/// The rows of a row group within a span.
fn rows_of(
    file: &ParquetFile,
    def: &'static TableDef,
    group: usize,
    which: (Span, Option<(&str, i64)>),
    columns: &[&str],
    nulls: &mut Nulls,
) -> Result<RecordBatch, String> {
    let wanted = |name: &str| columns.contains(&name);
    let rows = match chosen(file, group, which)? {
        None => file.rows(group, &wanted)?,
        Some(rows) if rows.is_empty() => return Ok(RecordBatch::new_empty(RowSet::schema(def))),
        Some(rows) => file.some_rows(group, &wanted, &rows)?,
    };
    let rows = conform_with(def, &rows, &mut |ty, rows| nulls.of(ty, rows))?;
    binary_seconds::restore(&rows, file)
}

/// The rows of a row group that are within a span and have a value; none where all are. By these columns alone, so that of
/// a minute of a row group no other column is kept whole.
fn chosen(
    file: &ParquetFile,
    group: usize,
    (span, only): (Span, Option<(&str, i64)>),
) -> Result<Option<Vec<Option<u32>>>, String> {
    let inside = |of: Span| of.since_ms >= span.since_ms && of.until_ms <= span.until_ms;
    let by_time = !file.span_of(group).is_some_and(inside);
    if !by_time && only.is_none() {
        return Ok(None);
    }
    let ints = |column: &str| -> Result<Option<Int64Array>, String> {
        let read = file.rows(group, &|name| name == column)?;
        Ok(read.columns().first().and_then(|array| array.as_primitive_opt::<Int64Type>()).cloned())
    };
    let times = if by_time { Some(ints("time")?.ok_or("no times")?) } else { None };
    // A file from before there was the column has no row with a value.
    let values = only.map(|(column, value)| Ok::<_, String>((ints(column)?, value))).transpose()?;
    let is_inside = |row: usize| {
        let times = times.as_ref();
        times.is_none_or(|times| {
            times.is_valid(row) && (span.since_ms..=span.until_ms).contains(&times.value(row))
        })
    };
    let has_value = |row: usize| match &values {
        None => true,
        Some((None, _)) => false,
        Some((Some(array), value)) => array.value(row) == *value && array.is_valid(row),
    };
    let count = usize::try_from(file.rows_of(group)).unwrap_or(0);
    let chosen = (0..count).filter(|row| has_value(*row) && is_inside(*row));
    let rows: Vec<Option<u32>> = chosen.map(|row| u32::try_from(row).ok()).collect();
    Ok((rows.len() < count).then_some(rows))
}

/// The least and the greatest time in a file, as it says itself.
pub(in crate::kept) fn times(file: File) -> Result<Option<Span>, String> {
    let file = ParquetFile::open(file)?;
    let groups = (0..file.groups()).filter_map(|group| file.span_of(group));
    Ok(groups
        .reduce(|a, b| Span { since_ms: a.since_ms.min(b.since_ms), until_ms: a.until_ms.max(b.until_ms) }))
}

/// Whether a row group may hold rows of a span. One that says nothing of its times may.
fn may_hold(file: &ParquetFile, group: usize, span: Span) -> bool {
    file.span_of(group).is_none_or(|of| of.since_ms <= span.until_ms && of.until_ms >= span.since_ms)
}

/// Columns of NULLs, made once and shared: a day of a hundred processes has 8.6 million rows, of
/// which a question reads three columns of fifty.
#[derive(Default)]
struct Nulls(Vec<ArrayRef>);

impl Nulls {
    fn of(&mut self, ty: &DataType, rows: usize) -> Result<ArrayRef, String> {
        let found = self.0.iter().find(|array| array.data_type() == ty && array.len() >= rows);
        if let Some(array) = found {
            return Ok(array.slice(0, rows));
        }
        let array = null_column(ty, rows.max(NULL_ROWS)).map_err(|error| error.to_string())?;
        self.0.push(array.clone());
        Ok(array.slice(0, rows))
    }
}

/// The greatest time in a batch.
pub(in crate::kept) fn last_time(batch: &RecordBatch) -> Option<i64> {
    batch.column(TIME).as_primitive_opt::<Int64Type>()?.iter().flatten().max()
}

/// The rows of a batch within a span.
pub(in crate::kept) fn within(batch: &RecordBatch, span: Span) -> Result<RecordBatch, String> {
    let Some(times) = batch.column(TIME).as_primitive_opt::<Int64Type>() else {
        return Err("no times".into());
    };
    // As a journal has them: nothing is copied.
    if times.null_count() == 0 && times.values().is_sorted() {
        let from = times.values().partition_point(|time| *time < span.since_ms);
        let until = times.values().partition_point(|time| *time <= span.until_ms);
        return Ok(batch.slice(from, until.saturating_sub(from)));
    }
    let inside = |row| times.is_valid(row) && (span.since_ms..=span.until_ms).contains(&times.value(row));
    filter_rows(batch, inside).map_err(|error| error.to_string())
}
