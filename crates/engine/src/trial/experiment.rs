//! One change, tested and undone: the experiment on a real machine.

use std::time::Duration;

use heldup_hostfs::{Host, Interrupts, monotonic_ns, realtime_ms};
use heldup_model::{
    Block, BlockKind, EXPERIMENT_SCHEMA, Experiment, ExperimentEnd, Goal, MovedSetting, Noise,
    ProposingFinding, Question, SearchedValue, TriedChange, Verdict,
};
use heldup_prove::{
    Asked, Figure, Guard, Limits, LoggedSwitch, Outcome, SearchLimits, Switch, Told, asked,
    run as run_experiment, search, values, why,
};
use heldup_tune::{LoggedHost, Planned};

use super::bench::{Bench, Load};
use super::configuration::configuration;
use super::proposal::{Proposal, Suffering, proposal};
use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::progress::{Progress, Step};
use crate::request::MethodChoice;
use crate::times::rfc3339;
use crate::tune::changed::{ChangedHost, writer};

/// Chance that any answer of an experiment is wrong.
const ERROR: f64 = 0.01;
/// Pairs without a change: as few as show how large the noise is, because they decide nothing.
const NOISE_PAIRS: usize = 4;
/// How long live traffic is given to settle after a switch.
const LIVE_SETTLE_S: u64 = 2;

/// What is tried, and how it is measured.
#[derive(Clone, Debug)]
pub struct TryRequest {
    /// Settings and the values to try, one at a time; without any what the worst finding proposes.
    pub changes: Vec<String>,
    /// What is run again and again, by sh; without it live traffic is measured.
    pub workload: Option<String>,
    /// Of live traffic, the query whose first cell is the figure.
    pub query: Option<String>,
    /// Where the figure of a run is from.
    pub measure: Figure,
    /// Which figures are better; of the time of a run lower ones.
    pub goal: Option<Goal>,
    /// Second figures that must not go beyond their limits with the change.
    pub guards: Vec<Guard>,
    /// What is run by sh before each run and not measured.
    pub prepare: Option<String>,
    /// How long a run may take.
    pub timeout: Duration,
    /// Length of a block of live traffic.
    pub block: Duration,
    /// How long to wait after each switch.
    pub settle: Option<Duration>,
    /// Blocks at the start that are not counted.
    pub warm_up: usize,
    /// The smallest difference worth seeing, as a share of the figure.
    pub min_effect: f64,
    /// Pairs of each change at most.
    pub most_pairs: usize,
    /// How long blocks may take in all.
    pub max_time: Duration,
    /// What the order of the blocks is drawn with; the clock without it.
    pub seed: Option<u64>,
    /// Whether the best of many values is found first.
    pub search: bool,
    /// Whether the change that has helped most is kept.
    pub apply_best: bool,
    /// Whether time is accounted for.
    pub with_ledger: bool,
    /// How.
    pub method: MethodChoice,
}

/// What came of it.
#[derive(Debug)]
pub enum Tried {
    /// It was tried.
    Experiment(Box<Experiment>),
    /// Nothing was proposed, or what was is not wanted.
    Nothing,
    /// Somebody asked to stop before anything was tried.
    Stopped,
}

/// Asks whether a proposal is to be tested; an error where nobody can be asked.
pub type Confirm<'a> = dyn Fn(&Proposal, &Interrupts) -> Result<bool> + 'a;

/// Tests changes, and undoes them.
pub fn try_changes(
    request: &TryRequest,
    confirm: &Confirm<'_>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Tried> {
    // From here on a request to stop is seen between two steps: what is on is undone.
    let interrupts = cancel.begin()?;
    let machine = ChangedHost::live();
    let changer = machine.changer();
    let writer = writer(&changer, progress)?;
    let Some((words, proposed_by)) = words(request, &machine, confirm, progress, &interrupts)? else {
        return Ok(if interrupts.stopped() { Tried::Stopped } else { Tried::Nothing });
    };
    let changes = changes(request, &machine, &words, progress)?;
    changes.iter().for_each(|change| progress.note(&planned(change)));

    let metric = request.query.clone().map(Figure::Sql);
    let figure = metric.as_ref().unwrap_or(&request.measure);
    let limits = limits(request, goal(request, figure)?);
    let (mut bench, without) = bench(request, &machine.host, figure, &interrupts)?;
    progress.note(&format!("seed {}", limits.seed));
    let from = rfc3339(realtime_ms())?;
    let before = configuration(&machine.host, &machine.catalogue);

    let mut switches: Vec<Logged> = changes.iter().map(|change| LoggedSwitch::new(&writer, change)).collect();
    let mut proved = prove(request, &limits, &mut bench, &mut switches, &changes, progress);
    let tried: Vec<(&Planned, &Logged)> =
        proved.tried.iter().map(|at| (&changes[*at], &switches[*at])).collect();
    let why_not = proved.outcome.not_undone.take();
    let question = question(request, figure, &limits, proved.outcome.is_ratio);
    let is_done = proved.outcome.end == ExperimentEnd::Done;
    let best = best(&proved.outcome, limits.goal).filter(|_| request.apply_best && is_done);
    let mut found = told(&machine.host, question, &tried, proved.outcome)?;
    (found.from, found.searched, found.proposed_by) = (from, proved.searched, proposed_by);
    found.notes.extend(without);
    found.notes.extend(proved.alike);
    found.notes.extend(
        why_not
            .map(|why| format!("CHANGE NOT UNDONE: {why}; the next run of heldup that writes tries again")),
    );
    if let Some(at) = best {
        match switches[proved.tried[at]].keep() {
            Ok(()) => found.changes[at].kept = true,
            Err(stop) => found.notes.push(format!("not kept: {stop}")),
        }
    }
    let after = configuration(&machine.host, &machine.catalogue);
    found.changed_after = after.into_iter().filter(|(key, now)| before.get(key) != Some(now)).collect();
    found.before = before;
    Ok(Tried::Experiment(Box::new(found)))
}

