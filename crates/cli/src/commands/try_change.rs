//! `heldup try`: changes one thing, proves it, and takes it back.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{TryRecvError, channel};
use std::time::Duration;

use anyhow::Context;
use clap::{ArgGroup, Args, ValueEnum};
use heldup_engine::{Cancel, EngineError, Tried, TryRequest, try_changes};
use heldup_hostfs::{Interrupts, machine_state_dir, monotonic_ns};
use heldup_model::{Experiment, ExperimentEnd, Goal, Verdict};
use heldup_prove::{Figure, Guard};
use heldup_report::{TextOptions, experiment, harmless};

use crate::arg_values::parse_duration;
use crate::args::{AnswerArgs, Format, MethodChoice};
use crate::exit::Exit;
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
    group(ArgGroup::new("measured").args(["workload", "metric"]).required(true)),
    mut_arg("details", |arg| arg.help("Write every class of time, also those that do not differ")),
    mut_arg("check", |arg| arg.help("Exit with 1 when no change has helped"))
)]
#[command(after_help = "\
Examples:
  sudo heldup try block.sda.queue.read_ahead_kb=128 --workload ./scan.sh
  sudo heldup try vm.dirty_ratio=10,20,40 --workload 'pgbench -T 20 app' \\
      --figure 'regex:tps = ([0-9.]+)' --goal higher
  sudo heldup try vm.swappiness=10 --goal lower \\
      --metric \"select total(seconds) from task_time where class_name = 'mem_swap_in'\"
  sudo heldup try vm.dirty_ratio=5..80 --search --workload ./load.sh
  sudo heldup try --workload ./scan.sh      the change that the worst finding proposes; it asks first

First it learns how much the figure varies without a change, then measures pairs of blocks, one with and one \
without the change, in an order that a coin decides, until the pairs say something: helped, harmed, or no \
difference that is worth seeing. The chance that any of its answers is wrong is at most one in a hundred, however \
long it looks. At least eight pairs are needed, ten for three values.

A run of the workload is a block; with --metric a stretch of live traffic is one. Every switch goes through the log \
of changes, and whatever ends the experiment takes the change back; what a kill left the next run of heldup takes \
back. Without --keep nothing stays.

FIGURE is wall, regex:PATTERN (the last match in what it wrote), json:PATH (jobs.0.read.iops) or sql:QUERY. A guard \
is one with a limit: 'json:p99<=20', or 'json:p99<=110%' of what it is without.

Exit codes: 0 done, 2 wrong usage, 3 the workload failed or a setting cannot be changed, 4 interrupted (Ctrl-C, \
SIGTERM, the terminal closed) and taken back, 5 a guard was breached and it is taken back; with --check 1 when no \
change has helped.")]
pub struct TryArgs {
    /// Settings and the values to try, one at a time; without any what the worst finding proposes
    #[arg(value_name = "SETTING=VALUE[,VALUE]")]
    pub changes: Vec<String>,
    /// What is run again and again, by sh
    #[arg(long, value_name = "CMD", conflicts_with = "metric")]
    pub workload: Option<String>,
    /// Measure live traffic: a query whose first cell is the figure
    #[arg(long, value_name = "SQL", requires = "goal", conflicts_with = "figure")]
    pub metric: Option<String>,
    /// Where the figure of a run is from: wall, regex:PATTERN, json:PATH or sql:QUERY
    #[arg(long, value_name = "FIGURE", default_value = "wall")]
    pub figure: Figure,
    /// Which figures are better; of the time of a run lower ones
    #[arg(long, value_enum, value_name = "WHICH")]
    pub goal: Option<GoalChoice>,
    /// A second figure that must not go beyond its limit with the change ('json:p99<=20'); where it does, that ends it
    #[arg(long = "guard", value_name = "FIGURE<=LIMIT")]
    pub guards: Vec<Guard>,
    /// What is run by sh before each run and not measured
    #[arg(long, value_name = "CMD", requires = "workload")]
    pub prepare: Option<String>,
    /// How long a run may take
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    pub timeout: Duration,
    /// Length of a block of live traffic
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub block: Duration,
    /// How long to wait after each switch; 2s on live traffic without it
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub settle: Option<Duration>,
    /// Blocks at the start that are not counted
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=100))]
    pub warm_up: u16,
    /// The smallest difference worth seeing, in percent of the figure
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = parse_worth)]
    pub worth: f64,
    /// Pairs of each change at most
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u16).range(8..=1000))]
    pub pairs: u16,
    /// How long blocks may take in all
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = parse_duration)]
    pub within: Duration,
    /// What the order of the blocks is drawn with; the clock without it
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Find the best of many values first (of LOW..HIGH twice as much each time), then try that one
    #[arg(long)]
    pub search: bool,
    /// Keep the change that has helped most
    #[arg(long)]
    pub keep: bool,
    /// Do not ask before what a finding proposes is tried
    #[arg(long)]
    pub yes: bool,
    /// Folder for the dossier; without it `experiments` where heldup keeps its state
    #[arg(long, value_name = "FOLDER")]
    pub dossier: Option<PathBuf>,
    /// Do not account for time: no reasons, and nothing but the workload runs
    #[arg(long)]
    pub no_ledger: bool,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// How the answer is written
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Reads `2%` or `0.5`.
fn parse_worth(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 1000.0 => Ok(percent / 100.0),
        _ => Err("expected a share of the figure in percent, as in 2%".to_owned()),
    }
}

