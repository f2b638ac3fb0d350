//! A machine's vital signs over a window: one number for each resource, as the first screen prints them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Means over the window. What was not measured is null and is not printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Vitals {
    /// Share of all CPUs' time that they were busy, 0 to 1.
    pub cpu_busy: Option<f64>,
    /// Tasks in the run queue, on average; running tasks are not counted.
    pub queue: Option<f64>,
    /// Tasks running or in the run queue, on average, where a recording counts both together.
    pub runnable: Option<f64>,
    /// Tasks in uninterruptible wait (state D), on average, of a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<f64>,
    /// Load averages of a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadVitals>,
    /// Share of memory in use, 0 to 1: 1 - available / total.
    pub memory_used: Option<f64>,
    /// Share of swap in use, 0 to 1, of a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_used: Option<f64>,
    /// The process of a recording that holds most memory, from a quarter of it on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<LargestProcess>,
    /// The disk that tasks waited for most, else the busiest.
    pub disk: Option<DiskVitals>,
    /// The interface with most traffic.
    pub network: Option<NetworkVitals>,
    /// Shares of the window in which at least one task was stalled (PSI some).
    pub pressure: PressureVitals,
    /// The database of an imported report; of several, the one with most DB time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseVitals>,
    /// The CPU profile of a recording (perf, opreport, folded stacks).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileVitals>,
    /// What the threads of dumps (gdb, jstack) wait for, or a profile of time off CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitVitals>,
}

/// Waits of threads that somebody saw at moments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitVitals {
    /// threads (dumps of all threads), off-cpu (folded stacks) or the event (sched:sched_switch).
    pub what: String,
    /// Dumps; 1 for a profile.
    pub dumps: i64,
    /// Samples of all groups: threads times dumps, or samples of a profile.
    pub samples: i64,
    /// Threads with the same class of wait and place, the largest first.
    pub groups: Vec<WaitGroup>,
}

/// One group of threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitGroup {
    /// Class of time, or runnable.
    pub class_name: String,
    /// The function that waits, or the lock; null if unknown.
    pub place: Option<String>,
    /// Samples of the group.
    pub samples: i64,
}

/// A profile: where its samples are. Shares are of the samples without idle CPUs, by period where the recording has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileVitals {
    /// The sampled event: cpu (time on a CPU) or another event; null if the recording does not name it.
    pub sampled: Option<String>,
    /// Samples, those of idle CPUs included; null if the recording has shares only.
    pub samples: Option<i64>,
    /// Share of all samples that a list of functions has; null where stacks were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_share: Option<f64>,
    /// Share of all samples in which a CPU was idle.
    pub idle_share: Option<f64>,
    /// Programs with most samples, the first ones.
    pub programs: Vec<ProgramSamples>,
    /// Number of programs.
    pub program_count: i64,
    /// Functions with most samples, the first ones.
    pub functions: Vec<FunctionSamples>,
    /// Other events of the recording, with their samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<EventSamples>,
}

/// One program of a profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramSamples {
    /// Its name.
    pub program: String,
    /// Share of the samples, 0 to 1.
    pub share: f64,
}

/// One function of a profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionSamples {
    /// Its program; null if the recording has no programs.
    pub program: Option<String>,
    /// Its name, as the profiler has it.
    pub function: String,
    /// Share of the samples in the function itself, 0 to 1; null if the list has only shares with callees.
    pub self_share: Option<f64>,
    /// Share with all that it calls.
    pub inclusive_share: f64,
    /// Its kind of code, by general knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Samples of an event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventSamples {
    /// Its name, as the profiler has it.
    pub event: String,
    /// Samples; null if the recording has shares only.
    pub samples: Option<i64>,
}

/// One database, over the intervals of its reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseVitals {
    /// Instance, if there are several.
    pub instance: Option<String>,
    /// DB time: time of sessions in calls, running or waiting, in seconds; null before Oracle 10g.
    pub db_time_s: Option<f64>,
    /// DB CPU: CPU time of sessions, in seconds.
    pub db_cpu_s: Option<f64>,
    /// Average active sessions: DB time per second.
    pub average_active_sessions: Option<f64>,
    /// CPUs of the database's machine.
    pub cpus: Option<f64>,
    /// Wait events with most time, the largest first.
    pub events: Vec<EventShare>,
}

/// One wait event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventShare {
    /// Name of the event, as the database names it.
    pub event: String,
    /// Share of DB time, 0 to 1; before Oracle 10g, share of the time of all events.
    pub share: f64,
}

/// Load averages: running and uninterruptible tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadVitals {
    /// Of one minute; of several samples their mean.
    pub one: f64,
    /// Of five minutes, in the last sample.
    pub five: Option<f64>,
    /// Of fifteen minutes, in the last sample.
    pub fifteen: Option<f64>,
    /// The largest of one minute, of several samples.
    pub most: Option<f64>,
}

/// Who holds most memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LargestProcess {
    /// Name of the program.
    pub name: String,
    /// Process id.
    pub pid: Option<i64>,
    /// Resident memory, shared memory included.
    pub resident_bytes: f64,
    /// Share of the machine's memory, 0 to 1.
    pub share: f64,
}

/// One disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskVitals {
    /// Kernel name.
    pub device: String,
    /// Mean time of a request, queueing included, in seconds; null where none completed.
    pub latency_s: Option<f64>,
    /// Mean queue depth: requests in flight.
    pub depth: Option<f64>,
}

/// One network interface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkVitals {
    /// Its name.
    pub interface: String,
    /// Bytes received and sent, per second; 0 where only packets were counted.
    pub bytes_per_s: f64,
    /// Packets received and sent, per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets_per_s: Option<f64>,
}

/// Pressure stall information, share of the window with at least one task stalled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PressureVitals {
    /// For a CPU.
    pub cpu: Option<f64>,
    /// For I/O.
    pub io: Option<f64>,
    /// For memory.
    pub memory: Option<f64>,
}
