//! Files, folders and links under the host's root.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::error::HostError;
use crate::memory_tree::MemoryTree;

/// The largest file that is read: `/proc/kallsyms` has about 15 MB, everything else far less.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// Most kernel files fit into this: one read brings them, a second one says that this was all.
/// (`read_to_end` of the standard library needs five: kernel files claim to be empty.)
const FIRST_READ_BYTES: usize = 4096;

/// The root of what has none on the disk: nothing is below it, and nothing can be made there.
const NO_ROOT: &str = "/dev/null";

/// The machine whose files are read: the running one, or a recorded tree of another.
#[derive(Clone, Debug)]
pub struct Host {
    root: PathBuf,
    live: bool,
    memory: Option<Arc<MemoryTree>>,
}

/// Size of a mounted file system, in bytes and inodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSystemSize {
    /// Size.
    pub size_bytes: u64,
    /// Free, reserve included.
    pub free_bytes: u64,
    /// Free for ordinary users.
    pub available_bytes: u64,
    /// Inodes; 0 where the file system makes them as needed.
    pub inodes: u64,
    /// Free inodes.
    pub inodes_free: u64,
}

impl Host {
    /// The running machine.
    pub fn live() -> Host {
        Host { root: PathBuf::from("/"), live: true, memory: None }
    }

    /// A recorded tree that holds `proc`, `sys` and `etc` of some machine.
    pub fn recorded(root: impl Into<PathBuf>) -> Host {
        Host { root: root.into(), live: false, memory: None }
    }

    /// The same where the tree is held in memory, and may be any part of a machine's files: what is
    /// not in it is [`HostError::NotRecorded`].
    pub fn in_memory(tree: Arc<MemoryTree>) -> Host {
        Host { root: NO_ROOT.into(), live: false, memory: Some(tree) }
    }

    /// Whether this is the running machine.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// The tree, where it is held in memory.
    pub(crate) fn memory(&self) -> Option<&MemoryTree> {
        self.memory.as_deref()
    }

    /// Where an absolute path of the host is found; `..` never leads out of the root.
    pub(crate) fn locate(&self, path: &Path) -> PathBuf {
        if self.live {
            return path.to_path_buf();
        }
        let mut located = self.root.clone();
        for part in path.components() {
            match part {
                Component::Normal(name) => located.push(name),
                Component::ParentDir if located != self.root => {
                    located.pop();
                }
                _ => {}
            }
        }
        located
    }

