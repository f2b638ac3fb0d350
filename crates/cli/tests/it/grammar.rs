//! The grammar: each word means one thing everywhere, and a word that means nothing is answered with what may be meant.

use std::process::Command;

use serde_json::Value;

use crate::typed::{Folder, command, heldup};

/// Every command that people type.
const COMMANDS: [&[&str]; 33] = [
    &[],
    &["examine"],
    &["run"],
    &["watch"],
    &["explain"],
    &["breakdown"],
    &["compare"],
    &["try"],
    &["tune"],
    &["tune", "list"],
    &["tune", "show"],
    &["tune", "audit"],
    &["tune", "profile"],
    &["tune", "profile", "list"],
    &["tune", "profile", "show"],
    &["tune", "plan"],
    &["tune", "apply"],
    &["tune", "confirm"],
    &["tune", "undo"],
    &["tune", "limit"],
    &["tune", "pin"],
    &["tune", "status"],
    &["record"],
    &["status"],
    &["capture"],
    &["baseline"],
    &["baseline", "save"],
    &["doctor"],
    &["sql"],
    &["tables"],
    &["rules"],
    &["rules", "list"],
    &["rules", "test"],
];

#[test]
fn an_unknown_word_is_an_unknown_command() {
    let folder = Folder::new();
    for (words, near) in [
        (&["wacth"][..], "did you mean `heldup watch`?"),
        (&["wacth", "--interval", "5s"], "did you mean `heldup watch`?"),
        (&["examin", "@last"], "did you mean `heldup examine`?"),
        (&["trace", "cpu"], "did you mean `heldup breakdown`?"),
        (&["xyzzy"], "see `heldup --help`"),
        (&["--for", "1s", "docter"], "did you mean `heldup doctor`?"),
    ] {
        heldup(&folder, words).is(2, &[]).complains(2, &["unknown command `", near]);
    }
}

#[test]
fn a_file_is_read_and_what_is_none_is_said_as_the_system_says_it() {
    let folder = Folder::new();
    heldup(&folder, &["vmstat.txt"]).is(0, &["vmstat"]);
    std::fs::copy(folder.path().join("vmstat.txt"), folder.path().join("readings")).expect("copied");
    heldup(&folder, &["readings"]).is(0, &["vmstat"]);
    heldup(&folder, &["./no-such-file"]).complains(3, &["./no-such-file: no such file or folder"]);
    heldup(&folder, &["no-such-file.xyz"]).complains(3, &["no-such-file.xyz: no such file or folder"]);
    heldup(&folder, &["vmstat.txt/x"]).complains(3, &["no such file or folder"]);
    heldup(&folder, &["--since", "03:00"])
        .complains(3, &["nothing is recorded on this machine", "heldup-record"]);
    // A folder with a folder `journal` is no archive.
    std::fs::create_dir_all(folder.path().join("logs/journal")).expect("made");
    heldup(&folder, &["status", "logs"]).complains(3, &["logs is not a heldup archive"]);
}

#[test]
fn a_name_with_a_dot_is_a_rule_or_a_setting() {
    let folder = Folder::new();
    for (word, meant) in [
        ("disk.sync-bound", "heldup explain disk.sync-bound"),
        ("disk.sync-bond", "heldup explain disk.sync-bound"),
        ("vm.swappiness", "heldup tune show vm.swappiness"),
        ("vm.swapiness", "heldup tune show vm.swappiness"),
    ] {
        heldup(&folder, &[word]).complains(2, &["no such file: ", meant]);
    }
}

