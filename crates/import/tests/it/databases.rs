//! What databases print: reports of Oracle that were cut or damaged, tables of psql in all their forms, files of settings.
//! Those of PostgreSQL that no package here has (16 and later) are written by hand from its documentation.

use heldup_diagnose::{Ruleset, diagnose};
use heldup_import::Import;

use crate::table_text::{import, number, told};

const AWR: &[u8] = include_bytes!("../../fixtures/AWR/hand-made-11g.txt");
const PAGE: &[u8] = include_bytes!("../../fixtures/AWR/hand-made-12c.html");
const CLUSTER: &[u8] = include_bytes!("../../fixtures/AWR/hand-made-cluster-12.1.txt");
const CLUSTER_PAGE: &[u8] = include_bytes!("../../fixtures/AWR/hand-made-cluster-19c.html");
const OLD: &[u8] = include_bytes!("../../fixtures/statspack/hand-made-8i.txt");

/// The findings of a recording: keys and titles.
fn found(text: &[u8]) -> Vec<String> {
    let read = import(text);
    let answer = diagnose(read.capture.as_ref().expect("a capture"), &Ruleset::builtin());
    assert!(answer.errors.is_empty(), "{:?}", answer.errors);
    answer.findings.iter().map(|one| format!("{}: {}", one.key, one.title)).collect()
}

fn has(found: &[String], key: &str, words: &str) {
    assert!(
        found.iter().any(|one| one.starts_with(key) && one.contains(words)),
        "{key} ({words}) in {found:#?}"
    );
}

#[test]
fn an_old_report_gives_all_that_it_complains_of() {
    let found = found(OLD);
    has(&found, "db.buffer-hit/database:shop", "buffer hit ratio 75 %");
    has(&found, "db.physical-io/database:shop", "30");
    has(&found, "db.latch/database:shop", "most misses: cache buffers chains");
    has(&found, "db.parse/database:shop", "120 hard parses/s");
    has(&found, "db.sort-on-disk/database:shop", "8 % of sorts");
    has(&found, "config.risky/setting:oracle.disk_asynch_io", "one write at a time");
    has(&found, "db.sizing/database:oracle", "Oracle memory too small");
}

#[test]
fn a_report_of_the_repository_gives_its_conclusions() {
    let found = found(AWR);
    has(&found, "db.log-sync/database:depot1", "slow log disks");
    has(&found, "db.connections/database:oracle", "144 of 150 sessions");
    assert!(!found.iter().any(|one| one.starts_with("db.physical-io")), "{found:#?}");
}

#[test]
fn a_page_of_the_repository_gives_its_conclusions() {
    let found = found(PAGE);
    has(&found, "db.parse/database:crm1", "150 hard parses/s, 25 % of DB time");
    has(&found, "db.connections/database:oracle", "310 of 320 sessions");
}

#[test]
fn every_beginning_of_a_report_is_read_without_panic() {
    for (text, step) in [(AWR, 307), (PAGE, 311), (OLD, 313), (CLUSTER, 317), (CLUSTER_PAGE, 331)] {
        for end in (0..text.len()).step_by(step) {
            let _ = import(&text[..end]);
        }
    }
}

#[test]
fn a_report_that_ends_within_a_section_says_so() {
    let text = String::from_utf8_lossy(AWR);
    let at = text.find("cache buffers chains        300").expect("row");
    let read = import(&text.as_bytes()[..at]);
    assert_eq!(read.flaws.len(), 1, "{:?}", read.flaws);
    assert!(read.flaws[0].what.contains("ends within Latch Activity"), "{:?}", read.flaws);
    let page = String::from_utf8_lossy(PAGE);
    let at = page.find("log file parallel write").expect("row");
    let read = import(&page.as_bytes()[..at]);
    assert!(read.flaws[0].what.contains("ends within a table"), "{:?}", read.flaws);
    assert_eq!(read.file.what, "AWR, 1 sample");
}

