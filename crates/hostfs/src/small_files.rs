//! Small files of one folder of `/proc` or `/sys`, each of which the kernel writes in one piece:
//! settings, attributes of devices, records of a process.
//!
//! The folder is opened once and its files are found from there. On the way to a file the kernel
//! takes locks and counts references at each folder of `/sys` and `/proc/sys`, and `/sys/block/vda`
//! stands for ten of them. A read that leaves room was all, so that none is made for the end; and
//! the room is small, because the kernel clears as much memory for each value of `/proc/sys`.
//!
//! Not for tables of many lines, of which the kernel may give less at a time than there is room for.

use std::ffi::CString;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::files::{Host, MAX_FILE_BYTES};

/// Room for a value at first: with what the kernel adds, 1 kB.
const VALUE_BYTES: usize = 1023;
/// Room for a record of a process: `status` has 1.5 kB.
const RECORD_BYTES: usize = 4096;

/// A folder whose files are read one after the other.
#[derive(Debug)]
pub struct SmallFiles<'h> {
    host: &'h Host,
    path: PathBuf,
    folder: Folder,
    room: usize,
}

#[derive(Debug)]
enum Folder {
    Unopened,
    Open(OwnedFd),
    /// What opening it was answered: so are its files.
    Refused(i32),
}

impl Host {
    /// Values in a folder of `/sys` or `/proc/sys`. That it is there is seen at the first file.
    pub fn values_in(&self, folder: impl Into<PathBuf>) -> SmallFiles<'_> {
        SmallFiles { host: self, path: folder.into(), folder: Folder::Unopened, room: VALUE_BYTES }
    }

    /// Records of a process, or of another folder of `/proc`.
    pub fn records_in(&self, folder: impl Into<PathBuf>) -> SmallFiles<'_> {
        SmallFiles { room: RECORD_BYTES, ..self.values_in(folder) }
    }
}

impl Host {
    /// One record of a folder in which nothing else is read: without opening the folder.
    pub fn read_record_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), HostError> {
        if !self.is_live() {
            return self.read_into(path, bytes);
        }
        bytes.clear();
        let opened = open_at(libc::AT_FDCWD, path.as_bytes(), libc::O_RDONLY | libc::O_NONBLOCK);
        let read = opened.and_then(|file| read_whole(file.into(), RECORD_BYTES, bytes));
        read.map_err(|error| HostError::from_io(path, error))
    }
}

impl<'h> SmallFiles<'h> {
    /// Whose files they are.
    pub fn host(&self) -> &'h Host {
        self.host
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole file into a buffer that is emptied first; `file` is a path from the folder.
    pub fn read_into(&mut self, file: &str, bytes: &mut Vec<u8>) -> Result<(), HostError> {
        if !self.host.is_live() {
            return self.host.read_into(self.path.join(file), bytes);
        }
        bytes.clear();
        let read = self.open(file).and_then(|file| read_whole(file, self.room, bytes));
        read.map_err(|error| HostError::from_io(self.path.join(file), error))
    }

    /// The whole file as text, without white space at the end; bytes that are no UTF-8 are replaced.
    pub fn read_text(&mut self, file: &str) -> Result<String, HostError> {
        let mut bytes = Vec::new();
        self.read_into(file, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// Whether the file or folder is there.
    pub fn exists(&mut self, file: &str) -> bool {
        if !self.host.is_live() {
            return self.host.exists(self.path.join(file));
        }
        let Ok(path) = CString::new(file) else { return false };
        // SAFETY: the path ends in NUL and outlives the call.
        self.folder()
            .is_ok_and(|folder| unsafe { libc::faccessat(folder, path.as_ptr(), libc::F_OK, 0) } == 0)
    }

    /// What a symbolic link says.
    pub fn read_link(&mut self, file: &str) -> Result<String, HostError> {
        if !self.host.is_live() {
            return self.host.read_link(self.path.join(file));
        }
        let read = self.folder().and_then(|folder| link_at(folder, file));
        read.map_err(|error| HostError::from_io(self.path.join(file), error))
    }

    fn open(&mut self, file: &str) -> Result<File, Error> {
        // Without waiting, as [`Host::read_into`], for what is no kernel file.
        let flags = libc::O_RDONLY | libc::O_NONBLOCK;
        open_at(self.folder()?, file.as_bytes(), flags).map(File::from)
    }

    fn folder(&mut self) -> Result<RawFd, Error> {
        if matches!(self.folder, Folder::Unopened) {
            let path = self.path.as_os_str().as_encoded_bytes();
            let opened = open_at(libc::AT_FDCWD, path, libc::O_PATH | libc::O_DIRECTORY);
            self.folder = match opened {
                Ok(folder) => Folder::Open(folder),
                Err(error) => Folder::Refused(error.raw_os_error().unwrap_or(libc::EIO)),
            };
        }
        match &self.folder {
            Folder::Open(folder) => Ok(folder.as_raw_fd()),
            Folder::Refused(number) => Err(Error::from_raw_os_error(*number)),
            Folder::Unopened => Err(ErrorKind::NotFound.into()),
        }
    }
}

fn open_at(folder: RawFd, path: &[u8], flags: libc::c_int) -> Result<OwnedFd, Error> {
    let path = CString::new(path)?;
    // SAFETY: the path ends in NUL and outlives the call.
    let opened = unsafe { libc::openat(folder, path.as_ptr(), flags | libc::O_CLOEXEC) };
    if opened < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(opened) })
}