#[test]
fn names_that_are_unknown_have_near_ones() {
    let folder = Folder::new();
    for (words, near) in [
        (&["explain", "disk.saturate"][..], "disk.saturated"),
        (&["explain", "disk_red"], "disk_read"),
        (&["rules", "test", "disk.saturate"], "disk.saturated"),
        (&["tables", "task_tim"], "task_time"),
        (&["sql", "--schema", "task_tim"], "task_time"),
        (&["tune", "show", "vm.swapiness"], "vm.swappiness"),
        (&["tune", "plan", "vm.swapiness=1"], "vm.swappiness"),
        (&["tune", "plan", "--profile", "oltpp"], "oltp"),
        (&["tune", "profile", "show", "oltpp"], "oltp"),
        (&["watch", "--intervall", "5s"], "'--interval'"),
        (&["tune", "aply"], "'apply'"),
        (&["breakdown", "lok"], "'lock'"),
        (&["examine", "vmstat.txt", "--ignore", "fs.ful"], "fs.full"),
        (&["sql", "-s", "vmstat.txt", "select * from sytem"], "system"),
        (&["rules", "list", "--area", "io"], "allowed: cpu, mem, disk, fs, net, lock, limit, db"),
        (&["vmstat.txt", "--focus", "disk:sda"], "expected pid:N, unit:NAME"),
    ] {
        heldup(&folder, words).complains(2, &[near]);
    }
}

#[test]
fn a_command_is_run_in_three_ways() {
    let folder = Folder::new();
    for begin in [&["run"][..], &["run", "--"], &["--"], &["examine", "--"]] {
        let method = ["--method", "delays", "--json"];
        let at = usize::from(begin[0] != "--");
        let words = [&begin[..at], &method, &begin[at..], &["sh", "-c", "exit 3"]].concat();
        let found = heldup(&folder, &words).is(3, &[]).json();
        assert_eq!(found["command"]["exit_code"], 3, "{words:?}");
        let words = [&begin[..at], &method, &begin[at..], &["no-such-command"]].concat();
        let said = heldup(&folder, &words);
        assert_eq!(said.out, "", "an error leaves standard output empty");
        said.complains(127, &["no-such-command: command not found"]);
    }
    heldup(&folder, &["run"]).complains(2, &["<CMD>"]);
}

#[test]
fn short_help_fits_a_screen() {
    let folder = Folder::new();
    for words in COMMANDS {
        let output = command(&folder, &[words, &["-h"]].concat()).output().expect("started");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{words:?}");
        assert!(text.lines().count() <= 24, "{words:?} has {} lines\n{text}", text.lines().count());
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= 80, "{words:?} has {widest} columns\n{text}");
    }
    for command in
        ["sudo heldup  ", "heldup watch", "last night", "heldup FILE", "heldup try", "heldup capture -o FILE"]
    {
        heldup(&folder, &["-h"]).is(0, &[command]);
        heldup(&folder, &["--for", "5s", "-h"]).is(0, &[command]);
    }
    heldup(&folder, &["--help"]).is(0, &["breakdown", "baseline", "doctor", "--measure-overhead"]);
}

#[test]
fn options_of_before_are_unknown() {
    let folder = Folder::new();
    for (words, new) in [
        (&["watch", "--every", "1s"][..], "--interval"),
        (&["watch", "--least", "info"], "--min-severity"),
        (&["watch", "--appear", "1/1"], ""),
        (&["watch", "--own-cost"], "--measure-overhead"),
        (&["vmstat.txt", "--details"], "--verbose"),
        (&["vmstat.txt", "--check"], "--fail-on"),
        (&["vmstat.txt", "--no-keep"], "--no-save"),
        (&["compare", "a", "b", "--whole"], "--no-trim"),
        (&["record", "--keep", "1d"], "--retention"),
        (&["record", "--keep-size", "1GB"], ""),
        (&["record", "--keep-samples", "1d"], ""),
        (&["try", "--workload", "true", "--keep"], "--apply-best"),
        (&["try", "--workload", "true", "--check"], "--require-gain"),
        (&["try", "--workload", "true", "--worth", "1%"], "--min-effect"),
        (&["try", "--workload", "true", "--within", "1m"], "--max-time"),
        (&["try", "--workload", "true", "--figure", "wall"], "--measure"),
        (&["try", "--metric", "select 1"], "--query"),
        (&["tune", "limit", "--cpus", "1", "--pid", "1"], "--cpu-quota"),
        (&["tune", "pin", "--cpus", "1", "--pid", "1"], "--cpu-list"),
        (&["tune", "audit", "--check", "x"], "--fail-on"),
        (&["capture", "--baseline"], ""),
        (&["rules", "explain", "disk.slow"], "unrecognized subcommand 'explain'"),
        (&["tune", "profile", "plan", "oltp"], "unrecognized subcommand 'plan'"),
        (&["sql", "@last", "select 1"], "unexpected argument 'select 1'"),
        (&["capture", "vmstat.txt", "b.heldup"], "unexpected argument 'b.heldup'"),
    ] {
        heldup(&folder, words).complains(2, &[new]);
    }
}

