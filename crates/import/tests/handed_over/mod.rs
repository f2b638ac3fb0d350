//! Given files: files in a folder that is removed when the test ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use heldup_import::{Bundle, Limits, read_paths};

/// A folder of its own.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Nothing is in it yet.
    pub fn empty() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heldup-bundle-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(&path, content).expect("a file");
        path
    }

    /// Reads all of it.
    pub fn read(&self) -> Bundle {
        read_with(&self.0, Limits::default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Reads a file or a folder within bounds.
pub fn read_with(path: &Path, limits: Limits) -> Bundle {
    read_paths(&[path.to_owned()], &limits)
}
