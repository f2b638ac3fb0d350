//! The command line: one declaration, from which help, man pages and completions come.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::capture::CaptureArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::examine::ExamineArgs;
use crate::commands::keep_house::KeepHouseArgs;
use crate::commands::record::RecordArgs;
use crate::commands::rules::RulesCommand;
use crate::commands::sql::SqlArgs;
use crate::commands::status::StatusArgs;
use crate::commands::tables::TablesArgs;
use crate::commands::trace::TraceArgs;
use crate::commands::try_change::TryArgs;
use crate::commands::tune::TuneCommand;
use crate::commands::watch::WatchArgs;

/// Shows what this machine's work is held up by, names the cause, and proposes one change.
#[derive(Debug, Parser)]
#[command(
    name = "heldup",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = EXAMPLES
)]
pub struct Cli {
    /// Options of `examine`, which is what runs when no command is named.
    #[command(flatten)]
    pub examine: ExamineArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Run this command and examine it, its children and the machine from its start to its end.
    #[arg(last = true, value_name = "CMD")]
    pub run: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  sudo heldup                       examine this machine for ten seconds
  sudo heldup --for 60s             look longer: rare troubles need a longer window
  sudo heldup -- make -j4           run a command and examine it from start to end
  sudo heldup watch                 look all the time: a line when a finding comes or goes
  heldup sql @last \"select class_name, sum(seconds) from task_time group by 1\"
  heldup tables task_time           what a table's columns mean
  heldup rules explain disk.saturated

Without root it sees less and says what. Looking changes nothing on the machine.
Exit codes: 0 done, 2 wrong usage, 3 could not do it; with --check 1 when a finding
is a warning or worse. After -- CMD that of the command where it is not 0, or 128 and
the number of the signal that ended it.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Examine this machine, or the last examination again: where its time goes, and why
    Examine(ExamineArgs),
    /// Examine this machine all the time: a line when a finding appears, changes or ends
    Watch(WatchArgs),
    /// Record this machine, every process and what it waits for each second, into an archive
    Record(RecordArgs),
    /// Show what is recorded here, what that costs, and what is missing
    Status(StatusArgs),
    /// Seal what a recorder has closed, and remove what is too old (the recorder runs it)
    #[command(hide = true)]
    KeepHouse(KeepHouseArgs),
    /// Write one file with all that can be seen of this machine, for a helper elsewhere
    Capture(CaptureArgs),
    /// Compare two kept captures: what changed in time, metrics, programs and settings
    Compare(CompareArgs),
    /// Show what can be seen on this machine, what cannot, and what would let it
    Doctor(DoctorArgs),
    /// Ask the tables yourself, on the live machine or on the last examination
    Sql(SqlArgs),
    /// Drill one kind of time down to programs, objects and stacks, over the time of a window
    Trace(TraceArgs),
    /// List the tables, or the columns of one with their units and meanings
    Tables(TablesArgs),
    /// List, explain or test the rules behind the findings
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Show settings and who set them; change them so that it is taken back after any end
    #[command(subcommand)]
    Tune(TuneCommand),
    /// Change one thing, prove whether it helps, and take it back
    Try(Box<TryArgs>),
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete for.
        shell: clap_complete::Shell,
    },
    /// Write man pages, completions and references into a folder (for packagers)
    #[command(hide = true)]
    Generate {
        /// Folder to write to.
        folder: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        Cli::command().debug_assert();
    }

    fn parse(words: &[&str]) -> Cli {
        Cli::try_parse_from(std::iter::once("heldup").chain(words.iter().copied())).expect("parses")
    }

    #[test]
    fn no_command_is_examine() {
        let cli = parse(&["--for", "3s"]);
        assert!(cli.command.is_none());
        assert_eq!(cli.examine.window, Some(Duration::from_secs(3)));
    }

    #[test]
    fn a_command_to_run_follows_two_dashes() {
        let cli = parse(&["--format", "json", "--", "make", "-j4"]);
        assert_eq!(cli.run, ["make", "-j4"]);
    }
}
