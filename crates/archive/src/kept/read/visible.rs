//! Which files of a table's day count: of what was put together, not also what it was made of.

use std::collections::HashSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use heldup_model::Flaw;

use super::folder::{flaw, list};
use crate::journal::SegmentName;
use crate::kept::compact::day_file::sources;
use crate::kept::compact::source_file::SourceFile;
use crate::store::StoreError;

/// Times that a folder is looked at anew because a file was replaced or removed meanwhile. What
/// puts files together does so once a day.
const TRIES: usize = 5;

/// The files that count, opened, so that nothing that happens from here on changes what is read.
pub(in crate::kept) fn files(
    folder: &Path,
    wanted: &dyn Fn(&SegmentName) -> bool,
    flaws: &mut Vec<Flaw>,
) -> Result<Vec<(PathBuf, File)>, StoreError> {
    for attempt in 1..=TRIES {
        let mut wrong = Vec::new();
        let (opened, changed) = open_all(folder, wanted, &mut wrong)?;
        if !changed || attempt == TRIES {
            flaws.extend(wrong);
            return Ok(opened);
        }
    }
    Ok(Vec::new())
}

/// The files as they are now, and whether one was gone when it was to be opened.
fn open_all(
    folder: &Path,
    wanted: &dyn Fn(&SegmentName) -> bool,
    flaws: &mut Vec<Flaw>,
) -> Result<(Vec<(PathBuf, File)>, bool), StoreError> {
    let names = list(folder)?;
    let names = names.iter().filter_map(|file| SegmentName::of_parquet(file)).filter(|name| wanted(name));
    let (days, segments): (Vec<_>, Vec<_>) = names.partition(|name| name.day().is_some());
    let (mut opened, mut changed) = (Vec::new(), false);
    let mut covered = HashSet::new();
    for name in days.into_iter().chain(segments) {
        if covered.contains(&name) {
            continue;
        }
        let path = folder.join(name.parquet());
        match File::open(&path) {
            Ok(file) => {
                if name.day().is_some() {
                    // One that cannot be read is said when its rows are.
                    let read = file.try_clone().ok().and_then(|file| SourceFile::open(file).ok());
                    covered.extend(read.iter().flat_map(sources));
                }
                opened.push((path, file));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => changed = true,
            Err(error) => flaws.push(flaw(&path, StoreError::io(&path)(error))),
        }
    }
    Ok((opened, changed))
}
