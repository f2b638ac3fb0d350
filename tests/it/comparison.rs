//! `heldup compare` on the real machine: what was changed leads, and a machine does not differ
//! from itself.
//!
//! Every third trouble of the catalogue, by name, is twenty of them: the machine before it against
//! the machine with it. That takes minutes and runs when `HELDUP_IT_COMPARE` is set, which is what
//! `cargo xtask soak --compare` does; one of them always. With `HELDUP_IT_COMPARE_SELF=SECONDS`
//! a steady load is recorded for so long, and 200 pairs of windows of it are compared: `cargo xtask
//! soak --compare-self`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use heldup_model::{Comparison, ComparisonVerdict, Headline, HeadlineKind, Judgement, Severity};
use heldup_stats::at_least;
use heldup_testkit::expect::{Expected, Suspect};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::quiet;
use heldup_testkit::scratch::Scratch;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

use crate::LEDGER;

/// Every so manieth trouble is one of the twenty.
const EACH: usize = 3;
/// Compared in every run: the first of the twenty whose change is a workload.
const ALWAYS: &str = "cpu.hot-thread";

/// Seconds of its captures: more than the fewest samples that are judged.
const SHORT: u32 = 12;

/// Pairs of windows of one load.
const PAIRS: u64 = 200;
/// Seconds of a window: from the default length of a capture on, and less than a third of five minutes.
const WINDOW: std::ops::Range<i64> = 30..90;
/// Share of the pairs that may differ, and the certainty at which more is a failure. The comparison
/// is designed for one in a hundred.
const MOST_FALSE: f64 = 0.05;
const CERTAINTY: f64 = 0.99;
/// The steady loads that are recorded: computing, and many short requests.
const LOADS: &[&str] = &["half-busy", "web-server"];

pub fn trials() -> Vec<Trial> {
    let chosen = ALL.iter().step_by(EACH);
    let all = env::var_os("HELDUP_IT_COMPARE").is_some();
    let one = |maker: &'static TroubleMaker| {
        let needs = [maker.needs, LEDGER].concat();
        crate::trial(format!("comparison::{}", maker.name), &needs, || leads(maker))
    };
    let mut trials: Vec<Trial> = if all {
        chosen.map(one).collect()
    } else {
        ALL.iter().filter(|maker| maker.name == ALWAYS).map(one).collect()
    };
    if let Some(seconds) = env::var("HELDUP_IT_COMPARE_SELF").ok().and_then(|text| text.parse().ok()) {
        trials.push(crate::trial("comparison-with-itself".to_owned(), LEDGER, move || with_itself(seconds)));
    }
    trials
}

/// A capture, of the default length where none is given.
fn captured(heldup: &Heldup, file: PathBuf, seconds: Option<u32>) -> Result<PathBuf> {
    let mut words = vec!["capture".into(), "-o".into(), file.clone().into_os_string()];
    words.extend(seconds.map(|seconds| OsString::from(format!("--for={seconds}s"))));
    let output = heldup.run(&words)?;
    ensure!(output.status.success(), "heldup capture: {}", String::from_utf8_lossy(&output.stderr));
    Ok(file)
}

fn compared(heldup: &Heldup, first: &OsStr, second: &OsStr) -> Result<Comparison> {
    let words = [OsStr::new("compare"), first, second, OsStr::new("--format"), OsStr::new("json")];
    let output = heldup.run(&words)?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "heldup compare: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&text).with_context(|| format!("the answer is not heldup/comparison/1:\n{text}"))
}

/// The machine before a trouble against the machine with it: one of the first three lines is it.
fn leads(maker: &TroubleMaker) -> Result<()> {
    let heldup = Heldup::found()?;
    let scratch = Scratch::new("compare")?;
    let_settle()?;
    // The one of every run has no time for captures of the default length.
    let seconds = env::var_os("HELDUP_IT_COMPARE").is_none().then_some(SHORT);
    let before = captured(&heldup, scratch.path().join("before.heldup"), seconds)?;
    let trouble = (maker.make)()?;
    let with_it = captured(&heldup, scratch.path().join("with.heldup"), seconds)?;
    let (expected, names) = (trouble.expected.clone(), names(&trouble.expected));
    drop(trouble);
    let found = compared(&heldup, before.as_os_str(), with_it.as_os_str())?;
    ensure!(
        found.verdict == ComparisonVerdict::Differs,
        "{}: {:?}\n{}",
        maker.name,
        found.verdict,
        shown(&found)
    );
    let judged = |line: &&Headline| line.judgement == Judgement::Differs;
    if found.headlines.iter().filter(judged).any(|line| is_it(line, &expected, &names)) {
        return Ok(());
    }
    bail!("{}: none of the first lines is it ({names:?})\n{}", maker.name, shown(&found))
}

