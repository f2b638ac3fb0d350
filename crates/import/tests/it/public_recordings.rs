//! Public recordings of procps, net-tools, iproute2 and util-linux with what another reader of them found:
//! each of its numbers that has a column is compared.
//!
//! They are not ours to keep here. They are read where `HELDUP_CORPORA` says, else in a folder
//! `shared/corpora` beside the project; where neither is, the test says so.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use heldup_import::Import;
use serde_json::Value;

use crate::table_text::{import, number, value};

const KIB: f64 = 1024.0;

/// A number that has to be there: table, column, the key of its row, which of those rows, and the number.
struct Expected {
    table: &'static str,
    column: &'static str,
    key: Option<(&'static str, String)>,
    row: usize,
    value: Expectation,
}

enum Expectation {
    Number(f64),
    Text(String),
}

/// Recordings whose names begin so, what they are, and what is expected of an element of their truth.
struct Kind {
    begin: &'static str,
    what: &'static str,
    expected: fn(&Value, usize) -> Vec<Expected>,
}

const KINDS: &[Kind] = &[
    Kind { begin: "df", what: "df", expected: file_system },
    // The truth takes the letters of -h for powers of 1000, which they are not.
    Kind { begin: "free-h", what: "free", expected: nothing },
    Kind { begin: "free", what: "free", expected: memory },
    Kind { begin: "lsblk", what: "lsblk", expected: block_device },
    Kind { begin: "mount", what: "mount", expected: mount },
    Kind { begin: "netstat-i", what: "netstat -i", expected: interface },
    Kind { begin: "ps-", what: "ps", expected: process },
    Kind { begin: "ss-", what: "ss", expected: nothing },
    Kind { begin: "top-b", what: "top", expected: sample },
    Kind { begin: "vmstat-d", what: "vmstat -d", expected: disk },
];

/// Of other systems, or written by hand into what is none of the tool's.
const NOT_READ: [&str; 4] =
    ["aix-7.1/mount", "generic/mount-parens-in-filesystem", "generic/mount-spaces-in-filename", "osx"];

fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let folder = env::var_os("HELDUP_CORPORA").map(PathBuf::from).unwrap_or(beside).join("jc");
    folder.is_dir().then_some(folder)
}

