//! A table of a capture, and when its rows were counted.

use arrow_array::RecordBatch;

use crate::samples::Samples;

/// A table, and when its rows were counted.
pub struct Table<'c> {
    /// Its name in the capture, which may be that of the table by the minute.
    pub name: &'static str,
    /// Its rows.
    pub batches: &'c [RecordBatch],
    /// Their samples.
    pub samples: Samples,
    /// From when to when each sample was counted.
    pub intervals: Vec<(i64, i64)>,
}
