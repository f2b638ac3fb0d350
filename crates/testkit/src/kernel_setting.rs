//! A setting of the kernel that is put back when dropped.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// A changed setting.
pub struct KernelSetting {
    path: PathBuf,
    before: String,
}

impl KernelSetting {
    /// Sets a file below `/proc/sys` or `/sys`.
    pub fn set(path: &str, value: &str) -> Result<KernelSetting> {
        let before = fs::read_to_string(path).with_context(|| format!("read {path}"))?;
        fs::write(path, value).with_context(|| format!("write {value} to {path}"))?;
        Ok(KernelSetting { path: path.into(), before: before.trim_end().to_owned() })
    }
}

impl Drop for KernelSetting {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.path, &self.before) {
            eprintln!("left behind: {} is not {} again: {error}", self.path.display(), self.before);
        }
    }
}
