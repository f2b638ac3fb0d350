//! Rows of a sample as changes since the previous sample, for sources that know these without
//! comparing: of 2,000 processes seven in eight do nothing in a second, and to make their rows, to find
//! each of them again and to see that nothing in it differs costs more than to read all the others.

use crate::rows::{Cells, Form, Record, RowSet};
use crate::table::{ColumnType, TableDef};

/// What the next rows of a sample are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many rows as they were, from row `at` of the previous sample.
    Same {
        /// The first of them there.
        at: usize,
        /// How many.
        rows: usize,
    },
    /// The same, but for the one value of [`RowChanges::but`].
    But {
        /// The first of them there.
        at: usize,
        /// How many.
        rows: usize,
    },
    /// The next row of [`RowChanges::now`]; the next of [`RowChanges::old`] is what it was.
    Changed {
        /// Where it was in the previous sample.
        at: usize,
    },
    /// The next row of [`RowChanges::now`], which was not there. The row above it is one of `now` too.
    New,
}

/// Rows of one sample, whose counters are increases, on top of those of the previous sample.
#[derive(Clone, Debug)]
pub struct RowChanges {
    /// The table.
    pub def: &'static TableDef,
    /// Rows of the previous sample.
    pub before: usize,
    /// Rows.
    pub len: usize,
    /// What they are, in their order.
    pub steps: Vec<Step>,
    /// A column of floats, and its value in the rows of [`Step::But`].
    pub but: Option<(usize, f64)>,
    /// Complete rows.
    pub now: RowSet,
    /// Their previous values, for those that existed before.
    pub old: RowSet,
}

impl RowChanges {
    /// No rows yet, after a sample of so many.
    pub fn new(def: &'static TableDef, before: usize) -> RowChanges {
        let none = RowSet::empty(def, Form::Increases);
        RowChanges { def, before, len: 0, steps: Vec::new(), but: None, now: none.clone(), old: none }
    }

    /// Capacity for as many complete rows as the previous sample had: a column grown row by row is
    /// moved a dozen times, and there are two dozen columns.
    pub fn with_room_of(mut self, before: usize) -> RowChanges {
        self.now.reserve(before);
        self.old.reserve(before);
        self
    }

    /// The value of a column of floats in all rows of [`RowChanges::but`].
    pub fn with_but(self, column: &str, value: f64) -> RowChanges {
        let at = self.def.position(column).filter(|at| self.def.columns[*at].ty == ColumnType::Float);
        RowChanges { but: at.map(|at| (at, value)), ..self }
    }

    /// A row is as it was.
    pub fn same(&mut self, row: usize) {
        self.len += 1;
        match self.steps.last_mut() {
            Some(Step::Same { at, rows }) if *at + *rows == row => *rows += 1,
            _ => self.steps.push(Step::Same { at: row, rows: 1 }),
        }
    }

    /// A row is as it was but for the one value.
    pub fn same_but(&mut self, row: usize) {
        self.len += 1;
        match self.steps.last_mut() {
            Some(Step::But { at, rows }) if *at + *rows == row => *rows += 1,
            _ => self.steps.push(Step::But { at: row, rows: 1 }),
        }
    }

    /// A row is another than it was.
    pub fn changed<R: Record>(&mut self, row: usize, old: R, now: R) {
        push(&mut self.old, old);
        push(&mut self.now, now);
        self.len += 1;
        self.steps.push(Step::Changed { at: row });
    }

    /// A new row. If [`RowChanges::lacks_row_above`], that one must be added in full first.
    pub fn new_row<R: Record>(&mut self, now: R) {
        push(&mut self.now, now);
        self.len += 1;
        self.steps.push(Step::New);
    }

    /// Whether the last row is not complete; a new row after it is described from it.
    pub fn lacks_row_above(&self) -> bool {
        matches!(self.steps.last(), Some(Step::Same { .. } | Step::But { .. }))
    }

