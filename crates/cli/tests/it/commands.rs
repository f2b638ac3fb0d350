//! Each command once, as somebody types it who is not root: what it prints, and what it ends with.

use serde_json::Value;

use crate::typed::{Folder, heldup};

#[test]
fn examine() {
    let folder = Folder::new();
    heldup(&folder, &["examine", "vmstat.txt"]).is(0, &["vmstat"]);
    let told = heldup(&folder, &["examine", "vmstat.txt", "--json"]).is(0, &[]).json();
    assert_eq!(told["schema"], "heldup/examination/1");
    // It is kept, and judged again without looking anew.
    let again = heldup(&folder, &["examine", "@last", "--json"]).is(0, &[]).json();
    assert_eq!(again["host"]["name"], told["host"]["name"]);
    heldup(&folder, &["examine", "no-such-file"]).complains(3, &["no-such-file: no such file"]);
    heldup(&folder, &["examine", "--for", "soon"]).complains(2, &["--for"]);
}

#[test]
fn a_command_ends_it_as_it_ended_itself() {
    let folder = Folder::new();
    let words = ["--method", "delays", "--json", "--", "sh", "-c", "exit 3"];
    assert_eq!(heldup(&folder, &words).is(3, &[]).json()["schema"], "heldup/examination/1");
}

#[test]
fn capture_compare_and_sql() {
    let folder = Folder::new();
    heldup(&folder, &["capture", "-o", "a.heldup", "vmstat.txt"]).is(0, &["a.heldup: ", "tables"]);
    heldup(&folder, &["capture", "-o", "a.heldup", "vmstat.txt"]).complains(3, &["exists", "--force"]);
    heldup(&folder, &["capture", "-o", "b.heldup", "vmstat.txt"]).is(0, &[]);
    let told = heldup(&folder, &["compare", "a.heldup", "b.heldup", "--json"]).is(0, &[]).json();
    assert_eq!(
        (&told["schema"], &told["headlines"]),
        (&"heldup/comparison/1".into(), &Value::Array(Vec::new()))
    );
    heldup(&folder, &["compare", "a.heldup"]).complains(2, &["two sources"]);
    let query = "select count(*) as readings from system";
    heldup(&folder, &["sql", "-s", "a.heldup", query, "--format", "csv"]).is(0, &["readings\n40\n"]);
    heldup(&folder, &["sql", "-s", "a.heldup", "select"]).complains(2, &["the query failed"]);
}

#[test]
fn breakdown() {
    let folder = Folder::new();
    heldup(&folder, &["breakdown", "cpu", "vmstat.txt"]).is(0, &["time on CPUs", "Who", "When"]);
    let told = heldup(&folder, &["breakdown", "cpu", "vmstat.txt", "--json"]).is(0, &[]).json();
    assert_eq!(told["schema"], "heldup/breakdown/1");
    heldup(&folder, &["breakdown", "wait", "vmstat.txt", "--focus", "port:80"]).complains(3, &["port:80"]);
    heldup(&folder, &["breakdown", "cpu", "vmstat.txt", "-o", "x.svg"]).complains(3, &["no CPU stacks"]);
    assert!(!folder.path().join("x.svg").exists(), "a file without a picture");
}

#[test]
fn flame_graphs_of_folded_stacks() {
    let folder = Folder::new();
    let stacks = "java;start_thread;handle 230\njava;start_thread;handle;read_[k] 17\nnode;main;new 4\n";
    std::fs::write(folder.path().join("a.folded"), stacks).expect("written");
    std::fs::write(folder.path().join("b.folded"), stacks.replace("230", "23")).expect("written");
    heldup(&folder, &["breakdown", "cpu", "a.folded"]).is(0, &["samples", "handle < start_thread"]);
    heldup(&folder, &["breakdown", "cpu", "a.folded", "-o", "a.svg"]).is(0, &[]);
    let picture = std::fs::read_to_string(folder.path().join("a.svg")).expect("a picture");
    assert!(
        picture.contains("profile: 251 samples") && picture.contains("<title>handle\n247 samples"),
        "{picture}"
    );
    let again = heldup(&folder, &["breakdown", "cpu", "a.folded", "--format", "svg"]).is(0, &[]);
    assert!(again.out == picture, "the same input, other bytes");
    let compared = ["breakdown", "cpu", "b.folded", "--baseline", "a.folded"];
    heldup(&folder, &compared).is(0, &["As a share of each side", "By stack", "−"]);
    let told = heldup(&folder, &[&compared[..], &["--json"]].concat()).is(0, &[]).json();
    assert_eq!((&told["schema"], &told["per"]), (&"heldup/breakdown-difference/1".into(), &"total".into()));
    heldup(&folder, &[&compared[..], &["-o", "d.svg"]].concat()).is(0, &[]);
    heldup(&folder, &[&compared[..], &["--folded"]].concat()).complains(2, &["--folded"]);
}

