//! A crate uses only the crates that its layer may use.

use anyhow::{Context, Result};
use toml::Table;

use super::{Check, Outcome};
use crate::crate_edges::allowed;
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "crate-edges", policy: "crates use only what xtask/src/crate_edges.rs allows", look };

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for name in tree.folders("crates/") {
        let file = format!("crates/{name}/Cargo.toml");
        let manifest: Table = tree.read(&file)?.parse().with_context(|| file.clone())?;
        complaints.extend(forbidden(name, &manifest).into_iter().map(|what| format!("{file}: {what}")));
    }
    Ok(Outcome::Looked(complaints))
}

/// What is wrong with a crate's dependencies.
fn forbidden(name: &str, manifest: &Table) -> Vec<String> {
    let Some(allowed) = allowed(name) else {
        return vec![format!("{name} has no line in xtask/src/crate_edges.rs")];
    };
    let dependencies = manifest.get("dependencies").and_then(|d| d.as_table());
    let names = dependencies.into_iter().flat_map(|table| table.keys());
    let mut wrong = Vec::new();
    for dependency in names {
        if let Some(other) = dependency.strip_prefix("heldup-").filter(|other| !allowed.contains(other)) {
            wrong.push(format!("{name} may not use {other}; it may use: {}", allowed.join(", ")));
        }
        // Errors of a library are typed: its callers decide what to do about them.
        if dependency == "anyhow" && !matches!(name, "cli" | "testkit") {
            wrong.push("anyhow is for cli, testkit and xtask; libraries have typed errors".to_owned());
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, manifest: &str, complaints: usize) {
        assert_eq!(forbidden(name, &manifest.parse().unwrap()).len(), complaints, "{name}: {manifest}");
    }

    #[test]
    fn an_edge_that_is_not_in_the_table_is_refused() {
        check("report", "[dependencies]\nheldup-model.workspace = true\njiff = '1'", 0);
        check("report", "[dependencies]\nheldup-archive.workspace = true", 1);
        check("report", "[dev-dependencies]\nheldup-archive.workspace = true", 0);
        check("model", "[dependencies]\nanyhow = '1'", 1);
        check("other", "", 1);
    }
}