#[test]
fn the_recorder_is_no_argument() {
    let folder = Folder::new();
    let start = heldup(&folder, &["record", "start"]);
    start.complains(2, &["sudo systemctl enable --now heldup-record"]);
    heldup(&folder, &["record", "stop"]).complains(2, &["sudo systemctl disable --now heldup-record"]);
    heldup(&folder, &["record", "status"]).complains(2, &["heldup status"]);
    heldup(&folder, &["record", "./archive"]).complains(2, &["-o ./archive"]);
}

#[test]
fn examinations_are_numbered() {
    let folder = Folder::new();
    heldup(&folder, &["@last"]).complains(3, &["@last: no saved examination in ", "run `heldup` first"]);
    heldup(&folder, &["sql", "select 1"]).complains(3, &["no saved examination"]);
    let number = |words: &[&str]| heldup(&folder, words).is(0, &[]).json()["number"].clone();
    assert_eq!(number(&["vmstat.txt", "--json"]), 1);
    assert_eq!(number(&["vmstat.txt", "--json", "--no-save"]), Value::Null);
    assert_eq!(number(&["vmstat.txt", "--json"]), 2);
    assert_eq!(number(&["@last", "--json"]), 2);
    assert_eq!(number(&["@last~1", "--json"]), 1);
    assert_eq!(number(&["@1", "--json"]), 1);
    heldup(&folder, &["@9"]).complains(3, &["@9: no such examination; saved: @1 to @2"]);
    heldup(&folder, &["@last~5"]).complains(3, &["no such examination"]);
    heldup(&folder, &["compare", "@last~1", "@last"]).is(0, &[]);
    heldup(&folder, &["sql", "select count(*) as readings from system", "--format", "csv"])
        .is(0, &["readings\n40\n"]);
}

#[test]
fn a_finding_is_explained_by_its_number() {
    let folder = Folder::new();
    let found = heldup(&folder, &["sar.txt", "--json"]).is(0, &[]).json();
    let first = found["findings"][0]["id"].as_str().expect("a finding of a saturated machine").to_owned();
    heldup(&folder, &["explain", "1"])
        .is(0, &["Finding 1 of @1: ", &first, "What it means", "When it is wrong"]);
    heldup(&folder, &["explain", "@1", "1"]).is(0, &[&first]);
    heldup(&folder, &["explain", "99"]).complains(2, &["@last: no finding 99"]);
    heldup(&folder, &["explain", "@7", "1"]).complains(3, &["@7: no such examination; saved: @1"]);
    heldup(&folder, &["explain", "@1"]).is(0, &[" 1  warning: "]);
    heldup(&folder, &["explain", "@last", "-v"]).is(0, &["Finding 1 of @1: ", &first]);
    let brief = heldup(&folder, &["explain", "disk.saturated"]).is(0, &["What it means"]);
    assert!(!brief.out.contains("The question"), "SQL is not asked for: {}", brief.out);
    heldup(&folder, &["explain", "disk.saturated", "--sql"]).is(0, &["The question", "select"]);
    let json = heldup(&folder, &["explain", "1", "--json"]).is(0, &[]).json();
    assert_eq!((&json["schema"], &json["rule"]["id"]), (&"heldup/explain/1".into(), &first.into()));
    // Status has it in brief.
    heldup(&folder, &["status"]).is(0, &["not running", "in @1"]);
}

