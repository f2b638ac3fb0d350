//! One reading of one table as what changed since the reading before.
//!
//! A row is described from the one that it was, or, where it is new, from the row above it: a
//! mask of the columns that differ, and their values in the order of columns. Runs of rows
//! that did not change, or changed in the same columns, are one operation. The description
//! knows nothing of keys: whoever reads it needs to know only the rows before.

use heldup_model::{Cells, RowChanges, RowSet, Step, Text};

use super::bytes::{put_count, put_float, zigzag};
use super::matching::{NO_ROW, match_rows};
use super::words::Words;

/// Columns that a mask has room for; the widest table has 37.
pub(super) const MAX_COLUMNS: usize = 64;

/// So many rows as they were.
pub(super) const SAME: u64 = 0;
/// So many rows that differ in the columns in which the last changed row did.
pub(super) const CHANGED_AGAIN: u64 = 1;
/// One row that differs; its mask follows.
pub(super) const CHANGED: u64 = 2;
/// One new row, described from the row above it; its mask follows.
pub(super) const NEW: u64 = 3;
/// So many new rows with the mask of the last new one.
pub(super) const NEW_AGAIN: u64 = 4;
/// So many rows are gone.
pub(super) const GONE: u64 = 5;
/// Goes on at that row of the reading before.
pub(super) const AT: u64 = 6;
/// So many rows that differ in the columns in which the last changed row did, all by the same values,
/// which are written once.
pub(super) const CHANGED_ALIKE: u64 = 7;
/// Operations are the low bits of a number, the rest is how many or where.
pub(super) const OPERATION_BITS: u32 = 3;

/// Room that is used again and again.
#[derive(Default)]
pub(super) struct Scratch {
    base: Vec<u32>,
    masks: Vec<u64>,
}

/// Appends the rows of a reading; `before` and `now` are of one table.
pub(super) fn put_rows(
    out: &mut Vec<u8>,
    before: Option<&RowSet>,
    now: &RowSet,
    keys: &[usize],
    words: &mut Words,
    scratch: &mut Scratch,
) {
    let Scratch { base, masks } = scratch;
    let same_rows = match before {
        Some(before) => match_rows(before, now, keys, base),
        None => {
            base.clear();
            base.resize(now.len, NO_ROW);
            false
        }
    };
    masks.clear();
    masks.resize(now.len, 0);
    for (at, cells) in now.cells.iter().enumerate() {
        let old = before.map(|before| &before.cells[at]);
        mark(cells, old, base, same_rows, 1 << at, masks);
    }
    let sides = Sides { before, now };
    put_operations(out, &sides, base, masks, words);
}

/// Appends the rows of a reading that are given as changes.
pub(super) fn put_changes(out: &mut Vec<u8>, changes: &RowChanges, words: &mut Words, scratch: &mut Scratch) {
    let Scratch { base, masks } = scratch;
    base.clear();
    let mut olds = 0;
    for step in &changes.steps {
        match step {
            Step::Same { .. } | Step::But { .. } => {}
            Step::New => base.push(NO_ROW),
            Step::Changed { .. } => {
                base.push(olds);
                olds += 1;
            }
        }
    }
    masks.clear();
    masks.resize(changes.now.len, 0);
    for (at, (now, old)) in changes.now.cells.iter().zip(&changes.old.cells).enumerate() {
        mark(now, Some(old), base, false, 1 << at, masks);
    }
    let sides = Sides { before: Some(&changes.old), now: &changes.now };
    let mut operations = Operations::default();
    let mut told = 0;
    for step in &changes.steps {
        match *step {
            Step::Same { at, rows } => operations.put_same(out, at, rows),
            Step::But { at, rows } => operations.put_but(out, at, rows, changes.but),
            Step::Changed { .. } | Step::New => {
                operations.put_told(out, *step, masks[told]);
                put_values(out, &sides, told, base[told], masks[told], words);
                told += 1;
            }
        }
    }
}

