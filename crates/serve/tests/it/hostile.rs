//! A source whose every name wants to be something else than a name.

use std::path::PathBuf;

use heldup_diagnose::{Sample, Setting, small_capture};
use heldup_model::tables::{DiskRow, ProcessRow};
use heldup_model::{RowSet, Text};
use serde_json::json;

use crate::answers::heads;
use crate::served::of;

const NAME: &str = "</script><img src=x onerror=alert(1)>\u{1b}[2J\u{202e}\u{0}\r\nX-Evil: 1\"'&";

/// A file of this test, removed with it.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn hostile() -> Scratch {
    let long: Text = "x".repeat(1 << 20).into();
    let process = |pid: i64, name: &str, command: Option<Text>| ProcessRow {
        pid: Some(pid),
        name: Some(name.into()),
        command,
        user_s: Some(1.0),
        system_s: Some(0.5),
        ..ProcessRow::default()
    };
    let disk =
        DiskRow { device: Some(NAME.into()), reads: Some(5), read_bytes: Some(4096), ..DiskRow::default() };
    let sample = |at: i64| {
        let processes = [process(1, NAME, None), process(2, "long", Some(long.clone()))];
        [
            Sample { at, secs: Some(1.0), rows: RowSet::increases(processes) },
            Sample { at, secs: Some(1.0), rows: RowSet::increases([disk.clone()]) },
        ]
    };
    let capture = small_capture(Setting::default(), (1..=10).flat_map(sample));
    let name = format!("heldup-hostile-{}.heldup", heldup_hostfs::own_pid());
    let path = std::env::temp_dir().join(name);
    heldup_archive::store::save_file(&capture, &path, true).expect("saved");
    Scratch(path)
}

#[test]
fn hostile_text_arrives_as_text() {
    let file = hostile();
    let served = of(std::slice::from_ref(&file.0));
    let (window, since_ms, until_ms) = served.window();
    let answer = served.get(&format!("/api/who?{window}"));
    assert_eq!(answer.header("x-evil"), None);
    let who = answer.json();
    let processes = who["processes"].as_array().expect("processes");
    let named = |pid: i64| processes.iter().find(|process| process["pid"] == pid).expect("a process");
    assert_eq!(named(1)["name"], NAME);
    assert!(named(2)["command"].as_str().is_some_and(|command| command.len() > 1 << 16));
    let body = json!({ "since_ms": since_ms, "until_ms": until_ms, "steps": 10, "figures": ["disk"] });
    let subjects = heads(&served.post("/api/figures", &body));
    assert!(subjects.iter().any(|head| head["subject"] == NAME), "{subjects:?}");
    let query =
        json!({ "since_ms": since_ms, "until_ms": until_ms, "query": "select name as \"<b>\" from process" });
    let rows = served.post("/api/sql", &query).json();
    assert_eq!((&rows["columns"][0]["name"], &rows["rows"][0][0]), (&json!("<b>"), &json!(NAME)));
    // A name that a browser keeps a file under.
    let subject: String = NAME.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let path = format!("/api/figure?id=disk.throughput&subject={subject}&format=svg&{window}");
    let picture = served.get(&path);
    assert_eq!(picture.status, 200, "{}", picture.text());
    let kept = picture.header("content-disposition").expect("a name");
    assert!(kept.chars().all(|c| c.is_ascii_alphanumeric() || " ;=\".-_".contains(c)), "{kept}");
    assert!(!picture.text().contains("<img"));
    assert!(!served.get(&format!("/api/report?{window}")).text().contains("<img src=x"));
    assert_eq!(served.get(&format!("/api/view?{window}")).status, 200);
}
