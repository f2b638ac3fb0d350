//! Two recordings of the same thing at the same time: an afternoon of `iostat` and the day of `sar`, a file of
//! `sadc` and what `sar` printed of it. Summed, each would count again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use heldup_model::batch::{filter_rows, take};
use heldup_model::{ColumnKind, TableDef, tables};

use crate::Import;
use crate::error::ImportError;
use crate::merge::covered::Covered;

/// Columns of the stamp, which stand before a table's own.
const STAMP: usize = TableDef::STAMP.len();

/// What one recording tells of a table.
struct TableSpan {
    import: usize,
    since_ms: i64,
    until_ms: i64,
    /// Length of its samples: the shorter, the finer.
    sample_s: f64,
    things: HashSet<u64>,
    /// It tells of all things together.
    has_sum: bool,
    /// Columns of increases with a value.
    columns: BTreeSet<usize>,
}

/// Takes the increases that a finer recording tells too out of the coarser, with a note in both words.
pub fn leave_out_doubled(imports: &mut [Import]) -> Result<(), ImportError> {
    let mut users: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, import) in imports.iter().enumerate() {
        for table in import.capture.iter().flat_map(|capture| capture.tables.keys()) {
            users.entry(table.clone()).or_default().push(at);
        }
    }
    let mut notes: BTreeMap<(usize, usize), BTreeSet<&'static str>> = BTreeMap::new();
    for (table, users) in users {
        let Some(def) = tables::find(&table).filter(|def| users.len() > 1 && has_counters(def)) else {
            continue;
        };
        let mut told: Vec<TableSpan> =
            users.iter().filter_map(|at| told(*at, imports.get(*at)?, def)).collect();
        told.sort_by(|a, b| a.sample_s.total_cmp(&b.sample_s).then(a.import.cmp(&b.import)));
        let mut finer = Finer::default();
        for told in told {
            let batches = imports.get_mut(told.import).and_then(|import| import.capture.as_mut());
            let batches = batches.and_then(|capture| capture.tables.get_mut(&table));
            if let Some(batches) = batches.filter(|_| finer.overlaps(&told)) {
                for batch in batches.iter_mut() {
                    let (kept, by) = without(batch, &finer, def)
                        .map_err(|source| ImportError::Table { table: def.name, source })?;
                    *batch = kept;
                    for finer in by {
                        notes.entry((told.import, finer)).or_default().insert(def.name);
                    }
                }
                batches.retain(|batch| batch.num_rows() > 0);
            }
            finer.add(told);
        }
    }
    for ((coarser, finer), tables) in notes {
        let tables: Vec<&str> = tables.into_iter().collect();
        let by = imports.get(finer).map(|import| import.file.file.clone()).unwrap_or_default();
        let note = format!("the same time is also in {by} ({}) and is used from there", tables.join(", "));
        imports.get_mut(coarser).into_iter().for_each(|import| import.file.notes.push(note.clone()));
    }
    Ok(())
}

fn has_counters(def: &TableDef) -> bool {
    def.columns.iter().any(|column| column.kind == ColumnKind::Counter)
}

/// What the recordings tell of a table that are finer than one.
#[derive(Default)]
struct Finer {
    /// By the columns that they tell: of most tables there are few such sets.
    of_columns: BTreeMap<BTreeSet<usize>, Times>,
}

/// When recordings tell the same columns.
#[derive(Default)]
struct Times {
    /// Of anything at all, of all things together, and of each thing.
    any: Covered,
    sum: Covered,
    things: HashMap<u64, Covered>,
}

impl Finer {
    fn add(&mut self, told: TableSpan) {
        let TableSpan { import, since_ms, until_ms, things, has_sum, columns, .. } = told;
        let times = self.of_columns.entry(columns).or_default();
        times.any.add(since_ms, until_ms, import);
        if has_sum {
            times.sum.add(since_ms, until_ms, import);
        }
        for thing in things {
            times.things.entry(thing).or_default().add(since_ms, until_ms, import);
        }
    }

    fn overlaps(&self, told: &TableSpan) -> bool {
        self.of_columns.iter().any(|(columns, times)| {
            !columns.is_disjoint(&told.columns) && times.any.by(told.since_ms, told.until_ms).is_some()
        })
    }

