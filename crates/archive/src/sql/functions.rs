//! Functions of our own beside SQLite's.

/// A function and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct SqlFunction {
    /// Name, as in SQL.
    pub name: &'static str,
    /// How it is called.
    pub signature: &'static str,
    /// What it returns.
    pub meaning: &'static str,
}

/// The functions that a database has beside SQLite's own, by name.
pub fn sql_functions() -> &'static [SqlFunction] {
    &[]
}
