//! The rules that are run: the built-in ones, and those of folders.
//!
//! A document that cannot be read is a flaw of the set and costs nothing but itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heldup_archive::{Database, Value};

use crate::accounts;
use crate::case::{Case, CaseFile};
use crate::document::{Origin, Rule, RuleError};
use crate::query::linked_query;
use crate::rule_files::{Found, Writers, read};

/// Path below the project and text of each built-in document: JSON of rules, TOML of cases.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_rules.rs"));

const CASES_SUFFIX: &str = ".cases.toml";

/// The findings that a lint joins: none, with every column.
const NO_ROWS: &[Vec<Value>] = &[];

/// Rules by id, with their cases.
#[derive(Clone, Debug, Default)]
pub struct Ruleset {
    /// Rules, by id.
    pub rules: Vec<Rule>,
    /// Recorded cases by rule id.
    pub cases: BTreeMap<String, Vec<Case>>,
    /// Documents that could not be read.
    pub flaws: Vec<RuleError>,
}

impl Ruleset {
    /// The rules that the program comes with, without their cases.
    pub fn builtin() -> Ruleset {
        let mut set = Ruleset::default();
        for (place, text) in EMBEDDED.iter().filter(|(place, _)| !place.ends_with(CASES_SUFFIX)) {
            set.take_rule(Rule::parse_json(place, text));
        }
        set.sorted()
    }

    /// The rules that the program comes with, and their cases.
    pub fn builtin_with_cases() -> Ruleset {
        let mut set = Ruleset::builtin();
        for (place, text) in EMBEDDED.iter().filter(|(place, _)| place.ends_with(CASES_SUFFIX)) {
            set.take_cases(place, text);
        }
        set
    }

    /// The rules of a folder: every `<area>/<id>.toml` and `<id>.toml` below it.
    pub fn load(dir: &Path) -> Ruleset {
        Ruleset::of_folder(dir, Origin::Named, &Writers::Anybody)
    }

    /// The rules of a folder that nobody named: none where it is not there, and only documents
    /// that nobody but root and the user `uid` can have written.
    pub fn installed(dir: &Path, origin: Origin, uid: u32) -> Ruleset {
        match dir.exists() {
            true => Ruleset::of_folder(dir, origin, &Writers::RootAnd(uid)),
            false => Ruleset::default(),
        }
    }

    /// The rule of one file, with the cases beside it; either of the two files names both.
    pub fn load_file(file: &Path) -> Ruleset {
        let name = file.to_string_lossy();
        let stem = name.strip_suffix(CASES_SUFFIX).or_else(|| name.strip_suffix(".toml")).unwrap_or(&name);
        let (rule, cases) =
            (PathBuf::from(format!("{stem}.toml")), PathBuf::from(format!("{stem}{CASES_SUFFIX}")));
        let paths = std::iter::once(rule).chain(cases.exists().then_some(cases));
        Ruleset::of_files(paths, Origin::Named, &Writers::Anybody)
    }

    fn of_folder(dir: &Path, origin: Origin, writers: &Writers) -> Ruleset {
        let mut found = Found::default();
        found.look_into(dir, writers, 0);
        found.paths.sort();
        let mut set = Ruleset::of_files(found.paths, origin, writers);
        set.flaws.splice(0..0, found.flaws);
        set
    }

    fn of_files(paths: impl IntoIterator<Item = PathBuf>, origin: Origin, writers: &Writers) -> Ruleset {
        let mut flaws = Vec::new();
        let mut documents = Vec::new();
        for path in paths {
            match read(&path, writers) {
                Ok(text) => documents.push((path.display().to_string(), text)),
                Err(flaw) => flaws.push(flaw),
            }
        }
        let mut set = Ruleset::of(documents);
        set.rules.iter_mut().for_each(|rule| rule.origin = origin);
        set.flaws.splice(0..0, flaws);
        set
    }

    /// These rules and those of another set, which replace the ones of the same id: for a
    /// folder that was named to try rules.
    pub fn with(mut self, other: Ruleset) -> Ruleset {
        for rule in &other.rules {
            self.remove(&rule.id);
        }
        self.take(other);
        self
    }

    /// These rules and those of another set, of which one with a known id is refused unless it
    /// says that it replaces that one.
    pub fn and(self, mut other: Ruleset) -> Ruleset {
        let mut refused = Vec::new();
        other.rules.retain(|rule| match self.find(&rule.id) {
            Some(known) if !rule.replaces => {
                let from = match known.origin {
                    Origin::BuiltIn => "that heldup comes with".to_string(),
                    _ => format!("of {}", known.place),
                };
                refused.push(RuleError {
                    place: rule.place.clone(),
                    what: format!(
                        "{} is already the id of a rule {from}; give it another id, or `replaces = true` to \
                         put it in that one's place",
                        rule.id
                    ),
                });
                false
            }
            Some(_) => true,
            None => {
                if rule.replaces {
                    let what = format!("replaces = true, but there is no other rule {}", rule.id);
                    refused.push(RuleError { place: rule.place.clone(), what });
                }
                true
            }
        });
        // The cases of a rule that was refused are not those of the one that stays.
        let kept: Vec<String> = other.rules.iter().map(|rule| rule.id.clone()).collect();
        other.cases.retain(|id, _| kept.contains(id));
        other.flaws.extend(refused);
        self.with(other)
    }

    fn remove(&mut self, id: &str) {
        self.rules.retain(|rule| rule.id != id);
        self.cases.remove(id);
    }

    fn take(&mut self, other: Ruleset) {
        self.rules.extend(other.rules);
        self.rules.sort_by(|a, b| a.id.cmp(&b.id));
        self.cases.extend(other.cases);
        self.flaws.extend(other.flaws);
    }

