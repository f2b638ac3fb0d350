//! Headings of a table of a page that stand in several rows: that of a group goes over several columns.

use crate::oracle::row::squash;

/// Columns that a table may have: more are none that a person reads.
const MOST_COLUMNS: usize = 128;

/// The headings of a table, while its rows are read.
#[derive(Debug, Default)]
pub struct Headings {
    /// Squashed, that of the group first.
    columns: Vec<String>,
    /// Rows that the heading of a column goes on for, beyond the one that was read.
    more: Vec<usize>,
    /// Whether rows of numbers came: then headings begin anew.
    is_used: bool,
}

impl Headings {
    /// Takes a row of headings, with how many columns and rows each goes over.
    pub fn take(&mut self, cells: &[String], spans: &[(usize, usize)]) {
        if self.is_used {
            *self = Headings::default();
        }
        let held: Vec<bool> = self.more.iter().map(|more| *more > 0).collect();
        for more in &mut self.more {
            *more = more.saturating_sub(1);
        }
        let mut column = 0;
        for (cell, (columns, rows)) in cells.iter().zip(spans) {
            for _ in 0..*columns {
                while held.get(column).copied().unwrap_or(false) {
                    column += 1;
                }
                if column >= MOST_COLUMNS {
                    return;
                }
                if column >= self.columns.len() {
                    self.columns.push(String::new());
                    self.more.push(0);
                }
                self.columns[column].push_str(&squash(cell));
                self.more[column] = rows - 1;
                column += 1;
            }
        }
    }

    /// What stands above the rows that follow.
    pub fn below(&mut self) -> &[String] {
        self.is_used = true;
        &self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[&[(&str, usize, usize)]], expect: &[&str]) {
        let mut headings = Headings::default();
        for row in rows {
            let cells: Vec<String> = row.iter().map(|(cell, ..)| (*cell).to_owned()).collect();
            let spans: Vec<(usize, usize)> = row.iter().map(|(_, columns, rows)| (*columns, *rows)).collect();
            headings.take(&cells, &spans);
        }
        assert_eq!(headings.below(), expect);
    }

    #[test]
    fn groups_stand_before_their_columns() {
        check(&[&[("I#", 1, 1), ("Waits", 1, 1)]], &["i", "waits"]);
        let groups: &[&[(&str, usize, usize)]] =
            &[&[("", 1, 1), ("DB Cache", 2, 1)], &[("I#", 1, 1), ("Begin", 1, 1), ("End", 1, 1)]];
        check(groups, &["i", "dbcachebegin", "dbcacheend"]);
        let over: &[&[(&str, usize, usize)]] =
            &[&[("I#", 1, 2), ("Load", 2, 1), ("Cores", 1, 2)], &[("Begin", 1, 1), ("End", 1, 1)]];
        check(over, &["i", "loadbegin", "loadend", "cores"]);
    }

    #[test]
    fn headings_begin_anew_behind_rows() {
        let mut headings = Headings::default();
        headings.take(&["A".to_owned()], &[(1, 1)]);
        assert_eq!(headings.below(), ["a"]);
        headings.take(&["B".to_owned()], &[(1, 1)]);
        assert_eq!(headings.below(), ["b"]);
    }
}
