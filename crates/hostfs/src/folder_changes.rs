//! Waiting until something changes in a few folders (inotify).
//!
//! Three calls of libc, for one command; a crate that also knows other systems, recursion and
//! debouncing would bring ten more. A folder that is made later is not watched: who waits
//! looks at the tree again after each change, and asks anew.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::error::HostError;
use crate::interrupt::Interrupts;

/// Events: files that were written and closed, created, deleted, or renamed.
const EVENTS: u32 = libc::IN_CLOSE_WRITE | libc::IN_CREATE | libc::IN_DELETE | libc::IN_MOVE;
/// Longest single wait: a signal between the look at the flag and the wait would be missed.
const LOOK_MS: libc::c_int = 200;
/// Editors save in several steps (write beside, rename, touch); they are one change.
const QUIET_MS: libc::c_int = 50;

/// A watch over folders.
#[derive(Debug)]
pub struct FolderChanges {
    events: File,
}

impl FolderChanges {
    /// Watches these folders, not what is below them.
    pub fn watch<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<FolderChanges, HostError> {
        // SAFETY: the call takes flags only.
        let fd = unsafe { libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC) };
        if fd < 0 {
            return Err(HostError::from_io("inotify", io::Error::last_os_error()));
        }
        // SAFETY: the descriptor is new and nobody else's.
        let events = unsafe { File::from_raw_fd(fd) };
        for folder in folders {
            let path = std::ffi::CString::new(folder.as_os_str().as_bytes())
                .map_err(|error| HostError::from_io(folder, error.into()))?;
            // SAFETY: the path ends in NUL and outlives the call; the descriptor is open.
            if unsafe { libc::inotify_add_watch(fd, path.as_ptr(), EVENTS) } < 0 {
                return Err(HostError::from_io(folder, io::Error::last_os_error()));
            }
        }
        Ok(FolderChanges { events })
    }

    /// Waits for a change; false when the user asked to stop instead.
    pub fn wait(&mut self, interrupts: &Interrupts) -> Result<bool, HostError> {
        while !interrupts.stopped() {
            if self.readable(LOOK_MS)? {
                while self.readable(QUIET_MS)? {
                    self.forget()?;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn readable(&self, patience_ms: libc::c_int) -> Result<bool, HostError> {
        let mut asked = libc::pollfd { fd: self.events.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry, valid for the length of the call.
        let ready = unsafe { libc::poll(&mut asked, 1, patience_ms) };
        let error = io::Error::last_os_error();
        match ready {
            ready if ready >= 0 => Ok(ready > 0),
            _ if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            _ => Err(HostError::from_io("poll", error)),
        }
    }

    /// Takes what has been told so far: that something changed is all that matters.
    fn forget(&mut self) -> Result<(), HostError> {
        let mut told = [0_u8; 4096];
        match self.events.read(&mut told) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(HostError::from_io("inotify", error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_is_written_is_a_change_and_quiet_is_none() {
        let folder = std::env::temp_dir().join(format!("heldup-changes-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let mut changes = FolderChanges::watch([folder.as_path()]).expect("watched");
        assert!(!changes.readable(0).expect("asked"), "nothing has happened");
        fs::write(folder.join("a.toml"), "x").expect("written");
        assert!(changes.readable(0).expect("asked"));
        changes.forget().expect("taken");
        assert!(!changes.readable(0).expect("asked"), "taken");
        fs::remove_dir_all(&folder).expect("removed");
        assert!(FolderChanges::watch([folder.as_path()]).expect_err("gone").is_absent());
    }
}
