//! Tools that Solaris, AIX and HP-UX have alike, and tell from Linux' by their headings.

pub mod ipcs;
pub mod macos_top;
pub mod mpstat;
pub mod paging_space;
pub mod sar;
mod sar_sections;
pub mod top;
pub mod vmstat;
