//! Folders that are removed with everything in them.
//!
//! They lie on a disk, not in memory: most of the tests are about disks.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};

use crate::ordinary_user::may_write;

/// What the name of everything that the tests make on a machine starts with.
pub const PREFIX: &str = "heldup-it";

/// Where scratch folders are made, unless `HELDUP_SCRATCH` says otherwise: `/tmp` is in
/// memory on many machines, `/var/tmp` is on a disk.
const ON_DISK: &str = "/var/tmp";

static MADE: AtomicU32 = AtomicU32::new(0);

/// A name that no other test, and no test run at the same time, uses.
pub fn unique_name(label: &str) -> String {
    format!("{}{}-{label}", prefix_of_this_run(), MADE.fetch_add(1, Ordering::Relaxed))
}

/// What the names of this run begin with: another run may be at work beside it.
pub fn prefix_of_this_run() -> String {
    format!("{PREFIX}-{}-", std::process::id())
}

/// Where scratch folders are made.
pub fn scratch_parent() -> PathBuf {
    std::env::var_os("HELDUP_SCRATCH").unwrap_or_else(|| ON_DISK.into()).into()
}

/// A folder that is removed when dropped.
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes an empty folder on a disk.
    pub fn new(label: &str) -> Result<Scratch> {
        let path = scratch_parent().join(unique_name(label));
        fs::create_dir(&path).with_context(|| format!("make {}", path.display()))?;
        let scratch = Scratch { path };
        may_write(scratch.path())?;
        Ok(scratch)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a file in the folder; see [`file_on_disk`].
    pub fn file_on_disk(&self, name: &str, bytes: u64) -> Result<PathBuf> {
        file_on_disk(&self.path.join(name), bytes)
    }

    /// The kernel's name of the disk under the folder, such as `vda`.
    pub fn disk_name(&self) -> Result<String> {
        disk_under(&self.path)
    }
}

/// The kernel's name of the disk under a folder.
pub fn disk_under(folder: &Path) -> Result<String> {
    let device = fs::metadata(folder)?.dev();
    let number = format!("{}:{}", libc::major(device), libc::minor(device));
    let link = fs::canonicalize(format!("/sys/dev/block/{number}"))
        .with_context(|| format!("no block device under {} ({number})", folder.display()))?;
    // A partition lies below its disk: …/block/sda/sda1.
    let disk = if link.join("partition").exists() { link.parent() } else { Some(link.as_path()) };
    let name = disk.and_then(Path::file_name).context("a block device without a name")?;
    Ok(name.to_string_lossy().into_owned())
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("left behind: {}: {error}", self.path.display());
        }
    }
}

/// Bytes of a page, of which each in a file differs from all others.
const PAGE: usize = 4096;

/// Makes a file of `bytes` of data that does not compress or merge, on the disk and not in
/// the page cache.
///
/// Random numbers are drawn for one piece only, and each page of each piece gets a number of its
/// own: to draw them for every page took a guest, whose CPU is emulated, 15 s for 256 MB.
pub fn file_on_disk(path: &Path, bytes: u64) -> Result<PathBuf> {
    let mut data = vec![0u8; 1 << 20];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for eight in data.chunks_exact_mut(8) {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        eight.copy_from_slice(&state.to_le_bytes());
    }
    let file = fs::File::create(path).with_context(|| format!("create {}", path.display()))?;
    for piece in 0..bytes.div_ceil(1 << 20) {
        for page in data.chunks_exact_mut(PAGE) {
            page[..8].copy_from_slice(&piece.to_le_bytes());
        }
        std::io::Write::write_all(&mut &file, &data)?;
    }
    file.sync_all()?;
    forget_cached(&file);
    Ok(path.to_owned())
}

/// Drops the pages of all files below a folder from the page cache, after they are written.
pub fn forget_all_cached(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?.flatten() {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            forget_all_cached(&entry.path())?;
        } else if kind.is_file() {
            // Gone by now, where a server is at work.
            let Ok(file) = fs::File::open(entry.path()) else { continue };
            file.sync_all()?;
            forget_cached(&file);
        }
    }
    Ok(())
}

/// Drops the file's pages from the page cache.
fn forget_cached(file: &fs::File) {
    use std::os::fd::AsRawFd;
    // SAFETY: a call on an open descriptor that takes no pointers; its failure only
    // leaves pages cached.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_scratch_folder_is_removed_with_what_is_in_it() -> Result<()> {
        let scratch = Scratch::new("removed")?;
        let path = scratch.path().to_owned();
        let file = scratch.file_on_disk("data", 3 << 20)?;
        assert_eq!(fs::metadata(file)?.len(), 3 << 20);
        drop(scratch);
        assert!(!path.exists());
        Ok(())
    }

    #[test]
    fn no_two_pages_of_a_file_are_the_same() -> Result<()> {
        let scratch = Scratch::new("pages")?;
        let content = fs::read(scratch.file_on_disk("data", 3 << 20)?)?;
        let pages: HashSet<&[u8]> = content.chunks(PAGE).collect();
        assert_eq!(pages.len(), content.len() / PAGE);
        Ok(())
    }

    #[test]
    fn names_do_not_repeat() {
        assert_ne!(unique_name("x"), unique_name("x"));
    }
}
