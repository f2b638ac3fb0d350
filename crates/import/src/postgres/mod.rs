//! PostgreSQL: its settings, and what psql printed of its views.
//!
//! What a table of psql is follows from the names of its columns (`views`), whether it was printed aligned, unaligned, as
//! records one below another or as CSV (`cells`).

mod cells;
mod pg_activity;
mod psql;
mod server_log;
mod settings;
mod views;

pub use pg_activity::PgActivity;
pub use psql::Psql;
pub use server_log::ServerLog;
pub use settings::Settings;
