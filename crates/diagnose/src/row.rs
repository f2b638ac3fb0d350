//! One row of a SQL answer, by column name.

use std::sync::Arc;

use heldup_archive::{Answer, Value};

const NULL: Value = Value::Null;

/// One row of a SQL answer, by column name.
#[derive(Clone, Debug)]
pub struct Row {
    /// Shared by the rows of an answer; there are few enough to search one by one.
    columns: Arc<[String]>,
    values: Vec<Value>,
}

impl Row {
    /// The rows of an answer.
    pub fn all(answer: Answer) -> Vec<Row> {
        let Answer { columns, rows, .. } = answer;
        let columns: Arc<[String]> = columns.into();
        rows.into_iter().map(|values| Row { columns: columns.clone(), values }).collect()
    }

    /// Names of its columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Its values, in the order of the columns.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// A row of the given values.
    #[cfg(test)]
    pub fn of<const N: usize>(values: [(&str, Value); N]) -> Row {
        let (columns, values): (Vec<String>, Vec<Value>) =
            values.into_iter().map(|(name, value)| (name.to_string(), value)).unzip();
        Row { columns: columns.into(), values }
    }

    /// The row with NULL in the columns that are given.
    #[cfg(test)]
    pub fn without(&self, missing: &[&str]) -> Row {
        let values = self.columns.iter().zip(&self.values);
        let values =
            values.map(|(name, value)| if missing.contains(&name.as_str()) { NULL } else { value.clone() });
        Row { columns: self.columns.clone(), values: values.collect() }
    }

    /// The value of a column; NULL where the answer has no such column.
    pub fn get(&self, column: &str) -> &Value {
        // From the end: where an answer names a column twice, the last one counts.
        let at = self.columns.iter().rposition(|name| name == column);
        at.and_then(|at| self.values.get(at)).unwrap_or(&NULL)
    }

    /// Its text; numbers as they are printed.
    pub fn text(&self, column: &str) -> Option<String> {
        match self.get(column) {
            Value::Null => None,
            Value::Int(int) => Some(int.to_string()),
            Value::Float(float) => Some(float.to_string()),
            Value::Text(text) => Some(text.clone()),
        }
    }

    /// Its number.
    pub fn number(&self, column: &str) -> Option<f64> {
        match self.get(column) {
            Value::Int(int) => Some(*int as f64),
            Value::Float(float) if float.is_finite() => Some(*float),
            _ => None,
        }
    }

    /// Its whole number.
    pub fn int(&self, column: &str) -> Option<i64> {
        match self.get(column) {
            Value::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// Whether it is true: a number other than zero, or any text.
    pub fn is_true(&self, column: &str) -> bool {
        match self.get(column) {
            Value::Null => false,
            Value::Int(int) => *int != 0,
            Value::Float(float) => *float != 0.0,
            Value::Text(_) => true,
        }
    }

    /// The words of a text value: a column may name several devices, separated by spaces. A
    /// number is one word, so that a process id can be among several.
    pub fn words(&self, column: &str) -> Vec<String> {
        match self.get(column) {
            Value::Text(text) => text.split_whitespace().map(str::to_string).collect(),
            Value::Int(int) => vec![int.to_string()],
            Value::Null | Value::Float(_) => Vec::new(),
        }
    }
}
