//! `heldup try`: changes one thing, proves it, and takes it back.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use heldup_hostfs::{Host, Interrupts, machine_state_dir, monotonic_ns, realtime_ms};
use heldup_model::{
    Block, EXPERIMENT_SCHEMA, Experiment, ExperimentEnd, Goal, MovedSetting, ProposingFinding, Question,
    SearchedValue, TriedChange, Verdict,
};
use heldup_prove::{
    Asked, Figure, Limits, LoggedSwitch, Outcome, SearchLimits, Switch, Told, asked, run as run_experiment,
    search, values, why,
};
use heldup_report::{TextOptions, experiment, harmless};
use heldup_tune::{LoggedHost, Planned};
use jiff::tz::TimeZone;

use super::try_args::{GoalChoice, TryArgs};
use super::tune::changed_host::{ChangedHost, writer};
use crate::WrongUsage;
use crate::args::Format;
use crate::examination::rfc3339;
use crate::exit::Exit;
use crate::terminal;
use crate::trial::{Bench, Load, Suffering, TrialProgress, configuration, confirmed, proposal};

/// Chance that any answer of an experiment is wrong.
const ERROR: f64 = 0.01;
/// Pairs without a change: as few as show how large the noise is, because they decide nothing.
const NOISE_PAIRS: usize = 4;
/// How long live traffic is given to settle after a switch.
const LIVE_SETTLE_S: u64 = 2;

/// Tries changes.
pub fn run(args: &TryArgs) -> anyhow::Result<Exit> {
    // From here on a request to stop is seen between two steps: what is on is taken back.
    let interrupts = Interrupts::watch_with_hangup()?;
    let machine = ChangedHost::live();
    let changer = machine.changer();
    let writer = writer(&changer)?;
    let Some((words, proposed_by)) = words(args, &machine, &interrupts)? else {
        return Ok(if interrupts.stopped() { Exit::TAKEN_BACK } else { Exit::DONE });
    };
    let changes = changes(args, &machine, &words)?;
    changes.iter().for_each(|change| say(&planned(change)));

    let metric = args.metric.clone().map(Figure::Sql);
    let figure = metric.as_ref().unwrap_or(&args.figure);
    let limits = limits(args, goal(args, figure)?);
    let (mut bench, without) = bench(args, &machine.host, figure, &interrupts)?;
    say(&format!("seed {}", limits.seed));
    let from = rfc3339(realtime_ms())?;
    let before = configuration(&machine.host, &machine.catalogue);

    let mut switches: Vec<Logged> = changes.iter().map(|change| LoggedSwitch::new(&writer, change)).collect();
    let mut proved = prove(args, &limits, &mut bench, &mut switches, &changes);
    let tried: Vec<(&Planned, &Logged)> =
        proved.tried.iter().map(|at| (&changes[*at], &switches[*at])).collect();
    let why_not = proved.outcome.not_undone.take();
    let question = question(args, figure, &limits, proved.outcome.is_ratio);
    let best =
        best(&proved.outcome, limits.goal).filter(|_| args.keep && proved.outcome.end == ExperimentEnd::Done);
    let mut found = told(&machine.host, question, &tried, proved.outcome)?;
    (found.from, found.searched, found.proposed_by) = (from, proved.searched, proposed_by);
    found.notes.extend(without);
    found.notes.extend(proved.alike);
    found.notes.extend(why_not.map(|why| {
        format!("THE CHANGE IS NOT TAKEN BACK: {why}; the next run of heldup that writes tries again")
    }));
    if let Some(at) = best {
        match switches[proved.tried[at]].keep() {
            Ok(()) => found.changes[at].kept = true,
            Err(stop) => found.notes.push(format!("it could not be kept: {stop}")),
        }
    }
    let after = configuration(&machine.host, &machine.catalogue);
    found.otherwise_after = after.into_iter().filter(|(key, now)| before.get(key) != Some(now)).collect();
    found.before = before;
    finish(args, &found)
}

/// What came of all of it.
struct Proved {
    outcome: Outcome,
    /// Which of the changes were tried.
    tried: Vec<usize>,
    searched: Vec<SearchedValue>,
    /// Which values noise does not tell from the one that is tried.
    alike: Option<String>,
}

