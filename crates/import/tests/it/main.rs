//! Importers against recordings. One binary: linking is what takes time.

// A test that cannot read its recording has nothing to test.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod bundles;
mod cpu_listings;
mod damaged;
mod damaged_sysstat;
mod databases;
mod date_order;
mod deadlocks;
mod fixtures;
mod flamegraph;
mod foreign;
mod founding;
#[path = "../handed_over/mod.rs"]
mod handed_over;
mod human;
mod json_reports;
mod kernel_logs;
mod listings;
mod mysql;
mod network_listings;
mod nmon;
mod other_languages;
mod pasted;
mod pidstat_numbers;
mod procps_listings;
mod public_recordings;
mod sa_forms;
mod sa_releases;
mod sa_writer;
mod same_second;
mod sessions;
mod slow_statements;
mod stamped_listings;
mod table_text;
mod times;
mod twin;
mod twin_columns;
mod unix_damaged;
mod unix_listings;
mod unix_more_listings;
mod unix_rules;
