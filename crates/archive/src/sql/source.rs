//! The rows of one table, as the virtual table reads them.
//!
//! Everything is in memory: a capture is a window of seconds to minutes. Columns,
//! the order by time and the key indexes are made on first use and then kept for
//! the life of the database.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use arrow_array::RecordBatch;
use heldup_model::{Column as Declared, ColumnKind, ColumnType, TableDef};

use super::column::{Column, fits};
use super::error::SqlError;
use super::key_index::KeyIndex;
use super::task_sums::TaskSums;

/// Position of `time`, the first column of every table.
pub(super) const TIME: usize = 0;

/// Look-ups by one key column that scan before an index is built: one or two come
/// from constants in a WHERE, more from a join.
const SCANS_BEFORE_INDEX: u32 = 2;

/// One table of a capture.
pub(super) struct Source {
    def: &'static TableDef,
    declared: Vec<Declared>,
    batches: Vec<RecordBatch>,
    rows: u32,
    columns: Vec<OnceLock<Column>>,
    indexes: Vec<OnceLock<KeyIndex>>,
    lookups: Vec<AtomicU32>,
    times: OnceLock<Times>,
    task_sums: OnceLock<Arc<TaskSums>>,
}

/// What is known about the column `time`.
struct Times {
    sorted: bool,
    samples: usize,
}

impl Source {
    /// The rows of a table; columns that a batch does not have read as NULL, columns
    /// that the table does not declare are ignored.
    pub(super) fn new(def: &'static TableDef, batches: &[RecordBatch]) -> Result<Source, SqlError> {
        let empty = Source::empty(def);
        let declared = &empty.declared;
        for (batch, column) in batches.iter().flat_map(|b| declared.iter().map(move |c| (b, c))) {
            let Ok(field) = batch.schema_ref().field_with_name(column.name) else { continue };
            if !fits(field.data_type(), column.ty) {
                return Err(SqlError::Capture {
                    place: format!("{}.{}", def.name, column.name),
                    what: format!("holds {}, expected {}", field.data_type(), column.ty.sql_name()),
                });
            }
        }
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        let rows = u32::try_from(rows).ok().filter(|rows| *rows < u32::MAX);
        let rows = rows.ok_or_else(|| SqlError::Capture {
            place: def.name.into(),
            what: "more than 4,294,967,294 rows".into(),
        })?;
        Ok(Source { batches: batches.to_vec(), rows, ..empty })
    }

    /// Rows of a table in columns that are there; the others are NULL.
    pub(super) fn of_columns(def: &'static TableDef, rows: u32, columns: Vec<(&str, Column)>) -> Source {
        let mut source = Source::empty(def);
        source.rows = rows;
        for (name, column) in columns {
            let at = source.declared.iter().position(|declared| declared.name == name);
            if let Some(place) = at.and_then(|at| source.columns.get_mut(at)) {
                *place = OnceLock::from(column);
            }
        }
        source
    }

    /// A table without rows.
    pub(super) fn empty(def: &'static TableDef) -> Source {
        let declared: Vec<Declared> = def.all_columns().copied().collect();
        Source {
            def,
            columns: declared.iter().map(|_| OnceLock::new()).collect(),
            indexes: declared.iter().map(|_| OnceLock::new()).collect(),
            lookups: declared.iter().map(|_| AtomicU32::new(0)).collect(),
            declared,
            batches: Vec::new(),
            rows: 0,
            times: OnceLock::new(),
            task_sums: OnceLock::new(),
        }
    }

    /// Whether these are its rows: the same arrays, not equal ones.
    pub(super) fn has_only(&self, batches: &[RecordBatch]) -> bool {
        let same = |a: &RecordBatch, b: &RecordBatch| {
            a.num_columns() == b.num_columns()
                && a.columns().iter().zip(b.columns()).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        self.batches.len() == batches.len() && self.batches.iter().zip(batches).all(|(a, b)| same(a, b))
    }

    /// The table's declaration.
    pub(super) fn def(&self) -> &'static TableDef {
        self.def
    }

    /// All columns, in order.
    pub(super) fn declared(&self) -> &[Declared] {
        &self.declared
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// A column; none beyond the last.
    #[inline]
    pub(super) fn column(&self, at: usize) -> Option<&Column> {
        let column = self.columns.get(at)?;
        if let Some(column) = column.get() {
            return Some(column);
        }
        let declared = self.declared.get(at)?;
        Some(column.get_or_init(|| Column::join(&self.batches, declared.name, declared.ty)))
    }

    /// A column by its name.
    pub(super) fn column_of(&self, name: &str) -> Option<&Column> {
        self.column(self.declared.iter().position(|column| column.name == name)?)
    }

    /// Whether rows can be looked up and grouped by a column: everything but floats.
    pub(super) fn is_key(&self, at: usize) -> bool {
        self.declared.get(at).is_some_and(|column| column.ty != ColumnType::Float)
    }

    /// The index of a key column, once it is asked for often enough to be worth building.
    pub(super) fn index(&self, at: usize) -> Option<&KeyIndex> {
        let index = self.indexes.get(at)?;
        if let Some(index) = index.get() {
            return Some(index);
        }
        if self.lookups.get(at)?.fetch_add(1, Ordering::Relaxed) < SCANS_BEFORE_INDEX {
            return None;
        }
        let column = self.column(at)?;
        Some(index.get_or_init(|| KeyIndex::build(column, self.rows)))
    }

    /// Of `task_time`: time of each task and class.
    pub(super) fn task_sums(&self) -> &Arc<TaskSums> {
        self.task_sums.get_or_init(|| Arc::new(TaskSums::of(self)))
    }

    /// Whether rows are in order of time, none of it NULL: then time is searched, not scanned.
    pub(super) fn is_sorted_by_time(&self) -> bool {
        self.times().sorted
    }

    /// Number of samples, at least one.
    pub(super) fn samples(&self) -> usize {
        self.times().samples.max(1)
    }

    fn times(&self) -> &Times {
        self.times.get_or_init(|| {
            let Some(Column::Int(values)) = self.column(TIME) else {
                return Times { sorted: false, samples: 1 };
            };
            let Some(values) = values.complete() else { return Times { sorted: false, samples: 1 } };
            let changes = values.windows(2).filter(|pair| pair[0] != pair[1]).count();
            Times { sorted: values.is_sorted(), samples: changes + 1 }
        })
    }

    /// The rows of a time range, both ends included; all rows where they are not in order of time.
    pub(super) fn rows_between(&self, from: i64, to: i64) -> Range<u32> {
        if !self.is_sorted_by_time() || (from == i64::MIN && to == i64::MAX) {
            return 0..self.rows;
        }
        let Some(Column::Int(values)) = self.column(TIME) else { return 0..self.rows };
        let Some(values) = values.complete() else { return 0..self.rows };
        let first = values.partition_point(|time| *time < from) as u32;
        let last = values.partition_point(|time| *time <= to) as u32;
        first..last.max(first)
    }

    /// How many different values a key column may have, for the planner's estimates.
    pub(super) fn distinct(&self, at: usize) -> f64 {
        if let Some(index) = self.indexes.get(at).and_then(OnceLock::get) {
            return index.distinct().max(1) as f64;
        }
        if let Some(Column::Text(texts)) = self.columns.get(at).and_then(OnceLock::get) {
            return texts.words().max(1) as f64;
        }
        let in_a_sample = f64::from(self.rows) / self.samples() as f64;
        match self.declared.get(at).map(|column| column.kind) {
            Some(ColumnKind::Key) => in_a_sample.max(1.0),
            _ => in_a_sample.sqrt().max(1.0),
        }
    }
}