/// Operations of rows that are given as changes, and where they are in the reading before.
#[derive(Default)]
struct Operations {
    next_old: usize,
    last_changed: Option<u64>,
    last_new: Option<u64>,
}

impl Operations {
    fn go_to(&mut self, out: &mut Vec<u8>, at: usize, rows: usize) {
        put_place(out, self.next_old, at);
        self.next_old = at + rows;
    }

    fn put_same(&mut self, out: &mut Vec<u8>, at: usize, rows: usize) {
        self.go_to(out, at, rows);
        put_count(out, (rows as u64) << OPERATION_BITS | SAME);
    }

    /// Rows that differ in one value, which they have in common.
    fn put_but(&mut self, out: &mut Vec<u8>, at: usize, rows: usize, but: Option<(usize, f64)>) {
        let Some((column, value)) = but else { return self.put_same(out, at, rows) };
        self.go_to(out, at, rows);
        let (mask, mut left) = (1 << column, rows);
        if self.last_changed != Some(mask) {
            put_operation(out, (CHANGED, CHANGED_AGAIN), &mut self.last_changed, mask, 1);
            put_float(out, Some(value));
            left -= 1;
        }
        if left > 0 {
            put_count(out, (left as u64) << OPERATION_BITS | CHANGED_ALIKE);
            put_float(out, Some(value));
        }
    }

    /// One row of its own, but for its values.
    fn put_told(&mut self, out: &mut Vec<u8>, step: Step, mask: u64) {
        match step {
            Step::Changed { at } if mask == 0 => self.put_same(out, at, 1),
            Step::Changed { at } => {
                self.go_to(out, at, 1);
                put_operation(out, (CHANGED, CHANGED_AGAIN), &mut self.last_changed, mask, 1);
            }
            _ => put_operation(out, (NEW, NEW_AGAIN), &mut self.last_new, mask, 1),
        }
    }
}

/// Goes on at another row of the reading before than the next, where it is another.
fn put_place(out: &mut Vec<u8>, next_old: usize, old: usize) {
    match old.checked_sub(next_old) {
        Some(0) => {}
        Some(gone) => put_count(out, (gone as u64) << OPERATION_BITS | GONE),
        None => put_count(out, (old as u64) << OPERATION_BITS | AT),
    }
}

/// Sets a bit in the mask of each row that differs from its base in one column.
fn mark(now: &Cells, old: Option<&Cells>, base: &[u32], same_rows: bool, bit: u64, masks: &mut [u64]) {
    match (now, old) {
        (Cells::Int(now), Some(Cells::Int(old))) => {
            differing(now, old, base, same_rows, bit, masks, |a, b| a != b)
        }
        (Cells::Int(now), _) => differing(now, &[], base, same_rows, bit, masks, |a, b| a != b),
        (Cells::Bool(now), Some(Cells::Bool(old))) => {
            differing(now, old, base, same_rows, bit, masks, |a, b| a != b);
        }
        (Cells::Bool(now), _) => differing(now, &[], base, same_rows, bit, masks, |a, b| a != b),
        (Cells::Float(now), Some(Cells::Float(old))) => {
            differing(now, old, base, same_rows, bit, masks, other_bits);
        }
        (Cells::Float(now), _) => differing(now, &[], base, same_rows, bit, masks, other_bits),
        (Cells::Text(now), Some(Cells::Text(old))) => {
            differing(now, old, base, same_rows, bit, masks, other_text);
        }
        (Cells::Text(now), _) => differing(now, &[], base, same_rows, bit, masks, other_text),
    }
}

fn other_bits(a: &Option<f64>, b: &Option<f64>) -> bool {
    a.map(f64::to_bits) != b.map(f64::to_bits)
}

/// Sources often repeat the very same text.
fn other_text(a: &Option<Text>, b: &Option<Text>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => !Text::ptr_eq(a, b) && a != b,
        (a, b) => a.is_some() != b.is_some(),
    }
}

