//! What was changed, so that it can be taken back after any end of the program.
//!
//! One line of JSON for each step, on the disk before the step is taken:
//!
//! * `begin`: what the setting and all that it is coupled with were, and which plan it is of;
//! * `done`: the setting was written and read back, and what else changed by that;
//! * `stands`: all changes of a plan are done, for good or until a time;
//! * `confirmed`: a plan that stood until a time stands for good;
//! * `undo`: taking changes back begins;
//! * `undone`: everything reads as it did before;
//! * `gone`: the machine was booted since, which took it back.
//!
//! A `begin` without `done`, a plan without `stands` and an `undo` without `undone` are steps that
//! something cut off, and a plan whose time is over was not confirmed: the next run takes all of
//! them back. The last line may be torn; what it announced was not done.

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

/// Why a change was taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Somebody asked for it.
    #[default]
    Asked,
    /// The run that made it, or that took it back, was cut off.
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
    Stands {
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
}

/// What a change was to be, and what was before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// Its number.
    #[serde(rename = "change")]
    pub id: ChangeId,
    /// The plan that it is a part of, by the number of its first change; none of a change that
    /// stands by itself as soon as it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<ChangeId>,
    /// The boot that it was made in, as the kernel names it.
    pub boot: String,
    /// The namespace whose setting it is, where settings of its kind are a namespace's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The setting and what it was.
    pub setting: Saved,
    /// The value that was wanted.
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
    /// Cut off before it was known what the kernel made of it.
    Begun,
    /// It stands; the value that was read back, and the paths that moved with it.
    Done {
        /// The value after it.
        now: String,
        /// Files of coupled settings that changed with it.
        moved: Vec<String>,
    },
    /// Cut off while it was taken back.
    Undoing,
    /// Taken back.
    Undone(Why),
    /// Taken back by a boot.
    Gone,
}

/// How long the plan of a change stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// It is not known to be whole: whoever made it is at work, or was cut off.
    Unfinished,
    /// Until a time of CLOCK_BOOTTIME, in nanoseconds, unless it is confirmed.
    Until(u64),
    /// Until it is taken back.
    ForGood,
}

/// A change, as the log tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it was to be.
    pub begin: Begin,
    /// How far it got.
    pub state: State,
    /// How long it stands.
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

    /// Whether a boot that followed has left nothing of it.
    pub(crate) fn ended_with(&self, boot: &str) -> bool {
        self.begin.boot != boot && self.begin.persisted.is_none()
    }

    /// Why the next run takes it back; none where it stands, or is over.
    pub fn recovers(&self, boot: &str, now_ns: u64) -> Option<Why> {
        let expired = |until: u64| self.begin.boot != boot || until <= now_ns;
        match (&self.state, self.term) {
            (State::Undone(_) | State::Gone, _) => None,
            (State::Begun | State::Undoing, _) | (State::Done { .. }, Term::Unfinished) => Some(Why::CutOff),
            (State::Done { .. }, Term::Until(until)) => expired(until).then_some(Why::NotConfirmed),
            (State::Done { .. }, Term::ForGood) => None,
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
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Change>, LogFault> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut changes: Vec<Change> = Vec::new();
    for (at, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() || line.ends_with(TORN.as_bytes()) {
            continue;
        }
        let fault = |what: String| LogFault { line: at + 1, what };
        let step: Step = serde_json::from_slice(line).map_err(|error| fault(error.to_string()))?;
        let (ids, state) = match step {
            Step::Begin(begin) => {
                let term = if begin.plan.is_none() { Term::ForGood } else { Term::Unfinished };
                changes.push(Change { begin, state: State::Begun, term });
                continue;
            }
            Step::Stands { plan, until_ns } => {
                stand(&mut changes, plan, until_ns.map_or(Term::ForGood, Term::Until));
                continue;
            }
            Step::Confirmed { plan } => {
                stand(&mut changes, plan, Term::ForGood);
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
    Ok(changes)
}

fn stand(changes: &mut [Change], plan: ChangeId, term: Term) {
    changes.iter_mut().filter(|change| change.plan() == plan).for_each(|change| change.term = term);
}
