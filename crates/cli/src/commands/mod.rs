//! The commands, one file each.

pub mod compare;
pub mod completions;
pub mod doctor;
pub mod examine;
pub mod generate;
pub mod rules;
pub mod sql;
pub mod tables;
pub mod watch;
