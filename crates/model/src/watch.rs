//! What `heldup watch` says: one line when a finding appears, changes or ends.
//!
//! This is the public JSON, schema `heldup/watch/1`, a line each: fields may be added, none
//! renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::examination::{ErrorNote, EvidenceValue, Finding, FindingGroup, Overhead, Severity};

/// The value of `schema`.
pub const WATCH_SCHEMA: &str = "heldup/watch/1";

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchEvent {
    /// A finding that was not there before.
    Appeared,
    /// One that goes on, worse, better, or because of somebody else.
    Changed,
    /// One that was not found for long enough.
    Ended,
    /// Something went wrong while looking; it is said once.
    Error,
    /// The end of watching.
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

/// What happened to a finding, or to the watch itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WatchLine {
    /// Name of this schema.
    #[schemars(extend("const" = WATCH_SCHEMA))]
    pub schema: String,
    /// What it is about.
    pub event: WatchEvent,
    /// End of the window that told it, RFC 3339.
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
    /// Where it ended: end of the last window in which it was found, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// How bad it has been at worst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Severity>,
    /// What has changed since it was told last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<WatchChange>,
    /// The group of findings, of the last window in which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<FindingGroup>,
    /// Its first finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorNote>,
    /// What there is to say at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<WatchSummary>,
}

/// Something that has changed about a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchChange {
    /// `severity`, `culprit`, `joined` (further subjects), `cost` (share of active time) or `amount` (in the
    /// impact's unit).
    pub what: String,
    /// As it was told last; none where there was none.
    pub from: Option<EvidenceValue>,
    /// As it is now.
    pub to: Option<EvidenceValue>,
}

/// What there is to say when watching ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchSummary {
    /// How long was watched.
    pub seconds: f64,
    /// Windows that were judged.
    pub windows: u64,
    /// Findings that appeared.
    pub appeared: u64,
    /// Keys of findings that have not ended.
    pub open: Vec<String>,
    /// Calls of the command of `--exec`.
    pub commands_run: u64,
    /// Those that could not be made or ended with another code than 0.
    pub commands_failed: u64,
    /// What looking cost.
    pub overhead: Overhead,
}
