//! Oracle: reports of statspack and of the workload repository (AWR), as text and as pages, from 8i on, and files of
//! parameters.
//!
//! A report is a list of sections. What a section's columns mean is said once (`sections`, `figures`), by headings: text
//! (`report`) and pages (`page`) differ only in how cells are distinguished. Headings, not places, since every release moves
//! columns.

mod addm;
mod cluster;
mod cluster_figures;
mod cluster_text;
mod deadlock_trace;
mod events;
mod figures;
mod headings;
mod page;
mod parameters;
mod report;
mod report_state;
mod row;
mod ruler;
mod sections;
mod session_listing;

pub use addm::Addm;
pub use cluster_text::ClusterReport;
pub use deadlock_trace::DeadlockTrace;
pub use page::{is_page, read as read_page};
pub use parameters::Parameters;
pub use report::Report;
pub use session_listing::SessionListing;
