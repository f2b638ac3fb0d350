//! Every title, with the values of the recorded cases and with each of them missing.
//!
//! A title is read in a list, on a phone and in a log: it must be short, and what was not
//! measured must leave no gap in it.

use std::collections::BTreeSet;

use heldup_archive::Database;

use crate::accounts::{self, Accounted};
use crate::case::{Case, CaseAccounted, Expect};
use crate::document::Rule;
use crate::on_recordings::{of_moment, questions};
use crate::row::Row;
use crate::ruleset::Ruleset;

/// Most characters of a title.
const MOST_OF_A_TITLE: usize = 100;
/// Words that leave a sentence open.
const OPEN: [&str; 10] = ["of", "for", "on", "at", "in", "to", "by", "with", "from", "after"];

/// Which of a rule's questions a title is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Own,
    OfRecording,
    OfMoment,
}

/// What is wrong with a title, whichever values it has.
fn flaw(title: &str) -> Option<&'static str> {
    let last = title.rsplit(' ').next().unwrap_or_default();
    let counts = |c: char| title.matches(c).count();
    [
        (title.is_empty(), "it is empty"),
        (title.contains("unknown"), "\"unknown\" in it"),
        (title.contains("()") || title.contains("( )"), "empty parentheses"),
        (counts('(') != counts(')'), "parentheses that do not match"),
        (title.contains("  ") || title.trim() != title, "a space too many"),
        (OPEN.contains(&last), "a preposition at the end"),
        (title.starts_with([',', ';', ':']) || title.ends_with([',', ';']), "a sign at an end"),
    ]
    .into_iter()
    .find_map(|(wrong, what)| wrong.then_some(what))
}

/// The titles that a case gives: of each row all values, each one missing, and all missing.
fn check(case: &Case, rule: &Rule, wrong: &mut Vec<String>, shown: &mut BTreeSet<(Asked, String)>) {
    let capture = case.capture().unwrap();
    let database = Database::open(&capture).unwrap();
    let accounted: Vec<Accounted> = case.accounted.iter().map(CaseAccounted::row).collect();
    accounts::define_views(&accounted, None, &database).unwrap();
    let of_recording = |question: &Rule| match std::ptr::eq(question, rule) {
        true => Asked::Own,
        false => Asked::OfRecording,
    };
    let all = questions(rule, &capture).map(|question| (of_recording(question), question));
    for (asked, question) in all.chain(of_moment(rule, &capture).map(|question| (Asked::OfMoment, question)))
    {
        for row in Row::all(database.query(&question.sql).unwrap()) {
            let kind = row.text("subject_kind").unwrap_or_default();
            shown.insert((asked, kind.clone()));
            let columns: Vec<&str> = question.title.columns().collect();
            let whole = question.title.render(&row);
            if whole.chars().count() > MOST_OF_A_TITLE {
                wrong.push(format!("{} ({kind}): more than {MOST_OF_A_TITLE} characters: {whole}", rule.id));
            }
            let one_missing = columns.iter().map(|column| vec![*column]);
            for missing in [Vec::new()].into_iter().chain(one_missing).chain([columns.clone()]) {
                let title = question.title.render(&row.without(&missing));
                if let Some(flaw) = flaw(&title) {
                    wrong.push(format!("{} ({kind}) without {missing:?}: {flaw}: {title:?}", rule.id));
                }
            }
        }
    }
}

#[test]
fn titles_read_well_whatever_is_missing() {
    let rules = Ruleset::builtin_with_cases();
    let mut wrong = Vec::new();
    for rule in &rules.rules {
        let mut shown = BTreeSet::new();
        let cases = rules.cases.get(&rule.id).map(Vec::as_slice).unwrap_or_default();
        for case in cases.iter().filter(|case| case.expect == Expect::Found) {
            check(case, rule, &mut wrong, &mut shown);
        }
        let asked = [
            (Asked::Own, true),
            (Asked::OfRecording, rule.on_recordings.is_some()),
            (Asked::OfMoment, rule.on_moments.is_some()),
        ];
        for (asked, _) in asked.into_iter().filter(|(_, has_one)| *has_one) {
            if !shown.iter().any(|(one, _)| *one == asked) {
                wrong.push(format!("{}: no case shows its title ({asked:?})", rule.id));
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{} titles:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn flaws_of_titles_are_found() {
    for (title, expected) in [
        ("lived unknown each", "\"unknown\" in it"),
        ("sda (): queue depth 3", "empty parentheses"),
        ("sda: queue depth 3 (normally", "parentheses that do not match"),
        ("sda:  queue depth", "a space too many"),
        (" of 3 CPUs", "a space too many"),
        ("a lock on", "a preposition at the end"),
        (", 3 s in total", "a sign at an end"),
        ("", "it is empty"),
    ] {
        assert_eq!(flaw(title), Some(expected), "{title}");
    }
    assert_eq!(flaw("sda: queue depth 6.4, 17 ms per request (normally 2.0 ms)"), None);
}
