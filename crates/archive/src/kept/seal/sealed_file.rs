//! One table's sealed Parquet file: how its columns are written. `sealed_rows.rs` reads it.
//!
//! Rows lie by entity and time, so most columns repeat or move little from row to row; each takes
//! the encoding that makes it smallest. Row groups follow each other in time.

use std::fs::File;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, FieldRef};
use heldup_model::batch::take;
use heldup_model::{RowSet, TableDef, Unit};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use super::binary_seconds::Counted;
use crate::journal::SegmentHeader;
use crate::parquet_file::{FileWriter, Sink, encoded_length};
use crate::tables_version::TABLES_VERSION;

/// Rows from which an encoding is chosen: a table of one row a second has 3,600 in an hour, and fewer where a
/// segment ends early.
const WORTH_TRYING_ROWS: usize = 100;
/// Rows with which encodings are tried, in so many runs that lie evenly among all: the first entities of a
/// table are threads of the kernel, which are like few others.
const TRIED_ROWS: usize = 1 << 14;
const TRIED_RUNS: usize = 16;
/// What these rows of a column may take without a look at how they could take less.
const SMALL_BYTES: usize = 512;
/// How hard zstd tries. Of 23 minutes of a machine that compiled, level 9 took 6 to 8 % less than level 1 and half as
/// much CPU time again; what reads is as fast.
const ZSTD_LEVEL: i32 = 9;
/// Bytes of a page at most, before compression; a row group's largest column has fewer.
const PAGE_BYTES: usize = 8 << 20;

/// One thing that a file says of itself.
pub(in crate::kept) fn said(key: &str, value: impl Into<String>) -> KeyValue {
    KeyValue::new(format!("heldup.{key}"), value.into())
}

/// What the file of a segment says of it.
pub(in crate::kept) fn of_segment(header: &SegmentHeader) -> Vec<KeyValue> {
    vec![said("host", &header.host), said("boot_id", &header.boot_id)]
}

/// A writer of the table's file, made for rows like these.
pub(in crate::kept) fn writer(
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
        let (encoding, as_binary) = form(field, &some_of(array)?, seconds)?;
        properties = encoded(properties, field.name(), encoding);
        binary.push(as_binary);
    }
    for counted in Counted::ALL {
        let names = like.schema_ref().fields().iter().zip(&binary);
        let names = names.filter(|(_, as_binary)| **as_binary == Some(counted));
        let names: Vec<&str> = names.map(|(field, _)| field.name().as_str()).collect();
        if !names.is_empty() {
            says.push(said(counted.said_as(), names.join(" ")));
        }
    }
    let properties = properties.set_key_value_metadata(Some(says)).build();
    let writer = FileWriter::new(Sink::Disk(file), &RowSet::schema(def), properties)?;
    Ok(TableWriter { writer, binary })
}

/// Writes a table's file.
pub(in crate::kept) struct TableWriter {
    writer: FileWriter,
    /// Of each column, whether it has seconds as multiples of a power of two, and what they were counted in.
    binary: Vec<Option<Counted>>,
}

impl TableWriter {
    /// Writes a row group.
    pub(in crate::kept) fn write(&mut self, rows: &RecordBatch) -> Result<(), String> {
        self.write_columns(&mut |at| rows.columns().get(at).cloned().ok_or_else(|| "rows without it".into()))
    }

    /// Writes a row group, whose columns are asked for one after the other, by their position.
    pub(in crate::kept) fn write_columns(
        &mut self,
        column: &mut dyn FnMut(usize) -> Result<ArrayRef, String>,
    ) -> Result<(), String> {
        let binary = &self.binary;
        let written = self.writer.write_columns(&mut |at| {
            let array = column(at)?;
            let as_binary = binary.get(at).copied().flatten();
            Ok(vec![as_binary.and_then(|counted| counted.written(&array)).unwrap_or(array)])
        });
        written.map_err(|error| error.to_string())
    }

    /// Completes the file, which says one thing more of itself.
    pub(in crate::kept) fn finish(mut self, says: Option<KeyValue>) -> Result<File, String> {
        says.into_iter().for_each(|says| self.writer.say(says));
        match self.writer.finish().map_err(|error| error.to_string())? {
            Sink::Disk(file) => Ok(file),
            Sink::Memory(_) => Err("written elsewhere".into()),
        }
    }
}

/// Rows with which encodings are tried, of so many; all where these are few.
pub(in crate::kept) fn tried(rows: usize) -> impl Iterator<Item = usize> {
    let (runs, length) = match rows > TRIED_ROWS {
        true => (TRIED_RUNS, TRIED_ROWS / TRIED_RUNS),
        false => (1, rows),
    };
    (0..runs).flat_map(move |run| (0..length).map(move |row| run * (rows / runs) + row))
}

/// The rows of a column with which encodings are tried.
fn some_of(array: &ArrayRef) -> Result<ArrayRef, ParquetError> {
    if array.len() <= TRIED_ROWS {
        return Ok(array.clone());
    }
    let rows: Vec<Option<u32>> = tried(array.len()).map(|row| u32::try_from(row).ok()).collect();
    take(array, &rows).map_err(|error| ParquetError::General(error.to_string()))
}

/// How a column is written, by rows like its own: the encoding, and whether as binary seconds.
fn form(
    field: &FieldRef,
    array: &ArrayRef,
    seconds: bool,
) -> Result<(Option<Encoding>, Option<Counted>), ParquetError> {
    let (encoding_of_it, length) = encoding(field, array)?;
    // What is mostly zero is small as it is; how long intervals were is noise in few bytes a row, since many rows
    // have the same.
    let noisy = seconds && length < usize::MAX && length > SMALL_BYTES;
    let counted = Counted::of(array).filter(|_| noisy);
    // Of the length of an interval nobody misses half a microsecond, of a time half a nanosecond; ticks, and
    // stalls that were counted in microseconds, are told as they are.
    let counted = counted.filter(|counted| (*counted == Counted::Microseconds) == (field.name() == "secs"));
    if let Some(counted) = counted
        && let Some(binary) = counted.written(array)
    {
        let (encoding_of_binary, length_of_binary) = encoding(field, &binary)?;
        // What is a little smaller is not worth times that are a little off elsewhere.
        if length_of_binary < length / 4 * 3 {
            return Ok((encoding_of_binary, Some(counted)));
        }
    }
    Ok((encoding_of_it, None))
}

/// The encoding that makes these rows of a column smallest, none for a dictionary, and what they
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
    let mut best = (usize::MAX, None);
    for candidate in candidates {
        let properties = encoded(properties()?, field.name(), *candidate).build();
        let length = encoded_length(field, array, properties)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_tried_with_rows_of_all() {
        assert!(tried(0).next().is_none());
        assert!(tried(TRIED_ROWS).eq(0..TRIED_ROWS));
        for rows in [TRIED_ROWS + 1, 3 * TRIED_ROWS + 7, 400_000] {
            let some: Vec<usize> = tried(rows).collect();
            assert_eq!(some.len(), TRIED_ROWS);
            assert!(some.is_sorted_by(|a, b| a < b), "each once");
            let last = *some.last().expect("a row");
            assert!(last < rows && last >= rows - rows / TRIED_RUNS - TRIED_RUNS, "{last} of {rows}");
        }
    }
}
