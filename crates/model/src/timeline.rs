//! What `heldup examine` answers of a long window of an archive: its worst stretches, with causes.
//!
//! This is the public JSON, schema `heldup/timeline/1`: fields may be added, none renamed or
//! removed. A stretch holds what was found in it in brief; its command examines it in full.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::examination::{ErrorNote, ImpactKind, Severity, TaskShare};

/// The value of `schema`.
pub const TIMELINE_SCHEMA: &str = "heldup/timeline/1";

/// A long window of an archive.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Timeline {
    /// Name of this schema.
    #[schemars(extend("const" = TIMELINE_SCHEMA))]
    pub schema: String,
    /// The archive.
    pub source: String,
    /// Host name.
    pub host: String,
    /// Start, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub from: String,
    /// End, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub to: String,
    /// How much of it was recorded.
    pub recorded_seconds: f64,
    /// Running plus held up, of user tasks.
    pub active_seconds: f64,
    /// Held up, of user tasks.
    pub waiting_seconds: f64,
    /// The worst stretches, the one that cost most first.
    pub stretches: Vec<TimelineStretch>,
    /// Stretches that stood out and are not among these.
    pub stretches_left_out: u64,
    /// What went wrong while reading.
    pub errors: Vec<ErrorNote>,
}

/// Why a stretch is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StretchReason {
    /// More time was held up than is usual in this window.
    Waiting,
    /// What is usual in this window is itself held up: no part stands out, and the whole is told.
    Usual,
    /// The kernel wrote errors to its log.
    KernelErrors,
    /// One task ran nearly all the time, which is not usual in this window.
    BusyTask,
    /// More packets were damaged, dropped or had no room than is usual in this window.
    Events,
    /// A file system was nearly full, which is not usual in this window.
    NearlyFull,
    /// The end of the window: what runs out is seen where it stands now.
    End,
}

/// A stretch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TimelineStretch {
    /// Start, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub from: String,
    /// End, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub to: String,
    /// How much of it was recorded.
    pub seconds: f64,
    /// Why it is looked at.
    pub reason: StretchReason,
    /// Running plus held up, of user tasks.
    pub active_seconds: f64,
    /// Held up, of user tasks.
    pub waiting_seconds: f64,
    /// Held up beyond what is usual in the window: what the stretches are ranked by.
    pub excess_seconds: f64,
    /// The part of it that the rules looked at, RFC 3339: the worst minutes of a long one.
    #[schemars(extend("format" = "date-time"))]
    pub examined_from: String,
    /// Its end.
    #[schemars(extend("format" = "date-time"))]
    pub examined_to: String,
    /// What was found there, in rank order, without what another one of them explains.
    pub findings: Vec<BriefFinding>,
    /// Examines that part.
    pub command: String,
    /// What went wrong while it was examined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorNote>,
}

/// A finding in brief.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BriefFinding {
    /// `id/kind:name`, unique within the stretch.
    pub key: String,
    /// Public id.
    pub id: String,
    /// How bad.
    pub severity: Severity,
    /// What kind of harm.
    pub impact: ImpactKind,
    /// Share of active time of the part that was looked at; none where time is not the harm.
    pub cost: Option<f64>,
    /// One line that says it.
    pub title: String,
    /// Who causes it.
    pub culprits: Vec<TaskShare>,
}
