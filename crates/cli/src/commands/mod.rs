//! The commands, one file each.

pub mod baseline;
pub mod breakdown;
pub mod capture;
pub mod cli;
pub mod compare;
pub mod completions;
pub mod doctor;
pub mod examine;
pub mod explain;
pub mod generate;
pub mod keep_house;
pub mod live_archive;
pub mod plot;
pub mod record;
pub mod rules;
pub mod serve;
pub mod sql;
pub mod status;
pub mod tables;
pub mod top;
pub mod try_change;
pub mod tune;
pub mod watch;
