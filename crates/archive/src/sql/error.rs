//! What can go wrong with a question, in words that say where and what to do.

use heldup_model::ColumnType;

use super::names::Names;

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
    #[error("no table {name}{}", if nearest.is_empty() { format!("; tables: {}", tables.join(" ")) } else { hint(nearest) })]
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
    /// It would have needed too much memory.
    #[error("stopped because it needs too much memory; narrow the time range or return less")]
    MemoryLimit,
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

/// Separates the parts of a type error on its way through SQLite, which carries text only.
const PART: char = '\u{1f}';

/// The message of a type error as it travels through SQLite; [`SqlError`] takes it apart again.
pub(super) fn type_message(place: &str, name: &str, ty: ColumnType, found: &str) -> String {
    format!("type{PART}{place}{PART}{}{PART}{found}", type_words(name, ty))
}

/// What a column holds, in words.
pub(super) fn type_words(name: &str, ty: ColumnType) -> &'static str {
    match ty {
        ColumnType::Int if name == "time" || name.ends_with("_ms") => {
            "milliseconds since 1970-01-01 UTC as an integer"
        }
        ColumnType::Int => "an integer",
        ColumnType::Float => "a number",
        ColumnType::Bool => "a boolean (0 or 1)",
        ColumnType::Text => "text",
    }
}

impl SqlError {
    /// Sorts SQLite's error by what the asker can do about it.
    pub(super) fn from_sqlite(error: rusqlite::Error, sql: &str, names: &Names) -> SqlError {
        match error {
            rusqlite::Error::SqlInputError { msg, offset, .. } => {
                SqlError::from_message(&msg, usize::try_from(offset).ok(), sql, names)
            }
            rusqlite::Error::SqliteFailure(_, Some(message)) => {
                SqlError::from_message(&message, None, sql, names)
            }
            rusqlite::Error::ModuleError(message) => SqlError::from_message(&message, None, sql, names),
            rusqlite::Error::MultipleStatement => {
                SqlError::NotAQuestion { what: "several statements".into() }
            }
            other => SqlError::Engine { message: other.to_string() },
        }
    }

    fn from_message(message: &str, offset: Option<usize>, sql: &str, names: &Names) -> SqlError {
        let mut parts = message.split(PART);
        if let (Some("type"), Some(column), Some(expected), Some(found)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        {
            return SqlError::Type { column: column.into(), expected: expected.into(), found: found.into() };
        }
        if let Some(name) = message.strip_prefix("no such column: ") {
            return SqlError::UnknownColumn { name: name.into(), nearest: names.columns_like(name, sql) };
        }
        if let Some(name) = message.strip_prefix("no such table: ") {
            let name = name.strip_prefix("main.").unwrap_or(name);
            return SqlError::UnknownTable {
                name: name.into(),
                nearest: names.tables_like(name),
                tables: names.tables(),
            };
        }
        if let Some(name) = message.strip_prefix("no such function: ") {
            return SqlError::UnknownFunction { name: name.into(), nearest: names.functions_like(name) };
        }
        let refusals = ["not authorized", "prohibited", "may not be modified"];
        if refusals.iter().any(|refusal| message.contains(refusal)) {
            return SqlError::NotAQuestion { what: message.into() };
        }
        let unfinished = (message == "incomplete input").then_some(sql.len());
        match offset.or(unfinished) {
            Some(offset) => {
                let (line, column) = position(sql, offset);
                SqlError::Syntax { message: message.into(), line, column }
            }
            None => SqlError::Engine { message: message.into() },
        }
    }
}

/// Line and column, both from 1, of a byte offset.
pub(super) fn position(sql: &str, offset: usize) -> (usize, usize) {
    let before = sql.get(..offset).unwrap_or(sql);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        assert_eq!(position("select", 0), (1, 1));
        assert_eq!(position("select\n µ x", 10), (2, 3));
        assert_eq!(position("a", 99), (1, 2));
    }
}
