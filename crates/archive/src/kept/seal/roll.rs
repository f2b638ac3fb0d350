//! Coarser rows: those of one entity within a step of time as one.
//!
//! The row is stamped with the last sample of its step, so that it lies on the sample grid and on the
//! day of what it was made of. What a table's columns become is the model's business
//! ([`heldup_model::rollup`]).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, new_null_array};
use arrow_schema::DataType;
use heldup_model::batch::{filter_rows, take};
use heldup_model::rollup::{Fold, Rollup};
use heldup_model::{RowSet, Sum, TableDef, rollup};

use super::entity_order::{Entities, joined};
use super::row_groups::MAX_CELLS;
use super::without_owners::without_owners;

/// A minute, in milliseconds.
pub(in crate::kept) const MINUTE_MS: i64 = 60_000;
/// Positions of `time` and `secs`.
const TIME: usize = 0;
const SECS: usize = 1;

/// The last sample of each step.
#[derive(Clone, Debug, Default)]
pub(in crate::kept) struct Stamps {
    step_ms: i64,
    last: BTreeMap<i64, i64>,
}

impl Stamps {
    pub(in crate::kept) fn of_steps(step_ms: i64) -> Stamps {
        Stamps { step_ms: step_ms.max(1), last: BTreeMap::new() }
    }

    /// Notes a sample.
    pub(in crate::kept) fn note(&mut self, time_ms: i64) {
        let last = self.last.entry(time_ms.div_euclid(self.step_ms)).or_insert(time_ms);
        *last = time_ms.max(*last);
    }

    fn stamp(&self, time_ms: i64) -> i64 {
        self.last.get(&time_ms.div_euclid(self.step_ms)).copied().unwrap_or(time_ms).max(time_ms)
    }
}

/// Rows of one table that become coarser as they come.
pub(in crate::kept) struct Rolling {
    from: &'static TableDef,
    into: &'static TableDef,
    folds: Vec<Fold>,
    again: Vec<Fold>,
    step_ms: i64,
    /// The rollup by minute that they become.
    rollup: Option<Rollup>,
    waiting: Vec<RecordBatch>,
    cells: usize,
}

impl Rolling {
    /// Into a rollup by minute.
    pub(in crate::kept) fn by_the_minute(rollup: &Rollup) -> Rolling {
        let (folds, again) = (rollup.folds.to_vec(), rollup.again.to_vec());
        let rolling = Rolling::new(rollup.base, rollup.def, folds, again, MINUTE_MS);
        Rolling { rollup: Some(*rollup), ..rolling }
    }

    /// Into coarser rows of the same table.
    pub(in crate::kept) fn coarser(def: &'static TableDef, step_ms: i64) -> Rolling {
        Rolling::new(def, def, rollup::folds(def), rollup::folds(def), step_ms)
    }

    fn new(
        from: &'static TableDef,
        into: &'static TableDef,
        folds: Vec<Fold>,
        again: Vec<Fold>,
        step_ms: i64,
    ) -> Rolling {
        Rolling { from, into, folds, again, step_ms, rollup: None, waiting: Vec::new(), cells: 0 }
    }

    /// Takes rows that lie by entity and time.
    pub(in crate::kept) fn push(&mut self, rows: &RecordBatch) -> Result<(), String> {
        let mut rolled = roll(self.from, rows, self.into, &self.folds, self.step_ms)?;
        if let Some(rollup) = &self.rollup {
            rolled = without_owners(rollup, rolled)?;
        }
        self.cells += rolled.num_rows() * rolled.num_columns();
        self.waiting.push(rolled);
        Ok(())
    }

    /// Whether so much waits that it should be taken.
    pub(in crate::kept) fn is_full(&self) -> bool {
        self.cells > MAX_CELLS
    }

