//! `heldup try` on the real machine: a change that helps is found with its sign and its reason, one that
//! does nothing is not, what a finding proposes ends it, the best of many values is found, and whatever
//! ends an experiment the setting is what it was.
//!
//! One of each in every run; all of a part, as often as that is worth something, where `HELDUP_IT_TRY` names the
//! part (`HELDUP_IT_TRY_TIMES`, how often), which is what `cargo xtask soak --try PART` does.

mod device;
mod effects;
mod ended;
mod nothing;
mod proofs;
mod search;

use std::env;
use std::ffi::OsStr;
use std::fs;

use anyhow::{Context, Result, ensure};
use heldup_model::{BlockKind, Experiment, ExperimentEnd, Judgement, Verdict};
use heldup_testkit::heldup::Heldup;
use libtest_mimic::Trial;
use serde_json::Value;

use crate::json_schema::is_an_experiment;
use device::{NEEDS, Unread};

pub fn trials() -> Vec<Trial> {
    let times = env::var("HELDUP_IT_TRY_TIMES").ok().and_then(|text| text.parse().ok());
    match env::var("HELDUP_IT_TRY").ok().as_deref() {
        Some("proofs") => proofs::trials(&proofs::ALL.iter().collect::<Vec<_>>()),
        Some("effects") => effects::trials(times.unwrap_or(20)),
        Some("nothing") => vec![nothing::trial(times.unwrap_or(20))],
        Some("search") => vec![search::against_a_sweep(times.unwrap_or(5))],
        _ => always(),
    }
}

fn always() -> Vec<Trial> {
    let reasons = [NEEDS, crate::LEDGER].concat();
    let one = |name: &str, run: fn() -> Result<()>| crate::trial(format!("experiments::{name}"), NEEDS, run);
    let mut trials = vec![
        crate::trial("experiments::read-ahead-helps".to_owned(), &reasons, read_ahead_helps),
        one("nothing-does-nothing", nothing_does_nothing),
        one("live-traffic", live_traffic),
        one("search", search::finds_one),
        one("interrupted-at-any-moment", ended::interrupted_at_any_moment),
        one("a-guard-is-breached", ended::a_guard_is_breached),
        one("the-workload-fails", ended::the_workload_fails),
    ];
    trials.extend(proofs::trials(&proofs::always()));
    trials
}

/// Runs `heldup try` with these words to its end; its exit code, and the answer.
fn answered(heldup: &Heldup, words: &[impl AsRef<OsStr>]) -> Result<(Option<i32>, Experiment)> {
    let output = heldup.run(words)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    let found = serde_json::from_str(&text)
        .with_context(|| format!("no heldup/experiment/1: {}\n{text}\n{complaints}", output.status))?;
    Ok((output.status.code(), found))
}

fn read_ahead_helps() -> Result<()> {
    let unread = Unread::new()?;
    let device = unread.device.path().display();
    let workload = format!("dd if={device} of=/dev/null bs=128k 2>&1");
    let prepare = format!("blockdev --flushbufs {device}");
    let (code, found) = unread.tried(&workload, &["--prepare", &prepare, "--seed", "6", "--require-gain"])?;
    let shown = format!("{:#?}\n{:#?}", found.changes, found.noise);
    ensure!((code, found.end) == (Some(0), ExperimentEnd::Done), "{code:?} {:?}\n{shown}", found.reason);
    let change = found.changes.first().context("no change")?;
    ensure!(change.verdict == Some(Verdict::Helped), "{shown}");
    ensure!(change.ci_high.is_some_and(|high| high < 0.0) && change.effect < Some(-0.1), "{shown}");
    ensure!(!change.kept && change.now.as_deref() == Some("128"), "{shown}");
    // Each page was waited for by itself.
    let first = change.why.first().with_context(|| format!("no reason\n{shown}"))?;
    ensure!(first.judgement == Judgement::Differs && first.second < first.first, "{shown}");
    let pairs = found.blocks.iter().filter(|block| block.kind == BlockKind::With).count() as u64;
    ensure!(pairs == change.pairs && (8..=40).contains(&pairs), "{pairs}\n{shown}");
    let key = change.setting.clone();
    ensure!(found.before.get(&key).is_some_and(|value| value == "0"), "{key} is not in the dossier");
    ensure!(!found.changed_after.contains_key(&key), "{:?}", found.changed_after);
    let folder = fs::read_dir(unread.heldup.home().join("state/heldup/experiments"))?.next();
    let folder = folder.context("no dossier")??.path();
    let kept: Value = serde_json::from_slice(&fs::read(folder.join("experiment.json"))?)?;
    is_an_experiment(&kept)?;
    let kept: Experiment = serde_json::from_value(kept)?;
    ensure!(kept == found, "the dossier says something else than the answer");
    ensure!(fs::read_to_string(folder.join("experiment.txt"))?.contains("helped: block."));
    Ok(())
}

/// Nobody reads the device.
fn nothing_does_nothing() -> Result<()> {
    let unread = Unread::new()?;
    let spin = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
    let (code, found) = unread.tried(spin, &["--pairs", "12", "--no-ledger", "--require-gain"])?;
    let change = found.changes.first().context("no change")?;
    // How much the machine varies decides which of the two.
    let expected = match change.verdict {
        Some(Verdict::NoEffect) => change.detection_limit.is_some_and(|seen| seen <= 0.03) && code == Some(1),
        Some(Verdict::Undecided) => change.pairs_needed.is_some_and(|pairs| pairs > 12) && code == Some(6),
        _ => false,
    };
    ensure!(expected, "{code:?}, seed {}: {change:#?}", found.asked.seed);
    Ok(())
}

/// Blocks of whatever the machine does, measured by a query; nobody reads the device.
fn live_traffic() -> Result<()> {
    let unread = Unread::new()?;
    let query = "select sum(user_s + system_s) / max(secs) from cpu";
    let change = unread.change();
    let words = ["try", &change, "--query", query, "--goal", "lower", "--format", "json"];
    let blocks = ["--block", "200ms", "--settle", "100ms", "--pairs", "8", "--method", "delays"];
    let (code, found) = unread.answer(&[words.as_slice(), &blocks].concat())?;
    let change = found.changes.first().context("no change")?;
    let is_none = matches!(change.verdict, Some(Verdict::NoEffect | Verdict::Undecided));
    ensure!(code == Some(0) && is_none, "{code:?} {found:#?}");
    let first = found.blocks.first().context("no blocks")?;
    ensure!(found.blocks.iter().all(|block| block.figure >= 0.0 && block.seconds >= 0.2), "{first:#?}");
    Ok(())
}
