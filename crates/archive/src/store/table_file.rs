//! One table's Parquet file: bytes from batches and batches from bytes.
//!
//! Time is delta-encoded, everything else goes through dictionaries: names repeat,
//! and so do most counters of a machine that does little. Columns of more than a few rows
//! are compressed with zstd, level 1; level 3 saves 4 % at most and costs more.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch};
use arrow_schema::DataType;
use heldup_model::batch::null_column;
use heldup_model::{Column, ColumnType, RowSet, TableDef};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::parquet_file::{FileWriter, ParquetFile, Sink};
use crate::sql::fits;
use crate::tables_version::TABLES_VERSION;

/// Rows that a file is read to at most.
const MAX_ROWS: u64 = 100_000_000;

/// Bytes that a file may say its columns have without compression.
const MAX_UNPACKED_BYTES: i64 = 4 << 30;

/// Rows from which a table is compressed. Each column wants a compressor of its own, which is
/// made and thrown away for 15 µs: more than all else for the small tables, which are most.
const COMPRESSED_FROM_ROWS: usize = 500;

/// Rows of a row group from which another begins.
const GROUP_ROWS: usize = 1 << 20;

/// Name of a table's file.
pub(super) fn name(def: &TableDef) -> String {
    format!("{}.parquet", def.name)
}

/// The file of a table, and its rows.
pub(super) fn encode(def: &TableDef, batches: &[RecordBatch]) -> Result<(Vec<u8>, u64), String> {
    let say = |error: parquet::errors::ParquetError| error.to_string();
    let all: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let compression = match all >= COMPRESSED_FROM_ROWS {
        true => Compression::ZSTD(ZstdLevel::try_new(1).map_err(say)?),
        false => Compression::UNCOMPRESSED,
    };
    let schema = RowSet::schema(def);
    let sink = Sink::Memory(Vec::new());
    let mut writer = FileWriter::new(sink, &schema, properties(def, compression)).map_err(say)?;
    let mut waiting: Vec<RecordBatch> = Vec::new();
    let (mut rows, mut of_group) = (0, 0);
    for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
        waiting.push(conform(def, batch)?);
        rows += batch.num_rows() as u64;
        of_group += batch.num_rows();
        if of_group >= GROUP_ROWS {
            writer.write_group(&std::mem::take(&mut waiting)).map_err(say)?;
            of_group = 0;
        }
    }
    if !waiting.is_empty() {
        writer.write_group(&waiting).map_err(say)?;
    }
    match writer.finish().map_err(say)? {
        Sink::Memory(bytes) => Ok((bytes, rows)),
        Sink::Disk(_) => Err("written elsewhere".into()),
    }
}

fn properties(def: &TableDef, compression: Compression) -> WriterProperties {
    let time = ColumnPath::from("time");
    let said = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    WriterProperties::builder()
        .set_created_by(concat!("heldup ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(compression)
        .set_column_dictionary_enabled(time.clone(), false)
        .set_column_encoding(time, Encoding::DELTA_BINARY_PACKED)
        // Readers skip row groups by these; the finer ones would outweigh small files.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(vec![
            said("heldup.table", def.name.to_owned()),
            said("heldup.tables_version", TABLES_VERSION.to_string()),
        ]))
        .build()
}

/// The rows of a table's file.
pub(super) fn decode(def: &TableDef, bytes: Vec<u8>, rows: u64) -> Result<Vec<RecordBatch>, String> {
    let file = ParquetFile::of_bytes(bytes)?;
    let unpacked = file.unpacked_bytes();
    if rows > MAX_ROWS || unpacked > MAX_UNPACKED_BYTES {
        return Err(format!(
            "{rows} rows and {unpacked} bytes unpacked; at most {MAX_ROWS} and {MAX_UNPACKED_BYTES} are read"
        ));
    }
    let found = (0..file.groups()).fold(0_u64, |found, group| found.saturating_add(file.rows_of(group)));
    if found != rows {
        return Err(format!("{found} rows, expected {rows}"));
    }
    let wanted = |name: &str| def.all_columns().any(|column| column.name == name);
    (0..file.groups()).map(|group| conform(def, &file.rows(group, &wanted)?)).collect()
}

/// A batch in the declared form: columns in order, those that it lacks NULL, others left out.
pub(crate) fn conform(def: &TableDef, batch: &RecordBatch) -> Result<RecordBatch, String> {
    conform_with(def, batch, &mut |ty, rows| null_column(ty, rows).map_err(|error| error.to_string()))
}

/// As [`conform`]; `nulls` makes a column of so many NULLs.
pub(crate) fn conform_with(
    def: &TableDef,
    batch: &RecordBatch,
    nulls: &mut dyn FnMut(&DataType, usize) -> Result<ArrayRef, String>,
) -> Result<RecordBatch, String> {
    let schema = RowSet::schema(def);
    if batch.schema_ref() == &schema {
        return Ok(batch.clone());
    }
    let arrays = def.all_columns().zip(schema.fields()).map(|(column, field)| {
        let Some(array) = batch.column_by_name(column.name) else {
            return nulls(field.data_type(), batch.num_rows());
        };
        conform_column(column, array)
    });
    let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, _>>()?;
    RecordBatch::try_new(schema, arrays).map_err(|error| error.to_string())
}

