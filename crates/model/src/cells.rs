//! Rows that answer a question, of any columns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One value of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Cell {
    /// Not known.
    Null,
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(String),
}

/// Rows under names of columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Names of the columns, in order.
    pub columns: Vec<String>,
    /// Rows; each has one value a column.
    pub rows: Vec<Vec<Cell>>,
    /// Whether there were more rows than the limit.
    pub truncated: bool,
}
