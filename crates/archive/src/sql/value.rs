//! Answers: what a question returns.

use std::fmt;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

/// One value of an answer. Booleans come as 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Not measured, or not applicable.
    Null,
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    Text(String),
}

impl Value {
    /// The value as a number; text is none.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int(v) => Some(*v as f64),
            Value::Float(v) => Some(*v),
            Value::Null | Value::Text(_) => None,
        }
    }

    /// The value as an integer; a float counts where it has no fraction.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(v) => Some(*v),
            Value::Float(v) if v.fract() == 0.0 && v.abs() < 9.0e15 => Some(*v as i64),
            _ => None,
        }
    }

    /// The value as text; numbers are none.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(v) => Some(v),
            _ => None,
        }
    }

    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
}

impl From<ValueRef<'_>> for Value {
    /// Bytes do not occur in the tables; what a question makes of them is shown as text.
    fn from(value: ValueRef<'_>) -> Value {
        match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(v) => Value::Int(v),
            ValueRef::Real(v) => Value::Float(v),
            ValueRef::Text(v) | ValueRef::Blob(v) => Value::Text(String::from_utf8_lossy(v).into_owned()),
        }
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(v) => ValueRef::Integer(*v),
            Value::Float(v) => ValueRef::Real(*v),
            Value::Text(v) => ValueRef::Text(v.as_bytes()),
        }))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Int(v) => write!(f, "{v}"),
            Value::Float(v) => write!(f, "{v}"),
            Value::Text(v) => f.write_str(v),
        }
    }
}

/// The rows that a question returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Names of the columns, in order.
    pub columns: Vec<String>,
    /// Rows; each has one value a column.
    pub rows: Vec<Vec<Value>>,
    /// Whether the row limit cut the answer short.
    pub truncated: bool,
}

impl Answer {
    /// Position of a column.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// The value of a column in one row; none where either is not there.
    pub fn get(&self, row: usize, column: &str) -> Option<&Value> {
        self.rows.get(row)?.get(self.position(column)?)
    }
}
