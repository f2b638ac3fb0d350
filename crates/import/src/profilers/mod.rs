//! Profiles, counters of the processor, traces.

pub mod counters;
pub mod folded;
pub mod goroutines;
pub mod java_deadlock;
pub mod jstack;
pub mod perf_report;
pub mod perf_script;
pub mod pmp;
pub mod profile;
pub mod profile_row;
pub mod py_spy;
pub mod stack_counts;
pub mod stack_meaning;
pub mod strace;
pub mod systemtap;
pub mod thread_rows;
pub mod thread_stacks;
