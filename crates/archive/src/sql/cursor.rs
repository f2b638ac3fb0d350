//! The virtual table's cursor: the rows that a plan selects, one after the other.
//!
//! See `module.rs` for what may not happen in a callback.

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use heldup_model::ColumnType;
use rusqlite::types::ValueRef;
use rusqlite::vtab::{Context, Filters, VTabCursor, sqlite3_vtab_cursor};
use rusqlite::{Error, Result};

use super::column::Column;
use super::error::type_message;
use super::key_index::{Key, grouped, key};
use super::plan::{Plan, Test};
use super::source::{Source, TIME};

/// Rows of one loop of a query.
#[repr(C)]
pub(super) struct Rows {
    base: sqlite3_vtab_cursor,
    source: Arc<Source>,
    /// The rows where they are not a plain range.
    list: Option<Vec<u32>>,
    /// Position in the list, or the row itself.
    at: usize,
    end: usize,
}

/// What a plan's arguments ask for.
struct Wanted {
    from: i64,
    to: i64,
    keys: Vec<(usize, Key)>,
}

impl Rows {
    pub(super) fn new(source: Arc<Source>) -> Rows {
        Rows { base: sqlite3_vtab_cursor::default(), source, list: None, at: 0, end: 0 }
    }

    #[inline]
    fn row(&self) -> usize {
        match &self.list {
            None => self.at,
            Some(list) => list.get(self.at).map_or(usize::MAX, |row| *row as usize),
        }
    }

    fn show(&mut self, range: Range<u32>) {
        (self.list, self.at, self.end) = (None, range.start as usize, range.end as usize);
    }

    fn show_list(&mut self, rows: Vec<u32>) {
        (self.at, self.end) = (0, rows.len());
        self.list = Some(rows);
    }
}

// SAFETY: `Rows` is repr(C) and its first field is the sqlite3_vtab_cursor that SQLite casts it to.
unsafe impl VTabCursor for Rows {
    fn filter(&mut self, _number: c_int, plan: Option<&str>, arguments: &Filters<'_>) -> Result<()> {
        let plan = plan.and_then(Plan::parse).ok_or_else(|| Error::ModuleError("unreadable plan".into()))?;
        let Some(wanted) = wanted(&self.source, &plan, arguments)? else {
            self.show(0..0);
            return Ok(());
        };
        let range = self.source.rows_between(wanted.from, wanted.to);
        if wanted.keys.is_empty() && plan.group_by.is_empty() {
            self.show(range);
            return Ok(());
        }
        let mut rows = select(&self.source, range, &wanted.keys);
        if !plan.group_by.is_empty() {
            let columns: Vec<&Column> =
                plan.group_by.iter().filter_map(|column| self.source.column(*column)).collect();
            rows = grouped(&rows, &columns);
        }
        self.show_list(rows);
        Ok(())
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn eof(&self) -> bool {
        self.at >= self.end
    }

    #[inline]
    fn column(&self, context: &mut Context, at: c_int) -> Result<()> {
        let row = self.row();
        match usize::try_from(at).ok().and_then(|at| self.source.column(at)) {
            Some(Column::Int(values)) => values.get(row).map_or(Ok(()), |value| context.set_result(value)),
            Some(Column::Float(values)) => values.get(row).map_or(Ok(()), |value| context.set_result(value)),
            Some(Column::Text(texts)) => texts.get(row).map_or(Ok(()), |value| context.set_result(value)),
            None => Ok(()),
        }
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.row() as i64)
    }
}

/// The rows of a range that have all the keys, in row order.
fn select(source: &Source, range: Range<u32>, keys: &[(usize, Key)]) -> Vec<u32> {
    let shortest = keys
        .iter()
        .filter_map(|(column, wanted)| source.index(*column).map(|index| index.rows(*wanted)))
        .min_by_key(|rows| rows.len());
    let tests: Vec<(&Column, Key)> =
        keys.iter().filter_map(|(column, wanted)| Some((source.column(*column)?, *wanted))).collect();
    let fits = |row: &u32| tests.iter().all(|(column, wanted)| key(column, *row as usize) == *wanted);
    match shortest {
        None => range.filter(fits).collect(),
        Some(rows) => {
            let from = rows.partition_point(|row| *row < range.start);
            let to = rows.partition_point(|row| *row < range.end);
            rows.get(from..to).unwrap_or(&[]).iter().copied().filter(fits).collect()
        }
    }
}

/// Turns a plan's arguments into a time range and keys; none where no row can match.
fn wanted(source: &Source, plan: &Plan, arguments: &Filters<'_>) -> Result<Option<Wanted>> {
    let mut wanted = Wanted { from: i64::MIN, to: i64::MAX, keys: Vec::new() };
    for (test, value) in plan.tests.iter().zip(arguments.iter()) {
        match *test {
            Test::Equal(TIME) | Test::Is(TIME) if source.is_sorted_by_time() => {
                // Time is never NULL where it is sorted.
                let Some((floor, ceiling)) = time(source, value)? else { return Ok(None) };
                wanted.from = wanted.from.max(ceiling);
                wanted.to = wanted.to.min(floor);
            }
            Test::Equal(column) | Test::Is(column) => {
                let nullable = matches!(test, Test::Is(_));
                match lookup_key(source, column, value, nullable)? {
                    Some(key) => wanted.keys.push((column, key)),
                    None => return Ok(None),
                }
            }
            Test::TimeFrom | Test::TimeAfter | Test::TimeUpTo | Test::TimeBefore => {
                let Some((floor, ceiling)) = time(source, value)? else { return Ok(None) };
                match test {
                    Test::TimeFrom => wanted.from = wanted.from.max(ceiling),
                    Test::TimeAfter => wanted.from = wanted.from.max(floor.saturating_add(1)),
                    Test::TimeUpTo => wanted.to = wanted.to.min(floor),
                    _ => wanted.to = wanted.to.min(ceiling.saturating_sub(1)),
                }
            }
        }
    }
    Ok((wanted.from <= wanted.to).then_some(wanted))
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
