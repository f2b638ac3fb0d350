//! `heldup try`: tests a change in pairs of runs, and undoes it.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{TryRecvError, channel};
use std::time::Duration;

use anyhow::Context;
use clap::{ArgGroup, Args, ValueEnum};
use heldup_engine::{
    Cancel, EXPERIMENT_FILE, EngineError, Tried, TryRequest, experiments_folder, narrowed, redact_experiment,
    try_changes,
};
use heldup_hostfs::{Interrupts, monotonic_ns};
use heldup_model::{Experiment, ExperimentEnd, Goal, Verdict};
use heldup_prove::{Figure, Guard};
use heldup_report::{csv, experiment, harmless, html};

use crate::arg_values::parse_duration;
use crate::args::{AnswerArgs, Format, MethodArgs, PageArgs, with_page};
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal;
use crate::trial_progress::TrialProgress;

/// Which figures are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GoalChoice {
    /// Lower ones: times, losses.
    Lower,
    /// Higher ones: throughput.
    Higher,
}

impl From<GoalChoice> for Goal {
    fn from(choice: GoalChoice) -> Goal {
        match choice {
            GoalChoice::Lower => Goal::Lower,
            GoalChoice::Higher => Goal::Higher,
        }
    }
}

/// Options of `try`.
#[derive(Args, Clone, Debug)]
#[command(
    group(ArgGroup::new("measured").args(["workload", "query"]).required(true)),
    override_usage = "\
heldup try [OPTIONS] [SETTING=VALUE[,VALUE]]... --workload <CMD>
       heldup try [OPTIONS] [SETTING=VALUE[,VALUE]]... --query <SQL>",
    mut_arg("format", with_page),
    mut_arg("verbose", |arg| arg.help("Show all classes of time")),
    mut_arg("quiet", |arg| arg.help("Show the conclusion only"))
)]
#[command(after_long_help = "\
Examples:
  sudo heldup try block.sda.queue.read_ahead_kb=128 --workload ./scan.sh
  sudo heldup try vm.dirty_ratio=10,20,40 --workload 'pgbench -T 20 app' \\
      --measure 'regex:tps = ([0-9.]+)' --goal higher
  sudo heldup try vm.swappiness=10 --goal lower \\
      --query \"select total(seconds) from task_time where class_name = 'mem_swap_in'\"
  sudo heldup try vm.dirty_ratio=5..80 --search --workload ./load.sh
  sudo heldup try --workload ./scan.sh      the change proposed by the top finding; asks first

First the noise is measured without a change, then pairs of runs, one with and one without the change, in random \
order, until the result is clear: helped, harmed, or no effect. The chance that any of the answers is wrong is at \
most one in a hundred. At least eight pairs are needed, ten for three values.

A run of the workload is a block; with --query a stretch of live traffic is one. Every change goes through the log \
of changes and is undone however the experiment ends; what a kill left is undone by the next run of heldup. \
Without --apply-best nothing stays.

MEASURE is wall, regex:PATTERN (the last match in what it wrote), json:PATH (jobs.0.read.iops) or sql:QUERY. A \
guard is one with a limit: 'json:p99<=20', or 'json:p99<=110%' of what it is without.

