//! Rows of one table's sealed files within a span, row group by row group.
//!
//! Row groups follow each other in time, and are skipped by the least and greatest time that the file
//! says of them. A question about a day reads hundreds of them: then as many threads as there are CPUs
//! share them. Each row group has its own reader, since a batch across two of them would lose
//! the dictionaries that its text is kept in, and each column of it is one `pread(2)`.

use std::collections::BTreeMap;
use std::fs::File;
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, new_null_array};
use arrow_schema::DataType;
use arrow_select::filter::filter_record_batch;
use bytes::{Buf, Bytes};
use heldup_model::{Flaw, Span, TableDef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::statistics::Statistics;

use super::binary_seconds;
use crate::store::conform_with;

/// Rows of a batch that is read.
const BATCH_ROWS: usize = 1 << 16;
/// Rows that are worth a thread of their own: some milliseconds.
const ROWS_A_THREAD: i64 = 1 << 18;
/// Threads at most: what reads beside others is not to take a machine for itself.
const MOST_THREADS: usize = 4;
/// Position of `time`, the first column of every table.
const TIME: usize = 0;

/// The rows of some files of a table within a span, both ends included, in the order of the files, with
/// NULL in columns that are not wanted. What cannot be read is said in the flaws.
pub(super) fn read(
    def: &'static TableDef,
    files: Vec<(PathBuf, File)>,
    span: Span,
    column: &dyn Fn(&str) -> bool,
    flaws: &mut Vec<Flaw>,
) -> Vec<RecordBatch> {
    // Rows are chosen by their time.
    let wanted = |name: &&str| *name == "time" || column(name);
    let columns: Vec<&str> = def.all_columns().map(|column| column.name).filter(wanted).collect();
    let mut wrong: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut sources = Vec::new();
    for (path, file) in files {
        match trusting(|| Source::open(file)) {
            Ok(source) => sources.push((path, source)),
            Err(what) => drop(wrong.insert(path, what)),
        }
    }
    let groups: Vec<(usize, usize)> = sources
        .iter()
        .enumerate()
        .flat_map(|(at, (_, source))| source.groups_of(span).map(move |group| (at, group)))
        .collect();
    let rows = |(at, group): &(usize, usize)| sources[*at].1.metadata.metadata().row_group(*group).num_rows();
    let worth = groups.iter().map(rows).sum::<i64>() / ROWS_A_THREAD;
    let read = |(at, group): &(usize, usize), nulls: &mut Nulls| {
        trusting(|| sources[*at].1.rows(def, *group, span, &columns, nulls))
    };
    let mut batches = Vec::new();
    for (at, rows) in each_in_threads(&groups, usize::try_from(worth).unwrap_or(0), &read) {
        match rows {
            Ok(rows) => batches.extend(rows),
            Err(what) => drop(wrong.entry(sources[groups[at].0].0.clone()).or_insert(what)),
        }
    }
    flaws.extend(wrong.into_iter().map(|(path, what)| Flaw { place: path.display().to_string(), what }));
    batches
}

type Rows = Result<Vec<RecordBatch>, String>;

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

/// The parquet crate aims to return errors for broken files, but promises nothing.
fn trusting<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err("damaged in a way that the Parquet reader cannot name".into()))
}

/// An open file.
struct Source {
    file: File,
    length: u64,
    metadata: ArrowReaderMetadata,
}

impl Source {
    fn open(file: File) -> Result<Source, String> {
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default());
        let metadata = metadata.map_err(|error| format!("not a Parquet file: {error}"))?;
        Ok(Source { length: Length::len(&file), file, metadata })
    }

    /// The row groups that may hold rows of a span.
    fn groups_of(&self, span: Span) -> impl Iterator<Item = usize> + '_ {
        let groups = self.metadata.metadata().row_groups().iter().enumerate();
        groups.filter(move |(_, group)| may_hold(group, span)).map(|(at, _)| at)
    }

    fn rows(
        &self,
        def: &'static TableDef,
        group: usize,
        span: Span,
        columns: &[&str],
        nulls: &mut Nulls,
    ) -> Rows {
        let metadata = self.metadata.metadata();
        let chunks = self.chunks(metadata.row_group(group), columns)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, self.metadata.clone());
        let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
        let builder = builder.with_row_groups(vec![group]).with_projection(mask);
        let reader = builder.with_batch_size(BATCH_ROWS).build().map_err(|error| error.to_string())?;
        let mut batches = Vec::new();
        for batch in reader {
            let batch = batch.map_err(|error| error.to_string())?;
            let batch = conform_with(def, &batch, &mut |ty, rows| nulls.of(ty, rows))?;
            let batch = binary_seconds::restore(&within(&batch, span)?, metadata)?;
            if batch.num_rows() > 0 {
                batches.push(batch);
            }
        }
        Ok(batches)
    }

    /// The bytes of the columns that are wanted.
    fn chunks(&self, group: &RowGroupMetaData, columns: &[&str]) -> Result<Chunks, String> {
        let mut chunks = Vec::new();
        for column in group.columns() {
            if !columns.contains(&column.column_path().string().as_str()) {
                continue;
            }
            let (begin, length) = column.byte_range();
            if begin.checked_add(length).is_none_or(|end| end > self.length) {
                return Err(format!("column {} lies behind the end of the file", column.column_path()));
            }
            let mut bytes = vec![0; usize::try_from(length).map_err(|error| error.to_string())?];
            self.file.read_exact_at(&mut bytes, begin).map_err(|error| error.to_string())?;
            chunks.push((begin, Bytes::from(bytes)));
        }
        Ok(Chunks { length: self.length, chunks })
    }
}

