//! MySQL and MariaDB: what the client printed of their sessions, counters, variables and performance schema.

mod client;
mod event_waits;
mod innodb_deadlock;
mod innodb_status;
mod innodb_transactions;
mod processlist;
mod query_digest;
mod server_values;
mod slow_log;

pub use event_waits::EventWaits;
pub use innodb_status::InnodbStatus;
pub use processlist::Processlist;
pub use query_digest::QueryDigest;
pub use server_values::ServerValues;
pub use slow_log::SlowLog;
