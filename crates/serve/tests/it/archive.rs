//! An archive as source: its hosts, and what stays as it is.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::answers::heads;
use crate::served::of;

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../top/fixtures/db1")
}

/// A folder of this test, removed with it.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files of an archive, and the same once more as those of another host.
fn of_two_hosts() -> Scratch {
    let base = std::env::temp_dir().join(format!("heldup-hosts-{}", heldup_hostfs::own_pid()));
    copy(&recorded(), &base);
    Scratch(base)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let name = entry.file_name().into_string().expect("text");
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(&name));
            continue;
        }
        fs::copy(entry.path(), to.join(&name)).expect("copied");
        if let Some(rest) = name.strip_prefix("db1-") {
            fs::copy(entry.path(), to.join(format!("db2-{rest}"))).expect("copied");
        }
    }
}

#[test]
fn an_answer_that_is_kept_is_the_same() {
    let served = of(&[recorded()]);
    let (window, since_ms, until_ms) = served.window();
    let state = served.get("/api/state").json();
    assert_eq!(state["source"]["kind"], "archive");
    // Its recorder says it, not its tables.
    assert!(state["system"].as_str().is_some_and(|line| line.contains("time accounting by eBPF")), "{state}");
    let ask = json!({
        "since_ms": since_ms, "until_ms": until_ms, "steps": 100, "figures": ["disk", "time.classes", "cpu"]
    });
    let sorted = || {
        let mut found: Vec<String> =
            heads(&served.post("/api/figures", &ask)).iter().map(ToString::to_string).collect();
        found.sort();
        found
    };
    let first = sorted();
    assert!(first.len() > 10 && first.iter().all(|head| !head.contains("\"error\"")), "{first:?}");
    assert_eq!(sorted(), first);
    for path in ["who", "marks", "view", "breakdown?kind=wait"] {
        let glue = if path.contains('?') { '&' } else { '?' };
        let path = format!("/api/{path}{glue}{window}");
        let (one, again) = (served.get(&path), served.get(&path));
        assert_eq!((one.status, &one.body), (200, &again.body), "{path}: {}", one.text());
    }
}

#[test]
fn each_host_has_answers_of_its_own() {
    let scratch = of_two_hosts();
    let served = of(std::slice::from_ref(&scratch.0));
    let state = served.get("/api/state").json();
    assert_eq!((&state["hosts"], &state["host"]), (&json!(["db1", "db2"]), &json!("db1")));
    assert_eq!(served.get("/api/state?host=db2").json()["host"], "db2");
    let (window, ..) = served.window();
    assert_eq!(served.get(&format!("/api/who?{window}&host=db2")).status, 200);
    for other in ["db3", "", "../db1", "db1%00"] {
        let answer = served.get(&format!("/api/who?{window}&host={other}"));
        assert_eq!(answer.status, 404, "{other}: {}", answer.text());
    }
}
