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
mod binary_seconds;
mod capture;
mod clocks;
mod day_file;
mod days;
mod durable;
mod entity_order;
mod folder;
mod house;
mod joined_groups;
mod minute_signs;
mod minutes;
mod one_row_each;
mod recorded;
mod recorder_file;
mod retention;
mod roll;
mod row_groups;
mod seal;
mod sealed_file;
mod sealed_rows;
mod source_file;
mod stacks_of_window;
mod unsealed;
mod unwritten;
mod visible;
mod without_owners;

pub use capture::{Rhythm, SourceTables};
pub use clocks::{BetweenSamples, Told, between_samples};
pub use days::{Tiers, compact, compact_with};
pub use folder::{ArchiveFolder, ArchiveWindow};
pub use house::{HouseKeeping, HouseKept, keep_house};
pub use minute_signs::Sign;
pub use minutes::{Minute, Minutes};
pub use recorded::{Recorded, Stretch};
pub use recorder_file::{RecorderFile, RecorderFileError, read_recorder_file};
pub use retention::{Retained, Retention, Sizes, retain, sizes};
pub use seal::{SealStep, Sealed, seal, seal_with};

/// Folder of the journals.
const JOURNALS: &str = "journal";
