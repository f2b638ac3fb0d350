//! What the readers of several databases share: deadlocks, sessions by the names of their columns, statements without
//! their values.

pub mod deadlock;
mod intervals;
mod lock_modes;
pub mod mysql_waits;
pub mod session_columns;
pub mod session_rows;
pub mod statements;
