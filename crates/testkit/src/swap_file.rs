//! A swap file, taken out of use when dropped.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::loop_device::said;
use crate::scratch::Scratch;

/// Swap space on a disk.
pub struct SwapFile {
    path: PathBuf,
    _scratch: Scratch,
}

impl SwapFile {
    /// Adds `bytes` of swap space, of the highest priority: where the machine has some of its own, which may be
    /// memory (zram), none of what a test swaps goes there.
    pub fn new(bytes: u64) -> Result<SwapFile> {
        let scratch = Scratch::new("swap")?;
        let path = scratch.path().join("swap");
        said(Command::new("fallocate").arg("--length").arg(bytes.to_string()).arg(&path))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        said(Command::new("mkswap").arg(&path)).context("make swap space")?;
        said(Command::new("swapon").args(["--priority", "32767"]).arg(&path))?;
        Ok(SwapFile { path, _scratch: scratch })
    }
}

impl Drop for SwapFile {
    fn drop(&mut self) {
        if let Err(error) = said(Command::new("swapoff").arg(&self.path)) {
            eprintln!("left behind: {}: {error:#}", self.path.display());
        }
    }
}
