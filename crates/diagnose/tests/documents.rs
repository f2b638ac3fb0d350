//! Rules of a folder: what is read, what is refused and where the error points.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use heldup_archive::Database;
use heldup_diagnose::{Origin, Ruleset, Setting, diagnose, small_capture};

const GOOD: &str = r#"id = "cpu.mine"
title = "{subject_name} ran {run_s:s}"
summary = "a process runs"
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
    assert_eq!(answer.not_checked.len(), 1);
}

#[test]
fn unknown_keys_are_errors_with_file_and_line() {
    let said = refused("key", &GOOD.replace("impact =", "inpact ="));
    assert!(said.contains("cpu/cpu.mine.toml:4") && said.contains("inpact"), "{said}");
}

#[test]
fn unknown_columns_formats_and_places_are_errors() {
    let said = refused("column", &GOOD.replace("task_time.seconds", "task_time.second"));
    assert!(said.contains(":9") && said.contains("no column \"second\""), "{said}");
    let said = refused("format", &GOOD.replace("{run_s:s}", "{run_s:ms}"));
    assert!(said.contains(":2") && said.contains("unknown format \"ms\""), "{said}");
    let said = refused("place", &GOOD.replace("cpu.mine", "cpu.yours"));
    assert!(said.contains("is named cpu.yours.toml, or cpu/cpu.yours.toml"), "{said}");
}

#[test]
fn a_summary_is_one_short_line() {
    assert!(refused("no summary", &GOOD.replace("summary = \"a process runs\"\n", "")).contains("summary"));
    for summary in ["", " ", "one\\ntwo", &"a".repeat(61)] {
        let said = refused("summary", &GOOD.replace("a process runs", summary));
        assert!(said.contains("expected one line of at most 60"), "{said}");
    }
    let folder =
        Folder::with("short", &[("cpu/cpu.mine.toml", &GOOD.replace("a process runs", &"µ".repeat(60)))]);
    assert!(Ruleset::load(&folder.0).flaws.is_empty(), "60 characters are not too many");
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
    let all = Ruleset::builtin_with_cases().with(Ruleset::load(&folder.0));
    let case = &all.cases["cpu.saturated"][0];
    let answer = diagnose(&case.capture().unwrap(), &all);
    let place = &answer.errors[0].place;
    assert!(place.starts_with("rule cpu.broken (") && place.ends_with("cpu/cpu.broken.toml)"), "{place}");
    assert!(answer.findings.iter().any(|finding| finding.id == "cpu.saturated"));
}

#[test]
fn a_rule_does_not_silently_take_the_place_of_another() {
    let mine = GOOD.replace("cpu.mine", "cpu.saturated");
    let own_uid = fs::metadata("/proc/self").unwrap().uid();
    let folder = Folder::with("takes", &[("cpu.saturated.toml", &mine), ("cpu/cpu.mine.toml", GOOD)]);
    let installed = || Ruleset::installed(&folder.0, Origin::User, own_uid);
    let all = Ruleset::builtin().and(installed());
    assert_eq!(all.find("cpu.saturated").unwrap().origin, Origin::BuiltIn);
    assert_eq!(all.find("cpu.mine").unwrap().origin, Origin::User, "the one beside it is there");
    let said = all.flaws[0].to_string();
    assert!(said.contains("/cpu.saturated.toml: ") && said.contains("`replaces = true`"), "{said}");

    let asked = mine.replace("impact =", "replaces = true\nimpact =");
    let folder = Folder::with("takes", &[("cpu.saturated.toml", &asked)]);
    let all = Ruleset::builtin().and(Ruleset::installed(&folder.0, Origin::User, own_uid));
    assert!(all.flaws.is_empty(), "{:?}", all.flaws);
    assert_eq!(all.find("cpu.saturated").unwrap().origin, Origin::User);
    assert!(!all.cases.contains_key("cpu.saturated"), "the cases of the other one go with it");

    let none = Ruleset::default().and(Ruleset::installed(&folder.0, Origin::User, own_uid));
    assert!(none.flaws[0].what.contains("no other rule"), "{:?}", none.flaws);
}

#[test]
fn two_files_of_one_id_are_an_error_of_the_second() {
    let folder = Folder::with("twice", &[("cpu.mine.toml", GOOD), ("cpu/cpu.mine.toml", GOOD)]);
    let rules = Ruleset::load(&folder.0);
    assert_eq!((rules.rules.len(), rules.flaws.len()), (1, 1));
    assert!(rules.flaws[0].what.contains("the same id cpu.mine"), "{:?}", rules.flaws);
}

#[test]
fn what_everybody_may_write_is_read_only_when_it_is_named() {
    let folder = Folder::with("writable", &[("cpu.mine.toml", GOOD)]);
    let own_uid = fs::metadata("/proc/self").unwrap().uid();
    fs::set_permissions(folder.0.join("cpu.mine.toml"), fs::Permissions::from_mode(0o666)).unwrap();
    let installed = Ruleset::installed(&folder.0, Origin::User, own_uid);
    assert!(installed.rules.is_empty());
    assert!(installed.flaws[0].what.contains("others may write it (mode 666)"), "{:?}", installed.flaws);
    assert_eq!(Ruleset::load(&folder.0).rules.len(), 1);
    assert!(Ruleset::installed(&folder.0.join("not-there"), Origin::User, own_uid).flaws.is_empty());
}

#[test]
fn one_file_is_read_with_its_cases_whichever_is_named() {
    let cases = "[[case]]\nname = \"c\"\nexpect = \"found\"\n[[case]]\nname = \"q\"\nexpect = \"quiet\"\n";
    let folder = Folder::with("file", &[("cpu.mine.toml", GOOD), ("cpu.mine.cases.toml", cases)]);
    for name in ["cpu.mine.toml", "cpu.mine.cases.toml"] {
        let rules = Ruleset::load_file(&folder.0.join(name));
        assert!(rules.flaws.is_empty(), "{:?}", rules.flaws);
        assert_eq!((rules.rules.len(), rules.cases["cpu.mine"].len()), (1, 2), "{name}");
    }
    assert!(Ruleset::load_file(&folder.0.join("cpu.no.toml")).flaws[0].what.contains("cannot be read"));
}

/// The example in docs/rules.md is a rule that works.
#[test]
fn the_example_of_the_manual_passes_its_own_cases() {
    let manual = include_str!("../../../docs/rules.md");
    let blocks: Vec<&str> = manual.split("```toml\n").skip(1).filter_map(|b| b.split("```").next()).collect();
    let folder = Folder::with(
        "manual",
        &[("site.api-queued.toml", blocks[0]), ("site.api-queued.cases.toml", blocks[1])],
    );
    let rules = Ruleset::load(&folder.0);
    assert!(rules.flaws.is_empty(), "{:?}", rules.flaws);
    let database = Database::open(&small_capture(Setting::default(), [])).unwrap();
    assert_eq!(rules.check(&database), []);
    let results = rules.run_cases();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|result| result.wrong.is_none()), "{results:#?}");
}
