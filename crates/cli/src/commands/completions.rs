//! `heldup completions SHELL`.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;

/// Prints the completion script of a shell.
pub fn run(shell: Shell) -> anyhow::Result<ExitCode> {
    clap_complete::generate(shell, &mut Cli::command(), "heldup", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}
