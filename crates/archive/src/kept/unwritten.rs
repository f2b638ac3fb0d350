//! Journals that never began: whoever made them was killed, or the disk was full, before the header
//! was written. Nothing is in them, so they are removed; all others are left alone.

use std::io;
use std::path::Path;

use super::ArchiveFolder;
use super::durable;
use super::read::folder;
use super::seal::lock;
use crate::journal::{JournalReader, SegmentName};
use crate::store::StoreError;

/// A journal is made first and locked a moment later; younger ones may be in that moment.
const YOUNG_MS: i64 = 60_000;

/// Removes them, at a time in milliseconds UTC.
pub(super) fn remove_unwritten(archive: &Path, now_ms: i64) -> Result<(), StoreError> {
    let journals = ArchiveFolder::at(archive).journals();
    for file in folder::list(&journals)? {
        let Some(name) = SegmentName::of_journal(&file) else { continue };
        if now_ms.saturating_sub(name.begun_ms()) < YOUNG_MS {
            continue;
        }
        let path = journals.join(&file);
        let _lock = match lock(&path) {
            Ok(lock) => lock,
            // It is written or sealed, or was removed meanwhile.
            Err(StoreError::Io { source, .. })
                if matches!(source.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::NotFound) =>
            {
                continue;
            }
            Err(error) => return Err(error),
        };
        if JournalReader::is_cut_short(&path).map_err(StoreError::io(&path))? {
            durable::remove(&path).map_err(StoreError::io(&path))?;
        }
    }
    Ok(())
}
