//! Row groups of several files as one, by entity and time, a column at a time.
//!
//! Only what orders the rows is in memory for all of them: each column is read, brought into that order
//! and written before the next. So a group of a day's file can be as long as an hour of a hundred processes, where
//! whole rows are cut after nine minutes, and each cut costs every column a dictionary, an end of its runs and
//! what the compressor knew of it.

use arrow_array::{ArrayRef, RecordBatch};
use heldup_model::batch::{concat_columns, take};
use heldup_model::{RowSet, TableDef};

use super::source_file::SourceFile;
use crate::kept::seal::entity_order::{Entities, TIME, key_columns};

/// Several row groups of a table.
pub(in crate::kept) struct JoinedGroups<'a> {
    def: &'static TableDef,
    parts: Vec<(&'a SourceFile, usize)>,
    /// Where each row stands in the parts, one below the other; none where they lie in order.
    order: Option<Vec<Option<u32>>>,
    rows: usize,
}

impl<'a> JoinedGroups<'a> {
    /// Reads what orders the rows of these files' row groups.
    pub(in crate::kept) fn of(
        def: &'static TableDef,
        parts: Vec<(&'a SourceFile, usize)>,
    ) -> Result<JoinedGroups<'a>, String> {
        let rows = parts.iter().map(|(file, group)| file.rows_of(*group)).sum();
        let mut joined = JoinedGroups { def, parts, order: None, rows };
        let keys = key_columns(def).map(|at| joined.column(at));
        let order = Entities::of_columns(keys, &joined.column(TIME)?)?.order();
        joined.order = order.map(|order| order.into_iter().map(Some).collect());
        Ok(joined)
    }

    /// How many rows these are.
    pub(in crate::kept) fn rows(&self) -> usize {
        self.rows
    }

    /// A column of all rows, by its position.
    pub(in crate::kept) fn column(&self, at: usize) -> Result<ArrayRef, String> {
        let parts = self.parts.iter().map(|(file, group)| file.column(self.def, *group, at));
        let parts = parts.collect::<Result<Vec<ArrayRef>, String>>()?;
        let all = match &parts[..] {
            [only] => only.clone(),
            _ => {
                let schema = RowSet::schema(self.def);
                let parts: Vec<&ArrayRef> = parts.iter().collect();
                concat_columns(schema.field(at).data_type(), &parts).map_err(|error| error.to_string())?
            }
        };
        match &self.order {
            None => Ok(all),
            Some(order) => take(&all, order).map_err(|error| error.to_string()),
        }
    }

    /// Some of the rows whole. What is not of them is not kept in memory.
    pub(in crate::kept) fn some(&self, rows: impl Iterator<Item = usize>) -> Result<RecordBatch, String> {
        let rows: Vec<Option<u32>> = rows.map(|row| u32::try_from(row).ok()).collect();
        let some = |at| take(&self.column(at)?, &rows).map_err(|error| error.to_string());
        let columns = (0..self.def.all_columns().count()).map(some).collect::<Result<Vec<_>, _>>()?;
        RecordBatch::try_new(RowSet::schema(self.def), columns).map_err(|error| error.to_string())
    }
}
