//! The rules by which a request judges, from where they are installed, and their own cases.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use heldup_archive::Database;
use heldup_diagnose::{CaseResult, Origin, Rule, Ruleset, Setting, small_capture};
use heldup_hostfs::{FolderChanges, MACHINE_CONFIG, own_uid, user_config_dir};
use heldup_model::{Area, ExplainedRule, ListedRule, RULES_SCHEMA, RulesAnswer};

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::nearest;
use crate::progress::Progress;

/// The built-in rules, those of the machine and of the user, and those of a folder that was
/// named, which replace others of the same id.
pub fn ruleset(folder: Option<&Path>) -> Ruleset {
    with_folders(Ruleset::builtin(), folder)
}

/// The rule with an id.
pub fn find<'a>(set: &'a Ruleset, id: &str) -> Result<&'a Rule> {
    let names = || set.rules.iter().map(|rule| rule.id.as_str());
    set.find(id).ok_or_else(|| nearest::unknown("rule", id, names(), "heldup rules list"))
}

/// Which rules are listed.
#[derive(Clone, Debug, Default)]
pub struct RulesListRequest {
    /// Only those with this text in id or meaning.
    pub text: Option<String>,
    /// Only those of this area.
    pub area: Option<Area>,
    /// Further rules: a folder.
    pub rules: Option<PathBuf>,
}

/// Lists rules. What is about the recording or all time is of every area.
pub fn list_rules(request: &RulesListRequest, progress: &dyn Progress) -> Result<RulesAnswer> {
    let set = ruleset(request.rules.as_deref());
    say_flaws(&set, progress);
    let is_wanted = |rule: &&Rule| {
        let area = Area::of_rule(&rule.id);
        let in_area = request.area.is_none() || area.is_none() || area == request.area;
        let has_text = |text: &String| {
            [&rule.id, &rule.summary, &rule.meaning].iter().any(|of| of.contains(text.as_str()))
        };
        in_area && request.text.as_ref().is_none_or(has_text)
    };
    let rules = set.rules.iter().filter(is_wanted).map(|rule| ListedRule {
        id: rule.id.clone(),
        area: Area::of_rule(&rule.id),
        origin: rule.origin.word().to_owned(),
        file: (rule.origin != Origin::BuiltIn).then(|| rule.place.clone()),
        summary: rule.summary.clone(),
    });
    Ok(RulesAnswer { schema: RULES_SCHEMA.to_owned(), rules: rules.collect() })
}

fn with_folders(builtin: Ruleset, folder: Option<&Path>) -> Ruleset {
    let installed = installed_folders().into_iter();
    let set = installed
        .fold(builtin, |set, (folder, origin)| set.and(Ruleset::installed(&folder, origin, own_uid())));
    match folder {
        None => set,
        Some(folder) => set.with(Ruleset::load(folder)),
    }
}

fn installed_folders() -> Vec<(PathBuf, Origin)> {
    let machine = (Path::new(MACHINE_CONFIG).join("rules"), Origin::Machine);
    let user = user_config_dir().map(|folder| (folder.join("rules"), Origin::User));
    std::iter::once(machine).chain(user).collect()
}

/// Which rules are tested with their own cases.
#[derive(Clone, Debug, Default)]
pub struct RulesTestRequest {
    /// Only this rule: its id, or its file.
    pub rule: Option<String>,
    /// Further rules: a folder of rule files.
    pub rules: Option<PathBuf>,
    /// Whether answers stand when readings are a little off.
    pub robust: bool,
    /// Whether findings show no number where something was not measured.
    pub unmeasured: bool,
}

/// What is told while rules are tested.
#[derive(Debug)]
pub enum RuleTested<'a> {
    /// Something is wrong with a rule itself.
    Wrong(String),
    /// A rule of one's own without cases.
    NoCases(&'a str),
    /// What came of a case.
    Case(CaseResult),
}

/// What came of all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RulesTested {
    /// Cases that were run.
    pub run: usize,
    /// What failed, files that could not be read included.
    pub failed: usize,
}