Exit codes: 0 done, 2 wrong usage, 3 the workload failed or a setting cannot be changed, 4 interrupted (Ctrl-C, \
SIGTERM, the terminal closed) and undone, 5 a guard was exceeded and the change undone; with --require-gain 1 if \
no change has helped, 6 if that is not decided.")]
pub struct TryArgs {
    /// Settings and values to test (default: the change proposed by the top finding; asks first)
    #[arg(value_name = "SETTING=VALUE")]
    pub changes: Vec<String>,
    /// Command to measure, run by sh
    #[arg(long, value_name = "CMD", conflicts_with = "query")]
    pub workload: Option<String>,
    /// Measure live traffic: the first cell of a query
    #[arg(long, value_name = "SQL", requires = "goal", conflicts_with = "measure")]
    pub query: Option<String>,
    /// Measure of a run: wall (default), regex:, json:, sql:
    #[arg(long, value_name = "MEASURE", default_value = "wall", hide_default_value = true)]
    pub measure: Figure,
    /// Better: lower (default for wall) or higher
    #[arg(long, value_enum, value_name = "WHICH", hide_possible_values = true)]
    pub goal: Option<GoalChoice>,
    /// Stop if a second measure exceeds its limit ('json:p99<=20')
    #[arg(long = "guard", value_name = "MEASURE<=LIMIT", hide_short_help = true)]
    pub guards: Vec<Guard>,
    /// Command to run by sh before each run, not measured
    #[arg(long, value_name = "CMD", requires = "workload", hide_short_help = true)]
    pub prepare: Option<String>,
    /// Time limit of a run
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration, hide_short_help = true)]
    pub timeout: Duration,
    /// Length of a block of live traffic
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration, hide_short_help = true)]
    pub block: Duration,
    /// Wait after each change (default 2s on live traffic)
    #[arg(long, value_name = "TIME", value_parser = parse_duration, hide_short_help = true)]
    pub settle: Option<Duration>,
    /// Blocks at the start that are not counted
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=100), hide_short_help = true)]
    pub warm_up: u16,
    /// Smallest effect worth finding
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = parse_effect)]
    pub min_effect: f64,
    /// Pairs of each change at most
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u16).range(8..=1000), hide_short_help = true)]
    pub pairs: u16,
    /// Time limit of all blocks
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = parse_duration)]
    pub max_time: Duration,
    /// Random seed for the order of runs
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub seed: Option<u64>,
    /// Search LOW..HIGH for the best value, then test it
    #[arg(long, hide_short_help = true)]
    pub search: bool,
    /// Keep the change that helped most
    #[arg(long)]
    pub apply_best: bool,
    /// Do not ask before testing a proposed change
    #[arg(long)]
    pub yes: bool,
    /// Folder for the record of the experiment (default: `experiments` in the state folder)
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub dossier: Option<PathBuf>,
    /// Do not account for time: no reasons, lowest overhead
    #[arg(long, hide_short_help = true)]
    pub no_ledger: bool,
    /// Exit with 1 if no change has helped
    #[arg(long)]
    pub require_gain: bool,
    /// How to account for time.
    #[command(flatten)]
    pub method: MethodArgs,
    /// Where the answer goes.
    #[command(flatten)]
    pub page: PageArgs,
    /// How the answer is written.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Reads `2%` or `0.5`.
fn parse_effect(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 1000.0 => Ok(percent / 100.0),
        _ => Err("expected a share of the measure in percent, as in 2%".to_owned()),
    }
}

/// How often it is looked whether somebody answered or asked to stop.
const LOOK_NS: u64 = 100_000_000;

/// Tries changes.
pub fn run(args: &TryArgs) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::UNDOES);
    let confirm = |_: &_, interrupts: &Interrupts| {
        let nobody =
            || EngineError::usage("no terminal to ask on; --yes tests the proposed change without asking");
        if args.yes { Ok(true) } else { confirmed("heldup: try it?", interrupts).ok_or_else(nobody) }
    };
    let progress = TrialProgress::new();
    match try_changes(&request(args), &confirm, &progress, &Cancel::SignalsAndHangup)? {
        Tried::Experiment(mut found) => {
            drop(progress);
            if args.page.redact {
                redact_experiment(&mut found)?;
            }
            finish(args, &found)
        }
        Tried::Nothing => Ok(Exit::DONE),
        Tried::Stopped => Ok(Exit::UNDONE),
    }
}

fn request(args: &TryArgs) -> TryRequest {
    TryRequest {
        changes: args.changes.clone(),
        workload: args.workload.clone(),
        query: args.query.clone(),
        measure: args.measure.clone(),
        goal: args.goal.map(Into::into),
        guards: args.guards.clone(),
        prepare: args.prepare.clone(),
        timeout: args.timeout,
        block: args.block,
        settle: args.settle,
        warm_up: args.warm_up.into(),
        min_effect: args.min_effect,
        most_pairs: args.pairs.into(),
        max_time: args.max_time,
        seed: args.seed,
        search: args.search,
        apply_best: args.apply_best,
        with_ledger: !args.no_ledger,
        method: args.method.method.into(),
    }
}

