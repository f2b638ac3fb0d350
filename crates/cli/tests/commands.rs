//! Each command once, as somebody types it who is not root: what it prints, and what it ends with.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's own helpers fail the test")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// A folder that goes with the test, with what `vmstat 1` printed in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heldup-cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        let head = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                    r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";
        let line = |at: u32| {
            format!(
                " {}  0      0 400000 10240 204800    0    0     0     0  900 1200 90  9  1  0  0\n",
                4 + at % 2
            )
        };
        std::fs::write(path.join("vmstat.txt"), head.to_owned() + &(0..40).map(line).collect::<String>())
            .expect("written");
        Folder(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a command came to.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    /// The exit code is this, and what was printed has all of these.
    fn is(self, code: i32, parts: &[&str]) -> Said {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        for part in parts {
            assert!(self.out.contains(part), "`{part}` is not in\n{}\n{}", self.out, self.err);
        }
        self
    }

    /// The error has all of these.
    fn complains(self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        assert!(self.err.starts_with("heldup: ") || self.err.starts_with("error: "), "{}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in\n{}", self.err);
        }
    }

    fn json(self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// Runs it in a folder, which also is where it keeps its state.
fn heldup(folder: &Folder, words: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heldup"));
    command.args(words).current_dir(folder.path());
    command.env("HELDUP_STATE_DIR", folder.path().join("state")).env("HOME", folder.path());
    let output = command.output().expect("started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn examine() {
    let folder = Folder::new();
    heldup(&folder, &["examine", "vmstat.txt"]).is(0, &["vmstat"]);
    let told = heldup(&folder, &["examine", "vmstat.txt", "--format", "json"]).is(0, &[]).json();
    assert_eq!(told["schema"], "heldup/examination/1");
    // It is kept, and judged again without looking anew.
    let again = heldup(&folder, &["examine", "@last", "--format", "json"]).is(0, &[]).json();
    assert_eq!(again["host"]["name"], told["host"]["name"]);
    heldup(&folder, &["examine", "no-such-file"]).complains(2, &["no-such-file"]);
    heldup(&folder, &["examine", "--for", "soon"]).complains(2, &["--for"]);
}

#[test]
fn a_command_ends_it_as_it_ended_itself() {
    let folder = Folder::new();
    let words = ["--method", "delays", "--format", "json", "--", "sh", "-c", "exit 3"];
    assert_eq!(heldup(&folder, &words).is(3, &[]).json()["schema"], "heldup/examination/1");
}

#[test]
fn capture_compare_and_sql() {
    let folder = Folder::new();
    heldup(&folder, &["capture", "vmstat.txt", "a.heldup"]).is(0, &["a.heldup: ", "tables"]);
    heldup(&folder, &["capture", "vmstat.txt", "a.heldup"]).complains(3, &["is there already", "--force"]);
    heldup(&folder, &["capture", "vmstat.txt", "b.heldup"]).is(0, &[]);
    let told = heldup(&folder, &["compare", "a.heldup", "b.heldup", "--format", "json"]).is(0, &[]).json();
    assert_eq!(
        (&told["schema"], &told["headlines"]),
        (&"heldup/comparison/1".into(), &Value::Array(Vec::new()))
    );
    heldup(&folder, &["compare", "a.heldup"]).complains(2, &["two captures"]);
    let query = "select count(*) as readings from system";
    heldup(&folder, &["sql", "a.heldup", query, "--format", "csv"]).is(0, &["readings\n40\n"]);
    heldup(&folder, &["sql", "a.heldup", "select"]).complains(3, &["the query could not be answered"]);
}

#[test]
fn trace() {
    let folder = Folder::new();
    heldup(&folder, &["trace", "cpu", "vmstat.txt"]).is(0, &["time on CPUs", "Who", "When"]);
    let told = heldup(&folder, &["trace", "cpu", "vmstat.txt", "--format", "json"]).is(0, &[]).json();
    assert_eq!(told["schema"], "heldup/breakdown/1");
    heldup(&folder, &["trace", "wait", "vmstat.txt", "--focus", "port:80"]).complains(2, &["port"]);
}

#[test]
fn record_and_status() {
    let folder = Folder::new();
    heldup(&folder, &["status", "archive"]).complains(3, &["nobody has recorded there"]);
    let words = ["record", "archive", "--method", "delays", "--interval", "500ms", "--for", "1600ms"];
    let said = heldup(&folder, &words).is(0, &[]);
    assert!(said.err.contains("samples in"), "{}", said.err);
    heldup(&folder, &["status", "archive"]).is(0, &["archive"]);
    let told = heldup(&folder, &["status", "archive", "--format", "json"]).is(0, &[]).json();
    assert_eq!((&told["schema"], &told["running"]), (&"heldup/status/1".into(), &false.into()));
    heldup(&folder, &["keep-house", "archive"]).is(0, &[]);
    heldup(&folder, &["sql", "archive", "select count(*) > 1 from system", "--format", "csv"])
        .is(0, &["1\n"]);
}

#[test]
fn watch() {
    let folder = Folder::new();
    let said = heldup(&folder, &["watch", "--every", "1s", "--for", "1s", "--method", "delays", "--json"])
        .is(0, &[]);
    let last = said.out.lines().last().unwrap_or_default();
    let summary: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {last}"));
    assert_eq!((&summary["event"], &summary["summary"]["windows"]), (&"summary".into(), &1.into()));
    heldup(&folder, &["watch", "--appear", "4/3"]).complains(2, &["--appear"]);
}

#[test]
fn doctor() {
    let folder = Folder::new();
    heldup(&folder, &["doctor"]).is(0, &["ledger", " work\n"]);
    assert_eq!(
        heldup(&folder, &["doctor", "--format", "json"]).is(0, &[]).json()["schema"],
        "heldup/doctor/1"
    );
}

#[test]
fn tables_and_rules() {
    let folder = Folder::new();
    heldup(&folder, &["tables"]).is(0, &["task_time", "Views"]);
    heldup(&folder, &["tables", "task_time"]).is(0, &["class_name", "seconds"]);
    heldup(&folder, &["tables", "no_table"]).complains(3, &["no_table"]);
    heldup(&folder, &["rules", "list"]).is(0, &["cpu.saturated"]);
    heldup(&folder, &["rules", "explain", "cpu.saturated"]).is(0, &["cpu.saturated"]);
    heldup(&folder, &["rules", "explain", "no.rule"]).complains(3, &["no.rule"]);
    heldup(&folder, &["rules", "test", "cpu.saturated"]).is(0, &["ok      cpu.saturated", "0 failed"]);
}

#[test]
fn settings() {
    let folder = Folder::new();
    heldup(&folder, &["tune", "list", "memory"]).is(0, &["vm.swappiness"]);
    heldup(&folder, &["tune", "show", "vm.swappiness"]).is(0, &["risk", "leave it"]);
    heldup(&folder, &["tune", "show", "vm.swapiness"]).complains(2, &["vm.swappiness"]);
    heldup(&folder, &["tune", "plan", "vm.swappiness=10"]).is(0, &["vm.swappiness"]);
    let told = heldup(&folder, &["tune", "plan", "vm.swappiness=10", "--format", "json"]).is(0, &[]).json();
    assert_eq!(told["changes"][0]["to"], "10");
    heldup(&folder, &["tune", "plan", "no.setting=1"]).complains(2, &["no.setting"]);
    heldup(&folder, &["tune", "profile", "list"]).is(0, &["oltp"]);
    heldup(&folder, &["tune", "profile", "show", "oltp"]).is(0, &["oltp"]);
    heldup(&folder, &["tune", "profile", "plan", "oltp"]).is(0, &["oltp"]);
    std::fs::write(folder.path().join("sysctl.conf"), "vm.swappiness = 300\n").expect("written");
    heldup(&folder, &["tune", "audit", "--check", "sysctl.conf"]).is(1, &["vm.swappiness"]);
    heldup(&folder, &["tune", "status"]).is(0, &[]);
}

#[test]
fn what_needs_more_is_refused_with_what_is_missing() {
    let folder = Folder::new();
    heldup(&folder, &["try", "vm.swappiness=10"]).complains(2, &["--workload"]);
    heldup(&folder, &["try", "--metric", "select 1"]).complains(2, &["--goal"]);
}

#[test]
fn what_packagers_take() {
    let folder = Folder::new();
    heldup(&folder, &["completions", "bash"]).is(0, &["heldup"]);
    heldup(&folder, &["generate", "out"]).is(0, &[]);
    for file in ["man/heldup.1", "completions/heldup.bash", "reference/tables.md"] {
        assert!(folder.path().join("out").join(file).exists(), "{file}");
    }
    heldup(&folder, &["--help"]).is(0, &["Usage: heldup"]);
    heldup(&folder, &["--version"]).is(0, &["heldup "]);
}
