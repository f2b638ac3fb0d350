//! The virtual table: what SQLite asks about a table before it reads rows.
//!
//! One module a table, registered under the table's name (an eponymous virtual
//! table: it needs no CREATE). The planner is told which conditions are served and
//! what they cost; the rows come from `cursor.rs`.
//!
//! Callbacks run inside C frames, where a panic would end the process: nothing here
//! may index, unwrap or divide integers without a check.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::sync::{Arc, Mutex, PoisonError};

use heldup_model::{ColumnKind, ColumnType, TableDef};
use rusqlite::vtab::{
    DistinctMode, IndexConstraintOp, IndexInfo, Module, VTab, VTabConfig, VTabConnection, sqlite3_vtab,
};
use rusqlite::{Connection, Error, Result};

use super::cursor::Rows;
use super::plan::{Plan, Test};
use super::source::{Source, TIME};

/// Rows that the planner takes a table to have at least, so that its choices are
/// those of a real capture also while a table is nearly empty.
const LEAST_ROWS: f64 = 1000.0;

/// Share of a table that one side of a time range is taken to leave.
const RANGE_SHARE: f64 = 0.5;

/// The rows of a table, which are exchanged as a whole between two questions.
pub(super) struct Slot(Mutex<Arc<Source>>);

impl Slot {
    pub(super) fn new(source: Arc<Source>) -> Slot {
        Slot(Mutex::new(source))
    }

    pub(super) fn get(&self) -> Arc<Source> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn put(&self, source: Arc<Source>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = source;
    }
}

/// One table as SQLite sees it.
#[repr(C)]
pub(super) struct Table {
    base: sqlite3_vtab,
    slot: Arc<Slot>,
}

/// Makes a table known under a name.
pub(super) fn register(connection: &Connection, name: &str, slot: Arc<Slot>) -> Result<()> {
    const MODULE: Module<'static, Table> = Module::eponymous_only_module();
    connection.create_module(name, &MODULE, Some(slot))
}

/// Whether a table has one row in all: joining it costs nothing.
fn has_one_row(def: &TableDef) -> bool {
    !def.columns.iter().any(|column| column.kind == ColumnKind::Key) && def.grain.ends_with("once")
}

// SAFETY: `Table` is repr(C) and its first field is the sqlite3_vtab that SQLite casts it to.
unsafe impl<'table> VTab<'table> for Table {
    type Aux = Arc<Slot>;
    type Cursor = Rows;

    fn connect(
        connection: &mut VTabConnection,
        slot: Option<&Arc<Slot>>,
        module: &[u8],
        _database: &[u8],
        _table: &[u8],
        _arguments: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Table)> {
        let slot = slot.cloned().ok_or_else(|| {
            Error::ModuleError(format!("{}: registered without rows", String::from_utf8_lossy(module)))
        })?;
        // Reading it has no side effects: views may use it whatever the trust settings.
        connection.config(VTabConfig::Innocuous)?;
        let columns: Vec<String> = slot
            .get()
            .declared()
            .iter()
            .map(|column| format!("\"{}\" {}", column.name, column.ty.sql_name()))
            .collect();
        let create = CString::new(format!("CREATE TABLE x({})", columns.join(",")))?;
        Ok((Cow::Owned(create), Table { base: sqlite3_vtab::default(), slot }))
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let source = self.slot.get();
        let source = source.as_ref();
        let mut plan = Plan { one_row: has_one_row(source.def()), ..Plan::default() };
        let mut share = 1.0;
        let mut served = Vec::new();
        for (at, constraint) in info.constraints().enumerate() {
            let Ok(column) = usize::try_from(constraint.column()) else { continue };
            if !constraint.is_usable() {
                continue;
            }
            let Some(test) = test(source, column, &constraint.operator()) else { continue };
            if is_text(source, column) && info.collation(at).is_ok_and(|name| name != "BINARY") {
                continue;
            }
            share *= self::share(source, test);
            plan.tests.push(test);
            served.push(at);
        }
        for (argument, at) in served.into_iter().enumerate() {
            let mut usage = info.constraint_usage(at);
            usage.set_argv_index(argument as i32 + 1);
            usage.set_omit(true);
        }
        if let Some(group_by) = order(source, info) {
            plan.group_by = group_by;
            info.set_order_by_consumed(true);
        }
        let all = if has_one_row(source.def()) { 1.0 } else { f64::from(source.rows()).max(LEAST_ROWS) };
        let rows = (all * share).max(1.0);
        info.set_estimated_rows(rows as i64);
        // A look-up costs about as much as ten rows; a row that is not returned costs nothing.
        info.set_estimated_cost(rows + 10.0);
        info.set_idx_str(&plan.to_string());
        Ok(true)
    }

    fn open(&'table mut self) -> Result<Rows> {
        Ok(Rows::new(self.slot.get()))
    }
}

/// The test that serves a condition, where one does.
fn test(source: &Source, column: usize, operator: &IndexConstraintOp) -> Option<Test> {
    use IndexConstraintOp as Op;
    match operator {
        Op::SQLITE_INDEX_CONSTRAINT_EQ if source.is_key(column) => Some(Test::Equal(column)),
        Op::SQLITE_INDEX_CONSTRAINT_IS if source.is_key(column) => Some(Test::Is(column)),
        _ if column != TIME || !source.is_sorted_by_time() => None,
        Op::SQLITE_INDEX_CONSTRAINT_GE => Some(Test::TimeFrom),
        Op::SQLITE_INDEX_CONSTRAINT_GT => Some(Test::TimeAfter),
        Op::SQLITE_INDEX_CONSTRAINT_LE => Some(Test::TimeUpTo),
        Op::SQLITE_INDEX_CONSTRAINT_LT => Some(Test::TimeBefore),
        _ => None,
    }
}

fn is_text(source: &Source, column: usize) -> bool {
    source.declared().get(column).is_some_and(|column| column.ty == ColumnType::Text)
}

/// Share of the rows that a test is expected to leave.
fn share(source: &Source, test: Test) -> f64 {
    match test {
        Test::Equal(TIME) | Test::Is(TIME) => 1.0 / source.samples() as f64,
        Test::Equal(column) | Test::Is(column) => 1.0 / source.distinct(column),
        _ => RANGE_SHARE,
    }
}

/// Whether the rows can come in the order that is asked for: none if not, else the
/// columns to group by (none of them where the order is that of time).
fn order(source: &Source, info: &IndexInfo) -> Option<Vec<usize>> {
    let mut columns = Vec::new();
    let mut descending = false;
    for order in info.order_bys() {
        columns.push(usize::try_from(order.column()).ok()?);
        descending |= order.is_order_by_desc();
    }
    if columns.is_empty() {
        return None;
    }
    if columns == [TIME] && !descending && source.is_sorted_by_time() {
        return Some(Vec::new());
    }
    // GROUP BY and DISTINCT want equal values next to each other, in any order.
    let any_order = matches!(info.distinct(), DistinctMode::Grouped | DistinctMode::Distinct);
    (any_order && columns.iter().all(|column| source.is_key(*column))).then_some(columns)
}
