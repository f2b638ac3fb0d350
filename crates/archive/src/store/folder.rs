//! Folders that appear as a whole: written beside their place, then put into it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_hostfs::exchange;

use super::{FILE_MODE, StoreError};

/// As with files.
const DIR_MODE: u32 = 0o700;

/// A folder beside its place that is older than this was left by a crash.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Names tried before giving up; more than ever write at the same time.
const TRIES: u32 = 100;

/// Makes a new folder beside a place, and removes what crashes left there.
pub(super) fn fresh_beside(place: &Path) -> Result<PathBuf, StoreError> {
    let parent = match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut maker = DirBuilder::new();
    maker.mode(DIR_MODE).recursive(true).create(parent).map_err(StoreError::io(parent))?;
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(place.file_name().unwrap_or_default());
    prefix.push(".new.");
    remove_abandoned(parent, &prefix);
    maker.recursive(false);
    for number in 0..TRIES {
        let mut name = prefix.clone();
        name.push(number.to_string());
        let fresh = parent.join(name);
        match maker.create(&fresh) {
            Ok(()) => return Ok(fresh),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::io(&fresh)(error)),
        }
    }
    let what = format!("{TRIES} unfinished folders {}* beside it", prefix.to_string_lossy());
    Err(StoreError::corrupt(place)(what))
}

/// Removes folders of crashed writers. Whatever fails here is left for the next time.
fn remove_abandoned(parent: &Path, prefix: &std::ffi::OsStr) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().as_encoded_bytes().starts_with(prefix.as_encoded_bytes());
        let changed = entry.metadata().and_then(|data| data.modified());
        let old = changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED));
        if ours && old {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Puts a finished folder into its place and removes the one that was there.
///
/// The two are exchanged in one step. Where the file system cannot do that, there is
/// a moment without either, and a crash in it leaves both beside the place.
pub(super) fn replace(place: &Path, fresh: &Path) -> Result<(), StoreError> {
    if fs::symlink_metadata(place).is_ok_and(|data| !data.is_dir()) {
        return Err(StoreError::corrupt(place)("not a folder; remove it first".into()));
    }
    // Works where nothing is there yet, or an empty folder; else another may be
    // writing too, so that what is there is looked at only by the calls themselves.
    match fs::rename(fresh, place) {
        Ok(()) => return Ok(()),
        Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => {}
        Err(error) => return Err(StoreError::io(place)(error)),
    }
    if exchange(fresh, place).is_err() {
        let old = fresh.with_extension("old");
        fs::rename(place, &old).map_err(StoreError::io(place))?;
        fs::rename(fresh, place).map_err(StoreError::io(place))?;
        fs::rename(&old, fresh).map_err(StoreError::io(&old))?;
    }
    fs::remove_dir_all(fresh).map_err(StoreError::io(fresh))
}

/// Writes a new file that only its owner may read.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(FILE_MODE);
    options.open(path).and_then(|mut file| file.write_all(bytes)).map_err(StoreError::io(path))
}
