//! `heldup rules list|explain|test`.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use heldup_diagnose::{Rule, Ruleset, explain};

use crate::args::RulesCommand;
use crate::terminal;

/// Columns of the committed reference.
const REFERENCE_WIDTH: usize = 100;

/// Lists, explains or tests rules.
pub fn run(command: &RulesCommand) -> anyhow::Result<ExitCode> {
    match command {
        RulesCommand::List { rules } => {
            let set = said(ruleset(rules.as_deref()));
            let width = set.rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
            for rule in &set.rules {
                println!("{:<width$}  {}", rule.id, first_sentence(&rule.meaning));
            }
            Ok(ExitCode::SUCCESS)
        }
        RulesCommand::Explain { id, rules } => {
            let set = said(ruleset(rules.as_deref()));
            print!("{}", explain(find(&set, id)?, terminal::width()));
            Ok(ExitCode::SUCCESS)
        }
        RulesCommand::Test { id, rules } => test(&said(ruleset(rules.as_deref())), id.as_deref()),
    }
}

/// The built-in rules, and those of a folder, which replace built-in ones of the same id.
pub fn ruleset(folder: Option<&Path>) -> Ruleset {
    match folder {
        None => Ruleset::builtin(),
        Some(folder) => Ruleset::builtin().with(Ruleset::load(folder)),
    }
}

/// Says what is wrong with the set, and gives it back.
fn said(set: Ruleset) -> Ruleset {
    for flaw in &set.flaws {
        eprintln!("heldup: {flaw}");
    }
    set
}

fn find<'a>(set: &'a Ruleset, id: &str) -> anyhow::Result<&'a Rule> {
    set.find(id).with_context(|| format!("no rule is called `{id}`; `heldup rules list` shows them"))
}

fn test(set: &Ruleset, id: Option<&str>) -> anyhow::Result<ExitCode> {
    if let Some(id) = id {
        find(set, id)?;
    }
    let results: Vec<_> =
        set.run_cases().into_iter().filter(|result| id.is_none_or(|id| result.id == id)).collect();
    let mut failed = set.flaws.len();
    for result in &results {
        match &result.wrong {
            None => println!("ok      {}: {}", result.id, result.name),
            Some(wrong) => {
                failed += 1;
                println!("FAILED  {}: {}: {wrong}", result.id, result.name);
            }
        }
    }
    println!("\n{} cases, {failed} failed", results.len());
    if failed > 0 {
        bail!("{failed} of the rules' cases failed");
    }
    Ok(ExitCode::SUCCESS)
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
