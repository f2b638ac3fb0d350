//! What commands say that write something: a capture, the baseline, a recording.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::examination::{BpfTime, Overhead};

/// Schema of [`CaptureWritten`].
pub const CAPTURE_SCHEMA: &str = "heldup/capture/1";
/// Schema of [`BaselineShown`].
pub const BASELINE_SCHEMA: &str = "heldup/baseline/1";
/// Schema of [`RecordSummary`].
pub const RECORD_SCHEMA: &str = "heldup/record/1";

/// Schema `heldup/capture/1`: a capture that was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureWritten {
    /// `heldup/capture/1`.
    #[schemars(extend("const" = CAPTURE_SCHEMA))]
    pub schema: String,
    /// The file.
    pub file: String,
    /// Whose it is.
    pub host: String,
    /// Length of its window, in seconds.
    pub seconds: f64,
    /// Tables.
    pub tables: u64,
    /// Rows of all of them.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
    /// What measuring used; null where something saved was written.
    pub overhead: Option<Overhead>,
}

/// Schema `heldup/baseline/1`: the baseline of this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BaselineShown {
    /// `heldup/baseline/1`.
    #[schemars(extend("const" = BASELINE_SCHEMA))]
    pub schema: String,
    /// The file.
    pub file: String,
    /// Whose it is; null where the file cannot be read.
    pub host: Option<String>,
    /// End of its window, RFC 3339.
    pub time: Option<String>,
    /// Settings in it.
    pub settings: Option<u64>,
    /// Size of the file.
    pub bytes: u64,
    /// Whether it was deleted by this command.
    pub dropped: bool,
}

/// Schema `heldup/record/1`: a recording that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordSummary {
    /// `heldup/record/1`.
    #[schemars(extend("const" = RECORD_SCHEMA))]
    pub schema: String,
    /// Folder of the archive.
    pub archive: String,
    /// Samples that were written.
    pub samples: u64,
    /// How long, in seconds.
    pub seconds: f64,
    /// CPU time of the program, as a share of one CPU.
    pub cpu_ratio: f64,
    /// Run time of its eBPF programs, as a share of one CPU; null where there were none.
    pub bpf_ratio: Option<f64>,
    /// How `bpf_ratio` is known; null where it is.
    pub bpf_time: Option<BpfTime>,
}
