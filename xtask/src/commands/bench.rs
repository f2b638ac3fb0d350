//! `cargo xtask bench`.
use crate::tree::Tree;
use anyhow::Result;
use clap::Args;
/// Options.
#[derive(Args)]
pub struct Arguments {}
/// Runs.
pub fn run(_tree: &Tree, _arguments: &Arguments) -> Result<()> {
    Ok(())
}
