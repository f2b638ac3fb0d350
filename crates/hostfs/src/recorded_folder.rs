//! A folder of files that other tools wrote, listed without ever leaving it.
//!
//! Links are told and not followed: what one leads to inside the folder is met at its own place, and
//! what is outside was not given. So no loop of links has a beginning. Pipes, sockets and
//! devices are counted and not opened.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::recorded_file::RecordedFile;

/// Maximum of files and folders: a report of a large machine has some 30,000.
const MOST_ENTRIES: usize = 300_000;
/// Folders in folders; `/sys` has some twenty.
const MOST_DEPTH: usize = 64;

/// What a folder has, sorted by name.
#[derive(Debug, Default)]
pub struct RecordedFolder {
    /// Its files, those of folders in it too.
    pub files: Vec<FolderFile>,
    /// Links, with what they say.
    pub links: Vec<(String, String)>,
    /// Pipes, sockets and devices.
    pub not_opened: u64,
    /// Folders that could not be listed.
    pub unreadable: Vec<HostError>,
    /// There is more than the maximum.
    pub is_cut: bool,
}

/// A file in a folder.
#[derive(Clone, Debug)]
pub struct FolderFile {
    /// Its path from the folder on.
    pub name: String,
    /// When it was last written, milliseconds since 1970-01-01 UTC.
    pub modified_ms: i64,
    path: PathBuf,
}

impl FolderFile {
    /// Opens it. What has become a link meanwhile is refused.
    pub fn open(&self) -> Result<RecordedFile, HostError> {
        RecordedFile::in_folder(&self.path)
    }
}

impl RecordedFolder {
    /// Lists a folder.
    pub fn at(root: &Path) -> Result<RecordedFolder, HostError> {
        let mut listed = RecordedFolder::default();
        let device = fs::metadata(root).map_err(|error| HostError::from_io(root, error))?.dev();
        listed.list(root, "", device, 0)?;
        Ok(listed)
    }

    fn list(&mut self, folder: &Path, prefix: &str, device: u64, depth: usize) -> Result<(), HostError> {
        let entries = fs::read_dir(folder).map_err(|error| HostError::from_io(folder, error))?;
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort_unstable();
        for name in names {
            if self.files.len() + self.links.len() >= MOST_ENTRIES {
                self.is_cut = true;
                return Ok(());
            }
            let path = folder.join(&name);
            let name = format!("{prefix}{}", name.to_string_lossy());
            // What went away meanwhile is not there.
            let Ok(facts) = fs::symlink_metadata(&path) else { continue };
            if facts.is_dir() {
                // Something that is mounted in it was not given.
                if facts.dev() != device {
                    self.not_opened += 1;
                } else if depth >= MOST_DEPTH {
                    self.is_cut = true;
                } else if let Err(error) = self.list(&path, &format!("{name}/"), device, depth + 1) {
                    self.unreadable.push(error);
                }
            } else {
                self.take(path, name, &facts);
            }
        }
        Ok(())
    }

    fn take(&mut self, path: PathBuf, name: String, facts: &Metadata) {
        if facts.is_symlink() {
            let target = fs::read_link(&path).map(|target| target.to_string_lossy().into_owned());
            self.links.extend(target.map(|target| (name, target)));
        } else if facts.is_file() {
            let modified_ms = facts.mtime().saturating_mul(1000) + facts.mtime_nsec() / 1_000_000;
            self.files.push(FolderFile { name, modified_ms, path });
        } else {
            self.not_opened += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_told_pipes_are_not_opened_and_loops_end() {
        let root = std::env::temp_dir().join(format!("heldup-folder-{}", std::process::id()));
        let outside = std::env::temp_dir().join(format!("heldup-outside-{}", std::process::id()));
        fs::create_dir_all(root.join("a/b")).expect("folders");
        fs::create_dir_all(&outside).expect("a folder");
        fs::write(outside.join("secret"), "x").expect("a file");
        fs::write(root.join("a/b/file"), "x").expect("a file");
        // Two links that each lead to the other's folder make a tree without an end of what follows them.
        symlink("..", root.join("a/up")).expect("a link");
        symlink("../a", root.join("a/b/again")).expect("a link");
        symlink(&outside, root.join("out")).expect("a link");
        let pipe = CString::new(root.join("pipe").as_os_str().as_bytes()).expect("a path");
        // SAFETY: the path ends in NUL and outlives the call.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        let listed = RecordedFolder::at(&root).expect("a folder");
        let files: Vec<&str> = listed.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(files, ["a/b/file"]);
        let links: Vec<&str> = listed.links.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(links, ["a/b/again", "a/up", "out"]);
        assert_eq!((listed.not_opened, listed.is_cut, listed.unreadable.len()), (1, false, 0));
        // Between the look and the opening somebody makes a link of it.
        fs::remove_file(root.join("a/b/file")).expect("removed");
        symlink(outside.join("secret"), root.join("a/b/file")).expect("a link");
        assert!(listed.files[0].open().is_err());
        fs::remove_dir_all(&root).expect("removed");
        fs::remove_dir_all(&outside).expect("removed");
        assert!(RecordedFolder::at(&root).expect_err("gone").is_absent());
    }
}
