//! A capture: tables of one host over one span of time, from any source.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::timing::Timing;

/// Method of time accounting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Every context switch, by eBPF.
    Ebpf,
    /// The kernel's own delay accounting.
    Delays,
    /// Samples of `/proc`.
    Sampling,
    /// Recorded by another tool.
    #[default]
    Imported,
}

impl Method {
    /// Whether this method can distinguish a class of time at all. What it cannot distinguish is
    /// not zero: it is somewhere in `unknown`.
    pub const fn tells(self, class: Class) -> bool {
        match self {
            // Waits for disks and swap where the kernel counts delays: else a capture says that they
            // are untold.
            Method::Delays => matches!(
                class,
                Class::User
                    | Class::Kernel
                    | Class::CpuQueue
                    | Class::DiskRead
                    | Class::DiskWrite
                    | Class::MemSwapIn
            ),
            // Neither the quota of a group nor whose request a socket carries shows in /proc.
            Method::Sampling => !matches!(class, Class::Irq | Class::CpuThrottled | Class::Peer),
            Method::Ebpf | Method::Imported => true,
        }
    }

    /// The public name.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Ebpf => "ebpf",
            Method::Delays => "delays",
            Method::Sampling => "sampling",
            Method::Imported => "imported",
        }
    }
}

/// A span of time, milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// Start.
    pub since_ms: i64,
    /// End.
    pub until_ms: i64,
}

impl Span {
    /// Length in seconds.
    pub fn secs(self) -> f64 {
        (self.until_ms - self.since_ms) as f64 / 1000.0
    }
}

/// Data that a source could not supply, the reason, and what would supply it.
///
/// Missing data is not an error; rules that need it answer
/// *not checked* with this text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Table, or `table.column`.
    pub what: String,
    /// Reason.
    pub why: String,
    /// What would supply it.
    pub how: String,
}

/// An error while reading; the rest was still read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flaw {
    /// File (with line where it has lines) or `table.column`.
    pub place: String,
    /// What was found and what was expected.
    pub what: String,
}

/// Tables of one host over one span of time.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Host name.
    pub host: String,
    /// The span that the rows cover.
    pub span: Span,
    /// Method of time accounting.
    pub method: Method,
    /// Share of the span's task time that was measured, 0 to 1.
    pub coverage: f64,
    /// Classes that could not be measured here for most threads, in addition to those that
    /// the method never can, for lack of permission. Values of other threads are right.
    pub untold: Vec<Class>,
    /// What is known of its times.
    pub timing: Timing,
    /// Batches by table name, oldest first.
    pub tables: BTreeMap<String, Vec<RecordBatch>>,
    /// Data that is missing.
    pub missing: Vec<Missing>,
    /// Errors.
    pub flaws: Vec<Flaw>,
}

impl Capture {
    /// Recorded time by the monotonic clock, from `host`, seconds; the length of the span
    /// without it. Rates are per second of it: a window of an archive may have gaps, and the
    /// clock may have been set.
    pub fn secs(&self) -> f64 {
        let host = self.tables.get("host").into_iter().flatten();
        let lengths =
            host.filter_map(|batch| batch.column_by_name("window_s")?.as_primitive_opt::<Float64Type>());
        let said = lengths.flat_map(|lengths| lengths.iter().flatten()).filter(|secs| *secs > 0.0);
        said.reduce(f64::max).unwrap_or_else(|| self.span.secs())
    }
}