    /// All rows so far, by entity and time; unless it is the end, those of the last step stay,
    /// since more of them may come.
    pub(in crate::kept) fn take(
        &mut self,
        end: bool,
        stamps: &Stamps,
    ) -> Result<Option<RecordBatch>, String> {
        let all = joined(self.into, &std::mem::take(&mut self.waiting))?;
        let mut rows = roll(self.into, &all, self.into, &self.again, self.step_ms)?;
        self.cells = 0;
        if !end {
            let times = rows.column(TIME).as_primitive::<Int64Type>();
            let step = |time: &i64| time.div_euclid(self.step_ms);
            let last = times.values().iter().map(step).max();
            let stays: Vec<bool> = times.values().iter().map(|time| Some(step(time)) == last).collect();
            let kept = filter_rows(&rows, |row| stays[row]).map_err(|error| error.to_string())?;
            rows = filter_rows(&rows, |row| !stays[row]).map_err(|error| error.to_string())?;
            self.cells = kept.num_rows() * kept.num_columns();
            self.waiting.push(kept);
        }
        if rows.num_rows() == 0 {
            return Ok(None);
        }
        let times = rows.column(TIME).as_primitive::<Int64Type>();
        let times = Int64Array::from_iter_values(times.values().iter().map(|time| stamps.stamp(*time)));
        let mut columns = rows.columns().to_vec();
        columns[TIME] = Arc::new(times);
        RecordBatch::try_new(rows.schema(), columns).map(Some).map_err(|error| error.to_string())
    }
}

/// One row for each entity and step, of rows by entity and time. Its time is that of its last row.
fn roll(
    from: &TableDef,
    rows: &RecordBatch,
    into: &TableDef,
    folds: &[Fold],
    step_ms: i64,
) -> Result<RecordBatch, String> {
    let entities = Entities::of(from, rows)?;
    let step = |row: usize| entities.times[row].div_euclid(step_ms);
    let mut groups: Vec<Range<usize>> = Vec::new();
    for row in 0..rows.num_rows() {
        match groups.last_mut() {
            Some(group) if entities.same(row - 1, row) && step(row - 1) == step(row) => group.end = row + 1,
            _ => groups.push(row..row + 1),
        }
    }
    let weights = from.all_columns().position(|column| column.name == rollup::SAMPLES.name);
    let lengths = rows.columns().get(SECS).and_then(|column| column.as_primitive_opt::<Float64Type>());
    let folding = Folding { rows, times: &entities.times, groups: &groups, weights, lengths };
    let columns = folds.iter().enumerate().map(|(at, fold)| folding.column(at, *fold));
    let columns = columns.collect::<Result<Vec<ArrayRef>, String>>()?;
    RecordBatch::try_new(RowSet::schema(into), columns).map_err(|error| error.to_string())
}

struct Folding<'a> {
    rows: &'a RecordBatch,
    times: &'a [i64],
    groups: &'a [Range<usize>],
    /// The column that says of how many samples a row is.
    weights: Option<usize>,
    /// The lengths of the rows' intervals; none where the table does not say them.
    lengths: Option<&'a Float64Array>,
}

