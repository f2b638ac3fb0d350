//! Profiles, counters of the processor, traces.

pub mod counters;
pub mod folded;
pub mod perf_script;
pub mod profile;
pub mod stack_counts;
pub mod stack_meaning;
pub mod systemtap;
