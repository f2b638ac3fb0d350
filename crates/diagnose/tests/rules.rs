//! The built-in rules: every document reads, plans and types check, every case holds.

use std::path::Path;

use heldup_archive::Database;
use heldup_diagnose::{Rule, Ruleset, Setting, diagnose, explain, small_capture};

#[test]
fn every_document_reads() {
    let rules = Ruleset::builtin_with_cases();
    assert!(rules.flaws.is_empty(), "{:#?}", rules.flaws);
    assert!(rules.rules.len() >= 10, "{} rules", rules.rules.len());
}

#[test]
fn embedded_rules_are_those_of_the_folder() {
    let folder = Ruleset::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules"));
    let embedded = Ruleset::builtin();
    assert_eq!(folder.rules.len(), embedded.rules.len());
    for (one, other) in folder.rules.into_iter().zip(embedded.rules) {
        let one = Rule { place: other.place.clone(), origin: other.origin, ..one };
        assert_eq!(format!("{one:#?}"), format!("{other:#?}"));
    }
}

#[test]
fn every_rule_passes_the_lint() {
    let rules = Ruleset::builtin();
    let database = Database::open(&small_capture(Setting::default(), [])).unwrap();
    let wrong = rules.check(&database);
    assert!(wrong.is_empty(), "{}", wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_case_holds() {
    let results = Ruleset::builtin_with_cases().run_cases();
    let wrong: Vec<String> = results
        .iter()
        .filter_map(|result| Some(format!("{}: {}: {}", result.id, result.name, result.wrong.as_ref()?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), results.len(), wrong.join("\n"));
}

#[test]
fn cases_belong_to_rules() {
    let rules = Ruleset::builtin_with_cases();
    for id in rules.cases.keys() {
        assert!(rules.find(id).is_some(), "{id}.cases.toml has no rule");
    }
}

#[test]
fn an_empty_capture_leaves_every_rule_unchecked_with_a_way_out() {
    let rules = Ruleset::builtin();
    let answer = diagnose(&small_capture(Setting::default(), []), &rules);
    assert_eq!(answer.unchecked.len(), rules.rules.len(), "{:#?} {:#?}", answer.findings, answer.ruled_out);
    assert!(answer.errors.is_empty(), "{:#?}", answer.errors);
    assert!(
        answer.unchecked.iter().all(|unchecked| !unchecked.missing.is_empty() && !unchecked.how.is_empty())
    );
}

#[test]
fn every_rule_explains_itself_within_the_width() {
    for rule in &Ruleset::builtin().rules {
        let text = explain(rule, 80);
        for heading in
            ["What it means", "How it is decided", "When it is wrong", "References", "The question"]
        {
            assert!(text.contains(&format!("\n{heading}\n")), "{}: no {heading}", rule.id);
        }
    }
}