    /// The whole file; kernel files are read to their end, however they claim to be sized.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Vec<u8>, HostError> {
        let mut bytes = Vec::new();
        self.read_into(path, &mut bytes)?;
        Ok(bytes)
    }

    /// The whole file into a buffer that is emptied first, for files read again and again.
    ///
    /// A pipe in the place of a file is refused and never waited for.
    pub fn read_into(&self, path: impl AsRef<Path>, bytes: &mut Vec<u8>) -> Result<(), HostError> {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        let path = path.as_ref();
        let fail = |e| HostError::from_io(path, e);
        let pipe = || fail(std::io::Error::other("a pipe, not a file"));
        bytes.clear();
        if let Some(tree) = &self.memory {
            bytes.extend_from_slice(tree.read(path)?);
            return Ok(());
        }
        // Kernel files do not know O_NONBLOCK.
        let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(self.locate(path));
        let mut file = opened.map_err(fail)?;
        bytes.resize(FIRST_READ_BYTES, 0);
        let mut filled = 0;
        while filled < FIRST_READ_BYTES {
            match file.read(&mut bytes[filled..]) {
                // A pipe that nobody writes to looks empty.
                Ok(0) if filled == 0 && file.metadata().is_ok_and(|is| is.file_type().is_fifo()) => {
                    return Err(pipe());
                }
                Ok(0) => {
                    bytes.truncate(filled);
                    return Ok(());
                }
                Ok(read) => filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Err(pipe()),
                Err(error) => return Err(fail(error)),
            }
        }
        // Large files claim the size that they have, if any: the kernel's types take 5 MB.
        let claimed = file.metadata().map_or(0, |is| is.len()).min(MAX_FILE_BYTES as u64) as usize;
        bytes.reserve(claimed.saturating_sub(filled));
        let rest = (MAX_FILE_BYTES + 1 - filled) as u64;
        file.take(rest).read_to_end(bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock => pipe(),
            _ => fail(error),
        })?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(HostError::TooLarge { path: path.to_path_buf(), limit: MAX_FILE_BYTES });
        }
        Ok(())
    }

    /// An ordinary file, opened to read parts of it: programs and libraries, which may be large.
    ///
    /// The path may have been chosen by a process that means harm: pipes and devices are
    /// refused, and never waited for.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<File, HostError> {
        use std::os::unix::fs::OpenOptionsExt;
        let path = path.as_ref();
        let fail = |e| HostError::from_io(path, e);
        if self.memory.is_some() {
            return Err(HostError::NotRecorded { path: path.to_path_buf() });
        }
        let mut options = File::options();
        options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC);
        let file = options.open(self.locate(path)).map_err(fail)?;
        if !file.metadata().map_err(fail)?.is_file() {
            return Err(fail(std::io::Error::other("not a regular file")));
        }
        Ok(file)
    }

    /// The whole file as text, without white space at the end; bytes that are no UTF-8 are replaced.
    pub fn read_text(&self, path: impl AsRef<Path>) -> Result<String, HostError> {
        let bytes = self.read(path)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// Names in a folder, sorted; entries that vanish meanwhile are left out.
    pub fn list(&self, path: impl AsRef<Path>) -> Result<Vec<String>, HostError> {
        let path = path.as_ref();
        if let Some(tree) = &self.memory {
            return Ok(tree.names(path)?.iter().cloned().collect());
        }
        let entries = fs::read_dir(self.locate(path)).map_err(|e| HostError::from_io(path, e))?;
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Names of the folders in a folder, sorted; links are not followed.
    pub fn folders(&self, path: impl AsRef<Path>) -> Result<Vec<String>, HostError> {
        use std::os::unix::fs::MetadataExt;
        let path = path.as_ref();
        if let Some(tree) = &self.memory {
            return tree.folders(path);
        }
        // A folder has a link from above, one from itself and one from each folder in it (file
        // systems that do not count say 1). Listing a control group costs ten times as much.
        let metadata = fs::metadata(self.locate(path)).map_err(|e| HostError::from_io(path, e))?;
        if metadata.is_dir() && metadata.nlink() == 2 {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(self.locate(path)).map_err(|e| HostError::from_io(path, e))?;
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let folders = entries.flatten().filter(is_folder);
        let mut names: Vec<String> =
            folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Numbers in a folder, sorted: the processes of `/proc`, the threads of `task`.
    pub fn list_numbers(&self, path: impl AsRef<Path>) -> Result<Vec<i64>, HostError> {
        let path = path.as_ref();
        let mut numbers: Vec<i64> = match &self.memory {
            Some(tree) => tree.names(path)?.iter().filter_map(|name| name.parse().ok()).collect(),
            None => {
                let entries = fs::read_dir(self.locate(path)).map_err(|e| HostError::from_io(path, e))?;
                entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
            }
        };
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// What a symbolic link says.
    pub fn read_link(&self, path: impl AsRef<Path>) -> Result<String, HostError> {
        let path = path.as_ref();
        if let Some(tree) = &self.memory {
            return tree.link(path).map(str::to_owned);
        }
        let target = fs::read_link(self.locate(path)).map_err(|e| HostError::from_io(path, e))?;
        Ok(target.to_string_lossy().into_owned())
    }

    /// Inode number of a file or folder: how control groups and namespaces are numbered.
    pub fn inode(&self, path: impl AsRef<Path>) -> Result<u64, HostError> {
        use std::os::unix::fs::MetadataExt;
        let path = path.as_ref();
        if self.memory.is_some() {
            return Err(HostError::NotRecorded { path: path.to_path_buf() });
        }
        Ok(fs::metadata(self.locate(path)).map_err(|e| HostError::from_io(path, e))?.ino())
    }

    /// Whether the file or folder is there.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        match &self.memory {
            Some(tree) => tree.exists(path.as_ref()),
            None => self.locate(path.as_ref()).exists(),
        }
    }

    /// Size of the file system that a path is on; only on the running machine.
    pub fn file_system_size(&self, mount: &str) -> Result<FileSystemSize, HostError> {
        if !self.live {
            return Err(HostError::NotLive { what: "statvfs" });
        }
        let path = Path::new(mount);
        let name = CString::new(path.as_os_str().as_bytes())
            .map_err(|e| HostError::Io { path: path.to_path_buf(), source: e.into() })?;
        // SAFETY: statvfs is plain data; zero is a valid value of it.
        let mut vfs: libc::statvfs = unsafe { std::mem::zeroed() };
        // SAFETY: `name` ends in NUL and `vfs` is a valid place to write to.
        if unsafe { libc::statvfs(name.as_ptr(), &mut vfs) } != 0 {
            return Err(HostError::from_io(path, std::io::Error::last_os_error()));
        }
        let block = vfs.f_frsize as u64;
        Ok(FileSystemSize {
            size_bytes: vfs.f_blocks as u64 * block,
            free_bytes: vfs.f_bfree as u64 * block,
            available_bytes: vfs.f_bavail as u64 * block,
            inodes: vfs.f_files as u64,
            inodes_free: vfs.f_ffree as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_tree_cannot_be_left() {
        let host = Host::recorded("/recorded");
        assert_eq!(host.locate(Path::new("/proc/stat")), Path::new("/recorded/proc/stat"));
        assert_eq!(host.locate(Path::new("/../../etc/passwd")), Path::new("/recorded/etc/passwd"));
        assert_eq!(host.locate(Path::new("/proc/../../../x")), Path::new("/recorded/x"));
    }

    #[test]
    fn folders_are_found_also_where_a_folder_has_none() {
        let root = std::env::temp_dir().join(format!("heldup-folders-{}", std::process::id()));
        fs::create_dir_all(root.join("a/leaf")).expect("folders");
        fs::write(root.join("a/file"), b"").expect("a file");
        let host = Host::recorded(&root);
        assert_eq!(host.folders("/").expect("the root"), ["a"]);
        assert_eq!(host.folders("/a").expect("a folder"), ["leaf"]);
        assert_eq!(host.folders("/a/leaf").expect("a leaf"), [""; 0]);
        assert!(host.folders("/a/file").is_err());
        fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn a_pipe_is_refused_and_never_waited_for() {
        use std::os::unix::ffi::OsStrExt;
        let root = std::env::temp_dir().join(format!("heldup-pipe-{}", std::process::id()));
        fs::create_dir_all(&root).expect("a folder");
        let path = CString::new(root.join("fifo").as_os_str().as_bytes()).expect("a path");
        // SAFETY: the path ends in NUL and outlives the call.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let host = Host::recorded(&root);
        let refused = |what: &str| {
            let error = host.read("/fifo").expect_err(what);
            assert!(error.to_string().contains("a pipe, not a file"), "{what}: {error}");
        };
        refused("nobody writes");
        let _writer = File::options().read(true).write(true).open(root.join("fifo")).expect("a writer");
        refused("a writer that says nothing");
        fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn a_file_without_an_end_is_refused() {
        let error = Host::live().read("/dev/zero").expect_err("no end");
        assert!(matches!(error, HostError::TooLarge { .. }), "{error}");
        assert!(error.to_string().contains("/dev/zero"), "{error}");
    }

    #[test]
    fn what_is_not_there_is_absent() {
        let missing = Host::live().read("/proc/no-such-file").expect_err("not there");
        assert!(missing.is_absent(), "{missing}");
    }
}
