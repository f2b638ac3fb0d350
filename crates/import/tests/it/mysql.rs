//! What the client of MySQL and MariaDB prints, in all its forms.

use heldup_diagnose::{Ruleset, diagnose};

use crate::table_text::{import, number, told};

const EVENT_WAITS: [&[u8]; 4] = [
    include_bytes!("../../fixtures/events_waits_summary/debian-12-6.18.44-mariadb-10.11-table.txt"),
    include_bytes!("../../fixtures/events_waits_summary/debian-12-6.18.44-mariadb-10.11-batch.txt"),
    include_bytes!("../../fixtures/events_waits_summary/debian-12-6.18.44-mariadb-10.11-vertical.txt"),
    include_bytes!("../../fixtures/events_waits_summary/debian-12-6.18.44-mariadb-10.11-sys.txt"),
];

#[test]
fn waits_of_mysql_in_every_form_that_its_client_prints() {
    for text in EVENT_WAITS {
        let read = import(text);
        let said = told(&read);
        assert_eq!(read.file.what, "events_waits_summary, 1 sample", "{said}");
        let rows = said.lines().filter(|line| line.starts_with("db_wait ")).count();
        // A box has its headings, the other forms say `idle` too, which the view leaves out.
        assert!((11..=12).contains(&rows), "{rows}: {said}");
        let event = Some(("event_name", "wait/io/file/innodb/innodb_data_file"));
        assert_eq!(number(&read, "db_wait", "waits", event, 0), Some(286.0), "{said}");
        let wait_s = number(&read, "db_wait", "wait_s", event, 0).expect("time");
        assert!((wait_s - 0.3356).abs() < 0.0001, "{wait_s}");
        assert!(read.flaws.is_empty(), "{:?}", read.flaws);
        // Which event is the largest is known, but not over what time: nothing more than information.
        let answer = diagnose(read.capture.as_ref().expect("a capture"), &Ruleset::builtin());
        let first = answer.findings.first().expect("a finding");
        assert_eq!(first.key, "db.top-wait/event:wait/io/file/innodb/innodb_data_file");
        assert_eq!(first.severity, heldup_model::Severity::Info);
    }
    let damaged = String::from_utf8_lossy(EVENT_WAITS[0]).replace("|        286 |", "|        2x6 |");
    let read = import(damaged.as_bytes());
    assert!(read.flaws[0].what.contains("expected a number of waits and a wait time"), "{:?}", read.flaws);
    // Other summaries have the same columns.
    let read = import(b"EVENT_NAME\tCOUNT_STAR\tSUM_TIMER_WAIT\nstatement/sql/select\t12\t34567\n");
    assert_eq!(number(&read, "db_wait", "waits", None, 0), None);
}

const PROCESSLISTS: [&[u8]; 3] = [
    include_bytes!("../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-table.txt"),
    include_bytes!("../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-batch.txt"),
    include_bytes!("../../fixtures/processlist/debian-12-6.18.44-mariadb-10.11-vertical.txt"),
];

#[test]
fn sessions_of_mysql_in_every_form_that_its_client_prints() {
    for text in PROCESSLISTS {
        let read = import(text);
        let said = told(&read);
        assert_eq!(read.file.what, "processlist, 1 sample", "{said}");
        assert!(read.flaws.is_empty(), "{:?}", read.flaws);
        let rows: Vec<&str> = said.lines().filter(|line| line.starts_with("db_session ")).collect();
        let active = rows.iter().filter(|row| row.contains(" state=active")).count();
        let waiting = rows.iter().filter(|row| row.contains("wait_name=table metadata lock")).count();
        // The session that made the list has no state.
        assert_eq!((active, waiting), (8, 3), "{said}");
        assert!(said.contains("values ('a | b')"), "{said}");
        let answer = diagnose(read.capture.as_ref().expect("a capture"), &Ruleset::builtin());
        let keys: Vec<&str> = answer.findings.iter().map(|finding| finding.key.as_str()).collect();
        assert!(keys.contains(&"db.top-wait/event:Lock:table metadata lock"), "{keys:?}");
    }
}

