//! Recordings of sysstat that were cut off, damaged or made to harm: what is sound is read, the rest is
//! said with its place, and nothing panics or runs on.

use crate::table_text::import;
use crate::twin::{Exact, compare, fixture, twin};

#[test]
fn every_beginning_is_read_without_panic() {
    for (ending, step) in [("sa", 61), ("json", 499), ("xml", 499), ("csv", 499), ("awk", 997)] {
        let whole = fixture("sadf", ending);
        for end in (1..whole.len()).step_by(step) {
            let _ = import(&whole[..end]);
        }
    }
}

#[test]
fn what_is_cut_off_is_said_and_what_stands_before_it_is_read() {
    for (ending, place, words) in [
        ("sa", ", byte 20000", "ends within a record"),
        ("json", "recording:", "JSON: the file ends within"),
        ("xml", "recording:", "XML: the file ends within"),
    ] {
        let whole = fixture("sadf", ending);
        let end = if ending == "sa" { 20_000 } else { whole.len() * 3 / 4 };
        let read = import(&whole[..end]);
        assert!(read.file.is_known, "{ending}: {}", read.file.what);
        assert_eq!(read.flaws.len(), 1, "{ending}: {:?}", read.flaws);
        assert!(read.flaws[0].place.contains(place), "{ending}: {:?}", read.flaws);
        assert!(read.flaws[0].what.contains(words), "{ending}: {:?}", read.flaws);
        assert!(read.file.rows.iter().any(|(table, rows)| *table == "disk" && *rows >= 4), "{ending}");
    }
}

/// Numbers that look like chance and are the same in every run.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn bytes_that_were_changed_do_no_harm() {
    let mut state = 7;
    for (ending, rounds) in [("sa", 300), ("json", 60), ("xml", 60), ("csv", 40), ("awk", 20)] {
        let whole = fixture("sadf", ending);
        for _ in 0..rounds {
            let mut file = whole.clone();
            // In binary files mostly where sizes stand.
            let is_head = ending == "sa" && !next(&mut state).is_multiple_of(4);
            let reach = if is_head { 1800 } else { file.len() as u64 };
            for _ in 0..1 + next(&mut state) % 6 {
                let at = (next(&mut state) % reach) as usize;
                file[at] = next(&mut state) as u8;
            }
            let _ = import(&file);
        }
    }
}

#[test]
fn sizes_that_cannot_be_are_said() {
    let whole = fixture("sadf", "sa");
    // In the header: bytes of a record's head; in the first activity: items, parts, bytes of an item.
    for (at, value, words) in [
        (76 + 56, 60_000_u32, "records of 60000"),
        (76 + 336 + 8, 0, "activity 1 of 0"),
        (76 + 336 + 12, 5000, "× 5000 items"),
        (76 + 336 + 20, 4, "items of 4 bytes"),
    ] {
        let mut file = whole.clone();
        file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let read = import(&file);
        assert!(!read.file.is_known, "{words}");
        assert!(read.flaws[0].what.contains(words), "{words}: {:?}", read.flaws);
    }
    // The number of CPUs in the first record.
    let mut file = whole;
    let first = 76 + 336 + 36 * 36 + 24;
    file[first..first + 4].copy_from_slice(&0x00ff_ffff_u32.to_le_bytes());
    let read = import(&file);
    assert!(read.flaws[0].what.contains("expected at most"), "{:?}", read.flaws);
}

#[test]
fn what_is_deep_or_long_is_not_followed() {
    let deep = format!("{{\"sysstat\": {}", "[".repeat(100_000));
    assert!(import(deep.as_bytes()).flaws[0].what.contains("64 deep"));
    let long = format!("{{\"sysstat\": \"{}\"}}", "x".repeat(2 << 20));
    assert!(import(long.as_bytes()).flaws[0].what.contains("1 MiB"));
    let tag = format!("<sysstat a=\"{}\">", "x".repeat(2 << 20));
    assert!(import(tag.as_bytes()).flaws[0].what.contains("1 MiB"));
}

#[test]
fn json_without_line_ends_is_read() {
    let compact = serde_json::to_vec(&twin()).expect("JSON");
    assert!(!compact.contains(&b'\n'));
    let read = import(&compact);
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    assert!(compare(&read, &twin(), Exact::Printed) > 1000);
}

#[test]
fn files_of_before_8_1_3_and_other_binaries_are_told_apart() {
    let read = import(b"\x96\xd5\x69\x21\x06\x01\x03\0\0\0\0\0");
    assert!(read.file.what.contains("of sysstat before 8.1.3"), "{}", read.file.what);
    let other = import(b"{\"hosts\": []}");
    assert_eq!(other.file.what, "unknown format");
}
