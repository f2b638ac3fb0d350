//! Breakdown of one kind of time by program, by object and stack, and over the window.
//!
//! This is the public JSON, schema `heldup/breakdown/1`: fields may be added, none renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class::{Class, Group};
use crate::examination::{ErrorNote, Overhead};
use crate::flame::Flame;

/// The value of `schema`.
pub const BREAKDOWN_SCHEMA: &str = "heldup/breakdown/1";

/// The kind of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BreakdownKind {
    /// Time on CPUs, in the run queue, and throttled.
    Cpu,
    /// All waiting of tasks.
    Wait,
    /// Waits for disks, swap and remote file systems.
    Io,
    /// Waits for locks of programs and of the kernel.
    Lock,
    /// System calls, by count; no times.
    Calls,
    /// Waits for reclaim, and for pages of files and swap.
    Memory,
}

impl BreakdownKind {
    /// Title for people.
    pub const fn title(self) -> &'static str {
        match self {
            BreakdownKind::Cpu => "time on CPUs and in the run queue",
            BreakdownKind::Wait => "wait time of all tasks",
            BreakdownKind::Io => "waits for disks and remote file systems",
            BreakdownKind::Lock => "waits for locks",
            BreakdownKind::Memory => "waits for memory",
            BreakdownKind::Calls => "system calls",
        }
    }

    /// Its name in a sentence: stacks of what.
    pub const fn word(self) -> &'static str {
        match self {
            BreakdownKind::Cpu => "CPU time",
            BreakdownKind::Wait => "waits",
            BreakdownKind::Io => "I/O waits",
            BreakdownKind::Lock => "lock waits",
            BreakdownKind::Memory => "memory waits",
            BreakdownKind::Calls => "system calls",
        }
    }

    /// The unit of its amounts.
    pub const fn unit(self) -> &'static str {
        match self {
            BreakdownKind::Calls => "calls",
            _ => "seconds",
        }
    }

    /// Whether a class of time is of this kind. System calls are of none.
    pub fn has(self, class: Class) -> bool {
        match self {
            BreakdownKind::Cpu => {
                matches!(class, Class::User | Class::Kernel | Class::CpuQueue | Class::CpuThrottled)
            }
            BreakdownKind::Wait => class.group() == Group::Waiting,
            BreakdownKind::Io => matches!(
                class,
                Class::DiskRead
                    | Class::DiskWrite
                    | Class::DiskSync
                    | Class::DiskFault
                    | Class::DiskAsync
                    | Class::DiskThrottle
                    | Class::MemSwapIn
                    | Class::MemDirty
                    | Class::RemoteFs
            ),
            BreakdownKind::Lock => matches!(
                class,
                Class::LockUser | Class::LockKernel | Class::LockInode | Class::LockMmap | Class::LockFile
            ),
            BreakdownKind::Memory => {
                matches!(class, Class::MemReclaim | Class::MemSwapIn | Class::MemDirty | Class::DiskFault)
            }
            BreakdownKind::Calls => false,
        }
    }
}

/// One kind of time, broken down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Breakdown {
    /// Name of this schema.
    #[schemars(extend("const" = BREAKDOWN_SCHEMA))]
    pub schema: String,
    /// The kind of time.
    pub kind: BreakdownKind,
    /// The source: `this machine`, or its name as given.
    pub source: String,
    /// Host name.
    pub host: String,
    /// What alone it is of, as given: `unit:nginx.service`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// Start, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub from: String,
    /// End, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub to: String,
    /// Recorded seconds; 0 if the source does not say how long it lasted.
    #[serde(default)]
    pub length_s: f64,
    /// Classes of this kind that were not measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_measured: Vec<String>,
    /// Unit of the amounts: `seconds` of tasks, or `calls`.
    pub unit: String,
    /// By program, largest first.
    pub programs: Vec<BreakdownProgram>,
    /// By object and kernel stack, largest first; empty without stacks.
    pub places: Vec<BreakdownPlace>,
    /// Parts of the window, in order, each with its largest entry.
    pub parts: Vec<BreakdownPart>,
    /// Stacks with their amounts, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<BreakdownStack>,
    /// Stacks for a flame graph, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flame: Option<Flame>,
    /// Errors.
    pub errors: Vec<ErrorNote>,
    /// Overhead of the measurement, if one was made.
    pub overhead: Option<Overhead>,
}

/// A program's amount of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownProgram {
    /// Seconds or calls.
    pub amount: f64,
    /// Name of its processes.
    pub program: Option<String>,
    /// Number of processes; none if unknown.
    pub processes: Option<i64>,
    /// Class of time; for calls the call, and its error.
    pub class: String,
    /// Number of waits; none for calls.
    pub waits: Option<i64>,
}

/// A program's time at one kernel stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownPlace {
    /// Seconds.
    pub amount: f64,
    /// Class of time.
    pub class: String,
    /// Name of the process.
    pub program: Option<String>,
    /// The system call.
    pub syscall: Option<String>,
    /// Object of the wait.
    pub object: Option<String>,
    /// Waker.
    pub waker: Option<String>,
    /// Kernel functions, outermost first.
    pub kernel_stack: Option<String>,
}

/// A part of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownPart {
    /// Start, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub from: String,
    /// End, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub to: String,
    /// Seconds or calls of all.
    pub amount: f64,
    /// The program with the largest amount.
    pub top_program: Option<String>,
    /// Its class.
    pub top_class: String,
    /// Its amount.
    pub top_amount: f64,
}

/// A stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownStack {
    /// Program, class, functions of the program and of the kernel, outermost first, with `;` between.
    pub frames: String,
    /// Microseconds; for calls their number.
    pub value: i64,
}
