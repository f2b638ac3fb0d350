//! What a capture's times are worth: a recording may not say when it was made, nor how long its intervals are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the times of a capture are from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeSource {
    /// Day and time are recorded.
    #[default]
    Recorded,
    /// The day or the year is assumed, from when the file was last written.
    Assumed,
    /// Not recorded: rows are in their order, and end where the capture ends.
    Unknown,
}

/// What is known of the times of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// When it was.
    pub time: TimeSource,
    /// Whether the length of its intervals is known. Else `secs` is 1 for each sample: rates per second are those
    /// of the tool, and sums and durations count samples.
    pub has_intervals: bool,
}

impl Timing {
    /// Of rows that are in their order, and nothing else.
    pub const UNKNOWN: Timing = Timing { time: TimeSource::Unknown, has_intervals: true };

    /// Whether everything is as it was recorded.
    pub fn is_recorded(&self) -> bool {
        *self == Timing::default()
    }
}

impl Default for Timing {
    fn default() -> Timing {
        Timing { time: TimeSource::Recorded, has_intervals: true }
    }
}
