//! Clippy with the lints of the workspace; a warning is an error.

use std::process::Stdio;

use anyhow::Result;

use super::{Check, Outcome};
use crate::program::cargo;
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check { name: "lints", policy: "clippy has nothing to say", look };

fn look(tree: &Tree) -> Result<Outcome> {
    let arguments = ["clippy", "--quiet", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    let status = cargo(tree, &arguments).stdin(Stdio::null()).status()?;
    let complaint = (!status.success()).then(|| "see clippy's words above".to_owned());
    Ok(Outcome::Looked(complaint.into_iter().collect()))
}
