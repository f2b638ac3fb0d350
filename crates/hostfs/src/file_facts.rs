//! What a file is, without a look at its content.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::error::HostError;
use crate::files::Host;

/// What the file system says of a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Inode number.
    pub inode: u64,
    /// Owner's user id.
    pub uid: u32,
    /// Permission bits.
    pub permissions: u32,
    /// Size in bytes, as the file system says: most kernel files claim 0.
    pub size_bytes: u64,
}

impl Host {
    /// Inode, owner, permissions and size; links are followed.
    pub fn facts(&self, path: impl AsRef<Path>) -> Result<FileFacts, HostError> {
        let path = path.as_ref();
        if self.memory().is_some() {
            return Err(HostError::NotRecorded { path: path.to_path_buf() });
        }
        let metadata = std::fs::metadata(self.locate(path)).map_err(|e| HostError::from_io(path, e))?;
        Ok(FileFacts {
            inode: metadata.ino(),
            uid: metadata.uid(),
            permissions: metadata.mode() & 0o7777,
            size_bytes: metadata.len(),
        })
    }

    /// How many files a process has open; takes its own user's rights or CAP_SYS_PTRACE.
    ///
    /// Since Linux 6.2 the size of `/proc/PID/fd` is their number; before, they are listed.
    pub fn open_files(&self, pid: i64) -> Result<u64, HostError> {
        let folder = format!("/proc/{pid}/fd");
        if self.is_live() {
            let said = self.facts(&folder)?.size_bytes;
            if said > 0 {
                return Ok(said);
            }
        }
        let path = Path::new(&folder);
        if let Some(tree) = self.memory() {
            return Ok(tree.names(path)?.len() as u64);
        }
        let entries = std::fs::read_dir(self.locate(path)).map_err(|e| HostError::from_io(path, e))?;
        Ok(entries.flatten().count() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own::own_pid;

    #[test]
    fn facts_of_a_folder() {
        let facts = Host::live().facts("/proc/1").expect("the first process");
        assert_eq!((facts.uid, facts.permissions), (0, 0o555));
        assert!(Host::live().facts("/proc/no-such-file").expect_err("not there").is_absent());
    }

    #[test]
    fn open_files_are_counted() {
        let host = Host::live();
        let files: Vec<_> = (0..50).map(|_| std::fs::File::open("/proc/self/stat").expect("open")).collect();
        let count = host.open_files(own_pid()).expect("our own");
        // Other tests of this program open and close files meanwhile.
        assert!((50..200).contains(&count), "{count} open, {} of them ours", files.len());
    }
}
