//! `recorder.json`: who records into an archive, and how it goes.
//!
//! The recorder holds a lock on the file as long as it lives, however it ends, so that there is
//! one a folder. What it writes takes the place of what was there, in a file that keeps its size:
//! that works on a disk that is full, when it matters most.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_model::RecorderState;

use super::durable;
use crate::store::StoreError;

/// Name of the file in the archive's folder.
const NAME: &str = "recorder.json";
/// Size of the file: one block, filled up with blanks.
const BYTES: usize = 4096;
/// A reader may meet half of what is being written.
const READS: usize = 3;

/// Why nobody can record into an archive.
#[derive(Debug, thiserror::Error)]
pub enum RecorderFileError {
    /// Somebody does.
    #[error("{archive}: a recorder writes to it already, process {}", pid.map_or("unknown".to_owned(), |pid| pid.to_string()))]
    Held {
        /// The archive.
        archive: String,
        /// Its process id, where the file says it.
        pid: Option<i64>,
    },
    /// The file cannot be made or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The file, locked.
pub struct RecorderFile {
    path: PathBuf,
    file: File,
}

impl RecorderFile {
    /// Takes the archive in a folder, which is made where it is missing.
    pub fn take(archive: &Path) -> Result<RecorderFile, RecorderFileError> {
        durable::make_folder(archive).map_err(StoreError::io(archive))?;
        let path = archive.join(NAME);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(&path).map_err(StoreError::io(&path))?;
        // Who asks whether somebody records holds the lock for an instant.
        let mut locked = file.try_lock();
        for _ in 0..READS {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
            locked = file.try_lock();
        }
        match locked {
            Err(TryLockError::WouldBlock) => {
                let pid = parse(&file).map(|state| state.pid);
                Err(RecorderFileError::Held { archive: archive.display().to_string(), pid })
            }
            // A file system without locks: nobody can tell.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(RecorderFile { path, file }),
        }
    }

    /// Writes how it goes.
    pub fn write(&self, state: &RecorderState) -> Result<(), StoreError> {
        let json =
            serde_json::to_vec(state).map_err(|error| StoreError::corrupt(&self.path)(error.to_string()))?;
        let mut text = cut(json, state)?;
        text.resize(BYTES - 1, b' ');
        text.push(b'\n');
        self.file.write_all_at(&text, 0).map_err(StoreError::io(&self.path))
    }
}

/// What fits: an error that was told at too great length is left out.
fn cut(json: Vec<u8>, state: &RecorderState) -> Result<Vec<u8>, StoreError> {
    if json.len() < BYTES {
        return Ok(json);
    }
    let brief = RecorderState { last_error: None, ..state.clone() };
    let wrong = |what: String| StoreError::corrupt(Path::new(NAME))(what);
    let json = serde_json::to_vec(&brief).map_err(|error| wrong(error.to_string()))?;
    if json.len() < BYTES { Ok(json) } else { Err(wrong("it is too long".to_owned())) }
}

/// What the recorder of an archive says of itself, and whether it is alive. None where nobody has
/// recorded into it.
pub fn read_recorder_file(archive: &Path) -> Result<Option<(RecorderState, bool)>, StoreError> {
    let path = archive.join(NAME);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io(&path)(error)),
    };
    // Shared, and given back at once with the file: a recorder that begins meanwhile asks again.
    let alive = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    let state = (0..READS).find_map(|_| parse(&file));
    let state = state.ok_or_else(|| StoreError::corrupt(&path)("not what a recorder writes".to_owned()))?;
    Ok(Some((state, alive)))
}

fn parse(file: &File) -> Option<RecorderState> {
    let mut text = vec![0; BYTES];
    let mut filled = 0;
    while filled < BYTES {
        match file.read_at(&mut text[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    serde_json::from_slice(text[..filled].trim_ascii_end()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pid: i64) -> RecorderState {
        RecorderState { pid, host: "db1".to_owned(), ..RecorderState::default() }
    }

    #[test]
    fn one_recorder_an_archive() {
        let folder = std::env::temp_dir().join(format!("heldup-recorder-{}", std::process::id()));
        assert!(read_recorder_file(&folder).expect("no folder is no error").is_none());
        let first = RecorderFile::take(&folder).expect("taken");
        first.write(&state(77)).expect("written");
        assert_eq!(read_recorder_file(&folder).expect("read"), Some((state(77), true)));
        let refused = RecorderFile::take(&folder).err().expect("refused").to_string();
        assert!(refused.contains("process 77"), "{refused}");
        let long = RecorderState { last_error: Some("x".repeat(5000)), ..state(77) };
        first.write(&long).expect("what does not fit is left out");
        drop(first);
        assert_eq!(read_recorder_file(&folder).expect("read"), Some((state(77), false)));
        let second = RecorderFile::take(&folder).expect("free again");
        second.write(&state(5)).expect("written");
        assert_eq!(read_recorder_file(&folder).expect("read"), Some((state(5), true)));
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
