//! The archive: a folder that a recorder fills, as the tables of any window of it.
//!
//! ```text
//! <archive>/journal/<segment>.journal                            being written, or not sealed yet
//! <archive>/table=<table>/date=<YYYY-MM-DD>/<segment>.parquet    sealed
//! ```
//!
//! A closed journal is *sealed*: its rows become plain Parquet, sorted by entity and time, and
//! then it is removed. As long as it is there, what was sealed of it does not count, so that
//! every row is there once, whenever whoever sealed it was stopped. `docs/archive.md` is the
//! reference.

mod batch_columns;
mod compact;
mod durable;
mod house;
mod read;
mod recorder_file;
mod retention;
mod seal;
mod unwritten;

pub use compact::{Tiers, compact, compact_with};
pub use house::{HouseKeeping, HouseKept, keep_house};
pub use read::capture::{Rhythm, SourceTables};
pub use read::clocks::{BetweenSamples, Told, between_samples};
pub use read::folder::{ArchiveFolder, ArchiveWindow};
pub use read::follow::{Arrival, Following};
pub use read::minute_signs::Sign;
pub use read::minutes::{Minute, Minutes};
pub use read::recorded::{Recorded, Stretch};
pub use read::tail::{NewestRows, UnsealedClasses};
pub use recorder_file::{RecorderFile, RecorderFileError, read_recorder_file};
pub use retention::{Retained, Retention, Sizes, retain, sizes};
pub use seal::{SealStep, Sealed, seal, seal_with};

/// Folder of the journals.
const JOURNALS: &str = "journal";
