//! Whether advice is sound, and following it: each change is made by its own command and put
//! back by its own way back.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use heldup_model::{Change, Examination};

/// No change is proposed that the setting already has, that this kernel does not know, or that
/// another finding's change contradicts. Asked while the machine is still as it was examined.
pub fn sound(examination: &Examination) -> Result<()> {
    let mut wrong = Vec::new();
    let all: Vec<(&str, &Change)> = examination
        .findings
        .iter()
        .flat_map(|finding| finding.changes.iter().map(|change| (finding.key.as_str(), change)))
        .collect();
    for (number, (key, change)) in all.iter().enumerate() {
        wrong.extend(flaw(change).map(|flaw| format!("{key}: {}: {flaw}", change.tunable)));
        let earlier = all[..number].iter().filter(|(_, other)| contradict(change, other));
        wrong
            .extend(earlier.map(|(other, _)| format!("{key} and {other} want {} otherwise", change.tunable)));
    }
    ensure!(wrong.is_empty(), "advice that cannot be followed: {}", wrong.join("; "));
    Ok(())
}

/// What is wrong with one change by itself.
fn flaw(change: &Change) -> Option<String> {
    if change.from.as_deref() == Some(change.to.as_str()) {
        return Some(format!("it is {} already", change.to));
    }
    let path = change.path.as_ref()?;
    match fs::read_to_string(path) {
        Err(error) => Some(format!("{path}: {error}")),
        // A file that shows more than the value (cpu.max) is not compared.
        Ok(now) if words(&now) == words(&change.to) => Some(format!("{path} is {} already", change.to)),
        Ok(_) => None,
    }
}

/// Whether two changes of one setting go different ways.
fn contradict(one: &Change, other: &Change) -> bool {
    let same = one.tunable == other.tunable || (one.path.is_some() && one.path == other.path);
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

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A change that was made, put back when dropped.
pub struct Followed {
    path: Option<String>,
    before: Option<String>,
    undo: String,
}

impl Followed {
    /// Makes a change by its command; refuses one without a way back.
    pub fn make(change: &Change) -> Result<Followed> {
        let undo = change.undo.clone().with_context(|| format!("{}: no way back is said", change.tunable))?;
        let path = change.path.clone();
        let before = path.as_deref().map(value_of).transpose()?;
        run(&change.command)?;
        let followed = Followed { path, before, undo };
        if let (Some(path), Some(before)) = (&followed.path, &followed.before) {
            let now = value_of(path)?;
            ensure!(now != *before, "{}: {path} is still {now}", change.command);
        }
        Ok(followed)
    }

    /// Puts it back, and proves it where one file holds it.
    pub fn undone(self) -> Result<()> {
        let (path, before, undo) = (self.path.clone(), self.before.clone(), self.undo.clone());
        drop(self);
        if let (Some(path), Some(before)) = (path, before) {
            let now = value_of(&path)?;
            ensure!(now == before, "{undo}: {path} is {now}, it was {before}");
        }
        Ok(())
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        if let Err(error) = run(&self.undo) {
            eprintln!("left behind: {error:#}");
        }
    }
}

fn value_of(path: &str) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("read {path}"))?;
    Ok(words(&text).join(" "))
}

/// Runs a command as a person would who typed it.
fn run(command: &str) -> Result<()> {
    let output =
        Command::new("sh").args(["-c", command]).output().with_context(|| format!("run {command}"))?;
    if !output.status.success() {
        bail!("{command}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(tunable: &str, from: &str, to: &str, path: Option<&str>) -> Change {
        Change {
            tunable: tunable.to_owned(),
            from: Some(from.to_owned()),
            to: to.to_owned(),
            expect: String::new(),
            risk: String::new(),
            command: "true".to_owned(),
            path: path.map(str::to_owned),
            undo: None,
        }
    }

    #[test]
    fn what_is_set_already_or_unknown_is_a_flaw() -> Result<()> {
        let path = "/proc/sys/kernel/ostype";
        let now = value_of(path)?;
        assert!(flaw(&change("a", "other", &now, Some(path))).is_some_and(|flaw| flaw.ends_with("already")));
        assert_eq!(flaw(&change("a", "other", "another", Some(path))), None);
        assert!(flaw(&change("a", "1", "2", Some("/proc/sys/no/such"))).is_some());
        assert!(flaw(&change("a", "1", "1", None)).is_some());
        Ok(())
    }

    #[test]
    fn the_same_setting_up_and_down_is_a_contradiction() {
        let up = change("limit", "10", "20", Some("/a"));
        assert!(contradict(&up, &change("other name", "10", "5", Some("/a"))));
        assert!(!contradict(&up, &change("limit", "10", "40", None)), "both want more");
        assert!(!contradict(&up, &change("another", "10", "5", Some("/b"))));
        assert!(contradict(&change("mode", "a", "b", None), &change("mode", "a", "c", None)));
    }

    #[test]
    fn without_a_way_back_nothing_is_changed() {
        assert!(Followed::make(&change("a", "1", "2", None)).is_err());
    }
}
