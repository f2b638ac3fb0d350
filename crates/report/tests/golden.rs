//! Examinations of `golden/*.json` as text, compared with `golden/*.txt`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p heldup-report` writes the texts anew; read the
//! difference before committing it.

#![expect(
    clippy::expect_used,
    reason = "clippy's allowance for tests does not reach functions beside #[test]"
)]

use std::path::Path;

use heldup_model::{Class, EXAMINATION_SCHEMA, ErrorNote, Examination, Severity};
use heldup_report::{TextOptions, harmless::steers, json, text};
use jiff::tz::{Offset, TimeZone};
use unicode_width::UnicodeWidthStr;

const CASES: [&str; 13] = [
    "idle",
    "sync-bound",
    "command",
    "compile",
    "unprivileged",
    "hostile",
    "at-rest",
    "healthy",
    "throttled",
    "three",
    "no-root",
    "sar",
    "awr",
];

fn examination(case: &str) -> Examination {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(format!("{case}.json"));
    serde_json::from_str(&std::fs::read_to_string(&path).expect("input")).expect("an examination")
}

fn pipe(width: usize) -> TextOptions {
    TextOptions { width, time_zone: TimeZone::fixed(Offset::constant(1)), ..TextOptions::default() }
}

fn terminal(width: usize) -> TextOptions {
    TextOptions { color: true, bars: true, ..pipe(width) }
}

