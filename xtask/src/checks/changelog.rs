//! What a user sees has a line in the changelog, under the version that the workspace has.

use anyhow::{Context, Result};
use toml::Table;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "changelog", policy: "CHANGELOG.md has a section for the workspace's version", look };

fn look(tree: &Tree) -> Result<Outcome> {
    let manifest: Table = tree.read("Cargo.toml")?.parse().context("Cargo.toml")?;
    let version =
        manifest["workspace"]["package"]["version"].as_str().context("workspace.package.version")?;
    let heading = format!("## {version}");
    let known = tree.read("CHANGELOG.md")?.lines().any(|line| line.starts_with(&heading));
    let complaint = (!known).then(|| format!("CHANGELOG.md: no section `{heading}`"));
    Ok(Outcome::Looked(complaint.into_iter().collect()))
}
