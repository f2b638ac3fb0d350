//! The rules that are run: the built-in ones, or those of a folder.
//!
//! A document that cannot be read is a flaw of the set and costs nothing but itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use heldup_archive::Database;

use crate::cases::{Case, CaseFile};
use crate::document::{Rule, RuleError};
use crate::query::linked_query;

/// Path below the project and text of each built-in document.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_rules.rs"));

/// Largest document that is read; the longest built-in one has 12 kB.
const LARGEST_DOCUMENT_BYTES: u64 = 1 << 20;
/// Deepest folder below the given one that is looked into: `<area>/<id>.toml` needs one.
const DEEPEST_FOLDER: usize = 3;

const CASES_SUFFIX: &str = ".cases.toml";

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
    /// The rules that the program comes with.
    pub fn builtin() -> Ruleset {
        Ruleset::of(EMBEDDED.iter().map(|(place, text)| (place.to_string(), text.to_string())))
    }

    /// The rules of a folder: every `<area>/<id>.toml` below it.
    pub fn load(dir: &Path) -> Ruleset {
        let mut flaws = Vec::new();
        let mut paths = Vec::new();
        collect(dir, 0, &mut paths, &mut flaws);
        paths.sort();
        let mut documents = Vec::new();
        for path in paths {
            match read(&path) {
                Ok(text) => documents.push((path.display().to_string(), text)),
                Err(flaw) => flaws.push(flaw),
            }
        }
        let mut set = Ruleset::of(documents);
        set.flaws.splice(0..0, flaws);
        set
    }

    /// These rules and those of another set, which replace the ones of the same id.
    pub fn with(mut self, other: Ruleset) -> Ruleset {
        self.rules.retain(|rule| other.find(&rule.id).is_none());
        self.rules.extend(other.rules);
        self.rules.sort_by(|a, b| a.id.cmp(&b.id));
        self.cases.extend(other.cases);
        self.flaws.extend(other.flaws);
        self
    }

    /// The rule of an id.
    pub fn find(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// Checks each rule against a database: its SQL plans and types, the columns that
    /// its answer must have, and the columns that its texts name.
    pub fn check(&self, database: &Database) -> Vec<RuleError> {
        let mut wrong = Vec::new();
        for rule in &self.rules {
            check_rule(rule, database, &mut wrong);
            for cause in &rule.symptom_of {
                if self.find(&cause.id).is_none() {
                    wrong.push(at(rule, format!("symptom_of names {}, which is no rule", cause.id)));
                }
            }
        }
        wrong
    }

    fn of(documents: impl IntoIterator<Item = (String, String)>) -> Ruleset {
        let mut set = Ruleset::default();
        for (place, text) in documents {
            let outcome = if place.ends_with(CASES_SUFFIX) {
                CaseFile::parse(&place, &text).map(|file| {
                    set.cases.insert(id_of_cases(&place), file.case);
                })
            } else {
                Rule::parse(&place, &text).map(|rule| set.rules.push(rule))
            };
            set.flaws.extend(outcome.err());
        }
        set.rules.sort_by(|a, b| a.id.cmp(&b.id));
        set
    }
}

fn id_of_cases(place: &str) -> String {
    let name = place.rsplit('/').next().unwrap_or(place);
    name.strip_suffix(CASES_SUFFIX).unwrap_or(name).to_string()
}

fn collect(dir: &Path, depth: usize, paths: &mut Vec<PathBuf>, flaws: &mut Vec<RuleError>) {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) => {
            flaws.push(RuleError {
                place: dir.display().to_string(),
                what: format!("cannot be listed: {error}"),
            });
            return;
        }
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(|kind| kind.is_dir()) && depth < DEEPEST_FOLDER {
            collect(&path, depth + 1, paths, flaws);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
}

fn read(path: &Path) -> Result<String, RuleError> {
    let fail = |what: String| RuleError { place: path.display().to_string(), what };
    let length = fs::metadata(path).map_err(|error| fail(format!("cannot be read: {error}")))?.len();
    if length > LARGEST_DOCUMENT_BYTES {
        return Err(fail(format!("{length} bytes; a rule has at most {LARGEST_DOCUMENT_BYTES}")));
    }
    fs::read_to_string(path).map_err(|error| fail(format!("cannot be read: {error}")))
}

fn at(rule: &Rule, what: String) -> RuleError {
    RuleError { place: rule.id.clone(), what }
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
            let sql = linked_query(sql, &columns, &[]);
            check_answer(rule, key, &sql, &["subject_name", "name", "pid", "seconds"], database, wrong);
        }
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