/// Parts of a file that were read, by where they begin.
struct Chunks {
    length: u64,
    chunks: Vec<(u64, Bytes)>,
}

impl Chunks {
    /// What was read from a place on.
    fn from(&self, start: u64) -> Result<Bytes, ParquetError> {
        let found = self.chunks.iter().find_map(|(begin, bytes)| {
            let skipped = usize::try_from(start.checked_sub(*begin)?).ok()?;
            (skipped < bytes.len()).then(|| bytes.slice(skipped..))
        });
        found.ok_or_else(|| ParquetError::EOF(format!("byte {start} is in no column that is read")))
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Chunks {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.from(start).map(Buf::reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = self.from(start)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{length} bytes from {start} on are in no column")));
        }
        Ok(bytes.slice(..length))
    }
}

/// The least and the greatest time in a file, as it says itself.
pub(super) fn times(file: File) -> Result<Option<Span>, String> {
    trusting(|| {
        let source = Source::open(file)?;
        let groups = source.metadata.metadata().row_groups().iter();
        Ok(groups.filter_map(span_of).reduce(|a, b| Span {
            since_ms: a.since_ms.min(b.since_ms),
            until_ms: a.until_ms.max(b.until_ms),
        }))
    })
}

/// From when to when a row group is, as the file says.
fn span_of(group: &RowGroupMetaData) -> Option<Span> {
    let time = group.columns().iter().find(|column| column.column_path().string() == "time")?;
    let Statistics::Int64(times) = time.statistics()? else { return None };
    Some(Span { since_ms: *times.min_opt()?, until_ms: *times.max_opt()? })
}

/// Whether a row group may hold rows of a span. One that says nothing of its times may.
fn may_hold(group: &RowGroupMetaData, span: Span) -> bool {
    span_of(group).is_none_or(|of| of.since_ms <= span.until_ms && of.until_ms >= span.since_ms)
}

/// Columns of NULLs, made once and shared: a day of a hundred processes has 8.6 million rows, of
/// which a question reads three columns of fifty.
#[derive(Default)]
struct Nulls(Vec<ArrayRef>);

impl Nulls {
    fn of(&mut self, ty: &DataType, rows: usize) -> ArrayRef {
        let found = self.0.iter().find(|array| array.data_type() == ty && array.len() >= rows);
        let array = found.cloned().unwrap_or_else(|| {
            let array = new_null_array(ty, rows.max(BATCH_ROWS));
            self.0.push(array.clone());
            array
        });
        array.slice(0, rows)
    }
}

/// The greatest time in a batch.
pub(super) fn last_time(batch: &RecordBatch) -> Option<i64> {
    batch.column(TIME).as_primitive_opt::<Int64Type>()?.iter().flatten().max()
}

/// The rows of a batch within a span.
pub(super) fn within(batch: &RecordBatch, span: Span) -> Result<RecordBatch, String> {
    let Some(times) = batch.column(TIME).as_primitive_opt::<Int64Type>() else {
        return Err("no times".into());
    };
    let inside = |time: i64| (span.since_ms..=span.until_ms).contains(&time);
    if times.null_count() == 0 && times.values().iter().all(|time| inside(*time)) {
        return Ok(batch.clone());
    }
    let mask: BooleanArray = times.iter().map(|time| Some(time.is_some_and(inside))).collect();
    filter_record_batch(batch, &mask).map_err(|error| error.to_string())
}
