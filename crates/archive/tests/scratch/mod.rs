//! A folder of a test's own.

use std::fs;
use std::path::PathBuf;

/// A folder that is removed at the end.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// A new one.
    pub fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("heldup-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
