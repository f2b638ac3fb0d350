//! Deadlocks of databases and of Java threads: in the reports that have them, and alone, as people copy them.

use heldup_diagnose::{Ruleset, diagnose};
use heldup_import::Import;
use heldup_model::Severity;

use crate::table_text::{import, told};

fn rows(read: &Import) -> Vec<String> {
    told(read).lines().filter(|line| line.starts_with("deadlock ")).map(str::to_owned).collect()
}

/// Key and title of what is found of this id.
fn found(read: &Import, id: &str) -> Vec<(String, Severity)> {
    let answer = diagnose(read.capture.as_ref().expect("a capture"), &Ruleset::builtin());
    let of_rule = answer.findings.iter().filter(|finding| finding.key.starts_with(&format!("{id}/")));
    of_rule.map(|finding| (finding.title.clone(), finding.severity)).collect()
}

#[test]
fn of_innodb_in_its_status_and_in_the_error_log() {
    let status =
        import(include_bytes!("../../fixtures/innodb_status/debian-12-6.18.44-mariadb-10.11-deadlock.txt"));
    let all = rows(&status);
    assert_eq!(all.len(), 2, "{all:#?}");
    for (row, pid, holder, victim) in [(&all[0], 5, 4, "true"), (&all[1], 4, 5, "false")] {
        for part in [
            format!(" pid={pid}"),
            format!(" held_by={holder}"),
            format!(" is_victim={victim}"),
            " object_name=shop.stock".to_owned(),
            " index_name=PRIMARY".to_owned(),
            " ago_s=7".to_owned(),
        ] {
            assert!(row.contains(&part), "{part}: {row}");
        }
    }
    let titles = found(&status, "db.deadlock");
    assert_eq!(titles.len(), 1, "{titles:?}");
    assert!(
        titles[0].0.starts_with("deadlock: sessions 5 and 4, shop.stock (PRIMARY); 5 rolled back"),
        "{titles:?}"
    );
    assert_eq!(titles[0].1, Severity::Critical);

    let log =
        import(include_bytes!("../../fixtures/innodb_status/debian-12-6.18.44-mariadb-10.11-error-log.txt"));
    let of_log = rows(&log);
    assert_eq!(of_log.len(), 2, "{of_log:#?}");
    assert!(of_log[0].contains(" pid=5") && of_log[0].contains(" is_victim=true"), "{of_log:#?}");
}

#[test]
fn of_innodb_without_the_rest_and_cut_off() {
    let text = "LATEST DETECTED DEADLOCK\n------------------------\n2017-06-02 12:14:34 0x7f\n*** (1) TRANSACTION:\n\
                TRANSACTION 421, ACTIVE 0 sec starting index read\nmysql tables in use 1, locked 1\n\
                MySQL thread id 18, OS thread handle 1400, query id 71 10.0.0.4 shop statistics\n\
                select * from EVENT_INSTANCE for update\n";
    let read = import(text.as_bytes());
    let all = rows(&read);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].contains(" pid=18") && all[0].contains("EVENT_INSTANCE"), "{all:#?}");
    assert_eq!(found(&read, "db.deadlock").len(), 1);
    let bare = import(&text.as_bytes()[text.find("*** (1)").expect("a title")..]);
    assert_eq!(rows(&bare).len(), 1);
    // A status that tells of none.
    let none = import(
        b"=====================================\n2013-05-31 13:07:25 7f INNODB MONITOR OUTPUT\n\
          =====================================\n------------\nTRANSACTIONS\n------------\nHistory list length 7\n\
          ----------------------------\nEND OF INNODB MONITOR OUTPUT\n",
    );
    assert!(rows(&none).is_empty());
}

#[test]
fn of_postgresql_in_its_log_and_as_a_client_prints_it() {
    let log =
        import(include_bytes!("../../fixtures/PostgreSQL_log/debian-12-6.18.44-postgresql-15-locks.txt"));
    let all = rows(&log);
    // Two deadlocks of two processes.
    assert_eq!(all.len(), 4, "{all:#?}");
    for part in [
        " pid=13267",
        " held_by=13326",
        " is_victim=true",
        " object_name=stock",
        "update stock set n=n-1 where id=2",
    ] {
        assert!(all[0].contains(part), "{part}: {}", all[0]);
    }
    assert!(all[1].contains(" pid=13326") && all[1].contains("begin; update stock"), "{}", all[1]);
    let titles = found(&log, "db.deadlock");
    assert!(
        titles[0]
            .0
            .starts_with("deadlock (the last of 2): sessions 13580 and 13615, stock; 13580 rolled back"),
        "{titles:?}"
    );

    for text in [
        "sqlalchemy.exc.DBAPIError: (TransactionRollbackError) deadlock detected\n\
         DETAIL:  Process 28314 waits for ShareLock on transaction 950340; blocked by process 28427.\n\
         Process 28427 waits for ShareLock on transaction 950339; blocked by process 28314.\n\
         HINT:  See server log for query details.\n",
        "  Detail: Process 28314 waits for ShareLock on transaction 950340; blocked by process 28427.\n\
         \x20 Process 28427 waits for ShareLock on transaction 950339; blocked by process 28314.\n\
         \x20 Hint: See server log for query details.\n",
        "DETAIL:  Process 28314 waits for ShareLock on transaction 950340; blocked by process 28427.\\nProcess 28427 waits \
         for ShareLock on transaction 950339; blocked by process 28314.\n",
    ] {
        let read = import(text.as_bytes());
        let all = rows(&read);
        assert_eq!(all.len(), 2, "{text}: {all:#?}");
        assert!(all[1].contains(" pid=28427") && all[1].contains(" held_by=28314"), "{all:#?}");
    }
}

