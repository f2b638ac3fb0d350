//! Parquet files of tables, by the pages: what the `parquet` crate has without its Arrow half.
//!
//! That half reads and writes forty types by code of their own, two megabytes of it; tables have four. The
//! crate still does what files have in common (metadata, page headers, compression) and encodes columns of
//! numbers; pages become columns here, text as the codes that a page has of a dictionary, so that no
//! word is looked at twice.
//!
//! Columns are optional INT64, DOUBLE, BOOLEAN and BYTE_ARRAY (UTF-8), without nesting. What heldup writes is read, in
//! pages of version 1 and 2: PLAIN, dictionaries, of numbers DELTA_BINARY_PACKED and BYTE_STREAM_SPLIT, of yes and no
//! RLE; another encoding is an error that names it.
//! <https://parquet.apache.org/docs/file-format/data-pages/encodings/>

mod bits;
mod column;
mod decode;
mod delta;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use read::ParquetFile;
pub(crate) use write::{FileWriter, Sink, encoded_length};
