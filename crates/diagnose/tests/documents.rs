//! Rules of a folder: what is read, what is refused and where the error points.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::path::PathBuf;

use heldup_archive::Database;
use heldup_diagnose::{Ruleset, Setting, diagnose, small_capture};

const GOOD: &str = r#"id = "cpu.mine"
title = "{subject_name} ran {run_s:s}"
impact = "time"
meaning = "m"
decided = "d"
when_wrong = "w"
references = []
needs = ["task_time.seconds"]
supplied_by = "s"
considered = "select 'host' as subject_kind, 'box' as subject_name"
sql = "select 'host' as subject_kind, 'box' as subject_name, 1.0 as amount, 2.0 as run_s"
"#;

/// A folder of rules that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn with(test: &str, files: &[(&str, &str)]) -> Folder {
        let folder = Folder(std::env::temp_dir().join(format!("heldup-rules-{}-{test}", std::process::id())));
        for (name, text) in files {
            let path = folder.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn refused(test: &str, text: &str) -> String {
    let folder = Folder::with(test, &[("cpu/cpu.mine.toml", text)]);
    let rules = Ruleset::load(&folder.0);
    assert!(rules.rules.is_empty(), "{test} was taken");
    rules.flaws[0].to_string()
}

fn wrong(test: &str, text: &str) -> String {
    let folder = Folder::with(test, &[("cpu/cpu.mine.toml", text)]);
    let rules = Ruleset::load(&folder.0);
    assert!(rules.flaws.is_empty(), "{:?}", rules.flaws);
    let database = Database::open(&small_capture(Setting::default(), [])).unwrap();
    rules.check(&database).iter().map(ToString::to_string).collect()
}

#[test]
fn a_good_document_is_read_and_a_bad_one_beside_it_costs_only_itself() {
    let folder = Folder::with("beside", &[("cpu/cpu.mine.toml", GOOD), ("cpu/cpu.other.toml", "id = 3")]);
    let rules = Ruleset::load(&folder.0);
    assert_eq!(rules.rules.len(), 1);
    assert_eq!(rules.flaws.len(), 1);
    let answer = diagnose(&small_capture(Setting::default(), []), &rules);
    assert_eq!(answer.errors.len(), 1, "the examination says so");
    assert_eq!(answer.unchecked.len(), 1);
}

#[test]
fn unknown_keys_are_errors_with_file_and_line() {
    let said = refused("key", &GOOD.replace("impact =", "inpact ="));
    assert!(said.contains("cpu/cpu.mine.toml:3") && said.contains("inpact"), "{said}");
}

#[test]
fn unknown_columns_formats_and_places_are_errors() {
    let said = refused("column", &GOOD.replace("task_time.seconds", "task_time.second"));
    assert!(said.contains(":8") && said.contains("no column \"second\""), "{said}");
    let said = refused("format", &GOOD.replace("{run_s:s}", "{run_s:ms}"));
    assert!(said.contains(":2") && said.contains("unknown format \"ms\""), "{said}");
    let said = refused("place", &GOOD.replace("cpu.mine", "cpu.yours"));
    assert!(said.contains("is named cpu/cpu.yours.toml"), "{said}");
}

#[test]
fn the_lint_finds_columns_that_the_answer_does_not_have() {
    let said = wrong("title", &GOOD.replace("{run_s:s}", "{ran:s}"));
    assert!(said.contains("title names ran"), "{said}");
    let said = wrong("sql", &GOOD.replace("1.0 as amount", "1.0 as harm"));
    assert!(said.contains("sql: the answer has no column amount"), "{said}");
    let said =
        wrong("syntax", &GOOD.replace("select 'host' as subject_kind, 'box' as subject_name\"", "selec 1\""));
    assert!(said.contains("considered: "), "{said}");
}

#[test]
fn a_rule_that_fails_does_not_break_the_run() {
    let broken = GOOD.replace("cpu.mine", "cpu.broken").replace("2.0 as run_s", "no_such_column as run_s");
    let folder = Folder::with("fails", &[("cpu/cpu.broken.toml", &broken)]);
    let all = Ruleset::builtin().with(Ruleset::load(&folder.0));
    let case = &all.cases["cpu.saturated"][0];
    let answer = diagnose(&case.capture().unwrap(), &all);
    assert_eq!(answer.errors[0].place, "rule cpu.broken");
    assert!(answer.findings.iter().any(|finding| finding.id == "cpu.saturated"));
}
