//! A database over one capture: opened once, asked often, never written to.

use std::time::Duration;

use heldup_model::Capture;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::error::SqlError;
use super::value::{Answer, Value};

/// What a question may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Rows returned at most; the answer says when there were more.
    pub rows: usize,
    /// Time after which a question is stopped.
    pub time: Duration,
}

impl Default for Limits {
    /// A million rows and ten seconds.
    fn default() -> Limits {
        Limits { rows: 1_000_000, time: Duration::from_secs(10) }
    }
}

/// SQL over one capture.
pub struct Database {
    connection: Connection,
    limits: Limits,
}

impl Database {
    /// Opens a capture with the default limits.
    pub fn open(capture: &Capture) -> Result<Database, SqlError> {
        Database::open_with(capture, Limits::default())
    }

    /// Opens a capture.
    pub fn open_with(_capture: &Capture, limits: Limits) -> Result<Database, SqlError> {
        let connection = Connection::open_in_memory().map_err(engine)?;
        Ok(Database { connection, limits })
    }

    /// Answers one question: a SELECT, or WITH … SELECT.
    pub fn query(&self, sql: &str) -> Result<Answer, SqlError> {
        let mut statement = self.connection.prepare(sql).map_err(engine)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut answer = Answer { columns, rows: Vec::new(), truncated: false };
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(engine)? {
            if answer.rows.len() == self.limits.rows {
                answer.truncated = true;
                break;
            }
            let values = (0..answer.columns.len()).map(|at| row.get_ref(at).map(value));
            answer.rows.push(values.collect::<Result<_, _>>().map_err(engine)?);
        }
        Ok(answer)
    }

    /// Defines temporary views (`CREATE TEMP VIEW …`, several separated by semicolons).
    pub fn execute(&self, sql: &str) -> Result<(), SqlError> {
        self.connection.execute_batch(sql).map_err(engine)
    }

    /// Says what is wrong with a question without answering it.
    pub fn check(&self, sql: &str) -> Result<(), SqlError> {
        self.connection.prepare(sql).map(drop).map_err(engine)
    }
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(v) => Value::Int(v),
        ValueRef::Real(v) => Value::Float(v),
        ValueRef::Text(v) | ValueRef::Blob(v) => Value::Text(String::from_utf8_lossy(v).into_owned()),
    }
}

fn engine(error: rusqlite::Error) -> SqlError {
    SqlError::Engine { message: error.to_string() }
}
