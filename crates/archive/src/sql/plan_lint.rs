//! Refuses plans that read a whole table again for each row of another.
//!
//! SQLite builds automatic indexes for its own tables and for materialized
//! subqueries, but never for a virtual table (where.c, whereLoopAddVirtual): a join
//! whose condition the virtual table does not serve is a nested loop of full scans.
//! On a window that is milliseconds, on a recorded day it is minutes.
//!
//! What it cannot see: how many rows a subquery has, unless its text says that it is
//! one (an aggregate without GROUP BY, LIMIT 1, no FROM). Such a subquery may stand
//! before a full scan; without a name of its own it may not.

use std::collections::HashSet;

use super::error::SqlError;
use super::plan::{EVERYTHING, ONE_ROW};
use super::shape::one_row_names;
use super::value::Answer;

/// One line of EXPLAIN QUERY PLAN.
struct Step<'a> {
    id: i64,
    parent: i64,
    detail: &'a str,
}

/// Judges the lines of EXPLAIN QUERY PLAN of a question, given the views that it may use.
pub(super) fn check(explained: &Answer, sql: &str, views: &[(String, String)]) -> Result<(), SqlError> {
    let steps: Vec<Step<'_>> = explained
        .rows
        .iter()
        .filter_map(|row| {
            let (id, parent) = (row.first()?.as_i64()?, row.get(1)?.as_i64()?);
            Some(Step { id, parent, detail: row.get(3)?.as_str()? })
        })
        .collect();
    walk(&steps, 0, None, &one_row_names(sql, views))
}

/// Judges the loops below a step. `outer` is what they run again for, if anything.
fn walk(
    steps: &[Step<'_>],
    parent: i64,
    outer: Option<&str>,
    single: &HashSet<String>,
) -> Result<(), SqlError> {
    let mut again_for = outer;
    for step in steps.iter().filter(|step| step.parent == parent) {
        if let Some(name) = looped(step.detail) {
            let whole = step.detail.contains(&format!("VIRTUAL TABLE INDEX 0:{EVERYTHING}"));
            if let Some(outer) = again_for.filter(|_| whole) {
                return Err(SqlError::NestedScan { table: name.into(), outer: outer.into() });
            }
            if !is_single(step.detail, name, single) {
                again_for = Some(name);
            }
        } else if step.detail.starts_with("CORRELATED") {
            walk(steps, step.id, again_for.or(Some("the outer question")), single)?;
        } else if step.detail.starts_with("MULTI-INDEX OR") {
            walk(steps, step.id, again_for, single)?;
            again_for = Some("an OR");
        } else if ["MATERIALIZE", "CO-ROUTINE", "SCALAR", "LIST", "SETUP"]
            .iter()
            .any(|once| step.detail.starts_with(once))
        {
            walk(steps, step.id, None, single)?;
        } else {
            walk(steps, step.id, outer, single)?;
        }
    }
    Ok(())
}

/// What a step loops over, if it is a loop.
fn looped(detail: &str) -> Option<&str> {
    let rest = detail.strip_prefix("SCAN ").or_else(|| detail.strip_prefix("SEARCH "))?;
    Some(rest.split(" VIRTUAL TABLE ").next().unwrap_or(rest).split(' ').next().unwrap_or(rest))
}

/// Whether a loop runs once: a table or subquery of one row.
fn is_single(detail: &str, name: &str, single: &HashSet<String>) -> bool {
    detail.contains("CONSTANT ROW")
        || detail.contains(&format!("VIRTUAL TABLE INDEX 0:{ONE_ROW}"))
        || (!detail.contains("VIRTUAL TABLE") && single.contains(&name.to_ascii_lowercase()))
}
