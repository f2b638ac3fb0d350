//! The journal: what the recorder writes second by second, before it becomes Parquet.
//!
//! One frame a sample, with a checksum, appended by one `write(2)`: a program that is killed
//! loses nothing that it wrote, and a power cut at most what came after the last flush. Of each
//! table only what changed is written; whoever reads gets whole rows. `docs/archive.md` is the
//! reference of the form.
//!
//! Nothing here decides when to sample or what to keep, and nothing asks the clock.

mod bytes;
mod decoder;
mod encoder;
mod flusher;
mod frame;
mod header;
mod matching;
mod reader;
mod row_delta;
mod row_delta_read;
mod segment_name;
mod table_rows;
mod words;
mod writer;

use heldup_model::{RowChanges, RowSet};

pub use header::{JOURNAL_VERSION, SegmentHeader};
pub use reader::{Gap, JournalReader, SampleTime, Tail};
pub use segment_name::SegmentName;
pub(crate) use table_rows::TableRows;
pub use writer::{JournalSettings, JournalWriter};

/// Length from which a segment is sealed, in bytes.
pub const MAX_SEGMENT_BYTES: u64 = 64 << 20;

/// Memory that texts may take which came after a segment's first sample, in bytes; with more it is sealed.
/// Whoever writes or reads a segment keeps all of its texts, and command lines of short-lived processes
/// are new ones mostly: those of a machine that compiles take 6 MB an hour.
pub const MAX_LATER_WORD_BYTES: usize = 4 << 20;

/// What one source read of one table.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The rows; their counters are increases.
    pub rows: RowSet,
    /// Measured length of the interval, in seconds; none for a single reading.
    pub secs: Option<f64>,
}

/// What one source read of one table, told by what changed since it read it last.
#[derive(Clone, Debug)]
pub struct ChangedReading {
    /// The rows, on top of those of the table's last reading in this journal.
    pub rows: RowChanges,
    /// As of [`Reading`].
    pub secs: Option<f64>,
}

/// Everything that was read at one time.
#[derive(Clone, Debug)]
pub struct Sample {
    /// End of the interval, on the sample grid, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    /// CLOCK_MONOTONIC at the same moment, nanoseconds.
    pub monotonic_ns: u64,
    /// What was read, in the same order every time.
    pub readings: Vec<Reading>,
}
