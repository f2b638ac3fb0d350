//! All Rust is formatted by rustfmt.

use anyhow::{Context, Result};

use super::{Check, Outcome};
use crate::program::cargo;
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check { name: "formatted", policy: "cargo fmt changes nothing", look };

fn look(tree: &Tree) -> Result<Outcome> {
    let output = cargo(tree, &["fmt", "--all", "--check", "--", "-l"]).output().context("run cargo fmt")?;
    if output.status.success() {
        return Ok(Outcome::Looked(Vec::new()));
    }
    let mut complaints: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|file| format!("{}: run `cargo fmt --all`", relative(tree, file)))
        .collect();
    if complaints.is_empty() {
        complaints.push(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    complaints.dedup();
    Ok(Outcome::Looked(complaints))
}

fn relative<'a>(tree: &Tree, file: &'a str) -> &'a str {
    file.strip_prefix(&*tree.root().to_string_lossy()).map_or(file, |inside| inside.trim_start_matches('/'))
}
