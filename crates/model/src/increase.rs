//! Counters: from two readings of running totals to the increase between them.

use std::collections::HashMap;

use crate::capture::Flaw;
use crate::decimal::increase_of;
use crate::rows::{Cells, Form, RowSet, Text};
use crate::table::{ColumnKind, TableDef};

#[derive(PartialEq, Eq, Hash)]
enum KeyPart<'a> {
    Int(Option<i64>),
    Bool(Option<bool>),
    Bits(Option<u64>),
    Text(Option<&'a Text>),
}

/// The rows of `now` with each counter replaced by its increase since `before`.
///
/// A counter that ran backwards, and a row that `before` did not have (unless the
/// table's rows are born at zero), become NULL: a number that may be wrong is worse
/// than none. What ran backwards is said in `flaws`, once a column.
pub fn increase(before: Option<&RowSet>, mut now: RowSet, flaws: &mut Vec<Flaw>) -> RowSet {
    if now.form == Form::Increases {
        return now;
    }
    let def = now.def;
    let matching: Vec<Option<usize>> = match before {
        None => vec![None; now.len],
        // The same rows in the same order, as most tables have them: no index is needed.
        Some(before) if key_columns(def).all(|at| before.cells[at] == now.cells[at]) => {
            (0..now.len).map(Some).collect()
        }
        Some(before) => {
            let index: HashMap<_, _> = (0..before.len).map(|row| (key(before, row), row)).collect();
            (0..now.len).map(|row| index.get(&key(&now, row)).copied()).collect()
        }
    };
    for (at, column) in def.columns.iter().enumerate() {
        if column.kind != ColumnKind::Counter {
            continue;
        }
        let from_zero = def.born_at_zero && before.is_some();
        let old = before.map(|b| &b.cells[at]);
        let backwards = subtract(&mut now.cells[at], old, &matching, from_zero);
        if backwards > 0 {
            flaws.push(Flaw {
                place: format!("{}.{}", def.name, column.name),
                what: format!("ran backwards in {backwards} row(s); left out"),
            });
        }
    }
    now.form = Form::Increases;
    now
}

fn key(set: &RowSet, row: usize) -> Vec<KeyPart<'_>> {
    key_columns(set.def)
        .map(|at| match &set.cells[at] {
            Cells::Int(v) => KeyPart::Int(v[row]),
            Cells::Bool(v) => KeyPart::Bool(v[row]),
            Cells::Float(v) => KeyPart::Bits(v[row].map(f64::to_bits)),
            Cells::Text(v) => KeyPart::Text(v[row].as_ref()),
        })
        .collect()
}

fn key_columns(def: &'static TableDef) -> impl Iterator<Item = usize> {
    def.columns.iter().enumerate().filter(|(_, c)| c.kind == ColumnKind::Key).map(|(at, _)| at)
}

/// Returns how many values ran backwards.
fn subtract(cells: &mut Cells, old: Option<&Cells>, matching: &[Option<usize>], from_zero: bool) -> usize {
    let mut backwards = 0;
    match (cells, old) {
        (Cells::Int(now), old) => {
            let old = match old {
                Some(Cells::Int(old)) => Some(old),
                _ => None,
            };
            for (value, matched) in now.iter_mut().zip(matching) {
                let base = base(old, *matched, from_zero, 0);
                *value = value.zip(base).and_then(|(n, o)| n.checked_sub(o));
                if value.is_some_and(|v| v < 0) {
                    *value = None;
                    backwards += 1;
                }
            }
        }
        (Cells::Float(now), old) => {
            let old = match old {
                Some(Cells::Float(old)) => Some(old),
                _ => None,
            };
            for (value, matched) in now.iter_mut().zip(matching) {
                let base = base(old, *matched, from_zero, 0.0);
                *value = value.zip(base).map(|(n, o)| increase_of(n, o));
                if value.is_some_and(|v| v < 0.0) {
                    *value = None;
                    backwards += 1;
                }
            }
        }
        _ => {}
    }
    backwards
}

fn base<T: Copy>(
    old: Option<&Vec<Option<T>>>,
    matched: Option<usize>,
    from_zero: bool,
    zero: T,
) -> Option<T> {
    match matched {
        Some(row) => old.and_then(|old| old[row]),
        None => from_zero.then_some(zero),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{CpuRow, ProcessRow};

    fn cpu(cpu_idx: i64, user_s: f64) -> CpuRow {
        CpuRow { cpu_idx: Some(cpu_idx), user_s: Some(user_s), ..Default::default() }
    }

    fn user(set: &RowSet) -> Vec<Option<f64>> {
        let at = set.def.position("user_s").expect("column");
        match &set.cells[at] {
            Cells::Float(v) => v.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn counters_become_increases_by_key() {
        let before = RowSet::totals([cpu(0, 1.0), cpu(1, 5.0)]);
        let now = RowSet::totals([cpu(1, 5.5), cpu(0, 3.0)]);
        let mut flaws = Vec::new();
        assert_eq!(user(&increase(Some(&before), now, &mut flaws)), [Some(0.5), Some(2.0)]);
        assert!(flaws.is_empty());
    }

    #[test]
    fn backwards_is_null_and_said() {
        let before = RowSet::totals([cpu(0, 9.0)]);
        let mut flaws = Vec::new();
        assert_eq!(user(&increase(Some(&before), RowSet::totals([cpu(0, 3.0)]), &mut flaws)), [None]);
        assert_eq!(flaws.len(), 1);
        assert_eq!(flaws[0].place, "cpu.user_s");
    }

    #[test]
    fn new_rows_are_null_unless_born_at_zero() {
        let mut flaws = Vec::new();
        let now = RowSet::totals([cpu(7, 3.0)]);
        assert_eq!(user(&increase(Some(&RowSet::totals([cpu(0, 1.0)])), now, &mut flaws)), [None]);
        let born = ProcessRow { pid: Some(9), start_ms: Some(1), user_s: Some(0.25), ..Default::default() };
        let now = RowSet::totals([born]);
        assert_eq!(user(&increase(Some(&RowSet::totals::<ProcessRow>([])), now, &mut flaws)), [Some(0.25)]);
    }

    #[test]
    fn a_first_reading_has_no_increase() {
        let mut flaws = Vec::new();
        assert_eq!(user(&increase(None, RowSet::totals([cpu(0, 3.0)]), &mut flaws)), [None]);
    }
}
