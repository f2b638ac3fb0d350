//! Applies one setting and takes it back, whatever ends the program in between.
//!
//! The order is the whole of it: the log says what was before the setting is written, the
//! setting is read back after it, and only then the log says that it stands.

use heldup_hostfs::{Host, HostError, SyncedLog};

use crate::catalogue::Catalogue;
use crate::change_log::{Change, ChangeId, LogFault, Saved, State, Step, read};
use crate::instance::Instance;
use crate::tunable::Tunable;
use crate::value::canonical;

/// What a change does to the machine; a test stands in for it and fails at every step.
pub trait Door {
    /// The file's whole text.
    fn read(&self, path: &str) -> Result<String, HostError>;
    /// Writes a setting.
    fn write(&self, path: &str, value: &str) -> Result<(), HostError>;
    /// Which boot of the machine this is; a boot takes every change back.
    fn boot(&self) -> Result<String, HostError>;
    /// All of the log.
    fn log(&self) -> Result<Vec<u8>, HostError>;
    /// Adds to the log, and returns when that is on the disk.
    fn append(&self, line: &str) -> Result<(), HostError>;
}

/// A host and the log of what was changed on it.
#[derive(Debug)]
pub struct LoggedHost<'a> {
    /// Whose settings.
    pub host: &'a Host,
    /// Where it is noted.
    pub log: SyncedLog,
}

impl Door for LoggedHost<'_> {
    fn read(&self, path: &str) -> Result<String, HostError> {
        self.host.read_text(path)
    }

    fn write(&self, path: &str, value: &str) -> Result<(), HostError> {
        self.host.write_setting(path, value)
    }

    fn boot(&self) -> Result<String, HostError> {
        self.host.read_text("/proc/sys/kernel/random/boot_id")
    }

    fn log(&self) -> Result<Vec<u8>, HostError> {
        self.log.read()
    }

    fn append(&self, line: &str) -> Result<(), HostError> {
        self.log.append(line.as_bytes())
    }
}

/// Why a change or its undoing did not come about.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The catalogue says that the kernel would not take it.
    #[error("{key}: {what}")]
    Unfit {
        /// The setting.
        key: String,
        /// What is wrong with the value.
        what: String,
    },
    /// The kernel refused it; nothing is changed.
    #[error("the kernel refused {to} for {key}: {source}")]
    Refused {
        /// The setting.
        key: String,
        /// The value.
        to: String,
        /// What it said.
        source: HostError,
    },
    /// Somebody else has set it since; theirs is left.
    #[error("{key} is {now}, not {expected} as this change left it: somebody else has set it since")]
    Drifted {
        /// The setting.
        key: String,
        /// What it is.
        now: String,
        /// What it was left at.
        expected: String,
    },
    /// It cannot be brought back; the log keeps what it was.
    #[error("{key} is {now} and not {before} as before, although that was written")]
    NotRestored {
        /// The setting.
        key: String,
        /// What it is.
        now: String,
        /// What it was.
        before: String,
    },
    /// No change of that number stands.
    #[error("no change {0} stands")]
    NoChange(ChangeId),
    /// The host or the log cannot be read or written.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The log is not ours.
    #[error(transparent)]
    Log(#[from] LogFault),
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Its number; none where the value was there already.
    pub id: Option<ChangeId>,
    /// What it was.
    pub before: String,
    /// What is read back: another value than was wanted is the kernel's limit or rounding.
    pub now: String,
    /// Settings that changed with it: key, before, now.
    pub moved: Vec<(String, String, String)>,
}

/// Changes settings through a door.
#[derive(Debug)]
pub struct Changer<'a, D> {
    catalogue: &'a Catalogue,
    door: D,
}