impl RulesTestRequest {
    /// All rules, and the ids that are meant.
    fn asked(&self, progress: &dyn Progress) -> Result<(Ruleset, Option<BTreeSet<String>>)> {
        let mut set = with_folders(Ruleset::builtin_with_cases(), self.rules.as_deref());
        let Some(word) = self.rule.as_deref() else { return Ok((set, None)) };
        let path = Path::new(word);
        if path.is_dir() {
            let what = format!("{word} is a folder: `heldup rules test --rules {word}`");
            return Err(EngineError::usage(what));
        }
        if !word.ends_with(".toml") && !path.exists() {
            if set.find(word).is_none() {
                say_flaws(&set, progress);
            }
            find(&set, word)?;
            set.flaws.clear();
            return Ok((set, Some(BTreeSet::from([word.to_owned()]))));
        }
        let named = Ruleset::load_file(path);
        let ids = named.rules.iter().map(|rule| rule.id.clone()).collect();
        // What is wrong with other files is not asked for.
        set.flaws.clear();
        Ok((set.with(named), Some(ids)))
    }

    /// The folders whose files may be those of the rules that are tested.
    fn watched_folders(&self) -> Vec<PathBuf> {
        let mut roots: Vec<PathBuf> = installed_folders().into_iter().map(|(folder, _)| folder).collect();
        roots.extend(self.rules.clone());
        let mut folders = Vec::new();
        for root in roots.into_iter().filter(|root| root.is_dir()) {
            let below = std::fs::read_dir(&root).into_iter().flatten().flatten().map(|entry| entry.path());
            folders.extend(below.filter(|path| path.is_dir()));
            folders.push(root);
        }
        if let Some(file) = self.rule.as_deref().filter(|word| word.ends_with(".toml")).map(Path::new) {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            folders.push(folder.unwrap_or(Path::new(".")).to_owned());
        }
        folders
    }
}

/// Says what is wrong with a set.
pub fn say_flaws(set: &Ruleset, progress: &dyn Progress) {
    set.flaws.iter().for_each(|flaw| progress.note(&flaw.to_string()));
}

/// Runs the cases of rules, and tells what came of each.
pub fn test_rules(
    request: &RulesTestRequest,
    progress: &dyn Progress,
    tell: &mut dyn FnMut(RuleTested<'_>),
) -> Result<RulesTested> {
    let (set, ids) = request.asked(progress)?;
    say_flaws(&set, progress);
    let database = Database::open(&small_capture(Setting::default(), []))?;
    let mut tested = RulesTested { run: 0, failed: set.flaws.len() };
    for rule in set.rules.iter().filter(|rule| ids.as_ref().is_none_or(|ids| ids.contains(&rule.id))) {
        // Those of the built-in ones are tests of the program.
        let own = rule.origin != Origin::BuiltIn;
        for wrong in own.then(|| set.check_one(rule, &database)).into_iter().flatten() {
            tested.failed += 1;
            tell(RuleTested::Wrong(wrong.to_string()));
        }
        for unknown in rule.figures.iter().filter(|id| heldup_figure::find(id).is_none()) {
            tested.failed += 1;
            let what = format!("{}: no figure {unknown:?}; heldup plot --list lists them", rule.named());
            tell(RuleTested::Wrong(what));
        }
        if own && !set.cases.contains_key(&rule.id) {
            tell(RuleTested::NoCases(&rule.id));
            continue;
        }
        let results = match (request.robust, request.unmeasured) {
            (true, _) => set.robustness_of(rule),
            (false, true) => set.unmeasured_of(rule),
            (false, false) => set.run_cases_of(rule),
        };
        for result in results {
            tested.run += 1;
            tested.failed += usize::from(result.wrong.is_some());
            tell(RuleTested::Case(result));
        }
    }
    Ok(tested)
}

/// Runs `test` again whenever a file of a rule changes, until it is stopped.
pub fn test_rules_again(request: &RulesTestRequest, cancel: &Cancel, test: &mut dyn FnMut()) -> Result<()> {
    let interrupts = cancel.begin()?;
    loop {
        // Watched before the files are read: what is saved meanwhile is a change.
        let folders = request.watched_folders();
        if folders.is_empty() {
            return Err(EngineError::usage(
                "nothing to watch: no rules in the configuration folders (give a file, or --rules FOLDER)",
            ));
        }
        let mut changes = FolderChanges::watch(folders.iter().map(PathBuf::as_path))?;
        test();
        if !changes.wait(&interrupts)? {
            return Ok(());
        }
    }
}

/// A rule in words.
pub fn in_words(rule: &Rule) -> ExplainedRule {
    ExplainedRule {
        id: rule.id.clone(),
        area: Area::of_rule(&rule.id),
        summary: rule.summary.clone(),
        meaning: rule.meaning.trim().to_owned(),
        decided: rule.decided.trim().to_owned(),
        when_wrong: rule.when_wrong.trim().to_owned(),
        references: rule.references.clone(),
        sql: rule.sql.trim().to_owned(),
    }
}
