//! Which columns a capture has, and why others are missing.

use heldup_model::tables::TaskTimeRow;
use heldup_model::{Capture, Class, NotChecked, Record};

use crate::document::{ColumnName, Rule};

/// Whether a column holds a value anywhere in the capture.
fn has_values(capture: &Capture, name: &ColumnName) -> bool {
    let batches = capture.tables.get(&name.table).map(Vec::as_slice).unwrap_or_default();
    batches.iter().any(|batch| {
        batch.column_by_name(&name.column).is_some_and(|column| column.null_count() < column.len())
    })
}

/// Whether a needed column was measured: it has values, or its table is there without a row (on
/// an idle machine nobody waits, and no stack of a wait is taken) and no source said why.
/// Whether anything could be judged is then for the rule's `considered` to say.
fn was_measured(capture: &Capture, name: &ColumnName) -> bool {
    let batches = capture.tables.get(&name.table).map(Vec::as_slice);
    let has_no_row = batches.is_some_and(|batches| batches.iter().all(|batch| batch.num_rows() == 0));
    has_values(capture, name) || (has_no_row && !is_missing(capture, name))
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
pub fn lacking(capture: &Capture, rule: &Rule) -> Option<NotChecked> {
    if let Some(class) = rule.needs_classes.iter().find(|class| !capture.method.tells(**class)) {
        return Some(class_untold(capture, rule, *class));
    }
    let name = rule.needs.iter().find(|name| !was_measured(capture, name))?;
    Some(column_missing(capture, rule, name))
}

/// Why a rule that found nothing has not ruled anything out: too little was measured.
///
/// An ordinary user sees the waits of its own threads: what delays them is a finding,
/// and that nobody else waits is not.
pub fn blind(capture: &Capture, rule: &Rule) -> Option<NotChecked> {
    if let Some(class) = rule.needs_classes.iter().find(|class| capture.untold.contains(class)) {
        return Some(class_untold(capture, rule, *class));
    }
    let name = rule.rules_out_with.iter().find(|name| is_missing(capture, name))?;
    Some(column_missing(capture, rule, name))
}

fn class_untold(capture: &Capture, rule: &Rule, class: Class) -> NotChecked {
    let said_of = |what: &str| capture.missing.iter().find(|missing| missing.what == what);
    let table = TaskTimeRow::DEF.name;
    let said = match capture.untold.contains(&class) {
        true => said_of(&format!("{table}.class_name")).or_else(|| said_of(table)),
        false => said_of(table),
    };
    NotChecked {
        id: rule.id.clone(),
        missing: match said {
            Some(missing) => missing.why.clone(),
            None => format!("{} is not measured by {}", class.name(), capture.method.name()),
        },
        how: said.map_or_else(|| rule.supplied_by.clone(), |missing| missing.how.clone()),
    }
}

fn column_missing(capture: &Capture, rule: &Rule, name: &ColumnName) -> NotChecked {
    let full = name.to_string();
    let said = capture
        .missing
        .iter()
        .find(|missing| missing.what == full)
        .or_else(|| capture.missing.iter().find(|missing| missing.what == name.table));
    match said {
        Some(missing) => NotChecked {
            id: rule.id.clone(),
            missing: format!("{}: {}", missing.what, missing.why),
            how: missing.how.clone(),
        },
        None => NotChecked {
            id: rule.id.clone(),
            missing: format!("{full}: not measured here"),
            how: rule.supplied_by.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::captures::capture_of;
    use heldup_model::Missing;

    #[test]
    fn a_table_without_a_row_was_measured_unless_its_source_says_otherwise() {
        let name = ColumnName { table: "stack".to_owned(), column: "seconds".to_owned() };
        let mut capture = capture_of([]);
        assert!(!was_measured(&capture, &name));
        capture.tables.insert(name.table.clone(), Vec::new());
        assert!(was_measured(&capture, &name));
        let why = "perf_event_open is not allowed".to_owned();
        capture.missing.push(Missing { what: name.table.clone(), why, how: "run as root".to_owned() });
        assert!(!was_measured(&capture, &name));
    }
}
