//! `cargo xtask web`: makes the page's bundle, `web/dist`, from its sources.

use anyhow::{Result, bail};
use clap::Args;

use crate::page_tools::{missing, node};
use crate::tree::Tree;

/// Options.
#[derive(Args)]
pub struct Arguments {
    /// Make it again after each change; beside it: heldup serve SOURCE --assets web/dist
    #[arg(long)]
    watch: bool,
}

/// Writes the types of what the server answers, and the bundle.
pub fn run(tree: &Tree, arguments: &Arguments) -> Result<()> {
    if let Some(why) = missing(tree)? {
        bail!("{why}");
    }
    let build: &[&str] = if arguments.watch { &["build.mjs", "--watch"] } else { &["build.mjs"] };
    for script in [&["types.mjs"], build] {
        let status = node(tree, script).status()?;
        if !status.success() {
            bail!("node {}: {status}", script.join(" "));
        }
    }
    Ok(())
}
