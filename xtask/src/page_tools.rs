//! The tools that make the page: node, and what `web/package-lock.json` pins. npm installs that where it is missing.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::program::{command, is_here, output};
use crate::tree::Tree;

/// Installs what is missing; the answer is why nothing can be made here, or none.
pub fn missing(tree: &Tree) -> Result<Option<String>> {
    if let Some(program) = ["node", "npm"].into_iter().find(|program| !is_here(program)) {
        return Ok(Some(format!("{program} is not installed (scripts/install-needs.sh test)")));
    }
    if is_installed(tree)? {
        return Ok(None);
    }
    // What is built needs none of the packages' own scripts.
    let install = ["ci", "--prefix", "web", "--ignore-scripts", "--no-audit", "--no-fund"];
    Ok(output(&mut command(tree, "npm", &install)).err().map(|error| format!("{error:#}")))
}

/// Node, at the folder of the page.
pub fn node(tree: &Tree, arguments: &[&str]) -> std::process::Command {
    let mut node = command(tree, "node", arguments);
    node.current_dir(tree.at("web"));
    node
}

/// A program of a package, at the folder of the page.
pub fn packaged(tree: &Tree, name: &str, arguments: &[&str]) -> std::process::Command {
    let mut program = command(tree, tree.at(&format!("web/node_modules/.bin/{name}")), arguments);
    program.current_dir(tree.at("web"));
    program
}

/// Whether what is there is what is pinned.
fn is_installed(tree: &Tree) -> Result<bool> {
    let pinned = packages(&tree.read("web/package-lock.json")?)?;
    let Ok(text) = fs::read_to_string(tree.at("web/node_modules/.package-lock.json")) else {
        return Ok(false);
    };
    let there = packages(&text)?;
    Ok(pinned.iter().filter(|(path, _)| !path.is_empty()).all(|(path, package)| match there.get(path) {
        Some(installed) => installed["version"] == package["version"],
        // Of another system.
        None => package["optional"] == true,
    }))
}

fn packages(lock: &str) -> Result<serde_json::Map<String, Value>> {
    let mut lock: Value = serde_json::from_str(lock).context("package-lock.json")?;
    match lock["packages"].take() {
        Value::Object(packages) => Ok(packages),
        _ => anyhow::bail!("package-lock.json has no packages"),
    }
}
