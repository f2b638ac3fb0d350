//! Tables, or one with its columns.

use std::fmt::Write;

use heldup_model::{ListedTable, TablesAnswer};

use crate::csv;

pub use crate::answer_schema::json;

/// Kinds in the order in which they are shown, each with its heading.
const KINDS: [(&str, &str); 4] = [
    ("table", "Tables"),
    ("rollup", "Rollups per minute"),
    ("view", "Views"),
    ("function", "Functions (besides SQLite's own)"),
];

/// A list of them, or the one that was asked for.
pub fn text(answer: &TablesAnswer) -> String {
    match answer.tables.as_slice() {
        [one] if !one.columns.is_empty() || one.select.is_some() => described(one),
        all => list(all),
    }
}

/// The tables, or the columns of the one that was asked for.
pub fn csv(answer: &TablesAnswer) -> String {
    match answer.tables.as_slice() {
        [one] if !one.columns.is_empty() => csv::list(one, "columns"),
        _ => csv::list(answer, "tables"),
    }
}

fn list(all: &[ListedTable]) -> String {
    let mut out = String::new();
    for (kind, heading) in KINDS {
        let of_kind: Vec<&ListedTable> = all.iter().filter(|one| one.kind == kind).collect();
        let width = of_kind.iter().map(|one| one.name.len()).max().unwrap_or(0);
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{heading}");
        for one in of_kind {
            let _ = writeln!(out, "  {:<width$}  {}", one.name, one.meaning);
        }
    }
    out.push_str("\nheldup sql --schema TABLE shows columns; heldup sql \"select …\" asks.\n");
    out
}

fn described(one: &ListedTable) -> String {
    if let Some(select) = &one.select {
        return format!("{}: {}\n\n{select}\n", one.name, one.meaning);
    }
    let origin = one.origin.as_deref().unwrap_or("elsewhere");
    let mut out = format!("{}: {}\nread from {origin}\n\n", one.name, one.meaning);
    let width = one.columns.iter().map(|column| column.name.len()).max().unwrap_or(0);
    for column in &one.columns {
        let _ = writeln!(
            out,
            "  {:<width$}  {:<7}  {:<7}  {:<6}  {}",
            column.name, column.data_type, column.kind, column.unit, column.meaning
        );
    }
    out.push_str("\nCounters are increases over the interval, gauges the value at its end.\n");
    if let Some(minutes) = &one.by_the_minute {
        let _ = writeln!(out, "Archives also have a rollup per minute: {minutes}.");
    }
    out
}