impl<'a, D: Door> Changer<'a, D> {
    /// Of a catalogue, which knows the kinds of values and what is coupled.
    pub fn new(catalogue: &'a Catalogue, door: D) -> Changer<'a, D> {
        Changer { catalogue, door }
    }

    /// All changes that the log tells of.
    pub fn changes(&self) -> Result<Vec<Change>, ChangeError> {
        Ok(read(&self.door.log()?)?)
    }

    /// Writes a setting. `coupled` are the instances of what it couples ([`coupled_instances`]).
    pub fn apply(
        &self,
        tunable: &Tunable,
        instance: &Instance,
        to: &str,
        coupled: &[(&Tunable, Instance)],
    ) -> Result<Applied, ChangeError> {
        let key = &instance.key;
        if let Some(what) = tunable.objection(to) {
            return Err(ChangeError::Unfit { key: key.clone(), what });
        }
        let setting = self.saved(tunable, instance)?;
        if setting.before == to {
            return Ok(Applied { id: None, before: to.to_owned(), now: to.to_owned(), moved: Vec::new() });
        }
        // What cannot be read before cannot be brought back either.
        let coupled: Vec<Saved> =
            coupled.iter().map(|(other, at)| self.saved(other, at)).collect::<Result<_, _>>()?;
        let id = self.changes()?.iter().map(|change| change.id).max().unwrap_or(0) + 1;
        let change = Change {
            id,
            boot: self.door.boot()?,
            setting: setting.clone(),
            to: to.to_owned(),
            coupled: coupled.clone(),
            state: State::Begun,
        };
        let begin = begin(&change);
        let torn = self.end_torn_line()?;
        self.door.append(&format!("{torn}{}", begin.line()))?;
        if let Err(source) = self.door.write(&instance.path, to) {
            self.take_back(&change)?;
            return Err(ChangeError::Refused { key: key.clone(), to: to.to_owned(), source });
        }
        let now = self.value(&setting)?;
        let mut moved = Vec::new();
        for other in &coupled {
            let value = self.value(other)?;
            if value != other.before {
                moved.push((other, value));
            }
        }
        let paths = moved.iter().map(|(other, _)| other.path.clone()).collect();
        self.door.append(&Step::Done { change: id, now: now.clone(), moved: paths }.line())?;
        let moved =
            moved.into_iter().map(|(other, now)| (other.key.clone(), other.before.clone(), now)).collect();
        Ok(Applied { id: Some(id), before: setting.before, now, moved })
    }

    /// Takes a change back that stands.
    pub fn undo(&self, id: ChangeId) -> Result<(), ChangeError> {
        let changes = self.changes()?;
        let change = changes.iter().find(|change| change.id == id).ok_or(ChangeError::NoChange(id))?;
        let State::Done { now: expected, .. } = &change.state else { return Err(ChangeError::NoChange(id)) };
        if change.boot != self.door.boot()? {
            self.door.append(&Step::Gone { change: id }.line())?;
            return Err(ChangeError::NoChange(id));
        }
        let now = self.value(&change.setting)?;
        if now != *expected && now != change.setting.before {
            let key = change.setting.key.clone();
            return Err(ChangeError::Drifted { key, now, expected: expected.clone() });
        }
        self.take_back(change)
    }

    /// Finishes what something cut off, by taking it back; the changes that this was done for. What
    /// was done before the last boot is noted as gone.
    pub fn recover(&self) -> Result<Vec<Change>, ChangeError> {
        let boot = self.door.boot()?;
        let over = |change: &Change| matches!(change.state, State::Undone | State::Gone);
        let (ours, gone): (Vec<Change>, Vec<Change>) = self
            .changes()?
            .into_iter()
            .filter(|change| !over(change))
            .partition(|change| change.boot == boot);
        for change in gone {
            let torn = self.end_torn_line()?;
            self.door.append(&format!("{torn}{}", Step::Gone { change: change.id }.line()))?;
        }
        let mut cut = ours;
        cut.retain(|change| matches!(change.state, State::Begun | State::Undoing));
        // The latest first: an earlier one may have been made on top of.
        cut.reverse();
        for change in &cut {
            self.take_back(change)?;
        }
        Ok(cut)
    }

    fn take_back(&self, change: &Change) -> Result<(), ChangeError> {
        let torn = self.end_torn_line()?;
        let undo = Step::Undo { change: change.id }.line();
        self.door.append(&format!("{torn}{undo}"))?;
        // Of a finished change only what moved with it: the rest may be somebody else's by now.
        let ours = |other: &&Saved| match &change.state {
            State::Done { moved, .. } => moved.contains(&other.path),
            _ => true,
        };
        let all: Vec<&Saved> =
            std::iter::once(&change.setting).chain(change.coupled.iter().filter(ours)).collect();
        for saved in all.iter().filter(|saved| !saved.is_unset) {
            if self.value(saved)? != saved.before {
                self.door.write(&saved.path, &saved.before)?;
            }
        }
        for saved in &all {
            let now = self.value(saved)?;
            if now != saved.before {
                let (key, before) = (saved.key.clone(), saved.before.clone());
                return Err(ChangeError::NotRestored { key, now, before });
            }
        }
        Ok(self.door.append(&Step::Undone { change: change.id }.line())?)
    }

    /// What ends a line that a cut left without its end: it must not swallow the next.
    fn end_torn_line(&self) -> Result<&'static str, HostError> {
        let torn = self.door.log()?.last().is_some_and(|byte| *byte != b'\n');
        Ok(if torn { "\n" } else { "" })
    }

    fn saved(&self, tunable: &Tunable, instance: &Instance) -> Result<Saved, HostError> {
        let before = canonical(tunable, &self.door.read(&instance.path)?);
        let is_unset = tunable.unset.as_ref() == Some(&before);
        Ok(Saved { key: instance.key.clone(), path: instance.path.clone(), before, is_unset })
    }

    fn value(&self, saved: &Saved) -> Result<String, HostError> {
        let text = self.door.read(&saved.path)?;
        let covering = self.catalogue.tunables.iter().find(|tunable| tunable.covers(&saved.path));
        Ok(covering.map_or_else(|| text.trim().to_owned(), |tunable| canonical(tunable, &text)))
    }
}

fn begin(change: &Change) -> Step {
    let Change { id, boot, setting, to, coupled, .. } = change.clone();
    Step::Begin { change: id, boot, setting, to, coupled }
}

/// The settings of a host that a write to an instance may change too.
pub fn coupled_instances<'c>(
    catalogue: &'c Catalogue,
    host: &Host,
    tunable: &Tunable,
    instance: &Instance,
) -> Vec<(&'c Tunable, Instance)> {
    let ids = tunable.interacts.iter().filter(|other| other.couples).map(|other| other.id.as_str());
    let mut found = Vec::new();
    for other in ids.filter_map(|id| catalogue.find(id)) {
        let place = |pattern: Option<&str>| {
            pattern.and_then(|p| p.split_once('*')).map(|(start, _)| start.to_owned())
        };
        let (own, theirs) = (place(tunable.path.as_deref()), place(other.path.as_deref()));
        for at in other.instances(host) {
            let same = match (&own, &theirs) {
                // Of the same device: the same name behind the same folder.
                (Some(own), Some(theirs)) => {
                    own == theirs && name_behind(&at.path, own) == name_behind(&instance.path, own)
                }
                _ => true,
            };
            if same {
                found.push((other, at));
            }
        }
    }
    found
}

fn name_behind<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    path.strip_prefix(folder)?.split('/').next()
}
