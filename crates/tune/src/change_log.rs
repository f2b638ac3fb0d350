//! The log of changes, by which they can be undone after any end of the program.
//!
//! One line of JSON for each step, on the disk before the step is taken:
//!
//! * `begin`: what the setting and all that it is coupled with were, and which plan it is of;
//! * `done`: the setting was written and read back, and what else changed by that;
//! * `committed`: all changes of a plan are in effect, permanently or until a time;
//! * `confirmed`: a plan that was in effect until a time is permanent;
//! * `undo`: the undo of changes begins;
//! * `undone`: everything reads as it did before;
//! * `gone`: the machine was booted since, which undid it;
//! * `numbered`: the log was shortened; the last number in use.
//!
//! A `begin` without `done`, a plan without `committed` and an `undo` without `undone` were
//! interrupted, and a plan whose time is over was not confirmed: the next run undoes all of
//! them. The last line may be torn; its step was not done.

use serde::{Deserialize, Serialize};

/// Number of a change, from 1.
pub type ChangeId = u64;

/// A setting and what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Key of table `setting`.
    pub key: String,
    /// The file.
    pub path: String,
    /// Its value, as canonical text.
    pub before: String,
    /// That value says that another setting decides; it cannot be written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unset: bool,
}

/// Lines of a file of ours that set a value at boot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persisted {
    /// The file.
    pub path: String,
    /// Its lines of this change, each with its end.
    pub lines: String,
}

/// Why a change was undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Somebody asked for it.
    #[default]
    Asked,
    /// The run that made it, or that undid it, was interrupted.
    CutOff,
    /// Nobody confirmed it in time.
    NotConfirmed,
    /// The kernel refused it, or another change of its plan.
    Refused,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(crate) enum Step {
    Begin(Begin),
    Done {
        change: ChangeId,
        now: String,
        moved: Vec<String>,
    },
    Committed {
        plan: ChangeId,
        /// CLOCK_BOOTTIME in nanoseconds, of the boot that the plan was made in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until_ns: Option<u64>,
    },
    Confirmed {
        plan: ChangeId,
    },
    /// One line for all of them, so that a cut leaves all or none.
    Undo {
        changes: Vec<ChangeId>,
    },
    Undone {
        change: ChangeId,
        #[serde(default)]
        why: Why,
    },
    Gone {
        change: ChangeId,
    },
    /// First line of a log that was shortened: the last number in use.
    Numbered {
        last: ChangeId,
    },
}

/// The contents of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Log {
    /// Changes, the oldest first.
    pub changes: Vec<Change>,
    /// The last number in use; 0 for an empty log.
    pub last: ChangeId,
}

/// What a change was to be, and what was before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// Its number.
    #[serde(rename = "change")]
    pub id: ChangeId,
    /// The plan that it is a part of, by the number of its first change; none of a change that
    /// is in effect by itself as soon as it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<ChangeId>,
    /// The boot that it was made in, as the kernel names it.
    pub boot: String,
    /// The namespace whose setting it is, where settings of its kind are a namespace's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The setting and what it was.
    pub setting: Saved,
    /// The requested value.
    pub to: String,
    /// What it is coupled with, and what that was.
    pub coupled: Vec<Saved>,
    /// What makes it at each boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persisted: Option<Persisted>,
}

/// How far a change got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Interrupted before its value was read back.
    Begun,
    /// In effect; the value that was read back, and the paths that changed with it.
    Done {
        /// The value after it.
        now: String,
        /// Files of coupled settings that changed with it.
        moved: Vec<String>,
    },
    /// Interrupted during the undo.
    Undoing,
    /// Undone.
    Undone(Why),
    /// Undone by a boot.
    Gone,
}

/// How long the plan of a change is in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Not complete: its run is at work, or was interrupted.
    Unfinished,
    /// Until a time of CLOCK_BOOTTIME, in nanoseconds, unless it is confirmed.
    Until(u64),
    /// Until it is undone.
    Permanent,
}

/// A change, as in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it was to be.
    pub begin: Begin,
    /// How far it got.
    pub state: State,
    /// How long it is in effect.
    pub term: Term,
}

