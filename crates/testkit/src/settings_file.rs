//! A file of ours among those that assign settings at boot. Nobody applies it: it is gone before the
//! next boot, and it lies where nothing is kept.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::scratch::unique_name;

/// In memory, and read like the other folders of sysctl.d(5).
pub const FOLDER: &str = "/run/sysctl.d";

/// A file that is removed when dropped, with its folder where it made that.
pub struct SettingsFile {
    path: PathBuf,
    made_folder: bool,
}

impl SettingsFile {
    /// Writes a file of some lines.
    pub fn of(lines: &str) -> Result<SettingsFile> {
        let made_folder = !Path::new(FOLDER).exists();
        fs::create_dir_all(FOLDER).with_context(|| format!("make {FOLDER}"))?;
        let path = Path::new(FOLDER).join(unique_name("settings.conf"));
        let file = SettingsFile { path, made_folder };
        fs::write(&file.path, lines).with_context(|| format!("write {}", file.path.display()))?;
        Ok(file)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SettingsFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            eprintln!("left behind: {}: {error}", self.path.display());
        }
        if self.made_folder {
            // Not empty where somebody else uses it by now.
            let _ = fs::remove_dir(FOLDER);
        }
    }
}