impl Folding<'_> {
    fn column(&self, at: usize, fold: Fold) -> Result<ArrayRef, String> {
        match fold {
            Fold::PeakRate(of) => return self.peak(&[of], &[SECS]),
            Fold::PeakRatio(of, per) => return self.peak(of, per),
            _ => {}
        }
        let source = match fold {
            Fold::Mean(of) | Fold::Least(of) | Fold::Greatest(of) => of,
            Fold::Times | Fold::Nothing => TIME,
            _ => at,
        };
        let array = self.rows.columns().get(source).ok_or("a column is missing")?;
        match fold {
            Fold::Last => self.pick(array, |group| Some(group.end - 1)),
            Fold::LastKnown => self.pick(array, |group| group.rev().find(|row| array.is_valid(*row))),
            Fold::Nothing => Ok(new_null_array(&DataType::Int64, self.groups.len())),
            Fold::Times => Ok(Arc::new(Int64Array::from_iter_values(
                self.groups.iter().map(|group| self.new_times(group.clone()).count() as i64),
            ))),
            _ if array.data_type() == &DataType::Int64 => {
                let values = array.as_primitive::<Int64Type>();
                let of = |row: usize| values.is_valid(row).then(|| values.value(row));
                Ok(match fold {
                    Fold::Mean(_) => self.mean(&|row| of(row).map(|value| value as f64)),
                    Fold::Least(_) => self.ints(&|group| group.filter_map(of).min()),
                    Fold::Greatest(_) => self.ints(&|group| group.filter_map(of).max()),
                    // Beyond 64 bits there is no sum to tell.
                    _ => self.ints(&|group| group.filter_map(of).try_fold(None, add).flatten()),
                })
            }
            _ => {
                let values = array.as_primitive_opt::<Float64Type>().ok_or("no numbers")?;
                let of = |row: usize| values.is_valid(row).then(|| values.value(row));
                let squares = |row: usize| of(row).map(|value| value * value);
                Ok(match fold {
                    Fold::Mean(_) => self.mean(&of),
                    Fold::Least(_) => self.floats(&|group| group.filter_map(of).min_by(f64::total_cmp)),
                    Fold::Greatest(_) => self.floats(&|group| group.filter_map(of).max_by(f64::total_cmp)),
                    Fold::RootOfSquares => {
                        self.floats(&|group| sum(group.filter_map(squares)).map(f64::sqrt))
                    }
                    Fold::SumOfTimes => self.floats(&|group| sum(self.new_times(group).filter_map(of))),
                    _ => self.floats(&|group| sum(group.filter_map(of))),
                })
            }
        }
    }

    /// The greatest quotient of a row: the sum of some columns over that of others, of those that were measured.
    fn peak(&self, of: &[usize], per: &[usize]) -> Result<ArrayRef, String> {
        let (of, per) = (self.numbers(of)?, self.numbers(per)?);
        let added = |columns: &[Number], row| columns.iter().filter_map(|n| n.get(row)).reduce(|a, b| a + b);
        let quotient = |row: usize| {
            let (of, per) = (added(&of, row)?, added(&per, row)?);
            (per > 0.0).then_some(of / per)
        };
        Ok(self.floats(&|group| group.filter_map(quotient).max_by(f64::total_cmp)))
    }

    fn numbers(&self, columns: &[usize]) -> Result<Vec<Number<'_>>, String> {
        let number = |at: &usize| {
            let array = self.rows.columns().get(*at).ok_or("a column is missing")?;
            let int = || array.as_primitive_opt::<Int64Type>().map(Number::Int);
            let number = array.as_primitive_opt::<Float64Type>().map(Number::Float).or_else(int);
            number.ok_or_else(|| "no numbers".to_owned())
        };
        columns.iter().map(number).collect()
    }

    /// The rows of a group that are of another reading than the row before: of another time, or, where a
    /// time was told twice because the clock was set back, of another length.
    fn new_times(&self, group: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let first = group.start;
        let reading =
            move |row: usize| (self.times[row], self.lengths.map(|lengths| lengths.value(row).to_bits()));
        group.filter(move |row| *row == first || reading(*row) != reading(row - 1))
    }

    /// A value of one row of each group; NULL where none is chosen.
    fn pick(
        &self,
        array: &ArrayRef,
        choose: impl Fn(Range<usize>) -> Option<usize>,
    ) -> Result<ArrayRef, String> {
        let chosen: Vec<Option<u32>> =
            self.groups.iter().map(|group| choose(group.clone()).map(|row| row as u32)).collect();
        take(array, &chosen).map_err(|error| error.to_string())
    }

    fn ints(&self, of: &dyn Fn(Range<usize>) -> Option<i64>) -> ArrayRef {
        Arc::new(self.groups.iter().map(|group| of(group.clone())).collect::<Int64Array>())
    }

    fn floats(&self, of: &dyn Fn(Range<usize>) -> Option<f64>) -> ArrayRef {
        Arc::new(self.groups.iter().map(|group| of(group.clone())).collect::<Float64Array>())
    }

    /// Means, of rows that stand for several samples weighted by how many these are.
    fn mean(&self, of: &dyn Fn(usize) -> Option<f64>) -> ArrayRef {
        let weights = self.weights.and_then(|at| self.rows.column(at).as_primitive_opt::<Int64Type>());
        let weight = |row: usize| weights.map_or(1.0, |weights| weights.value(row) as f64);
        self.floats(&|group| {
            let (mut total, mut weighed) = (0.0, 0.0);
            for row in group {
                if let Some(value) = of(row) {
                    total += value * weight(row);
                    weighed += weight(row);
                }
            }
            (weighed > 0.0).then(|| total / weighed)
        })
    }
}

