//! Runs other programs: cargo, git, and the `heldup` that is being checked.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::tree::Tree;

/// A program with arguments, to run at the root of the tree.
pub fn command(tree: &Tree, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(tree.root());
    command
}

/// Cargo, the same that runs this.
pub fn cargo(tree: &Tree, arguments: &[&str]) -> Command {
    command(tree, std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Runs it to its end and gives what it wrote; an error with what it complained of
/// when it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("run {name}"))?;
    if !output.status.success() {
        bail!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program can be run here at all.
pub fn is_here(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Where `heldup` is: what `HELDUP_BIN` names, else a build of `profile` made now.
pub fn heldup(tree: &Tree, profile: &str) -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("HELDUP_BIN") {
        let path = PathBuf::from(path);
        return path.canonicalize().with_context(|| format!("HELDUP_BIN={}", path.display()));
    }
    built(tree, "heldup", "heldup", profile)
}

/// Builds one program of a package and gives its path.
pub fn built(tree: &Tree, package: &str, program: &str, profile: &str) -> Result<PathBuf> {
    let arguments = [
        "build",
        "--quiet",
        "--package",
        package,
        "--bin",
        program,
        "--profile",
        profile,
        "--message-format",
        "json-render-diagnostics",
    ];
    let messages = output(cargo(tree, &arguments).stderr(Stdio::inherit()))?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .with_context(|| format!("cargo build named no executable {program}"))
}