    /// Who tells a column of a thing, or of all of them together, in an interval.
    fn by(&self, column: usize, thing: Option<u64>, (since_ms, until_ms): (i64, i64)) -> Option<usize> {
        let told = self.of_columns.iter().filter(|(columns, _)| columns.contains(&column));
        told.map(|(_, times)| times).find_map(|times| match thing {
            None => times.any.by(since_ms, until_ms),
            Some(thing) => {
                let of_thing = || times.things.get(&thing)?.by(since_ms, until_ms);
                times.sum.by(since_ms, until_ms).or_else(of_thing)
            }
        })
    }
}

fn told(at: usize, import: &Import, def: &'static TableDef) -> Option<TableSpan> {
    let batches = import.capture.as_ref()?.tables.get(def.name)?;
    let (mut since_ms, mut until_ms) = (i64::MAX, i64::MIN);
    let (mut lengths, mut things, mut columns) = (Vec::new(), HashSet::new(), BTreeSet::new());
    let mut has_sum = false;
    for batch in batches {
        for (row, (from, to)) in spans(batch).into_iter().enumerate() {
            since_ms = since_ms.min(from);
            until_ms = until_ms.max(to);
            lengths.push((to - from) as f64 / 1000.0);
            let thing = thing(batch, row, def);
            has_sum |= thing.is_none();
            things.extend(thing);
        }
        let counters =
            def.columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Counter);
        let has = |at: usize| batch.columns().get(STAMP + at).is_some_and(|c| c.null_count() < c.len());
        columns.extend(counters.map(|(at, _)| at).filter(|at| has(*at)));
    }
    lengths.retain(|secs| *secs > 0.0);
    lengths.sort_by(f64::total_cmp);
    let sample_s = *lengths.get(lengths.len() / 2)?;
    Some(TableSpan { import: at, since_ms, until_ms, sample_s, things, has_sum, columns })
}

/// Beginning and end of each row's interval.
fn spans(batch: &RecordBatch) -> Vec<(i64, i64)> {
    let times = batch.column(0).as_primitive::<Int64Type>();
    let secs = batch.column(1).as_primitive::<Float64Type>();
    let span = |(time, secs): (&i64, Option<f64>)| (time - (secs.unwrap_or(0.0) * 1000.0) as i64, *time);
    times.values().iter().zip(secs.iter()).map(span).collect()
}

/// Which thing a row is about; none where it is about all of them together.
fn thing(batch: &RecordBatch, row: usize, def: &TableDef) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let keys = || def.columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Key);
    let mut is_told = keys().next().is_none();
    for (at, _) in keys() {
        let Some(column) = batch.columns().get(STAMP + at).filter(|column| column.is_valid(row)) else {
            continue;
        };
        is_told = true;
        at.hash(&mut hasher);
        hash_value(column, row, &mut hasher);
    }
    is_told.then(|| hasher.finish())
}

pub(crate) fn hash_value(column: &ArrayRef, row: usize, hasher: &mut DefaultHasher) {
    match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).hash(hasher),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).to_bits().hash(hasher),
        DataType::Boolean => column.as_boolean().value(row).hash(hasher),
        _ => {
            let words = column.as_dictionary::<Int32Type>();
            let word = usize::try_from(words.keys().value(row)).unwrap_or(usize::MAX);
            let all = words.values().as_string::<i32>();
            if word < all.len() {
                all.value(word).hash(hasher);
            }
        }
    }
}

/// A batch whose increases are NULL where a finer recording tells them; rows without any value are left out.
/// With the recordings that tell them.
fn without(
    batch: &RecordBatch,
    finer: &Finer,
    def: &'static TableDef,
) -> Result<(RecordBatch, BTreeSet<usize>), ArrowError> {
    let mut by = BTreeSet::new();
    let spans = spans(batch);
    let things: Vec<Option<u64>> = (0..batch.num_rows()).map(|row| thing(batch, row, def)).collect();
    let mut columns = batch.columns().to_vec();
    for (at, column) in def.columns.iter().enumerate() {
        let Some(values) = columns.get_mut(STAMP + at).filter(|_| column.kind == ColumnKind::Counter) else {
            continue;
        };
        let mut rows = Vec::with_capacity(values.len());
        for (row, (span, thing)) in spans.iter().zip(&things).enumerate() {
            let told = values.is_valid(row).then(|| finer.by(at, *thing, *span)).flatten();
            by.extend(told);
            rows.push(told.is_none().then_some(row as u32));
        }
        if rows.iter().any(Option::is_none) {
            *values = take(values, &rows)?;
        }
    }
    if by.is_empty() {
        return Ok((batch.clone(), by));
    }
    let kept = RecordBatch::try_new(batch.schema(), columns)?;
    let kept = filter_rows(&kept, |row| {
        let mut values = def.columns.iter().zip(kept.columns().iter().skip(STAMP));
        values.any(|(column, values)| column.kind != ColumnKind::Key && values.is_valid(row))
    })?;
    Ok((kept, by))
}

