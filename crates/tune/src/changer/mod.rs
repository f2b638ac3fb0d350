//! What a change goes through: the door to a host and its log, and who may write.
//!
//! One run writes at a time, and what an earlier one left unfinished is undone before it does:
//! there is no other way to a [`Writer`].

mod writer;

use heldup_hostfs::{Host, HostError, LogLock, SyncedLog, boottime_ns};

pub use writer::{Applied, Foreign, Outcomes, Recovered, Undone, Wanted, Writer};

use crate::called::Place;
use crate::catalogue::Catalogue;
use crate::change_log::{Change, ChangeId, LogFault, read};

/// What a change does to the machine; a test stands in for it and fails at every step.
pub trait Door {
    /// The right to write, which ends when it is dropped.
    type Lock: std::fmt::Debug;
    /// Gets the right to write; an error where another run has it.
    fn lock(&self) -> Result<Self::Lock, HostError>;
    /// Gets the right to write, however long another run has it.
    fn wait_for_lock(&self) -> Result<Self::Lock, HostError>;
    /// The whole text of a file, or of a place that calls reach.
    fn read(&self, path: &str) -> Result<String, HostError>;
    /// Writes a setting.
    fn write(&self, path: &str, value: &str) -> Result<(), HostError>;
    /// Gives one of our files that are applied at boot another text, or removes it.
    fn replace(&self, path: &str, text: Option<&str>) -> Result<(), HostError>;
    /// Which boot of the machine this is; a boot undoes every change that is not persistent.
    fn boot(&self) -> Result<String, HostError>;
    /// Nanoseconds since that boot, sleep included.
    fn now_ns(&self) -> u64;
    /// The name of a namespace (`net`, `ipc`) that this program is in; none where it has none.
    fn namespace(&self, kind: &str) -> Option<String>;
    /// All of the log.
    fn log(&self) -> Result<Vec<u8>, HostError>;
    /// Adds to the log, and returns when that is on the disk.
    fn append(&self, line: &str) -> Result<(), HostError>;
    /// Gives the log another text in one step, and returns when that is on the disk.
    fn replace_log(&self, text: &str) -> Result<(), HostError>;
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
    type Lock = LogLock;

    fn lock(&self) -> Result<LogLock, HostError> {
        self.log.lock()
    }

    fn wait_for_lock(&self) -> Result<LogLock, HostError> {
        self.log.wait_for_lock()
    }

    fn read(&self, path: &str) -> Result<String, HostError> {
        if let Some(place) = Place::of(path) {
            return place.read(self.host);
        }
        // With its end, which a file of ours keeps.
        Ok(String::from_utf8_lossy(&self.host.read(path)?).into_owned())
    }

    fn write(&self, path: &str, value: &str) -> Result<(), HostError> {
        match Place::of(path) {
            Some(place) => place.write(self.host, value),
            None => self.host.write_setting(path, value),
        }
    }

    fn replace(&self, path: &str, text: Option<&str>) -> Result<(), HostError> {
        self.host.replace_applied_file(path, text)
    }

    fn boot(&self) -> Result<String, HostError> {
        self.host.read_text("/proc/sys/kernel/random/boot_id")
    }

    fn now_ns(&self) -> u64 {
        boottime_ns()
    }

    fn namespace(&self, kind: &str) -> Option<String> {
        self.host.read_link(format!("/proc/self/ns/{kind}")).ok()
    }

    fn log(&self) -> Result<Vec<u8>, HostError> {
        self.log.read()
    }

    fn append(&self, line: &str) -> Result<(), HostError> {
        self.log.append(line.as_bytes())
    }

    fn replace_log(&self, text: &str) -> Result<(), HostError> {
        self.log.replace(text.as_bytes())
    }
}

/// Why a change or its undo failed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The catalogue says that the kernel would not take it, or that it would not last.
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
    #[error("{key} is {now}, expected {expected} (modified by someone else; --force overwrites)")]
    Drifted {
        /// The setting.
        key: String,
        /// What it is.
        now: String,
        /// What it was left at.
        expected: String,
    },
    /// A later change of ours has to be undone first.
    #[error("{key}: change {by} was made after it; undo that first, or with it")]
    Under {
        /// The setting.
        key: String,
        /// The later change.
        by: ChangeId,
    },
    /// It is a setting of a namespace that this program is not in.
    #[error("{key} was changed in namespace {theirs}; this is {here}")]
    Elsewhere {
        /// The setting.
        key: String,
        /// The namespace of the change.
        theirs: String,
        /// That of this program.
        here: String,
    },
    /// It cannot be restored; the log keeps the old value.
    #[error("{key} is still {now} after its old value {before} was written")]
    NotRestored {
        /// The setting.
        key: String,
        /// What it is.
        now: String,
        /// What it was.
        before: String,
    },
    /// No change of that number is in effect.
    #[error("change {0} is not in effect")]
    NoChange(ChangeId),
    /// The host or the log cannot be read or written.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The log is not ours.
    #[error(transparent)]
    Log(#[from] LogFault),
}

/// Changes settings through a door.
#[derive(Debug)]
pub struct Changer<'c, D> {
    pub(crate) catalogue: &'c Catalogue,
    pub(crate) door: D,
}

impl<'c, D: Door> Changer<'c, D> {
    /// Of a catalogue, which knows the kinds of values and what is coupled.
    pub fn new(catalogue: &'c Catalogue, door: D) -> Changer<'c, D> {
        Changer { catalogue, door }
    }

    /// All changes in the log.
    pub fn changes(&self) -> Result<Vec<Change>, ChangeError> {
        Ok(read(&self.door.log()?)?.changes)
    }

    /// The right to write, once what earlier runs left unfinished is undone. Nobody else writes
    /// until it is dropped.
    pub fn writer(&self) -> Result<Writer<'_, 'c, D>, ChangeError> {
        Writer::open(self, self.door.lock()?)
    }

    /// As [`Changer::writer`], however long another run is at work: for who watches over it.
    pub fn wait_for_writer(&self) -> Result<Writer<'_, 'c, D>, ChangeError> {
        Writer::open(self, self.door.wait_for_lock()?)
    }

    /// Which boot this is, and nanoseconds since it.
    pub fn now(&self) -> Result<(String, u64), ChangeError> {
        Ok((self.door.boot()?, self.door.now_ns()))
    }
}
