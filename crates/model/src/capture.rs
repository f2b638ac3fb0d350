//! A capture: tables of one host over one span of time, wherever they came from.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class::Class;

/// How time was accounted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Every switch seen by eBPF.
    Ebpf,
    /// The kernel's own delay accounting.
    Delays,
    /// Samples of `/proc`.
    Sampling,
    /// Recorded by another tool.
    Imported,
}

impl Method {
    /// Whether this account can tell a class of time apart at all. What it cannot tell is
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

/// From when to when, milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Something that a source could not supply, why, and what would supply it.
///
/// Absence is data: it is not an error, and rules that need the thing answer
/// *could not be checked* with this text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Table, or `table.column`.
    pub what: String,
    /// Why it is not there.
    pub why: String,
    /// What would supply it.
    pub how: String,
}

/// Something that went wrong while reading; the rest was still read.
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
    /// How time was accounted for.
    pub method: Method,
    /// Share of the span's task time that was seen, 0 to 1.
    pub coverage: f64,
    /// Classes that this account could not tell apart here of most threads, beside those that
    /// its method never can: the rights for it were lacking. What it tells of the others holds.
    pub untold: Vec<Class>,
    /// Batches by table name, oldest first.
    pub tables: BTreeMap<String, Vec<RecordBatch>>,
    /// What was not there to be read.
    pub missing: Vec<Missing>,
    /// What went wrong.
    pub flaws: Vec<Flaw>,
}

impl Capture {
    /// How long was looked, by the monotonic clock, as `host` says it, seconds; the length of the span
    /// where it does not. Rates are per second of it: in a window of an archive there may be gaps, and the
    /// clock may have been set.
    pub fn secs(&self) -> f64 {
        let host = self.tables.get("host").into_iter().flatten();
        let lengths =
            host.filter_map(|batch| batch.column_by_name("window_s")?.as_primitive_opt::<Float64Type>());
        let said = lengths.flat_map(|lengths| lengths.iter().flatten()).filter(|secs| *secs > 0.0);
        said.reduce(f64::max).unwrap_or_else(|| self.span.secs())
    }
}
