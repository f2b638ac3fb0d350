//! Captures kept as Parquet, and SQL over all of them.
//!
//! [`Database`] answers SQL questions about one [`heldup_model::Capture`], read-only,
//! with a time limit and with every table of the model present. [`store`] keeps a
//! capture as plain Parquet files that any other engine reads, in a folder or in one file; [`redact()`]
//! takes out what names people and machines.
//!
//! [`journal`] is what the recorder writes, [`kept`] the archive that it becomes.
//!
//! Nothing here decides what a number means; that is the rules' business.

mod date;
pub mod journal;
pub mod kept;
mod parquet_file;
mod redact;
mod sql;
pub mod store;
mod tables_version;

pub use redact::{KnownNames, Redactor, redact};
pub use sql::{Answer, Database, Limits, SqlError, SqlFunction, TaskSum, VIEWS, Value, View, sql_functions};
