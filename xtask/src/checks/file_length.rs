//! A file reads in a sitting.

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check { name: "file-length", policy: "no source file has 800 lines or more", look };

/// Lines that are too many; the aim is 200.
const TOO_MANY: usize = 800;
/// Endings of what people write and read.
const SOURCES: [&str; 7] = [".rs", ".c", ".h", ".sh", ".py", ".md", ".toml"];

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for file in tree.files().filter(|file| SOURCES.iter().any(|ending| file.ends_with(ending))) {
        // Written by programs.
        if file.starts_with("docs/reference/") || file.contains("/fixtures/") || file.ends_with("vmlinux.h") {
            continue;
        }
        let lines = tree.read(file)?.lines().count();
        if lines >= TOO_MANY {
            complaints.push(format!("{file}: {lines} lines; split it before it has {TOO_MANY}"));
        }
    }
    Ok(Outcome::Looked(complaints))
}
