//! What somebody sees of a window: the examination, and who is there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture::Span;
use crate::class::Class;
use crate::examination::{BriefFinding, ErrorNote, Examination};
use crate::frame::FrameStep;
use crate::vitals::Vitals;

/// A window of a machine, as a terminal view or a page shows it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The window.
    pub span: Span,
    /// What is wrong, and where time went.
    pub examination: Examination,
    /// Threads with time in the window, and processes without any.
    pub tasks: Vec<SeenTask>,
    /// Processes.
    pub processes: Vec<SeenProcess>,
}

/// A thread's time in a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeenTask {
    /// Thread id.
    pub tid: i64,
    /// Process id.
    pub pid: Option<i64>,
    /// Its name.
    pub name: String,
    /// Seconds by class, in the order of the classes; none of zero.
    pub times: Vec<(Class, f64)>,
}

/// A process in a window. What was not measured is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeenProcess {
    /// Process id.
    pub pid: i64,
    /// Name of its first thread.
    pub name: String,
    /// Command line.
    pub command: Option<String>,
    /// Process id of its parent.
    pub parent: Option<i64>,
    /// User id.
    pub uid: Option<i64>,
    /// State of its first thread, one letter.
    pub state: Option<String>,
    /// A thread of the kernel.
    pub is_kernel: bool,
    /// Control group.
    pub cgroup: Option<String>,
    /// systemd unit.
    pub unit: Option<String>,
    /// Container.
    pub container: Option<String>,
    /// Nice value.
    pub nice: Option<i64>,
    /// Number of threads.
    pub threads: Option<i64>,
    /// Start, milliseconds since 1970-01-01 UTC.
    pub start_ms: Option<i64>,
    /// It ended in the window.
    pub ended: bool,
    /// CPU time, seconds.
    pub cpu_s: Option<f64>,
    /// Resident memory at the end.
    pub resident_bytes: Option<i64>,
    /// Growth of its own memory.
    pub growth_bytes: Option<i64>,
    /// Memory that is swapped out.
    pub swap_bytes: Option<i64>,
    /// Page faults that read a device.
    pub major_faults: Option<i64>,
    /// Bytes that its own threads read from block devices.
    pub read_bytes: Option<i64>,
    /// Bytes that its own threads wrote to block devices.
    pub write_bytes: Option<i64>,
}

/// Something found in a part of a longer time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// Where it was looked for.
    pub span: Span,
    /// Ids and titles of what was found, worst first; empty where nobody waited without a cause.
    pub findings: Vec<BriefFinding>,
}

/// Who is there in a window of any length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Who {
    /// The window.
    pub span: Span,
    /// Threads with time in the window.
    pub tasks: Vec<SeenTask>,
    /// Processes.
    pub processes: Vec<SeenProcess>,
    /// Processes that are known by name only: a long window has those together that began and ended within a minute and
    /// ran little.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub short_lived: Vec<ShortLived>,
    /// Time of the processes that waited or ran most, step by step, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_time: Option<WhoOverTime>,
    /// Errors while reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorNote>,
}

/// Processes of one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShortLived {
    /// Name of their first thread.
    pub name: String,
    /// Threads of the kernel.
    pub is_kernel: bool,
    /// systemd unit, where it is the same of all.
    pub unit: Option<String>,
    /// Container, where it is the same of all.
    pub container: Option<String>,
    /// How many, where that was counted.
    pub processes: Option<i64>,
    /// Seconds by class, in the order of the classes; none of zero.
    pub times: Vec<(Class, f64)>,
}

/// Time of some processes, step by step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhoOverTime {
    /// The steps, in order.
    pub steps: Vec<FrameStep>,
    /// The processes, those with most running and waiting first.
    pub processes: Vec<ProcessOverTime>,
}

/// Time of one process, step by step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessOverTime {
    /// Process id.
    pub pid: i64,
    /// Its classes that are not idle, in the order of the classes.
    pub classes: Vec<ClassOverTime>,
}

/// A class of time, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassOverTime {
    /// The class.
    pub class: Class,
    /// Tasks in it, on average; null where nothing was recorded.
    pub tasks: Vec<Option<f64>>,
}

/// A machine now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Now {
    /// What the vital signs are of: the last samples.
    pub span: Span,
    /// Its vital signs.
    pub vitals: Vitals,
}
