//! Many readings of a table as one: what a live window has of tables that it reads at its ends.
//!
//! Live, who is there at the end has one row, whose counters are increases over the whole window
//! and whose other columns are those of the end. In the archive there is a row for each
//! reading; counters of these are added up, for those that the last reading has.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use heldup_model::batch::filter_rows;
use heldup_model::{Column, ColumnKind, ColumnType, Span, TableDef};

use super::sealed_rows::{last_time, within};
use crate::kept::batch_columns::{floats, ints, with_column};

/// No row of the last reading.
const GONE: usize = usize::MAX;

/// The rows of the last reading of these, with the counters of all of them. `twice`: the clock was set back
/// among them, so that there may be two readings of one time.
pub(in crate::kept) fn one_row_each(
    def: &TableDef,
    batches: &[RecordBatch],
    twice: bool,
) -> Result<Vec<RecordBatch>, String> {
    let Some(last_ms) = batches.iter().filter_map(last_time).max() else { return Ok(Vec::new()) };
    let mut last = last_reading(batches, last_ms)?;
    if twice {
        last = each_once(def, &last)?;
    }
    let mut slots: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut rows = 0;
    for batch in &last {
        for key in keys(def, batch) {
            slots.entry(key).or_insert(rows);
            rows += 1;
        }
    }
    let mut sums = Sums::new(def, rows);
    let mut lengths = Lengths { twice, ..Lengths::default() };
    for batch in batches {
        let slots: Vec<usize> =
            keys(def, batch).iter().map(|key| slots.get(key).copied().unwrap_or(GONE)).collect();
        sums.add(batch, &slots);
        lengths.add(batch, &slots);
    }
    let secs = lengths.sum();
    let mut begin = 0;
    let mut made = Vec::with_capacity(last.len());
    for batch in last {
        let end = begin + batch.num_rows();
        let array: ArrayRef = Arc::new(Float64Array::from(vec![secs; batch.num_rows()]));
        made.push(sums.put(with_column(&batch, "secs", array)?, begin..end)?);
        begin = end;
    }
    Ok(made)
}

/// Rows of which each entity and time is there once: the last of them.
pub(in crate::kept) fn each_once(
    def: &TableDef,
    batches: &[RecordBatch],
) -> Result<Vec<RecordBatch>, String> {
    let mut seen = HashSet::new();
    let mut kept = Vec::with_capacity(batches.len());
    for batch in batches.iter().rev() {
        let (keys, times) = (keys(def, batch), ints(batch, "time"));
        let mut is_last: Vec<bool> =
            keys.into_iter().zip(times).rev().map(|(key, time)| seen.insert((time, key))).collect();
        is_last.reverse();
        let rows = filter_rows(batch, |row| is_last.get(row) == Some(&true));
        kept.push(rows.map_err(|error| error.to_string())?);
    }
    kept.reverse();
    Ok(kept)
}

/// How long the readings of a table are: of rows that sources read at one time the longest counts.
#[derive(Default)]
struct Lengths {
    twice: bool,
    by_time: BTreeMap<i64, f64>,
    /// Where times were told twice: of each row of the last reading both.
    of_rows: HashMap<(i64, usize), f64>,
}

impl Lengths {
    fn add(&mut self, batch: &RecordBatch, slots: &[usize]) {
        let rows = ints(batch, "time").into_iter().zip(floats(batch, "secs"));
        for ((time, secs), slot) in rows.zip(slots) {
            let (Some(time), Some(secs)) = (time, secs) else { continue };
            let length = match self.twice && *slot != GONE {
                false => secs,
                true => {
                    let both = self.of_rows.entry((time, *slot)).or_insert(0.0);
                    *both += secs;
                    *both
                }
            };
            self.by_time.entry(time).and_modify(|known| *known = known.max(length)).or_insert(length);
        }
    }

    fn sum(&self) -> Option<f64> {
        (!self.by_time.is_empty()).then(|| self.by_time.values().sum::<f64>())
    }
}