#[test]
fn transactions_of_innodb_that_wait_for_a_row() {
    for text in [
        &include_bytes!("../../fixtures/innodb_status/debian-12-6.18.44-mariadb-10.11-row-locks.txt")[..],
        include_bytes!("../../fixtures/innodb_status/debian-12-6.18.44-mariadb-10.11-batch.txt"),
    ] {
        let read = import(text);
        let said = told(&read);
        assert_eq!(read.file.what, "innodb_status, 1 sample", "{said}");
        let waiting = said.lines().filter(|line| line.contains("wait_name=row lock")).count();
        assert_eq!(waiting, 4, "{said}");
        assert!(said.contains("state=idle in transaction"), "{said}");
        let answer = diagnose(read.capture.as_ref().expect("a capture"), &Ruleset::builtin());
        let keys: Vec<&str> = answer.findings.iter().map(|finding| finding.key.as_str()).collect();
        assert_eq!(keys[..2], ["db.blocked/lock:row lock", "db.top-wait/event:Lock:row lock"], "{keys:?}");
    }
    let read =
        import(include_bytes!("../../fixtures/innodb_status/debian-12-6.18.44-mariadb-10.11-deadlock.txt"));
    let age = number(&read, "db_metric", "value", Some(("metric_name", "mysql.innodb_deadlock_age_s")), 0);
    assert_eq!(age, Some(7.0), "{}", told(&read));
}

#[test]
fn threads_at_a_semaphore_of_innodb() {
    let text = "=====================================\n2013-05-31 13:07:25 7fa3f6703700 INNODB MONITOR OUTPUT\n\
                =====================================\nPer second averages calculated from the last 20 seconds\n\
                ----------\nSEMAPHORES\n----------\n\
                --Thread 140340520122112 has waited at btr0cur.cc line 545 for 3.00 seconds the semaphore:\n\
                S-lock on RW-latch at 0x7fa3e8 '&new_index->lock'\n\
                --Thread 140340520122368 has waited at lock0lock.cc line 42 for 0.0000 seconds the semaphore:\n\
                Mutex at 0x1f89ab0, Mutex LOCK_SYS created lock0lock.cc:451, lock var 1\n\
                ------------\nTRANSACTIONS\n------------\nHistory list length 1234567\n\
                ---TRANSACTION 8, ACTIVE 4 sec inserting\n\
                MySQL thread id 77, OS thread handle 140340520122112, query id 5 localhost shop update\n\
                insert into t values (1)\n\
                ----------------------------\nEND OF INNODB MONITOR OUTPUT\n";
    let read = import(text.as_bytes());
    let said = told(&read);
    let rows: Vec<&str> = said.lines().filter(|line| line.starts_with("db_session ")).collect();
    // A thread that waits for a semaphore inside a transaction is one session.
    assert_eq!(rows.len(), 2, "{said}");
    assert!(
        rows.iter().any(|row| row.contains("pid=77") && row.contains("wait_name=new_index->lock")),
        "{said}"
    );
    let history =
        number(&read, "db_metric", "value", Some(("metric_name", "mysql.innodb_history_list_length")), 0);
    assert_eq!(history, Some(1_234_567.0));
}

#[test]
fn counters_of_mysql_since_the_start_and_between_two_readings() {
    let read =
        import(include_bytes!("../../fixtures/mysql_status/debian-12-6.18.44-mariadb-10.11-table.txt"));
    let said = told(&read);
    assert_eq!(read.file.what, "mysql_status, 2 samples", "{said}");
    let of = |name: &str, nth| number(&read, "db_metric", "value", Some(("metric_name", name)), nth);
    assert_eq!((of("mysql.questions", 0), of("mysql.questions", 1)), (Some(14.0), Some(5.0)), "{said}");
    assert_eq!((of("mysql.threads_connected", 0), of("mysql.threads_connected", 1)), (Some(1.0), Some(3.0)));
    assert_eq!(of("mysql.innodb_row_lock_waits", 1), Some(1.0), "{said}");
    assert_eq!(number(&read, "db_metric", "secs", Some(("metric_name", "mysql.questions")), 1), Some(4.0));
    for text in [
        &include_bytes!("../../fixtures/mysql_status/debian-12-6.18.44-mariadb-10.11-bare.txt")[..],
        include_bytes!("../../fixtures/mysql_status/debian-12-6.18.44-mariadb-10.11-vertical.txt"),
    ] {
        let read = import(text);
        assert_eq!(read.file.what, "mysql_status, 1 sample", "{}", told(&read));
        assert!(
            number(&read, "db_metric", "value", Some(("metric_name", "mysql.threads_connected")), 0)
                .is_some()
        );
    }
    for text in [
        &include_bytes!("../../fixtures/mysql_variables/debian-12-6.18.44-mariadb-10.11-table.txt")[..],
        include_bytes!("../../fixtures/mysql_variables/debian-12-6.18.44-mariadb-10.11-batch.txt"),
    ] {
        let said = told(&import(text));
        assert!(said.contains("setting_key=mysql.max_connections setting_value=20"), "{said}");
    }
}
