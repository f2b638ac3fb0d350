//! A file that another tool wrote, opened to be read from its beginning to its end.
//!
//! Regular files only: a pipe or a terminal could keep the reader waiting for ever. Unlike
//! [`crate::Host::read`] there is no limit of its size: who reads it holds a piece at a time.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::error::HostError;

/// One file.
#[derive(Debug)]
pub struct RecordedFile {
    file: File,
    modified_ms: i64,
    bytes: u64,
}

impl RecordedFile {
    /// Opens a file. Not waiting for whoever would write into a pipe.
    pub fn at(path: &Path) -> Result<RecordedFile, HostError> {
        RecordedFile::open(path, libc::O_NONBLOCK)
    }

    /// The same where the path must not be a link: of what a folder has.
    pub(crate) fn in_folder(path: &Path) -> Result<RecordedFile, HostError> {
        RecordedFile::open(path, libc::O_NONBLOCK | libc::O_NOFOLLOW)
    }

    fn open(path: &Path, flags: libc::c_int) -> Result<RecordedFile, HostError> {
        let at = |error| HostError::from_io(path, error);
        let file = File::options().read(true).custom_flags(flags).open(path).map_err(at)?;
        let facts = file.metadata().map_err(at)?;
        if !facts.is_file() {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file");
            return Err(HostError::Io { path: path.to_owned(), source });
        }
        let modified = facts.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified_ms = modified.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0);
        Ok(RecordedFile { file, modified_ms, bytes: facts.len() })
    }

    /// When it was last written, milliseconds since 1970-01-01 UTC; 0 where the file system does
    /// not say.
    pub fn modified_ms(&self) -> i64 {
        self.modified_ms
    }

    /// Its size in bytes; kernel files claim 0.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Read for RecordedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Seek for RecordedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
