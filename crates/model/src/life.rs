//! One process over a window: what it did, what it waited for, who woke it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture::Span;
use crate::class::Class;
use crate::examination::ErrorNote;
use crate::frame::Frame;
use crate::view::{SeenProcess, SeenTask};

/// One process over a window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Life {
    /// The window.
    pub span: Span,
    /// The process.
    pub process: SeenProcess,
    /// Its threads, those with most running and waiting first.
    pub threads: Vec<SeenTask>,
    /// Its time by class, CPU, memory and I/O over the window; what was not recorded is left out.
    pub frames: Vec<Frame>,
    /// What it waited for, most first.
    pub waited_for: Vec<WaitedFor>,
    /// Who ended its waits, most first; empty where that was not recorded.
    pub woken_by: Vec<WokenBy>,
    /// Errors while reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorNote>,
}

/// Something that a process waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitedFor {
    /// Class of time.
    pub class: Class,
    /// device, inode, futex, peer or lock.
    pub object_kind: Option<String>,
    /// The object: a device, a path, an address, a function.
    pub object: Option<String>,
    /// Block device of the object.
    pub device: Option<String>,
    /// Wait time.
    pub seconds: f64,
    /// Waits that ended in the window; null where they were not counted.
    pub waits: Option<i64>,
    /// The stack with most of this time, where stacks were recorded.
    pub stack: Option<WaitStack>,
}

/// Where in the code a process waited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitStack {
    /// System call.
    pub syscall: Option<String>,
    /// Functions of the kernel, outermost first, separated by semicolons.
    pub kernel_stack: Option<String>,
    /// Functions of the program, outermost first, separated by semicolons.
    pub user_stack: Option<String>,
}

/// Who ended waits of a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WokenBy {
    /// Process id.
    pub pid: Option<i64>,
    /// Name of the thread.
    pub name: Option<String>,
    /// Length of the waits that it ended, of those with a stack.
    pub seconds: f64,
}
