//! What the kernel says: its log, its files of `/proc`, its settings.

pub mod journal_entries;
pub mod journal_json;
pub mod kernel_line;
pub mod kernel_log;
pub mod kernel_stats;
pub mod lscpu;
pub mod memory_report;
pub mod numactl;
pub mod numastat;
pub mod numastat_memory;
pub mod proc_stack;
pub mod proc_text;
pub mod process_maps;
pub mod process_status;
pub mod report_rows;
pub mod slabinfo;
pub mod sysctl;
mod telling;
