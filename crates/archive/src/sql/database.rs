//! A database over one capture: opened once, asked often, never written to.
//!
//! A question may only read: the authorizer refuses everything else when a
//! statement is prepared, also opening files. A question may not hang: a handler
//! looks at the clock while it runs. Only temporary views can be added, and rows in the
//! place of one ([`Database::fill_view`]).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use arrow_array::RecordBatch;
use heldup_hostfs::monotonic_ns;
use heldup_model::tables::TaskTimeRow;
use heldup_model::{Capture, Record, TableDef, rollup, tables};
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, ffi};

use super::error::SqlError;
use super::facts::Facts;
use super::module::Slot;
use super::names::Names;
use super::source::Source;
use super::task_sums::{TASK_SUMS, TaskSum};
use super::value::{Answer, Value};
use super::{definitions, functions, module, origin, plan_lint, type_lint, views};

/// Text that an answer may hold in all, in bytes.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// Longest text or row that a question may build, in bytes.
const MAX_VALUE_BYTES: i32 = 64 << 20;

/// Memory that SQLite may use for sorting and grouping, in bytes; it is the same
/// for all databases of the process.
const MAX_HEAP_BYTES: i64 = 1 << 30;

/// Size of a block of SQLite's lookaside allocator (its own default), and their
/// number (its default is 40).
const LOOKASIDE_BLOCK_BYTES: c_int = 1200;
const LOOKASIDE_BLOCKS: c_int = 500;

/// The view whose sums are computed once.
const ACTIVE_TIME: &str = "active_time";

/// Questions whose plans are kept by a database that is filled anew: those of all rules, once each.
const KEPT_QUESTIONS: usize = 600;

/// Steps of SQLite's machine between two looks at the clock: a few hundred microseconds.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;

/// What a question may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Rows returned at most; the answer says when there were more.
    pub rows: usize,
    /// Time after which a question is stopped.
    pub time: Duration,
    /// Bytes that SQLite may allocate for a question, about; those of other questions of the process meanwhile count too.
    pub memory: i64,
}

impl Default for Limits {
    /// A million rows, ten seconds and what SQLite may use at all.
    fn default() -> Limits {
        Limits { rows: 1_000_000, time: Duration::from_secs(10), memory: MAX_HEAP_BYTES }
    }
}

/// What a statement may do while it is prepared.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
enum May {
    /// Anything; only while the database is opened.
    All,
    /// Read tables.
    Read,
    /// Read tables, and define and drop temporary views.
    DefineViews,
}

/// SQL over one capture.
pub struct Database {
    connection: Connection,
    limits: Limits,
    may: Arc<AtomicU8>,
    stop: Arc<Stop>,
    names: Names,
    slots: Vec<Arc<Slot>>,
    facts: Facts,
    /// What defines the views of the capture.
    definitions: BTreeMap<&'static str, String>,
    /// Views that are defined in another way meanwhile.
    redefined: RefCell<BTreeMap<&'static str, String>>,
    /// Views in whose place there are rows.
    filled: RefCell<BTreeSet<&'static str>>,
    /// Whether rules ask it.
    for_rules: bool,
    /// Time of each task and class.
    sums: Option<Arc<Slot>>,
}

/// When the running question is stopped.
struct Stop {
    /// Nanoseconds of the monotonic clock.
    deadline_ns: AtomicU64,
    /// Bytes that SQLite has allocated by then.
    most_bytes: AtomicI64,
    /// Whether it was for these bytes.
    is_too_much: AtomicBool,
}

impl Stop {
    /// Nothing is asked.
    fn never() -> Stop {
        Stop {
            deadline_ns: AtomicU64::new(u64::MAX),
            most_bytes: AtomicI64::new(i64::MAX),
            is_too_much: AtomicBool::new(false),
        }
    }

