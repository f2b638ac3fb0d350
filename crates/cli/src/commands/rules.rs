//! `heldup rules list|explain|test`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use heldup_archive::Database;
use heldup_diagnose::{Origin, Rule, Ruleset, Setting, explain, small_capture};
use heldup_hostfs::{FolderChanges, Interrupts, MACHINE_CONFIG, own_uid, user_config_dir};

use crate::WrongUsage;
use crate::args::{RulesCommand, RulesTestArgs};
use crate::exit::Exit;
use crate::terminal;

/// Columns of the committed reference.
const REFERENCE_WIDTH: usize = 100;

/// Lists, explains or tests rules.
pub fn run(command: &RulesCommand) -> anyhow::Result<Exit> {
    match command {
        RulesCommand::List { rules } => {
            list(&said(ruleset(rules.as_deref())));
            Ok(Exit::DONE)
        }
        RulesCommand::Explain { id, rules } => {
            let set = said(ruleset(rules.as_deref()));
            print!("{}", explain(find(&set, id)?, terminal::width()));
            Ok(Exit::DONE)
        }
        RulesCommand::Test(args) if args.watch => test_again_and_again(args),
        RulesCommand::Test(args) => test(args),
    }
}

/// The built-in rules, those of the machine and of the user, and those of a folder that was
/// named, which replace others of the same id.
pub fn ruleset(folder: Option<&Path>) -> Ruleset {
    with_folders(Ruleset::builtin(), folder)
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

/// Says what is wrong with the set, and gives it back.
fn said(set: Ruleset) -> Ruleset {
    for flaw in &set.flaws {
        eprintln!("heldup: {flaw}");
    }
    set
}

fn list(set: &Ruleset) {
    let width = set.rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in &set.rules {
        let file = match rule.origin {
            Origin::BuiltIn => String::new(),
            _ => format!(" ({})", rule.place),
        };
        let origin = rule.origin.word();
        println!("{:<width$}  {origin:<8}  {}{file}", rule.id, first_sentence(&rule.meaning));
    }
}

fn find<'a>(set: &'a Ruleset, id: &str) -> anyhow::Result<&'a Rule> {
    set.find(id).with_context(|| format!("no rule is called `{id}`; `heldup rules list` shows them"))
}

/// What `rules test` was asked to test: all rules, and the ids that are meant.
fn asked(args: &RulesTestArgs) -> anyhow::Result<(Ruleset, Option<BTreeSet<String>>)> {
    let mut set = with_folders(Ruleset::builtin_with_cases(), args.rules.as_deref());
    let Some(word) = args.rule.as_deref() else { return Ok((set, None)) };
    let path = Path::new(word);
    if path.is_dir() {
        bail!(WrongUsage(format!("{word} is a folder: `heldup rules test --rules {word}`")));
    }
    if !word.ends_with(".toml") && !path.exists() {
        if set.find(word).is_none() {
            set = said(set);
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

fn test(args: &RulesTestArgs) -> anyhow::Result<Exit> {
    let (set, ids) = asked(args)?;
    let set = said(set);
    let database = Database::open(&small_capture(Setting::default(), []))?;
    let mut failed = set.flaws.len();
    let mut run = 0;
    for rule in set.rules.iter().filter(|rule| ids.as_ref().is_none_or(|ids| ids.contains(&rule.id))) {
        // Those of the built-in ones are tests of the program.
        let own = rule.origin != Origin::BuiltIn;
        for wrong in own.then(|| set.check_one(rule, &database)).into_iter().flatten() {
            failed += 1;
            println!("FAILED  {wrong}");
        }
        if own && !set.cases.contains_key(&rule.id) {
            println!("none    {}: it has no cases ({}.cases.toml beside it)", rule.id, rule.id);
            continue;
        }
        let results = if args.robust { set.robustness_of(rule) } else { set.run_cases_of(rule) };
        for result in results {
            run += 1;
            match &result.wrong {
                None => println!("ok      {}: {}", result.id, result.name),
                Some(wrong) => {
                    failed += 1;
                    println!("FAILED  {}: {}: {wrong}", result.id, result.name);
                }
            }
        }
    }
    println!("\n{run} cases, {failed} failed");
    if failed > 0 {
        bail!("{failed} failed");
    }
    Ok(Exit::DONE)
}

/// Runs them again whenever a file of a rule changes, until it is stopped.
fn test_again_and_again(args: &RulesTestArgs) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::watch()?;
    loop {
        // Watched before the files are read: what is saved meanwhile is a change.
        let folders = watched_folders(args);
        if folders.is_empty() {
            bail!(WrongUsage(
                "there is nothing to watch: no rules in the configuration folders; name a file, or --rules FOLDER"
                    .to_owned()
            ));
        }
        let mut changes = FolderChanges::watch(folders.iter().map(PathBuf::as_path))?;
        if let Err(error) = test(args) {
            eprintln!("heldup: {error:#}");
        }
        println!("waiting for a change");
        if !changes.wait(&interrupts)? {
            return Ok(Exit::DONE);
        }
    }
}

/// The folders whose files may be those of the rules that are tested.
fn watched_folders(args: &RulesTestArgs) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = installed_folders().into_iter().map(|(folder, _)| folder).collect();
    roots.extend(args.rules.clone());
    let mut folders = Vec::new();
    for root in roots.into_iter().filter(|root| root.is_dir()) {
        let below = std::fs::read_dir(&root).into_iter().flatten().flatten().map(|entry| entry.path());
        folders.extend(below.filter(|path| path.is_dir()));
        folders.push(root);
    }
    if let Some(file) = args.rule.as_deref().filter(|word| word.ends_with(".toml")).map(Path::new) {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        folders.push(folder.unwrap_or(Path::new(".")).to_owned());
    }
    folders
}

fn first_sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.find(". ") {
        Some(end) => line[..=end].to_owned(),
        None => line,
    }
}

/// The rule reference as Markdown.
pub fn reference() -> anyhow::Result<String> {
    let set = Ruleset::builtin();
    if let Some(flaw) = set.flaws.first() {
        bail!("{flaw}");
    }
    let mut out = String::from(
        "# Rules\n\nGenerated from the documents in `rules/`; renewed by `cargo xtask generate`. An id is \
         public and never changes its meaning.\n",
    );
    for rule in &set.rules {
        write!(out, "\n## {}\n\n```text\n{}\n```\n", rule.id, explain(rule, REFERENCE_WIDTH).trim_end())?;
    }
    Ok(out)
}
