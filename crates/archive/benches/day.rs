//! What examining an archive costs: prints times of windows of a day of a hundred processes, asserts nothing.
//!
//! `cargo build --release -p heldup && HELDUP_BIN=target/release/heldup \
//! cargo bench -p heldup-archive --bench day [-- FOLDER]`; a folder that is named is kept, and one
//! that has an archive already is measured as it is. Without HELDUP_BIN only the library's part
//! is measured. The machine is made up (`tests/machine`), with ten minutes of a crowd every four hours.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

#[path = "../tests/machine/mod.rs"]
mod machine;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading};
use heldup_archive::kept::{ArchiveFolder, Rhythm, SourceTables, Tiers, compact, seal};
use heldup_hostfs::monotonic_ns;
use heldup_model::tables::{HostRow, SettingRow};
use heldup_model::{RowSet, Span};
use machine::{Machine, SINCE_MS};

const PROCESSES: usize = 100;
const HOUR_S: i64 = 3600;
const DAY_MS: i64 = 86_400_000;
const ROUNDS: usize = 5;

fn main() {
    let named = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let scratch = std::env::temp_dir().join(format!("heldup-bench-day-{}", std::process::id()));
    let root = named.as_ref().map_or(scratch, PathBuf::from);
    let folder = ArchiveFolder::at(&root);
    let program = std::env::var_os("HELDUP_BIN").map(PathBuf::from);
    let ask = |state: &str| {
        println!("{state}:");
        library(&folder);
        match &program {
            Some(program) => commands(program, &root),
            None => println!("HELDUP_BIN is not set: the program itself is not measured"),
        }
    };
    if folder.is_there() {
        ask("as it is");
    } else {
        record_a_day(&root);
        ask("sealed by the hour");
        // The machine's day begins anywhere in a day of UTC, so it is two files.
        let over_ms = (SINCE_MS / DAY_MS + 2) * DAY_MS;
        let (_, flaws) = compact(&root, Tiers::default(), over_ms).expect("put together");
        assert!(flaws.is_empty(), "{flaws:?}");
        ask("put together");
    }
    if named.is_none() {
        // The folder is this program's own.
        let _ = std::fs::remove_dir_all(&root);
    }
}

fn record_a_day(root: &Path) {
    let mut machine = Machine::new(PROCESSES);
    let journals = ArchiveFolder::at(root).journals();
    let begun = monotonic_ns();
    for hour in 0..24 {
        let settings = JournalSettings::default();
        let mut writer = JournalWriter::create(&journals, &machine.header(), settings).expect("a journal");
        for second in 0..HOUR_S {
            machine.crowd = if hour % 4 == 2 && (1200..1800).contains(&second) { 8.0 } else { 0.02 };
            let mut sample = machine.sample();
            if second == 0 {
                sample.readings.extend(once());
            }
            writer.append(sample).expect("appended");
        }
        seal(&writer.close().expect("closed"), root).expect("sealed");
    }
    println!("{PROCESSES} processes, a day: recorded in {:.1} s", seconds(begun));
}

fn once() -> Vec<Reading> {
    let host = HostRow {
        name: Some("db1".into()),
        cpus: Some(4),
        memory_bytes: Some(16 << 30),
        page_bytes: Some(4096),
        ..Default::default()
    };
    let setting = SettingRow {
        setting_key: Some("vm.swappiness".into()),
        setting_value: Some("60".into()),
        ..Default::default()
    };
    let reading = |rows| Reading { rows, secs: None };
    vec![reading(RowSet::increases([host])), reading(RowSet::increases([setting]))]
}

fn library(folder: &ArchiveFolder) {
    let of = |table, rhythm| SourceTables { source: table, tables: vec![table], rhythm };
    let sources = [
        of("process", Rhythm::Ends),
        of("setting", Rhythm::Once),
        of("host", Rhythm::Once),
        of("system", Rhythm::Samples),
    ];
    measure("minutes of a day, one thread", || {
        drop(folder.minutes(window(0, 24 * HOUR_S)).expect("minutes"));
    });
    measure("minutes of an hour", || {
        drop(folder.minutes(window(10 * HOUR_S, 11 * HOUR_S)).expect("minutes"))
    });
    measure("a capture of five minutes", || {
        drop(folder.capture(window(10 * HOUR_S, 10 * HOUR_S + 300), &sources).expect("a capture"));
    });
    measure("three columns of all processes of a day", || {
        let column = |_: &str, name: &str| ["name", "user_s", "system_s"].contains(&name);
        let table = |name: &str| name == "process";
        drop(folder.readings(window(0, 24 * HOUR_S), &sources, &table, &column).expect("readings"));
    });
}

fn commands(program: &Path, root: &Path) {
    let root = root.to_str().expect("a path of text");
    let at = |second: i64| format!("@{}", SINCE_MS / 1000 - 1 + second);
    let (day, hour, end) = (at(0), at(10 * HOUR_S), at(11 * HOUR_S));
    let until = at(24 * HOUR_S);
    let minutes = at(10 * HOUR_S + 1500);
    let top_ten = |table| {
        format!(
            "select name, sum(user_s + system_s) as s from {table} group by name order by s desc limit 10"
        )
    };
    let (of_process, of_minutes) = (top_ten("process"), top_ten("process_minute"));
    for (what, arguments) in [
        ("heldup examine, 100 rules over a day", vec!["examine", root, "--since", &day, "--until", &until]),
        ("heldup examine, an hour", vec!["examine", root, "--since", &hour, "--until", &end]),
        (
            "heldup examine, five minutes",
            vec!["examine", root, "--since", &at(10 * HOUR_S + 1200), "--until", &minutes],
        ),
        ("heldup sql, top ten of a day", vec!["sql", root, &of_process]),
        ("heldup sql, top ten of a day by the minute", vec!["sql", root, &of_minutes]),
    ] {
        measure(what, || {
            let mut command = Command::new(program);
            command.args(&arguments).stdout(Stdio::null());
            assert!(command.status().expect("it runs").success(), "{arguments:?}");
        });
    }
}

fn window(since_s: i64, until_s: i64) -> Span {
    let begin = SINCE_MS - 1000;
    Span { since_ms: begin + since_s * 1000, until_ms: begin + until_s * 1000 }
}

/// Prints the median and the least time of some rounds.
fn measure(what: &str, work: impl Fn()) {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begun = monotonic_ns();
            work();
            seconds(begun)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{:>8.3} s (least {:.3})  {what}", times[ROUNDS / 2], times[0]);
}

fn seconds(begun_ns: u64) -> f64 {
    (monotonic_ns() - begun_ns) as f64 / 1e9
}