/// The text without Select Graphic Rendition sequences.
fn uncoloured(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split("\x1b[");
    plain.push_str(parts.next().unwrap_or(""));
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

fn check(case: &str, kind: &str, options: &TextOptions) {
    let got = text::render(&examination(case), options);
    for line in uncoloured(&got).lines() {
        assert!(line.width() <= options.width, "{case}-{kind}: longer than {}: {line}", options.width);
        assert!(!line.chars().any(steers), "{case}-{kind}: steers the terminal: {line:?}");
        assert_eq!(line.trim_end(), line, "{case}-{kind}: blanks at the end");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(format!("{case}-{kind}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &got).expect("golden file");
    }
    let expect = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(got == expect, "{case}-{kind} differs; UPDATE_GOLDEN=1 renews it. Got:\n{got}");
}

#[test]
fn an_idle_machine() {
    check("idle", "80", &pipe(80));
    check("idle", "80-terminal", &terminal(80));
}

#[test]
fn a_sync_bound_machine() {
    check("sync-bound", "80", &pipe(80));
    check("sync-bound", "120", &pipe(120));
    check("sync-bound", "80-terminal", &terminal(80));
    check("sync-bound", "120-terminal", &terminal(120));
    check("sync-bound", "80-ascii", &TextOptions { ascii: true, bars: true, ..pipe(80) });
}

#[test]
fn a_command_and_the_machine_around_it() {
    check("command", "80", &pipe(80));
    check("command", "120-terminal", &terminal(120));
}

#[test]
fn information_is_brief_and_one_of_a_kind() {
    check("compile", "80", &pipe(80));
    check("compile", "120-details", &TextOptions { details: true, ..pipe(120) });
}

#[test]
fn nothing_could_be_checked() {
    check("unprivileged", "80", &pipe(80));
    check("unprivileged", "120", &pipe(120));
}

/// The rule about an event stands below it, without a line of its own.
#[test]
fn a_report_of_a_database() {
    check("awr", "80", &pipe(80));
}

#[test]
fn real_machines() {
    for case in ["at-rest", "healthy", "throttled", "three", "no-root", "sar"] {
        check(case, "80", &TextOptions { bars: true, ..pipe(80) });
    }
}

#[test]
fn a_focus_that_nothing_matches_is_the_reason() {
    let mut nobody = examination("idle");
    nobody.ledger = Default::default();
    let what = "no process of this capture matches pid:7".to_owned();
    nobody.errors = vec![ErrorNote { place: ErrorNote::FOCUS.to_owned(), what }];
    let got = text::render(&nobody, &pipe(80));
    assert!(got.contains("No time to show: no process of this capture matches pid:7\n"), "{got}");
    assert!(!got.contains("could not be seen here"), "{got}");
}

#[test]
fn hostile_names_do_nothing() {
    check("hostile", "80", &pipe(80));
    check("hostile", "80-terminal", &terminal(80));
}

/// Every `<class> <number> s` of a screen, however the columns are filled; the first word of a line may be a label.
fn figures(screen: &str) -> Vec<(&'static str, f64)> {
    let words: Vec<&str> = screen.split_whitespace().map(|word| word.trim_start_matches('(')).collect();
    let mut found = Vec::new();
    for class in Class::ALL {
        let label: Vec<&str> = class.label().split(' ').collect();
        for (at, window) in words.windows(label.len()).enumerate() {
            let unit = words
                .get(at + label.len() + 1)
                .map_or("", |unit| unit.trim_end_matches(['.', ',', ')', ';']));
            let number =
                words.get(at + label.len()).and_then(|word| word.replace(',', "").parse::<f64>().ok());
            // `user 3.9` behind a class is a program's part.
            if window == label.as_slice() && unit == "s" {
                found.extend(number.map(|number| (class.label(), number)));
            }
        }
    }
    found
}

#[test]
fn one_number_once() {
    assert_eq!(figures("(run queue 1.07 s of 9.86 s)\n run queue 1.07 s"), [("run queue", 1.07); 2]);
    // A command has a ledger of its own beside the machine's.
    for case in CASES.into_iter().filter(|case| examination(case).command.is_none()) {
        for details in [false, true] {
            let screen = text::render(&examination(case), &TextOptions { details, ..pipe(80) });
            let figures = figures(&screen);
            for (label, number) in &figures {
                let others = figures.iter().filter(|(other, _)| other == label);
                let differs = others.filter(|(_, other)| (other - number).abs() > 0.05).count();
                assert_eq!(differs, 0, "{case}: {label} stands twice with two numbers:\n{screen}");
            }
        }
    }
}

#[test]
fn the_answer_is_at_the_top_and_one_finding_fits_a_screen() {
    for case in CASES {
        let of = examination(case);
        let screen = text::render(&of, &pipe(80));
        let troubles = of.groups.iter().filter(|group| group.severity != Severity::Info).count();
        let answer = ["CRITICAL", "WARNING", "OK ", "IDLE ", "UNKNOWN "];
        // The times of a database take two lines above it.
        let most = if of.vitals.database.is_some() { 8 } else { 6 };
        let first = screen.lines().take(most).any(|line| answer.iter().any(|word| line.contains(word)));
        assert!(first || of.command.is_some(), "{case}: no answer in {most} lines:\n{screen}");
        assert!(troubles != 1 || screen.lines().count() <= 24, "{case}: more than a screen:\n{screen}");
    }
}

#[test]
fn ascii_is_ascii() {
    for case in CASES {
        let got = text::render(&examination(case), &TextOptions { ascii: true, bars: true, ..pipe(80) });
        assert!(got.is_ascii(), "{got}");
    }
}

#[test]
fn a_narrow_terminal_gets_80_columns() {
    let narrow = text::render(&examination("idle"), &pipe(20));
    assert_eq!(narrow, text::render(&examination("idle"), &pipe(80)));
}

#[test]
fn json_reads_back_the_same_and_is_harmless() {
    for case in CASES {
        let before = examination(case);
        let written = json::render(&before);
        assert!(!written.chars().any(|c| c != '\n' && steers(c)), "{written:?}");
        let after: Examination = serde_json::from_str(&written).expect("JSON");
        assert_eq!(after.schema, EXAMINATION_SCHEMA);
        assert_eq!(serde_json::to_value(&after).unwrap(), serde_json::to_value(&before).unwrap());
    }
}
