//! `heldup try`: changes one thing, proves it, and takes it back.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{TryRecvError, channel};

use anyhow::Context;
use heldup_engine::{Cancel, EngineError, Tried, TryRequest, try_changes};
use heldup_hostfs::{Interrupts, machine_state_dir, monotonic_ns};
use heldup_model::{Experiment, ExperimentEnd, Verdict};
use heldup_report::{TextOptions, experiment, harmless};

use super::try_args::TryArgs;
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal;
use crate::trial_progress::TrialProgress;

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