    fn set(&self, limits: Limits) {
        let limit = u64::try_from(limits.time.as_nanos()).unwrap_or(u64::MAX);
        self.deadline_ns.store(monotonic_ns().saturating_add(limit), Ordering::Relaxed);
        // What SQLite may use at all it refuses itself.
        let most =
            if limits.memory < MAX_HEAP_BYTES { allocated().saturating_add(limits.memory) } else { i64::MAX };
        self.most_bytes.store(most, Ordering::Relaxed);
        self.is_too_much.store(false, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.deadline_ns.store(u64::MAX, Ordering::Relaxed);
        self.most_bytes.store(i64::MAX, Ordering::Relaxed);
    }

    /// Whether it is now.
    fn is_due(&self) -> bool {
        let most = self.most_bytes.load(Ordering::Relaxed);
        if most < i64::MAX && allocated() > most {
            self.is_too_much.store(true, Ordering::Relaxed);
            return true;
        }
        let deadline_ns = self.deadline_ns.load(Ordering::Relaxed);
        deadline_ns != u64::MAX && monotonic_ns() > deadline_ns
    }
}

/// Bytes that SQLite has allocated, for all databases of the process.
fn allocated() -> i64 {
    // SAFETY: the function has no arguments and reads a counter under SQLite's own lock.
    unsafe { ffi::sqlite3_memory_used() }
}

impl Database {
    /// Opens a capture with the default limits. Every table of the model is there,
    /// empty where the capture has no rows of it, and so are [`super::VIEWS`].
    pub fn open(capture: &Capture) -> Result<Database, SqlError> {
        Database::open_with(capture, Limits::default())
    }

    /// Opens a capture.
    pub fn open_with(capture: &Capture, limits: Limits) -> Result<Database, SqlError> {
        Database::opened(capture, limits, false)
    }

    /// Opens a capture that every rule asks, and in whose place others may come ([`Database::refill`]): plans of
    /// questions are kept, and time of tasks is added up once.
    pub fn open_for_rules(capture: &Capture) -> Result<Database, SqlError> {
        Database::opened(capture, Limits::default(), true)
    }

    fn opened(capture: &Capture, limits: Limits, for_rules: bool) -> Result<Database, SqlError> {
        let by_the_minute = rollup::all().iter().map(|rollup| rollup.def);
        let slot =
            |def| Source::new(def, rows_of(capture, def)).map(|source| Arc::new(Slot::new(Arc::new(source))));
        let slots: Vec<Arc<Slot>> =
            tables::ALL.iter().copied().chain(by_the_minute).map(slot).collect::<Result<_, _>>()?;
        let may = Arc::new(AtomicU8::new(May::All as u8));
        let stop = Arc::new(Stop::never());
        let facts = Facts::default();
        definitions::window_facts(capture, &facts);
        let definitions = definitions::of(capture, for_rules);
        let connection = connect(&slots, &may, &stop, &facts, &definitions)
            .map_err(|error| SqlError::Engine { message: error.to_string() })?;
        let names = Names::of_tables();
        let mut database = Database {
            connection,
            limits,
            may,
            stop,
            names,
            slots,
            facts,
            definitions,
            redefined: RefCell::default(),
            filled: RefCell::default(),
            for_rules,
            sums: None,
        };
        if for_rules {
            database.connection.set_prepared_statement_cache_capacity(KEPT_QUESTIONS);
            let sums = Arc::new(Slot::new(database.task_time().task_sums().source.clone()));
            module::register(&database.connection, TASK_SUMS, sums.clone())
                .map_err(|error| database.sorted(error, ""))?;
            database.sums = Some(sums);
        }
        for view in views::VIEWS {
            database.learn_view(view.name)?;
        }
        Ok(database)
    }

    /// Puts another capture in the place of this one. False where that has to be opened anew, because its views are
    /// defined in another way.
    pub fn refill(&mut self, capture: &Capture) -> Result<bool, SqlError> {
        if definitions::of(capture, self.for_rules) != self.definitions {
            return Ok(false);
        }
        let mut sources = Vec::with_capacity(self.slots.len());
        let mut holds = true;
        for slot in &self.slots {
            let known = slot.get();
            let rows = rows_of(capture, known.def());
            if known.has_only(rows) {
                continue;
            }
            let source = Source::new(known.def(), rows)?;
            // A plan that takes rows to be in order of time is wrong for others.
            holds &= source.is_sorted_by_time() == known.is_sorted_by_time();
            sources.push((slot, Arc::new(source)));
        }
        sources.into_iter().for_each(|(slot, source)| slot.put(source));
        if let Some(sums) = &self.sums {
            sums.put(self.task_time().task_sums().source.clone());
        }
        if !holds {
            self.connection.flush_prepared_statement_cache();
        }
        definitions::window_facts(capture, &self.facts);
        for view in &*self.filled.borrow() {
            self.write(view, || self.connection.execute(&format!("delete from {view}"), []).map(drop))?;
        }
        Ok(true)
    }