#[cfg(test)]
mod tests {
    use crate::merge::{Merged, merge};
    use crate::{Hints, Import, read};
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use heldup_model::Capture;

    fn import(name: &str, text: &str) -> Import {
        read(name, text.as_bytes(), Hints::default()).expect("memory can be read")
    }

    fn joined(mut imports: Vec<Import>) -> (Capture, Vec<Import>) {
        match merge(&mut imports) {
            Ok(Merged::One(capture)) => (*capture, imports),
            _ => panic!("one host"),
        }
    }

    fn sum(capture: &Capture, table: &str, column: &str) -> f64 {
        let batches = capture.tables.get(table).into_iter().flatten();
        let values = batches.filter_map(|batch| batch.column_by_name(column));
        values
            .flat_map(|values| values.as_primitive::<Float64Type>().iter().flatten().collect::<Vec<_>>())
            .sum()
    }

    fn sar(times: [&str; 3]) -> String {
        let [before, first, second] = times;
        format!(
            "Linux 5.14.0 (db1) \t03/03/2022 \t_x86_64_\t(4 CPU)\n\n\
             {before}        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
             {first}        all     10.00      0.00      5.00     25.00      0.00     60.00\n\
             {second}        all     20.00      0.00      5.00     25.00      0.00     50.00\n"
        )
    }

    #[test]
    fn what_two_files_tell_is_counted_once_and_the_finer_is_kept() {
        let day = import("day", &sar(["10:00:00", "10:10:00", "10:20:00"]));
        let minute = import("minute", &sar(["10:04:00", "10:04:30", "10:05:00"]));
        let (capture, imports) = joined(vec![day, minute]);
        // Of the day the second ten minutes; of the minute its two samples of 30 s; four CPUs each.
        let expected = 4.0 * (0.20 * 600.0 + 0.10 * 30.0 + 0.20 * 30.0);
        assert!(
            (sum(&capture, "cpu", "user_s") - expected).abs() < 1e-6,
            "{}",
            sum(&capture, "cpu", "user_s")
        );
        let notes = &imports[0].file.notes;
        assert!(notes.iter().any(|note| note.contains("the same time is also in minute (cpu)")), "{notes:?}");
        assert!(imports[1].file.notes.iter().all(|note| !note.contains("same time")));
    }

    #[test]
    fn files_of_other_times_are_kept_whole_and_the_host_has_one_row() {
        let one = import("one", &sar(["10:00:00", "10:10:00", "10:20:00"]));
        let two = import("two", &sar(["10:20:00", "10:30:00", "10:40:00"]));
        let (capture, _) = joined(vec![one, two]);
        assert!((sum(&capture, "cpu", "user_s") - 2.0 * 4.0 * 0.30 * 600.0).abs() < 1e-6);
        let hosts = &capture.tables["host"];
        assert_eq!((hosts.len(), hosts[0].num_rows()), (1, 1));
        assert_eq!(sum(&capture, "host", "window_s"), 2400.0);
    }

    #[test]
    fn a_file_that_is_there_twice_counts_once() {
        let text = sar(["10:00:00", "10:10:00", "10:20:00"]);
        let (capture, _) = joined(vec![import("a", &text), import("b", &text)]);
        assert!((sum(&capture, "cpu", "user_s") - 4.0 * 0.30 * 600.0).abs() < 1e-6);
    }

    #[test]
    fn two_hosts_are_named() {
        let other = sar(["10:00:00", "10:10:00", "10:20:00"]).replace("db1", "db2");
        let mut imports = vec![import("a", &sar(["10:00:00", "10:10:00", "10:20:00"])), import("b", &other)];
        assert!(matches!(merge(&mut imports), Ok(Merged::Hosts(hosts)) if hosts == ["db1", "db2"]));
    }
}
