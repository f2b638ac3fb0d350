//! `heldup`: shows what a machine's work is held up by, names the cause, proposes one change.

mod arg_values;
mod args;
mod commands;
mod exec_hook;
mod exit;
mod failure;
mod terminal;
mod trial_progress;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::cli::{Cli, Command};
use crate::exit::Exit;

fn main() -> ExitCode {
    terminal::die_quietly_on_closed_pipe();
    let cli = Cli::parse();
    let exit = match cli.command {
        // These read what may never answer.
        None
        | Some(
            Command::Examine(_)
            | Command::Watch(_)
            | Command::Doctor(_)
            | Command::Sql(_)
            | Command::Trace(_)
            | Command::Record(_)
            | Command::Capture(_)
            | Command::Try(_),
        ) => Exit(heldup_hostfs::watched(|| run(cli).0)),
        Some(_) => run(cli),
    };
    ExitCode::from(exit.0)
}

fn run(cli: Cli) -> Exit {
    let done = match cli.command {
        None => commands::examine::run(&cli.examine, &cli.run),
        Some(Command::Examine(args)) => commands::examine::run(&args, &[]),
        Some(Command::Watch(args)) => commands::watch::run(&args),
        Some(Command::Record(args)) => commands::record::run(&args),
        Some(Command::Status(args)) => commands::status::run(&args),
        Some(Command::KeepHouse(args)) => commands::keep_house::run(&args),
        Some(Command::Capture(args)) => commands::capture::run(&args),
        Some(Command::Compare(args)) => commands::compare::run(&args),
        Some(Command::Doctor(args)) => commands::doctor::run(&args),
        Some(Command::Sql(args)) => commands::sql::run(&args),
        Some(Command::Trace(args)) => commands::trace::run(&args),
        Some(Command::Tables(args)) => commands::tables::run(&args),
        Some(Command::Rules(command)) => commands::rules::run(&command),
        Some(Command::Tune(command)) => commands::tune::run(&command),
        Some(Command::Try(args)) => commands::try_change::run(&args),
        Some(Command::Completions { shell }) => commands::completions::run(shell),
        Some(Command::Generate { folder }) => commands::generate::run(&folder),
    };
    match done {
        Ok(exit) => exit,
        Err(error) => {
            eprintln!("heldup: {}", failure::said(&error));
            failure::exit(&error)
        }
    }
}
