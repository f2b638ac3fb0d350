//! `heldup`: shows what a machine's work is held up by, names the cause, proposes one change.

mod accounts;
mod args;
mod command_run;
mod commands;
mod examination;
mod exec_hook;
mod ignored;
mod live;
mod own_cost;
mod session;
mod source;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

/// Exit code of wrong usage, as clap has it too.
const WRONG_USAGE: u8 = 2;
/// Exit code when something could not be done.
const COULD_NOT: u8 = 3;

/// Arguments that parse and still make no sense.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WrongUsage(String);

fn main() -> ExitCode {
    terminal::die_quietly_on_closed_pipe();
    let cli = Cli::parse();
    match cli.command {
        // These read what may never answer.
        None | Some(Command::Examine(_) | Command::Watch(_) | Command::Doctor(_) | Command::Sql(_)) => {
            ExitCode::from(heldup_hostfs::watched(|| number(run(cli))))
        }
        Some(_) => run(cli),
    }
}

/// The number of an exit code, which does not tell it itself.
fn number(code: ExitCode) -> u8 {
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(COULD_NOT)
}

fn run(cli: Cli) -> ExitCode {
    let done = match cli.command {
        None => commands::examine::run(&cli.examine, &cli.run),
        Some(Command::Examine(args)) => commands::examine::run(&args, &[]),
        Some(Command::Watch(args)) => commands::watch::run(&args),
        Some(Command::Doctor(args)) => commands::doctor::run(&args),
        Some(Command::Sql(args)) => commands::sql::run(&args),
        Some(Command::Tables(args)) => commands::tables::run(&args),
        Some(Command::Rules(command)) => commands::rules::run(&command),
        Some(Command::Completions { shell }) => commands::completions::run(shell),
        Some(Command::Generate { folder }) => commands::generate::run(&folder),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            eprintln!("heldup: {error:#}");
            ExitCode::from(if error.is::<WrongUsage>() { WRONG_USAGE } else { COULD_NOT })
        }
    }
}