/// A column in the declared form.
pub(crate) fn conform_column(column: &Column, array: &ArrayRef) -> Result<ArrayRef, String> {
    if !fits(array.data_type(), column.ty) {
        let (name, expected) = (column.name, column.ty.sql_name());
        return Err(format!("column {name} holds {}, expected {expected}", array.data_type()));
    }
    Ok(if column.ty == ColumnType::Text { as_dictionary(array) } else { array.clone() })
}

/// Text as a dictionary, as every other part of the program has it.
fn as_dictionary(array: &ArrayRef) -> ArrayRef {
    match array.as_string_opt::<i32>() {
        Some(plain) => Arc::new(plain.iter().collect::<DictionaryArray<Int32Type>>()),
        None => array.clone(),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{Float64Type, Int64Type};
    use arrow_array::{Array, Float64Array, Int64Array};
    use heldup_model::tables::DiskRow;
    use heldup_model::{Record, Stamp};

    use super::*;

    fn rows() -> RecordBatch {
        let disk = |device: &str, reads| DiskRow { device: Some(device.into()), reads, ..Default::default() };
        let stamp = Stamp { time_ms: 1_763_700_000_000, secs: Some(1.0), host: "db1".into() };
        let rows = [disk("sda", Some(5)), disk("sdb", None), disk("sda", Some(7))];
        RowSet::increases(rows).to_batch(&stamp).expect("a batch")
    }

    fn foreign(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter(columns).expect("a batch");
        let sink = Sink::Memory(Vec::new());
        let mut writer =
            FileWriter::new(sink, batch.schema_ref(), WriterProperties::default()).expect("a writer");
        writer.write_group(&[batch]).expect("written");
        let Sink::Memory(bytes) = writer.finish().expect("a file") else { panic!("in memory") };
        bytes
    }

    #[test]
    fn a_table_comes_back_as_it_was() {
        let (bytes, count) = encode(DiskRow::DEF, &[rows(), rows()]).expect("a file");
        let back = decode(DiskRow::DEF, bytes, count).expect("rows");
        assert_eq!(back.len(), 1);
        assert_eq!(back[0].schema(), RowSet::schema(DiskRow::DEF));
        assert_eq!(back[0].slice(0, 3), rows());
        assert_eq!(back[0].slice(3, 3), rows());
    }

    #[test]
    fn missing_and_unknown_columns_are_taken_in() {
        let device: DictionaryArray<Int32Type> = [Some("sda"), None].into_iter().collect();
        let device: ArrayRef = Arc::new(device);
        let reads: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let bytes = foreign(vec![("later", reads.clone()), ("reads", reads), ("device", device)]);
        let batch = decode(DiskRow::DEF, bytes, 2).expect("rows").remove(0);
        let column = |name| batch.column_by_name(name).expect("a column");
        assert_eq!(column("reads").as_primitive::<Int64Type>().values(), &[1, 2]);
        assert!(column("device").is_null(1) && !column("device").is_null(0));
        assert_eq!(column("writes").null_count(), 2);
        assert_eq!(column("secs").as_primitive::<Float64Type>().null_count(), 2);
        assert_eq!(batch.num_columns(), DiskRow::DEF.all_columns().count());
    }

    #[test]
    fn another_type_is_an_error() {
        let bytes = foreign(vec![("reads", Arc::new(Float64Array::from(vec![1.5])))]);
        let error = decode(DiskRow::DEF, bytes, 1).expect_err("an error");
        assert_eq!(error, "column reads holds Float64, expected INTEGER");
    }

    #[test]
    fn a_wrong_number_of_rows_is_an_error() {
        let (bytes, _) = encode(DiskRow::DEF, &[rows()]).expect("a file");
        for rows in [0, 2, 4, u64::MAX] {
            assert!(decode(DiskRow::DEF, bytes.clone(), rows).is_err(), "{rows}");
        }
    }

    #[test]
    fn broken_files_are_errors_or_rows_but_never_a_panic() {
        let (whole, count) = encode(DiskRow::DEF, &[rows()]).expect("a file");
        assert!(decode(DiskRow::DEF, Vec::new(), count).is_err());
        for length in (0..whole.len()).step_by(97) {
            assert!(decode(DiskRow::DEF, whole[..length].to_vec(), count).is_err(), "cut at {length}");
        }
        for at in (0..whole.len()).step_by(7) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x41;
            if let Ok(batches) = decode(DiskRow::DEF, bytes, count) {
                assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>() as u64, count);
            }
        }
    }
}