/// What is to be tried, and the finding that proposes it; none where what was found proposes nothing, or
/// is not wanted.
fn words(
    request: &TryRequest,
    machine: &ChangedHost,
    confirm: &Confirm<'_>,
    progress: &dyn Progress,
    interrupts: &Interrupts,
) -> Result<Option<(Vec<String>, Option<ProposingFinding>)>> {
    if !request.changes.is_empty() {
        return Ok(Some((request.changes.clone(), None)));
    }
    let suffering = Suffering { workload: request.workload.as_deref(), prepare: request.prepare.as_deref() };
    let found = proposal(&machine.host, &machine.catalogue, suffering, request.method, progress, interrupts)?;
    if interrupts.stopped() {
        return Ok(None);
    }
    let Some(found) = found else {
        progress.note("no finding proposes a setting that can be tested");
        return Ok(None);
    };
    progress.note(&format!("found: {}", found.finding.title));
    progress.note(&format!("proposed: {}", found.word));
    progress.note(&format!("expected: {}", found.expect));
    progress.note(&format!("risk: {}", found.risk));
    if !confirm(&found, interrupts)? {
        return Ok(None);
    }
    Ok(Some((vec![found.word], Some(found.finding))))
}

/// Reports progress.
fn step(progress: &dyn Progress, told: Told<'_>) {
    progress.step(match told {
        Told::Block(Block { kind, figure, .. }) => {
            Step::Block { without: matches!(kind, BlockKind::WarmUp | BlockKind::Noise).then_some(*figure) }
        }
        Told::Noise(Noise { figure, spread, .. }) => Step::Noise { figure: *figure, spread: *spread },
        Told::Pair(change, pairs, (low, high)) => Step::Pair { change, pairs, low, high },
    });
}

/// What came of all of it.
struct Proved {
    outcome: Outcome,
    /// Which of the changes were tried.
    tried: Vec<usize>,
    searched: Vec<SearchedValue>,
    /// Which values do not differ from the best one by more than noise.
    alike: Option<String>,
}

/// Searches where that was asked for, and tries what is left.
fn prove(
    request: &TryRequest,
    limits: &Limits,
    bench: &mut Bench,
    switches: &mut [Logged],
    changes: &[Planned],
    progress: &dyn Progress,
) -> Proved {
    let mut all: Vec<&mut dyn Switch> = switches.iter_mut().map(|one| one as &mut dyn Switch).collect();
    let (mut searched, mut blocks, mut alike) = (Vec::new(), Vec::new(), None);
    let mut tried: Vec<usize> = (0..changes.len()).collect();
    if request.search {
        let names: Vec<String> = changes.iter().map(|change| change.to.clone()).collect();
        let Limits { goal, seed, warm_up, most_seconds, worth, .. } = *limits;
        let present = changes.first().and_then(|change| change.from.as_deref()?.trim().parse().ok());
        let of_search = SearchLimits { goal, seed, warm_up, most_seconds, worth, present };
        let tell = &mut |block: &Block| step(progress, Told::Block(block));
        let found = search(&of_search, &request.guards, &names, bench, &mut all, tell);
        let Some(best) = found.best else {
            let outcome = Outcome::of_search(&found);
            return Proved { outcome, tried: Vec::new(), searched: found.values, alike: None };
        };
        alike = not_different(&names, best, &found.alike);
        (searched, blocks, tried) = (found.values, found.blocks, vec![best]);
        all = all.into_iter().skip(best).take(1).collect();
    }
    let mut outcome =
        run_experiment(limits, &request.guards, bench, &mut all, &mut |told| step(progress, told));
    blocks.append(&mut outcome.blocks);
    Proved { outcome: Outcome { blocks, ..outcome }, tried, searched, alike }
}

