//! Maintenance: what is done to an archive beside the recorder, an hour's journal at a time.
//!
//! The recorder calls it in a child process of low priority. Every step can be stopped at any
//! moment and is done again by the next call; one that fails is said and ends no other.

use std::path::Path;

use heldup_model::Flaw;

use super::ArchiveFolder;
use super::compact::{Tiers, compact};
use super::read::folder;
use super::retention::{Retained, Retention, retain};
use super::seal::Sealed;
use super::unwritten::remove_unwritten;
use crate::store::StoreError;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HouseKeeping {
    /// How much is kept.
    pub retention: Retention,
    /// When rows become coarser.
    pub tiers: Tiers,
}

/// What was done.
#[derive(Clone, Debug, Default)]
pub struct HouseKept {
    /// Journals that became Parquet.
    pub sealed: Vec<Sealed>,
    /// Files of days that were put together or made coarser.
    pub days_made: usize,
    /// What was removed, and what is there still; none where that could not be done.
    pub retained: Option<Retained>,
    /// What went wrong.
    pub flaws: Vec<Flaw>,
}

/// Seals the journals that nobody writes to, removes what is too old or too much, and puts days
/// together that are over, at a time in milliseconds UTC. An error only where the archive cannot be listed.
pub fn keep_house(archive: &Path, keeping: &HouseKeeping, now_ms: i64) -> Result<HouseKept, StoreError> {
    let unwritten = remove_unwritten(archive, now_ms).err();
    let (sealed, flaws) = ArchiveFolder::at(archive).seal_closed()?;
    let mut kept = HouseKept { sealed, flaws, days_made: 0, retained: None };
    kept.flaws.extend(unwritten.map(|error| folder::flaw(archive, error)));
    // Room first: what is put together is there twice for a moment.
    match retain(archive, keeping.retention, now_ms) {
        Ok(retained) => kept.retained = Some(retained),
        Err(error) => kept.flaws.push(folder::flaw(archive, error)),
    }
    match compact(archive, keeping.tiers, now_ms) {
        Ok((made, flaws)) => {
            kept.days_made = made;
            kept.flaws.extend(flaws);
        }
        Err(error) => kept.flaws.push(folder::flaw(archive, error)),
    }
    Ok(kept)
}
