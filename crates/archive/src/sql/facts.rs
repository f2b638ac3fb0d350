//! Single values of a capture that views have as a row: its span, the sums of active time.
//!
//! The text of such a view is the same for every capture, and so are the plans of the questions that ask it; a row of
//! constants would be another view each time, and every question would be planned anew.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, Result};

use super::value::Value;

/// Only the views call it.
const FUNCTION: &str = "fact_of_capture";

/// Values by view and column.
#[derive(Clone, Default)]
pub(super) struct Facts(Arc<RwLock<BTreeMap<String, Value>>>);

impl Facts {
    /// Sets a column of a view.
    pub(super) fn put(&self, view: &str, column: &str, value: Value) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key(view, column), value);
    }

    /// The definition of a view.
    pub(super) fn row(view: &str, columns: &[&str]) -> String {
        let column = |name: &&str| format!("{FUNCTION}('{}') as {name}", key(view, name));
        format!("select {}", columns.iter().map(column).collect::<Vec<_>>().join(", "))
    }

    /// Makes the function known. It is the same as long as a question is answered, which is what deterministic means.
    pub(super) fn register(&self, connection: &Connection) -> Result<()> {
        let flags = FunctionFlags::SQLITE_DETERMINISTIC
            | FunctionFlags::SQLITE_UTF8
            | FunctionFlags::SQLITE_INNOCUOUS;
        let facts = self.clone();
        connection.create_scalar_function(FUNCTION, 1, flags, move |context| {
            let name = context.get_raw(0).as_str().unwrap_or_default();
            let known = facts.0.read().unwrap_or_else(PoisonError::into_inner);
            Ok(known.get(name).cloned().unwrap_or(Value::Null))
        })
    }
}

fn key(view: &str, column: &str) -> String {
    format!("{view}.{column}")
}
