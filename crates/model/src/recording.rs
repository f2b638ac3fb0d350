//! A recorder: what it says of itself in its archive, and what `heldup status` tells of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::examination::BpfTime;

/// Schema of [`RecorderStatus`].
pub const STATUS_SCHEMA: &str = "heldup/status/1";

/// What a recorder writes into its archive's `recorder.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecorderState {
    /// Its process id.
    pub pid: i64,
    /// Version of the program.
    pub program: String,
    /// Host that it records.
    pub host: String,
    /// When it began, milliseconds since 1970-01-01 UTC.
    pub since_ms: i64,
    /// When it ended; none while it runs, and where it was killed.
    pub until_ms: Option<i64>,
    /// Time between two samples, milliseconds.
    pub interval_ms: i64,
    /// How time is accounted for.
    pub method: String,
    /// CPU that it may use, as a share of one.
    pub cpu_budget: f64,
    /// How long samples are kept, seconds.
    pub keep_s: i64,
    /// How much is kept, bytes.
    pub keep_bytes: i64,
    /// Samples that were taken and could not be written.
    pub lost_samples: i64,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// When that was, milliseconds since 1970-01-01 UTC.
    pub last_error_ms: Option<i64>,
}

/// Why there are no samples of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// The machine was started anew in between.
    Restarted,
    /// The machine slept.
    Slept,
    /// No recorder ran.
    NotRecorded,
    /// Samples were taken and could not be written.
    NotWritten,
    /// The recorder ran and came late: it got no CPU, was stopped, or waited for what it reads.
    Late,
}

/// A span without samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusGap {
    /// The last sample before it, RFC 3339.
    pub after: String,
    /// The first sample after it, RFC 3339.
    pub until: String,
    /// Length, in seconds.
    pub seconds: f64,
    /// Why, by what took most of it; null where the archive does not say.
    #[serde(default)]
    pub why: Option<GapReason>,
}

/// A clock that was set while somebody recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockStep {
    /// The last sample before it, RFC 3339, by the clock as it was.
    pub after: String,
    /// The first sample after it, RFC 3339, by the clock as it was set.
    pub until: String,
    /// How far it was set, in seconds; less than 0 for back.
    pub seconds: f64,
}

/// What a recorder used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecorderCost {
    /// CPU of the recorder and of what seals, as a share of one CPU; eBPF programs apart.
    pub cpu_ratio: f64,
    /// Run time of its eBPF programs, as a share of one CPU; null where there are none.
    pub bpf_ratio: Option<f64>,
    /// How `bpf_ratio` is known; null where it is.
    pub bpf_time: Option<BpfTime>,
    /// Length of the time that this is about, in seconds.
    pub seconds: f64,
}

/// Schema `heldup/status/1`: what is recorded, and what that costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecorderStatus {
    /// `heldup/status/1`.
    pub schema: String,
    /// Folder of the archive.
    pub archive: String,
    /// Whether somebody records into it now.
    pub running: bool,
    /// Process id of the recorder, or of the last one.
    pub pid: Option<i64>,
    /// Host that is recorded.
    pub host: Option<String>,
    /// When the recorder began, RFC 3339.
    pub since: Option<String>,
    /// When it ended; null while it runs, and where it was killed.
    pub until: Option<String>,
    /// Time between two samples, in seconds.
    pub interval_s: Option<f64>,
    /// How time is accounted for.
    pub method: Option<String>,
    /// CPU that it may use, as a share of one.
    pub cpu_budget: Option<f64>,
    /// Processes in the last sample.
    pub processes: Option<i64>,
    /// Tasks in the last sample.
    pub tasks: Option<i64>,
    /// What it used in the last minute.
    pub cost_last_minute: Option<RecorderCost>,
    /// What it has used since it began, or in the last day where that is longer ago.
    pub cost: Option<RecorderCost>,
    /// Resident memory in the last sample, in bytes.
    pub resident_bytes: Option<i64>,
    /// Sources that are read less often than declared; null for none.
    pub thinned: Option<String>,
    /// Size of the archive, in bytes.
    pub archive_bytes: i64,
    /// What a day takes once it is sealed, in bytes; null before an hour is.
    pub bytes_per_day: Option<f64>,
    /// What a day takes in the journal, before it is sealed; null where nothing was written.
    pub journal_bytes_per_day: Option<f64>,
    /// How long samples are kept, in seconds.
    pub keep_s: Option<i64>,
    /// How much is kept, in bytes.
    pub keep_bytes: Option<i64>,
    /// The first sample that is kept, RFC 3339.
    pub first: Option<String>,
    /// The last sample, RFC 3339.
    pub last: Option<String>,
    /// Age of the last sample, in seconds.
    pub last_age_s: Option<f64>,
    /// Spans without samples in the last day, oldest first.
    pub gaps: Vec<StatusGap>,
    /// Where the clock was set in the last day, in the order in which it was: no gaps.
    #[serde(default)]
    pub clock_steps: Vec<ClockStep>,
    /// Samples that were taken and could not be written, since it began.
    pub lost_samples: Option<i64>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// When that was, RFC 3339.
    pub last_error_at: Option<String>,
}
