//! A setting of the kernel for the time of a test.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// A setting that gets its old value back when dropped.
pub struct Changed {
    file: PathBuf,
    before: String,
}

impl Changed {
    /// Writes `value` into `file`.
    pub fn to(file: impl Into<PathBuf>, value: &str) -> Result<Changed> {
        let file = file.into();
        let before = fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
        fs::write(&file, value).with_context(|| format!("write {value} to {}", file.display()))?;
        Ok(Changed { file, before })
    }

    /// What it is now.
    pub fn value(&self) -> Result<String> {
        let text = fs::read_to_string(&self.file).with_context(|| format!("read {}", self.file.display()))?;
        Ok(text.trim().to_owned())
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.file, self.before.trim()) {
            eprintln!("left behind: {}: {error}", self.file.display());
        }
    }
}
