//! Who calls the C library also compiles against musl's, whose types differ here and there:
//! `make static` is too long to be run for every change.

use std::process::Stdio;

use anyhow::Result;

use super::{Check, Outcome};
use crate::program::{cargo, command, is_here, output};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "other-libc", policy: "what calls the C library compiles for musl too", look };

/// The crates of the program that use libc themselves.
const CALLERS: [&str; 3] = ["heldup-hostfs", "heldup-probe", "heldup-sources"];
const STATIC: &str = "x86_64-unknown-linux-musl";

fn look(tree: &Tree) -> Result<Outcome> {
    let installed = is_here("rustup")
        && output(&mut command(tree, "rustup", &["target", "list", "--installed"]))?
            .lines()
            .any(|target| target == STATIC);
    if !installed {
        return Ok(Outcome::Skipped(format!("rustup target add {STATIC}")));
    }
    let mut clippy = cargo(tree, &["clippy", "--quiet", "--locked", "--target", STATIC]);
    for package in CALLERS {
        clippy.args(["--package", package]);
    }
    let status = clippy.args(["--", "-D", "warnings"]).stdin(Stdio::null()).status()?;
    let complaint = (!status.success()).then(|| "see clippy's words above".to_owned());
    Ok(Outcome::Looked(complaint.into_iter().collect()))
}