fn differing<T: Default>(
    now: &[T],
    old: &[T],
    base: &[u32],
    same_rows: bool,
    bit: u64,
    masks: &mut [u64],
    differ: impl Fn(&T, &T) -> bool,
) {
    if same_rows {
        for ((mask, now), old) in masks.iter_mut().zip(now).zip(old) {
            *mask |= bit * u64::from(differ(now, old));
        }
        return;
    }
    let null = T::default();
    let mut above = &null;
    for ((mask, now), base) in masks.iter_mut().zip(now).zip(base) {
        // A row without a base is described from the one above it.
        let from = old.get(*base as usize).unwrap_or(above);
        *mask |= bit * u64::from(differ(now, from));
        above = now;
    }
}

/// The two readings.
struct Sides<'a> {
    before: Option<&'a RowSet>,
    now: &'a RowSet,
}

fn put_operations(out: &mut Vec<u8>, sides: &Sides, base: &[u32], masks: &[u64], words: &mut Words) {
    let (mut row, mut next_old) = (0, 0);
    let (mut last_changed, mut last_new) = (None, None);
    while row < base.len() {
        let mask = masks[row];
        let run = |follows: &dyn Fn(usize) -> bool| {
            let alike = (row + 1..base.len()).take_while(|at| masks[*at] == mask && follows(*at));
            1 + alike.count()
        };
        let length;
        if base[row] == NO_ROW {
            length = match last_new == Some(mask) {
                true => run(&|at| base[at] == NO_ROW),
                false => 1,
            };
            put_operation(out, (NEW, NEW_AGAIN), &mut last_new, mask, length);
        } else {
            let old = base[row] as usize;
            put_place(out, next_old, old);
            length = match mask == 0 || last_changed == Some(mask) {
                true => run(&|at| base[at] as usize == old + at - row),
                false => 1,
            };
            match mask {
                0 => put_count(out, (length as u64) << OPERATION_BITS | SAME),
                _ => put_operation(out, (CHANGED, CHANGED_AGAIN), &mut last_changed, mask, length),
            }
            next_old = old + length;
        }
        for (at, base) in (row..row + length).zip(&base[row..]) {
            put_values(out, sides, at, *base, mask, words);
        }
        row += length;
    }
}

/// Rows with a mask: with it where it is another than before.
fn put_operation(out: &mut Vec<u8>, codes: (u64, u64), last: &mut Option<u64>, mask: u64, length: usize) {
    if *last == Some(mask) {
        put_count(out, (length as u64) << OPERATION_BITS | codes.1);
    } else {
        put_count(out, codes.0);
        put_count(out, mask);
        *last = Some(mask);
    }
}

/// The values of a row in the columns of its mask.
fn put_values(out: &mut Vec<u8>, sides: &Sides, row: usize, base: u32, mask: u64, words: &mut Words) {
    let mut left = mask;
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        left &= left - 1;
        match &sides.now.cells[at] {
            Cells::Int(values) => put_int(out, values[row], base_int(sides, at, row, base)),
            Cells::Float(values) => put_float(out, values[row]),
            Cells::Bool(values) => out.push(values[row].map_or(0, |value| 1 + u8::from(value))),
            Cells::Text(values) => {
                put_count(out, values[row].as_ref().map_or(0, |text| u64::from(words.number(text)) + 1));
            }
        }
    }
}

fn base_int(sides: &Sides, at: usize, row: usize, base: u32) -> Option<i64> {
    let value = |set: &RowSet, row: usize| match &set.cells[at] {
        Cells::Int(values) => values.get(row).copied().flatten(),
        _ => None,
    };
    match base {
        NO_ROW => row.checked_sub(1).and_then(|above| value(sides.now, above)),
        old => sides.before.and_then(|before| value(before, old as usize)),
    }
}

/// The difference to the base. Zero is NULL where the base has a value, since one that did not
/// change is not written; where the base is NULL the value itself is, from zero.
fn put_int(out: &mut Vec<u8>, value: Option<i64>, base: Option<i64>) {
    put_count(out, value.map_or(0, |value| zigzag(value.wrapping_sub(base.unwrap_or(0)))));
}
