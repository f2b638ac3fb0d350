//! A recorder: its description in the archive, and the answer of `heldup status`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::examination::{BpfTime, Severity};

/// Schema of [`RecorderStatus`].
pub const STATUS_SCHEMA: &str = "heldup/status/1";

/// Content of `recorder.json` in an archive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecorderState {
    /// Its process id.
    pub pid: i64,
    /// Version of the program.
    pub program: String,
    /// Host that it records.
    pub host: String,
    /// Start, milliseconds since 1970-01-01 UTC.
    pub since_ms: i64,
    /// End; none while it runs, or if it was killed.
    pub until_ms: Option<i64>,
    /// Time between two samples, milliseconds.
    pub interval_ms: i64,
    /// Method of time accounting.
    pub method: String,
    /// CPU budget, as a share of one CPU.
    pub cpu_budget: f64,
    /// Retention, seconds.
    pub retention_s: i64,
    /// Maximum size, bytes.
    pub max_bytes: i64,
    /// Samples that could not be written.
    pub lost_samples: i64,
    /// Last error.
    pub last_error: Option<String>,
    /// Time of the last error, milliseconds since 1970-01-01 UTC.
    pub last_error_ms: Option<i64>,
}

/// Reason of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// The machine was rebooted.
    Restarted,
    /// The machine was suspended.
    Slept,
    /// No recorder ran.
    NotRecorded,
    /// Samples were taken and could not be written.
    NotWritten,
    /// The recorder was late: it got no CPU, was stopped, or waited for its sources.
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
    /// Main reason; null if not in the archive.
    #[serde(default)]
    pub why: Option<GapReason>,
}

/// A clock that was set during the recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClockStep {
    /// The last sample before it, RFC 3339, by the clock as it was.
    pub after: String,
    /// The first sample after it, RFC 3339, by the clock as it was set.
    pub until: String,
    /// Step in seconds; negative for back.
    pub seconds: f64,
}

/// Overhead of a recorder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecorderCost {
    /// CPU time of the recorder and of sealing, as a share of one CPU, without eBPF programs.
    pub cpu_ratio: f64,
    /// Run time of its eBPF programs, as a share of one CPU; null without eBPF.
    pub bpf_ratio: Option<f64>,
    /// Source of `bpf_ratio`; null with it.
    pub bpf_time: Option<BpfTime>,
    /// Length of the measured time, in seconds.
    pub seconds: f64,
}

/// The last saved examination, in brief.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LastExamination {
    /// Its number: `@41`.
    pub number: u64,
    /// End of its window, RFC 3339; null if the recording does not have it.
    pub to: Option<String>,
    /// Its findings of warning or worse, worst first.
    pub findings: Vec<LastFinding>,
}

/// A finding of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LastFinding {
    /// Its number: `heldup explain 1`.
    pub number: usize,
    /// How bad.
    pub severity: Severity,
    /// The line that says it.
    pub title: String,
}

/// Schema `heldup/status/1`: the recorder, changes of settings that are pending, and the last findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecorderStatus {
    /// `heldup/status/1`.
    pub schema: String,
    /// Folder of the archive.
    pub archive: String,
    /// Whether a recorder runs.
    pub running: bool,
    /// Process id of the recorder, or of the last one.
    pub pid: Option<i64>,
    /// Host that is recorded.
    pub host: Option<String>,
    /// Start of the recorder, RFC 3339.
    pub since: Option<String>,
    /// Its end; null while it runs, or if it was killed.
    pub until: Option<String>,
    /// Time between two samples, in seconds.
    pub interval_s: Option<f64>,
    /// Method of time accounting.
    pub method: Option<String>,
    /// CPU budget, as a share of one CPU.
    pub cpu_budget: Option<f64>,
    /// Processes in the last sample.
    pub processes: Option<i64>,
    /// Tasks in the last sample.
    pub tasks: Option<i64>,
    /// Overhead in the last minute.
    pub overhead_last_minute: Option<RecorderCost>,
    /// Overhead since its start, at most over the last day.
    pub cost: Option<RecorderCost>,
    /// Resident memory in the last sample, in bytes.
    pub resident_bytes: Option<i64>,
    /// Sources that are read less often than declared; null for none.
    pub thinned: Option<String>,
    /// Size of the archive, in bytes.
    pub archive_bytes: i64,
    /// Size of a sealed day, in bytes; null before the first sealed hour.
    pub bytes_per_day: Option<f64>,
    /// Size of a day in the journal, before sealing; null if nothing was written.
    pub journal_bytes_per_day: Option<f64>,
    /// Retention, in seconds.
    pub retention_s: Option<i64>,
    /// Maximum size, in bytes.
    pub max_bytes: Option<i64>,
    /// The first sample in the archive, RFC 3339.
    pub first: Option<String>,
    /// The last sample, RFC 3339.
    pub last: Option<String>,
    /// Age of the last sample, in seconds.
    pub last_age_s: Option<f64>,
    /// Spans without samples in the last day, oldest first.
    pub gaps: Vec<StatusGap>,
    /// Clock steps in the last day, in order; these are no gaps.
    #[serde(default)]
    pub clock_steps: Vec<ClockStep>,
    /// Samples that could not be written, since its start.
    pub lost_samples: Option<i64>,
    /// Last error.
    pub last_error: Option<String>,
    /// Time of the last error, RFC 3339.
    pub last_error_at: Option<String>,
    /// Changes of settings that are in effect; null where that cannot be read.
    #[serde(default)]
    pub changes: Option<u64>,
    /// Of them those that wait for `heldup tune confirm`.
    #[serde(default)]
    pub changes_waiting: Option<u64>,
    /// The last saved examination of this user; null where there is none.
    #[serde(default)]
    pub last_examination: Option<LastExamination>,
}