#[test]
fn a_report_of_a_cluster_is_of_each_instance() {
    for text in [CLUSTER, CLUSTER_PAGE] {
        let read = import(text);
        assert!(read.flaws.is_empty(), "{:?}", read.flaws);
        let of = |instance| Some(("instance", instance));
        // The first event of each is its CPU time; those of all instances together are not kept besides.
        assert_eq!(number(&read, "db_wait", "wait_s", of("harbor1"), 0), Some(6000.5));
        assert_eq!(number(&read, "db_wait", "wait_s", of("HARBOR"), 0), None);
        assert_eq!(number(&read, "db_wait", "mean_wait_s", of("harbor1"), 1), Some(0.08));
        assert_eq!(number(&read, "db_sql", "io_s", of("HARBOR"), 0), Some(400.0));
        assert_eq!(number(&read, "db_metric", "secs", of("harbor2"), 0), Some(3660.0));
        // Two machines are in it.
        assert!(read.capture.as_ref().is_some_and(|capture| !capture.tables.contains_key("cpu")));
        assert!(read.file.notes.iter().any(|note| note.contains("of a cluster")), "{:?}", read.file.notes);
    }
}

/// Since 12.2 the instance has a table of its own, and the classes of events one below the events.
#[test]
fn a_page_of_today_has_no_classes_among_its_events() {
    let cells = |cells: &[&str]| {
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let table = |summary: &str, headings: &[&str], rows: &[&[&str]]| {
        let headings: String = headings.iter().map(|heading| format!("<th>{heading}</th>")).collect();
        let rows: String = rows.iter().map(|row| cells(row)).collect();
        format!("<table summary=\"This table displays {summary}\"><tr>{headings}</tr>\n{rows}</table>\n")
    };
    let page = [
        "<html><head><title>AWR Report for DB: ORCL, Inst: orcl, Snaps: 37-38</title></head><body>\n"
            .to_owned(),
        "<h1>WORKLOAD REPOSITORY report for</h1>\n".to_owned(),
        table(
            "database instance information",
            &["DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"],
            &[&["ORCL", "1559633117", "orcl", "PRIMARY", "EE", "19.0.0.0.0", "NO", "YES"]],
        ),
        table(
            "database instance information",
            &["Instance", "Inst Num", "Startup Time", "User Name", "System Data Visible"],
            &[&["orcl1", "1", "20-Sep-23 08:21", "SYS", "YES"]],
        ),
        table(
            "snapshot information",
            &["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"],
            &[
                &["Begin Snap:", "37", "21-Sep-23 10:00:10", "50", "1.1"],
                &["End Snap:", "38", "21-Sep-23 11:00:10", "55", "1.2"],
            ],
        ),
        "<h3>Report Summary</h3>\n".to_owned(),
        table(
            "top 10 wait events by total wait time",
            &["Event", "Waits", "Total Wait Time (sec)", "Avg Wait", "% DB time", "Wait Class"],
            &[
                &["DB CPU", "", "500.5", "", "67.5", ""],
                &["db file sequential read", "27,900", "14.1", "505.38us", "1.9", "User I/O"],
            ],
        ),
        table(
            "wait class statistics ordered by total wait time",
            &[
                "Wait Class",
                "Waits",
                "Total Wait Time (sec)",
                "Avg Wait Time",
                "% DB time",
                "Avg Active Sessions",
            ],
            &[
                &["DB CPU", "", "500", "", "67.5", "0.1"],
                &["User I/O", "30,000", "15", "500.00us", "2.0", "0.0"],
            ],
        ),
        "<h3>Tablespace IO Stats</h3>\n".to_owned(),
        table(
            "tablespace IO statistics",
            &["Tablespace", "Reads", "Av Rds/s", "Av Rd(ms)", "Writes", "Buffer Waits", "Av Buf Wt(ms)"],
            &[&["SYSAUX", "500", "0", "511.50us", "20", "2", "1.50"]],
        ),
        "</body></html>\n".to_owned(),
    ];
    let read = import(page.concat().as_bytes());
    let event = |name| Some(("event_name", name));
    assert_eq!(number(&read, "db_wait", "wait_s", event("DB CPU"), 0), Some(500.5));
    assert_eq!(number(&read, "db_wait", "secs", event("User I/O"), 0), None, "{}", told(&read));
    assert_eq!(number(&read, "db_wait", "mean_wait_s", Some(("instance", "orcl1")), 1), Some(505.38e-6));
    assert_eq!(number(&read, "db_file", "mean_read_s", None, 0), Some(511.5e-6));
    assert!(read.file.notes.iter().any(|note| note.contains("wait class statistics")));
}

/// As of 9.0, and of 9.4: by hand from the documentation of these.
#[test]
fn sessions_of_old_servers() {
    let read = import(
        b" datname | procpid | usename |      current_query      | waiting \n---------+---------+---------+-------------------------+---------\n\
          \x20shop    |    1234 | shop    | <IDLE> in transaction   | f\n shop    |    1235 | shop    | select 1                | t\n(2 rows)\n",
    );
    assert_eq!(read.file.what, "pg_stat_activity, 1 sample", "{}", told(&read));
    assert_eq!(number(&read, "db_session", "pid", Some(("state", "idle in transaction")), 0), Some(1234.0));
    assert_eq!(number(&read, "db_session", "pid", Some(("wait_kind", "Lock")), 0), Some(1235.0));
    assert_eq!(number(&read, "db_session", "pid", Some(("statement", "select 1")), 0), Some(1235.0));
}

#[test]
fn bars_between_the_cells_of_a_cluster_change_nothing() {
    let with: String = String::from_utf8_lossy(CLUSTER)
        .lines()
        .map(|line| if line.starts_with("---") { line.replace(' ', "|") } else { line.to_owned() } + "\n")
        .collect();
    assert_eq!(told(&import(with.as_bytes())), told(&import(CLUSTER)));
}

#[test]
fn a_report_of_a_cluster_says_what_is_damaged() {
    let text = String::from_utf8_lossy(CLUSTER).replace("760.00      3.8", "7x0.00      3.8");
    let read = import(text.as_bytes());
    // Its instance is not printed again, so that only the number tells a row.
    assert_eq!(read.flaws.len(), 0, "{:?}", read.flaws);
    let text = String::from_utf8_lossy(CLUSTER).replace("3,000.00", "3,00x.00");
    let read = import(text.as_bytes());
    assert!(read.flaws[0].what.contains("expected an event"), "{:?}", read.flaws);
    let at = text.find("Ping").expect("section");
    let read = import(&CLUSTER[..at]);
    assert!(read.flaws[0].what.contains("expected \"End of Report\""), "{:?}", read.flaws);
}

#[test]
fn a_damaged_number_is_said_with_its_line() {
    let text = String::from_utf8_lossy(AWR).replace("410,000     114", "41x,000     114");
    let read = import(text.as_bytes());
    assert_eq!(read.flaws.len(), 1, "{:?}", read.flaws);
    let text = String::from_utf8_lossy(AWR).replace(
        "log file sync                       180,000       5,400     30   30.0",
        "log file sync                       180,000       5,4#0     30   30.0",
    );
    let read = import(text.as_bytes());
    assert_eq!(read.flaws.len(), 1, "{:?}", read.flaws);
    let line = text.lines().position(|line| line.contains("5,4#0")).expect("line") + 1;
    assert!(read.flaws[0].place.ends_with(&format!(":{line}")), "{:?}", read.flaws);
    assert!(read.flaws[0].what.contains("expected an event"), "{:?}", read.flaws);
}

#[test]
fn events_of_which_the_blanks_are_lost() {
    let read = import(
        b"Top 5 Timed Events\n~~~~~~~~~~~~~~~~~~ % Total\nEvent Waits Time (s) Ela Time\n\
          -------------------------------------------- ------------ ----------- --------\n\
          CPU time 37,297 52.27\nSQL*Net message from dblink 7,065,802 11,312 15.85\n\
          db file sequential read 13,042,432 3,493 4.90\n\
          -------------------------------------------------------------\nWhy should one know this?\n",
    );
    assert_eq!(read.file.what, "statspack, 1 sample", "{}", told(&read));
    let event = |name| Some(("event_name", name));
    assert_eq!(number(&read, "db_wait", "wait_s", event("CPU time"), 0), Some(37_297.0));
    assert_eq!(number(&read, "db_wait", "waits", event("CPU time"), 0), None);
    assert_eq!(number(&read, "db_wait", "waits", event("db file sequential read"), 0), Some(13_042_432.0));
}

#[test]
fn prose_about_databases_is_no_recording() {
    let read = import(
        b"Top 5 Timed Events is what to read first.\nThe top 10 events are these.\nSet processes = 200 and be done.\n\
          shared memory | semaphores\nname, setting and unit\nLoad is high, DB time is 5\nwork memory = 4MB\n",
    );
    assert_eq!(read.file.what, "unknown format", "{}", told(&read));
}

const ACTIVITY: [&str; 4] = [
    " datname |  pid  |    state     | wait_event_type | wait_event |      query      \n\
     ---------+-------+--------------+-----------------+------------+-----------------\n \
     shop    | 17170 | active       | Lock            | tuple      | update stock   +\n         \
     |       |              |                 |            | set n = n - 1\n \
     shop    | 17171 | idle         | Client          | ClientRead | end\n(2 rows)\n",
    "datname|pid|state|wait_event_type|wait_event|query\n\
     shop|17170|active|Lock|tuple|update stock set n = n - 1\nshop|17171|idle|Client|ClientRead|end\n(2 rows)\n",
    "datname,pid,state,wait_event_type,wait_event,query\n\
     shop,17170,active,Lock,tuple,\"update stock\nset n = n - 1\"\nshop,17171,idle,Client,ClientRead,end\n",
    "-[ RECORD 1 ]---+----------------\ndatname         | shop\npid             | 17170\nstate           | active\n\
     wait_event_type | Lock\nwait_event      | tuple\nquery           | update stock   +\n                | set n = n - 1\n\
     -[ RECORD 2 ]---+----------------\ndatname         | shop\npid             | 17171\nstate           | idle\n\
     wait_event_type | Client\nwait_event      | ClientRead\nquery           | end\n",
];

#[test]
fn sessions_in_every_form_that_psql_prints() {
    for text in ACTIVITY {
        let read = import(text.as_bytes());
        assert_eq!(read.file.what, "pg_stat_activity, 1 sample", "{text}{}", told(&read));
        let said = told(&read).replace('\n', " ");
        assert_eq!(said.matches("db_session ").count(), 2, "{text}{said}");
        assert!(said.contains("wait_kind=Lock wait_name=tuple"), "{said}");
        assert!(said.contains("statement=update stock set n = n - 1"), "{said}");
        assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    }
}

#[test]
fn views_of_later_releases() {
    let read = import(
        b"num_timed,num_requested,write_time,buffers_written\n12,90,5000.5,70000\n\n\
          backend_type|object|context|reads|read_time|writes\nclient backend|relation|normal|900|12.5|\n(1 row)\n\n\
          locktype|mode|granted\nrelation|RowExclusiveLock|t\nrelation|RowExclusiveLock|f\n(2 rows)\n",
    );
    let metric = |name| number(&read, "db_metric", "value", Some(("metric_name", name)), 0);
    assert_eq!(metric("pg_stat_checkpointer.num_requested"), Some(90.0), "{}", told(&read));
    assert_eq!(metric("pg_stat_io.client backend.relation.normal.reads"), Some(900.0));
    assert_eq!(metric("pg_stat_io.client backend.relation.normal.writes"), None);
    let lock =
        |column| number(&read, "db_contention", column, Some(("name", "relation RowExclusiveLock")), 0);
    assert_eq!((lock("requests"), lock("waits")), (Some(2.0), Some(1.0)));
}

#[test]
fn rows_of_psql_that_are_damaged_are_said() {
    for (text, line, expected) in [
        (
            "name|setting|unit\nshared_buffers|16384|8kB\nwork_mem|4096\n",
            3,
            "2 cells; expected name setting unit",
        ),
        ("datname,pid,state,query\nshop,x7,idle,end\n", 2, "expected the pid of a session"),
        ("locktype|mode|granted\nrelation|ShareLock|maybe\n", 2, "granted (t) or not"),
        ("datname,pid,state,query\nshop,7,idle,\"select\n", 2, "expected a closing quote"),
    ] {
        let read = import(text.as_bytes());
        assert_eq!(read.flaws.len(), 1, "{text}{:?}", read.flaws);
        assert!(read.flaws[0].what.contains(expected), "{text}{:?}", read.flaws);
        if line > 0 {
            assert!(read.flaws[0].place.ends_with(&format!(":{line}")), "{text}{:?}", read.flaws);
        }
    }
}

#[test]
fn settings_are_the_same_from_files_and_from_the_view() {
    for text in [
        "# memory\nshared_buffers = 16384   # min 128kB\nfsync = off\n",
        "name|setting|unit\nshared_buffers|16384|8kB\nfsync|off|\n(2 rows)\n",
        " name           | setting | description\n----------------+---------+-------------\n shared_buffers | 131072kB | Sets the number of buffers.\n fsync          | off     | Forces updates to disk.\n(2 rows)\n",
    ] {
        let read = import(text.as_bytes());
        let said = told(&read);
        assert!(
            said.contains("setting_key=postgresql.shared_buffers setting_value=131072kB"),
            "{text}{said}"
        );
        assert!(said.contains("setting_key=postgresql.fsync setting_value=off"), "{text}{said}");
        has(&found(text.as_bytes()), "config.risky/setting:postgresql.fsync", "may corrupt the database");
    }
}

#[test]
fn a_report_goes_on_behind_what_nobody_reads() {
    let prose: String =
        (1..60).map(|line| format!("   Requests of kind {line}   and no figure of ours\n\n")).collect();
    let text = String::from_utf8_lossy(AWR);
    let at = text.find("Time Model Statistics").expect("section");
    let longer = format!("{}{prose}{}", &text[..at], &text[at..]);
    let (read, whole) = (import(longer.as_bytes()), import(AWR));
    assert_eq!(read.file.what, "AWR, 1 sample", "{}", told(&read));
    let values = |said: String| said.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(values(told(&read)), values(told(&whole)));
    assert!(!read.file.notes.iter().any(|note| note.contains("no times")), "{:?}", read.file.notes);
    // It ends at its end: what comes then is of its own.
    let twice = format!("{text}{}", text.replace("04-Mar-14", "05-Mar-14"));
    assert_eq!(import(twice.as_bytes()).file.what, "AWR, 2 samples");
    // Of one that was cut off, at the head of the next.
    let at = text.find("Background Wait Events").expect("section");
    let cut = format!("{}{}", &text[..at], text.replace("04-Mar-14", "05-Mar-14"));
    assert_eq!(import(cut.as_bytes()).file.what, "AWR, 2 samples");
}

const PIECE: &str = "Top 5 Timed Events                                         Avg %Total\n\
    ~~~~~~~~~~~~~~~~~~                                        wait   Call\n\
    Event                                 Waits    Time (s)   (ms)   Time Wait Class\n\
    ------------------------------ ------------ ----------- ------ ------ ----------\n\
    gc buffer busy                       79,083      73,024    923   65.4    Cluster\n\
    enq: TX - row lock contention        35,068      17,123    488   15.3 Applicatio\n\
    CPU time                                         12,205          10.9\n";

#[test]
fn pieces_of_reports_are_told_apart_by_what_a_report_has_once() {
    let read = import(format!("{PIECE}\nand of the next day:\n\n{PIECE}").as_bytes());
    // Statspack has no classes of events.
    assert_eq!(read.file.what, "AWR, 2 samples", "{}", told(&read));
    let found = found(PIECE.as_bytes());
    has(&found, "db.top-wait/event:gc buffer busy", "65 % of event time, 923 ms each");
    has(&found, "db.top-wait/event:enq: TX - row lock contention", "15 % of event time");
}

/// Statspack since 11g has three lists, and the top events of all sessions.
#[test]
fn an_event_stands_once() {
    let list = |title: &str, rows: &str| {
        format!(
            "{title} DB/Inst: SHOP/shop1  Snaps: 1-2\n\n\
             \x20                                                            Avg          %Total\n\
             \x20                                         %Tim Total Wait   wait    Waits   Call\n\
             Event                               Waits  out   Time (s)   (ms)     /txn   Time\n\
             ---------------------------- ------------ ---- ---------- ------ -------- ------\n{rows}\
             \x20         -------------------------------------------------------------\n\n"
        )
    };
    let head = "STATSPACK report for\n\n\
        Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment\n\
        ~~~~~~~~    ---------- ------------------ -------- --------- ------------------\n\
        Begin Snap:          1 18-Sep-09 02:00:00       61       4.0\n  \
        End Snap:          2 18-Sep-09 03:00:00       70       4.0\n   \
        Elapsed:      60.00 (mins) Av Act Sess:       2.0\n   \
        DB time:     120.00 (mins)      DB CPU:      30.00 (mins)\n\n\
        Top 5 Timed Events                                                    Avg %Total\n\
        ~~~~~~~~~~~~~~~~~~                                                   wait   Call\n\
        Event                                            Waits    Time (s)   (ms)   Time\n\
        ----------------------------------------- ------------ ----------- ------ ------\n\
        log file sync                                  100,000       3,000     30   41.6\n\
        CPU time                                                     1,800          25.0\n\
        log file parallel write                         90,000         900     10   12.5\n\
        \x20         -------------------------------------------------------------\n\n";
    let users = "log file sync                      99,000    5      2,970     30      1.0   41.2\n";
    let own = "log file parallel write            90,000    0        900     10      1.0\n\
               log file sync                       1,000    0         30     30      0.0\n";
    let all = "log file sync                     100,000    0      3,000     30      1.0   41.6\n\
               log file parallel write            90,000    0        900     10      1.0   12.5\n";
    let sum = |read: &Import, event: &str| {
        let said = told(read);
        let rows = said.lines().filter(|line| line.starts_with("db_wait ") && line.contains(event));
        rows.map(|row| {
            let (_, number) = row.split_once(" wait_s=").expect("time");
            number.split_whitespace().next().expect("time").parse::<f64>().expect("number")
        })
        .sum::<f64>()
    };
    let with_both = [
        head,
        &list("Foreground Wait Events", users),
        &list("Background Wait Events", own),
        &list("Wait Events (fg and bg)", all),
        "End of Report\n",
    ]
    .concat();
    let before =
        [head, &list("Wait Events", all), &list("Background Wait Events", own), "End of Report\n"].concat();
    for text in [with_both, before] {
        let read = import(text.as_bytes());
        assert_eq!(read.file.what, "statspack, 1 sample", "{}", told(&read));
        assert_eq!(sum(&read, "event_name=log file sync"), 3000.0, "{}", told(&read));
        assert_eq!(sum(&read, "event_name=log file parallel write"), 900.0);
        let metric = |name| number(&read, "db_metric", "value", Some(("metric_name", name)), 0);
        assert_eq!((metric("db_time_s"), metric("db_cpu_s")), (Some(7200.0), Some(1800.0)));
        let share = number(&read, "db_wait", "wait_share", Some(("event_name", "log file sync")), 0);
        assert!(share.is_some_and(|share| (0.41..0.42).contains(&share)), "{share:?}: timeouts are no share");
        has(&found(text.as_bytes()), "db.top-wait/event:log file sync", "of DB time, 30 ms each");
    }
}

#[test]
fn a_limit_that_was_reached_is_said_by_the_report_itself() {
    let limits = "Resource Limit Stats                         DB/Inst: DEPOT/depot1  Snap: 1201\n\
        -> only rows with Current or Maximum Utilization > 80% of Limit are shown\n\n\
        \x20                                 Current      Maximum     Initial\n\
        Resource Name                   Utilization  Utilization Allocation   Limit\n\
        ------------------------------ ------------ ------------ ---------- ----------\n\
        processes                               148          150        150        150\n\
        \x20         -------------------------------------------------------------\n\nEnd of Report\n";
    let text = String::from_utf8_lossy(AWR).replace("End of Report", limits);
    let read = import(text.as_bytes());
    let metric = |name| number(&read, "db_metric", "value", Some(("metric_name", name)), 0);
    assert_eq!(metric("resource_processes_most"), Some(150.0), "{}", told(&read));
    has(
        &found(text.as_bytes()),
        "db.connections/database:oracle",
        "150 of 150 processes in use (limit reached)",
    );
}

#[test]
fn statements_behind_an_event() {
    let table = "<h3>Top SQL with Top Events</h3>\n<table summary=\"This table displays the Top SQL by Top Events\"><tr><th>SQL ID</th>\
        <th>Plan Hash</th><th>Executions</th><th>% Activity</th><th>Event</th><th>% Event</th><th>Top Row Source</th><th>% RwSrc</th>\
        <th>SQL Text</th></tr>\n<tr><td rowspan=2>6gvch1xu9ca3g</td><td>123</td><td>90</td><td>44.65</td>\
        <td>enq: TX - row lock contention</td><td>41.20</td><td>UPDATE</td><td>41.20</td><td>UPDATE STOCK SET N = 1</td></tr>\n\
        <tr><td>CPU + Wait for CPU</td><td>3.45</td><td>UPDATE</td><td>3.45</td></tr>\n</table>\n<h3>Else</h3>\n";
    let page = String::from_utf8_lossy(PAGE).replacen("<h3", &format!("{table}<h3"), 1);
    let read = import(page.as_bytes());
    let share =
        number(&read, "db_sql", "event_share", Some(("event_name", "enq: TX - row lock contention")), 0);
    assert_eq!(share, Some(0.412), "{}", told(&read));
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
}

#[test]
fn row_locks_are_those_of_a_table() {
    let segments = "Segments by Row Lock Waits                   DB/Inst: DEPOT/depot1  Snaps: 1200-1201\n\
        -> % of Capture shows % of row lock waits for each top segment compared\n\
        -> with total row lock waits for all segments captured by the Snapshot\n\n\
        \x20                                                                    Row\n\
        \x20          Tablespace                      Subobject  Obj.         Lock    % of\n\
        Owner         Name    Object Name            Name     Type        Waits Capture\n\
        ---------- ---------- -------------------- ---------- ----- ------------ -------\n\
        DEPOT      USERS      STOCK                           TABLE          150   75.00\n\
        DEPOT      USERS      STOCK_PK             P_2014     INDEX           50   25.00\n\
        \x20         -------------------------------------------------------------\n\nEnd of Report\n";
    let text = String::from_utf8_lossy(AWR).replace("End of Report", segments);
    let read = import(text.as_bytes());
    let waits = |name| number(&read, "db_contention", "waits", Some(("name", name)), 0);
    assert_eq!(waits("DEPOT.STOCK"), Some(150.0), "{}", told(&read));
    assert_eq!(waits("DEPOT.STOCK_PK.P_2014"), Some(50.0));
}

#[test]
fn advice_of_the_database_itself() {
    let advice = "<h3>Report Summary</h3>\n<p>Top ADDM Findings by Average Active Sessions<p>\n\
        <table summary=\"This table displays top ADDM findings by average active sessions\"><tr><th>Finding Name</th>\
        <th>Avg active sessions of the task</th><th>Percent active sessions of finding</th><th>Task Name</th>\
        <th>Begin Snap Time</th><th>End Snap Time</th></tr>\n\
        <tr><td>Hard Parse</td><td>2.00</td><td>25.00</td><td>ADDM:1</td><td>02-Sep-18 09:00</td><td>02-Sep-18 09:15</td></tr>\n\
        </table>\n";
    let page = String::from_utf8_lossy(PAGE).replacen("<h3", &format!("{advice}<h3"), 1);
    let read = import(page.as_bytes());
    let said = told(&read);
    assert!(said.contains("finding=Hard Parse"), "{said}");
    assert_eq!(number(&read, "db_advice", "impact_s", None, 0), Some(450.0));
    assert_eq!(number(&read, "db_advice", "rank", None, 0), Some(1.0));
}

#[test]
fn a_report_that_was_queried_has_headings_of_pages_in_it() {
    let read = import(include_bytes!("../../fixtures/AWR/hand-made-19c-pdb.txt"));
    let said = told(&read);
    assert_eq!(read.file.what, "AWR, 1 sample", "{said}");
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    let of = |event, column| number(&read, "db_wait", column, Some(("event_name", event)), 0);
    assert_eq!(of("enq: TX - row lock contention", "mean_wait_s"), Some(47.48), "{said}");
    assert_eq!(of("enq: TX - row lock contention", "waits"), Some(318.0), "{said}");
    assert_eq!(of("db file sequential read", "waits"), Some(1_204_311.0), "{said}");
    let statement = Some(("statement_id", "7dxk2tq0r9w1b"));
    assert_eq!(number(&read, "db_sql", "event_share", statement, 0), Some(0.589), "{said}");
    assert!(said.contains("event_name=enq: TX - row lock contention"), "{said}");
    assert!(said.contains("statement=update bins set free = free - :1 where bin_id = :2"), "{said}");
}

#[test]
fn a_page_has_reports_of_addm_as_text() {
    let read = import(include_bytes!("../../fixtures/ADDM/hand-made-12c-page.html"));
    let said = told(&read);
    assert_eq!(
        number(&read, "db_advice", "impact_share", Some(("finding", "Row Lock Waits")), 0),
        Some(0.61),
        "{said}"
    );
    assert_eq!(
        number(&read, "db_metric", "value", Some(("metric_name", "addm_db_time_s")), 0),
        Some(24762.0),
        "{said}"
    );
}

#[test]
fn tables_that_psql_prints_again_and_again_have_times() {
    let read =
        import(include_bytes!("../../fixtures/pg_stat_activity/debian-12-6.18.44-postgresql-15-watch.txt"));
    let said = told(&read);
    assert_eq!(read.file.what, "pg_stat_activity, 2 samples", "{said}");
    let waits: Vec<&str> = said.lines().filter(|line| line.contains("wait_name=tuple")).collect();
    assert_eq!(waits.len(), 4, "{said}");
    assert!(waits.iter().any(|row| row.contains("time=1795709539000")), "{said}");
    assert!(waits.iter().any(|row| row.contains("time=1795709541000")), "{said}");
}
