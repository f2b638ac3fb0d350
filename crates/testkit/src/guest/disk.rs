//! A disk of a guest: a file without blocks, and where it is mounted there.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::loop_device::said;

/// A virtio disk: `vda` for the first, `vdb` for the second.
#[derive(Clone, Debug)]
pub struct Disk {
    /// Size in bytes.
    pub bytes: u64,
    /// Where it is mounted, with ext4; nowhere when it is to be empty.
    pub mounted_at: Option<&'static str>,
    /// Bytes that it takes and gives a second; as many as it can where nothing is said.
    pub bytes_per_s: Option<u64>,
    /// The file under it, which outlives the guest: it is made where it is not there yet, and a guest
    /// that is booted later finds what was on the disk. Without it the disk goes with the guest.
    pub kept: Option<PathBuf>,
}

impl Disk {
    /// Makes the file under it.
    pub(super) fn make(&self, folder: &Path, number: usize) -> Result<PathBuf> {
        let path = self.kept.clone().unwrap_or_else(|| folder.join(format!("disk-{number}")));
        if path.exists() {
            return Ok(path);
        }
        let file = File::create(&path).with_context(|| format!("create {}", path.display()))?;
        file.set_len(self.bytes)?;
        if self.mounted_at.is_some() {
            // Made here, where it takes no time; with all tables, so that the guest's kernel
            // does not go on writing them after the mount.
            said(
                Command::new("mkfs.ext4")
                    .args(["-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0"])
                    .arg(&path),
            )?;
        }
        Ok(path)
    }

    /// Its name in the guest.
    pub(super) fn name(number: usize) -> String {
        format!("vd{}", char::from(b'a' + number as u8))
    }
}
