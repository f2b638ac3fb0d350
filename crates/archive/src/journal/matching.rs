//! Which row of a reading is which row of the reading before: by the table's keys.
//!
//! A match that is not found costs bytes and nothing else, so what is rare may be missed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use heldup_model::{Cells, ColumnKind, RowSet, TableDef};

/// No row of the reading before.
pub(super) const NO_ROW: u32 = u32::MAX;
/// Rows that are looked at behind the one that was expected, before an index is made: a few
/// processes that ended at once, or began.
const AHEAD: usize = 8;

/// Positions of the columns that identify a row.
pub(super) fn key_columns(def: &TableDef) -> Vec<usize> {
    let keys = def.columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Key);
    keys.map(|(at, _)| at).collect()
}

/// Fills in for each row of `now` the row of `before` that it was; true if they are the same
/// rows in the same order.
pub(super) fn match_rows(before: &RowSet, now: &RowSet, keys: &[usize], base: &mut Vec<u32>) -> bool {
    base.clear();
    if keys.is_empty() {
        base.extend((0..now.len).map(|row| if row < before.len { row as u32 } else { NO_ROW }));
        return before.len == now.len;
    }
    if before.len == now.len && keys.iter().all(|at| before.cells[*at] == now.cells[*at]) {
        base.extend(0..now.len as u32);
        return true;
    }
    let mut index = None;
    let mut expected = 0;
    for row in 0..now.len {
        let near =
            (expected..before.len.min(expected + AHEAD)).find(|old| same(before, *old, now, row, keys));
        let found = near.or_else(|| {
            // What is expected comes a little later: this one is new.
            let later = row + 1..now.len.min(row + 1 + AHEAD);
            if expected < before.len && later.into_iter().any(|row| same(before, expected, now, row, keys)) {
                return None;
            }
            let index = index.get_or_insert_with(|| index_of(before, keys));
            let found = *index.get(&hash(now, row, keys))?;
            same(before, found, now, row, keys).then_some(found)
        });
        base.push(found.map_or(NO_ROW, |old| old as u32));
        expected = found.map_or(expected, |old| old + 1);
    }
    false
}

fn index_of(set: &RowSet, keys: &[usize]) -> HashMap<u64, usize> {
    (0..set.len).map(|row| (hash(set, row, keys), row)).collect()
}

fn same(before: &RowSet, old: usize, now: &RowSet, row: usize, keys: &[usize]) -> bool {
    keys.iter().all(|at| match (&before.cells[*at], &now.cells[*at]) {
        (Cells::Int(a), Cells::Int(b)) => a[old] == b[row],
        (Cells::Bool(a), Cells::Bool(b)) => a[old] == b[row],
        (Cells::Text(a), Cells::Text(b)) => a[old] == b[row],
        (Cells::Float(a), Cells::Float(b)) => a[old] == b[row],
        _ => false,
    })
}

fn hash(set: &RowSet, row: usize, keys: &[usize]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for at in keys {
        match &set.cells[*at] {
            Cells::Int(values) => values[row].hash(&mut hasher),
            Cells::Bool(values) => values[row].hash(&mut hasher),
            Cells::Text(values) => values[row].hash(&mut hasher),
            Cells::Float(values) => values[row].map(f64::to_bits).hash(&mut hasher),
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use heldup_model::Record;
    use heldup_model::tables::{ProcessRow, SystemRow};

    use super::*;

    fn processes(pids: &[i64]) -> RowSet {
        RowSet::increases(pids.iter().map(|pid| ProcessRow {
            pid: Some(*pid),
            start_ms: Some(pid * 10),
            ..Default::default()
        }))
    }

    fn check(before: &[i64], now: &[i64], expected: &[Option<u32>]) {
        let mut base = Vec::new();
        let keys = key_columns(ProcessRow::DEF);
        let same = match_rows(&processes(before), &processes(now), &keys, &mut base);
        let found: Vec<_> = base.into_iter().map(|row| (row != NO_ROW).then_some(row)).collect();
        assert_eq!(found, expected);
        assert_eq!(same, before == now);
    }

    #[test]
    fn rows_are_found_again_by_their_keys() {
        check(&[1, 2, 3], &[1, 2, 3], &[Some(0), Some(1), Some(2)]);
        check(&[1, 2, 3], &[1, 3, 4], &[Some(0), Some(2), None]);
        check(&[1, 2, 3], &[0, 1, 2, 3], &[None, Some(0), Some(1), Some(2)]);
        check(&[1, 2, 3], &[3, 1], &[Some(2), Some(0)]);
        check(&[1, 4], &[1, 2, 3, 4, 5], &[Some(0), None, None, Some(1), None]);
        check(&[], &[7], &[None]);
        let many: Vec<i64> = (0..100).collect();
        check(&many, &[99, 50, 100], &[Some(99), Some(50), None]);
    }

    #[test]
    fn the_only_row_of_a_table_without_keys_is_always_the_same() {
        let system = |load1| RowSet::increases([SystemRow { load1: Some(load1), ..Default::default() }]);
        let mut base = Vec::new();
        assert!(match_rows(&system(1.0), &system(2.0), &key_columns(SystemRow::DEF), &mut base));
        assert_eq!(base, [0]);
    }
}