fn link_at(folder: RawFd, path: &str) -> Result<String, Error> {
    let path = CString::new(path)?;
    let mut target = [0u8; libc::PATH_MAX as usize];
    // SAFETY: the path ends in NUL and outlives the call; the buffer and its length belong together.
    let length = unsafe { libc::readlinkat(folder, path.as_ptr(), target.as_mut_ptr().cast(), target.len()) };
    let length = usize::try_from(length).map_err(|_| Error::last_os_error())?;
    Ok(String::from_utf8_lossy(&target[..length]).into_owned())
}

/// A read that does not fill its room was the last.
fn read_whole(mut file: File, room: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
    bytes.resize(room, 0);
    let mut filled = 0;
    loop {
        match file.read(&mut bytes[filled..]) {
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                bytes.clear();
                return Err(error);
            }
        }
        if filled < bytes.len() {
            break;
        }
        if filled > MAX_FILE_BYTES {
            bytes.clear();
            return Err(Error::other(format!("more than {MAX_FILE_BYTES} bytes; not read")));
        }
        bytes.resize(2 * filled, 0);
    }
    bytes.truncate(filled);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_whole_files_have() {
        let host = Host::live();
        let mut bytes = Vec::new();
        for (folder, file) in [
            ("/proc/sys/kernel", "osrelease"),
            ("/proc/sys/net/ipv4", "tcp_rmem"),
            ("/sys/devices/system/cpu", "online"),
            ("/sys/devices/system", "cpu/possible"),
        ] {
            host.values_in(folder).read_into(file, &mut bytes).expect("a value");
            assert_eq!(bytes, host.read(format!("{folder}/{file}")).expect("a file"), "{folder}/{file}");
            assert!(!bytes.is_empty());
        }
        let limits = host.records_in("/proc/self").read_text("limits").expect("a record");
        assert_eq!(limits, host.read_text("/proc/self/limits").expect("a file"));
        host.read_record_into("/proc/self/limits", &mut bytes).expect("the same record");
        assert_eq!(limits.as_bytes(), bytes.trim_ascii_end());
        assert!(host.read_record_into("/proc/self/no-such-file", &mut bytes).is_err() && bytes.is_empty());
        let mut own = host.records_in("/proc/self");
        assert!(own.exists("limits") && !own.exists("no-such-file"));
        let link = own.read_link("ns/net").expect("a link");
        assert_eq!(link, host.read_link("/proc/self/ns/net").expect("the same link"));
    }

    #[test]
    fn what_is_longer_than_the_room_is_whole() {
        let folder = std::env::temp_dir().join(format!("heldup-small-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let host = Host::live();
        let (mut files, mut bytes) = (host.values_in(&folder), Vec::new());
        for length in [0, 1, VALUE_BYTES - 1, VALUE_BYTES, VALUE_BYTES + 1, 5 * VALUE_BYTES] {
            let content: Vec<u8> = (0..length).map(|at| at as u8).collect();
            std::fs::write(folder.join("file"), &content).expect("written");
            files.read_into("file", &mut bytes).expect("read");
            assert_eq!(bytes, content, "{length} bytes");
        }
        let error = files.read_into("other", &mut bytes).expect_err("not there");
        assert!(error.is_absent() && bytes.is_empty(), "{error}");
        assert!(error.to_string().contains("/other"), "{error}");
        let recorded = Host::recorded(&folder);
        recorded.values_in("/").read_into("file", &mut bytes).expect("of a recorded tree");
        assert_eq!(bytes.len(), 5 * VALUE_BYTES);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn without_the_folder_no_file_is_there() {
        let host = Host::live();
        let mut files = host.values_in("/proc/no-such-folder");
        for _ in 0..2 {
            assert!(files.read_text("file").expect_err("no folder").is_absent());
        }
    }
}