#[test]
fn plot() {
    let folder = Folder::new();
    heldup(&folder, &["plot", "vmstat.txt"]).is(0, &["CPU time %", "user", "mean"]);
    let told = heldup(&folder, &["plot", "vmstat.txt", "cpu.switches", "--json"]).is(0, &[]).json();
    assert_eq!(
        (&told["schema"], told["figures"].as_array().map(Vec::len)),
        (&"heldup/plot/1".into(), Some(1))
    );
    heldup(&folder, &["plot", "vmstat.txt", "-o", "charts"]).is(0, &[]);
    let page = std::fs::read_to_string(folder.path().join("charts/index.html")).expect("a page");
    assert!(page.contains("Context switches") && folder.path().join("charts/cpu.switches.svg").exists());
    heldup(&folder, &["plot", "vmstat.txt", "cpu", "-o", "one.svg"])
        .complains(3, &["one.svg is one picture"]);
    heldup(&folder, &["plot", "vmstat.txt", "disk.queue"]).complains(3, &["disk.queue", "iostat -x"]);
    heldup(&folder, &["plot", "--list"]).is(0, &["cpu.states", "What do the CPUs spend their time on?"]);
}

#[test]
fn record_and_status() {
    let folder = Folder::new();
    heldup(&folder, &["status", "archive"]).complains(3, &["is not a heldup archive"]);
    let words = ["record", "-o", "archive", "--method", "delays", "--interval", "500ms", "--for", "1600ms"];
    let said = heldup(&folder, &words).is(0, &[]);
    assert!(said.err.contains("samples in"), "{}", said.err);
    heldup(&folder, &["status", "archive"]).is(0, &["archive"]);
    let told = heldup(&folder, &["status", "archive", "--json"]).is(0, &[]).json();
    assert_eq!((&told["schema"], &told["running"]), (&"heldup/status/1".into(), &false.into()));
    heldup(&folder, &["keep-house", "archive"]).is(0, &[]);
    heldup(&folder, &["sql", "-s", "archive", "select count(*) > 1 from system", "--format", "csv"])
        .is(0, &["1\n"]);
}

#[test]
fn watch() {
    let folder = Folder::new();
    let said = heldup(&folder, &["watch", "--interval", "1s", "--for", "1s", "--method", "delays", "--json"])
        .is(0, &[]);
    let last = said.out.lines().last().unwrap_or_default();
    let summary: Value = serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {last}"));
    assert_eq!((&summary["event"], &summary["summary"]["windows"]), (&"summary".into(), &1.into()));
    heldup(&folder, &["watch", "--raise-after", "4/3"]).complains(2, &["--raise-after"]);
}

#[test]
fn doctor() {
    let folder = Folder::new();
    heldup(&folder, &["doctor", "--all"]).is(0, &["ledger", " work\n"]);
    assert_eq!(heldup(&folder, &["doctor", "--json"]).is(0, &[]).json()["schema"], "heldup/doctor/1");
}

#[test]
fn tables_and_rules() {
    let folder = Folder::new();
    heldup(&folder, &["tables"]).is(0, &["task_time", "Views"]);
    heldup(&folder, &["tables", "task_time"]).is(0, &["class_name", "seconds"]);
    heldup(&folder, &["tables", "no_table"]).complains(2, &["no_table"]);
    heldup(&folder, &["rules", "list"]).is(0, &["cpu.saturated"]);
    heldup(&folder, &["explain", "cpu.saturated"]).is(0, &["cpu.saturated"]);
    heldup(&folder, &["explain", "no.rule"]).complains(2, &["no.rule"]);
    heldup(&folder, &["rules", "test", "cpu.saturated"]).is(0, &["ok      cpu.saturated", "0 failed"]);
}

#[test]
fn settings() {
    let folder = Folder::new();
    heldup(&folder, &["tune", "list", "memory"]).is(0, &["vm.swappiness"]);
    heldup(&folder, &["tune", "show", "vm.swappiness"]).is(0, &["risk", "not for"]);
    heldup(&folder, &["tune", "show", "vm.swapiness"]).complains(2, &["vm.swappiness"]);
    heldup(&folder, &["tune", "plan", "vm.swappiness=10"]).is(0, &["vm.swappiness"]);
    let told = heldup(&folder, &["tune", "plan", "vm.swappiness=10", "--json"]).is(0, &[]).json();
    assert_eq!(told["changes"][0]["to"], "10");
    heldup(&folder, &["tune", "plan", "no.setting=1"]).complains(2, &["no.setting"]);
    heldup(&folder, &["tune", "profile", "list"]).is(0, &["oltp"]);
    heldup(&folder, &["tune", "profile", "show", "oltp"]).is(0, &["oltp"]);
    heldup(&folder, &["tune", "plan", "--profile", "oltp"]).is(0, &["oltp"]);
    std::fs::write(folder.path().join("sysctl.conf"), "vm.swappiness = 300\n").expect("written");
    heldup(&folder, &["tune", "audit", "--fail-on", "warning", "sysctl.conf"]).is(1, &["vm.swappiness"]);
    heldup(&folder, &["tune", "status"]).is(0, &[]);
}

#[test]
fn what_needs_more_is_refused_with_what_is_missing() {
    let folder = Folder::new();
    heldup(&folder, &["try", "vm.swappiness=10"]).complains(2, &["--workload"]);
    heldup(&folder, &["try", "--query", "select 1"]).complains(2, &["--goal"]);
}

#[test]
fn what_packagers_take() {
    let folder = Folder::new();
    heldup(&folder, &["completions", "bash"]).is(0, &["heldup"]);
    heldup(&folder, &["generate", "out"]).is(0, &[]);
    for file in
        ["man/heldup.1", "completions/heldup.bash", "reference/tables.md", "reference/explain-1.schema.json"]
    {
        assert!(folder.path().join("out").join(file).exists(), "{file}");
    }
    heldup(&folder, &["--help"]).is(0, &["Usage: heldup"]);
    heldup(&folder, &["--version"]).is(0, &["heldup "]);
}
