//! A setting of the kernel that is put back when dropped.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};

/// What every setting that was ever changed held before.
static CHANGED: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// A changed setting.
pub struct KernelSetting {
    path: PathBuf,
    before: String,
}

impl KernelSetting {
    /// Sets a file below `/proc/sys` or `/sys`.
    pub fn set(path: impl Into<PathBuf>, value: &str) -> Result<KernelSetting> {
        let path = path.into();
        let before = value_of(&path)?;
        fs::write(&path, value).with_context(|| format!("write {value} to {}", path.display()))?;
        let mut changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
        changed.entry(path.clone()).or_insert_with(|| before.clone());
        Ok(KernelSetting { path, before })
    }

    /// What it is now.
    pub fn value(&self) -> Result<String> {
        value_of(&self.path)
    }
}

impl Drop for KernelSetting {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.path, &self.before) {
            eprintln!("left behind: {} is not {} again: {error}", self.path.display(), self.before);
        }
    }
}

/// Settings that do not hold what they held before they were first changed, with both values;
/// those of things that are gone are not among them.
pub fn not_put_back() -> Vec<String> {
    let changed = CHANGED.lock().unwrap_or_else(PoisonError::into_inner);
    let differs = |(path, before): (&PathBuf, &String)| {
        let now = value_of(path).ok().filter(|now| now != before)?;
        Some(format!("{} is {now}, it was {before}", path.display()))
    };
    changed.iter().filter_map(differs).collect()
}

fn value_of(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    Ok(chosen(&text).to_owned())
}

/// What a file says is set: of a choice the one in brackets (`always [madvise] never`).
fn chosen(text: &str) -> &str {
    let bracketed = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(text, |(chosen, _)| chosen).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_what_stands_in_brackets() {
        assert_eq!(chosen("always [madvise] never\n"), "madvise");
        assert_eq!(chosen("32768\t60999\n"), "32768\t60999");
    }
}