    /// Sums `active_time` once, which every question about time divides by.
    pub fn fix_active_time(&self) -> Result<(), SqlError> {
        let Some(select) = self.definitions.get(ACTIVE_TIME) else { return Ok(()) };
        let sums = self.query(&match definitions::active_time_of_sums(select) {
            None => select.clone(),
            Some(of_sums) => {
                definitions::sum_facts(&self.task_sums(), &self.facts);
                of_sums
            }
        })?;
        let Some(row) = sums.rows.first() else { return Ok(()) };
        for (name, value) in sums.columns.iter().zip(row) {
            self.facts.put(ACTIVE_TIME, name, value.clone());
        }
        let columns: Vec<&str> = sums.columns.iter().map(String::as_str).collect();
        self.redefine(ACTIVE_TIME, Some(&Facts::row(ACTIVE_TIME, &columns)))
    }

    /// Time of each task and class, in the order of their first rows.
    pub fn task_sums(&self) -> Arc<[TaskSum]> {
        self.task_time().task_sums().rows.clone()
    }

    fn task_time(&self) -> Arc<Source> {
        let of_tasks = self
            .slots
            .iter()
            .map(|slot| slot.get())
            .find(|source| source.def().name == TaskTimeRow::DEF.name);
        of_tasks.unwrap_or_else(|| Arc::new(Source::empty(TaskTimeRow::DEF)))
    }

    /// Defines a view of every capture in another way, or again as it is.
    pub fn redefine(&self, view: &'static str, select: Option<&str>) -> Result<(), SqlError> {
        let usual = self.definitions.get(view).map_or("", String::as_str);
        let select = select.unwrap_or(usual);
        if self.redefined.borrow().get(view).map_or(usual, String::as_str) == select {
            return Ok(());
        }
        self.execute(&format!("drop view {view}; create temp view {view} as {select}"))?;
        self.redefined.borrow_mut().insert(view, select.to_owned());
        Ok(())
    }

    /// Answers one question: a SELECT, or WITH … SELECT.
    pub fn query(&self, sql: &str) -> Result<Answer, SqlError> {
        self.query_with(sql, &[])
    }

    /// Answers one question that is not asked again in these words: its plan is not kept.
    pub fn query_once(&self, sql: &str) -> Result<Answer, SqlError> {
        self.answer(sql, &mut self.prepare(sql)?, &[], 0)
    }

    /// Answers one question with values for its parameters (`:name`).
    pub fn query_with(&self, sql: &str, parameters: &[(&str, Value)]) -> Result<Answer, SqlError> {
        self.rows_of(sql, parameters, 0)
    }

    /// The rows of an answer behind so many of them.
    pub fn query_from(&self, sql: &str, skipped: usize) -> Result<Answer, SqlError> {
        self.rows_of(sql, &[], skipped)
    }

    /// For each column of an answer the table and the column whose values it has as they are.
    pub fn origins(&self, sql: &str) -> Result<Vec<Option<(String, String)>>, SqlError> {
        // Refuses what is no question.
        drop(self.prepare(sql)?);
        Ok(origin::of_columns(&self.connection, sql))
    }

    fn rows_of(&self, sql: &str, parameters: &[(&str, Value)], skipped: usize) -> Result<Answer, SqlError> {
        if !self.for_rules {
            return self.answer(sql, &mut self.prepare(sql)?, parameters, skipped);
        }
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| self.sorted(error, sql))?;
        must_answer(&statement, sql)?;
        self.answer(sql, &mut statement, parameters, skipped)
    }

    fn answer(
        &self,
        sql: &str,
        statement: &mut Statement<'_>,
        parameters: &[(&str, Value)],
        mut skipped: usize,
    ) -> Result<Answer, SqlError> {
        self.within_time(sql, || {
            for (name, value) in parameters {
                if let Some(at) = statement.parameter_index(name)? {
                    statement.raw_bind_parameter(at, value)?;
                }
            }
            let mut answer = Answer { columns: names(statement), ..Answer::default() };
            let mut rows = statement.raw_query();
            let mut bytes = 0;
            while let Some(row) = rows.next()? {
                if skipped > 0 {
                    skipped -= 1;
                    continue;
                }
                if answer.rows.len() == self.limits.rows || bytes > MAX_ANSWER_BYTES {
                    answer.truncated = true;
                    break;
                }
                let values = (0..answer.columns.len()).map(|at| row.get_ref(at).map(Value::from));
                let values: Vec<Value> = values.collect::<Result<_, _>>()?;
                bytes += values.iter().filter_map(Value::as_str).map(str::len).sum::<usize>();
                answer.rows.push(values);
            }
            Ok(answer)
        })
    }

