//! A file of a table's day as what another is made of: one row group after the other.

use std::fs::File;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use heldup_model::TableDef;

use super::binary_seconds::restore;
use crate::parquet_file::ParquetFile;
use crate::store::conform;

/// An open file.
pub(super) struct SourceFile(ParquetFile);

impl SourceFile {
    pub(super) fn open(file: File) -> Result<SourceFile, String> {
        ParquetFile::open(file).map(SourceFile)
    }

    /// What the file says of itself.
    pub(super) fn says(&self, key: &str) -> Option<&str> {
        self.0.says(key)
    }

    /// The least time of each row group.
    pub(super) fn begins(&self) -> Vec<i64> {
        (0..self.0.groups())
            .map(|group| self.0.span_of(group).map_or(i64::MIN, |span| span.since_ms))
            .collect()
    }

    /// The rows of a row group.
    pub(super) fn rows(&self, def: &TableDef, group: usize) -> Result<RecordBatch, String> {
        let wanted = |name: &str| def.all_columns().any(|column| column.name == name);
        restore(&conform(def, &self.0.rows(group, &wanted)?)?, &self.0)
    }

    /// All times of the file, in no order.
    pub(super) fn times(&self) -> Result<Vec<i64>, String> {
        let mut all = Vec::new();
        for group in 0..self.0.groups() {
            let rows = self.0.rows(group, &|name| name == "time")?;
            let times = rows.columns().first().and_then(|times| times.as_primitive_opt::<Int64Type>());
            all.extend(times.iter().flat_map(|times| times.values().iter()));
        }
        Ok(all)
    }
}