/// Searches where that was asked for, and tries what is left.
fn prove(
    args: &TryArgs,
    limits: &Limits,
    bench: &mut Bench,
    switches: &mut [Logged],
    changes: &[Planned],
) -> Proved {
    let mut progress = TrialProgress::new();
    let mut all: Vec<&mut dyn Switch> = switches.iter_mut().map(|one| one as &mut dyn Switch).collect();
    let (mut searched, mut blocks, mut alike) = (Vec::new(), Vec::new(), None);
    let mut tried: Vec<usize> = (0..changes.len()).collect();
    if args.search {
        let names: Vec<String> = changes.iter().map(|change| change.to.clone()).collect();
        let Limits { goal, seed, warm_up, most_seconds, worth, .. } = *limits;
        let present = changes.first().and_then(|change| change.from.as_deref()?.trim().parse().ok());
        let of_search = SearchLimits { goal, seed, warm_up, most_seconds, worth, present };
        let tell = &mut |block: &Block| progress.tell(Told::Block(block));
        let found = search(&of_search, &args.guards, &names, bench, &mut all, tell);
        let Some(best) = found.best else {
            let outcome = Outcome::of_search(&found);
            return Proved { outcome, tried: Vec::new(), searched: found.values, alike: None };
        };
        alike = not_told_apart(&names, best, &found.alike);
        (searched, blocks, tried) = (found.values, found.blocks, vec![best]);
        all = all.into_iter().skip(best).take(1).collect();
    }
    let mut outcome = run_experiment(limits, &args.guards, bench, &mut all, &mut |told| progress.tell(told));
    blocks.append(&mut outcome.blocks);
    Proved { outcome: Outcome { blocks, ..outcome }, tried, searched, alike }
}

/// Says which values noise does not tell from the one that is tried.
fn not_told_apart(names: &[String], best: usize, alike: &[usize]) -> Option<String> {
    let others: Vec<&str> = alike.iter().map(|at| names[*at].as_str()).collect();
    (!others.is_empty()).then(|| {
        format!("noise does not tell {} from {}, which may be as good", names[best], others.join(", "))
    })
}

/// A switch of this machine.
type Logged<'a, 'w, 'c, 'h> = LoggedSwitch<'a, 'w, 'c, LoggedHost<'h>>;

/// What is to be tried, and the finding that proposes it; none where what was found proposes nothing, or
/// is not wanted.
fn words(
    args: &TryArgs,
    machine: &ChangedHost,
    interrupts: &Interrupts,
) -> anyhow::Result<Option<(Vec<String>, Option<ProposingFinding>)>> {
    if !args.changes.is_empty() {
        return Ok(Some((args.changes.clone(), None)));
    }
    let suffering = Suffering { workload: args.workload.as_deref(), prepare: args.prepare.as_deref() };
    let found = proposal(&machine.host, &machine.catalogue, suffering, args.method, interrupts)?;
    if interrupts.stopped() {
        return Ok(None);
    }
    let Some(found) = found else {
        say("nothing that was found proposes a setting that can be tried");
        return Ok(None);
    };
    say(&format!("found: {}", found.finding.title));
    say(&format!("proposed: {}", found.word));
    say(&format!("to be expected: {}", found.expect));
    say(&format!("risk: {}", found.risk));
    if !args.yes {
        match confirmed("heldup: try it?", interrupts) {
            Some(true) => {}
            Some(false) => return Ok(None),
            None => bail!(WrongUsage("nobody is there to be asked; --yes tries it all the same".to_owned())),
        }
    }
    Ok(Some((vec![found.word], Some(found.finding))))
}

/// The changes of the words, which are wrong usage where they are none.
fn changes(args: &TryArgs, machine: &ChangedHost, words: &[String]) -> anyhow::Result<Vec<Planned>> {
    let words: Vec<String> =
        if args.search { words.iter().map(|word| values(word)).collect() } else { words.to_vec() };
    let all = asked(&machine.catalogue, &machine.host, &words);
    let Asked { changes: all, already } = all.map_err(|error| WrongUsage(harmless(&error.to_string())))?;
    for (key, value) in &already {
        say(&format!("{key} is {value} already: the other values are tried against it"));
    }
    let one_setting = all.windows(2).all(|pair| pair[0].instance == pair[1].instance);
    if args.search && !(one_setting && all.len() > 2) {
        bail!(WrongUsage("--search takes one setting and three values or more, or LOW..HIGH".to_owned()));
    }
    Ok(all)
}

fn limits(args: &TryArgs, goal: Goal) -> Limits {
    Limits {
        error: ERROR,
        worth: args.worth,
        goal,
        seed: args.seed.unwrap_or_else(|| realtime_ms() as u64 ^ monotonic_ns()),
        warm_up: args.warm_up.into(),
        noise_pairs: NOISE_PAIRS,
        most_pairs: args.pairs.into(),
        most_seconds: args.within.as_secs_f64(),
    }
}

fn planned(change: &Planned) -> String {
    let before = change.from.as_deref().unwrap_or("?");
    let mut line = format!("tries {} {before} → {}", change.instance.key, change.to);
    for objection in &change.objections {
        line += &format!("; but {}", objection.what);
    }
    line
}

fn goal(args: &TryArgs, figure: &Figure) -> anyhow::Result<Goal> {
    match (args.goal, figure) {
        (Some(GoalChoice::Lower), _) | (None, Figure::Wall) => Ok(Goal::Lower),
        (Some(GoalChoice::Higher), _) => Ok(Goal::Higher),
        (None, _) => bail!(WrongUsage("--goal lower or higher: which figures are better?".to_owned())),
    }
}

