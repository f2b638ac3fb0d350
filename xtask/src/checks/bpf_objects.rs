//! The committed BPF objects are what the pinned compiler makes of their sources.
//!
//! They are committed so that `cargo build` needs no clang; this is what keeps them honest.

use anyhow::{Context, Result};

use super::{Check, Outcome};
use crate::program::command;
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "bpf-objects", policy: "each *.bpf.o is what the pinned clang makes of its source", look };

/// What `bpf/build.sh` exits with where the pinned compiler is not installed.
const NO_COMPILER: i32 = 3;

fn look(tree: &Tree) -> Result<Outcome> {
    let objects: Vec<&str> = tree.below("", ".bpf.o").collect();
    let mut complaints: Vec<String> = tree
        .below("", ".bpf.c")
        .filter(|source| !objects.iter().any(|object| object.starts_with(source.trim_end_matches("bpf.c"))))
        .map(|source| format!("{source}: its object is not committed; run bpf/build.sh"))
        .collect();
    let output = command(tree, "bpf/build.sh", &["--check"]).output().context("run bpf/build.sh")?;
    let words = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(NO_COMPILER) && complaints.is_empty() {
        return Ok(Outcome::Skipped(words.trim().to_owned()));
    }
    if !output.status.success() {
        complaints.extend(words.lines().map(str::to_owned));
    }
    Ok(Outcome::Looked(complaints))
}
