//! The virtual table's cursor: the rows that a plan selects, one after the other.
//!
//! See `module.rs` for what may not happen in a callback.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use heldup_model::ColumnType;
use rusqlite::ffi;
use rusqlite::types::ValueRef;
use rusqlite::vtab::{Context, Filters, VTabCursor, sqlite3_vtab_cursor};
use rusqlite::{Error, Result};

use super::column::Column;
use super::error::type_message;
use super::key_index::{Key, Run, add_row, add_rows, grouped, key};
use super::plan::{EVERYTHING, Plan, Test};
use super::source::{Source, TIME};

/// Rows of one loop of a query.
///
/// A join runs `filter` once for each row of the outer table: what it needs is kept
/// from one run to the next.
#[repr(C)]
pub(super) struct Rows {
    base: sqlite3_vtab_cursor,
    source: Arc<Source>,
    plan: Plan,
    plan_text: String,
    /// Keys that the arguments of this run ask for, by column.
    keys: Vec<(usize, Key)>,
    /// The row, and the end of its run.
    at: usize,
    end: usize,
    /// Runs of rows; those from `next` on are still to come.
    runs: Vec<Run>,
    next: usize,
}

impl Rows {
    pub(super) fn new(source: Arc<Source>) -> Rows {
        Rows {
            base: sqlite3_vtab_cursor::default(),
            source,
            plan: Plan::default(),
            plan_text: EVERYTHING.into(),
            keys: Vec::new(),
            at: 0,
            end: 0,
            runs: Vec::new(),
            next: 0,
        }
    }

    /// Goes to the first row of the runs.
    fn begin(&mut self) {
        self.next = 0;
        (self.at, self.end) = (0, 0);
        self.next_run();
    }

    fn next_run(&mut self) {
        if let Some(run) = self.runs.get(self.next) {
            (self.at, self.end) = (run.start as usize, run.end as usize);
            self.next += 1;
        }
    }
}

// SAFETY: `Rows` is repr(C) and its first field is the sqlite3_vtab_cursor that SQLite casts it to.
unsafe impl VTabCursor for Rows {
    fn filter(&mut self, _number: c_int, plan: Option<&str>, arguments: &Filters<'_>) -> Result<()> {
        let text = plan.unwrap_or(EVERYTHING);
        if text != self.plan_text {
            self.plan = Plan::parse(text).ok_or_else(|| Error::ModuleError("unreadable plan".into()))?;
            text.clone_into(&mut self.plan_text);
        }
        self.runs.clear();
        if let Some((from, to)) = wanted(&self.source, &self.plan, arguments, &mut self.keys)? {
            let range = self.source.rows_between(from, to);
            select(&self.source, range, &self.keys, &mut self.runs);
            if !self.plan.group_by.is_empty() {
                let columns = self.plan.group_by.iter().filter_map(|column| self.source.column(*column));
                self.runs = grouped(std::mem::take(&mut self.runs), columns);
            }
        }
        self.begin();
        Ok(())
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        self.at += 1;
        if self.at >= self.end {
            self.next_run();
        }
        Ok(())
    }

    #[inline]
    fn eof(&self) -> bool {
        self.at >= self.end
    }

