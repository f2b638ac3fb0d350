//! `cargo xtask generate`: what is derived from declarations, written into `docs/`.

use std::fs;

use anyhow::{Context, Result};

use crate::generated::expected;
use crate::tree::Tree;

/// Writes what is stale.
pub fn run(tree: &Tree) -> Result<()> {
    let expected = expected(tree)?;
    for (path, text) in &expected.files {
        if tree.read(path).ok().as_ref() != Some(text) {
            tree.write(path, text)?;
            println!("wrote {path}");
        }
    }
    for path in expected.leftovers(tree) {
        fs::remove_file(tree.at(path)).with_context(|| format!("remove {path}"))?;
        println!("removed {path}");
    }
    Ok(())
}
