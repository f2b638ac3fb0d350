//! Answers of rules stand when readings are a little different.

use std::process::Stdio;

use anyhow::{Context, Result};

use super::{Check, Outcome};
use crate::program::{command, heldup};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "robust-rules",
    policy: "no finding of a firing case falls by readings that are 5 % off or by a missing sample (docs/decisions/0018-severity.md)",
    look,
};

fn look(tree: &Tree) -> Result<Outcome> {
    let program = heldup(tree, "dev")?;
    let told = command(tree, &program, &["rules", "test", "--robust"])
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("run {}", program.display()))?;
    let text = String::from_utf8_lossy(&told.stdout);
    let mut complaints: Vec<String> =
        text.lines().filter(|line| line.starts_with("FAILED")).map(str::to_owned).collect();
    if complaints.is_empty() && !told.status.success() {
        complaints.push(String::from_utf8_lossy(&told.stderr).trim_end().to_owned());
    }
    Ok(Outcome::Looked(complaints))
}
