//! What questions and files cost: prints CPU milliseconds, asserts nothing.
//!
//! `cargo bench -p heldup-archive [-- rules|files|large]`. CPU time is that of this thread, so that a busy
//! machine disturbs little; the least of several rounds is printed beside the median.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use std::path::Path;

use heldup_archive::{Database, store};
use heldup_hostfs::thread_cpu_ns;
use heldup_model::Capture;
use synthetic::{Size, capture};

/// Shapes of questions that rules ask: totals, shares of active time, joins on keys,
/// per-device and per-task grouping, quantiles, window functions, events.
const RULES: &[&str] = &[
    "select count(*) as n from task_time where seconds is not null",
    "select sum(seconds) / w.denominator_s as cost from task_total t cross join active_time w where class_name = 'cpu_queue'",
    "select t.process_name, sum(t.seconds) as s from task_total t where t.class_name in ('disk_read', 'disk_write', 'disk_sync') group by t.process_name order by s desc limit 5",
    "select device, busy_share, queue_depth, read_await_s from disk_total where busy_share > 0.9",
    "select time, sum(user_s + coalesce(system_s, 0)) / sum(secs) as used from cpu group by time order by time",
    "select median(load1), quantile(runnable, 0.95), share(runnable > 4) from system",
    "select d.device, s.time, d.reads, s.load1 from system s join disk d on d.time = s.time where d.busy_s > 0.5 * d.secs",
    "select p.pid, p.name, sum(t.seconds) as s from process p join task_time t on t.pid = p.pid and t.time = p.time where t.group_name = 'waiting' group by p.pid order by s desc limit 3",
    "select name, max(resident_bytes) as rss from process group by name order by rss desc limit 3",
    "select device, reads - lag(reads) over (partition by device order by time) as d from disk order by time desc limit 3",
    "select path, throttled_s, cpu_quota from cgroup where throttled_periods > 0.1 * periods",
    "select message from event where in_window = 1 and level in ('emerg', 'alert', 'crit', 'err')",
    "select tid, name, lasting_s from task_total where class_name = 'user' and lasting_s > 0.9 * (select secs from window_span)",
];

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |part: &str| chosen.is_empty() || chosen.iter().any(|word| word == part);
    if wanted("rules") {
        rules("15 s", &capture(Size { samples: 15, processes: 50, tasks: 50 }));
        rules("60 s", &capture(Size { samples: 60, processes: 50, tasks: 50 }));
    }
    if wanted("files") {
        files("10 s, 100 tasks", 20, &capture(Size { samples: 10, processes: 100, tasks: 100 }));
        files("10 s, 10,000 tasks", 3, &capture(Size { samples: 10, processes: 2_500, tasks: 10_000 }));
    }
    if wanted("large") {
        large(&capture(Size { samples: 10, processes: 1, tasks: 10_000 }));
    }
}

/// A hundred questions in turn, each prepared anew, and opening.
fn rules(what: &str, window: &Capture) {
    let what = format!("100 rules, {what}, 50 processes and tasks");
    measure(&format!("{what}: open"), 20, || Database::open(window).expect("a database"));
    measure(&format!("{what}: open and ask"), 20, || {
        let database = Database::open(window).expect("a database");
        for sql in RULES.iter().cycle().take(100) {
            ask(&database, sql);
        }
    });
    let database = Database::open(window).expect("a database");
    measure(&format!("{what}: ask"), 20, || {
        for sql in RULES.iter().cycle().take(100) {
            ask(&database, sql);
        }
    });
    measure(&format!("{what}: check"), 5, || {
        for sql in RULES.iter().cycle().take(100) {
            database.check(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
    });
    for sql in RULES {
        measure(sql, 100, || ask(&database, sql));
    }
}

/// Ten thousand tasks over ten samples.
fn large(capture: &Capture) {
    let rows: usize = capture.tables["task_time"].iter().map(|batch| batch.num_rows()).sum();
    println!("\n{rows} rows of task_time");
    measure("open", 5, || Database::open(capture).expect("a database"));
    let database = Database::open(capture).expect("a database");
    for sql in [
        "select count(*) from task_time",
        "select sum(seconds) from task_time",
        "select class_name, sum(seconds) from task_time group by class_name",
        "select tid, start_ms, class_name, sum(seconds) from task_time group by tid, start_ms, class_name",
        "select name, sum(seconds) as s from task_time group by name order by s desc limit 10",
        "select * from active_time",
        "select * from class_total",
        "select sum(lasting_s) from task_total",
        "select sum(seconds) from task_time where pid = 1003",
        "select count(*) from task_time a join task_time b on a.tid = b.tid and a.time = b.time",
        "select median(seconds) from task_time",
    ] {
        measure(sql, 5, || ask(&database, sql));
    }
    measure("all of the first: open and ask `wanted`, `class_total`, `task_total`", 5, || {
        let database = Database::open(capture).expect("a database");
        for sql in [
            "select * from active_time",
            "select * from class_total",
            "select sum(lasting_s) from task_total",
        ] {
            ask(&database, sql);
        }
    });
}

fn files(what: &str, rounds: usize, capture: &Capture) {
    println!();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rules-window");
    measure(&format!("save, {what}"), rounds, || store::save(capture, &folder).expect("saved"));
    measure(&format!("load, {what}"), rounds, || store::load(&folder).expect("loaded"));
    let size = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.and_then(|entry| entry.metadata()).map_or(0, |data| data.len())
    };
    let bytes: u64 = std::fs::read_dir(&folder).expect("a folder").map(size).sum();
    println!("{bytes:>9} bytes on disk");
    std::fs::remove_dir_all(&folder).expect("removed");
}

fn ask(database: &Database, sql: &str) {
    std::hint::black_box(database.query(sql).unwrap_or_else(|error| panic!("{sql}: {error}")));
}

/// Prints the median and the least CPU milliseconds of some rounds.
fn measure<T>(what: &str, rounds: usize, work: impl Fn() -> T) {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let before = thread_cpu_ns();
            std::hint::black_box(work());
            (thread_cpu_ns() - before) as f64 / 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{:>9.3} ms (least {:.3})  {what}", times[rounds / 2], times[0]);
}
