//! Finding and grouping rows by the values of integer and text columns.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use super::column::{Column, NO_WORD};

/// Hashes the integers that identify groups. Names go through the standard hasher
/// before they become codes, so that nobody outside can choose what is hashed here
/// beyond process and thread numbers.
#[derive(Default)]
pub(super) struct IntHasher(u64);

impl Hasher for IntHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // The odd integer nearest to 2^64 over the golden ratio spreads neighbours (Knuth, vol. 3, 6.4).
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}

/// Group by the group so far and the key that refines it.
type GroupMap = HashMap<(u32, Key), u32, BuildHasherDefault<IntHasher>>;

/// What a row is looked up or grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// NULL; asked for with IS.
    Null,
    /// An integer.
    Int(i64),
    /// The code of a word.
    Word(u32),
}

/// The key of a row in a column. Floats have none: they are not looked up by.
#[inline]
pub(super) fn key(column: &Column, row: usize) -> Key {
    match column {
        Column::Int(values) => values.get(row).map_or(Key::Null, Key::Int),
        Column::Float(_) => Key::Null,
        Column::Text(texts) => match texts.code(row) {
            NO_WORD => Key::Null,
            code => Key::Word(code),
        },
    }
}

/// Rows by the value of one column, each list in row order.
#[derive(Debug)]
pub(super) struct KeyIndex {
    group_of: GroupMap,
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl KeyIndex {
    /// Sorts all rows of a column by value.
    pub(super) fn build(column: &Column, rows: u32) -> KeyIndex {
        let (runs, group_of) = refine(&[Run { start: 0, end: rows, group: 0 }], column);
        let mut starts = vec![0_u32; group_of.len() + 1];
        let mut sorted = Vec::with_capacity(rows as usize);
        for run in sort_by_group(&runs, group_of.len()) {
            sorted.extend(run.start..run.end);
            if let Some(start) = starts.get_mut(run.group as usize + 1) {
                *start = sorted.len() as u32;
            }
        }
        KeyIndex { group_of, starts, rows: sorted }
    }

    /// The rows that have the key, in row order.
    pub(super) fn rows(&self, key: Key) -> &[u32] {
        let range = || {
            let group = *self.group_of.get(&(0, key))? as usize;
            let (from, to) = (*self.starts.get(group)?, *self.starts.get(group + 1)?);
            self.rows.get(from as usize..to as usize)
        };
        range().unwrap_or(&[])
    }

    /// Number of different values.
    pub(super) fn distinct(&self) -> usize {
        self.group_of.len()
    }
}

/// Rows that follow each other, from `start` until before `end`; never none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Among which group they are, so far.
    group: u32,
}

/// Adds a row behind the others, which are before it.
#[inline]
pub(super) fn add_row(runs: &mut Vec<Run>, row: u32) {
    match runs.last_mut() {
        Some(last) if last.end == row => last.end = row + 1,
        _ => runs.push(Run { start: row, end: row + 1, group: 0 }),
    }
}

/// Adds rows that follow each other behind the others.
pub(super) fn add_rows(runs: &mut Vec<Run>, rows: Range<u32>) {
    if !rows.is_empty() {
        runs.push(Run { start: rows.start, end: rows.end, group: 0 });
    }
}

/// The rows in an order in which those with equal values in all columns are neighbours:
/// what GROUP BY needs, without a sort.
///
/// Rows of sealed files lie by entity: a minute's sixty rows of a process are one run, which is
/// compared once and moved once.
pub(super) fn grouped<'a>(mut runs: Vec<Run>, columns: impl Iterator<Item = &'a Column>) -> Vec<Run> {
    let mut count = 1;
    for column in columns {
        let (refined, groups) = refine(&runs, column);
        (runs, count) = (refined, groups.len());
    }
    sort_by_group(&runs, count)
}

/// Splits runs and their groups by the values of one more column.
fn refine(runs: &[Run], column: &Column) -> (Vec<Run>, GroupMap) {
    let mut group_of = GroupMap::default();
    let mut refined = Vec::with_capacity(runs.len());
    for run in runs {
        let mut start = run.start;
        while start < run.end {
            let end = column.end_of_run(start as usize, run.end as usize) as u32;
            let next = group_of.len() as u32;
            let group = *group_of.entry((run.group, key(column, start as usize))).or_insert(next);
            refined.push(Run { start, end, group });
            start = end;
        }
    }
    (refined, group_of)
}

/// Counting sort of runs by group; within a group they stay in order.
fn sort_by_group(runs: &[Run], count: usize) -> Vec<Run> {
    let mut next = vec![0_usize; count + 1];
    for run in runs {
        if let Some(start) = next.get_mut(run.group as usize + 1) {
            *start += 1;
        }
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut sorted = runs.to_vec();
    for run in runs {
        if let Some(at) = next.get_mut(run.group as usize) {
            if let Some(place) = sorted.get_mut(*at) {
                *place = *run;
            }
            *at += 1;
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use heldup_model::ColumnType;

    use super::*;

    fn columns() -> (Column, Column) {
        let ids: ArrayRef =
            Arc::new(Int64Array::from(vec![Some(7), Some(7), None, None, Some(7), Some(8), Some(8)]));
        let names: ArrayRef = Arc::new(StringArray::from(vec![
            Some("a"),
            Some("b"),
            Some("b"),
            Some("b"),
            Some("a"),
            None,
            None,
        ]));
        let rows = RecordBatch::try_from_iter([("id", ids), ("name", names)]).expect("rows");
        let of = |name, ty| Column::join(std::slice::from_ref(&rows), name, ty);
        (of("id", ColumnType::Int), of("name", ColumnType::Text))
    }

    fn rows(runs: &[Run]) -> Vec<u32> {
        runs.iter().flat_map(|run| run.start..run.end).collect()
    }

    #[test]
    fn rows_with_equal_keys_become_neighbours() {
        let (ids, names) = columns();
        let all = |rows: Range<u32>| {
            let mut runs = Vec::new();
            add_rows(&mut runs, rows);
            runs
        };
        assert_eq!(rows(&grouped(all(0..7), [&ids].into_iter())), [0, 1, 4, 2, 3, 5, 6]);
        assert_eq!(rows(&grouped(all(0..7), [&ids, &names].into_iter())), [0, 4, 1, 2, 3, 5, 6]);
        assert_eq!(rows(&grouped(all(1..5), [&names].into_iter())), [1, 2, 3, 4]);
        assert_eq!(grouped(all(3..3), [&names].into_iter()), []);
        let mut some = Vec::new();
        [0, 3, 4, 6].into_iter().for_each(|row| add_row(&mut some, row));
        assert_eq!(rows(&grouped(some, [&names].into_iter())), [0, 4, 3, 6]);
    }

    #[test]
    fn an_index_has_all_rows_of_a_key() {
        let (ids, names) = columns();
        let index = KeyIndex::build(&ids, 7);
        assert_eq!(index.rows(Key::Int(7)), [0, 1, 4]);
        assert_eq!(index.rows(Key::Null), [2, 3]);
        assert!(index.rows(Key::Int(9)).is_empty());
        assert_eq!(index.distinct(), 3);
        let index = KeyIndex::build(&names, 7);
        assert_eq!(index.rows(Key::Word(1)), [1, 2, 3]);
        assert_eq!(index.rows(Key::Null), [5, 6]);
        assert_eq!(KeyIndex::build(&ids, 0).distinct(), 0);
    }
}
