//! The output of `heldup watch`: one line when a finding appears, changes or ends.
//!
//! This is the public JSON, schema `heldup/watch/1`, a line each: fields may be added, none
//! renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::examination::{ErrorNote, EvidenceValue, Finding, FindingGroup, Overhead, Severity};

/// The value of `schema`.
pub const WATCH_SCHEMA: &str = "heldup/watch/1";

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchEvent {
    /// A new finding.
    Appeared,
    /// A finding that continues: worse, better, or with another culprit.
    Changed,
    /// A finding that was not found for long enough.
    Ended,
    /// An error, reported once.
    Error,
    /// End of watch.
    Summary,
}

impl WatchEvent {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            WatchEvent::Appeared => "appeared",
            WatchEvent::Changed => "changed",
            WatchEvent::Ended => "ended",
            WatchEvent::Error => "error",
            WatchEvent::Summary => "summary",
        }
    }
}

/// An event of a finding, or of the watch itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WatchLine {
    /// Name of this schema.
    #[schemars(extend("const" = WATCH_SCHEMA))]
    pub schema: String,
    /// Event.
    pub event: WatchEvent,
    /// End of the window of the event, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub time: String,
    /// The machine.
    pub host: String,
    /// `id@kind` of the group of findings: the same in all lines about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Start of the first window in which it was found, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Its end: end of the last window in which it was found, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Its worst severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Severity>,
    /// Changes since the last line about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<WatchChange>,
    /// The group of findings, from the last window in which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<FindingGroup>,
    /// Its first finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    /// The error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorNote>,
    /// Summary at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<WatchSummary>,
}

/// A change of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchChange {
    /// `severity`, `culprit`, `joined` (further subjects), `cost` (share of active time) or `amount` (in the
    /// impact's unit).
    pub what: String,
    /// Last reported value; none if there was none.
    pub from: Option<EvidenceValue>,
    /// Current value.
    pub to: Option<EvidenceValue>,
}

/// Summary of a watch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchSummary {
    /// Duration.
    pub seconds: f64,
    /// Number of windows.
    pub windows: u64,
    /// Number of findings that appeared.
    pub appeared: u64,
    /// Keys of findings that have not ended.
    pub open: Vec<String>,
    /// Calls of the command of `--exec`.
    pub commands_run: u64,
    /// Calls that failed or ended with another code than 0.
    pub commands_failed: u64,
    /// Overhead.
    pub overhead: Overhead,
}
