//! One table's sealed Parquet file: how its columns are written, and a window of it read.
//!
//! Rows lie by entity and time, so most columns repeat or move little from row to row. Each
//! takes the encoding that suits its values: a dictionary where they are few, else differences
//! for integers and split bytes for floats. Row groups follow each other in time, and are
//! skipped by the least and greatest time that the file says of them.

use std::collections::HashSet;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use heldup_model::{RowSet, Span, TableDef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnPath;

use crate::journal::SegmentHeader;
use crate::store::{TABLES_VERSION, conform};

/// A column takes a dictionary while a value comes so often on average.
const REPEATS: usize = 16;
/// Rows of a batch that is read.
const BATCH_ROWS: usize = 1 << 16;
/// Position of `time`, the first column of every table.
const TIME: usize = 0;

/// A writer of the table's file, made for rows like these.
pub(super) fn writer(
    def: &TableDef,
    header: &SegmentHeader,
    like: &RecordBatch,
    file: File,
) -> Result<ArrowWriter<File>, ParquetError> {
    let said = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("heldup ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(None)
        .set_key_value_metadata(Some(vec![
            said("heldup.table", def.name),
            said("heldup.tables_version", &TABLES_VERSION.to_string()),
            said("heldup.host", &header.host),
            said("heldup.boot_id", &header.boot_id),
        ]));
    for (column, array) in def.all_columns().zip(like.columns()) {
        if let Some(encoding) = encoding(array) {
            let path = ColumnPath::from(column.name);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, encoding);
        }
    }
    ArrowWriter::try_new(file, RowSet::schema(def), Some(properties.build()))
}

/// The encoding of a column; none for the writer's own, a dictionary.
fn encoding(array: &ArrayRef) -> Option<Encoding> {
    let few = array.len() / REPEATS;
    if let Some(ints) = array.as_primitive_opt::<Int64Type>() {
        return more_than(few, ints.iter().flatten()).then_some(Encoding::DELTA_BINARY_PACKED);
    }
    let floats = array.as_primitive_opt::<Float64Type>()?;
    more_than(few, floats.iter().flatten().map(f64::to_bits)).then_some(Encoding::BYTE_STREAM_SPLIT)
}

/// Whether there are more than so many different values.
fn more_than<T: Eq + std::hash::Hash>(few: usize, values: impl Iterator<Item = T>) -> bool {
    let mut seen = HashSet::new();
    values.into_iter().any(|value| seen.insert(value) && seen.len() > few)
}

/// The rows of a file within a span, both ends included.
pub(super) fn read(def: &'static TableDef, file: File, span: Span) -> Result<Vec<RecordBatch>, String> {
    // The parquet crate aims to return errors for broken files, but promises nothing.
    catch_unwind(AssertUnwindSafe(|| read_trusting(def, file, span)))
        .unwrap_or_else(|_| Err("damaged in a way that the Parquet reader cannot name".into()))
}

fn read_trusting(def: &'static TableDef, file: File, span: Span) -> Result<Vec<RecordBatch>, String> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| format!("not a Parquet file: {error}"))?;
    let groups = builder.metadata().row_groups().iter().enumerate();
    let needed: Vec<usize> = groups.filter(|(_, group)| may_hold(group, span)).map(|(at, _)| at).collect();
    if needed.is_empty() {
        return Ok(Vec::new());
    }
    let mask = ProjectionMask::columns(builder.parquet_schema(), def.all_columns().map(|column| column.name));
    let reader = builder.with_row_groups(needed).with_projection(mask).with_batch_size(BATCH_ROWS).build();
    let mut batches = Vec::new();
    for batch in reader.map_err(|error| error.to_string())? {
        let batch = conform(def, &batch.map_err(|error| error.to_string())?)?;
        let batch = within(&batch, span)?;
        if batch.num_rows() > 0 {
            batches.push(batch);
        }
    }
    Ok(batches)
}

/// Whether a row group may hold rows of a span. One that says nothing of its times may.
fn may_hold(group: &RowGroupMetaData, span: Span) -> bool {
    let time = group.columns().iter().find(|column| column.column_path().string() == "time");
    match time.and_then(|column| column.statistics()) {
        Some(Statistics::Int64(times)) => {
            times.min_opt().is_none_or(|least| *least <= span.until_ms)
                && times.max_opt().is_none_or(|greatest| *greatest >= span.since_ms)
        }
        _ => true,
    }
}

fn within(batch: &RecordBatch, span: Span) -> Result<RecordBatch, String> {
    let Some(times) = batch.column(TIME).as_primitive_opt::<Int64Type>() else {
        return Err("no times".into());
    };
    let inside = |time: Option<i64>| time.is_some_and(|time| (span.since_ms..=span.until_ms).contains(&time));
    let mask: BooleanArray = times.iter().map(|time| Some(inside(time))).collect();
    if mask.true_count() == batch.num_rows() {
        return Ok(batch.clone());
    }
    filter_record_batch(batch, &mask).map_err(|error| error.to_string())
}
