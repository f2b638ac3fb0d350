//! `heldup`: finds out why a Unix machine is slow, which process causes it, and which change fixes it.

mod arg_values;
mod args;
mod commands;
mod exec_hook;
mod exit;
mod failure;
mod interrupt;
mod terminal;
mod trial_progress;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::commands::cli::{Cli, Command, SHORT_HELP};
use crate::exit::Exit;

fn main() -> ExitCode {
    terminal::die_quietly_on_closed_pipe();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if asks_for_short_help(&arguments) {
        print!("{SHORT_HELP}");
        return ExitCode::SUCCESS;
    }
    if let Some(why) = words::no_command(&arguments) {
        return refused(&why);
    }
    let cli = parsed(&arguments);
    let sources = cli.command.is_none().then_some(&cli.examine.sources);
    if let Some(why) = sources.and_then(|words| words::no_source(words.iter().map(String::as_str))) {
        return refused(&why);
    }
    let exit = match cli.command {
        // These read what may never answer.
        None
        | Some(
            Command::Examine(_)
            | Command::Run(_)
            | Command::Watch(_)
            | Command::Doctor(_)
            | Command::Sql(_)
            | Command::Breakdown(_)
            | Command::Plot(_)
            | Command::Record(_)
            | Command::Capture(_)
            | Command::Baseline(_)
            | Command::Try(_),
        ) => Exit(heldup_hostfs::watched(|| run(cli).0)),
        Some(Command::Top(_)) => Exit(heldup_hostfs::watched_in_terminal(|| run(cli).0)),
        Some(_) => run(cli),
    };
    ExitCode::from(exit.0)
}

/// The command line; what is wrong with it ends the program, as what is only printed does.
fn parsed(arguments: &[OsString]) -> Cli {
    let width = terminal::width();
    let mut command = Cli::command().term_width(width.min(MOST_HELP_COLUMNS));
    let matches = command.try_get_matches_from_mut(arguments);
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    cli.unwrap_or_else(|error| words::with_hint(error, arguments).exit())
}

/// Wider help is hard to read.
const MOST_HELP_COLUMNS: usize = 100;

/// Whether `-h` stands before any command.
fn asks_for_short_help(arguments: &[OsString]) -> bool {
    let cli = Cli::command();
    let is_over = |word: &OsString| word == "--" || cli.find_subcommand(word).is_some();
    arguments.iter().skip(1).take_while(|word| !is_over(word)).any(|word| word == "-h")
}

/// Says why the command line makes no sense.
fn refused(why: &str) -> ExitCode {
    eprintln!("heldup: {}", failure::harmless_lines(why));
    ExitCode::from(Exit::WRONG_USAGE.0)
}

fn run(cli: Cli) -> Exit {
    let done = match cli.command {
        None => commands::examine::run(&cli.examine),
        Some(Command::Examine(args)) => commands::examine::run(&args),
        Some(Command::Run(args)) => commands::examine::run_command(&args),
        Some(Command::Top(args)) => commands::top::run(&args),
        Some(Command::Serve(args)) => commands::serve::run(&args),
        Some(Command::Explain(args)) => commands::explain::run(&args),
        Some(Command::Baseline(command)) => commands::baseline::run(&command),
        Some(Command::Watch(args)) => commands::watch::run(&args),
        Some(Command::Record(args)) => commands::record::run(&args),
        Some(Command::Status(args)) => commands::status::run(&args),
        Some(Command::KeepHouse(args)) => commands::keep_house::run(&args),
        Some(Command::LiveArchive(args)) => commands::live_archive::run(&args),
        Some(Command::Capture(args)) => commands::capture::run(&args),
        Some(Command::Compare(args)) => commands::compare::run(&args),
        Some(Command::Doctor(args)) => commands::doctor::run(&args),
        Some(Command::Sql(args)) => commands::sql::run(&args),
        Some(Command::Breakdown(args)) => commands::breakdown::run(&args),
        Some(Command::Plot(args)) => commands::plot::run(&args),
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