    /// Defines or drops temporary views (`CREATE TEMP VIEW …`, several separated by semicolons).
    pub fn execute(&self, sql: &str) -> Result<(), SqlError> {
        self.may.store(May::DefineViews as u8, Ordering::Relaxed);
        let done = self.within_time(sql, || self.connection.execute_batch(sql));
        self.may.store(May::Read as u8, Ordering::Relaxed);
        done
    }

    /// Puts rows in the place of a view that is empty in every capture. They are a table of this
    /// database and of nobody else: written out as values of a view, thousands of them would be parsed
    /// by every question that names it. `columns` are those of the view.
    pub fn fill_view<const N: usize>(
        &self,
        view: &'static str,
        columns: [&str; N],
        rows: &[[Value; N]],
    ) -> Result<(), SqlError> {
        let is_filled = self.filled.borrow().contains(view);
        self.write(view, || {
            let places = vec!["?"; N].join(", ");
            let names = columns.join(", ");
            self.connection.execute_batch(&match is_filled {
                true => format!("begin; delete from {view};"),
                false => format!("begin; drop view {view}; create temp table {view} ({names});"),
            })?;
            let mut insert = self.connection.prepare(&format!("insert into {view} values ({places})"))?;
            for row in rows {
                insert.execute(rusqlite::params_from_iter(row))?;
            }
            self.connection.execute_batch("commit")
        })?;
        self.filled.borrow_mut().insert(view);
        Ok(())
    }

    /// Does something of ours that writes.
    fn write(&self, what: &str, work: impl FnOnce() -> rusqlite::Result<()>) -> Result<(), SqlError> {
        self.may.store(May::All as u8, Ordering::Relaxed);
        let done = self.within_time(what, work);
        self.may.store(May::Read as u8, Ordering::Relaxed);
        done
    }

    /// Says what is wrong with a question without answering it: whether it can be
    /// prepared, whether its comparisons are of one type, and whether its plan reads
    /// a whole table again for each row of another. `type_lint.rs` and `plan_lint.rs`
    /// say what they cannot see.
    pub fn check(&self, sql: &str) -> Result<(), SqlError> {
        drop(self.prepare(sql)?);
        type_lint::check(sql)?;
        let steps = self.query(&format!("explain query plan {sql}"))?;
        plan_lint::check(&steps, sql, &self.view_texts()?)
    }

    /// The views' names and definitions, added ones included.
    fn view_texts(&self) -> Result<Vec<(String, String)>, SqlError> {
        let views = self.query("select name, sql from sqlite_temp_master where type = 'view'")?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(views.rows.iter().filter_map(|row| Some((text(row.first()?), text(row.get(1)?)))).collect())
    }

    /// Prepares a question; refuses what is none.
    fn prepare(&self, sql: &str) -> Result<Statement<'_>, SqlError> {
        let statement = self.connection.prepare(sql).map_err(|error| self.sorted(error, sql))?;
        must_answer(&statement, sql)?;
        Ok(statement)
    }

    /// An error of SQLite in terms of the question.
    fn sorted(&self, error: rusqlite::Error, sql: &str) -> SqlError {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) if self.stop.is_too_much.load(Ordering::Relaxed) => {
                SqlError::MemoryLimit
            }
            Some(ErrorCode::OperationInterrupted) => {
                SqlError::TimeLimit { seconds: self.limits.time.as_secs_f64() }
            }
            Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => SqlError::MemoryLimit,
            _ => SqlError::from_sqlite(error, sql, &self.names),
        }
    }

    /// Does something that is stopped when the time limit is reached.
    fn within_time<T>(&self, sql: &str, work: impl FnOnce() -> rusqlite::Result<T>) -> Result<T, SqlError> {
        self.stop.set(self.limits);
        let done = work();
        self.stop.clear();
        done.map_err(|error| self.sorted(error, sql))
    }

    fn learn_view(&mut self, view: &str) -> Result<(), SqlError> {
        let columns = names(&self.prepare(&format!("select * from {view}"))?);
        self.names.columns.push((view.to_owned(), columns));
        Ok(())
    }
}

/// Refuses what is no question.
fn must_answer(statement: &Statement<'_>, sql: &str) -> Result<(), SqlError> {
    if statement.column_count() == 0 {
        let what = if sql.trim().is_empty() { "nothing was asked" } else { "it returns no rows" };
        return Err(SqlError::NotAQuestion { what: what.into() });
    }
    Ok(())
}