/// Of processes (`made`) by how much their own memory grew over the window, which a recorder cannot
/// know: since their first reading in it, or all of it where they began in it.
pub(in crate::kept) fn with_growth(
    def: &TableDef,
    made: Vec<RecordBatch>,
    batches: &[RecordBatch],
    since_ms: i64,
) -> Result<Vec<RecordBatch>, String> {
    const HELD: &str = "anon_bytes";
    const GROWTH: &str = "anon_growth_bytes";
    if def.columns.iter().all(|column| column.name != GROWTH) {
        return Ok(made);
    }
    let mut first: HashMap<Vec<u8>, (i64, i64)> = HashMap::new();
    for batch in batches {
        let held = ints(batch, "time").into_iter().zip(ints(batch, HELD));
        for (key, (time, held)) in keys(def, batch).into_iter().zip(held) {
            if let Some(seen) = time.zip(held) {
                let known = first.entry(key).or_insert(seen);
                *known = (*known).min(seen);
            }
        }
    }
    let grown = |batch: RecordBatch| {
        let times = ints(&batch, "time").into_iter().zip(ints(&batch, "start_ms"));
        let rows = keys(def, &batch).into_iter().zip(times).zip(ints(&batch, HELD));
        let growth = rows.map(|((key, (time, start_ms)), held)| {
            if start_ms.is_some_and(|start_ms| start_ms > since_ms) {
                return held;
            }
            let (first_ms, before) = first.get(&key)?;
            (time? > *first_ms).then_some(held? - before)
        });
        let growth: ArrayRef = Arc::new(Int64Array::from_iter(growth));
        with_column(&batch, GROWTH, growth)
    };
    made.into_iter().map(grown).collect()
}

/// The rows of one time.
pub(in crate::kept) fn last_reading(
    batches: &[RecordBatch],
    last_ms: i64,
) -> Result<Vec<RecordBatch>, String> {
    let last = Span { since_ms: last_ms, until_ms: last_ms };
    let mut of_last = batches.iter().map(|batch| within(batch, last)).collect::<Result<Vec<_>, _>>()?;
    of_last.retain(|batch| batch.num_rows() > 0);
    Ok(of_last)
}

/// What identifies each row within a reading.
fn keys(def: &TableDef, batch: &RecordBatch) -> Vec<Vec<u8>> {
    let mut keys = vec![Vec::new(); batch.num_rows()];
    for column in def.columns.iter().filter(|column| column.kind == ColumnKind::Key) {
        let Some(array) = batch.column_by_name(column.name) else { continue };
        add_to_keys(&mut keys, array);
    }
    keys
}

/// Appends the values of a column: whether there is one, its length where it is text, itself.
fn add_to_keys(keys: &mut [Vec<u8>], array: &ArrayRef) {
    let words = array.as_dictionary_opt::<Int32Type>();
    let words = words.and_then(|words| Some((words, words.values().as_string_opt::<i32>()?)));
    for (row, key) in keys.iter_mut().enumerate() {
        key.push(u8::from(array.is_valid(row)));
        if array.is_null(row) {
            continue;
        }
        if let Some(ints) = array.as_primitive_opt::<Int64Type>() {
            key.extend(ints.value(row).to_le_bytes());
        } else if let Some(floats) = array.as_primitive_opt::<Float64Type>() {
            key.extend(floats.value(row).to_le_bytes());
        } else if let Some(truths) = array.as_boolean_opt() {
            key.push(u8::from(truths.value(row)));
        } else if let Some((codes, words)) = words
            && let Some(code) = codes.key(row)
        {
            let word = words.value(code).as_bytes();
            key.extend((word.len() as u64).to_le_bytes());
            key.extend(word);
        }
    }
}

