//! The command line: one declaration, from which help, man pages and completions come.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::baseline::BaselineCommand;
use crate::commands::breakdown::BreakdownArgs;
use crate::commands::capture::CaptureArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::examine::{ExamineArgs, RunArgs};
use crate::commands::explain::ExplainArgs;
use crate::commands::keep_house::KeepHouseArgs;
use crate::commands::live_archive::LiveArchiveArgs;
use crate::commands::plot::PlotArgs;
use crate::commands::record::RecordArgs;
use crate::commands::rules::RulesCommand;
use crate::commands::serve::ServeArgs;
use crate::commands::sql::SqlArgs;
use crate::commands::status::StatusArgs;
use crate::commands::tables::TablesArgs;
use crate::commands::top::TopArgs;
use crate::commands::try_change::TryArgs;
use crate::commands::tune::TuneCommand;
use crate::commands::watch::WatchArgs;

/// Finds out why a Unix machine is slow, which process causes it, and which change fixes it.
#[derive(Debug, Parser)]
#[command(
    name = "heldup",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_long_help = EXAMPLES
)]
pub struct Cli {
    /// Options of `examine`, which is what runs when no command is named.
    #[command(flatten)]
    pub examine: ExamineArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What `heldup -h` prints: what people need, on one screen.
pub const SHORT_HELP: &str = "\
Finds out why a Unix machine is slow, which process causes it, and which change
fixes it. It changes nothing unless asked to.

  sudo heldup                           what is wrong now (10 s)
  sudo heldup watch                     report findings as they come and go
  sudo heldup serve                     the same as a page in a browser
  sudo heldup --since \"last night\"      what was wrong then (heldup record)
  heldup FILE...                        read a file: sar, iostat, sosreport, ...
  sudo heldup try SETTING=VALUE --workload CMD    change a setting and prove it
  sudo heldup capture -o FILE           one file for whoever helps

  -p, --pid PID       only this process     -v, --verbose  all evidence
  -u, --unit UNIT     only this unit        -q, --quiet    findings only
      --for TIME      window (10s, 2m)          --json     for programs
  -- CMD              run CMD and examine it    --fail-on SEVERITY  exit code 1

Explain a finding: heldup explain 1. All commands and options: heldup --help.
";

const EXAMPLES: &str = "\
Examples:
  sudo heldup                       what is wrong now: examine this machine for 10 s
  sudo heldup --for 60s             a longer window: rare problems need one
  sudo heldup -- make -j4           run a command and examine it from start to end
  sudo heldup watch                 report findings as they appear and end
  sudo heldup serve                 show this machine as a page in a browser
  sudo heldup --since \"last night\"  what was wrong last night, as recorded
  heldup sosreport.tar.xz           read what others recorded
  sudo heldup explain 1             what finding 1 means, and what to do
  sudo heldup try vm.swappiness=10 --workload ./load.sh
  sudo heldup capture -o slow.heldup

Without root it sees less and says what. It changes nothing on the machine unless asked to.
Exit codes: 0 done, 2 wrong usage or unknown name, 3 could not do it; with --fail-on 1 if a finding
is as bad as that. After -- CMD that of the command where it is not 0, 128 plus the signal's number,
or 127 if it is not found.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Examine this machine, or a recording: where time goes, and why
    Examine(Box<ExamineArgs>),
    /// Run a command and examine it from start to end
    Run(Box<RunArgs>),
    /// Examine this machine continuously; report findings as they appear and end
    Watch(WatchArgs),
    /// Show this machine in the terminal, live or as it was recorded
    Top(Box<TopArgs>),
    /// Show this machine or a recording as a page, in a browser
    Serve(Box<ServeArgs>),
    /// Explain a finding, a rule or a class of time
    Explain(ExplainArgs),
    /// Break down CPU, wait, I/O, lock or memory time by program, object and stack
    Breakdown(BreakdownArgs),
    /// Draw figures of this machine or a recording: in the terminal, as pictures, as a page
    Plot(Box<PlotArgs>),
    /// Compare two recordings: time, metrics, programs and settings
    Compare(CompareArgs),
    /// Change one setting, prove whether it helps, and undo it
    Try(Box<TryArgs>),
    /// Show, change and undo settings
    #[command(subcommand)]
    Tune(TuneCommand),
    /// Record this machine every second, every process and its waits, into an archive
    Record(RecordArgs),
    /// Show the recorder, pending changes of settings, and the last findings
    Status(StatusArgs),
    /// Write one file with all that can be seen of this machine, for whoever helps
    Capture(CaptureArgs),
    /// Save, show or delete the settings that examinations compare with
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Show what cannot be seen on this machine, and what would change that
    Doctor(DoctorArgs),
    /// Query the tables of an examination, a recording or this machine
    Sql(SqlArgs),
    /// List the tables, or the columns of one with units and meanings
    Tables(TablesArgs),
    /// List or test the rules behind the findings
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Seal what a recorder has closed, and remove what is too old (the recorder runs it)
    #[command(hide = true)]
    KeepHouse(KeepHouseArgs),
    /// Record into a temporary archive while `top` shows it (`top` runs it)
    #[command(hide = true)]
    LiveArchive(LiveArchiveArgs),
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

    #[test]
    fn short_help_of_every_command_fits_a_screen() {
        let mut cli = Cli::command().term_width(80);
        cli.build();
        cli.get_subcommands_mut().filter(|command| command.get_name() != "help").for_each(fits);
        assert!(SHORT_HELP.lines().count() <= 24);
        assert!(SHORT_HELP.lines().all(|line| line.chars().count() <= 80));
    }

    fn fits(command: &mut clap::Command) {
        let text = command.render_help().to_string();
        let name = command.get_bin_name().unwrap_or_default().to_owned();
        assert!(text.lines().count() <= 24, "{name}: {} lines\n{text}", text.lines().count());
        // What clap says of `help` itself is not ours.
        command.get_subcommands_mut().filter(|below| below.get_name() != "help").for_each(fits);
    }

    #[test]
    fn short_help_names_options_that_there_are() {
        for words in [
            &["-p", "1", "-v", "--for", "10s", "--json", "--fail-on", "warning"][..],
            &["-u", "nginx", "-q"],
            &["--since", "last night"],
            &["try", "vm.swappiness=10", "--workload", "true"],
            &["capture", "-o", "slow.heldup"],
            &["explain", "1"],
        ] {
            parse(words);
        }
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
        assert_eq!(cli.examine.command, ["make", "-j4"]);
        let Some(Command::Examine(args)) = parse(&["examine", "--", "make", "-j4"]).command else {
            panic!("another command")
        };
        assert_eq!(args.command, ["make", "-j4"]);
        let Some(Command::Run(args)) = parse(&["run", "--json", "make", "-j4"]).command else {
            panic!("another command")
        };
        assert_eq!(args.command, ["make", "-j4"]);
    }
}
