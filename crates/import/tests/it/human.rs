//! `--human` and colours: each form says what its twin without them does, within the digits that it prints.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use heldup_import::Import;

use crate::table_text::{import, told, value};

/// Recordings that exist with and without `--human`, how many values they have, and whether rates of bytes are
/// counted from bytes on, not from kilobytes.
const PAIRS: [(&str, usize, bool); 3] = [
    ("sar/debian-12-6.18.44-sysstat-12.6.1-restart", 1000, false),
    ("iostat/simulated-sysstat-12.7.5-x", 200, false),
    ("pidstat/simulated-sysstat-12.7.5-all", 300, true),
];

fn text(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(format!("{name}.txt"));
    fs::read_to_string(file).expect("fixture")
}

/// Values by table, time, thing and column, and the seconds of their rows.
fn values(import: &Import) -> BTreeMap<String, (f64, f64)> {
    let mut values = BTreeMap::new();
    for (table, batches) in
        import.capture.as_ref().expect("a capture").tables.iter().filter(|(table, _)| *table != "host")
    {
        for batch in batches {
            for row in 0..batch.num_rows() {
                let cell = |column: &str| value(batch, column, row);
                let keys = [
                    "time",
                    "cpu_idx",
                    "policy_idx",
                    "device",
                    "name",
                    "irq",
                    "limit_name",
                    "resource",
                    "mount",
                    "pid",
                    "tid",
                ];
                let place: Vec<String> = keys.into_iter().filter_map(cell).collect();
                let secs = cell("secs").and_then(|secs| secs.parse().ok()).unwrap_or(1.0);
                for field in batch.schema().fields() {
                    if let Some(number) = cell(field.name()).and_then(|text| text.parse::<f64>().ok()) {
                        values
                            .insert(format!("{table} {} {}", place.join(" "), field.name()), (number, secs));
                    }
                }
            }
        }
    }
    values
}

/// How far a value may be from the other's: half a digit of its unit, of a size a second or as it is.
fn room(column: &str, value: f64, secs: f64, least: f64) -> f64 {
    let per = if column.ends_with("_bytes")
        && ["read_bytes", "write_bytes"].iter().any(|rate| column.ends_with(rate))
        || matches!(column, "rx_bytes" | "tx_bytes" | "discard_bytes" | "page_in_bytes" | "page_out_bytes")
    {
        secs
    } else {
        1.0
    };
    let mut unit = least;
    while value.abs() / per >= unit * 1023.0 {
        unit *= 1024.0;
    }
    // The other has two digits of kilobytes.
    (0.05 * unit + 0.005 * 1024.0) * per + 1.0
}

#[test]
fn numbers_with_units_are_those_without() {
    for (name, least, from_bytes) in PAIRS {
        let (plain, human) =
            (import(text(name).as_bytes()), import(text(&format!("{name}-human")).as_bytes()));
        assert!(plain.flaws.is_empty() && human.flaws.is_empty(), "{name}: {:?}", human.flaws);
        assert_eq!(plain.file.what, human.file.what, "{name}");
        let (plain, human) = (values(&plain), values(&human));
        let mut found = 0;
        for (place, (expected, secs)) in &plain {
            let column = place.rsplit(' ').next().unwrap_or("");
            let Some((read, _)) = human.get(place) else {
                // It follows from numbers with more digits.
                assert_eq!(column, "total_bytes", "{name}: {place} is NULL");
                continue;
            };
            let is_size = column.ends_with("_bytes");
            let sectors = if from_bytes { 1.0 } else { 1024.0 };
            let room = match column {
                _ if is_size => room(column, *expected, *secs, sectors),
                // Percent with one digit, two of them in one column, of nine CPUs together.
                column if column.ends_with("_s") => 2.0 * 0.055 / 100.0 * secs * 9.0 + 1e-9,
                column if column.ends_with("_avg10") => 0.055 / 100.0,
                _ => 1e-9,
            };
            assert!((read - expected).abs() <= room, "{name}: {place}: {expected}, with a unit {read}");
            found += 1;
        }
        assert!(found >= least, "{name}: {found}");
    }
}

/// What the terminal colours is no other number.
#[test]
fn colours_are_no_part_of_a_listing() {
    let plain = import(text("sar/debian-12-6.18.44-sysstat-12.6.1-restart").as_bytes());
    let coloured = import(text("sar/debian-12-6.18.44-sysstat-12.6.1-restart-colours").as_bytes());
    assert_eq!(told(&coloured), told(&plain));
    for name in [
        "iostat/debian-12-6.18.44-sysstat-12.6.1-xt-colours",
        "pidstat/debian-12-6.18.44-sysstat-12.6.1-colours",
    ] {
        let text = text(name);
        assert!(text.contains("\u{1b}["), "{name}");
        // All of sysstat's end with this letter.
        let pieces = text.split("\u{1b}[").enumerate();
        let plain: String = pieces
            .map(
                |(at, piece)| {
                    if at == 0 { piece } else { piece.split_once('m').map_or("", |(_, rest)| rest) }
                },
            )
            .collect();
        assert_eq!(told(&import(text.as_bytes())), told(&import(plain.as_bytes())), "{name}");
    }
}

/// A process and its children that ended are counted together in sections of `-T CHILD`: neither is the process.
#[test]
fn counts_of_children_are_not_the_process_s() {
    let read = import(text("pidstat/simulated-sysstat-12.7.5-all").as_bytes());
    let values = values(&read);
    let faults = |pid: &str| {
        values.iter().find(|(place, _)| {
            place.starts_with("process ")
                && place.contains(&format!(" {pid} "))
                && place.ends_with(" minor_faults")
        })
    };
    let (_, (faults, secs)) = faults("7900").expect("gnome-shell");
    assert!((faults / secs - 25_095.93).abs() < 1.0, "{faults} in {secs} s");
    // With the fields of -t the thread's row is its own, and it is of the process above it.
    assert!(told(&read).contains("tid=10334 pid=7900"), "{}", told(&read));
    assert!(told(&read).contains("usr-ms"), "said that it is not kept");
}
