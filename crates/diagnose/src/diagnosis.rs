//! What is asked of the rules, and what they answer.

use std::collections::BTreeMap;

use heldup_model::{CommandSummary, CpuUse, ErrorNote, Finding, Ledger, NotChecked, RuledOut, Vitals};

use crate::focus::Focus;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// heldup's own process, which is left out of the ledger and of every rule.
    pub own_pid: Option<i64>,
    /// Look only at this.
    pub focus: Option<Focus>,
    /// CPU time of the calling thread in nanoseconds, to time each rule; the caller has
    /// the only door to clocks.
    pub clock: Option<fn() -> u64>,
}

/// What is known of the host itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// Release of its kernel.
    pub kernel: Option<String>,
    /// Its distribution.
    pub os: Option<String>,
    /// CPUs that are online.
    pub cpus: Option<i64>,
    /// Its memory.
    pub memory_bytes: Option<i64>,
}

/// What was answered.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// What is known of the host.
    pub host: HostFacts,
    /// Where the time of user tasks went, and that of kernel threads.
    pub ledger: Ledger,
    /// What the CPUs did, of a recording that knows no waits.
    pub cpu_use: Option<CpuUse>,
    /// The command that was run, if one was.
    pub command: Option<CommandSummary>,
    /// Findings in rank order, those that concern the command first.
    pub findings: Vec<Finding>,
    /// Rules that were ruled out.
    pub ruled_out: Vec<RuledOut>,
    /// Rules that were not checked.
    pub not_checked: Vec<NotChecked>,
    /// Rules that failed, and what else went wrong.
    pub errors: Vec<ErrorNote>,
    /// What each rule cost.
    pub rule_costs: Vec<RuleCost>,
    /// Further measurements of each finding, by its key.
    pub measured: BTreeMap<String, Measured>,
    /// The machine's vital signs.
    pub vitals: Vitals,
}

/// Measurements of a finding's harm, in addition to its amount and cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// A tenth more or less would change its severity.
    pub is_near_a_step: bool,
    /// What part of the cost is felt, 0 to 1.
    pub weight: f64,
    /// Seconds that it lasted.
    pub lasting_s: f64,
    /// Length of the window, in seconds.
    pub window_s: f64,
}

/// What one rule cost.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleCost {
    /// Rule.
    pub id: String,
    /// CPU time in seconds; zero without a clock.
    pub cpu_s: f64,
}