#[test]
fn findings_fail_a_command_when_that_is_asked_for() {
    let folder = Folder::new();
    let found = heldup(&folder, &["sar.txt", "--json"]).is(0, &[]).json();
    let worst = found["findings"][0]["severity"].as_str().expect("a severity").to_owned();
    heldup(&folder, &["sar.txt", "--fail-on", "info"]).is(1, &[]);
    let code = i32::from(worst == "critical");
    heldup(&folder, &["sar.txt", "--fail-on", "critical"]).is(code, &[]);
    heldup(&folder, &["compare", "@last", "@last", "--fail-on", "info"]).is(0, &[]);
}

#[test]
fn findings_only_are_a_line_each() {
    let folder = Folder::new();
    let found = heldup(&folder, &["sar.txt", "--json"]).is(0, &[]).json();
    let brief = heldup(&folder, &["sar.txt", "-q"]).is(0, &[]);
    assert_eq!(brief.out.lines().count(), found["findings"].as_array().map_or(0, Vec::len), "{}", brief.out);
    let full = heldup(&folder, &["sar.txt", "-v"]).is(0, &[]);
    assert!(full.out.lines().count() > brief.out.lines().count());
}

#[test]
fn every_command_that_answers_has_json_and_csv() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("sysctl.conf"), "vm.swappiness = 300\n").expect("written");
    heldup(&folder, &["capture", "-o", "a.heldup", "vmstat.txt", "--json"]).is(0, &["heldup/capture/1"]);
    let record = ["record", "-o", "archive", "--method", "delays", "--for", "1200ms", "--json"];
    assert_eq!(heldup(&folder, &record).is(0, &[]).json()["schema"], "heldup/record/1");
    for (words, schema) in [
        (&["vmstat.txt"][..], "examination"),
        (&["examine", "@last"], "examination"),
        (&["breakdown", "cpu", "vmstat.txt"], "breakdown"),
        (&["compare", "a.heldup", "a.heldup"], "comparison"),
        (&["doctor"], "doctor"),
        (&["status"], "status"),
        (&["status", "archive"], "status"),
        (&["tables"], "tables"),
        (&["tables", "system"], "tables"),
        (&["rules", "list"], "rules"),
        (&["rules", "test", "cpu.saturated"], "rules-test"),
        (&["explain", "cpu.saturated"], "explain"),
        (&["baseline", "save", "a.heldup", "--force"], "capture"),
        (&["baseline", "show"], "baseline"),
        (&["tune", "list", "swappiness"], "settings"),
        (&["tune", "show", "vm.swappiness"], "settings"),
        (&["tune", "audit", "sysctl.conf"], "audit"),
        (&["tune", "profile", "list"], "profiles"),
        (&["tune", "profile", "show", "oltp"], "profiles"),
        (&["tune", "plan", "vm.swappiness=10"], "tune-plan"),
        (&["tune", "plan", "--profile", "oltp"], "profiles"),
        (&["tune", "status"], "tune-status"),
    ] {
        let json = heldup(&folder, &[words, &["--json"]].concat()).is(0, &[]).json();
        assert_eq!(json["schema"], format!("heldup/{schema}/1"), "{words:?}");
        let same = heldup(&folder, &[words, &["--format", "json"]].concat()).is(0, &[]).json();
        assert_eq!(same["schema"], json["schema"], "{words:?}");
        let csv = heldup(&folder, &[words, &["--format", "csv"]].concat()).is(0, &[]);
        let head = csv.out.lines().next().unwrap_or_default();
        // An answer without rows has no columns either.
        assert!(csv.out.is_empty() || head.contains(','), "{words:?}: {head}");
    }
    heldup(&folder, &["sql", "--json"]).is(0, &["heldup/tables/1"]);
    heldup(&folder, &["sql", "select 1 as one", "--json"]).is(0, &["{\"one\":1}"]);
    let csv = ["watch", "-n", "1", "--interval", "1s", "--method", "delays", "--format", "csv"];
    heldup(&folder, &csv).is(0, &["time,host,event,key,severity,cost,since,title\n", ",summary,"]);
}

