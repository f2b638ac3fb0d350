//! The rows of a reading from what changed since the reading before: what `row_delta` wrote.
//!
//! Nothing in a file is trusted beyond its checksum: every number is held against what there is.

use std::cmp::Ordering;

use super::bytes::{Bytes, unzigzag};
use super::row_delta::{
    AT, CHANGED, CHANGED_AGAIN, CHANGED_ALIKE, GONE, MAX_COLUMNS, NEW, NEW_AGAIN, OPERATION_BITS, SAME,
};
use heldup_model::{ColumnType, Text};

/// Rows that a reading may have: 10,000 tasks in all their classes of time are 200,000.
const MAX_ROWS: usize = 1 << 20;

/// The values of one column, text as the numbers of words.
#[derive(Clone, Debug)]
pub(super) enum Column {
    Int(Vec<Option<i64>>),
    Float(Vec<Option<f64>>),
    Bool(Vec<Option<bool>>),
    Text(Vec<Option<u32>>),
}

impl Column {
    pub(super) fn of(ty: ColumnType) -> Column {
        match ty {
            ColumnType::Int => Column::Int(Vec::new()),
            ColumnType::Float => Column::Float(Vec::new()),
            ColumnType::Bool => Column::Bool(Vec::new()),
            ColumnType::Text => Column::Text(Vec::new()),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Column::Int(values) => values.clear(),
            Column::Float(values) => values.clear(),
            Column::Bool(values) => values.clear(),
            Column::Text(values) => values.clear(),
        }
    }

    /// Appends so many rows of another column of the type, from one on.
    pub(super) fn extend(&mut self, from: &Column, start: usize, rows: usize) {
        let range = start..start + rows;
        match (self, from) {
            (Column::Int(to), Column::Int(from)) => to.extend_from_slice(&from[range]),
            (Column::Float(to), Column::Float(from)) => to.extend_from_slice(&from[range]),
            (Column::Bool(to), Column::Bool(from)) => to.extend_from_slice(&from[range]),
            (Column::Text(to), Column::Text(from)) => to.extend_from_slice(&from[range]),
            (to, _) => to.extend_null(rows),
        }
    }

    pub(super) fn extend_null(&mut self, rows: usize) {
        match self {
            Column::Int(values) => values.resize(values.len() + rows, None),
            Column::Float(values) => values.resize(values.len() + rows, None),
            Column::Bool(values) => values.resize(values.len() + rows, None),
            Column::Text(values) => values.resize(values.len() + rows, None),
        }
    }

    /// The values in another order.
    pub(super) fn permute(&mut self, order: &[u32]) {
        match self {
            Column::Int(values) => *values = order.iter().map(|row| values[*row as usize]).collect(),
            Column::Float(values) => *values = order.iter().map(|row| values[*row as usize]).collect(),
            Column::Bool(values) => *values = order.iter().map(|row| values[*row as usize]).collect(),
            Column::Text(values) => *values = order.iter().map(|row| values[*row as usize]).collect(),
        }
    }

    /// How two rows are ordered: NULL first, texts by their words.
    pub(super) fn compare(&self, a: usize, b: usize, words: &[Text]) -> Ordering {
        let word = |number: Option<u32>| number.and_then(|number| words.get(number as usize));
        match self {
            Column::Int(values) => values[a].cmp(&values[b]),
            Column::Bool(values) => values[a].cmp(&values[b]),
            Column::Float(values) => values[a].partial_cmp(&values[b]).unwrap_or(Ordering::Equal),
            Column::Text(values) if values[a] == values[b] => Ordering::Equal,
            Column::Text(values) => word(values[a]).cmp(&word(values[b])),
        }
    }

    /// Appends the last row once more; NULL where there is none.
    fn repeat_last(&mut self) {
        match self {
            Column::Int(values) => values.push(values.last().copied().flatten()),
            Column::Float(values) => values.push(values.last().copied().flatten()),
            Column::Bool(values) => values.push(values.last().copied().flatten()),
            Column::Text(values) => values.push(values.last().copied().flatten()),
        }
    }

