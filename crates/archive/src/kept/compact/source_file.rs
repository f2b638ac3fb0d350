//! A file of a table's day as what another is made of: one row group after the other, a column at a time.

use std::fs::File;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use heldup_model::batch::null_column;
use heldup_model::{RowSet, TableDef};

use crate::kept::seal::binary_seconds::restore_column;
use crate::parquet_file::ParquetFile;
use crate::store::conform_column;

/// An open file.
pub(in crate::kept) struct SourceFile(ParquetFile);

impl SourceFile {
    pub(in crate::kept) fn open(file: File) -> Result<SourceFile, String> {
        ParquetFile::open(file).map(SourceFile)
    }

    /// What the file says of itself.
    pub(in crate::kept) fn says(&self, key: &str) -> Option<&str> {
        self.0.says(key)
    }

    /// The least time of each row group.
    pub(in crate::kept) fn begins(&self) -> Vec<i64> {
        (0..self.0.groups())
            .map(|group| self.0.span_of(group).map_or(i64::MIN, |span| span.since_ms))
            .collect()
    }

    /// Rows of a row group.
    pub(in crate::kept) fn rows_of(&self, group: usize) -> usize {
        usize::try_from(self.0.rows_of(group)).unwrap_or(usize::MAX)
    }

    /// A column of a row group; of NULLs where the file has none of that name.
    pub(in crate::kept) fn column(
        &self,
        def: &TableDef,
        group: usize,
        at: usize,
    ) -> Result<ArrayRef, String> {
        let column = def.all_columns().nth(at).ok_or("no such column")?;
        let read = self.0.rows(group, &|name| name == column.name)?;
        match read.columns() {
            [] => {
                let nulls = null_column(RowSet::schema(def).field(at).data_type(), read.num_rows());
                nulls.map_err(|error| error.to_string())
            }
            [array, ..] => conform_column(column, &restore_column(column.name, array.clone(), &self.0)),
        }
    }

    /// All times of the file, in no order.
    pub(in crate::kept) fn times(&self) -> Result<Vec<i64>, String> {
        let mut all = Vec::new();
        for group in 0..self.0.groups() {
            let rows = self.0.rows(group, &|name| name == "time")?;
            let times = rows.columns().first().and_then(|times| times.as_primitive_opt::<Int64Type>());
            all.extend(times.iter().flat_map(|times| times.values().iter()));
        }
        Ok(all)
    }
}
