//! MySQL and MariaDB: what the client printed of their sessions, counters, variables and performance schema.

mod client;
mod event_waits;
mod innodb_status;
mod innodb_transactions;
mod processlist;
mod server_values;
mod session_wait;

pub use event_waits::EventWaits;
pub use innodb_status::InnodbStatus;
pub use processlist::Processlist;
pub use server_values::ServerValues;