/// The rows that a capture has of a table.
fn rows_of<'a>(capture: &'a Capture, def: &TableDef) -> &'a [RecordBatch] {
    capture.tables.get(def.name).map_or(&[], Vec::as_slice)
}

fn names(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_owned).collect()
}

/// A connection that knows the tables, functions and views and may only read.
fn connect(
    slots: &[Arc<Slot>],
    may: &Arc<AtomicU8>,
    stop: &Arc<Stop>,
    facts: &Facts,
    views: &BTreeMap<&'static str, String>,
) -> rusqlite::Result<Connection> {
    // Without the URI flag and without a file name there is nothing that it could open.
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_MEMORY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_in_memory_with_flags(flags)?;
    widen_lookaside(&connection);
    connection.pragma_update(None, "hard_heap_limit", MAX_HEAP_BYTES)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    for slot in slots {
        module::register(&connection, slot.get().def().name, slot.clone())?;
    }
    functions::register(&connection)?;
    facts.register(&connection)?;
    for view in views::VIEWS {
        let select = views.get(view.name).map_or("", String::as_str);
        connection.execute_batch(&format!("create temp view {} as {select}", view.name))?;
    }
    may.store(May::Read as u8, Ordering::Relaxed);
    let asked = may.clone();
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        if is_allowed(asked.load(Ordering::Relaxed), &context.action) {
            Authorization::Allow
        } else {
            Authorization::Deny
        }
    }))?;
    let stop = stop.clone();
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || stop.is_due()))?;
    Ok(connection)
}

/// Gives the connection enough of SQLite's small fixed blocks to prepare a question of
/// a hundred lines without the general allocator.
fn widen_lookaside(connection: &Connection) {
    // SAFETY: the handle is that of an open connection; the arguments are those that
    // SQLITE_DBCONFIG_LOOKASIDE takes (a null buffer means that SQLite allocates one).
    // Where the call fails, the connection works as before, with fewer blocks.
    let _ = unsafe {
        ffi::sqlite3_db_config(
            connection.handle(),
            ffi::SQLITE_DBCONFIG_LOOKASIDE,
            std::ptr::null_mut::<std::ffi::c_void>(),
            LOOKASIDE_BLOCK_BYTES,
            LOOKASIDE_BLOCKS,
        )
    };
}

fn is_allowed(may: u8, action: &AuthAction<'_>) -> bool {
    let catalogue = |table: &str| table == "sqlite_temp_master" || table == "sqlite_temp_schema";
    if may == May::All as u8 {
        return true;
    }
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => !function_name.eq_ignore_ascii_case("load_extension"),
        AuthAction::CreateTempView { .. } | AuthAction::DropTempView { .. } => may == May::DefineViews as u8,
        AuthAction::Insert { table_name } | AuthAction::Update { table_name, .. } => {
            may == May::DefineViews as u8 && catalogue(table_name)
        }
        // DROP VIEW asks to delete from the view itself; our tables refuse any DELETE.
        AuthAction::Delete { .. } => may == May::DefineViews as u8,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use heldup_model::{Method, Span};

    use super::*;

    #[test]
    fn a_view_can_be_filled_and_nothing_else_be_written() {
        let capture = Capture {
            host: "box".to_owned(),
            span: Span { since_ms: 0, until_ms: 1000 },
            method: Method::Ebpf,
            coverage: 1.0,
            untold: Vec::new(),
            timing: heldup_model::Timing::default(),
            tables: BTreeMap::new(),
            missing: Vec::new(),
            flaws: Vec::new(),
        };
        let database = Database::open(&capture).expect("a database");
        let ask = |sql: &str| database.query(sql).map(|answer| answer.rows);
        assert_eq!(ask("select pid from accounted").expect("the view"), Vec::<Vec<Value>>::new());
        let row = |pid, name: &str| [Value::Int(pid), Value::Text(name.to_owned())];
        database
            .fill_view("accounted", ["pid", "class_name"], &[row(1, "disk_read"), row(2, "it's")])
            .expect("rows");
        let expected = vec![vec![Value::Int(3), Value::Text("it's".to_owned())]];
        assert_eq!(ask("select sum(pid), max(class_name) from accounted").expect("the rows"), expected);
        assert!(database.execute("insert into accounted values (3, 'x')").is_err());
        assert!(database.execute("create temp table other (x)").is_err());
    }
}