/// Sums of the counters of each row.
struct Sums {
    ints: Vec<(&'static str, Vec<Option<i64>>)>,
    floats: Vec<(&'static str, Vec<Option<f64>>)>,
}

impl Sums {
    fn new(def: &TableDef, rows: usize) -> Sums {
        let counters = |ty: ColumnType| {
            let is_one = move |column: &&Column| column.kind == ColumnKind::Counter && column.ty == ty;
            def.columns.iter().filter(is_one).map(|column| column.name)
        };
        Sums {
            ints: counters(ColumnType::Int).map(|name| (name, vec![None; rows])).collect(),
            floats: counters(ColumnType::Float).map(|name| (name, vec![None; rows])).collect(),
        }
    }

    fn add(&mut self, batch: &RecordBatch, slots: &[usize]) {
        for (name, sums) in &mut self.ints {
            for (value, slot) in ints(batch, name).into_iter().zip(slots) {
                if let (Some(value), Some(sum)) = (value, sums.get_mut(*slot)) {
                    *sum = Some(sum.unwrap_or(0).saturating_add(value));
                }
            }
        }
        for (name, sums) in &mut self.floats {
            for (value, slot) in floats(batch, name).into_iter().zip(slots) {
                if let (Some(value), Some(sum)) = (value, sums.get_mut(*slot)) {
                    *sum = Some(sum.unwrap_or(0.0) + value);
                }
            }
        }
    }

    /// The rows of a batch, which are these of all, with their sums.
    fn put(&self, mut batch: RecordBatch, rows: std::ops::Range<usize>) -> Result<RecordBatch, String> {
        for (name, sums) in &self.ints {
            batch = with_column(&batch, name, Arc::new(Int64Array::from(sums[rows.clone()].to_vec())))?;
        }
        for (name, sums) in &self.floats {
            batch = with_column(&batch, name, Arc::new(Float64Array::from(sums[rows.clone()].to_vec())))?;
        }
        Ok(batch)
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::ProcessRow;
    use heldup_model::{Record, RowSet, Stamp};

    use super::*;
    use crate::kept::batch_columns::texts;

    fn reading(second: i64, processes: &[(i64, Option<f64>, &str)]) -> RecordBatch {
        let rows = processes.iter().map(|(pid, user_s, name)| ProcessRow {
            pid: Some(*pid),
            start_ms: Some(5),
            user_s: *user_s,
            write_bytes: user_s.map(|_| 10),
            name: Some((*name).into()),
            resident_bytes: Some(100 * second),
            ..Default::default()
        });
        let stamp = Stamp { time_ms: second * 1000, secs: Some(1.5), host: "db1".into() };
        RowSet::increases(rows).to_batch(&stamp).expect("a batch")
    }

    #[test]
    fn counters_are_added_up_and_the_rest_is_of_the_end() {
        let batches = [
            reading(1, &[(1, Some(0.25), "sh"), (2, Some(1.0), "gone"), (3, None, "mute")]),
            reading(2, &[(1, None, "sh"), (3, None, "mute")]),
            reading(3, &[(3, None, "mute"), (1, Some(0.5), "bash"), (4, Some(0.125), "new")]),
        ];
        let made = one_row_each(ProcessRow::DEF, &batches, false).expect("rows");
        assert_eq!(made.len(), 1);
        assert_eq!(ints(&made[0], "pid"), [Some(3), Some(1), Some(4)]);
        assert_eq!(floats(&made[0], "user_s"), [None, Some(0.75), Some(0.125)], "not measured is not 0");
        assert_eq!(ints(&made[0], "write_bytes"), [None, Some(20), Some(10)]);
        assert_eq!(texts(&made[0], "name"), [Some("mute"), Some("bash"), Some("new")]);
        assert_eq!(ints(&made[0], "resident_bytes"), [Some(300); 3]);
        assert_eq!(ints(&made[0], "time"), [Some(3000); 3]);
        assert_eq!(floats(&made[0], "secs"), [Some(4.5); 3], "the whole of the three readings");
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        assert_eq!(one_row_each(ProcessRow::DEF, &[], false), Ok(Vec::new()));
    }

    #[test]
    fn a_time_that_was_told_twice_counts_twice_and_has_one_last_row() {
        let batches = [
            reading(1, &[(1, Some(0.25), "sh")]),
            reading(2, &[(1, Some(0.25), "before")]),
            reading(2, &[(1, Some(0.5), "after"), (2, Some(1.0), "new")]),
        ];
        let made = one_row_each(ProcessRow::DEF, &batches, true).expect("rows");
        let of = |name: &str| made.iter().flat_map(|batch| floats(batch, name)).collect::<Vec<_>>();
        assert_eq!(of("user_s"), [Some(1.0), Some(1.0)]);
        assert_eq!(of("secs"), [Some(4.5); 2]);
        let names: Vec<_> = made.iter().flat_map(|batch| texts(batch, "name")).collect();
        assert_eq!(names, [Some("after"), Some("new")]);
    }

    #[test]
    fn a_process_grew_since_its_first_reading_or_its_birth() {
        let process = |pid, start_ms, anon_bytes| ProcessRow {
            pid: Some(pid),
            start_ms: Some(start_ms),
            anon_bytes,
            ..Default::default()
        };
        let reading = |time_ms, rows: [ProcessRow; 3]| {
            let stamp = Stamp { time_ms, secs: Some(1.0), host: "db1".into() };
            RowSet::increases(rows).to_batch(&stamp).expect("a batch")
        };
        let first = [process(1, 5, Some(100)), process(2, 5, None), process(4, 5, Some(9))];
        let last = [process(1, 5, Some(350)), process(2, 5, Some(70)), process(3, 1500, Some(40))];
        let batches = [reading(1001, first), reading(2000, last)];
        let def = heldup_model::tables::find("process").expect("a table");
        let made = one_row_each(def, &batches, false).expect("rows");
        let made = with_growth(def, made, &batches, 1000).expect("rows");
        assert_eq!(ints(&made[0], "anon_growth_bytes"), [Some(250), None, Some(40)]);
    }
}
