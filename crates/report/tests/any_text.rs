//! Whatever an examination holds, its text keeps to the width and does nothing to the terminal.
//!
//! Takes the golden examinations, puts characters that make trouble into every text and
//! numbers that make trouble into every number, and looks at each line that comes out.
//! The same on every run: a failure names its seed.

#![expect(
    clippy::expect_used,
    reason = "clippy's allowance for tests does not reach functions beside #[test]"
)]

use std::path::Path;

use heldup_model::Examination;
use heldup_report::{TextOptions, harmless::steers, text};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// Characters that are wide, narrow, invisible, breakable, or commands to a terminal.
const TEXT: [&str; 16] = [
    "a",
    "walwriter",
    " ",
    "\x1b[2J",
    "\n",
    "\u{202e}",
    "龍",
    "é",
    "e\u{301}",
    "\u{a0}",
    "\t",
    "'",
    "\"",
    "--",
    "👩\u{200d}🔧",
    "\u{feff}",
];
const NUMBERS: [f64; 8] = [0.0, -1.0, 1e-12, 0.043, 1.0, 999.96, 1e18, f64::MAX];

/// SplitMix64.
fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) as usize
}

/// Puts trouble into every third text and number; words with a fixed meaning stay.
fn trouble(value: &mut Value, name: &str, seed: &mut u64) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| trouble(value, name, seed)),
        Value::Array(items) => items.iter_mut().for_each(|item| trouble(item, name, seed)),
        Value::String(text)
            if !matches!(name, "method" | "severity" | "kind") && next(seed).is_multiple_of(3) =>
        {
            *text = (0..next(seed) % 40).map(|_| TEXT[next(seed) % TEXT.len()]).collect();
        }
        Value::Number(number) if number.is_f64() && next(seed).is_multiple_of(3) => {
            *value = NUMBERS[next(seed) % NUMBERS.len()].into();
        }
        _ => {}
    }
}

fn check(case: &str, seed: u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(format!("{case}.json"));
    let mut value: Value = serde_json::from_slice(&std::fs::read(path).expect("input")).expect("JSON");
    let mut state = seed;
    trouble(&mut value, "", &mut state);
    let examination: Examination = serde_json::from_value(value).expect("an examination");
    let width = 80 + next(&mut state) % 60;
    let options = TextOptions {
        width,
        bars: seed.is_multiple_of(2),
        ascii: seed.is_multiple_of(3),
        ..TextOptions::default()
    };
    for line in text::render(&examination, &options).lines() {
        assert!(line.width() <= width, "{case}, seed {seed}: longer than {width}: {line:?}");
        assert!(!line.chars().any(steers), "{case}, seed {seed}: {line:?}");
        assert!(!options.ascii || line.is_ascii(), "{case}, seed {seed}: {line:?}");
    }
}

#[test]
fn any_text_and_number_keeps_to_the_width() {
    for case in ["idle", "sync-bound", "unprivileged", "hostile"] {
        for seed in 0..300 {
            check(case, seed);
        }
    }
}
