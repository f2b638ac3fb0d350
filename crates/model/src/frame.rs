//! A figure's data, reduced to the width that it is drawn at. Whoever draws it decides nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::class::Class;

/// One chart: of a machine, or of one thing on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// Id of the figure.
    pub id: String,
    /// What it is of, where a figure is drawn for each of many things: a device, an interface.
    pub subject: Option<String>,
    /// Title, without the subject.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// How it is drawn.
    pub kind: FrameKind,
    /// Unit of the values, as in evidence of findings: s, bytes/s, ratio, /s.
    pub unit: String,
    /// Scale of the values.
    pub scale: Scale,
    /// Start of the window, milliseconds since 1970-01-01 UTC.
    pub since_ms: i64,
    /// End of the window.
    pub until_ms: i64,
    /// The steps of time, in order; none where the values are of the whole window.
    pub steps: Vec<FrameStep>,
    /// What is drawn, in the order in which it is drawn.
    pub series: Vec<FrameSeries>,
    /// Of a stack whose steps have several samples: the greatest totals of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peaks: Option<StackPeaks>,
    /// A line that the values are held against.
    pub limit: Option<FrameLimit>,
    /// A query that answers the same from the same source.
    pub sql: String,
}

/// The greatest total of one sample in each step of a stack. It is not the sum of the greatest values, which may be of
/// different samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackPeaks {
    /// Of what stands above the line.
    pub above: Vec<Option<f64>>,
    /// Of what hangs below it.
    pub below: Vec<Option<f64>>,
}

/// How a frame is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// A line for each series, with its least and greatest values as a band.
    Lines,
    /// Series on top of each other; those that wait hang below the line.
    Stack,
    /// A row for each series, a shade for each value.
    Heat,
    /// One bar for each series, of the whole window.
    Bars,
}

/// Scale of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Linear, from zero.
    #[default]
    Linear,
    /// Logarithmic; for waits.
    Log,
}

/// One step of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrameStep {
    /// Start, milliseconds since 1970-01-01 UTC.
    pub since_ms: i64,
    /// End.
    pub until_ms: i64,
}

/// One series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameSeries {
    /// Name, as it stands beside it.
    pub name: String,
    /// A letter for it where there are only cells; no other series of the frame has it.
    pub letter: char,
    /// Its colour.
    pub colour: Colour,
    /// Whether it hangs below the line; of a stack only.
    pub below: bool,
    /// Bounds of the values that a row of a heat map counts; no upper one for the last row.
    pub bounds: Option<(f64, Option<f64>)>,
    /// Mean of each step; null where nothing was measured.
    pub mean: Vec<Option<f64>>,
    /// Least value of a sample in each step.
    pub least: Vec<Option<f64>>,
    /// Greatest value of a sample in each step.
    pub greatest: Vec<Option<f64>>,
    /// Over the whole window.
    pub summary: Summary,
}

/// A series over the whole window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Mean: total over total, never a mean of means. Null where nothing was measured.
    pub mean: Option<f64>,
    /// Least value of a sample.
    pub least: Option<f64>,
    /// Greatest value of a sample.
    pub greatest: Option<f64>,
    /// When the greatest was measured: the end of its sample.
    pub greatest_ms: Option<i64>,
    /// Sum over the window, of what adds up.
    pub total: Option<f64>,
}

/// A line that the values are held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameLimit {
    /// Its name: CPUs, total.
    pub name: String,
    /// Its value, in the frame's unit.
    pub value: f64,
}

/// What a colour stands for: a resource. What is of the same resource differs in lightness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Colour {
    /// The resource.
    pub role: Role,
    /// Step of lightness, from 0.
    pub step: u8,
}

/// A resource, or why there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// CPUs, running.
    Cpu,
    /// Waiting for a CPU.
    Queue,
    /// Block devices.
    Disk,
    /// Memory.
    Memory,
    /// Locks.
    Lock,
    /// Other machines, and the way to them.
    Remote,
    /// No work.
    Idle,
    /// Unknown, and what is left over.
    #[default]
    Unknown,
}

impl Role {
    /// All, in the order in which they are documented.
    pub const ALL: [Role; 8] = [
        Role::Cpu,
        Role::Queue,
        Role::Disk,
        Role::Memory,
        Role::Lock,
        Role::Remote,
        Role::Idle,
        Role::Unknown,
    ];

    /// How many steps of lightness it has.
    pub const fn steps(self) -> u8 {
        match self {
            Role::Cpu | Role::Memory => 3,
            Role::Queue | Role::Remote => 2,
            Role::Disk | Role::Lock => 6,
            Role::Idle => 1,
            Role::Unknown => 2,
        }
    }
}

impl Colour {
    /// The first step of a resource.
    pub const fn of(role: Role) -> Colour {
        Colour { role, step: 0 }
    }

    /// What is left over.
    pub const OTHERS: Colour = Colour { role: Role::Unknown, step: 1 };

    /// The colour of a class of time.
    pub const fn of_class(class: Class) -> Colour {
        let (role, step) = match class {
            Class::User => (Role::Cpu, 0),
            Class::Kernel => (Role::Cpu, 1),
            Class::Irq => (Role::Cpu, 2),
            Class::CpuQueue => (Role::Queue, 0),
            Class::CpuThrottled => (Role::Queue, 1),
            Class::DiskSync => (Role::Disk, 0),
            Class::DiskRead => (Role::Disk, 1),
            Class::DiskWrite => (Role::Disk, 2),
            Class::DiskFault => (Role::Disk, 3),
            Class::DiskAsync => (Role::Disk, 4),
            Class::DiskThrottle => (Role::Disk, 5),
            Class::MemReclaim => (Role::Memory, 0),
            Class::MemSwapIn => (Role::Memory, 1),
            Class::MemDirty => (Role::Memory, 2),
            Class::LockUser => (Role::Lock, 0),
            Class::LockKernel => (Role::Lock, 1),
            Class::LockInode => (Role::Lock, 2),
            Class::LockMmap => (Role::Lock, 3),
            Class::LockFile => (Role::Lock, 4),
            Class::KernelWait => (Role::Lock, 5),
            Class::RemoteFs => (Role::Remote, 0),
            Class::Peer => (Role::Remote, 1),
            Class::Timer | Class::Poll | Class::Accept | Class::Read | Class::Child | Class::Park => {
                (Role::Idle, 0)
            }
            Class::Stopped | Class::Unknown => (Role::Unknown, 0),
        };
        Colour { role, step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_active_time_have_a_colour_of_their_own() {
        let active = Class::ALL.into_iter().filter(|class| Colour::of_class(*class).role != Role::Idle);
        let mut seen = std::collections::HashMap::new();
        for class in active.filter(|class| !matches!(class, Class::Stopped | Class::Unknown)) {
            let colour = Colour::of_class(class);
            assert!(colour.step < colour.role.steps(), "{class:?}");
            assert_eq!(seen.insert(colour, class), None, "{class:?}");
        }
    }
}
