//! An open Parquet file: what it says of itself, and its rows, a row group at a time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use bytes::{Buf, Bytes};
use heldup_model::Span;
use heldup_model::batch::take;
use parquet::column::page::PageReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::statistics::Statistics;

use super::column::Column;
use crate::tables_version::check_tables_version;

/// What a file ends with, after the length of its metadata.
const MAGIC: &[u8; 4] = b"PAR1";
/// Rows that are read of a row group at most.
const MAX_ROWS: i64 = 100_000_000;

/// An open file.
pub(crate) struct ParquetFile {
    bytes: Place,
    metadata: ParquetMetaData,
}

/// Where a file's bytes are.
enum Place {
    Disk(File),
    Memory(Bytes),
}

impl Place {
    fn length(&self) -> io::Result<u64> {
        match self {
            Place::Disk(file) => file.metadata().map(|metadata| metadata.len()),
            Place::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// So many bytes from a place on, all of which are there.
    fn read(&self, begin: u64, length: u64) -> Result<Bytes, String> {
        let cut = || format!("cut off: no {length} bytes from {begin} on");
        let end = begin.checked_add(length).ok_or_else(cut)?;
        if end > self.length().map_err(|error| error.to_string())? {
            return Err(cut());
        }
        match self {
            Place::Disk(file) => {
                let mut bytes = vec![0; usize::try_from(length).map_err(|_| cut())?];
                file.read_exact_at(&mut bytes, begin).map_err(|error| error.to_string())?;
                Ok(bytes.into())
            }
            Place::Memory(bytes) => Ok(bytes.slice(begin as usize..end as usize)),
        }
    }
}

impl ParquetFile {
    /// A file on a disk.
    pub(crate) fn open(file: File) -> Result<ParquetFile, String> {
        trusting(|| ParquetFile::at(Place::Disk(file)))
    }

    /// A file that was read.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Result<ParquetFile, String> {
        trusting(|| ParquetFile::at(Place::Memory(bytes.into())))
    }

    fn at(bytes: Place) -> Result<ParquetFile, String> {
        let no_file = |what: String| format!("not a Parquet file: {what}");
        let length = bytes.length().map_err(|error| error.to_string())?;
        let foot = length.checked_sub(8).ok_or_else(|| no_file(format!("{length} bytes")))?;
        let end = bytes.read(foot, 8).map_err(no_file)?;
        let (size, magic) = end.split_at(4);
        if magic != MAGIC {
            return Err(no_file("it does not end with PAR1".into()));
        }
        let size = size.iter().rev().fold(0, |size, byte| (size << 8) | u64::from(*byte));
        let begin = foot.checked_sub(size).ok_or_else(|| no_file(format!("{size} bytes of metadata")))?;
        let metadata = ParquetMetaDataReader::decode_metadata(&bytes.read(begin, size).map_err(no_file)?);
        let file = ParquetFile { bytes, metadata: metadata.map_err(|error| no_file(error.to_string()))? };
        file.says("tables_version").map_or(Ok(()), check_tables_version)?;
        Ok(file)
    }

    /// What the file says of itself, as `heldup.<key>`.
    pub(crate) fn says(&self, key: &str) -> Option<&str> {
        let said = self.metadata.file_metadata().key_value_metadata()?;
        said.iter().find(|said| said.key.strip_prefix("heldup.") == Some(key))?.value.as_deref()
    }

    /// Row groups.
    pub(crate) fn groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    /// Rows of a row group; 0 where there is none of that number.
    pub(crate) fn rows_of(&self, group: usize) -> u64 {
        self.group(group).and_then(|group| u64::try_from(group.num_rows()).ok()).unwrap_or(0)
    }

    /// Bytes that the columns take without compression, by what the file says.
    pub(crate) fn unpacked_bytes(&self) -> i64 {
        self.metadata.row_groups().iter().map(|group| group.total_byte_size().max(0)).sum()
    }

    /// From when to when a row group is, as the file says.
    pub(crate) fn span_of(&self, group: usize) -> Option<Span> {
        let mut columns = self.group(group)?.columns().iter();
        let time = columns.find(|column| name_of(column) == "time")?;
        let Statistics::Int64(times) = time.statistics()? else { return None };
        Some(Span { since_ms: *times.min_opt()?, until_ms: *times.max_opt()? })
    }

    fn group(&self, group: usize) -> Option<&RowGroupMetaData> {
        self.metadata.row_groups().get(group)
    }

    /// These columns of a row group, as far as there are such, in the order of the file. Text is a dictionary.
    pub(crate) fn rows(&self, group: usize, wanted: &dyn Fn(&str) -> bool) -> Result<RecordBatch, String> {
        self.columns(group, wanted, None)
    }

    /// The same of some rows, by their positions. No more than one column is in memory whole.
    pub(crate) fn some_rows(
        &self,
        group: usize,
        wanted: &dyn Fn(&str) -> bool,
        rows: &[Option<u32>],
    ) -> Result<RecordBatch, String> {
        self.columns(group, wanted, Some(rows))
    }

    fn columns(
        &self,
        group: usize,
        wanted: &dyn Fn(&str) -> bool,
        some: Option<&[Option<u32>]>,
    ) -> Result<RecordBatch, String> {
        trusting(|| {
            let group = self.group(group).ok_or("no such row group")?;
            let rows = usize::try_from(group.num_rows().min(MAX_ROWS + 1)).unwrap_or(usize::MAX);
            if rows > MAX_ROWS as usize {
                return Err(format!("{} rows in a group; at most {MAX_ROWS} are read", group.num_rows()));
            }
            let (mut fields, mut arrays) = (Vec::new(), Vec::new());
            for column in group.columns().iter().filter(|column| wanted(name_of(column))) {
                let array = self.column(column, rows).and_then(|array| match some {
                    Some(some) => take(&array, some).map_err(|error| error.to_string()),
                    None => Ok(array),
                });
                let array = array.map_err(|what| format!("column {}: {what}", name_of(column)))?;
                fields.push(Field::new(name_of(column), array.data_type().clone(), true));
                arrays.push(array);
            }
            let counted = RecordBatchOptions::new().with_row_count(Some(some.map_or(rows, <[_]>::len)));
            RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &counted)
                .map_err(|error| error.to_string())
        })
    }

