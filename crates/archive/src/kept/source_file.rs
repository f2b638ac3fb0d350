//! A file of a table's day as what another is made of: one row group after the other.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use heldup_model::TableDef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::statistics::Statistics;

use super::binary_seconds::restore;
use crate::store::conform;

/// Rows of a batch that is read.
const BATCH_ROWS: usize = 1 << 16;

/// An open file.
pub(super) struct SourceFile {
    file: File,
    metadata: ArrowReaderMetadata,
}

impl SourceFile {
    pub(super) fn open(file: File) -> Result<SourceFile, String> {
        trusting(|| {
            let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default());
            let metadata = metadata.map_err(|error| format!("not a Parquet file: {error}"))?;
            Ok(SourceFile { file, metadata })
        })
    }

    /// What the file says of itself.
    pub(super) fn says(&self, key: &str) -> Option<&str> {
        let said = self.metadata.metadata().file_metadata().key_value_metadata()?;
        said.iter().find(|said| said.key.strip_prefix("heldup.") == Some(key))?.value.as_deref()
    }

    /// The least time of each row group.
    pub(super) fn begins(&self) -> Vec<i64> {
        let groups = self.metadata.metadata().row_groups().iter();
        let times =
            groups.map(|group| match group.columns().first().and_then(|column| column.statistics()) {
                Some(Statistics::Int64(times)) => times.min_opt().copied(),
                _ => None,
            });
        times.map(|least| least.unwrap_or(i64::MIN)).collect()
    }

    /// The rows of a row group.
    pub(super) fn rows(&self, def: &TableDef, group: usize) -> Result<Vec<RecordBatch>, String> {
        let batches = self.read(Some(group), def.all_columns().map(|column| column.name))?;
        let metadata = self.metadata.metadata();
        batches.iter().map(|batch| restore(&conform(def, batch)?, metadata)).collect()
    }

    /// All times of the file, in no order.
    pub(super) fn times(&self) -> Result<Vec<i64>, String> {
        let batches = self.read(None, ["time"])?;
        let times =
            batches.iter().filter_map(|batch| batch.columns().first()?.as_primitive_opt::<Int64Type>());
        Ok(times.flat_map(|times| times.values().iter().copied()).collect())
    }

    fn read<'a>(
        &self,
        group: Option<usize>,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<RecordBatch>, String> {
        trusting(|| {
            let file = self.file.try_clone().map_err(|error| error.to_string())?;
            let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
            let mask = ProjectionMask::columns(builder.parquet_schema(), columns);
            if let Some(group) = group {
                builder = builder.with_row_groups(vec![group]);
            }
            let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
            let reader = reader.map_err(|error| error.to_string())?;
            reader.map(|batch| batch.map_err(|error| error.to_string())).collect()
        })
    }
}

/// The parquet crate aims to return errors for broken files, but promises nothing.
fn trusting<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err("damaged in a way that the Parquet reader cannot name".into()))
}
