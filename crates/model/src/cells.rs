//! Rows that answer a question, of any columns.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::table::{Column, ColumnType, Unit};

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

/// A page of rows that answer a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SqlPage {
    /// The columns, in order.
    pub columns: Vec<SqlColumn>,
    /// Rows; each has one value a column.
    pub rows: Vec<Vec<Cell>>,
    /// Rows of the answer before these.
    pub offset: u64,
    /// Whether there are rows after these.
    pub more: bool,
    /// How long the answer took, milliseconds.
    pub took_ms: f64,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SqlColumn {
    /// Its name.
    pub name: String,
    /// Its unit, where it is a column of a table; empty for what has none.
    pub unit: Option<String>,
    /// What its values are.
    pub kind: SqlColumnKind,
}

/// What the values of a column are: of columns of tables as they are declared, of others as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SqlColumnKind {
    /// Milliseconds since 1970-01-01 UTC.
    Time,
    /// Process ids.
    Pid,
    /// Thread ids.
    Tid,
    /// Kernel names of block devices.
    Device,
    /// Classes of time.
    Class,
    /// Control groups.
    Cgroup,
    /// systemd units.
    Unit,
    /// Numbers.
    Number,
    /// Truths, as 0 and 1.
    Truth,
    /// Text.
    Text,
}

impl SqlColumnKind {
    /// Of a column of a table.
    pub fn of(column: &Column) -> SqlColumnKind {
        let is = |name: &str| column.name == name || column.name.ends_with(&format!("_{name}"));
        match column.ty {
            ColumnType::Int if column.unit == Unit::TimeMs || column.name == "time" => SqlColumnKind::Time,
            ColumnType::Int if is("pid") => SqlColumnKind::Pid,
            ColumnType::Int if is("tid") => SqlColumnKind::Tid,
            ColumnType::Int | ColumnType::Float => SqlColumnKind::Number,
            ColumnType::Bool => SqlColumnKind::Truth,
            ColumnType::Text if is("device") => SqlColumnKind::Device,
            ColumnType::Text if column.name == "class_name" => SqlColumnKind::Class,
            ColumnType::Text if column.name.starts_with("cgroup") => SqlColumnKind::Cgroup,
            ColumnType::Text if column.name == "unit" => SqlColumnKind::Unit,
            ColumnType::Text => SqlColumnKind::Text,
        }
    }
}
