//! SQL over a capture: SQLite, with one virtual-table module over the capture's batches.
//!
//! Why SQLite and not a column store: `docs/decisions/0001-shape.md`.
//!
//! From the outside in: [`Database`] (database.rs) opens a capture and answers
//! questions; `plan_lint.rs` and `type_lint.rs` refuse those that would be slow or
//! wrong, by what `tokens.rs` and `shape.rs` see in the text; `module.rs` and
//! `cursor.rs` are the virtual table that SQLite talks to, `plan.rs` the language
//! between the two; `source.rs`, `column.rs` and `key_index.rs` hold a table's rows; `views.rs`, `definitions.rs`, `facts.rs` and
//! `disk_stack.rs` are the views.

mod column;
mod cursor;
mod database;
mod definitions;
mod disk_stack;
mod error;
mod facts;
mod functions;
mod hot_code;
mod key_index;
mod log_text;
mod module;
mod names;
mod origin;
mod plan;
mod plan_lint;
mod shape;
mod source;
mod task_sums;
mod tokens;
mod type_lint;
mod value;
mod views;

pub(crate) use column::fits;
pub use database::{Database, Limits};
pub use error::SqlError;
pub use functions::{SqlFunction, sql_functions};
pub use task_sums::TaskSum;
pub use value::{Answer, Value};
pub use views::{VIEWS, View};
