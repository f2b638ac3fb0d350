//! Counters: from two samples of running totals to the increase between them.

use std::collections::HashMap;

use crate::capture::Flaw;
use crate::decimal::increase_of;
use crate::rows::{Cells, Form, RowSet, Text};
use crate::table::{Column, ColumnKind, TableDef};

#[derive(PartialEq, Eq, Hash)]
enum KeyPart<'a> {
    Int(Option<i64>),
    Bool(Option<bool>),
    Bits(Option<u64>),
    Text(Option<&'a Text>),
}

/// A sample is not read in an instant: what started while it was read may be in it or not.
const READING_MS: i64 = 1000;

/// What a row had in the sample before.
#[derive(Clone, Copy)]
enum Earlier {
    /// The counters of this row.
    Row(usize),
    /// It was not there yet.
    Zero,
    /// Nobody knows.
    Unknown,
}

/// When the things of a table were started, where that is part of their key.
fn starts(set: &RowSet) -> Option<&Vec<Option<i64>>> {
    let at = key_columns(set.def).find(|at| set.def.columns[*at].name == "start_ms")?;
    match &set.cells[at] {
        Cells::Int(starts) => Some(starts),
        _ => None,
    }
}

/// The rows of `now` with each counter replaced by its increase since `before`.
///
/// A counter that decreased, and a row that `before` did not have (unless the
/// table's rows are born at zero), become NULL: a number that may be wrong is worse
/// than none. Decreases are reported in `flaws`, once per column.
///
/// What is older than something that `before` had was there already and was not seen: its counters are no increases
/// either.
pub fn increase(before: Option<&RowSet>, mut now: RowSet, flaws: &mut Vec<Flaw>) -> RowSet {
    if now.form == Form::Increases {
        return now;
    }
    let def = now.def;
    let matching: Vec<Earlier> = match before {
        None => vec![Earlier::Unknown; now.len],
        // The same rows in the same order, as most tables have them: no index is needed.
        Some(before) if key_columns(def).all(|at| before.cells[at] == now.cells[at]) => {
            (0..now.len).map(Earlier::Row).collect()
        }
        Some(before) => {
            let index: HashMap<_, _> = (0..before.len).map(|row| (key(before, row), row)).collect();
            let youngest = starts(before).and_then(|starts| starts.iter().flatten().max());
            let is_older = |row: usize| {
                starts(&now)
                    .and_then(|starts| starts[row])
                    .zip(youngest)
                    .is_some_and(|(start, last)| start + READING_MS < *last)
            };
            let earlier = |row: usize| match index.get(&key(&now, row)) {
                Some(row) => Earlier::Row(*row),
                None if def.born_at_zero && !is_older(row) => Earlier::Zero,
                None => Earlier::Unknown,
            };
            (0..now.len).map(earlier).collect()
        }
    };
    for (at, column) in def.columns.iter().enumerate() {
        if column.kind != ColumnKind::Counter {
            continue;
        }
        let old = before.map(|b| &b.cells[at]);
        let backwards = subtract(&mut now.cells[at], old, &matching);
        tell_backwards(def, column, backwards, flaws);
    }
    now.form = Form::Increases;
    now
}

/// As [`increase`], for repeated use: `before` becomes the reference of the next sample, and the
/// rows that are answered have its room. Nothing is copied where both have the same rows in the same order. In
/// `before` only keys and counters are of `now` afterwards.
pub fn increase_from(before: &mut RowSet, now: RowSet, flaws: &mut Vec<Flaw>) -> RowSet {
    let def = now.def;
    let has_same_rows = now.form == Form::Totals
        && now.len == before.len
        && key_columns(def).all(|at| before.cells[at] == now.cells[at]);
    if !has_same_rows {
        let old = std::mem::replace(before, now.clone());
        return increase(Some(&old), now, flaws);
    }
    let mut rows = std::mem::replace(before, now);
    rows.form = Form::Increases;
    let columns = rows.cells.iter_mut().zip(&mut before.cells).zip(def.columns);
    for ((cells, totals), column) in columns {
        match column.kind {
            ColumnKind::Counter => tell_backwards(def, column, subtract_from(cells, totals), flaws),
            ColumnKind::Key => {}
            _ => std::mem::swap(cells, totals),
        }
    }
    rows
}

