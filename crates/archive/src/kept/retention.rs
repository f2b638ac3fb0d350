//! What is too old, or too much, is removed: the oldest segments first, all tables of each.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::JOURNALS;
use super::durable;
use super::read::folder::list;
use crate::journal::SegmentName;
use crate::store::StoreError;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Segments that began longer ago are removed, and days that ended longer ago.
    pub max_age: Duration,
    /// While the archive is larger, in bytes, the oldest segment is removed.
    pub max_bytes: u64,
}

/// What a call removed, and what is there still.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retained {
    /// Segments and days that were removed.
    pub segments_removed: usize,
    /// Their bytes.
    pub bytes_removed: u64,
    /// Bytes of what is there still, journals that are written to included.
    pub bytes: u64,
}

/// One segment's files that may be removed.
#[derive(Default)]
struct Files {
    paths: Vec<PathBuf>,
    bytes: u64,
}

/// By the time of their beginning.
type Segments = BTreeMap<(i64, SegmentName), Files>;

/// Removes from an archive what `retention` does not keep, at a time in milliseconds UTC.
///
/// Journals are never removed, since one may be written to; they count. What is kept of damaged
/// ones is removed like sealed files.
pub fn retain(archive: &Path, retention: Retention, now_ms: i64) -> Result<Retained, StoreError> {
    let (segments, journal_bytes) = find(archive)?;
    let max_age_ms = i64::try_from(retention.max_age.as_millis()).unwrap_or(i64::MAX);
    let oldest_ms = now_ms.saturating_sub(max_age_ms);
    let mut retained = Retained {
        bytes: journal_bytes + segments.values().map(|files| files.bytes).sum::<u64>(),
        ..Retained::default()
    };
    for ((_, name), files) in segments {
        if name.over_ms() >= oldest_ms && retained.bytes <= retention.max_bytes {
            continue;
        }
        for path in &files.paths {
            durable::remove(path).map_err(StoreError::io(path))?;
            remove_empty(path, archive);
        }
        retained.segments_removed += 1;
        retained.bytes_removed += files.bytes;
        retained.bytes -= files.bytes;
    }
    Ok(retained)
}

/// What an archive takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Beginning of each sealed segment, milliseconds UTC, and its bytes, oldest first.
    pub sealed: Vec<(i64, u64)>,
    /// The same of journals.
    pub journals: Vec<(i64, u64)>,
}

/// How large the segments of an archive are.
pub fn sizes(archive: &Path) -> Result<Sizes, StoreError> {
    let (segments, _) = find(archive)?;
    let sealed = segments.iter().map(|((begun_ms, _), files)| (*begun_ms, files.bytes)).collect();
    let folder = archive.join(JOURNALS);
    let mut journals: Vec<(i64, u64)> = list(&folder)?
        .into_iter()
        .filter_map(|file| Some((SegmentName::of_journal(&file)?.begun_ms(), length(&folder.join(file)))))
        .collect();
    journals.sort_unstable();
    Ok(Sizes { sealed, journals })
}

/// All segments' removable files, oldest first, and the bytes of journals.
fn find(archive: &Path) -> Result<(Segments, u64), StoreError> {
    let mut segments = Segments::new();
    let mut note = |name: SegmentName, path: PathBuf| {
        let files = segments.entry((name.begun_ms(), name)).or_default();
        files.bytes += length(&path);
        files.paths.push(path);
    };
    for table in list(archive)?.iter().filter(|name| name.starts_with("table=")) {
        let table = archive.join(table);
        for day in list(&table)?.iter().filter(|name| name.starts_with("date=")) {
            let day = table.join(day);
            for file in list(&day)? {
                if let Some(name) = SegmentName::of_parquet(&file) {
                    note(name, day.join(file));
                }
            }
        }
    }
    let journals = archive.join(JOURNALS);
    let mut journal_bytes = 0;
    for file in list(&journals)? {
        if let Some(name) = SegmentName::of_damaged(&file) {
            note(name, journals.join(file));
        } else if SegmentName::of_journal(&file).is_some() {
            journal_bytes += length(&journals.join(file));
        }
    }
    Ok((segments, journal_bytes))
}

/// Length of a file; 0 where it is gone by now.
fn length(path: &Path) -> u64 {
    fs::symlink_metadata(path).map_or(0, |is| is.len())
}

/// Removes the folders of a day and of a table where nothing is left in them.
fn remove_empty(file: &Path, archive: &Path) {
    for folder in file.ancestors().skip(1).take(2).take_while(|folder| *folder != archive) {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => return,
            // What cannot be removed is in nobody's way.
            _ => {}
        }
    }
}