/// A column of numbers.
enum Number<'a> {
    Int(&'a Int64Array),
    Float(&'a Float64Array),
}

impl Number<'_> {
    fn get(&self, row: usize) -> Option<f64> {
        match self {
            Number::Int(array) => array.is_valid(row).then(|| array.value(row) as f64),
            Number::Float(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}

fn add(sum: Option<i64>, value: i64) -> Option<Option<i64>> {
    sum.unwrap_or(0).checked_add(value).map(Some)
}

fn sum(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sum = Sum::default();
    values.for_each(|value| sum.add(value));
    sum.value()
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::ProcessRow;
    use heldup_model::{Record, Stamp};

    use super::*;

    fn second(time_ms: i64, rows: &[(i64, f64, Option<i64>)]) -> RecordBatch {
        let rows = rows.iter().map(|(pid, user_s, resident)| ProcessRow {
            pid: Some(*pid),
            user_s: Some(*user_s),
            resident_bytes: *resident,
            name: Some(format!("at{time_ms}").into()),
            ..Default::default()
        });
        let stamp = Stamp { time_ms, secs: Some(1.0), host: "db1".into() };
        RowSet::increases(rows).to_batch(&stamp).expect("a batch")
    }

    fn column<'a>(rows: &'a RecordBatch, name: &str) -> &'a ArrayRef {
        rows.column_by_name(name).expect("a column")
    }

    fn ints(rows: &RecordBatch, name: &str) -> Vec<Option<i64>> {
        column(rows, name).as_primitive::<Int64Type>().iter().collect()
    }

    fn floats(rows: &RecordBatch, name: &str) -> Vec<Option<f64>> {
        column(rows, name).as_primitive::<Float64Type>().iter().collect()
    }

    #[test]
    fn a_minute_is_one_row_for_each_entity() {
        let rollup = rollup::of("process").expect("a rollup");
        let mut rolling = Rolling::by_the_minute(rollup);
        let mut stamps = Stamps::of_steps(MINUTE_MS);
        for (time_ms, rows) in [
            (57_000, vec![(1, 0.1, Some(5)), (2, 0.0, None)]),
            (58_000, vec![(1, 0.2, Some(9)), (2, 0.0, None)]),
            (59_000, vec![(1, 0.3, Some(7))]),
            (60_000, vec![(1, 0.4, Some(1)), (3, 2.5, Some(4))]),
        ] {
            stamps.note(time_ms);
            rolling.push(&second(time_ms, &rows)).expect("rolled");
        }
        let closed = rolling.take(false, &stamps).expect("rows").expect("some");
        assert_eq!(
            ints(&closed, "time"),
            [Some(59_000), Some(59_000)],
            "the last sample, also of what ended"
        );
        assert_eq!(ints(&closed, "pid"), [Some(1), Some(2)]);
        assert_eq!(floats(&closed, "secs"), [Some(3.0), Some(2.0)]);
        assert_eq!(floats(&closed, "user_s"), [Some(0.6), Some(0.0)]);
        assert_eq!(ints(&closed, "resident_bytes"), [Some(7), None]);
        assert_eq!(ints(&closed, "max_resident_bytes"), [Some(9), None]);
        assert_eq!(ints(&closed, "min_resident_bytes"), [Some(5), None]);
        assert_eq!(floats(&closed, "mean_resident_bytes"), [Some(7.0), None]);
        assert_eq!(ints(&closed, "minute_samples"), [Some(3), Some(2)]);
        let open = rolling.take(true, &stamps).expect("rows").expect("some");
        assert_eq!(ints(&open, "pid"), [Some(1), Some(3)]);
        assert_eq!(floats(&open, "user_s"), [Some(0.4), Some(2.5)]);
        assert_eq!(rolling.take(true, &stamps).expect("rows"), None);
    }

    #[test]
    fn a_table_becomes_coarser_in_parts_as_at_once() {
        let second = |at: i64| second(at * 1000, &[(1, at as f64 / 100.0, Some(at)), (2, 0.5, Some(-at))]);
        let stamps = |step_ms| {
            let mut stamps = Stamps::of_steps(step_ms);
            (0..=120).for_each(|at| stamps.note(at * 1000));
            stamps
        };
        let coarser = |rows: &[RecordBatch], step_ms| {
            let mut rolling = Rolling::coarser(ProcessRow::DEF, step_ms);
            rows.iter().for_each(|rows| rolling.push(rows).expect("rolled"));
            rolling.take(true, &stamps(step_ms)).expect("rows").expect("some")
        };
        let all: Vec<_> = (0..=120).map(second).collect();
        let tens = coarser(&all, 10_000);
        assert_eq!(tens.num_rows(), 26);
        assert_eq!(coarser(&[tens], MINUTE_MS), coarser(&all, MINUTE_MS));
        let sorted = joined(ProcessRow::DEF, &all).expect("rows");
        assert_eq!(coarser(&[sorted], MINUTE_MS), coarser(&all, MINUTE_MS));
    }
}