#[test]
fn an_error_leaves_standard_output_empty() {
    let folder = Folder::new();
    for words in [
        &["no/such", "--json"][..],
        &["explain", "no.rule", "--json"],
        &["compare", "no/a", "no/b", "--json"],
        &["sql", "select nothing from nowhere", "--json"],
        &["tune", "show", "no.setting", "--json"],
        &["status", "no/archive", "--json"],
    ] {
        let said = heldup(&folder, words);
        assert!(said.out.is_empty() && said.code != Some(0), "{words:?}: {}", said.out);
        assert!(said.err.starts_with("heldup: "), "{words:?}: {}", said.err);
    }
}

#[test]
fn sql_without_a_query_lists_tables() {
    let folder = Folder::new();
    heldup(&folder, &["sql"]).is(0, &["Tables", "task_time", "Views"]);
    heldup(&folder, &["sql", "--schema", "task_time"]).is(0, &["class_name", "seconds"]);
    heldup(&folder, &["sql", "-s", "vmstat.txt", "select time from system", "-n", "3", "--format", "csv"])
        .is(0, &["time\n"]);
    let three = heldup(&folder, &["sql", "-s", "vmstat.txt", "select 1 from system", "-n", "3", "--json"]);
    assert_eq!(three.out.lines().count(), 3);
    // With --for it is this machine.
    heldup(
        &folder,
        &["sql", "--for", "200ms", "--method", "delays", "select count(*) > 0 as n from cpu", "--json"],
    )
    .is(0, &["{\"n\":1}"]);
}

#[test]
fn a_focus_that_matches_nothing_is_not_answered() {
    let folder = Folder::new();
    let all = [
        "-p 99",
        "-u nginx",
        "--focus comm:nobody",
        "--focus device:sdz",
        "--focus mount:/no",
        "--focus port:1",
    ];
    for focus in all.map(|words| words.split(' ').collect::<Vec<_>>()) {
        heldup(&folder, &[&["vmstat.txt"], focus.as_slice()].concat())
            .complains(3, &["nothing in this recording matches "]);
        heldup(&folder, &[&["breakdown", "cpu", "vmstat.txt"], focus.as_slice()].concat())
            .complains(3, &["nothing in this recording matches "]);
        heldup(&folder, &[&["sql", "-s", "vmstat.txt", "select 1"], focus.as_slice()].concat())
            .complains(3, &["nothing in this recording matches "]);
    }
    for words in [&["-p", "2147483646"][..], &["-u", "no-such-unit"], &["--focus", "comm:no-such-name"]] {
        heldup(&folder, words).complains(3, &["nothing on this machine is "]);
    }
    heldup(&folder, &["-p", "1", "-u", "x"]).complains(2, &["cannot be used with"]);
}