impl Change {
    /// Its number.
    pub fn id(&self) -> ChangeId {
        self.begin.id
    }

    /// The number of its plan: its own where it has none.
    pub fn plan(&self) -> ChangeId {
        self.begin.plan.unwrap_or(self.begin.id)
    }

    /// Whether nothing is left of it.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Undone(_) | State::Gone)
    }

    /// Whether it has changed a setting, by itself or with another.
    pub fn touches(&self, path: &str) -> bool {
        let moved = || match &self.state {
            State::Done { moved, .. } => moved.iter().any(|other| other == path),
            _ => self.begin.coupled.iter().any(|other| other.path == path),
        };
        self.begin.setting.path == path || moved()
    }

    /// The first of the later changes of the same setting; its value since then is ours.
    pub fn under<'c>(&self, changes: &'c [Change]) -> Option<&'c Change> {
        changes.iter().find(|other| {
            other.id() > self.id() && !other.is_over() && other.touches(&self.begin.setting.path)
        })
    }

    /// Whether a boot that followed has left nothing of it.
    pub(crate) fn ended_with(&self, boot: &str) -> bool {
        self.begin.boot != boot && self.begin.persisted.is_none()
    }

    /// Why the next run undoes it; none if it is in effect, or over.
    pub fn recovers(&self, boot: &str, now_ns: u64) -> Option<Why> {
        let expired = |until: u64| self.begin.boot != boot || until <= now_ns;
        match (&self.state, self.term) {
            (State::Undone(_) | State::Gone, _) => None,
            (State::Begun | State::Undoing, _) | (State::Done { .. }, Term::Unfinished) => Some(Why::CutOff),
            (State::Done { .. }, Term::Until(until)) => expired(until).then_some(Why::NotConfirmed),
            (State::Done { .. }, Term::Permanent) => None,
        }
    }
}

