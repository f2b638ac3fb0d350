//! A Parquet file that is being written, a row group at a time.
//!
//! One column after the other is encoded by the `parquet` crate's writer of its type, and goes to the file: no
//! more than one is in memory beside the rows.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::{ColumnCloseResult, ColumnWriterImpl};
use parquet::data_type::{self, BoolType, ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor, Type, TypePtr};

/// Texts that are handed to the encoder at once.
const TEXTS_AT_ONCE: usize = 4096;

/// Where a file is written to.
pub(crate) enum Sink {
    /// A file on a disk.
    Disk(File),
    /// Memory.
    Memory(Vec<u8>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Disk(file) => file.write(bytes),
            Sink::Memory(all) => all.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Disk(file) => file.flush(),
            Sink::Memory(_) => Ok(()),
        }
    }
}

/// Writes a file.
pub(crate) struct FileWriter {
    writer: SerializedFileWriter<Sink>,
}

impl FileWriter {
    /// A file of these columns.
    pub(crate) fn new(
        sink: Sink,
        schema: &Schema,
        properties: WriterProperties,
    ) -> Result<FileWriter, ParquetError> {
        let columns = schema_of(schema.fields().iter().map(|field| &**field))?;
        Ok(FileWriter { writer: SerializedFileWriter::new(sink, columns, Arc::new(properties))? })
    }

    /// Writes the rows of some batches, which have the file's columns in its order, as one row group.
    pub(crate) fn write_group(&mut self, batches: &[RecordBatch]) -> Result<(), ParquetError> {
        self.write_columns(&mut |at| {
            let parts = batches.iter().map(|batch| batch.columns().get(at).cloned());
            parts.collect::<Option<Vec<ArrayRef>>>().ok_or_else(|| "rows without it".to_owned())
        })
    }

    /// Writes one row group, whose columns are asked for by their position, each once and in parts that follow
    /// each other. All have as many rows.
    pub(crate) fn write_columns(
        &mut self,
        column: &mut dyn FnMut(usize) -> Result<Vec<ArrayRef>, String>,
    ) -> Result<(), ParquetError> {
        let columns = self.writer.schema_descr().columns().to_vec();
        let properties = Arc::clone(self.writer.properties());
        let mut group = self.writer.next_row_group()?;
        for (at, descr) in columns.into_iter().enumerate() {
            let named = |what| ParquetError::General(format!("column {}: {what}", descr.name()));
            let parts = column(at).map_err(named)?;
            let (bytes, closed) = encoded(&descr, &properties, &parts)?;
            group.append_column(&bytes, closed)?;
        }
        group.close().map(drop)
    }

    /// Has the file say something of itself.
    pub(crate) fn say(&mut self, said: KeyValue) {
        self.writer.append_key_value_metadata(said);
    }

    /// Completes the file.
    pub(crate) fn finish(self) -> Result<Sink, ParquetError> {
        self.writer.into_inner()
    }
}

/// Bytes that a column would take in a file.
pub(crate) fn encoded_length(
    field: &Field,
    array: &ArrayRef,
    properties: WriterProperties,
) -> Result<usize, ParquetError> {
    let schema = SchemaDescriptor::new(schema_of([field])?);
    Ok(encoded(&schema.column(0), &Arc::new(properties), std::slice::from_ref(array))?.0.len())
}

/// The file's schema.
fn schema_of<'a>(fields: impl IntoIterator<Item = &'a Field>) -> Result<TypePtr, ParquetError> {
    let column = |field: &Field| {
        let (ty, logical) = match field.data_type() {
            DataType::Int64 => (PhysicalType::INT64, None),
            DataType::Float64 => (PhysicalType::DOUBLE, None),
            DataType::Boolean => (PhysicalType::BOOLEAN, None),
            DataType::Dictionary(..) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            other => return Err(ParquetError::NYI(format!("column {} of {other}", field.name()))),
        };
        let column = Type::primitive_type_builder(field.name(), ty);
        column.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
    };
    let columns = fields.into_iter().map(column).collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder("schema").with_fields(columns).build()?))
}

/// A column's pages, and what a file says of them.
fn encoded(
    descr: &ColumnDescPtr,
    properties: &WriterPropertiesPtr,
    parts: &[ArrayRef],
) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
    let mut sink = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut sink));
    let (descr, properties) = (descr.clone(), properties.clone());
    let closed = match descr.physical_type() {
        PhysicalType::INT64 => {
            let mut writer = ColumnWriterImpl::<data_type::Int64Type>::new(descr, properties, pages);
            for part in parts {
                let array = part.as_primitive_opt::<Int64Type>().ok_or_else(|| other_type(part))?;
                writer.write_batch(&known(array.values(), part), Some(&levels(part)), None)?;
            }
            writer.close()
        }
        PhysicalType::DOUBLE => {
            let mut writer = ColumnWriterImpl::<DoubleType>::new(descr, properties, pages);
            for part in parts {
                let array = part.as_primitive_opt::<Float64Type>().ok_or_else(|| other_type(part))?;
                writer.write_batch(&known(array.values(), part), Some(&levels(part)), None)?;
            }
            writer.close()
        }
        PhysicalType::BOOLEAN => {
            let mut writer = ColumnWriterImpl::<BoolType>::new(descr, properties, pages);
            for part in parts {
                let array = part.as_boolean_opt().ok_or_else(|| other_type(part))?;
                let values: Vec<bool> = array.iter().flatten().collect();
                writer.write_batch(&values, Some(&levels(part)), None)?;
            }
            writer.close()
        }
        _ => {
            let mut writer = ColumnWriterImpl::<ByteArrayType>::new(descr, properties, pages);
            for part in parts {
                write_texts(&mut writer, part)?;
            }
            writer.close()
        }
    }?;
    Ok((sink.into_inner()?.into(), closed))
}

fn write_texts(
    writer: &mut ColumnWriterImpl<'_, ByteArrayType>,
    part: &ArrayRef,
) -> Result<(), ParquetError> {
    let texts = part.as_dictionary_opt::<Int32Type>().ok_or_else(|| other_type(part))?;
    let words = texts.values().as_string_opt::<i32>().ok_or_else(|| other_type(part))?;
    let words: Vec<ByteArray> =
        words.iter().map(|word| Bytes::copy_from_slice(word.unwrap_or_default().as_bytes()).into()).collect();
    let levels = levels(part);
    let codes = texts.keys().values();
    for begin in (0..part.len()).step_by(TEXTS_AT_ONCE) {
        let rows = begin..part.len().min(begin + TEXTS_AT_ONCE);
        let known = rows.clone().filter(|row| part.is_valid(*row));
        let values: Vec<ByteArray> =
            known.filter_map(|row| words.get(codes[row] as usize).cloned()).collect();
        writer.write_batch(&values, Some(&levels[rows]), None)?;
    }
    Ok(())
}

/// Which rows have a value: 1, else 0.
fn levels(array: &ArrayRef) -> Vec<i16> {
    match array.nulls() {
        None => vec![1; array.len()],
        Some(nulls) => nulls.iter().map(i16::from).collect(),
    }
}

/// The values of the rows that have one.
fn known<'a, T: Copy>(values: &'a [T], array: &ArrayRef) -> std::borrow::Cow<'a, [T]> {
    match array.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => values.into(),
        Some(nulls) => nulls.valid_indices().map(|row| values[row]).collect(),
    }
}

fn other_type(array: &ArrayRef) -> ParquetError {
    ParquetError::NYI(format!("a column of {}", array.data_type()))
}