#[test]
fn public_recordings_have_the_numbers_of_their_truth() {
    let Some(folder) = folder() else {
        return heldup_skip::skipped("the public recordings are not here; HELDUP_CORPORA names their folder");
    };
    let (mut files, mut compared, mut wrong) = (0, 0, Vec::new());
    for system in fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path()) {
        let Ok(entries) = fs::read_dir(&system) else { continue };
        for file in entries.map(|entry| entry.expect("entry").path()) {
            let name = file.file_name().expect("a name").to_string_lossy().into_owned();
            let kind = KINDS.iter().find(|kind| name.starts_with(kind.begin) && name.ends_with(".out"));
            let place = format!("{}/{name}", system.file_name().expect("a name").to_string_lossy());
            let Some(kind) = kind.filter(|_| !NOT_READ.iter().any(|not| place.starts_with(not))) else {
                continue;
            };
            files += 1;
            match compare(kind, &file) {
                Ok(count) => compared += count,
                Err(what) => wrong.push(format!("{place}: {what}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {files} files:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 2000, "{compared} numbers of {files} files");
    eprintln!("{compared} values of {files} files are as their truth has them");
}

fn compare(kind: &Kind, file: &Path) -> Result<usize, String> {
    let read = import(&fs::read(file).map_err(|error| error.to_string())?);
    if !read.file.what.starts_with(kind.what) || !read.flaws.is_empty() {
        return Err(format!("is {:?}, expected {}; flaws {:?}", read.file.what, kind.what, read.flaws));
    }
    let truth = fs::read(file.with_extension("json")).map_err(|error| error.to_string())?;
    let truth: Value = serde_json::from_slice(&truth).map_err(|error| error.to_string())?;
    let mut count = 0;
    for (at, element) in truth.as_array().ok_or("no list")?.iter().enumerate() {
        for expected in (kind.expected)(element, at) {
            check(&read, &expected)?;
            count += 1;
        }
    }
    Ok(count)
}

fn check(read: &Import, expected: &Expected) -> Result<(), String> {
    let Expected { table, column, key, row, value: wanted } = expected;
    let key = key.as_ref().map(|(name, value)| (*name, value.as_str()));
    let place = format!("{table}.{column} {key:?} row {row}");
    match wanted {
        Expectation::Number(wanted) => {
            let is = number(read, table, column, key, *row);
            let is_it = is.is_some_and(|is| (is - wanted).abs() <= 1e-6 * wanted.abs().max(1.0));
            is_it.then_some(()).ok_or(format!("{place} is {is:?}, expected {wanted}"))
        }
        Expectation::Text(wanted) => {
            let is = text(read, table, column, key, *row);
            (is.as_deref() == Some(wanted))
                .then_some(())
                .ok_or(format!("{place} is {is:?}, expected {wanted}"))
        }
    }
}

fn text(read: &Import, table: &str, column: &str, key: Option<(&str, &str)>, at: usize) -> Option<String> {
    let batches = read.capture.as_ref()?.tables.get(table)?;
    let rows = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row)));
    let mut found = rows.filter(|(batch, row)| {
        key.is_none_or(|(name, wanted)| value(batch, name, *row).as_deref() == Some(wanted))
    });
    let (batch, row) = found.nth(at)?;
    value(batch, column, row)
}

fn expect(
    table: &'static str,
    column: &'static str,
    key: Option<(&'static str, &str)>,
    row: usize,
    value: Option<f64>,
) -> Option<Expected> {
    let key = key.map(|(name, value)| (name, value.to_owned()));
    Some(Expected { table, column, key, row, value: Expectation::Number(value?) })
}

fn expect_text(
    table: &'static str,
    column: &'static str,
    key: Option<(&'static str, &str)>,
    row: usize,
    value: Option<&str>,
) -> Option<Expected> {
    let key = key.map(|(name, value)| (name, value.to_owned()));
    Some(Expected { table, column, key, row, value: Expectation::Text(value?.to_owned()) })
}

fn of(element: &Value, name: &str) -> Option<f64> {
    element.get(name)?.as_f64()
}

fn word<'v>(element: &'v Value, name: &str) -> Option<&'v str> {
    element.get(name)?.as_str()
}

fn nothing(_: &Value, _: usize) -> Vec<Expected> {
    Vec::new()
}

fn file_system(element: &Value, at: usize) -> Vec<Expected> {
    let blocks = of(element, "1k_blocks").or_else(|| of(element, "1024_blocks"));
    let scaled = |value: Option<f64>| value.filter(|_| blocks.is_some()).map(|value| value * KIB);
    let mut all = vec![
        expect("filesystem", "size_bytes", None, at, scaled(blocks)),
        expect("filesystem", "available_bytes", None, at, scaled(of(element, "available"))),
        expect_text("filesystem", "mount", None, at, word(element, "mounted_on")),
        expect_text("filesystem", "fs_type", None, at, word(element, "type")),
    ];
    if let (Some(blocks), Some(used)) = (blocks, of(element, "used")) {
        all.push(expect("filesystem", "free_bytes", None, at, Some((blocks - used) * KIB)));
    }
    all.into_iter().flatten().collect()
}

fn memory(element: &Value, _: usize) -> Vec<Expected> {
    let kib = |name: &str| of(element, name).map(|value| value * KIB);
    let columns: &[(&str, &str)] = match word(element, "type") {
        Some("Mem") => &[
            ("total", "total_bytes"),
            ("free", "free_bytes"),
            ("shared", "shmem_bytes"),
            ("buffers", "buffers_bytes"),
            ("available", "available_bytes"),
        ],
        _ => &[("total", "swap_total_bytes"), ("used", "swap_used_bytes"), ("free", "swap_free_bytes")],
    };
    columns.iter().filter_map(|(name, column)| expect("memory", column, None, 0, kib(name))).collect()
}

fn block_device(element: &Value, _: usize) -> Vec<Expected> {
    let number = word(element, "maj_min").unwrap_or("");
    let key = Some(("dev_id", number));
    let is = |name: &str| element.get(name).and_then(Value::as_bool);
    let mut all = vec![
        expect("disk", "size_bytes", key, 0, of(element, "size_bytes")),
        expect("disk", "nr_requests", key, 0, of(element, "rq_size")),
        expect("disk", "logical_block_bytes", key, 0, of(element, "log_sec")),
        expect("disk", "physical_block_bytes", key, 0, of(element, "phy_sec")),
        expect("disk", "read_ahead_bytes", key, 0, of(element, "ra").map(|kib| kib * KIB)),
        expect_text("disk", "device", key, 0, word(element, "kname")),
        expect_text("disk", "scheduler", key, 0, word(element, "sched")),
        expect_text("disk", "mounts", key, 0, word(element, "mountpoint")),
    ];
    let rotates = is("rota").map(|truth| truth.to_string());
    all.push(expect_text("disk", "rotational", key, 0, rotates.as_deref()));
    all.into_iter().flatten().collect()
}

fn mount(element: &Value, at: usize) -> Vec<Expected> {
    let options = element.get("options").and_then(Value::as_array);
    let options: Vec<&str> = options.into_iter().flatten().filter_map(Value::as_str).collect();
    let options = options.join(",");
    let all = [
        expect_text("mount", "source", None, at, word(element, "filesystem")),
        expect_text("mount", "mount", None, at, word(element, "mount_point")),
        expect_text("mount", "fs_type", None, at, word(element, "type")),
        expect_text("mount", "options", None, at, Some(&options)),
    ];
    all.into_iter().flatten().collect()
}

fn interface(element: &Value, at: usize) -> Vec<Expected> {
    let all = [
        expect("net_if", "mtu_bytes", None, at, of(element, "mtu")),
        expect_text("net_if", "name", None, at, word(element, "iface")),
    ];
    all.into_iter().flatten().collect()
}

fn process(element: &Value, at: usize) -> Vec<Expected> {
    let state = word(element, "stat").and_then(|word| word.get(..1));
    let line = word(element, "command").or_else(|| word(element, "cmd"));
    let all = [
        expect("process", "pid", None, at, of(element, "pid")),
        expect("process", "parent_pid", None, at, of(element, "ppid")),
        expect("process", "virtual_bytes", None, at, of(element, "vsz").map(|kib| kib * KIB)),
        expect("process", "resident_bytes", None, at, of(element, "rss").map(|kib| kib * KIB)),
        expect_text("process", "state", None, at, state),
        expect_text("process", "command", None, at, line.filter(|line| !line.contains("<defunct>"))),
    ];
    all.into_iter().flatten().collect()
}

/// A sample of `top`. Of memory the truth does not tell the unit, which is that of the file.
fn sample(element: &Value, at: usize) -> Vec<Expected> {
    let mut all = vec![
        expect("system", "load1", None, at, of(element, "load_1m")),
        expect("system", "load5", None, at, of(element, "load_5m")),
        expect("system", "load15", None, at, of(element, "load_15m")),
    ];
    if at == 0 {
        let processes = element.get("processes").and_then(Value::as_array);
        for (row, process) in processes.into_iter().flatten().enumerate() {
            all.push(expect("process", "pid", None, row, of(process, "pid")));
            all.push(expect("process", "nice", None, row, of(process, "nice")));
            all.push(expect("process", "parent_pid", None, row, of(process, "parent_pid")));
            all.push(expect("process", "uid", None, row, of(process, "uid")));
            all.push(expect("process", "threads", None, row, of(process, "thread_count")));
            all.push(expect(
                "process",
                "netns",
                None,
                row,
                of(process, "net_namespace_inode").filter(|it| *it > 0.0),
            ));
            all.push(expect("process", "oom_score_adj", None, row, of(process, "out_of_mem_adjustment")));
        }
    }
    all.into_iter().flatten().collect()
}

fn disk(element: &Value, at: usize) -> Vec<Expected> {
    let all = [
        expect("disk", "in_flight", None, at, of(element, "current_io")),
        expect_text("disk", "device", None, at, word(element, "disk")),
    ];
    all.into_iter().flatten().collect()
}
