//! Every policy of the project as a command: `cargo xtask help` lists them.
//!
//! What a reviewer would have to remember is a check here instead. A new check is a
//! file in `checks/` and a line in its list; a new command is a file in `commands/`.

mod bench;
mod checks;
mod commands;
mod crate_edges;
mod generated;
mod machine;
mod markdown;
mod page_tools;
mod program;
mod prose;
mod sorted_list;
mod svg;
mod table_checks;
mod tree;
mod units;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use commands::{bench as bench_command, ci, generate, new, picture, soak, web};

/// The policies of the project, as commands
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check everything that CI checks, except the tests
    Ci(ci::Arguments),
    /// Make a unit (table, source, importer, rule, tunable, profile, report, command) with its lines in the lists
    New(new::Arguments),
    /// Write man pages, completions and references from the declarations
    Generate,
    /// Make the page's bundle, web/dist, from its sources
    Web(web::Arguments),
    /// Draw a terminal's output as an SVG picture
    Picture(picture::Arguments),
    /// Run the trouble makers, quiet cases and known waits many times in a row
    Soak(soak::Arguments),
    /// Measure what looking costs, in interleaved pairs
    Bench(bench_command::Arguments),
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    let tree = tree::Tree::open()?;
    match command {
        Command::Ci(arguments) => ci::run(&tree, &arguments),
        Command::New(arguments) => new::run(&tree, &arguments),
        Command::Generate => generate::run(&tree),
        Command::Web(arguments) => web::run(&tree, &arguments),
        Command::Picture(arguments) => picture::run(&tree, &arguments),
        Command::Soak(arguments) => soak::run(&tree, &arguments),
        Command::Bench(arguments) => bench_command::run(&tree, &arguments),
    }
}
