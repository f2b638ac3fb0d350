//! Lists of sessions with the columns that people ask for, in each form that clients print.

use heldup_diagnose::{Ruleset, diagnose};
use heldup_import::Import;

use crate::table_text::{import, number, told};

fn titles(read: &Import) -> Vec<String> {
    let answer = diagnose(read.capture.as_ref().expect("a capture"), &Ruleset::builtin());
    answer.findings.iter().map(|finding| finding.title.clone()).collect()
}

fn rows(read: &Import) -> Vec<String> {
    told(read).lines().filter(|line| line.starts_with("db_session ")).map(str::to_owned).collect()
}

#[test]
fn of_postgresql_with_all_columns_in_each_form() {
    for text in [
        &include_bytes!("../../fixtures/pg_stat_activity/debian-12-6.18.44-postgresql-15-all-unaligned.txt")
            [..],
        include_bytes!("../../fixtures/pg_stat_activity/debian-12-6.18.44-postgresql-15-all-expanded.txt"),
        include_bytes!("../../fixtures/pg_stat_activity/debian-12-6.18.44-postgresql-15-all-csv.txt"),
    ] {
        let read = import(text);
        assert!(read.flaws.is_empty(), "{:?}", read.flaws);
        let all = rows(&read);
        assert_eq!(all.len(), 14, "{all:#?}");
        let holder = all.iter().find(|row| row.contains(" pid=14628 ")).expect("the session");
        // Since its last statement, by the latest time in the list.
        assert!(holder.contains(" transaction_s=12.") || holder.contains(" transaction_s=13."), "{holder}");
        assert!(holder.contains(" state_s=12."), "{holder}");
        let waiter = all.iter().find(|row| row.contains(" pid=14963 ")).expect("the session");
        assert!(waiter.contains(" statement_s=10."), "{waiter}");
        // Who holds the row is not in the list.
        let all = titles(&read);
        assert!(
            all.iter().any(|title| title.starts_with("lock wait: 4 sessions wait for a lock (")
                && title.contains(", for up to 10")),
            "{all:#?}"
        );
    }
}

#[test]
fn of_postgresql_with_some_columns() {
    let duration = import(include_bytes!(
        "../../fixtures/pg_stat_activity/debian-12-6.18.44-postgresql-15-duration.txt"
    ));
    let all = rows(&duration);
    assert_eq!(all.len(), 9, "{all:#?}");
    assert!(
        all.iter().any(|row| row.contains(" pid=14628 ") && row.contains(" transaction_s=12.8")),
        "{all:#?}"
    );
    assert!(
        all.iter().any(|row| row.contains(" pid=16063 ") && row.contains(" statement_s=3.77")),
        "{all:#?}"
    );
    let starts =
        import(include_bytes!("../../fixtures/pg_stat_activity/debian-12-6.18.44-postgresql-15-starts.txt"));
    assert!(
        rows(&starts).iter().any(|row| row.contains(" pid=14963 ") && row.contains(" statement_s=")),
        "{}",
        told(&starts)
    );
}

#[test]
fn of_postgresql_who_blocks_whom() {
    for text in [
        &include_bytes!("../../fixtures/pg_stat_activity/debian-12-6.18.44-postgresql-15-blocking-pids.txt")
            [..],
        include_bytes!("../../fixtures/pg_stat_activity/debian-12-6.18.44-postgresql-15-blocking-query.txt"),
    ] {
        let read = import(text);
        assert!(read.flaws.is_empty(), "{:?}", read.flaws);
        let all = rows(&read);
        for (waiter, holders) in [("14963", &["14628"][..]), ("14979", &["14963"]), ("15589", &["14628"])] {
            let row = all.iter().find(|row| row.contains(&format!(" pid={waiter} "))).expect("the session");
            assert!(holders.iter().any(|holder| row.contains(&format!(" blocked_by={holder}"))), "{row}");
        }
        let all = titles(&read);
        assert!(
            all.iter().any(|title| title.contains("session 14628") && title.contains("blocks 4 sessions")),
            "{all:#?}"
        );
    }
}

#[test]
fn of_postgresql_by_modes_of_locks_that_exclude_each_other() {
    let read = import(include_bytes!("../../fixtures/pg_locks/debian-12-6.18.44-postgresql-15-waiting.txt"));
    let all = rows(&read);
    let of = |pid: &str| all.iter().find(|row| row.contains(&format!(" pid={pid} "))).expect("the session");
    assert!(of("14963").contains(" blocked_by=14628"), "{}", of("14963"));
    assert!(of("15589").contains(" blocked_by=14628"), "{}", of("15589"));
    // Which row it waits for is not in the list.
    assert!(!of("14979").contains(" blocked_by="), "{}", of("14979"));
    // Neither are the numbers of transactions in this one.
    let read = import(include_bytes!("../../fixtures/pg_locks/debian-12-6.18.44-postgresql-15-aligned.txt"));
    assert!(rows(&read).iter().all(|row| !row.contains(" blocked_by=")), "{}", told(&read));
}

