//! Other engines open an archive as it lies there, and answer as `heldup sql` does.
//!
//! `scripts/engines.sh` installs them, by version, into the target folder. Where they are not there
//! this says that it is skipped.

// Clippy knows test functions, not what they call.
#![allow(clippy::expect_used, clippy::panic)]

#[path = "machine/mod.rs"]
mod machine;
#[path = "scratch/mod.rs"]
mod scratch;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use heldup_archive::journal::{JournalSettings, JournalWriter, Reading};
use heldup_archive::kept::{ArchiveFolder, Tiers, compact, seal};
use heldup_archive::{Database, Value};
use heldup_model::tables::SettingRow;
use heldup_model::{Capture, Method, RowSet, Span};
use machine::{Machine, SINCE_MS};
use scratch::Scratch;

const QUESTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/questions.json");
const ASK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/ask.py");

/// Python with the engines, where `scripts/engines.sh` puts it.
fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
    Some(target.join("engines/bin/python")).filter(|python| python.exists())
}

/// Two segments in days that are over and put together, and one of the next day.
fn archive(folder: &Path) {
    let mut machine = Machine::new(20);
    for segment in 0..3 {
        let journals = ArchiveFolder::at(folder).journals();
        let settings = JournalSettings::default();
        let mut writer = JournalWriter::create(&journals, &machine.header(), settings).expect("a journal");
        for number in 0..70 {
            let mut sample = machine.sample();
            if (segment, number) == (0, 0) {
                let texts = [
                    ("a'b", "it's \"quoted\""),
                    ("größe", "数\u{1f980}"),
                    ("lines", "one\ntwo"),
                    ("none", ""),
                ];
                let rows = RowSet::increases(texts.map(|(key, value)| SettingRow {
                    setting_key: Some(key.into()),
                    setting_value: Some(value.into()),
                    ..Default::default()
                }));
                sample.readings.push(Reading { rows, secs: None });
            }
            writer.append(sample).expect("appended");
        }
        let journal = writer.close().expect("closed");
        seal(&journal, folder).expect("sealed");
        if segment == 1 {
            let tomorrow_ms = (SINCE_MS / 86_400_000 + 1) * 86_400_000;
            assert!(compact(folder, Tiers::NEVER, tomorrow_ms).expect("compacted").0 > 5);
        }
    }
}

/// What heldup answers, as JSON.
fn answers(folder: &Path, questions: &[serde_json::Value]) -> Vec<serde_json::Value> {
    let ever = Span { since_ms: i64::MIN / 2, until_ms: i64::MAX / 2 };
    let window = ArchiveFolder::at(folder).asked_for(ever, &|_| true).expect("a window");
    assert_eq!(window.flaws, []);
    let capture = Capture {
        host: "db1".into(),
        span: Span { since_ms: SINCE_MS - 1000, until_ms: SINCE_MS + 209_000 },
        method: Method::Ebpf,
        coverage: 1.0,
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: window.tables,
        missing: Vec::new(),
        flaws: Vec::new(),
    };
    let database = Database::open(&capture).expect("a database");
    let cell = |value: &Value| match value {
        Value::Null => serde_json::Value::Null,
        Value::Int(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::Text(value) => value.clone().into(),
    };
    let answer = |question: &serde_json::Value| {
        let sql = question["sql"].as_str().expect("a question");
        let answer = database.query(sql).expect("an answer");
        answer.rows.iter().map(|row| row.iter().map(cell).collect::<serde_json::Value>()).collect()
    };
    questions.iter().map(answer).collect()
}

#[test]
fn other_engines_give_the_same_answers() {
    let scratch = Scratch::new("engines");
    archive(&scratch.0);
    let questions: Vec<serde_json::Value> =
        serde_json::from_str(&fs::read_to_string(QUESTIONS).expect("questions")).expect("a list");
    let answers = answers(&scratch.0, &questions);
    assert!(questions.len() >= 12);
    assert_eq!(answers[0], serde_json::json!([[4200]]), "20 processes, 210 samples");
    let Some(python) = python() else {
        return heldup_skip::skipped("needs other engines, which scripts/engines.sh installs");
    };
    let file = scratch.0.join("answers.json");
    fs::write(&file, serde_json::Value::from(answers).to_string()).expect("written");
    let asked = Command::new(python).arg(ASK).arg(&scratch.0).arg(QUESTIONS).arg(&file).output();
    let asked = asked.expect("python starts");
    let said = String::from_utf8_lossy(&asked.stdout);
    assert!(asked.status.success(), "{said}{}", String::from_utf8_lossy(&asked.stderr));
    print!("{said}");
}
