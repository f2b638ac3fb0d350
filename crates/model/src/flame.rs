//! Stacks with their amounts, as a flame graph draws them, and what is missing in them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stacks of one kind of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Flame {
    /// What the amounts count.
    pub unit: FlameUnit,
    /// The stacks, largest first.
    pub stacks: Vec<FlameStack>,
    /// What is missing.
    pub gaps: FlameGaps,
}

/// What amounts of stacks count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlameUnit {
    /// Seconds of tasks.
    #[default]
    Seconds,
    /// Samples of a profiler without a time.
    Samples,
    /// Threads of a dump.
    Threads,
    /// Shares of all samples.
    Share,
    /// System calls.
    Calls,
}

/// One stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlameStack {
    /// Name of the process, or of the thread where the source has no other.
    pub program: Option<String>,
    /// Class of time.
    pub class: Option<String>,
    /// System call.
    pub syscall: Option<String>,
    /// Functions of the program, outermost first, separated by semicolons.
    pub user_stack: Option<String>,
    /// Functions of the kernel, outermost first, separated by semicolons.
    pub kernel_stack: Option<String>,
    /// Object of the wait.
    pub object: Option<String>,
    /// Name of the thread that ended the wait.
    pub waker: Option<String>,
    /// Amount.
    pub amount: f64,
}

/// What the stacks do not show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlameGaps {
    /// Why there are no stacks, and what supplies them.
    pub missing: Option<String>,
    /// Only functions without callers were recorded.
    pub functions_only: bool,
    /// The source does not say what it sampled: it is taken to be CPUs.
    pub unknown_event: bool,
    /// Stacks were recorded once a minute.
    pub by_the_minute: bool,
    /// Frames that are kept of a stack; a deeper one lost its outermost.
    pub most_frames: Option<usize>,
    /// Samples without a time, beside others that have one.
    pub untimed_samples: i64,
    /// Samples of events that are not this time.
    pub other_events: Vec<FlameEvent>,
    /// Idle amount that was left out.
    pub idle: f64,
    /// Errors that cost stacks or names.
    pub errors: Vec<String>,
}

/// Samples of an event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlameEvent {
    /// Name of the event.
    pub event: String,
    /// Number of samples.
    pub samples: i64,
}
