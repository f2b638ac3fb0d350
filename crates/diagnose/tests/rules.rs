//! The built-in rules: every document reads, plans and types check, every case holds.

use std::path::Path;

use heldup_archive::Database;
use heldup_diagnose::{Expect, Rule, Ruleset, Setting, diagnose, explain, small_capture};
use heldup_model::{Class, ImpactKind, Severity};

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

/// Rules about time that account for none of it, and why.
const ACCOUNTS_FOR_NOTHING: [(&str, &str); 11] = [
    ("cpu.frequency", "running more slowly than it could is running; nobody waits"),
    ("cpu.hot-code", "it is about running, and information whatever its size"),
    ("cpu.hot-thread", "it has no cost, so that it is information, which accounts for nothing"),
    ("cpu.interrupt-imbalance", "the time of interrupts is no task's"),
    ("cpu.kernel-heavy", "it has no cost, so that it is information, which accounts for nothing"),
    ("cpu.steal", "whose running the hypervisor took is not known"),
    (
        "mem.slab-slow-path",
        "it is about running, which the samples of stacks say and task_time does not divide",
    ),
    ("net.retransmits", "its time is what the kernel's timers waited; a connection is no task"),
    ("time.listed-waits", "what another tool lists of a moment is in no account of tasks"),
    ("time.system-calls", "what a tracer measured of calls is in no account of tasks"),
    ("time.unexplained", "what it is about is what nothing accounts for"),
];

#[test]
fn every_rule_about_time_accounts_for_it_or_says_why_not() {
    let is_about_time = |rule: &&Rule| {
        rule.area() != "db" && (rule.impact == ImpactKind::Time || rule.sql.contains("'time' else"))
    };
    for rule in Ruleset::builtin().rules.iter().filter(is_about_time) {
        let excused = ACCOUNTS_FOR_NOTHING.iter().any(|(id, _)| *id == rule.id);
        assert_ne!(rule.accounts.is_some(), excused, "{}: either accounts or a reason", rule.id);
    }
    for (id, _) in ACCOUNTS_FOR_NOTHING {
        assert!(Ruleset::builtin().find(id).is_some(), "{id} is no rule");
    }
}

#[test]
fn each_class_has_a_rule_that_can_speak_for_it_or_a_reason() {
    let rules = Ruleset::builtin();
    for class in Class::ALL {
        let name = format!("'{}'", class.name());
        let speaks =
            rules.rules.iter().any(|rule| rule.accounts.as_ref().is_some_and(|sql| sql.contains(&name)));
        assert_ne!(
            speaks,
            class.without_rule().is_some(),
            "class {}: a rule accounts for it, or Class::without_rule says why none does",
            class.name()
        );
    }
}

#[test]
fn what_a_finding_accounts_for_is_what_it_costs() {
    let all = Ruleset::builtin_with_cases();
    let mut checked = 0;
    for rule in all.rules.iter().filter(|rule| rule.accounts.is_some()) {
        for case in all.cases[&rule.id].iter().filter(|case| case.expect == Expect::Found) {
            let only = Ruleset { rules: vec![rule.clone()], ..Ruleset::default() };
            let answer = diagnose(&case.capture().unwrap(), &only);
            let loud = |finding: &&heldup_model::Finding| {
                finding.severity != Severity::Info
                    && finding.impact.kind == ImpactKind::Time
                    && finding.impact.unit == "s"
            };
            let cost: f64 = answer.findings.iter().filter(loud).map(|finding| finding.impact.amount).sum();
            let Some(explained) = answer.ledger.explained else { continue };
            let explained = explained * answer.ledger.waiting_seconds;
            checked += usize::from(cost > 0.0 && explained > 0.0);
            assert!(answer.errors.is_empty(), "{}: {}: {:?}", rule.id, case.name, answer.errors);
            let runs = ["'kernel'", "'user'"]
                .iter()
                .any(|class| rule.accounts.as_ref().is_some_and(|a| a.contains(class)));
            assert!(
                runs || (explained - cost).abs() <= 0.1 * cost
                    || rule.accounts.as_ref().is_some_and(|a| a.contains("'peer'")),
                "{}: {}: costs {cost:.2} s, accounts for {explained:.2} s",
                rule.id,
                case.name
            );
        }
    }
    assert!(checked >= 25, "{checked} cases in which waiting is accounted for");
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
    assert_eq!(answer.not_checked.len(), rules.rules.len(), "{:#?} {:#?}", answer.findings, answer.ruled_out);
    assert!(answer.errors.is_empty(), "{:#?}", answer.errors);
    assert!(
        answer
            .not_checked
            .iter()
            .all(|not_checked| !not_checked.missing.is_empty() && !not_checked.how.is_empty())
    );
}

#[test]
fn every_rule_explains_itself_within_the_width() {
    for rule in &Ruleset::builtin().rules {
        let text = explain(rule, 80, true);
        for heading in
            ["What it means", "How it is decided", "When it is wrong", "References", "The question"]
        {
            assert!(text.contains(&format!("\n{heading}\n")), "{}: no {heading}", rule.id);
        }
    }
}
