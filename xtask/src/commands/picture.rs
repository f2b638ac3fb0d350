//! `cargo xtask picture`: what a terminal showed, as an SVG for the README.
//!
//! A picture of real output that a reader can zoom, search and diff, made without a
//! browser or a network.

use std::io::Read;

use anyhow::{Context, Result};
use clap::Args;

use crate::svg::svg;
use crate::tree::Tree;

/// Options.
#[derive(Args)]
pub struct Arguments {
    /// Name: reads standard input, writes docs/picture/NAME.ansi and NAME.svg
    name: String,
    /// The command that wrote it, to show above it as typed
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
}

/// Keeps what standard input says, and draws it.
pub fn run(tree: &Tree, arguments: &Arguments) -> Result<()> {
    let mut terminal = String::new();
    if let Some(command) = &arguments.command {
        terminal = format!("\x1b[2m$\x1b[0m \x1b[1m{command}\x1b[0m\n");
    }
    std::io::stdin().read_to_string(&mut terminal).context("read standard input")?;
    let name = &arguments.name;
    tree.write(&format!("docs/picture/{name}.ansi"), &terminal)?;
    tree.write(&format!("docs/picture/{name}.svg"), &svg(&terminal))?;
    println!("wrote docs/picture/{name}.ansi and docs/picture/{name}.svg");
    Ok(())
}
