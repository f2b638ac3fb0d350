//! One table's sealed Parquet file: how its columns are written. `sealed_rows.rs` reads it.
//!
//! Rows lie by entity and time, so most columns repeat or move little from row to row; each takes
//! the encoding that makes it smallest. Row groups follow each other in time.

use std::fs::File;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, FieldRef};
use heldup_model::{RowSet, TableDef, Unit};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use super::binary_seconds::{self, BINARY_SECONDS};
use crate::journal::SegmentHeader;
use crate::parquet_file::{FileWriter, Sink, encoded_length};
use crate::store::TABLES_VERSION;

/// Rows from which an encoding is chosen: smaller columns are a few hundred bytes at most.
const WORTH_TRYING_ROWS: usize = 1000;
/// Rows with which encodings are tried.
const TRIED_ROWS: usize = 1 << 14;
/// How hard zstd tries. Of 23 minutes of a machine that compiled, level 9 took 6 to 8 % less than level 1 and half as
/// much CPU time again; what reads is as fast.
const ZSTD_LEVEL: i32 = 9;
/// Bytes of a page at most, before compression; a row group's largest column has fewer.
const PAGE_BYTES: usize = 8 << 20;

/// One thing that a file says of itself.
pub(super) fn said(key: &str, value: impl Into<String>) -> KeyValue {
    KeyValue::new(format!("heldup.{key}"), value.into())
}

/// What the file of a segment says of it.
pub(super) fn of_segment(header: &SegmentHeader) -> Vec<KeyValue> {
    vec![said("host", &header.host), said("boot_id", &header.boot_id)]
}

/// A writer of the table's file, made for rows like these.
pub(super) fn writer(
    def: &TableDef,
    mut says: Vec<KeyValue>,
    like: &RecordBatch,
    file: File,
) -> Result<TableWriter, ParquetError> {
    says.extend([said("table", def.name), said("tables_version", TABLES_VERSION.to_string())]);
    let mut properties = properties()?;
    let mut binary = Vec::new();
    for (field, array) in like.schema_ref().fields().iter().zip(like.columns()) {
        let column = def.all_columns().find(|column| column.name == field.name());
        let seconds = column.is_some_and(|column| column.unit == Unit::Seconds);
        let (encoding, as_binary) = form(field, array, seconds)?;
        properties = encoded(properties, field.name(), encoding);
        if as_binary {
            binary.push(field.name().clone());
        }
    }
    if !binary.is_empty() {
        says.push(said(BINARY_SECONDS, binary.join(" ")));
    }
    let properties = properties.set_key_value_metadata(Some(says)).build();
    let writer = FileWriter::new(Sink::Disk(file), &RowSet::schema(def), properties)?;
    Ok(TableWriter { writer, binary })
}

/// Writes a table's file.
pub(super) struct TableWriter {
    writer: FileWriter,
    /// Columns of seconds as multiples of 2⁻³⁰.
    binary: Vec<String>,
}

impl TableWriter {
    /// Writes a row group.
    pub(super) fn write(&mut self, rows: &RecordBatch) -> Result<(), String> {
        let rows = binary_seconds::write_columns(rows, &self.binary)?;
        self.writer.write_group(&[rows]).map_err(|error| error.to_string())
    }

    /// Completes the file, which says one thing more of itself.
    pub(super) fn finish(mut self, says: Option<KeyValue>) -> Result<File, String> {
        says.into_iter().for_each(|says| self.writer.say(says));
        match self.writer.finish().map_err(|error| error.to_string())? {
            Sink::Disk(file) => Ok(file),
            Sink::Memory(_) => Err("written elsewhere".into()),
        }
    }
}

/// How a column is written: the encoding, and whether as binary seconds.
fn form(field: &FieldRef, array: &ArrayRef, seconds: bool) -> Result<(Option<Encoding>, bool), ParquetError> {
    let (encoding_of_it, length) = encoding(field, array)?;
    // Ticks and what is mostly zero are small as they are.
    let noisy = seconds && length < usize::MAX && length > 2 * array.len().min(TRIED_ROWS);
    if let Some(binary) = binary_seconds::written(array).filter(|_| noisy) {
        let (encoding_of_binary, length_of_binary) = encoding(field, &binary)?;
        // What is a little smaller is not worth times that are a little off elsewhere.
        if length_of_binary < length / 4 * 3 {
            return Ok((encoding_of_binary, true));
        }
    }
    Ok((encoding_of_it, false))
}

/// The encoding that makes the first rows of a column smallest, none for a dictionary, and what they
/// take; the greatest of numbers where that was not tried.
///
/// It is tried, not reckoned: an hour of a hundred made-up processes took 2.75 MB by a rule of
/// thumb (dictionaries where values repeat, else differences or split bytes). What is mostly zero
/// wants none of these, and times want what suits the rhythm in which an entity appears.
fn encoding(field: &FieldRef, array: &ArrayRef) -> Result<(Option<Encoding>, usize), ParquetError> {
    let candidates: &[Option<Encoding>] = match array.data_type() {
        DataType::Int64 => &[
            None,
            Some(Encoding::PLAIN),
            Some(Encoding::DELTA_BINARY_PACKED),
            Some(Encoding::BYTE_STREAM_SPLIT),
        ],
        DataType::Float64 => &[None, Some(Encoding::PLAIN), Some(Encoding::BYTE_STREAM_SPLIT)],
        _ => return Ok((None, usize::MAX)),
    };
    if array.len() < WORTH_TRYING_ROWS || array.null_count() == array.len() {
        return Ok((None, usize::MAX));
    }
    let some = array.slice(0, array.len().min(TRIED_ROWS));
    let mut best = (usize::MAX, None);
    for candidate in candidates {
        let properties = encoded(properties()?, field.name(), *candidate).build();
        let length = encoded_length(field, &some, properties)?;
        if length < best.0 {
            best = (length, *candidate);
        }
    }
    Ok((best.1, best.0))
}

/// What all sealed files have in common.
fn properties() -> Result<WriterPropertiesBuilder, ParquetError> {
    Ok(WriterProperties::builder()
        .set_created_by(concat!("heldup ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        // A row group has a page a column: what repeats is found across all of it, and nobody reads less of it.
        .set_data_page_row_count_limit(usize::MAX)
        .set_data_page_size_limit(PAGE_BYTES)
        .set_dictionary_page_size_limit(PAGE_BYTES)
        // Row groups are skipped by their times alone: each has all entities. The least and greatest
        // of each of fifty columns would be a fortieth of a day's file, and are read with every window.
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled(ColumnPath::from("time"), EnabledStatistics::Chunk)
        .set_offset_index_disabled(true))
}

fn encoded(
    properties: WriterPropertiesBuilder,
    column: &str,
    encoding: Option<Encoding>,
) -> WriterPropertiesBuilder {
    let path = ColumnPath::from(column);
    match encoding {
        Some(encoding) => {
            properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding)
        }
        None => properties,
    }
}