/// How often it is looked whether somebody answered or asked to stop.
const LOOK_NS: u64 = 100_000_000;

/// Tries changes.
pub fn run(args: &TryArgs) -> anyhow::Result<Exit> {
    let confirm = |_: &_, interrupts: &Interrupts| {
        let nobody = || EngineError::usage("nobody is there to be asked; --yes tries it all the same");
        if args.yes { Ok(true) } else { confirmed("heldup: try it?", interrupts).ok_or_else(nobody) }
    };
    let progress = TrialProgress::new();
    match try_changes(&request(args), &confirm, &progress, &Cancel::SignalsAndHangup)? {
        Tried::Experiment(found) => {
            drop(progress);
            finish(args, &found)
        }
        Tried::Nothing => Ok(Exit::DONE),
        Tried::Stopped => Ok(Exit::TAKEN_BACK),
    }
}

fn request(args: &TryArgs) -> TryRequest {
    TryRequest {
        changes: args.changes.clone(),
        workload: args.workload.clone(),
        metric: args.metric.clone(),
        figure: args.figure.clone(),
        goal: args.goal.map(Into::into),
        guards: args.guards.clone(),
        prepare: args.prepare.clone(),
        timeout: args.timeout,
        block: args.block,
        settle: args.settle,
        warm_up: args.warm_up.into(),
        worth: args.worth,
        most_pairs: args.pairs.into(),
        within: args.within,
        seed: args.seed,
        search: args.search,
        keep: args.keep,
        with_ledger: !args.no_ledger,
        method: args.method.into(),
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
    let options = terminal::text_options(terminal::color(args.answer.color));
    let mut options = TextOptions { details: args.answer.details, ..options };
    let rendered = match args.answer.format {
        Format::Json => experiment::json(found),
        Format::Text => experiment::text(found, &options),
    };
    println!("{}", rendered.trim_end());
    options.color = false;
    options.details = true;
    match dossier(args.dossier.as_deref(), found, &experiment::text(found, &options)) {
        Ok(folder) => say(&format!("dossier: {}", folder.display())),
        Err(error) => say(&format!("no dossier is written: {error:#}")),
    }
    let has = |verdict| found.changes.iter().any(|change| change.verdict == Some(verdict));
    Ok(match found.end {
        ExperimentEnd::Done if args.answer.check && !has(Verdict::Helped) => match has(Verdict::Undecided) {
            true => Exit::UNDECIDED,
            false => Exit::FOUND,
        },
        ExperimentEnd::Done => Exit::DONE,
        ExperimentEnd::Failed => Exit::COULD_NOT,
        ExperimentEnd::GuardBreached => Exit::GUARD_BREACHED,
        ExperimentEnd::Interrupted => Exit::TAKEN_BACK,
    })
}

/// The folder that holds the experiment as JSON and as text.
fn dossier(folder: Option<&Path>, found: &Experiment, text: &str) -> anyhow::Result<PathBuf> {
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => machine_state_dir().join("experiments").join(found.from.replace(':', "")),
    };
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    write("experiment.json", &experiment::json(found))?;
    write("experiment.txt", text)?;
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
        assert!(wrong.contains("--workload <CMD>|--metric <SQL>"), "{wrong}");
        assert_eq!(said(&["heldup", "try", "vm.swappiness=10", "--workload", "true"]), None);
        assert_eq!(said(&["heldup", "try", "--metric", "select 1", "--goal", "lower"]), None);
    }

    #[test]
    fn shares_of_the_figure() {
        assert_eq!((parse_worth("2%"), parse_worth("0.5")), (Ok(0.02), Ok(0.005)));
        for text in ["", "0", "-1%", "x"] {
            assert!(parse_worth(text).is_err(), "{text}");
        }
    }
}
