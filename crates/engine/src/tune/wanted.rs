//! What is to be changed, before it is held against the machine.

use heldup_tune::Plan;

use super::changed::ChangedHost;
use super::limit::{self, LimitRequest};
use super::pin::{self, PinRequest};
use crate::error::Result;
use crate::progress::Progress;

/// What is to be changed.
#[derive(Clone, Debug)]
pub enum WantedChanges {
    /// Settings.
    Settings {
        /// Id, key of one device or path, and the value.
        assignments: Vec<(String, String)>,
        /// Whether they are also made at each boot.
        persist: bool,
    },
    /// Processes are held to limits.
    Limit(LimitRequest),
    /// Processes are placed on CPUs.
    Pin(PinRequest),
}

/// Whose limits and CPUs are changed.
#[derive(Clone, Debug)]
pub enum Whom {
    /// Processes, by number.
    Processes(Vec<i64>),
    /// A command of this name: this process is changed, and the command inherits that.
    Command(String),
}

impl WantedChanges {
    /// Whether they are also made at each boot.
    pub(super) fn persist(&self) -> bool {
        matches!(self, WantedChanges::Settings { persist: true, .. })
    }

    /// The plan of it on a machine; reasons are noted.
    pub(super) fn plan(&self, changed: &ChangedHost, progress: &dyn Progress) -> Result<Plan> {
        match self {
            WantedChanges::Settings { assignments, persist } => changed.plan(assignments, *persist),
            WantedChanges::Limit(request) => limit::planned(&changed.host, request),
            WantedChanges::Pin(request) => pin::planned(changed, request, progress),
        }
    }
}
