//! Logs of slow statements and their summaries: which statement took most.

use heldup_diagnose::{Ruleset, diagnose};
use heldup_import::Import;

use crate::table_text::{import, number, told};

fn titles(read: &Import) -> Vec<String> {
    let answer = diagnose(read.capture.as_ref().expect("a capture"), &Ruleset::builtin());
    answer.findings.iter().map(|finding| finding.title.clone()).collect()
}

const COUNT: &str = "select count(*) from orders o join orders p on o.stock_id=p.stock_id where o.note like ? or p.id % ? = ?";

#[test]
fn of_mysql() {
    let read = import(include_bytes!("../../fixtures/MySQL_slow_log/debian-12-6.18.44-mariadb-10.11.txt"));
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    let of = |column: &str| number(&read, "db_sql", column, Some(("statement", COUNT)), 0);
    assert_eq!(of("executions"), Some(3.0), "{}", told(&read));
    assert!(of("elapsed_s").is_some_and(|s| (s - (111.634748 + 121.139291 + 123.881312)).abs() < 1e-6));
    assert_eq!(of("max_elapsed_s"), Some(123.881312));
    assert_eq!(of("rows_examined"), Some(180_000.0));
    assert_eq!(of("rows_processed"), Some(3.0));
    let all = titles(&read);
    assert!(
        all.iter().any(|title| title.starts_with("statement select count(*)")
            && title.contains("75 % of statement time")),
        "{all:#?}"
    );

    let old = "mysql> sudo tail -f slow.log\n/usr/sbin/mysqld, Version: 5.6.33-log ((Ubuntu)). started with:\n\
               Tcp port: 0  Unix socket: /var/run/mysqld/mysqld.sock\nTime                 Id Command    Argument\n\
               # Time: 170130  6:59:51\n# User@Host: root[root] @ localhost []  Id:     3\n\
               # Query_time: 15.000268  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 0\n\
               SET timestamp=1485759591;\nselect sleep(15);\n";
    let read = import(old.as_bytes());
    assert_eq!(number(&read, "db_sql", "elapsed_s", None, 0), Some(15.000268), "{}", told(&read));
}

#[test]
fn of_postgresql_counted_once_beside_its_plan() {
    let read =
        import(include_bytes!("../../fixtures/PostgreSQL_log/debian-12-6.18.44-postgresql-15-locks.txt"));
    let of = |column: &str| number(&read, "db_sql", column, Some(("statement", COUNT)), 0);
    assert_eq!((of("executions"), of("elapsed_s")), (Some(1.0), Some(6.986049)), "{}", told(&read));
    let waited = Some(("statement", "update stock set n=n-? where id=?"));
    assert_eq!(number(&read, "db_sql", "executions", waited, 0), Some(4.0), "{}", told(&read));
}

#[test]
fn of_summaries() {
    let read = import(include_bytes!(
        "../../fixtures/MySQL_slow_log_summary/debian-12-6.18.44-pt-query-digest-3.2.1.txt"
    ));
    let first = Some(("statement", "SELECT orders"));
    assert_eq!(number(&read, "db_sql", "elapsed_s", first, 0), Some(356.6554), "{}", told(&read));
    assert_eq!(number(&read, "db_sql", "executions", first, 0), Some(3.0));
    let dumped = "Reading mysql slow query log from slow.log\nCount: 3  Time=118.89s (356s)  Lock=0.00s (0s)  Rows=1.0 (3), root[root]@localhost\n\
                  \x20 select count(*) from orders where note like 'S'\n\nCount: 4  Time=29.31s (117s)  Lock=0.03s (0s)  Rows=0.0 (0), root[root]@localhost\n\
                  \x20 update stock set n=n-N where id=N\n";
    let read = import(dumped.as_bytes());
    let update = Some(("statement", "update stock set n=n-N where id=N"));
    assert_eq!(number(&read, "db_sql", "executions", update, 0), Some(4.0), "{}", told(&read));
    assert_eq!(number(&read, "db_sql", "elapsed_s", update, 0), Some(117.0));
}