fn tell_backwards(def: &TableDef, column: &Column, rows: usize, flaws: &mut Vec<Flaw>) {
    if rows > 0 {
        flaws.push(Flaw {
            place: format!("{}.{}", def.name, column.name),
            what: format!("ran backwards in {rows} row(s); left out"),
        });
    }
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

/// What a counter has grown by; none where that is not known, or it ran backwards.
pub fn increase_of_ints(now: Option<i64>, before: Option<i64>) -> Option<i64> {
    now.zip(before).and_then(|(now, before)| now.checked_sub(before)).filter(|grown| *grown >= 0)
}

/// As [`increase_of_ints`], of seconds, whose increases are reckoned in the unit that was counted.
pub fn increase_of_floats(now: Option<f64>, before: Option<f64>) -> Option<f64> {
    now.zip(before).map(|(now, before)| increase_of(now, before)).filter(|grown| *grown >= 0.0)
}

/// Returns how many values ran backwards.
fn subtract(cells: &mut Cells, old: Option<&Cells>, matching: &[Earlier]) -> usize {
    match (cells, old) {
        (Cells::Int(now), Some(Cells::Int(old))) => {
            each_less(now, matching, |earlier| base(Some(old), earlier, 0), increase_of_ints)
        }
        (Cells::Int(now), _) => each_less(now, matching, |earlier| base(None, earlier, 0), increase_of_ints),
        (Cells::Float(now), Some(Cells::Float(old))) => {
            each_less(now, matching, |earlier| base(Some(old), earlier, 0.0), increase_of_floats)
        }
        (Cells::Float(now), _) => {
            each_less(now, matching, |earlier| base(None, earlier, 0.0), increase_of_floats)
        }
        _ => 0,
    }
}

/// Puts the increases up to `now` in the place of the totals before, row by row; returns how many ran backwards.
fn subtract_from(before: &mut Cells, now: &Cells) -> usize {
    match (before, now) {
        (Cells::Int(before), Cells::Int(now)) => each_since(before, now, increase_of_ints),
        (Cells::Float(before), Cells::Float(now)) => each_since(before, now, increase_of_floats),
        _ => 0,
    }
}

fn each_since<T: Copy>(
    before: &mut [Option<T>],
    now: &[Option<T>],
    increase: fn(Option<T>, Option<T>) -> Option<T>,
) -> usize {
    let mut backwards = 0;
    for (value, total) in before.iter_mut().zip(now) {
        let base = std::mem::replace(value, increase(*total, *value));
        backwards += usize::from(total.is_some() && base.is_some() && value.is_none());
    }
    backwards
}

/// Puts increases in the place of totals; returns how many of those that are known ran backwards.
fn each_less<T: Copy>(
    now: &mut [Option<T>],
    matching: &[Earlier],
    base: impl Fn(Earlier) -> Option<T>,
    increase: fn(Option<T>, Option<T>) -> Option<T>,
) -> usize {
    let mut backwards = 0;
    for (value, matched) in now.iter_mut().zip(matching) {
        let (total, base) = (*value, base(*matched));
        *value = increase(total, base);
        backwards += usize::from(total.is_some() && base.is_some() && value.is_none());
    }
    backwards
}

fn base<T: Copy>(old: Option<&Vec<Option<T>>>, earlier: Earlier, zero: T) -> Option<T> {
    match earlier {
        Earlier::Row(row) => old.and_then(|old| old[row]),
        Earlier::Zero => Some(zero),
        Earlier::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Record;
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
    fn what_was_there_and_not_seen_is_not_born() {
        let process = |pid, start_ms, user_s| ProcessRow {
            pid: Some(pid),
            start_ms: Some(start_ms),
            user_s: Some(user_s),
            ..Default::default()
        };
        let before = RowSet::totals([process(1, 10, 5.0), process(900, 7_000, 1.0)]);
        let now = RowSet::totals([process(1, 10, 6.0), process(40, 300, 812.0), process(950, 8_000, 0.5)]);
        let grown = increase(Some(&before), now, &mut Vec::new());
        assert_eq!(user(&grown), [Some(1.0), None, Some(0.5)]);
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

    /// Three readings, of which the last has another row.
    #[test]
    fn from_reading_to_reading_it_is_the_same() {
        let row = |cpu_idx, user_s, idle_s| CpuRow { idle_s: Some(idle_s), ..cpu(cpu_idx, user_s) };
        let readings = [
            [row(0, 1.0, 9.0), row(1, 5.0, 7.0)],
            [row(0, 1.25, 9.5), row(1, 4.0, 7.5)],
            [row(0, 2.0, 9.75), row(2, 8.0, 1.0)],
            [row(0, 2.5, 9.75), row(2, 8.25, 1.5)],
        ]
        .map(RowSet::totals);
        let mut before = readings[0].clone();
        for pair in readings.windows(2) {
            let (mut flaws, mut flaws_by_pair) = (Vec::new(), Vec::new());
            let rows = increase_from(&mut before, pair[1].clone(), &mut flaws);
            let by_pair = increase(Some(&pair[0]), pair[1].clone(), &mut flaws_by_pair);
            assert_eq!((rows.form, &rows.cells, rows.len), (by_pair.form, &by_pair.cells, by_pair.len));
            assert_eq!(flaws.len(), flaws_by_pair.len());
        }
    }

    #[test]
    fn a_row_by_itself_becomes_what_it_becomes_among_others() {
        let process = |user_s: Option<f64>, read_calls: Option<i64>| ProcessRow {
            pid: Some(9),
            start_ms: Some(1),
            name: Some("sh".into()),
            threads: Some(3),
            user_s,
            read_calls,
            ..ProcessRow::default()
        };
        let now = process(Some(0.23), Some(5));
        for before in [
            None,
            Some(process(Some(0.22), Some(5))),
            Some(process(Some(0.24), Some(9))),
            Some(process(None, None)),
        ] {
            let old = RowSet::totals(before.clone());
            let rows = increase(Some(&old), RowSet::totals([now.clone()]), &mut Vec::new());
            assert_eq!(RowSet::increases([now.since(before.as_ref())]).cells, rows.cells, "{before:?}");
        }
        let grown = now.since(Some(&process(Some(0.22), Some(5))));
        assert_eq!((grown.user_s, grown.read_calls, grown.threads), (Some(0.01), Some(0), Some(3)));
        assert_eq!(now.since(None).read_calls, Some(5), "born since");
        assert_eq!(now.since(Some(&process(None, Some(9)))).read_calls, None, "backwards");
        // Of a CPU that came nothing is known.
        assert_eq!(cpu(3, 2.0).since(None).user_s, None);
        assert_eq!(cpu(3, 2.0).since(Some(&cpu(3, 1.5))).user_s, Some(0.5));
    }

    #[test]
    fn a_first_reading_has_no_increase() {
        let mut flaws = Vec::new();
        assert_eq!(user(&increase(None, RowSet::totals([cpu(0, 3.0)]), &mut flaws)), [None]);
    }
}