/// Names the values that do not differ from the best one by more than noise.
fn not_different(names: &[String], best: usize, alike: &[usize]) -> Option<String> {
    let others: Vec<&str> = alike.iter().map(|at| names[*at].as_str()).collect();
    (!others.is_empty())
        .then(|| format!("{} and {} do not differ by more than noise", names[best], others.join(", ")))
}

/// A switch of this machine.
type Logged<'a, 'w, 'c, 'h> = LoggedSwitch<'a, 'w, 'c, LoggedHost<'h>>;

/// The changes of the words, which are wrong usage where they are none.
fn changes(
    request: &TryRequest,
    machine: &ChangedHost,
    words: &[String],
    progress: &dyn Progress,
) -> Result<Vec<Planned>> {
    let words: Vec<String> =
        if request.search { words.iter().map(|word| values(word)).collect() } else { words.to_vec() };
    let all = asked(&machine.catalogue, &machine.host, &words);
    let Asked { changes: all, already } = all.map_err(|error| EngineError::usage(error.to_string()))?;
    for (key, value) in &already {
        progress.note(&format!("{key} is already {value}: the other values are compared with it"));
    }
    let one_setting = all.windows(2).all(|pair| pair[0].instance == pair[1].instance);
    if request.search && !(one_setting && all.len() > 2) {
        let what = "--search needs one setting with at least three values, or LOW..HIGH";
        return Err(EngineError::usage(what));
    }
    Ok(all)
}

fn limits(request: &TryRequest, goal: Goal) -> Limits {
    Limits {
        error: ERROR,
        worth: request.min_effect,
        goal,
        seed: request.seed.unwrap_or_else(|| realtime_ms() as u64 ^ monotonic_ns()),
        warm_up: request.warm_up,
        noise_pairs: NOISE_PAIRS,
        most_pairs: request.most_pairs,
        most_seconds: request.max_time.as_secs_f64(),
    }
}

fn planned(change: &Planned) -> String {
    let before = change.from.as_deref().unwrap_or("?");
    let mut line = format!("testing {} {before} → {}", change.instance.key, change.to);
    for objection in &change.objections {
        line += &format!("; warning: {}", objection.what);
    }
    line
}

fn goal(request: &TryRequest, figure: &Figure) -> Result<Goal> {
    match (request.goal, figure) {
        (Some(goal), _) => Ok(goal),
        (None, Figure::Wall) => Ok(Goal::Lower),
        (None, _) => Err(EngineError::usage("this measure needs --goal lower or --goal higher")),
    }
}

fn bench<'a>(
    request: &'a TryRequest,
    host: &'a Host,
    figure: &'a Figure,
    interrupts: &'a Interrupts,
) -> Result<(Bench<'a>, Option<String>)> {
    let is_query = |figure: &Figure| figure.query().is_some();
    if request.query.is_some() && !request.guards.iter().all(|guard| is_query(&guard.figure)) {
        let what = "a guard of live traffic must be a query: --guard 'sql:QUERY<=LIMIT'";
        return Err(EngineError::usage(what));
    }
    let (load, settle) = match &request.workload {
        Some(line) => {
            let (line, prepare) = (line.clone(), request.prepare.clone());
            (Load::Command { line, prepare, timeout: request.timeout }, 0)
        }
        None => (Load::Live(request.block), LIVE_SETTLE_S),
    };
    let settle = request.settle.unwrap_or(Duration::from_secs(settle));
    let ledger = (request.method, request.with_ledger);
    Bench::open(host, load, (figure, &request.guards), settle, interrupts, ledger)
}

fn question(request: &TryRequest, figure: &Figure, limits: &Limits, is_ratio: bool) -> Question {
    let (figure, unit) = match figure {
        Figure::Wall => ("wall".to_owned(), Some("s".to_owned())),
        Figure::Pattern(pattern) => (format!("regex:{pattern}"), None),
        Figure::Json(path) => (format!("json:{path}"), None),
        Figure::Sql(query) => (format!("sql:{query}"), None),
    };
    Question {
        workload: request.workload.clone(),
        prepare: request.prepare.clone(),
        figure,
        unit,
        goal: limits.goal,
        guards: request.guards.iter().map(|guard| guard.text.clone()).collect(),
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

fn told(host: &Host, asked: Question, tried: &[(&Planned, &Logged)], outcome: Outcome) -> Result<Experiment> {
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
            ci_low: tried.low,
            ci_high: tried.high,
            detection_limit: tried.detection_limit,
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
        reason: outcome.why,
        noise: outcome.noise,
        searched: Vec::new(),
        changes,
        blocks: outcome.blocks,
        before: Default::default(),
        changed_after: Default::default(),
        notes: Vec::new(),
    })
}