    #[inline]
    fn column(&self, context: &mut Context, at: c_int) -> Result<()> {
        let row = self.at;
        match usize::try_from(at).ok().and_then(|at| self.source.column(at)) {
            Some(Column::Int(values)) => values.get(row).map_or(Ok(()), |value| context.set_result(value)),
            Some(Column::Float(values)) => values.get(row).map_or(Ok(()), |value| context.set_result(value)),
            Some(Column::Text(texts)) => {
                if let Some(word) = texts.get(row) {
                    set_word(context, word);
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.at as i64)
    }
}

/// Gives SQLite a word where it lies: a copy for each row would be a tenth of what rules cost.
///
/// The words of a source are never moved or changed, and it outlives every question: it is exchanged only while no
/// statement runs ([`super::Database::refill`] takes the database for itself), and a statement that has ended reads none of
/// its values again.
fn set_word(context: &mut Context, word: &str) {
    const { assert!(size_of::<Context>() == size_of::<*mut ffi::sqlite3_context>()) };
    // SAFETY: `Context` is a pointer to SQLite's own and nothing else, as its size says; SQLite called with it and waits for
    // this call. The word has so many bytes of UTF-8, and lives as long as is said above.
    unsafe {
        let raw = std::ptr::from_mut(context).cast::<*mut ffi::sqlite3_context>().read();
        let (bytes, encoding) = (word.as_ptr().cast(), ffi::SQLITE_UTF8 as u8);
        ffi::sqlite3_result_text64(raw, bytes, word.len() as u64, ffi::SQLITE_STATIC(), encoding);
    }
}

/// Adds the rows of a range that have all the keys, in row order.
fn select(source: &Source, range: Range<u32>, keys: &[(usize, Key)], runs: &mut Vec<Run>) {
    if keys.is_empty() {
        return add_rows(runs, range);
    }
    let shortest = keys
        .iter()
        .filter_map(|(column, wanted)| source.index(*column).map(|index| index.rows(*wanted)))
        .min_by_key(|rows| rows.len());
    let fits = |row: &u32| {
        keys.iter().all(|(at, wanted)| {
            source.column(*at).is_some_and(|column| key(column, *row as usize) == *wanted)
        })
    };
    match shortest {
        None => range.filter(fits).for_each(|row| add_row(runs, row)),
        Some(rows) => {
            let from = rows.partition_point(|row| *row < range.start);
            let to = rows.partition_point(|row| *row < range.end);
            let rows = rows.get(from..to).unwrap_or(&[]).iter().copied();
            rows.filter(fits).for_each(|row| add_row(runs, row));
        }
    }
}

/// Turns a plan's arguments into a time range, both ends included, and keys; none
/// where no row can match.
fn wanted(
    source: &Source,
    plan: &Plan,
    arguments: &Filters<'_>,
    keys: &mut Vec<(usize, Key)>,
) -> Result<Option<(i64, i64)>> {
    let (mut from, mut to) = (i64::MIN, i64::MAX);
    keys.clear();
    for (test, value) in plan.tests.iter().zip(arguments.iter()) {
        match *test {
            Test::Equal(TIME) | Test::Is(TIME) if source.is_sorted_by_time() => {
                // Time is never NULL where it is sorted.
                let Some((floor, ceiling)) = time(source, value)? else { return Ok(None) };
                from = from.max(ceiling);
                to = to.min(floor);
            }
            Test::Equal(column) | Test::Is(column) => {
                let nullable = matches!(test, Test::Is(_));
                match lookup_key(source, column, value, nullable)? {
                    Some(key) => keys.push((column, key)),
                    None => return Ok(None),
                }
            }
            Test::TimeFrom | Test::TimeAfter | Test::TimeUpTo | Test::TimeBefore => {
                let Some((floor, ceiling)) = time(source, value)? else { return Ok(None) };
                match test {
                    Test::TimeFrom => from = from.max(ceiling),
                    Test::TimeAfter => from = from.max(floor.saturating_add(1)),
                    Test::TimeUpTo => to = to.min(floor),
                    _ => to = to.min(ceiling.saturating_sub(1)),
                }
            }
        }
    }
    Ok((from <= to).then_some((from, to)))
}

/// The whole milliseconds below and above a bound; none for NULL, which nothing equals.
fn time(source: &Source, value: ValueRef<'_>) -> Result<Option<(i64, i64)>> {
    match value {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(ms) => Ok(Some((ms, ms))),
        ValueRef::Real(ms) => Ok(Some((ms.floor() as i64, ms.ceil() as i64))),
        ValueRef::Text(_) | ValueRef::Blob(_) => Err(mismatch(source, TIME, value)),
    }
}

/// What to look a value up by; none where no row can have it.
///
/// SQLite does not convert constraint values to the column's type before it hands
/// them to a virtual table, so a text would silently never equal an integer: that
/// is an error here.
fn lookup_key(source: &Source, at: usize, value: ValueRef<'_>, nullable: bool) -> Result<Option<Key>> {
    match (source.column(at), value) {
        (_, ValueRef::Null) => Ok(nullable.then_some(Key::Null)),
        (Some(Column::Int(_)), ValueRef::Integer(value)) => Ok(Some(Key::Int(value))),
        // 2^63 as a float is the first that no integer equals.
        (Some(Column::Int(_)), ValueRef::Real(value)) => {
            let whole = value.fract() == 0.0 && value >= i64::MIN as f64 && value < i64::MAX as f64;
            Ok(whole.then_some(Key::Int(value as i64)))
        }
        (Some(Column::Text(texts)), ValueRef::Text(value)) => {
            Ok(std::str::from_utf8(value).ok().and_then(|word| texts.code_of(word)).map(Key::Word))
        }
        _ => Err(mismatch(source, at, value)),
    }
}

fn mismatch(source: &Source, at: usize, value: ValueRef<'_>) -> Error {
    let found = match value {
        ValueRef::Text(text) => format!("the text '{}'", String::from_utf8_lossy(text)),
        ValueRef::Integer(value) => format!("the number {value}"),
        ValueRef::Real(value) => format!("the number {value}"),
        ValueRef::Null => "NULL".into(),
        ValueRef::Blob(_) => "bytes".into(),
    };
    let (name, ty) =
        source.declared().get(at).map_or(("?", ColumnType::Int), |column| (column.name, column.ty));
    let place = format!("{}.{name}", source.def().name);
    Error::ModuleError(type_message(&place, name, ty, &found))
}