/// The names of who makes the trouble, while they live.
fn names(expected: &Expected) -> Vec<String> {
    let comm =
        |pid: &i64| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned();
    let of = |suspect: &Suspect| match suspect {
        Suspect::Process(pid) => vec![comm(pid)],
        Suspect::Together(pids) => pids.iter().map(comm).collect(),
        Suspect::Named(names) => names.iter().map(|name| (*name).to_owned()).collect(),
        Suspect::ControlGroup(path) => vec![path.clone()],
    };
    expected.culprits.iter().flat_map(of).filter(|name| !name.is_empty()).collect()
}

/// Whether a line is the finding that the trouble must yield, or names who makes it.
fn is_it(line: &Headline, expected: &Expected, names: &[String]) -> bool {
    let key = line.names.first().filter(|_| line.kind == HeadlineKind::Finding);
    let finding = key.and_then(|key| key.split_once('/')).is_some_and(|(id, subject)| {
        id == expected.id
            && (expected.subject.is_empty() || expected.subject.iter().any(|part| subject.contains(part)))
    });
    finding || line.names.iter().any(|name| names.contains(name))
}

fn shown(found: &Comparison) -> String {
    let lines = found.headlines.iter().map(|line| {
        let severity = line.severity.map_or("-", Severity::name);
        format!("  {severity} {:?} {:?}: {} {:?}\n", line.kind, line.judgement, line.text, line.names)
    });
    let findings = found.findings.iter().map(|one| {
        format!("    {}: {:?} to {:?}, {:?}: {}\n", one.key, one.first, one.second, one.judgement, one.title)
    });
    lines.chain(findings).collect()
}

/// Pairs of windows of one steady load: as few are said to differ as the design allows.
fn with_itself(seconds: u32) -> Result<()> {
    let heldup = Heldup::found()?;
    let scratch = Scratch::new("compare")?;
    let_settle()?;
    let mut loads = Vec::new();
    for case in quiet::ALL.iter().filter(|case| LOADS.contains(&case.name)) {
        loads.push((case.make)()?);
    }
    let folder = captured(&heldup, scratch.path().join("load.heldup"), Some(seconds))?;
    drop(loads);
    let whole = compared(&heldup, folder.as_os_str(), folder.as_os_str())?.first;
    let (since, until) = (whole.since_ms / 1000 + 1, whole.until_ms / 1000);
    ensure!(until - since > 2 * WINDOW.start, "{} s hold no two windows", until - since);
    let mut chance = Chance(20_261_122);
    let mut different = Vec::new();
    for pair in 0..PAIRS {
        let length = WINDOW.start + chance.below(WINDOW.end.min((until - since) / 2) - WINDOW.start);
        let first = since + chance.below(until - since - 2 * length);
        let second = first + length + chance.below(until - first - 2 * length);
        let [first, second] = [first, second].map(|start| side(&folder, start, start + length));
        let found = compared(&heldup, first.as_ref(), second.as_ref())?;
        if differs(&found) {
            different.push(format!("pair {pair}, {first:?} and {second:?}:\n{}", shown(&found)));
        }
    }
    let falsely = different.len() as u64;
    crate::said::say(&format!(
        "{falsely} of {PAIRS} pairs of windows of {} to {} s of a load of {} s are said to differ: {}.",
        WINDOW.start,
        WINDOW.end,
        until - since,
        LOADS.join(", ")
    ))?;
    ensure!(
        at_least(falsely, PAIRS, MOST_FALSE) >= 1.0 - CERTAINTY,
        "{falsely} of {PAIRS} pairs differ; {MOST_FALSE} of them are allowed\n{}",
        different.concat()
    );
    Ok(())
}

/// A difference of warning or worse, or of a setting.
fn differs(found: &Comparison) -> bool {
    let warns = |line: &Headline| {
        line.judgement == Judgement::Differs && line.severity.is_some_and(|at| at <= Severity::Warning)
    };
    !found.settings.is_empty() || found.headlines.iter().any(warns)
}

/// `FOLDER@FROM..UNTIL`, in seconds since 1970.
fn side(folder: &Path, since: i64, until: i64) -> String {
    format!("{}@{}..{}", folder.display(), unix(since), unix(until))
}

fn unix(seconds: i64) -> String {
    format!("@{seconds}")
}

/// Numbers that are the same in every run (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % most.max(1) as u64) as i64
    }
}