#[test]
fn a_time_and_a_host_are_for_every_source() {
    let folder = Folder::new();
    heldup(&folder, &["sar.txt", "--since", "2001-01-01", "--until", "+1h"])
        .complains(3, &["no data for 2001-01-01", "recorded: "]);
    heldup(&folder, &["sar.txt", "--until", "+1h"]).complains(2, &["--since"]);
    heldup(&folder, &["capture", "-o", "a.heldup", "sar.txt"]).is(0, &[]);
    for source in ["sar.txt", "a.heldup"] {
        // A time without a date is of the day that was recorded.
        let part = ["--since", "12:12:28", "--until", "12:12:31", "--host", "vm", "--json"];
        let found = heldup(&folder, &[&[source][..], &part].concat()).is(0, &[]).json();
        let seconds = |field: &str| found[field].as_str().unwrap_or_default()[17..19].to_owned();
        assert_eq!((seconds("from"), seconds("to")), ("28".to_owned(), "31".to_owned()), "{source}");
        heldup(&folder, &[source, "--host", "no-such-host"]).complains(2, &["unknown host `no-such-host`"]);
        let part = ["breakdown", "cpu", source, "--since", "12:12:28", "--until", "12:12:31", "--json"];
        heldup(&folder, &part).is(0, &[":28", ":31"]);
        let rows = ["sql", "-s", source, "--since", "12:12:28", "--until", "12:12:31", "--format", "csv"];
        let asked = |query: &str| heldup(&folder, &[&rows[..], &[query]].concat()).is(0, &[]).out;
        let count = |text: String| text.lines().nth(1).and_then(|line| line.parse::<u32>().ok());
        let part = count(asked("select count(distinct time) from cpu"));
        assert!(part.is_some_and(|part| (1..=3).contains(&part)), "{part:?} of three seconds");
    }
}

#[test]
fn areas_are_one_vocabulary() {
    let folder = Folder::new();
    heldup(&folder, &["rules", "list", "--area", "disk"]).is(0, &["disk.saturated", "io.aio-servers"]);
    heldup(&folder, &["rules", "list", "--area", "cpu"])
        .is(0, &["cpu.saturated", "power.idle-blocked", "virt."]);
    heldup(&folder, &["rules", "list", "--area", "limit"]).is(0, &["config.drift", "capture.poor"]);
    let disk = heldup(&folder, &["rules", "list", "--area", "disk"]);
    assert!(!disk.out.contains("cpu.saturated"), "{}", disk.out);
    let two = heldup(&folder, &["rules", "list", "-n", "2"]).is(0, &[]);
    assert_eq!(two.out.lines().count(), 2);
}

#[test]
fn the_baseline_is_saved_shown_and_dropped() {
    let folder = Folder::new();
    heldup(&folder, &["baseline", "show"]).complains(3, &["no baseline in ", "heldup baseline save"]);
    heldup(&folder, &["baseline", "save", "vmstat.txt"]).is(0, &["config.drift"]);
    heldup(&folder, &["baseline", "save", "vmstat.txt"]).complains(3, &["--force"]);
    heldup(&folder, &["baseline", "show"]).is(0, &["baseline: "]);
    heldup(&folder, &["baseline", "drop"]).is(0, &["baseline deleted: "]);
    heldup(&folder, &["baseline", "drop"]).complains(3, &["no baseline in "]);
}

#[test]
fn doctor_says_only_what_is_missing() {
    let folder = Folder::new();
    let (brief, all) =
        (heldup(&folder, &["doctor"]).is(0, &[]), heldup(&folder, &["doctor", "--all"]).is(0, &[]));
    assert!(!brief.out.lines().any(|line| line.starts_with("works ")), "{}", brief.out);
    assert!(brief.out.lines().count() <= all.out.lines().count());
    let remedies: Vec<&str> = brief.out.lines().filter(|line| line.starts_with("To get ")).collect();
    let mut once = remedies.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), remedies.len(), "each remedy once: {}", brief.out);
}

#[test]
fn a_width_is_told_or_eighty() {
    let folder = Folder::new();
    let widest = |columns: Option<&str>| {
        let mut command: Command = command(&folder, &["rules", "list", "--help"]);
        columns.into_iter().for_each(|columns| _ = command.env("COLUMNS", columns));
        let output = command.output().expect("started");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    };
    assert!(widest(None) <= 80);
    assert!(widest(Some("100")) <= 100);
    heldup(&folder, &["vmstat.txt", "--ascii"]).is(0, &[]);
}
