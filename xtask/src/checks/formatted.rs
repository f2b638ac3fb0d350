//! All Rust is formatted by rustfmt.

use anyhow::Result;

use super::{Check, Outcome};
use crate::program::{cargo, output};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check { name: "formatted", policy: "cargo fmt changes nothing", look };

fn look(tree: &Tree) -> Result<Outcome> {
    let differs = output(&mut cargo(tree, &["fmt", "--all", "--check", "--", "-l"])).err();
    Ok(Outcome::Looked(differs.map(|_| "run `cargo fmt --all`".to_owned()).into_iter().collect()))
}