#[test]
fn of_oracle() {
    let text = include_str!("../../fixtures/Oracle_sessions/hand-made-v-session.txt");
    let read = import(text.as_bytes());
    let all = rows(&read);
    assert_eq!(all.len(), 3, "{}", told(&read));
    assert!(
        all[0].contains(" wait_name=enq: TX - row lock contention") && all[0].contains(" blocked_by=145"),
        "{}",
        all[0]
    );
    let all = titles(&read);
    assert!(
        all.iter().any(|title| title
            .starts_with("lock wait: session 145 (ADMIN, idle) blocks 2 sessions, for up to 312 s")),
        "{all:#?}"
    );
}

#[test]
fn of_oracle_as_samples_of_active_sessions() {
    let read = import(include_bytes!("../../fixtures/ASH/hand-made-11g.txt"));
    let event = Some(("event_name", "enq: TX - row lock contention"));
    assert_eq!(number(&read, "db_wait", "wait_share", event, 0), Some(0.62), "{}", told(&read));
    assert_eq!(number(&read, "db_wait", "wait_s", event, 0), Some(2790.0));
    assert_eq!(
        number(&read, "db_metric", "value", Some(("metric_name", "db_time_s")), 0),
        Some(4500.0),
        "{}",
        told(&read)
    );
    let all = titles(&read);
    assert!(
        all.first().is_some_and(
            |title| title.starts_with("wait event enq: TX - row lock contention: 62 % of DB time")
        ),
        "{all:#?}"
    );
}

#[test]
fn of_postgresql_waits_in_the_log() {
    let read =
        import(include_bytes!("../../fixtures/PostgreSQL_log/debian-12-6.18.44-postgresql-15-locks.txt"));
    let all = rows(&read);
    assert_eq!(all.len(), 4, "{all:#?}");
    let first = all.iter().find(|row| row.contains(" pid=14963 ")).expect("the session");
    for part in [
        " blocked_by=14628",
        " wait_name=transactionid",
        " wait_s=42.877419",
        "update stock set n=n-1 where id=7",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    let all = titles(&read);
    assert!(
        all.iter()
            .any(|title| title.starts_with("lock wait: session 14628 blocks 4 sessions, for up to 42.9 s")),
        "{all:#?}"
    );
}

#[test]
fn of_mysql_who_blocks_whom() {
    for text in [
        &include_bytes!("../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-lock-waits.txt")[..],
        include_bytes!(
            "../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-sys-lock-waits-vertical.txt"
        ),
    ] {
        let read = import(text);
        assert!(read.flaws.is_empty(), "{:?}", read.flaws);
        let all = rows(&read);
        let row = all.iter().find(|row| row.contains(" pid=13 ")).expect("the session");
        assert!(row.contains(" blocked_by=10"), "{row}");
        let all = titles(&read);
        assert!(
            all.iter()
                .any(|title| title.starts_with("lock wait: session 10 ")
                    && title.contains("blocks 3 sessions")),
            "{all:#?}"
        );
    }
    let transactions =
        import(include_bytes!("../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-transactions.txt"));
    let all = titles(&transactions);
    assert!(
        all.iter().any(|title| title.starts_with("lock wait: transaction 37 blocks 3 sessions")),
        "{all:#?}"
    );
}

#[test]
fn of_mysql_transactions_and_other_columns() {
    for text in [
        &include_bytes!("../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-innodb-trx.txt")[..],
        include_bytes!("../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-innodb-trx-vertical.txt"),
    ] {
        let read = import(text);
        let all = rows(&read);
        assert_eq!(all.len(), 4, "{all:#?}");
        assert!(
            all.iter().any(|row| row.contains(" pid=10 ") && row.contains(" state=idle in transaction")),
            "{all:#?}"
        );
        assert_eq!(all.iter().filter(|row| row.contains(" wait_name=row lock")).count(), 3, "{all:#?}");
    }
    let some =
        import(include_bytes!("../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-some-columns.txt"));
    let all = titles(&some);
    assert!(
        all.iter().any(|title| title.starts_with("lock wait: 2 sessions wait for table metadata lock, for up to 9")),
        "{all:#?}"
    );
}

#[test]
fn of_mysql_as_a_graphical_client_copies_it() {
    let text = "Id, User, Host, db, Command, Time, State, Info, Progress\n\
                177, 'shop', 'web1:62932', 'shop', 'Query', 23994, 'Waiting for table metadata lock', 'SELECT a FROM t WHERE s='x' AND d='y', 1', 0.000\n\
                175, 'shop', 'web1:50058', 'shop', 'Query', 28227, 'Repair by sorting', 'CREATE TABLE `n` (\n  `Id` bigint,\n  PRIMARY KEY (`Id`)\n)', 0.000\n";
    let read = import(text.as_bytes());
    let all = rows(&read);
    assert_eq!(all.len(), 2, "{}", told(&read));
    let all = titles(&read);
    assert!(all.iter().any(|title| title.contains("waits for table metadata lock")), "{all:#?}");
    assert!(
        all.iter().any(|title| title.starts_with("statement running for 28227 s: CREATE TABLE")),
        "{all:#?}"
    );
}

#[test]
fn other_tables_are_none() {
    for text in ["| id | name |\n| 1 | pid |\n", "pid|name\n1|init\n", "state,count\nCA,8\n"] {
        let read = import(text.as_bytes());
        assert!(rows(&read).is_empty(), "{text}");
    }
}
