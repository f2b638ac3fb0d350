//! Whether advice is sound, and following it: each change is made by its own command and put
//! back by its own way back.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use heldup_model::{Change, Examination, PlannedChange, TunePlanAnswer};

use crate::heldup::Heldup;

/// No change is proposed that the setting already has, that this kernel does not know, or that
/// another finding's change contradicts. Asked while the machine is still as it was examined.
pub fn sound(examination: &Examination) -> Result<()> {
    let heldup = Heldup::found()?;
    let mut wrong = Vec::new();
    let all: Vec<(&str, &Change)> = examination
        .findings
        .iter()
        .flat_map(|finding| finding.changes.iter().map(|change| (finding.key.as_str(), change)))
        .collect();
    for (number, (key, change)) in all.iter().enumerate() {
        wrong.extend(flaw(&heldup, change).map(|flaw| format!("{key}: {}: {flaw}", change.tunable)));
        let earlier = all[..number].iter().filter(|(_, other)| contradict(change, other));
        wrong
            .extend(earlier.map(|(other, _)| format!("{key} and {other} want {} otherwise", change.tunable)));
    }
    ensure!(wrong.is_empty(), "advice that cannot be followed: {}", wrong.join("; "));
    Ok(())
}

/// What is wrong with one change by itself.
fn flaw(heldup: &Heldup, change: &Change) -> Option<String> {
    if change.from.as_deref() == Some(change.to.as_str()) {
        return Some(format!("it is {} already", change.to));
    }
    if !is_ours(change) {
        return None;
    }
    match planned(heldup, change) {
        Err(error) => Some(format!("{error:#}")),
        Ok(planned) if planned.from.as_deref() == Some(planned.to.as_str()) => {
            Some(format!("{} is {} already", planned.setting, planned.to))
        }
        Ok(_) => None,
    }
}

/// Whether heldup makes it on this system, and not a person on another one.
pub fn is_ours(change: &Change) -> bool {
    change.command.starts_with("heldup tune apply ")
}

/// What `heldup tune plan` says of a change; an error where it would be refused.
fn planned(heldup: &Heldup, change: &Change) -> Result<PlannedChange> {
    let assignment = format!("{}={}", change.tunable, change.to);
    let output = heldup.run(&["tune", "plan", &assignment, "--format", "json"])?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{assignment}: {said}{}", String::from_utf8_lossy(&output.stderr));
    let answer: TunePlanAnswer = serde_json::from_str(&said).with_context(|| said.into_owned())?;
    let [planned] = <[PlannedChange; 1]>::try_from(answer.changes)
        .map_err(|all| anyhow::anyhow!("{assignment} is {} changes", all.len()))?;
    Ok(planned)
}

/// Whether two changes of one setting go different ways.
fn contradict(one: &Change, other: &Change) -> bool {
    let same = one.tunable == other.tunable;
    let way = |change: &Change| {
        let number = |text: &str| text.parse::<f64>().ok();
        let (from, to) = (number(change.from.as_deref()?)?, number(&change.to)?);
        Some(to > from)
    };
    same && match (way(one), way(other)) {
        (Some(one), Some(other)) => one != other,
        _ => one.to != other.to,
    }
}

/// A change that was made, put back when dropped.
pub struct Followed<'c> {
    heldup: &'c Heldup,
    change: &'c Change,
    before: Option<String>,
}

impl<'c> Followed<'c> {
    /// Makes a change by its command as it is printed; refuses one without a way back.
    pub fn make(heldup: &'c Heldup, change: &'c Change) -> Result<Followed<'c>> {
        ensure!(change.undo.is_some(), "{}: no way back is said", change.tunable);
        let before = planned(heldup, change)?.from;
        run(heldup, &change.command)?;
        let followed = Followed { heldup, change, before };
        let now = planned(heldup, change)?.from;
        ensure!(now != followed.before, "{}: it is still {now:?}", change.command);
        Ok(followed)
    }

    /// Puts it back by the command that is printed with it, and proves it.
    pub fn undone(self) -> Result<()> {
        let (heldup, change, before) = (self.heldup, self.change, self.before.clone());
        drop(self);
        let now = planned(heldup, change)?.from;
        ensure!(now == before, "{:?}: it is {now:?}, it was {before:?}", change.undo);
        Ok(())
    }
}

impl Drop for Followed<'_> {
    fn drop(&mut self) {
        let undo = self.change.undo.as_deref().unwrap_or_default();
        if let Err(error) = run(self.heldup, undo) {
            eprintln!("left behind: {error:#}");
        }
    }
}

/// Runs a command as a person would who typed it.
fn run(heldup: &Heldup, command: &str) -> Result<()> {
    let ours = heldup.command(&[] as &[&str]);
    let mut shell = Command::new("sh");
    // The program under test, whatever its name and the search path are.
    shell.args(["-c", &format!("heldup() {{ \"$0\" \"$@\"; }}; {command}")]).arg(ours.get_program());
    shell.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.output().with_context(|| format!("run {command}"))?;
    if !output.status.success() {
        bail!("{command}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(tunable: &str, from: &str, to: &str) -> Change {
        Change {
            tunable: tunable.to_owned(),
            from: Some(from.to_owned()),
            to: to.to_owned(),
            expect: String::new(),
            risk: String::new(),
            takes: Vec::new(),
            worsens: Vec::new(),
            command: format!("heldup tune apply {tunable}={to} --confirm 5m"),
            undo: None,
        }
    }

    #[test]
    fn what_another_system_is_told_is_not_ours() {
        let open = change("a", "1", "2");
        assert!(is_ours(&open));
        assert!(!is_ours(&Change { command: "ioo -o aio_maxservers=20".to_owned(), ..open }));
    }

    #[test]
    fn the_same_setting_up_and_down_is_a_contradiction() {
        let up = change("limit", "10", "20");
        assert!(contradict(&up, &change("limit", "10", "5")));
        assert!(!contradict(&up, &change("limit", "10", "40")), "both want more");
        assert!(!contradict(&up, &change("another", "10", "5")));
        assert!(contradict(&change("mode", "a", "b"), &change("mode", "a", "c")));
    }
}
