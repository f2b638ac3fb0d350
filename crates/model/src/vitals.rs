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
    /// Share of memory in use, 0 to 1: 1 - available / total.
    pub memory_used: Option<f64>,
    /// The disk that tasks waited for most, else the busiest.
    pub disk: Option<DiskVitals>,
    /// The interface with most traffic.
    pub network: Option<NetworkVitals>,
    /// Shares of the window in which at least one task was stalled (PSI some).
    pub pressure: PressureVitals,
    /// The database of an imported report; of several, the one with most DB time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseVitals>,
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
    /// Bytes received and sent, per second.
    pub bytes_per_s: f64,
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
