//! Whose values the columns of an answer have: of which table and column, where they are these values as they are.
//!
//! SQLite knows it of a prepared statement, through views and subqueries. `rusqlite` says it only where it is built with
//! a feature that builds SQLite anew; the functions are there all the same.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use rusqlite::{Connection, ffi};

/// Table and column of each column of an answer; none where it is reckoned, and where the text is no question.
pub(super) fn of_columns(connection: &Connection, sql: &str) -> Vec<Option<(String, String)>> {
    let Ok(length) = c_int::try_from(sql.len()) else { return Vec::new() };
    let mut statement = ptr::null_mut();
    // SAFETY: the handle is that of an open connection; the text is readable for its length; the last argument may be
    // null. SQLite writes a statement, or null where it fails.
    let code = unsafe {
        ffi::sqlite3_prepare_v2(
            connection.handle(),
            sql.as_ptr().cast::<c_char>(),
            length,
            &raw mut statement,
            ptr::null_mut(),
        )
    };
    if code != ffi::SQLITE_OK || statement.is_null() {
        return Vec::new();
    }
    // SAFETY: the statement was made above and is not finalized yet.
    let count = unsafe { ffi::sqlite3_column_count(statement) };
    let origins = (0..count).map(|at| {
        // SAFETY: as above, with a column that it has; what they return is null, or a string that lives until the
        // statement is finalized, and is copied here.
        let (table, column) = unsafe {
            (
                text(ffi::sqlite3_column_table_name(statement, at)),
                text(ffi::sqlite3_column_origin_name(statement, at)),
            )
        };
        Some((table?, column?))
    });
    let origins = origins.collect();
    // SAFETY: the statement is used no more.
    unsafe { ffi::sqlite3_finalize(statement) };
    origins
}

/// # Safety
/// Null, or a string with an end.
unsafe fn text(of: *const c_char) -> Option<String> {
    // SAFETY: the caller says so.
    (!of.is_null()).then(|| unsafe { CStr::from_ptr(of) }.to_string_lossy().into_owned())
}
