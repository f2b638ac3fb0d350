//! The virtual table answers as ordinary SQLite tables with the same rows do.

// Clippy takes the functions that several tests share for production code.
#![allow(clippy::expect_used, clippy::panic)]

mod synthetic;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use heldup_archive::{Database, Limits, SqlError, Value};
use heldup_model::{Capture, tables};
use rusqlite::Connection;
use synthetic::{SINCE_MS, Size, capture};

fn small() -> Capture {
    capture(Size { samples: 6, processes: 30, tasks: 100 })
}

/// The capture in ordinary tables, row by row.
fn ordinary(capture: &Capture) -> Connection {
    let connection = Connection::open_in_memory().expect("a database");
    for def in tables::ALL {
        let columns: Vec<String> =
            def.all_columns().map(|c| format!("\"{}\" {}", c.name, c.ty.sql_name())).collect();
        let create = format!("create table {} ({})", def.name, columns.join(","));
        connection.execute_batch(&create).expect("a table");
        let marks = vec!["?"; columns.len()].join(",");
        let insert = format!("insert into {} values ({marks})", def.name);
        let mut insert = connection.prepare(&insert).expect("an insert");
        for batch in capture.tables.get(def.name).into_iter().flatten() {
            for row in 0..batch.num_rows() {
                let values = (0..batch.num_columns()).map(|column| cell(batch, column, row));
                insert.execute(rusqlite::params_from_iter(values)).expect("a row");
            }
        }
    }
    connection
}

fn cell(batch: &RecordBatch, column: usize, row: usize) -> rusqlite::types::Value {
    use rusqlite::types::Value;
    let array = batch.column(column);
    if array.is_null(row) {
        return Value::Null;
    }
    if let Some(array) = array.as_primitive_opt::<Int64Type>() {
        Value::Integer(array.value(row))
    } else if let Some(array) = array.as_primitive_opt::<Float64Type>() {
        Value::Real(array.value(row))
    } else if let Some(array) = array.as_boolean_opt() {
        Value::Integer(i64::from(array.value(row)))
    } else {
        let array = array.as_dictionary::<Int32Type>();
        let words = array.values().as_string::<i32>();
        Value::Text(words.value(array.keys().value(row) as usize).to_owned())
    }
}

/// Rows of a question to ordinary tables, as text.
fn expected(connection: &Connection, sql: &str) -> Vec<Vec<String>> {
    let mut statement = connection.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        (0..columns).map(|at| row.get_ref(at).map(|value| shown(&Value::from(value)))).collect()
    });
    rows.expect("rows").collect::<Result<_, _>>().expect("a row")
}

/// Sums may be added in another order; nine digits are the same.
fn shown(value: &Value) -> String {
    match value {
        Value::Float(v) => format!("{v:.9}"),
        other => other.to_string(),
    }
}

const QUESTIONS: &[&str] = &[
    "select count(*), sum(seconds), count(seconds) from task_time",
    "select * from host",
    "select * from disk order by time, device",
    "select * from event",
    "select time, count(*) from task_time group by time order by time",
    "select tid, sum(seconds) from task_time group by tid",
    "select class_name, group_name, sum(waits), count(distinct tid) from task_time group by 1, 2",
    "select distinct cgroup from process",
    "select distinct pid, cgroup from process order by pid desc",
    "select cgroup, count(*) from process group by cgroup having count(*) > 1",
    "select rotational, count(*) from disk group by rotational",
    "select name, class_name, max(seconds) from task_time where kernel_thread is not 1 group by class_name, name order by 3 desc, 1, 2 limit 20",
    "select count(*) from process where cgroup is null",
    "select count(*) from process where cgroup is not null and kernel_thread = 0",
    "select count(*) from task_time where class_name = 'disk_read' and tid = 5007",
    "select count(*) from task_time where class_name in ('disk_read', 'user', 'nonesuch') and pid in (1001, 1002, 9)",
    "select tid, time from task_time where pid = 1003 order by time, tid, seconds",
    "select sum(seconds) from task_time where pid = 1003.0 or pid = 1003.5",
    "select p.pid, p.time, sum(t.seconds) from process p join task_time t on t.pid = p.pid and t.time = p.time group by p.pid, p.time",
    "select count(*) from process a join process b on a.cgroup is b.cgroup and a.time = b.time",
    "select count(*) from process a join process b on a.name = b.name",
    "select s.time, d.device, s.load1 * d.reads from system s join disk d on d.time = s.time order by 1, 2",
    "select count(*) from cpu c left join disk d on d.time = c.time and d.device = 'vdb'",
    "select p.name, (select count(*) from task_time t where t.pid = p.pid) from process p where p.time = (select max(time) from process) order by p.pid",
    "select time, device, lag(reads) over (partition by device order by time) from disk order by device, time",
    "select count(*) from disk where device = 'VDA' collate nocase",
    "select min(time), max(time) from disk where device like 'vdb%'",
    "with b as materialized (select pid, sum(user_s) as u from process group by pid) select t.tid, sum(b.u) from task_time t join b on b.pid = t.pid group by t.tid",
    "select * from (select device, reads from disk order by time limit 4 offset 2)",
    "select count(*) from task_time where exists (select 1 from process p where p.pid = task_time.pid and p.kernel_thread)",
    "select group_name, class_name from task_time group by group_name, class_name order by group_name, class_name",
    "select device from disk union select name from process order by 1",
    "select distinct class_name from task_time order by time",
];