fn bench<'a>(
    args: &'a TryArgs,
    host: &'a Host,
    figure: &'a Figure,
    interrupts: &'a Interrupts,
) -> anyhow::Result<(Bench<'a>, Option<String>)> {
    let is_query = |figure: &Figure| figure.query().is_some();
    if args.metric.is_some() && !args.guards.iter().all(|guard| is_query(&guard.figure)) {
        bail!(WrongUsage("guards of live traffic are queries: --guard 'sql:QUERY<=LIMIT'".to_owned()));
    }
    let (load, settle) = match &args.workload {
        Some(line) => {
            let (line, prepare) = (line.clone(), args.prepare.clone());
            (Load::Command { line, prepare, timeout: args.timeout }, 0)
        }
        None => (Load::Live(args.block), LIVE_SETTLE_S),
    };
    let settle = args.settle.unwrap_or(std::time::Duration::from_secs(settle));
    let ledger = (args.method, !args.no_ledger);
    Bench::open(host, load, (figure, &args.guards), settle, interrupts, ledger)
}

fn question(args: &TryArgs, figure: &Figure, limits: &Limits, is_ratio: bool) -> Question {
    let (figure, unit) = match figure {
        Figure::Wall => ("wall".to_owned(), Some("s".to_owned())),
        Figure::Pattern(pattern) => (format!("regex:{pattern}"), None),
        Figure::Json(path) => (format!("json:{path}"), None),
        Figure::Sql(query) => (format!("sql:{query}"), None),
    };
    Question {
        workload: args.workload.clone(),
        prepare: args.prepare.clone(),
        figure,
        unit,
        goal: limits.goal,
        guards: args.guards.iter().map(|guard| guard.text.clone()).collect(),
        error: limits.error,
        worth: limits.worth,
        is_ratio,
        seed: limits.seed,
        most_pairs: limits.most_pairs as u64,
    }
}

/// Which change has helped most.
fn best(outcome: &Outcome, goal: Goal) -> Option<usize> {
    let helped = outcome.tried.iter().enumerate().filter(|(_, tried)| tried.verdict == Some(Verdict::Helped));
    let size = |effect: Option<f64>| match goal {
        Goal::Higher => effect.unwrap_or(0.0),
        Goal::Lower => -effect.unwrap_or(0.0),
    };
    helped.max_by(|(_, a), (_, b)| size(a.effect).total_cmp(&size(b.effect))).map(|(at, _)| at)
}

fn told(
    host: &Host,
    asked: Question,
    tried: &[(&Planned, &Logged)],
    outcome: Outcome,
) -> anyhow::Result<Experiment> {
    let changes = tried.iter().zip(&outcome.tried).enumerate();
    let changes = changes.map(|(at, ((change, switch), tried))| {
        let applied = switch.applied();
        let moved = applied.into_iter().flat_map(|applied| &applied.moved);
        let moved = moved.map(|(setting, before, now)| MovedSetting {
            setting: setting.clone(),
            before: before.clone(),
            now: now.clone(),
        });
        TriedChange {
            setting: change.instance.key.clone(),
            before: change.from.clone().unwrap_or_default(),
            asked: change.to.clone(),
            now: applied.map(|applied| applied.now.clone()),
            moved: moved.collect(),
            verdict: tried.verdict,
            effect: tried.effect,
            effect_low: tried.low,
            effect_high: tried.high,
            smallest_seen: tried.smallest_seen,
            pairs_needed: tried.pairs_needed.map(|pairs| pairs as u64),
            noise_needed: tried.noise_needed,
            pairs: tried.pairs as u64,
            why: why(&outcome.blocks, at as u64),
            kept: false,
        }
    });
    let changes = changes.collect();
    let read = |name: &str| host.read_text(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
    Ok(Experiment {
        schema: EXPERIMENT_SCHEMA.to_owned(),
        host: read("hostname"),
        kernel: read("osrelease"),
        from: String::new(),
        to: rfc3339(realtime_ms())?,
        asked,
        proposed_by: None,
        end: outcome.end,
        why_ended: outcome.why,
        noise: outcome.noise,
        searched: Vec::new(),
        changes,
        blocks: outcome.blocks,
        before: Default::default(),
        otherwise_after: Default::default(),
        notes: Vec::new(),
    })
}

/// Writes the dossier, prints the answer, and says with what to end.
fn finish(args: &TryArgs, found: &Experiment) -> anyhow::Result<Exit> {
    let mut options = TextOptions {
        width: terminal::width(),
        color: terminal::color(args.answer.color),
        bars: false,
        ascii: !terminal::unicode(),
        details: args.answer.details,
        time_zone: TimeZone::system(),
    };
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
