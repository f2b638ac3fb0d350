//! eBPF programs and their user half: the ledger, profiles, symbols.
//!
//! The programs are C (`bpf/*.bpf.c`), built once and committed as objects, so
//! that a build needs no clang. They only count; what a wait means, which class
//! wins and how rows look is decided here, where it can be tested. Nothing in
//! this crate judges: it hands rows of `task_time`, `cpu_time`, `thread` and
//! `stack` to whoever collects a capture.

mod block_latency;
mod call_budget;
mod call_family;
mod calls;
mod capability;
mod capability_files;
mod capability_methods;
mod capability_programs;
mod counter;
mod elf_functions;
mod error;
mod failed_calls;
mod iterator;
mod kernel_counters;
mod kernel_symbols;
mod kernel_types;
mod ledger;
mod loader;
mod map_drain;
mod memory_event;
mod needed_types;
mod net_drop;
mod objects;
mod overhead;
mod pid_namespace;
mod pmu;
mod profile;
mod sampling;
mod syscall_names;
mod task_cgroup;
mod user_symbols;

pub use capability::capabilities;
pub use capability_programs::KERNEL as KERNEL_NEEDED;
pub use error::ProbeError;
pub use kernel_counters::{CountedRows, KernelCounters};
pub use kernel_symbols::{KernelSymbols, UNKNOWN_FUNCTION};
pub use ledger::{Ledger, LedgerGaps, LedgerOptions, LedgerReading, WhoRan};
pub use loader::RunTimeCount;
pub use overhead::{ProgramTime, estimates_are_whole};
pub use profile::{Profile, ProfileCounts, ProfileOptions};
pub use sampling::{Sampling, SamplingReading};
pub use user_symbols::UserSymbols;
