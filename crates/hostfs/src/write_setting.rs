//! Writing settings, and the log that is on the disk before a setting is written.
//!
//! The only two writes of the host that this program makes. Which settings, and what is noted
//! before, is not known here.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::files::Host;

/// Where settings are; nothing else is written.
const SETTINGS: [&str; 3] = ["/proc/sys/", "/sys/", "/proc/irq/"];

impl Host {
    /// Writes a value in one call, as the kernel wants it. A file that is not there is not made.
    pub fn write_setting(&self, path: &str, value: &str) -> Result<(), HostError> {
        let fail = |error| HostError::from_io(path, error);
        let inside = SETTINGS.iter().any(|folder| path.starts_with(folder)) && !path.contains("/../");
        if !inside {
            return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, "no setting of the kernel")));
        }
        let text = format!("{value}\n");
        let mut file = File::options()
            .write(true)
            .truncate(!self.is_live())
            .open(self.locate(Path::new(path)))
            .map_err(fail)?;
        // One write is one setting: the kernel reads each call by itself.
        let written = file.write(text.as_bytes()).map_err(fail)?;
        if written < text.len() {
            return Err(fail(io::Error::new(io::ErrorKind::WriteZero, "taken in part")));
        }
        Ok(())
    }
}

/// A file that only grows, and is on the disk whenever a call returns.
#[derive(Debug)]
pub struct SyncedLog {
    path: PathBuf,
}

impl SyncedLog {
    /// The log of a path; it and its folder are made when something is added.
    pub fn at(path: impl Into<PathBuf>) -> SyncedLog {
        SyncedLog { path: path.into() }
    }

    /// All of it; empty where there is none yet.
    pub fn read(&self) -> Result<Vec<u8>, HostError> {
        match std::fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read.map_err(|error| HostError::from_io(&self.path, error)),
        }
    }

    /// Adds bytes, and returns when they are on the disk.
    pub fn append(&self, bytes: &[u8]) -> Result<(), HostError> {
        self.try_append(bytes).map_err(|error| HostError::from_io(&self.path, error))
    }

    fn try_append(&self, bytes: &[u8]) -> io::Result<()> {
        use std::os::unix::fs::OpenOptionsExt;
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let is_first = !self.path.exists();
        if is_first {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = File::options().append(true).create(true).mode(0o600).open(&self.path)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        // The name of a new file is on the disk only with its folder.
        if is_first { File::open(folder)?.sync_all() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_settings_is_written() {
        let root = std::env::temp_dir().join(format!("heldup-write-{}", std::process::id()));
        std::fs::create_dir_all(root.join("proc/sys/vm")).expect("a folder");
        std::fs::write(root.join("proc/sys/vm/swappiness"), "60\n").expect("a file");
        let host = Host::recorded(&root);
        host.write_setting("/proc/sys/vm/swappiness", "5").expect("written");
        assert_eq!(host.read_text("/proc/sys/vm/swappiness").expect("read"), "5");
        for path in ["/etc/passwd", "/proc/sys/../../etc/passwd", "/proc/sys/vm/none"] {
            assert!(host.write_setting(path, "1").is_err(), "{path}");
        }
        assert!(!root.join("proc/sys/vm/none").exists());
        let log = SyncedLog::at(root.join("state/changes"));
        assert_eq!(log.read().expect("none yet"), b"");
        log.append(b"a\n").expect("added");
        log.append(b"b\n").expect("added");
        assert_eq!(log.read().expect("read"), b"a\nb\n");
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
