//! `cargo xtask new`: a unit with its lines in the lists, and what to answer in it.

use anyhow::Result;
use clap::Args;

use crate::tree::Tree;
use crate::units::{Unit, make};

/// Options.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    unit: Unit,
}

/// Makes the unit, and says what is left to do.
pub fn run(tree: &Tree, arguments: &Arguments) -> Result<()> {
    let made = make(tree, &arguments.unit)?;
    for file in &made.written {
        println!("wrote {file}");
    }
    for file in &made.lines {
        println!("a line in {file}");
    }
    println!("next: answer every … in them; {}", made.next);
    Ok(())
}
