//! Examinations, comparisons and SQL answers as text and JSON; one file per format.
//!
//! A format takes the finished answer and gives a `String`: nothing here reads a
//! file, asks the clock or prints. What comes from the machine (process names,
//! paths, mount points) is hostile: every string goes through [`harmless`] before it
//! reaches a terminal.

#![warn(missing_docs)]

pub mod answer;
pub mod answer_schema;
pub mod audit;
pub mod breakdown;
pub mod breakdown_difference;
pub mod brief;
pub mod bundle;
pub mod capabilities;
pub mod captured;
pub mod comparison;
pub mod csv;
pub mod experiment;
pub mod explained;
pub mod figure;
pub mod frame_bytes;
pub mod grid;
pub mod harmless;
pub mod html;
pub mod json;
mod layout;
pub mod lines;
pub mod overhead;
pub mod page;
pub mod profiles;
pub mod quantity;
pub mod recorded;
pub mod rules;
pub mod setting_changes;
pub mod settings;
pub mod status;
pub mod tables;
pub mod text;
pub mod timeline;
pub mod watch;

pub use harmless::harmless;
pub use text::{TextOptions, machine};
