//! Finding and grouping rows by the values of integer and text columns.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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
        let all: Vec<u32> = (0..rows).collect();
        let mut groups = vec![0; all.len()];
        let group_of = refine(&mut groups, &all, column);
        let (starts, rows) = sort_by_group(&groups, &all, group_of.len());
        KeyIndex { group_of, starts, rows }
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

/// The rows in an order in which those with equal values in all columns are neighbours:
/// what GROUP BY needs, without a sort.
pub(super) fn grouped<'a>(rows: &[u32], columns: impl Iterator<Item = &'a Column>) -> Vec<u32> {
    let mut groups = vec![0; rows.len()];
    let mut count = 1;
    for column in columns {
        count = refine(&mut groups, rows, column).len();
    }
    sort_by_group(&groups, rows, count).1
}

/// Splits groups by the values of one more column.
fn refine(groups: &mut [u32], rows: &[u32], column: &Column) -> GroupMap {
    let mut group_of = GroupMap::default();
    let mut last = None;
    for (group, row) in groups.iter_mut().zip(rows) {
        let wanted = (*group, key(column, *row as usize));
        let refined = match last {
            // Neighbours often share their values; a comparison is cheaper than a look-up.
            Some((same, refined)) if same == wanted => refined,
            _ => {
                let next = group_of.len() as u32;
                *group_of.entry(wanted).or_insert(next)
            }
        };
        last = Some((wanted, refined));
        *group = refined;
    }
    group_of
}

/// Counting sort of rows by group: where each group starts, and the rows.
fn sort_by_group(groups: &[u32], rows: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; count + 1];
    for group in groups {
        if let Some(start) = starts.get_mut(*group as usize + 1) {
            *start += 1;
        }
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut sorted = vec![0; rows.len()];
    for (group, row) in groups.iter().zip(rows) {
        if let Some(at) = next.get_mut(*group as usize) {
            if let Some(place) = sorted.get_mut(*at as usize) {
                *place = *row;
            }
            *at += 1;
        }
    }
    (starts, sorted)
}