fn check(name: &str, capture: &Capture, questions: impl Iterator<Item = String>) {
    let database = Database::open(capture).expect("a database");
    let ordinary = ordinary(capture);
    for sql in questions {
        let answer = database.query(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let mut found: Vec<Vec<String>> =
            answer.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
        let mut wanted = expected(&ordinary, &sql);
        // Without ORDER BY any order is right.
        if !sql.contains("order by") {
            found.sort();
            wanted.sort();
        }
        if sql.contains("distinct class_name from task_time order by time") {
            found.iter_mut().chain(&mut wanted).for_each(|row| row.sort());
            found.sort();
            wanted.sort();
        }
        assert_eq!(found, wanted, "{name}: {sql}");
    }
}

#[test]
fn answers_are_those_of_ordinary_tables() {
    check("in order of time", &small(), QUESTIONS.iter().map(ToString::to_string));
}

#[test]
fn asking_again_uses_indexes_and_gives_the_same() {
    let thrice = QUESTIONS.iter().cycle().take(QUESTIONS.len() * 3).map(ToString::to_string);
    check("again", &small(), thrice);
}

#[test]
fn rows_out_of_order_of_time_give_the_same() {
    let mut capture = small();
    for batches in capture.tables.values_mut() {
        batches.reverse();
    }
    let stable = QUESTIONS.iter().filter(|sql| !sql.contains("limit 4 offset 2"));
    check("reversed", &capture, stable.map(ToString::to_string));
    check("reversed", &capture, time_questions());
}

fn time_questions() -> impl Iterator<Item = String> {
    let bounds = [-1.0, 0.0, 999.5, 1000.0, 1000.5, 2999.0, 3000.0, 6000.0, 6000.5, 1e12];
    let operators = ["=", "<", "<=", ">", ">=", "<>", "is"];
    bounds.into_iter().flat_map(move |bound| {
        let bound = SINCE_MS as f64 + bound;
        operators.into_iter().flat_map(move |operator| {
            let number = if bound.fract() == 0.0 { format!("{bound:.0}") } else { format!("{bound:.1}") };
            [
                format!("select count(*), min(time), max(time) from disk where time {operator} {number}"),
                format!("select sum(reads) from disk where device = 'vdb' and time {operator} {number} and time > {SINCE_MS} + 1500"),
            ]
        })
    })
}

#[test]
fn time_bounds_are_exact() {
    check("time", &small(), time_questions());
}

#[test]
fn every_table_is_there_in_an_empty_capture() {
    let mut empty = small();
    empty.tables.clear();
    let database = Database::open(&empty).expect("a database");
    for def in tables::ALL {
        let answer = database.query(&format!("select * from {}", def.name)).expect("an answer");
        assert_eq!(answer.columns.len(), def.all_columns().count());
        assert!(answer.rows.is_empty());
    }
    let wanted = database.query("select * from active_time").expect("an answer");
    assert_eq!(wanted.get(0, "active_s"), Some(&Value::Float(0.0)));
}

#[test]
fn views_add_up() {
    let capture = small();
    let database = Database::open(&capture).expect("a database");
    let one = |sql: &str| database.query(sql).expect("an answer").rows[0][0].as_f64().expect("a number");
    assert_eq!(one("select secs from window_span"), 6.0);
    assert_eq!(one("select cpus from window_span"), 4.0);
    assert_eq!(one("select samples from window_span"), 6.0);
    let wanted = one("select active_s from active_time");
    let classes = one("select sum(seconds) from class_total where group_name in ('running', 'waiting')");
    let tasks = one(
        "select sum(seconds) from task_total where group_name in ('running', 'waiting') and kernel_thread is not 1",
    );
    assert!((wanted - classes).abs() < 1e-9 && (wanted - tasks).abs() < 1e-9, "{wanted} {classes} {tasks}");
    assert_eq!(one("select count(*) from disk_total"), 3.0);
    let await_s = one("select read_await_s from disk_total where device = 'vda'");
    assert!((await_s - one("select sum(read_s) / sum(reads) from disk where device = 'vda'")).abs() < 1e-12);
    let active = one("select max(lasting_s) from task_total");
    assert!(active > 0.0 && active <= 6.0, "{active}");
}

fn error(sql: &str) -> SqlError {
    let database = Database::open(&small()).expect("a database");
    database.query(sql).map(|answer| panic!("{sql} gave {answer:?}")).expect_err("an error")
}

#[test]
fn only_is_what_all_rows_have() {
    let rows =
        |values: &str| format!("select only(x) as x from (select column1 as x from (values {values}))");
    let database = Database::open(&small()).expect("a database");
    let only = |values: &str| {
        let answer = database.query(&rows(values)).expect("an answer");
        answer.get(0, "x").and_then(Value::as_str).map(str::to_owned)
    };
    assert_eq!(only("('a'), ('a')").as_deref(), Some("a"));
    assert_eq!(only("('a'), ('b'), ('a')"), None, "they differ");
    assert_eq!(only("('a'), (null)"), None, "one has none");
    assert_eq!(only("(null), (null)"), None);
}

#[test]
fn errors_say_what_was_meant() {
    let shown = |sql: &str| error(sql).to_string();
    assert_eq!(shown("select sceonds from task_time"), "no column sceonds; did you mean task_time.seconds?");
    let SqlError::UnknownTable { nearest, tables, .. } = error("select * from proces") else {
        panic!("a table that is unknown");
    };
    assert_eq!(nearest.first().map(String::as_str), Some("process"));
    assert!(tables.iter().any(|table| table == "task_time"), "{tables:?}");
    assert!(shown("select * from proces").starts_with("no table proces; did you mean process"));
    assert!(shown("select * from xyzzy").starts_with("no table xyzzy; tables: "));
    assert_eq!(shown("select medain(secs) from disk"), "no function medain; did you mean median(x)?");
    assert_eq!(shown("select 1,\n  from disk"), "line 2, column 3: near \"from\": syntax error");
    assert!(matches!(error("select"), SqlError::Syntax { .. }));
    assert!(matches!(error(""), SqlError::NotAQuestion { .. }));
    assert!(matches!(error("select 1; select 2"), SqlError::NotAQuestion { .. }));
}

#[test]
fn types_are_not_mixed() {
    for (sql, column) in [
        ("select * from disk where time >= '1763700000000'", "disk.time"),
        ("select * from disk where time = 'now'", "disk.time"),
        ("select * from process where pid = '12'", "process.pid"),
        ("select * from process where name = 12", "process.name"),
    ] {
        match error(sql) {
            SqlError::Type { column: found, .. } => assert_eq!(found, column),
            other => panic!("{sql}: {other}"),
        }
    }
}

#[test]
fn only_questions_are_answered() {
    for sql in [
        "delete from disk",
        "create table x(a)",
        "create temp view v as select 1",
        "attach '/etc/passwd' as x",
        "attach ':memory:' as x",
        "vacuum into '/nonexistent/x'",
        "pragma temp_store_directory = '/nonexistent'",
        "pragma database_list",
        "select load_extension('x')",
        "begin",
        "drop view active_time",
    ] {
        assert!(matches!(error(sql), SqlError::NotAQuestion { .. }), "{sql}: {:?}", error(sql));
    }
}

#[test]
fn views_can_be_added_and_nothing_else() {
    let database = Database::open(&small()).expect("a database");
    database
        .execute(
            "create temp view v as select count(*) as n from disk; create temp view w as select n from v",
        )
        .expect("views");
    assert_eq!(database.query("select n from w").expect("an answer").rows, [[Value::Int(18)]]);
    database.execute("drop view w").expect("dropped");
    for sql in [
        "create temp table t(a)",
        "create table t(a)",
        "attach ':memory:' as m",
        "delete from disk",
        "pragma query_only = 0",
    ] {
        assert!(
            matches!(database.execute(sql), Err(SqlError::NotAQuestion { .. })),
            "{sql}: {:?}",
            database.execute(sql)
        );
    }
}

#[test]
fn a_question_without_end_is_stopped() {
    let limits = Limits { time: std::time::Duration::from_millis(50), ..Limits::default() };
    let database = Database::open_with(&small(), limits).expect("a database");
    let endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n";
    assert_eq!(database.query(endless), Err(SqlError::TimeLimit { seconds: 0.05 }));
    assert!(database.query("select 1").is_ok(), "and the next is answered");
}

#[test]
fn a_question_that_builds_too_much_is_stopped() {
    let database = Database::open(&small()).expect("a database");
    assert_eq!(database.query("select length(zeroblob(1000000000))"), Err(SqlError::MemoryLimit));
}

#[test]
fn a_long_answer_is_cut_and_says_so() {
    let limits = Limits { rows: 5, ..Limits::default() };
    let database = Database::open_with(&small(), limits).expect("a database");
    let answer = database.query("select * from process").expect("an answer");
    assert_eq!((answer.rows.len(), answer.truncated), (5, true));
    let answer = database.query("select * from process limit 5").expect("an answer");
    assert_eq!((answer.rows.len(), answer.truncated), (5, false));
}

#[test]
fn parameters_are_bound() {
    let database = Database::open(&small()).expect("a database");
    let device = Value::Text("x' or 1 --".into());
    let sql = "select count(*) from disk where device = :device";
    assert_eq!(database.query_with(sql, &[(":device", device)]).expect("an answer").rows, [[Value::Int(0)]]);
    let device = Value::Text("vda".into());
    assert_eq!(database.query_with(sql, &[(":device", device)]).expect("an answer").rows, [[Value::Int(6)]]);
}

#[test]
fn foreign_columns_are_ignored_and_foreign_types_refused() {
    use std::sync::Arc;
    let batch = |name: &str, array: arrow_array::ArrayRef| {
        RecordBatch::try_from_iter([
            ("time", Arc::new(arrow_array::Int64Array::from(vec![1])) as _),
            (name, array),
        ])
        .expect("a batch")
    };
    let mut capture = small();
    let later = batch("from_the_future", Arc::new(arrow_array::Int64Array::from(vec![7])));
    capture.tables.insert("disk".into(), vec![later]);
    let database = Database::open(&capture).expect("a database");
    assert_eq!(
        database.query("select time, device, reads from disk").expect("an answer").rows,
        [[Value::Int(1), Value::Null, Value::Null]]
    );
    let wrong = batch("reads", Arc::new(arrow_array::Float64Array::from(vec![7.0])));
    capture.tables.insert("disk".into(), vec![wrong]);
    let error = Database::open(&capture).err().expect("an error");
    assert_eq!(error.to_string(), "disk.reads: holds Float64, expected INTEGER");
}

fn nested(sql: &str) -> Option<(String, String)> {
    let database = Database::open(&small()).expect("a database");
    match database.check(sql) {
        Ok(()) => None,
        Err(SqlError::NestedScan { table, outer }) => Some((table, outer)),
        Err(other) => panic!("{sql}: {other}"),
    }
}

#[test]
fn scans_inside_of_loops_are_refused() {
    for sql in [
        "select * from disk a, disk b",
        "select * from disk a join disk b on a.reads < b.reads",
        "select *, (select max(secs) from cpu where cpu.secs < d.secs) from disk d",
        "select * from process p where exists (select 1 from task_time t where t.seconds > p.user_s)",
        "select p.* from process p left join disk d on d.reads > p.pid",
        "select d.device from disk d join task_time t on t.seconds > d.read_s where t.tid = 5",
        "with a as materialized (select pid from process) select * from a cross join disk",
        "select 1 from system s cross join (select * from disk) d on d.reads > s.runnable",
        "select 1 from disk where device in (select d.device from disk d, cpu c where c.user_s > d.read_s)",
        "select 1 from disk union select 1 from cpu a, cpu b",
    ] {
        assert!(nested(sql).is_some(), "{sql}");
    }
    let found = nested("select * from process p left join disk d on d.reads > p.pid");
    assert_eq!(found, Some(("d".into(), "p".into())));
}

#[test]
fn served_and_materialized_joins_pass() {
    for sql in [
        "select * from disk",
        "select * from disk d, host h",
        "select * from disk a join disk b on a.device = b.device and a.time = b.time",
        "select t.pid, sum(t.seconds) / w.denominator_s from task_time t, active_time w group by t.pid",
        "select * from active_time w cross join task_time t",
        "select * from window_span w join task_time t on t.time > w.since_ms",
        "select * from task_total t cross join active_time w cross join window_span s",
        "with w as (select sum(seconds) as s from task_time) select * from w, disk",
        "with w as materialized (select sum(seconds) as s from task_time) select * from w x cross join disk",
        "with a as materialized (select pid, sum(user_s) as u from process group by pid), b as materialized (select pid, sum(seconds) as s from task_time group by pid) select * from a join b on a.pid = b.pid",
        "select *, (select max(secs) from cpu) from disk d",
        "select p.name, (select sum(t.seconds) from task_time t where t.pid = p.pid) from process p",
        "select * from system s join disk d on d.time = s.time where d.device = 'a' or d.reads = 3",
        "select * from disk where device in (select device from disk where reads > 3)",
        "select * from process p where exists (select 1 from task_time t where t.pid = p.pid)",
        "select device from disk union select name from process",
    ] {
        assert_eq!(nested(sql), None, "{sql}");
    }
}

#[test]
fn a_check_prepares_and_looks_at_types() {
    let database = Database::open(&small()).expect("a database");
    assert!(matches!(database.check("select nonesuch from disk"), Err(SqlError::UnknownColumn { .. })));
    assert!(matches!(database.check("select 1 from disk where reads > 'x'"), Err(SqlError::Type { .. })));
    assert!(matches!(database.check("drop view active_time"), Err(SqlError::NotAQuestion { .. })));
}

#[test]
fn every_view_passes_the_check() {
    let database = Database::open(&small()).expect("a database");
    for view in heldup_archive::VIEWS {
        assert_eq!(database.check(&format!("select * from {}", view.name)), Ok(()), "{}", view.name);
    }
}

#[test]
fn nonsense_is_an_error_or_an_answer_but_never_a_panic() {
    const WORDS: [&str; 36] = [
        "select",
        "from",
        "where",
        "group by",
        "order by",
        "limit",
        "with",
        "as",
        "(",
        ")",
        ",",
        "*",
        ".",
        "=",
        "<",
        "in",
        "is",
        "not",
        "between",
        "and",
        "1",
        "1.5e",
        "'x'",
        "'",
        "\"",
        "[",
        "--",
        "/*",
        "µ",
        "\n",
        "disk",
        "time",
        "device",
        "sum(",
        "union",
        "active_time",
    ];
    let limits = Limits { time: std::time::Duration::from_millis(200), rows: 1000, ..Limits::default() };
    let database = Database::open_with(&small(), limits).expect("a database");
    let mut numbers = synthetic::Numbers::new(7);
    for _ in 0..2000 {
        let length = 1 + numbers.next(14);
        let sql: Vec<&str> = (0..length).map(|_| WORDS[numbers.next(WORDS.len() as u64) as usize]).collect();
        for sql in [sql.join(" "), sql.concat(), format!("select * from disk where {}", sql.join(" "))] {
            let checked = database.check(&sql);
            if let Err(error) = database.query(&sql) {
                assert!(!error.to_string().is_empty());
                assert!(
                    checked.is_err() || matches!(error, SqlError::Type { .. } | SqlError::Engine { .. }),
                    "{sql}: {error}"
                );
            }
        }
    }
}
