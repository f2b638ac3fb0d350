//! One kind of time of a window, by program, by what it was spent on, and over the time of the window.
//!
//! This is the public JSON, schema `heldup/breakdown/1`: fields may be added, none renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class::{Class, Group};
use crate::examination::{ErrorNote, Overhead};

/// The value of `schema`.
pub const BREAKDOWN_SCHEMA: &str = "heldup/breakdown/1";

/// Which time is broken down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BreakdownKind {
    /// Time on CPUs, in their queue, and throttled.
    Cpu,
    /// All time that tasks were held up.
    Wait,
    /// Waits for disks, swap and remote file systems.
    Io,
    /// Waits for locks, of programs and of the kernel.
    Lock,
    /// System calls, by how many; no times.
    Calls,
    /// Waits for memory to be freed, and for pages of files and swap.
    Memory,
}

impl BreakdownKind {
    /// What it is about.
    pub const fn title(self) -> &'static str {
        match self {
            BreakdownKind::Cpu => "time on CPUs and in their queue",
            BreakdownKind::Wait => "all time that tasks were held up",
            BreakdownKind::Io => "waits for disks and remote file systems",
            BreakdownKind::Lock => "waits for locks",
            BreakdownKind::Memory => "waits for memory",
            BreakdownKind::Calls => "system calls",
        }
    }

    /// What its amounts are.
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
    /// Which time.
    pub kind: BreakdownKind,
    /// Where it is from: `this machine`, or as it was named.
    pub source: String,
    /// Host name.
    pub host: String,
    /// Start, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub from: String,
    /// End, RFC 3339.
    #[schemars(extend("format" = "date-time"))]
    pub to: String,
    /// What amounts are: `seconds` of tasks, or `calls`.
    pub unit: String,
    /// Whose it was, the most first.
    pub programs: Vec<BreakdownProgram>,
    /// On what, and where in the kernel, the most first; empty where no stacks were taken.
    pub places: Vec<BreakdownPlace>,
    /// Parts of the window, in order, each with what was most in it.
    pub parts: Vec<BreakdownPart>,
    /// Stacks with what went into them, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<BreakdownStack>,
    /// What went wrong.
    pub errors: Vec<ErrorNote>,
    /// What looking cost, where somebody looked.
    pub overhead: Option<Overhead>,
}

/// What a program had of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownProgram {
    /// Seconds or calls.
    pub amount: f64,
    /// Name of its processes.
    pub program: Option<String>,
    /// How many processes; none where that is not known.
    pub processes: Option<i64>,
    /// Class of time; of calls the call, and the error it ended with.
    pub class: String,
    /// How many waits; none of calls.
    pub waits: Option<i64>,
}

/// What a program had at one place of the kernel.
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
    /// What was waited for.
    pub object: Option<String>,
    /// Who ended the wait.
    pub waker: Option<String>,
    /// Functions of the kernel, outermost first.
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
    /// The program that had most of it.
    pub most_program: Option<String>,
    /// In which class.
    pub most_class: String,
    /// How much.
    pub most: f64,
}

/// A stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakdownStack {
    /// Program, class, functions of the program and of the kernel, outermost first, with `;` between.
    pub frames: String,
    /// Microseconds; of calls how many.
    pub value: i64,
}
