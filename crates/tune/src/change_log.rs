//! What was changed, so that it can be taken back after any end of the program.
//!
//! One line of JSON for each step, on the disk before the step is taken:
//!
//! * `begin`: what the setting and all that it is coupled with were;
//! * `done`: the setting was written and read back, and what else changed by that;
//! * `undo`: taking it back begins;
//! * `undone`: everything reads as it did before;
//! * `gone`: the machine was booted since, which took it back.
//!
//! A `begin` without `done` and an `undo` without `undone` are steps that something cut off: the
//! next run finishes them by taking them back. The last line may be torn; what it announced was
//! not done.

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

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(crate) enum Step {
    Begin { change: ChangeId, boot: String, setting: Saved, to: String, coupled: Vec<Saved> },
    Done { change: ChangeId, now: String, moved: Vec<String> },
    Undo { change: ChangeId },
    Undone { change: ChangeId },
    Gone { change: ChangeId },
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
    Undone,
    /// Taken back by a boot.
    Gone,
}

/// A change, as the log tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number.
    pub id: ChangeId,
    /// The boot that it was made in, as the kernel names it.
    pub boot: String,
    /// The setting and what it was.
    pub setting: Saved,
    /// The value that was wanted.
    pub to: String,
    /// What it is coupled with, and what that was.
    pub coupled: Vec<Saved>,
    /// How far it got.
    pub state: State,
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

/// Reads a log; a last line without its end is one that was never finished, and is left out.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Change>, LogFault> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut changes: Vec<Change> = Vec::new();
    for (at, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
        // A torn line that a later run went on behind has its end from that run.
        if line.trim_ascii().is_empty() {
            continue;
        }
        let fault = |what: String| LogFault { line: at + 1, what };
        let step: Step = match serde_json::from_slice(line) {
            Ok(step) => step,
            Err(_) if is_torn(line) => continue,
            Err(error) => return Err(fault(error.to_string())),
        };
        let (id, state) = match step {
            Step::Begin { change: id, boot, setting, to, coupled } => {
                changes.push(Change { id, boot, setting, to, coupled, state: State::Begun });
                continue;
            }
            Step::Done { change, now, moved } => (change, State::Done { now, moved }),
            Step::Undo { change } => (change, State::Undoing),
            Step::Undone { change } => (change, State::Undone),
            Step::Gone { change } => (change, State::Gone),
        };
        let known = changes.iter_mut().find(|known| known.id == id);
        known.ok_or_else(|| fault(format!("change {id} has not begun")))?.state = state;
    }
    Ok(changes)
}

/// A line that begins as ours do and has no end.
fn is_torn(line: &[u8]) -> bool {
    line.starts_with(b"{")
        && serde_json::from_slice::<serde_json::Value>(line).is_err_and(|error| error.is_eof())
}