    /// The rule of an id.
    pub fn find(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// Checks each rule against a database: its SQL plans and types, the columns that
    /// its answer must have, and the columns that its texts name.
    pub fn check(&self, database: &Database) -> Vec<RuleError> {
        self.rules.iter().flat_map(|rule| self.check_one(rule, database)).collect()
    }

    /// As [`Ruleset::check`], for one rule of the set.
    pub fn check_one(&self, rule: &Rule, database: &Database) -> Vec<RuleError> {
        let mut wrong = Vec::new();
        check_rule(rule, database, &mut wrong);
        if let Some(other) = &rule.on_recordings {
            let mut of_other = Vec::new();
            check_rule(other, database, &mut of_other);
            wrong.extend(of_other.into_iter().map(|error| at(rule, format!("recording.{}", error.what))));
        }
        if let Some(other) = &rule.on_moments {
            let mut of_other = Vec::new();
            check_rule(other, database, &mut of_other);
            wrong.extend(of_other.into_iter().map(|error| at(rule, format!("moment.{}", error.what))));
        }
        for cause in &rule.symptom_of {
            if self.find(&cause.id).is_none() {
                wrong.push(at(rule, format!("symptom_of names {}, which is no rule", cause.id)));
            }
        }
        wrong
    }

    fn of(documents: impl IntoIterator<Item = (String, String)>) -> Ruleset {
        let mut set = Ruleset::default();
        for (place, text) in documents {
            if place.ends_with(CASES_SUFFIX) {
                set.take_cases(&place, &text);
            } else {
                set.take_rule(Rule::parse(&place, &text));
            }
        }
        set.sorted()
    }

    fn take_rule(&mut self, rule: Result<Rule, RuleError>) {
        let outcome = rule.and_then(|rule| self.push(rule));
        self.flaws.extend(outcome.err());
    }

    fn take_cases(&mut self, place: &str, text: &str) {
        match CaseFile::parse(place, text) {
            Ok(file) => _ = self.cases.insert(id_of_cases(place), file.case),
            Err(flaw) => self.flaws.push(flaw),
        }
    }

    fn sorted(mut self) -> Ruleset {
        self.rules.sort_by(|a, b| a.id.cmp(&b.id));
        self
    }

    fn push(&mut self, rule: Rule) -> Result<(), RuleError> {
        if let Some(known) = self.find(&rule.id) {
            let what = format!("{} has the same id {}; one of them must go", known.place, rule.id);
            return Err(RuleError { place: rule.place, what });
        }
        self.rules.push(rule);
        Ok(())
    }
}

fn id_of_cases(place: &str) -> String {
    let name = place.rsplit('/').next().unwrap_or(place);
    name.strip_suffix(CASES_SUFFIX).unwrap_or(name).to_string()
}

fn at(rule: &Rule, what: String) -> RuleError {
    RuleError { place: rule.named(), what }
}

fn check_rule(rule: &Rule, database: &Database, wrong: &mut Vec<RuleError>) {
    check_answer(rule, "considered", &rule.considered, &["subject_kind", "subject_name"], database, wrong);
    if let Some(first_look) = &rule.first_look {
        check_answer(rule, "first_look", first_look, &[], database, wrong);
    }
    let columns =
        check_answer(rule, "sql", &rule.sql, &["subject_kind", "subject_name", "amount"], database, wrong);
    let Some(columns) = columns else { return };
    for (key, sql) in [("culprits", &rule.culprits), ("victims", &rule.victims)] {
        if let Some(sql) = sql {
            let sql = linked_query(sql, &columns, NO_ROWS);
            check_answer(rule, key, &sql, &["subject_name", "name", "pid", "seconds"], database, wrong);
        }
    }
    if let Some(sql) = &rule.accounts {
        let linked = linked_query(sql, &columns, NO_ROWS);
        check_answer(rule, "accounts", &linked, &accounts::COLUMNS, database, wrong);
        wrong.extend(accounts::object_not_named(sql).map(|what| at(rule, format!("accounts: {what}"))));
    }
    let known = |name: &str| columns.iter().any(|column| column == name);
    let mut need = |key: &str, name: &str| {
        if !known(name) {
            wrong.push(at(rule, format!("{key} names {name}, which the answer of sql does not have")));
        }
    };
    for (key, template) in rule.templates() {
        template.columns().for_each(|name| need(key, name));
    }
    rule.evidence.iter().for_each(|evidence| need("evidence", &evidence.column));
    rule.symptom_of.iter().filter_map(|s| s.same.as_deref()).for_each(|name| need("symptom_of.same", name));
    rule.next.iter().filter_map(|n| n.when.as_deref()).for_each(|name| need("next.when", name));
    rule.changes.iter().filter_map(|c| c.when.as_deref()).for_each(|name| need("changes.when", name));
    rule.changes.iter().for_each(|change| need("changes.from", &change.from));
}

fn check_answer(
    rule: &Rule,
    key: &str,
    sql: &str,
    needed: &[&str],
    database: &Database,
    wrong: &mut Vec<RuleError>,
) -> Option<Vec<String>> {
    if let Err(error) = database.check(sql) {
        wrong.push(at(rule, format!("{key}: {error}")));
        return None;
    }
    match database.query(sql) {
        Err(error) => {
            wrong.push(at(rule, format!("{key}: {error}")));
            None
        }
        Ok(answer) => {
            for name in needed.iter().filter(|name| !answer.columns.iter().any(|column| column == *name)) {
                wrong.push(at(rule, format!("{key}: the answer has no column {name}")));
            }
            Some(answer.columns)
        }
    }
}
