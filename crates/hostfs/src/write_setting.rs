//! Writing settings, and the log that is on the disk before a setting is written.
//!
//! With `applied_file.rs` the only writes of the host that this program makes. Which settings, and
//! what is noted before, is not known here.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock::monotonic_ns;
use crate::error::HostError;
use crate::files::Host;

/// Where settings are; nothing else is written.
const SETTINGS: [&str; 3] = ["/proc/sys/", "/sys/", "/proc/irq/"];

impl Host {
    /// Writes a value in one call, as the kernel wants it. A file that is not there is not made.
    pub fn write_setting(&self, path: &str, value: &str) -> Result<(), HostError> {
        let fail = |error| HostError::from_io(path, error);
        let text = format!("{value}\n");
        let mut file = self.open_setting(path, !self.is_live())?;
        // One write is one setting: the kernel reads each call by itself.
        let written = file.write(text.as_bytes()).map_err(fail)?;
        if written < text.len() {
            return Err(fail(io::Error::new(io::ErrorKind::WriteZero, "accepted only in part")));
        }
        Ok(())
    }

    /// Whether a setting could be written, as far as opening it tells: files that can only be read,
    /// file systems that are mounted so, and missing rights refuse that already.
    pub fn may_write_setting(&self, path: &str) -> Result<(), HostError> {
        self.open_setting(path, false).map(drop)
    }

    fn open_setting(&self, path: &str, truncate: bool) -> Result<File, HostError> {
        let fail = |error| HostError::from_io(path, error);
        let inside = SETTINGS.iter().any(|folder| path.starts_with(folder)) && !path.contains("/../");
        if !inside {
            return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, "not a kernel setting")));
        }
        let located = self.locate(Path::new(path));
        File::options().write(true).truncate(truncate).open(located).map_err(fail)
    }
}

/// A file that only grows, and is on the disk whenever a call returns.
#[derive(Debug)]
pub struct SyncedLog {
    path: PathBuf,
}

/// The right to add to a log, which one run has at a time. The kernel ends it with the process,
/// however that ends, and a program that it starts does not inherit it.
#[derive(Debug)]
pub struct LogLock {
    _held: File,
}

/// How long a run that only changes settings may take; who waits longer is told.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

impl SyncedLog {
    /// The log of a path; it and its folder are made when something is added.
    pub fn at(path: impl Into<PathBuf>) -> SyncedLog {
        SyncedLog { path: path.into() }
    }

    /// Keeps every other run out until the answer is dropped; an error where another run holds it
    /// for longer than a change takes.
    pub fn lock(&self) -> Result<LogLock, HostError> {
        let fail = |error| HostError::from_io(&self.path, error);
        let file = self.lock_file().map_err(fail)?;
        let until = monotonic_ns().saturating_add(PATIENCE.as_nanos() as u64);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(LogLock { _held: file }),
                Err(TryLockError::WouldBlock) if monotonic_ns() < until => std::thread::sleep(LOOK_AGAIN),
                Err(TryLockError::WouldBlock) => {
                    return Err(fail(io::Error::other("another heldup process is changing settings")));
                }
                Err(TryLockError::Error(error)) => return Err(fail(error)),
            }
        }
    }

    /// As [`SyncedLog::lock`], and waits for as long as it takes: for who watches over another run.
    pub fn wait_for_lock(&self) -> Result<LogLock, HostError> {
        let fail = |error| HostError::from_io(&self.path, error);
        let file = self.lock_file().map_err(fail)?;
        file.lock().map_err(fail)?;
        Ok(LogLock { _held: file })
    }

    /// Beside the log, so that reading the log never touches it.
    fn lock_file(&self) -> io::Result<File> {
        use std::os::unix::fs::OpenOptionsExt;
        std::fs::create_dir_all(self.path.parent().unwrap_or(Path::new("/")))?;
        let path = self.path.with_extension("lock");
        File::options().write(true).create(true).truncate(false).mode(0o600).open(path)
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

    /// Gives it another text in one step: a cut leaves the one or the other.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), HostError> {
        self.try_replace(bytes).map_err(|error| HostError::from_io(&self.path, error))
    }

    fn try_replace(&self, bytes: &[u8]) -> io::Result<()> {
        use std::os::unix::fs::OpenOptionsExt;
        let next = self.path.with_extension("new");
        // What an earlier cut has left there is nobody's.
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&next)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&next, &self.path)?;
        File::open(self.path.parent().unwrap_or(Path::new("/")))?.sync_all()
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
        log.replace(b"c\n").expect("replaced");
        log.append(b"d\n").expect("added");
        assert_eq!(log.read().expect("read"), b"c\nd\n");
        assert!(!root.join("state/changes.new").exists());
        assert!(host.may_write_setting("/proc/sys/vm/swappiness").is_ok());
        assert!(host.may_write_setting("/proc/sys/vm/none").is_err());
        std::fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn one_run_at_a_time_adds_to_a_log() {
        let folder = std::env::temp_dir().join(format!("heldup-lock-{}", std::process::id()));
        let log = SyncedLog::at(folder.join("changes"));
        let held = log.lock().expect("nobody has it");
        let (send, got) = std::sync::mpsc::channel();
        let other = std::thread::spawn(move || {
            let log = SyncedLog::at(folder.join("changes"));
            let lock = log.wait_for_lock().map(drop);
            send.send(()).expect("somebody listens");
            lock.expect("it comes free");
            std::fs::remove_dir_all(folder).expect("removed");
        });
        assert!(got.recv_timeout(Duration::from_millis(50)).is_err(), "two hold it");
        drop(held);
        other.join().expect("it ends");
    }
}