    /// Replaces the last values, which are their bases, by the one that is written.
    fn change_last(&mut self, rows: usize, bytes: &mut Bytes, words: usize) -> Option<()> {
        match self {
            Column::Int(values) => {
                let code = bytes.count()?;
                for last in tail(values, rows)? {
                    *last = match *last {
                        Some(_) if code == 0 => None,
                        base => Some(base.unwrap_or(0).wrapping_add(unzigzag(code))),
                    };
                }
            }
            Column::Float(values) => tail(values, rows)?.fill(bytes.float()?),
            Column::Bool(values) => {
                let value = match bytes.byte()? {
                    0 => None,
                    1 => Some(false),
                    2 => Some(true),
                    _ => return None,
                };
                tail(values, rows)?.fill(value);
            }
            Column::Text(values) => {
                let number = match bytes.size()?.checked_sub(1) {
                    None => None,
                    Some(number) if number < words => Some(number as u32),
                    Some(_) => return None,
                };
                tail(values, rows)?.fill(number);
            }
        }
        Some(())
    }
}

/// The last values of a column.
fn tail<T>(values: &mut [T], rows: usize) -> Option<&mut [T]> {
    let first = values.len().checked_sub(rows)?;
    values.get_mut(first..)
}

/// Reads `rows` rows that build on those of `before` into `now`, whose columns are emptied first.
/// `None` where the bytes are not what a writer writes.
pub(super) fn read_rows(
    bytes: &mut Bytes,
    before: &[Column],
    before_rows: usize,
    rows: usize,
    words: usize,
    now: &mut [Column],
) -> Option<()> {
    if rows > MAX_ROWS || now.len() > MAX_COLUMNS {
        return None;
    }
    now.iter_mut().for_each(Column::clear);
    let (mut done, mut next_old) = (0_usize, 0_usize);
    let (mut last_changed, mut last_new) = (None, None);
    while done < rows {
        let code = bytes.count()?;
        let amount = usize::try_from(code >> OPERATION_BITS).ok()?;
        let operation = code & ((1 << OPERATION_BITS) - 1);
        match operation {
            GONE => next_old = next_old.checked_add(amount).filter(|old| *old <= before_rows)?,
            AT => next_old = Some(amount).filter(|old| *old <= before_rows)?,
            SAME => {
                if amount > rows - done || amount > before_rows - next_old {
                    return None;
                }
                for (to, from) in now.iter_mut().zip(before) {
                    to.extend(from, next_old, amount);
                }
                next_old += amount;
                done += amount;
            }
            CHANGED | CHANGED_AGAIN => {
                let (mask, amount) = mask_of(bytes, operation == CHANGED, amount, &mut last_changed)?;
                if amount > rows - done || amount > before_rows - next_old {
                    return None;
                }
                for old in next_old..next_old + amount {
                    now.iter_mut().zip(before).for_each(|(to, from)| to.extend(from, old, 1));
                    change_rows(bytes, now, mask, 1, words)?;
                }
                next_old += amount;
                done += amount;
            }
            CHANGED_ALIKE => {
                if amount > rows - done || amount > before_rows - next_old {
                    return None;
                }
                for (to, from) in now.iter_mut().zip(before) {
                    to.extend(from, next_old, amount);
                }
                change_rows(bytes, now, last_changed?, amount, words)?;
                next_old += amount;
                done += amount;
            }
            NEW | NEW_AGAIN => {
                let (mask, amount) = mask_of(bytes, operation == NEW, amount, &mut last_new)?;
                if amount > rows - done {
                    return None;
                }
                for _ in 0..amount {
                    now.iter_mut().for_each(Column::repeat_last);
                    change_rows(bytes, now, mask, 1, words)?;
                }
                done += amount;
            }
            _ => return None,
        }
    }
    bytes.0.is_empty().then_some(())
}

/// The mask of the next rows and how many they are.
fn mask_of(bytes: &mut Bytes, follows: bool, amount: usize, last: &mut Option<u64>) -> Option<(u64, usize)> {
    if follows {
        *last = Some(bytes.count()?);
    }
    Some(((*last)?, if follows { 1 } else { amount }))
}

/// Changes the last rows, in the columns of a mask, to the values that follow once.
fn change_rows(bytes: &mut Bytes, now: &mut [Column], mask: u64, rows: usize, words: usize) -> Option<()> {
    let mut left = mask;
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        left &= left - 1;
        now.get_mut(at)?.change_last(rows, bytes, words)?;
    }
    Some(())
}
