//! What can go wrong with a question, in words that say where and what to do.

/// Why a question was not answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SqlError {
    /// The text is not SQL.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// What SQLite says, with the token near which it stopped.
        message: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// No table in the question has the column.
    #[error("no column {name}{}", hint(nearest))]
    UnknownColumn {
        /// The column as it was written.
        name: String,
        /// Columns with similar names, as table.column, nearest first.
        nearest: Vec<String>,
    },
    /// There is no such table or view.
    #[error("no table {name}{}; tables: {}", hint(nearest), tables.join(" "))]
    UnknownTable {
        /// The table as it was written.
        name: String,
        /// Tables and views with similar names, nearest first.
        nearest: Vec<String>,
        /// All tables and views.
        tables: Vec<String>,
    },
    /// There is no such function.
    #[error("no function {name}{}", hint(nearest))]
    UnknownFunction {
        /// The function as it was written.
        name: String,
        /// Functions of heldup with similar names, nearest first.
        nearest: Vec<String>,
    },
    /// More than a question was asked for.
    #[error("only questions are allowed (one SELECT or WITH … SELECT): {what}")]
    NotAQuestion {
        /// What it tried.
        what: String,
    },
    /// It took too long.
    #[error(
        "stopped after {seconds} s; narrow the time range, or join on columns that both tables have (time, tid, pid, device)"
    )]
    TimeLimit {
        /// The limit.
        seconds: f64,
    },
    /// A column was compared with a value of another type.
    #[error("{column} is {expected}, compared with {found}")]
    Type {
        /// Column, as table.column where the table is known.
        column: String,
        /// What the column holds.
        expected: String,
        /// What it was compared with.
        found: String,
    },
    /// The plan reads a whole table again for each row of another.
    #[error(
        "reads all of {table} again for each row of {outer}; join them with = on a column that both have (time, tid, pid, device …), or put one side into WITH x AS MATERIALIZED (…)"
    )]
    NestedScan {
        /// The table that is read again and again.
        table: String,
        /// What it is read again for.
        outer: String,
    },
    /// A table of the capture does not have the form that its declaration says.
    #[error("{place}: {what}")]
    Capture {
        /// Table and column.
        place: String,
        /// What was found and what was expected.
        what: String,
    },
    /// Anything else that SQLite says.
    #[error("{message}")]
    Engine {
        /// SQLite's own words.
        message: String,
    },
}

fn hint(nearest: &[String]) -> String {
    if nearest.is_empty() { String::new() } else { format!("; did you mean {}?", nearest.join(", ")) }
}