/// Whether somebody at the terminal says yes; none where nobody is there. No where they ask to stop.
fn confirmed(question: &str, interrupts: &Interrupts) -> Option<bool> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    eprint!("{question} [y/N] ");
    let (send, answered) = channel();
    // A read of the terminal goes on when a signal comes: it is left behind.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let _ = send.send(read.map(|_| line).unwrap_or_default());
    });
    loop {
        match answered.try_recv() {
            Ok(line) => return Some(matches!(line.trim(), "y" | "Y" | "yes")),
            Err(TryRecvError::Disconnected) => return Some(false),
            Err(TryRecvError::Empty) if interrupts.stopped() => return Some(false),
            Err(TryRecvError::Empty) => interrupts.wait_until(monotonic_ns() + LOOK_NS),
        }
    }
}

/// Writes the dossier, prints the answer, and says with what to end.
fn finish(args: &TryArgs, found: &Experiment) -> anyhow::Result<Exit> {
    let mut options = terminal::text_options(&args.answer);
    let page = html::experiment(found, &narrowed(found), &options);
    let file = args.page.output.as_deref();
    let is_page = args.answer.is_page(file);
    let rendered = match args.answer.format() {
        Format::Json => experiment::json(found),
        Format::Csv => csv::list(found, "changes"),
        Format::Text if args.answer.quiet() => experiment::conclusion(found, &options),
        Format::Text => experiment::text(found, &options),
    };
    match is_page {
        true => terminal::write_page(&page, file)?,
        false => terminal::write_answer(&rendered, file)?,
    }
    options.color = false;
    options.details = true;
    match dossier(args.dossier.as_deref(), found, &experiment::text(found, &options), &page) {
        Ok(folder) => say(&format!("dossier: {}", folder.display())),
        Err(error) => say(&format!("no dossier is written: {error:#}")),
    }
    let has = |verdict| found.changes.iter().any(|change| change.verdict == Some(verdict));
    Ok(match found.end {
        ExperimentEnd::Done if args.require_gain && !has(Verdict::Helped) => match has(Verdict::Undecided) {
            true => Exit::UNDECIDED,
            false => Exit::FOUND,
        },
        ExperimentEnd::Done => Exit::DONE,
        ExperimentEnd::Failed => Exit::COULD_NOT,
        ExperimentEnd::GuardBreached => Exit::GUARD_BREACHED,
        ExperimentEnd::Interrupted => Exit::UNDONE,
    })
}

/// The folder that holds the experiment as JSON, as text and as a page.
fn dossier(folder: Option<&Path>, found: &Experiment, text: &str, page: &str) -> anyhow::Result<PathBuf> {
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => experiments_folder().join(found.from.replace(':', "")),
    };
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    write(EXPERIMENT_FILE, &experiment::json(found))?;
    write("experiment.txt", text)?;
    write("experiment.html", page)?;
    Ok(folder)
}

/// Words beside the answer.
fn say(what: &str) {
    eprintln!("heldup: {}", harmless(what));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_has_to_be_said() {
        use clap::Parser;
        let said = |words: &[&str]| {
            crate::commands::cli::Cli::try_parse_from(words).err().map(|error| error.to_string())
        };
        let wrong = said(&["heldup", "try", "vm.swappiness=10"]).unwrap_or_default();
        assert!(wrong.contains("--workload <CMD>|--query <SQL>"), "{wrong}");
        assert_eq!(said(&["heldup", "try", "vm.swappiness=10", "--workload", "true"]), None);
        assert_eq!(said(&["heldup", "try", "--query", "select 1", "--goal", "lower"]), None);
    }

    #[test]
    fn shares_of_the_figure() {
        assert_eq!((parse_effect("2%"), parse_effect("0.5")), (Ok(0.02), Ok(0.005)));
        for text in ["", "0", "-1%", "x"] {
            assert!(parse_effect(text).is_err(), "{text}");
        }
    }
}
