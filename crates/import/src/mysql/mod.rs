//! MySQL and MariaDB: what the client printed of their performance schema.

mod event_waits;

pub use event_waits::EventWaits;