    /// Removes the last, incomplete row, so that it can be added in full; returns its position.
    pub fn take_back(&mut self) -> Option<usize> {
        let (Step::Same { at, rows } | Step::But { at, rows }) = self.steps.last_mut()? else { return None };
        *rows -= 1;
        let (row, is_empty) = (*at + *rows, *rows == 0);
        if is_empty {
            self.steps.pop();
        }
        self.len -= 1;
        Some(row)
    }

    /// All rows whole, from those of the previous sample; none where these are not the rows that
    /// the changes are about.
    pub fn on(&self, before: &RowSet) -> Option<RowSet> {
        if before.def.name != self.def.name || before.len != self.before {
            return None;
        }
        let mut all = RowSet::empty(self.def, Form::Increases);
        let mut told = 0;
        for step in &self.steps {
            let (from, first, rows) = match *step {
                Step::Same { at, rows } | Step::But { at, rows } => (before, at, rows),
                Step::Changed { .. } | Step::New => (&self.now, told, 1),
            };
            if first + rows > from.len {
                return None;
            }
            for (to, from) in all.cells.iter_mut().zip(&from.cells) {
                to.extend_from(from, first, rows);
            }
            all.len += rows;
            match step {
                Step::But { rows, .. } => self.set_but(&mut all, *rows),
                Step::Changed { .. } | Step::New => told += 1,
                Step::Same { .. } => {}
            }
        }
        Some(all)
    }

    fn set_but(&self, all: &mut RowSet, rows: usize) {
        let Some((column, value)) = self.but else { return };
        if let Cells::Float(values) = &mut all.cells[column] {
            let first = values.len().saturating_sub(rows);
            values[first..].fill(Some(value));
        }
    }
}

fn push<R: Record>(set: &mut RowSet, row: R) {
    row.push_to(&mut set.cells);
    set.len += 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::CpuRow;

    fn cpu(cpu_idx: i64, user_s: f64) -> CpuRow {
        CpuRow { cpu_idx: Some(cpu_idx), user_s: Some(user_s), ..CpuRow::default() }
    }

    fn rows(of: &[(i64, f64)]) -> RowSet {
        RowSet::increases(of.iter().map(|(cpu_idx, user_s)| cpu(*cpu_idx, *user_s)))
    }

    #[test]
    fn changes_on_rows_are_rows() {
        let before = rows(&[(0, 0.5), (1, 0.5), (2, 0.5), (3, 0.5), (4, 0.5)]);
        let mut changes = RowChanges::new(CpuRow::DEF, before.len).with_but("user_s", 0.75);
        changes.same(0);
        changes.same(1);
        changes.same_but(3);
        changes.same_but(4);
        assert!(changes.lacks_row_above());
        assert_eq!(changes.take_back(), Some(4));
        changes.changed(4, cpu(4, 0.5), cpu(4, 0.25));
        assert!(!changes.lacks_row_above());
        changes.new_row(cpu(9, 1.0));
        let expected =
            [Step::Same { at: 0, rows: 2 }, Step::But { at: 3, rows: 1 }, Step::Changed { at: 4 }, Step::New];
        assert_eq!(changes.steps, expected);
        let all = changes.on(&before).expect("all rows");
        let whole = rows(&[(0, 0.5), (1, 0.5), (3, 0.75), (4, 0.25), (9, 1.0)]);
        assert_eq!((all.len, changes.len), (5, 5));
        assert_eq!(all.cells, whole.cells);
        assert!(changes.on(&whole).is_some() && changes.on(&rows(&[])).is_none(), "as many rows");
    }

    #[test]
    fn the_only_row_of_a_run_is_taken_back_whole() {
        let mut changes = RowChanges::new(CpuRow::DEF, 8);
        assert_eq!(changes.take_back(), None);
        changes.same(5);
        assert_eq!((changes.take_back(), changes.len, changes.steps.len()), (Some(5), 0, 0));
        changes.new_row(cpu(1, 0.0));
        assert_eq!(changes.take_back(), None);
    }
}