#[test]
fn of_oracle_in_a_trace_and_in_the_alert_log() {
    let trace = import(include_bytes!("../../fixtures/Oracle_deadlock/public-11g-trace.txt"));
    let all = rows(&trace);
    assert_eq!(all.len(), 2, "{all:#?}");
    let of = |pid: &str| all.iter().find(|row| row.contains(pid)).expect("a party");
    for part in
        [" held_by=72", " object_name=object 86434", " name=USER", " is_victim=false", "delete from EMPLOYEE"]
    {
        assert!(of(" pid=24").contains(part), "{part}: {all:#?}");
    }
    assert!(of(" pid=72").contains(" is_victim=true"), "{all:#?}");
    let alert = import(
        b"Tue Jun 25 09:37:35 2013\nORA-00060: Deadlock detected. More info in file /u01/trace/orcl_ora_2439.trc.\n\
          Tue Jun 25 09:41:02 2013\nORA-00060: Deadlock detected. More info in file /u01/trace/orcl_ora_2441.trc.\n",
    );
    let titles = found(&alert, "db.deadlock");
    assert!(titles[0].0.starts_with("deadlock (the last of 2)"), "{titles:?}");
}

#[test]
fn of_java_threads_as_an_ide_tells_it() {
    let read = import(
        b"Java-level deadlock has been detected\n\nThis means that some threads are blocked waiting to enter a block or\n\
          waiting to reenter a block, where each thread\nowns one monitor.\n\nDeadlock:\n\n\
          pool thread 0 is waiting to lock java.awt.Tree@1ca which is held by AWT-EventQueue-0 11.1\n\
          AWT-EventQueue-0 11.1 is waiting to lock java.lang.Object@1d3 which is held by pool thread 0\n",
    );
    let all = rows(&read);
    assert_eq!(all.len(), 2, "{all:#?}");
    assert!(
        all[0].contains(" name=pool thread 0") && all[0].contains(" object_name=java.awt.Tree"),
        "{all:#?}"
    );
}

#[test]
fn of_java_threads_below_a_dump_and_alone() {
    let whole = import(include_bytes!(
        "../../fixtures/Java_thread_dump/debian-12-openjdk-17.0.15-jstack-deadlock.txt"
    ));
    assert_eq!(rows(&whole).len(), 2);
    assert_eq!(found(&whole, "lock.deadlock").len(), 1);
    let alone = include_str!("../../fixtures/Java_thread_dump/debian-12-openjdk-17.0.15-deadlock-alone.txt");
    let indented: String = alone.lines().map(|line| format!("    {line}\n")).collect();
    let quoted: String = alone.lines().map(|line| format!("# {line}\n")).collect();
    for text in [alone, &indented, &quoted] {
        let read = import(text.as_bytes());
        let all = rows(&read);
        assert_eq!(all.len(), 2, "{all:#?}");
        assert!(all[0].contains(" name=seller") && all[0].contains(" held_by=canceller"), "{all:#?}");
        assert!(all[0].contains("Dead.sell(Dead.java:5)"), "{all:#?}");
        let titles = found(&read, "lock.deadlock");
        assert!(titles[0].0.starts_with("deadlock: seller and canceller"), "{titles:?}");
        assert_eq!(titles[0].1, Severity::Critical);
    }
}

#[test]
fn of_java_threads_whose_title_stands_above_a_fence() {
    let text = "# Found one Java-level deadlock:\n\n```\n\"seller\":\n  waiting to lock monitor 0x7f (object 0x76, a shop.Stock),\n  \
                which is held by \"canceller\"\n\"canceller\":\n  waiting to lock monitor 0x7e (object 0x75, a shop.Till),\n  \
                which is held by \"seller\"\n```\n";
    let all = rows(&import(text.as_bytes()));
    assert_eq!(all.len(), 2, "{all:#?}");
    assert!(
        all.iter().any(|row| row.contains(" name=seller") && row.contains(" held_by=canceller")),
        "{all:#?}"
    );
}
