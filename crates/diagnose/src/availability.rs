//! Which columns a capture has at all, and why the others are not there.

use heldup_model::tables::TaskTimeRow;
use heldup_model::{Capture, Record, Unchecked};

use crate::document::{ColumnName, Rule};

/// Whether a column holds a value anywhere in the capture.
fn has_values(capture: &Capture, name: &ColumnName) -> bool {
    let batches = capture.tables.get(&name.table).map(Vec::as_slice).unwrap_or_default();
    batches.iter().any(|batch| {
        batch.column_by_name(&name.column).is_some_and(|column| column.null_count() < column.len())
    })
}

/// Whether a column that would sharpen an answer was not measured: its source said so,
/// its table is not there, or all its rows have NULL. A table without rows was measured.
pub fn is_missing(capture: &Capture, name: &ColumnName) -> bool {
    let full = name.to_string();
    if capture.missing.iter().any(|missing| missing.what == full || missing.what == name.table) {
        return true;
    }
    match capture.tables.get(&name.table) {
        None => true,
        Some(batches) => batches.iter().any(|batch| batch.num_rows() > 0) && !has_values(capture, name),
    }
}

/// Why a rule cannot be checked for want of a needed column; none when it has them all.
///
/// What the source said about the gap comes first: it knows the reason on this machine.
pub fn lacking(capture: &Capture, rule: &Rule) -> Option<Unchecked> {
    if let Some(class) = rule.needs_classes.iter().find(|class| !capture.tells(**class)) {
        let said_of = |what: &str| capture.missing.iter().find(|missing| missing.what == what);
        let table = TaskTimeRow::DEF.name;
        let said = match capture.untold.contains(class) {
            true => said_of(&format!("{table}.class_name")).or_else(|| said_of(table)),
            false => said_of(table),
        };
        return Some(Unchecked {
            id: rule.id.clone(),
            missing: match said {
                Some(missing) => missing.why.clone(),
                None => format!("{} is not told apart by {}", class.name(), capture.method.name()),
            },
            how: said.map_or_else(|| rule.supplied_by.clone(), |missing| missing.how.clone()),
        });
    }
    let name = rule.needs.iter().find(|name| !has_values(capture, name))?;
    let full = name.to_string();
    let said = capture
        .missing
        .iter()
        .find(|missing| missing.what == full)
        .or_else(|| capture.missing.iter().find(|missing| missing.what == name.table));
    Some(match said {
        Some(missing) => Unchecked {
            id: rule.id.clone(),
            missing: format!("{}: {}", missing.what, missing.why),
            how: missing.how.clone(),
        },
        None => Unchecked {
            id: rule.id.clone(),
            missing: format!("{full} was not measured"),
            how: rule.supplied_by.clone(),
        },
    })
}