/// A log that is not ours, or that something else wrote into.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the log of changes: {what}")]
pub struct LogFault {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Step {
    /// As a line.
    pub(crate) fn line(&self) -> String {
        // Strings and numbers alone: it cannot fail.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// What a run puts behind a line that another left without its end, before it goes on in a new one:
/// what was not known to be written must not count later.
pub(crate) const TORN: &str = "~";

/// Reads a log; a last line without its end is one that was never finished, and is left out.
pub(crate) fn read(bytes: &[u8]) -> Result<Log, LogFault> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut changes: Vec<Change> = Vec::new();
    let mut numbered = 0;
    for (at, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() || line.ends_with(TORN.as_bytes()) {
            continue;
        }
        let fault = |what: String| LogFault { line: at + 1, what };
        let step: Step = serde_json::from_slice(line).map_err(|error| fault(error.to_string()))?;
        let (ids, state) = match step {
            Step::Begin(begin) => {
                let term = if begin.plan.is_none() { Term::Permanent } else { Term::Unfinished };
                changes.push(Change { begin, state: State::Begun, term });
                continue;
            }
            Step::Committed { plan, until_ns } => {
                set_term(&mut changes, plan, until_ns.map_or(Term::Permanent, Term::Until));
                continue;
            }
            Step::Confirmed { plan } => {
                set_term(&mut changes, plan, Term::Permanent);
                continue;
            }
            Step::Numbered { last } => {
                numbered = last;
                continue;
            }
            Step::Done { change, now, moved } => (vec![change], State::Done { now, moved }),
            Step::Undo { changes } => (changes, State::Undoing),
            Step::Undone { change, why } => (vec![change], State::Undone(why)),
            Step::Gone { change } => (vec![change], State::Gone),
        };
        for id in ids {
            let known = changes.iter_mut().find(|known| known.id() == id);
            known.ok_or_else(|| fault(format!("change {id} has not begun")))?.state = state.clone();
        }
    }
    let last = changes.iter().map(Change::id).max().unwrap_or(0).max(numbered);
    Ok(Log { changes, last })
}

/// Changes that are over and kept, the latest.
const KEPT: usize = 64;
/// How many more there may be until a log is shortened.
const SLACK: usize = 192;

/// The text of a shorter log; none where it is not worth it. What is not over is in it as it was, and of
/// the rest the latest; no number is used twice.
pub(crate) fn shortened(log: &Log) -> Option<String> {
    let over = log.changes.iter().filter(|change| change.is_over()).count();
    if over <= KEPT + SLACK {
        return None;
    }
    let mut skipped = over - KEPT;
    let mut kept = Vec::new();
    for change in &log.changes {
        if change.is_over() && skipped > 0 {
            skipped -= 1;
        } else {
            kept.push(change);
        }
    }
    let mut steps = vec![Step::Numbered { last: log.last }];
    steps.extend(kept.iter().map(|change| Step::Begin(change.begin.clone())));
    let mut plans: Vec<ChangeId> = Vec::new();
    for change in kept {
        let id = change.id();
        steps.extend(match &change.state {
            State::Begun => None,
            State::Done { now, moved } => {
                Some(Step::Done { change: id, now: now.clone(), moved: moved.clone() })
            }
            State::Undoing => Some(Step::Undo { changes: vec![id] }),
            State::Undone(why) => Some(Step::Undone { change: id, why: *why }),
            State::Gone => Some(Step::Gone { change: id }),
        });
        if change.term != Term::Unfinished && !plans.contains(&change.plan()) {
            plans.push(change.plan());
            let until_ns = match change.term {
                Term::Until(until_ns) => Some(until_ns),
                _ => None,
            };
            steps.push(Step::Committed { plan: change.plan(), until_ns });
        }
    }
    Some(steps.iter().map(Step::line).collect())
}

fn set_term(changes: &mut [Change], plan: ChangeId, term: Term) {
    changes.iter_mut().filter(|change| change.plan() == plan).for_each(|change| change.term = term);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes that are over, and before, among and behind them some in each other state.
    fn log(over: ChangeId) -> Log {
        let saved = Saved { key: "k".into(), path: "/p".into(), before: "1".into(), is_unset: false };
        let mut text = String::new();
        let mut begin = |id: ChangeId, plan: Option<ChangeId>| {
            let (setting, to, coupled) = (saved.clone(), "2".to_owned(), Vec::new());
            let (boot, namespace, persisted) = ("b".to_owned(), None, None);
            text += &Step::Begin(Begin { id, plan, boot, namespace, setting, to, coupled, persisted }).line();
        };
        let last = over + 7;
        (1..=last).for_each(|id| begin(id, (id != 3).then_some(if id == 2 { 1 } else { id })));
        let done = |change| Step::Done { change, now: "2".to_owned(), moved: vec!["/q".to_owned()] };
        let mut steps: Vec<Step> = (1..=5).map(done).collect();
        steps.push(Step::Committed { plan: 1, until_ns: None });
        steps.push(Step::Committed { plan: 4, until_ns: Some(9) });
        steps.extend((7..=over + 6).map(|change| match change % 2 {
            0 => Step::Undone { change, why: Why::CutOff },
            _ => Step::Gone { change },
        }));
        steps.push(Step::Undo { changes: vec![last] });
        text.extend(steps.iter().map(Step::line));
        read(text.as_bytes()).expect("a log")
    }

    #[test]
    fn a_shorter_log_is_the_same_for_what_is_not_over() {
        assert_eq!(shortened(&log(256)), None, "not worth it");
        let long = log(300);
        let short = read(shortened(&long).expect("worth it").as_bytes()).expect("a log");
        assert_eq!(short.last, 307);
        let not_over =
            |log: &Log| log.changes.iter().filter(|one| !one.is_over()).cloned().collect::<Vec<_>>();
        assert_eq!(not_over(&short), not_over(&long));
        assert_eq!(not_over(&short).len(), 7);
        let over: Vec<ChangeId> = short.changes.iter().filter(|one| one.is_over()).map(Change::id).collect();
        assert_eq!(over, (243..=306).collect::<Vec<ChangeId>>(), "the latest are kept");
        assert_eq!(shortened(&short), None);
        // Also where nothing is left that has the number.
        let empty = read(Step::Numbered { last: 307 }.line().as_bytes()).expect("a log");
        assert_eq!((empty.changes.len(), empty.last), (0, 307));
    }
}
