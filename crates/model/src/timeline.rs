//! The answer of `heldup examine` for a long window of an archive: its worst stretches, with causes.
//!
//! This is the public JSON, schema `heldup/timeline/1`: fields may be added, none renamed or
//! removed. A stretch has its findings in brief; its command examines it in full.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::examination::{BriefFinding, ErrorNote};

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
    /// Recorded time of it.
    pub recorded_seconds: f64,
    /// Active time: running plus waiting, of user tasks.
    pub active_seconds: f64,
    /// Waiting of user tasks.
    pub waiting_seconds: f64,
    /// The worst stretches, worst first.
    pub stretches: Vec<TimelineStretch>,
    /// Number of further stretches.
    pub more_stretches: u64,
    /// Errors while reading.
    pub errors: Vec<ErrorNote>,
}

/// Reason of a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StretchReason {
    /// More waiting than usual in this window.
    Waiting,
    /// The usual waiting of this window is high: no part stands out, so the whole is reported.
    Usual,
    /// The kernel wrote errors to its log.
    KernelErrors,
    /// One task ran nearly all the time, unusual in this window.
    BusyTask,
    /// More damaged or dropped packets or full queues than usual in this window.
    Events,
    /// A file system was nearly full, unusual in this window.
    NearlyFull,
    /// The end of the window, for exhaustion.
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
    /// Recorded time of it.
    pub seconds: f64,
    /// Reason.
    pub reason: StretchReason,
    /// Active time: running plus waiting, of user tasks.
    pub active_seconds: f64,
    /// Waiting of user tasks.
    pub waiting_seconds: f64,
    /// Waiting beyond the usual of the window, which ranks the stretches.
    pub excess_seconds: f64,
    /// The part that the rules examined, RFC 3339: the worst minutes of a long stretch.
    #[schemars(extend("format" = "date-time"))]
    pub examined_from: String,
    /// Its end.
    #[schemars(extend("format" = "date-time"))]
    pub examined_to: String,
    /// Findings in rank order, without those that another one explains.
    pub findings: Vec<BriefFinding>,
    /// Command that examines that part.
    pub command: String,
    /// Errors of its examination.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorNote>,
}
