//! `heldup completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::cli::Cli;
use crate::exit::Exit;

/// Prints the completion script of a shell.
pub fn run(shell: Shell) -> anyhow::Result<Exit> {
    clap_complete::generate(shell, &mut Cli::command(), "heldup", &mut std::io::stdout());
    Ok(Exit::DONE)
}
