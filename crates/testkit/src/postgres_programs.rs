//! The server programs of PostgreSQL that the machine has.

use std::fs;
use std::path::{Path, PathBuf};

use crate::search_path::in_search_path;

/// Where the server's programs are: outside the search path on Debian.
pub(crate) fn server_programs() -> Option<PathBuf> {
    let of_version = |parent: &Path| {
        let mut all: Vec<PathBuf> =
            fs::read_dir(parent).ok()?.flatten().map(|entry| entry.path().join("bin")).collect();
        all.sort();
        all.into_iter().rev().find(|folder| folder.join("initdb").exists())
    };
    of_version(Path::new("/usr/lib/postgresql"))
        .or_else(|| in_search_path("initdb")?.parent().map(Path::to_owned))
}
