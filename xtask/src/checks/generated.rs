//! What is derived from declarations is current.

use anyhow::Result;

use super::{Check, Outcome};
use crate::generated::expected;
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "generated",
    policy: "man pages, completions, references and pictures are what `cargo xtask generate` writes",
    look,
};

fn look(tree: &Tree) -> Result<Outcome> {
    let expected = expected(tree)?;
    let mut complaints = Vec::new();
    for (path, text) in &expected.files {
        if tree.read(path).ok().as_ref() != Some(text) {
            complaints.push(format!("{path}: stale; run `cargo xtask generate`"));
        }
    }
    for path in expected.leftovers(tree) {
        complaints.push(format!("{path}: nothing generates it any more; run `cargo xtask generate`"));
    }
    Ok(Outcome::Looked(complaints))
}
