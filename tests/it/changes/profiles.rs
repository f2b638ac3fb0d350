//! `heldup tune profile apply`: a profile of ours is one plan, which lasts, waits, and goes as a whole.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use heldup_testkit::condition::until;
use serde_json::Value;

use super::kills::{Applying, killed};
use super::machine::Changed;

/// The one with which most of a machine's own settings change, in `/proc/sys` and in `/sys`.
const PROFILE: &str = "latency";
/// How often it is killed.
const KILLS: usize = 5;
/// The step of apply at which it is cut off for recover: three changes of it are made.
const CUT: usize = 20;
const SYSCTL: &str = "/etc/sysctl.d/90-heldup.conf";
const TMPFILES: &str = "/etc/tmpfiles.d/90-heldup.conf";

/// A setting that the profile changes here.
struct Step {
    key: String,
    path: PathBuf,
    from: String,
    to: String,
}

/// What `heldup tune profile plan` says that it would change.
fn planned(changed: &Changed) -> Result<Vec<Step>> {
    let text = changed.tune_well(&["plan", "--profile", PROFILE, "--format", "json"])?;
    let answer: Value = serde_json::from_str(&text)?;
    let steps = answer["profiles"][0]["steps"].as_array().context("steps")?;
    let text = |step: &Value, field: &str| step[field].as_str().map(str::to_owned);
    let one = |step: &Value| {
        let path = text(step, "path")?.into();
        Some(Step { key: text(step, "key")?, path, from: text(step, "from")?, to: text(step, "to")? })
    };
    let changes = steps.iter().filter(|step| step["outcome"] == "change").map(one);
    changes.collect::<Option<_>>().context("key, path, from and to")
}

/// The machine with what the profile changes of it.
fn machine() -> Result<(Changed, Vec<Step>)> {
    let changed = Changed::new()?;
    let steps = planned(&changed)?;
    ensure!(steps.len() >= 3, "only {} settings are not so already", steps.len());
    let paths: Vec<PathBuf> = steps.iter().map(|step| step.path.clone()).collect();
    Ok((changed.and(paths)?, steps))
}

/// What a file says, of words the one that is chosen.
fn value(path: &PathBuf) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word);
    Ok(chosen.unwrap_or(&text).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Fails unless every setting is what the profile wants.
fn is_applied(steps: &[Step]) -> Result<()> {
    for Step { key, path, to, .. } in steps {
        let now = value(path)?;
        ensure!(now == *to, "{key} is {now} and not {to}");
    }
    Ok(())
}

/// All of it is set, now and at each boot, and all of it goes, back to what an earlier change of ours set too.
pub fn lasting() -> Result<()> {
    let (changed, steps) = machine()?;
    changed.tune_well(&["apply", "--profile", PROFILE, "--persist"])?;
    is_applied(&steps)?;
    let lines = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let (sysctl, tmpfiles) = (lines(SYSCTL), lines(TMPFILES));
    for (number, Step { key, path, to, .. }) in (1..).zip(&steps) {
        let (file, line) = match path.strip_prefix("/proc/sys") {
            Ok(_) => (&sysctl, format!("# change {number}\n{key} = {to}\n")),
            Err(_) => (&tmpfiles, format!("# change {number}\nw {} - - - - {to}\n", path.display())),
        };
        ensure!(file.contains(&line), "{line:?} is not in {file:?}");
    }
    let given = sysctl.lines().chain(tmpfiles.lines()).filter(|line| line.starts_with("# change "));
    ensure!(given.count() == steps.len(), "{sysctl}{tmpfiles}");
    // What is so already is not set again.
    let planned_again = planned(&changed)?;
    ensure!(planned_again.is_empty(), "{:?}", planned_again.iter().map(|step| &step.key).collect::<Vec<_>>());
    changed.tune_well(&["undo"])?;
    changed.is_as_before()?;
    // Bytes decide, which the profile's ratio puts out of action.
    changed.tune_well(&["apply", "vm.dirty_bytes=268435456"])?;
    let ratio =
        planned(&changed)?.into_iter().find(|step| step.key == "vm.dirty_ratio").context("a ratio")?;
    ensure!(ratio.from == "0", "{}", ratio.from);
    changed.tune_well(&["apply", "--profile", PROFILE])?;
    ensure!(changed.value("/proc/sys/vm/dirty_bytes")? == "0", "bytes still decide");
    changed.tune_well(&["undo"])?;
    let bytes = changed.value("/proc/sys/vm/dirty_bytes")?;
    ensure!(bytes == "268435456", "{bytes}");
    changed.tune_well(&["undo", "--all"])?;
    changed.is_as_before()
}

/// Without a word in time nothing of it stays, also of what is set at boot; with one all of it is permanent.
pub fn confirmed_or_not() -> Result<()> {
    let (changed, steps) = machine()?;
    let said = changed.tune_well(&[
        "apply",
        "--profile",
        PROFILE,
        "--persist",
        "--confirm",
        "1s",
        "--format",
        "json",
    ])?;
    let answer: Value = serde_json::from_str(&said)?;
    ensure!(answer["confirm_within_s"] == 1.0, "{answer:#}");
    let all = |state: &str| -> Vec<(u64, String)> {
        (1..).take(steps.len()).map(|number| (number, state.to_owned())).collect()
    };
    ensure!(changed.status()? == all("waits"), "{:?}", changed.status()?);
    until("nobody confirmed it", || Ok(changed.status()? == all("undone")))?;
    changed.is_as_before()?;

    let started = Instant::now();
    changed.tune_well(&["apply", "--profile", PROFILE, "--confirm", "2s"])?;
    changed.tune_well(&["confirm"])?;
    let confirmed = started.elapsed();
    ensure!(confirmed < Duration::from_secs(2), "too slow to be judged: {confirmed:?}");
    until("its time is over", || Ok(started.elapsed() > Duration::from_millis(2500)))?;
    is_applied(&steps)?;
    let in_effect = changed.status()?.into_iter().filter(|(_, state)| state == "in_effect").count();
    ensure!(in_effect == steps.len(), "{:?}", changed.status()?);
    changed.tune_well(&["undo"])?;
    changed.is_as_before()
}

/// Killed at a step of apply, undo, confirm, recover or the guard: all of it stands, or nothing.
pub fn killed_midway() -> Result<()> {
    let (changed, steps) = machine()?;
    let words = |lasting: bool, confirm: Option<&str>| {
        let lasting = lasting.then_some("--persist");
        let confirm = confirm.into_iter().flat_map(|time| ["--confirm", time]);
        let words = ["apply", "--profile", PROFILE].into_iter().chain(lasting).chain(confirm);
        words.map(str::to_owned).collect()
    };
    let whole = [steps.len()];
    killed(&changed, &Applying { words: &words, lasting: &[true], cut: CUT, whole: &whole }, KILLS)
}
