//! The tools of sysstat: text, binary files, JSON, and what `sadf` prints.

pub mod iostat;
pub mod iostat_fields;
pub mod iostat_report;
pub mod mpstat_table;
pub mod pidstat;
pub mod pidstat_fields;
pub mod sa;
pub mod sadf_groups;
pub mod sadf_lines;
pub mod sar;
pub mod sar_disks;
pub mod sar_fields;
pub mod sar_memory;
pub mod sar_protocols;
pub mod sar_rows;
pub mod sysstat_json;