    fn column(&self, of: &ColumnChunkMetaData, rows: usize) -> Result<ArrayRef, String> {
        let descr = of.column_descr();
        if descr.max_rep_level() > 0 || descr.max_def_level() > 1 {
            return Err("it is nested, which no column of a table is".into());
        }
        let (begin, length) = of.byte_range();
        let chunk = Chunk { begin, bytes: self.bytes.read(begin, length)? };
        let pages = SerializedPageReader::new(Arc::new(chunk), of, rows, None);
        let mut pages = pages.map_err(|error| error.to_string())?;
        let mut column = Column::new(of.column_type(), descr.max_def_level() == 1, rows)?;
        while let Some(page) = pages.get_next_page().map_err(|error| error.to_string())? {
            column.add(&page)?;
        }
        column.finish()
    }
}

/// A column's name in the file; the first part of a nested one's.
fn name_of(column: &ColumnChunkMetaData) -> &str {
    column.column_path().parts().first().map_or("", String::as_str)
}

/// The parquet crate aims to return errors for broken files, but promises nothing.
fn trusting<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err("damaged in a way that the Parquet reader cannot name".into()))
}

/// The bytes of one column in a row group.
struct Chunk {
    begin: u64,
    bytes: Bytes,
}

impl Chunk {
    fn from(&self, start: u64) -> Result<Bytes, ParquetError> {
        let skipped = start.checked_sub(self.begin).and_then(|skipped| usize::try_from(skipped).ok());
        let skipped = skipped.filter(|skipped| *skipped <= self.bytes.len());
        let skipped =
            skipped.ok_or_else(|| ParquetError::EOF(format!("byte {start} is outside of the column")))?;
        Ok(self.bytes.slice(skipped..))
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }
}

impl ChunkReader for Chunk {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        self.from(start).map(Buf::reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = self.from(start)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!(
                "{length} bytes from {start} on are outside of the column"
            )));
        }
        Ok(bytes.slice(..length))
    }
}
