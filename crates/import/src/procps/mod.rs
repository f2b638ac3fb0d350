//! The tools of procps, old and new, and of BusyBox where they print the same.

pub mod free;
pub mod ps;
pub mod slabtop;
mod tasks;
pub mod top;
pub mod top_summary;
pub mod translated;
pub mod uptime;
pub mod vmstat_disks;
pub mod vmstat_slabs;
pub mod vmstat_sums;
