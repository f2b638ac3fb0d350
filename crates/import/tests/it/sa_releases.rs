//! A file of each format that sadc ever had says what sadf says of it, value by value.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use heldup_import::Import;

use crate::table_text::{import, told, value};
use crate::twin::compare_converted;

/// Version, how many numbers its twin has that have a column, and samples.
const RELEASES: [(&str, usize, u64); 7] = [
    ("9.0.6", 300, 3),
    ("9.1.5", 60, 2),
    ("9.1.6", 200, 2),
    ("10.0.1", 300, 3),
    ("10.3.1", 300, 2),
    ("11.6.5", 300, 2),
    ("12.0.0", 100, 2),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sadc")
}

/// The recording of a version.
fn recording(version: &str, ending: &str) -> Vec<u8> {
    let end = format!("-{version}.{ending}");
    let files = fs::read_dir(folder()).expect("folder").map(|entry| entry.expect("entry").path());
    let mut files = files.filter(|path| path.to_string_lossy().ends_with(&end));
    fs::read(files.next().unwrap_or_else(|| panic!("no {end}"))).expect("recording")
}

#[test]
fn each_format_has_the_numbers_of_sadf() {
    for (version, least, samples) in RELEASES {
        let read = import(&recording(version, "sa"));
        assert!(read.flaws.is_empty(), "{version}: {:?}", read.flaws);
        assert_eq!(read.file.what, format!("sar's binary file, {samples} samples"), "{version}");
        let twin = serde_json::from_slice(&recording(version, "json")).expect("JSON");
        let found = compare_converted(&read, &twin);
        assert!(found >= least, "{version}: {found}");
    }
}

/// Rows by table, time and thing.
fn rows(import: &Import) -> BTreeMap<(String, i64, String), BTreeMap<String, f64>> {
    let mut rows = BTreeMap::new();
    for (table, batches) in &import.capture.as_ref().expect("a capture").tables {
        for batch in batches.iter().filter(|_| table != "host") {
            for row in 0..batch.num_rows() {
                let cell = |column: &str| value(batch, column, row);
                let keys = ["cpu_idx", "device", "name", "irq", "limit_name"];
                let key: Vec<String> = keys.into_iter().filter_map(cell).collect();
                let ms = cell("time").and_then(|text| text.parse().ok()).expect("a time");
                let schema = batch.schema();
                let numbers = schema.fields().iter().map(|field| field.name().clone());
                let numbers =
                    numbers.filter_map(|column| Some((column.clone(), cell(&column)?.parse().ok()?)));
                rows.insert((table.clone(), ms, key.join(" ")), numbers.collect());
            }
        }
    }
    rows
}

/// The form of Red Hat's 9.0.4, whose own `sadf -x` is the twin: it prints whole seconds of an interval, and two digits of a
/// rate.
#[test]
fn the_format_of_rhel_6_has_the_numbers_of_its_own_sadf() {
    let (binary, printed) = (import(&recording("9.0.4", "sa")), import(&recording("9.0.4", "xml")));
    assert!(binary.flaws.is_empty() && printed.flaws.is_empty(), "{:?} {:?}", binary.flaws, printed.flaws);
    let there = rows(&binary);
    let mut found = 0;
    for ((table, ms, key), columns) in rows(&printed) {
        // It has no names of disks.
        let named = key.replace("dev8-0", "sda").replace("dev11-0", "sr0");
        let row = there.get(&(table.clone(), ms, named)).unwrap_or_else(|| panic!("{table} {ms} {key}"));
        let secs = columns.get("secs").copied().unwrap_or(1.0);
        for (column, expected) in columns.iter().filter(|(column, _)| *column != "time") {
            let read =
                row.get(column).unwrap_or_else(|| panic!("{table} {key} {column} is NULL: {expected}"));
            let unit = match (table.as_str(), column.as_str()) {
                (_, "secs") => 1.0,
                ("disk", "read_bytes" | "write_bytes") => 0.005 * 512.0 * secs,
                (_, "rx_bytes" | "tx_bytes" | "page_in_bytes" | "page_out_bytes") => 0.005 * 1024.0 * secs,
                ("cpu", _) | ("disk", "busy_s") => 0.005 / 100.0 * secs,
                ("memory", _) | ("limits", _) => 0.0,
                (_, "load1" | "load5" | "load15") => 0.005,
                _ => 0.005 * secs,
            };
            // The second that the interval was cut by, and the whole number nearest to a count.
            let room = unit + expected.abs() * 1.0 / secs + 1.0;
            let room = if matches!(table.as_str(), "memory" | "limits") { unit + 1e-9 } else { room };
            assert!((read - expected).abs() <= room, "{table} {ms} {key} {column}: {expected}, read {read}");
            found += 1;
        }
    }
    assert!(found > 700, "{found}");
    // The order of the original would give queues of hours.
    let queues =
        there.iter().filter(|((table, ..), _)| table == "disk").filter_map(|(_, row)| row.get("queue_s"));
    assert!(queues.clone().count() > 20 && queues.into_iter().all(|queue| *queue < 3000.0));
}

#[test]
fn what_stands_behind_a_restart_is_read() {
    for version in ["10.3.1", "11.6.5"] {
        let read = import(&recording(version, "sa"));
        assert!(told(&read).contains("rebooted during"), "{version}");
        assert!(read.file.span.is_some(), "{version}");
    }
}

/// The same in what sadf prints of such a file.
#[test]
fn an_interval_that_cannot_be_is_a_flaw_of_its_sample() {
    let twin = String::from_utf8(recording("12.0.0", "json")).expect("text");
    let damaged = twin.replacen("\"interval\": 1", "\"interval\": 182740873229952352", 1);
    assert_ne!(damaged, twin);
    let read = import(damaged.as_bytes());
    assert_eq!(read.flaws.len(), 1, "{:?}", read.flaws);
    let span = read.file.span.expect("a span");
    assert!(span.since_ms > 0 && read.capture.is_some(), "{}", told(&read));
}

/// A conversion wrote intervals of billions of years: that is said of their records, and their levels are read.
#[test]
fn an_interval_that_cannot_be_is_a_flaw_of_its_record() {
    let read = import(&recording("11.5.5-converted", "sa"));
    assert!(!read.flaws.is_empty(), "{}", told(&read));
    assert!(read.flaws.iter().all(|flaw| flaw.what.contains("its rates are not used")), "{:?}", read.flaws);
    let span = read.file.span.expect("a span");
    assert!(span.since_ms > 0 && told(&read).contains("memory"), "{}", told(&read));
}
