//! `heldup rules list|explain|test`.

use std::fmt::Write;
use std::path::Path;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};
use heldup_diagnose::{CaseResult, Origin, Ruleset, explain};
use heldup_engine::{
    Cancel, RuleTested, RulesTestRequest, find, ruleset, say_flaws, test_rules, test_rules_again,
};

use crate::exit::Exit;
use crate::failure;
use crate::terminal::{self, Progress};

/// Commands about rules.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rules
    List {
        /// Further rules: a folder of rule files
        #[arg(long, value_name = "FOLDER")]
        rules: Option<PathBuf>,
    },
    /// Explain a rule: what it means, how it is decided, when it is wrong
    Explain {
        /// Id, such as disk.saturated
        id: String,
        /// Further rules: a folder of rule files
        #[arg(long, value_name = "FOLDER")]
        rules: Option<PathBuf>,
    },
    /// Run each rule's own cases: small recorded tables that must fire or stay silent
    Test(RulesTestArgs),
}

/// Options of `rules test`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  heldup rules test                        every rule, also those of /etc/heldup/rules and your own
  heldup rules test disk.saturated
  heldup rules test app.queue.toml --watch
  heldup rules test --robust               does a finding stand when readings are 5 % off?
  heldup rules test --rules ./rules        a folder of rules that is not installed

Of a rule that did not come with heldup, SQL, words and query plan are checked too.")]
pub struct RulesTestArgs {
    /// Only this rule: its id, or its file
    #[arg(value_name = "ID|FILE")]
    pub rule: Option<String>,
    /// Further rules: a folder of rule files
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// Test again whenever a rule or its cases change, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Test whether answers stand when readings are 5 % off and when a sample is missing
    #[arg(long)]
    pub robust: bool,
}

/// Columns of the committed reference.
const REFERENCE_WIDTH: usize = 100;

/// Lists, explains or tests rules.
pub fn run(command: &RulesCommand) -> anyhow::Result<Exit> {
    match command {
        RulesCommand::List { rules } => {
            list(&said(rules.as_deref()));
            Ok(Exit::DONE)
        }
        RulesCommand::Explain { id, rules } => {
            print!("{}", explain(find(&said(rules.as_deref()), id)?, terminal::width()));
            Ok(Exit::DONE)
        }
        RulesCommand::Test(args) if args.watch => test_again_and_again(&asked(args)),
        RulesCommand::Test(args) => test(&asked(args)),
    }
}

/// The rules; what is wrong with some is said.
fn said(folder: Option<&Path>) -> Ruleset {
    let set = ruleset(folder);
    say_flaws(&set, &Progress::notes());
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

fn test(request: &RulesTestRequest) -> anyhow::Result<Exit> {
    let tested = test_rules(request, &Progress::notes(), &mut |tested| match tested {
        RuleTested::Wrong(wrong) => println!("FAILED  {wrong}"),
        RuleTested::NoCases(id) => println!("none    {id}: it has no cases ({id}.cases.toml beside it)"),
        RuleTested::Case(CaseResult { id, name, wrong: None, .. }) => println!("ok      {id}: {name}"),
        RuleTested::Case(CaseResult { id, name, wrong: Some(wrong), .. }) => {
            println!("FAILED  {id}: {name}: {wrong}");
        }
    })?;
    println!("\n{} cases, {} failed", tested.run, tested.failed);
    if tested.failed > 0 {
        bail!("{} failed", tested.failed);
    }
    Ok(Exit::DONE)
}

/// Runs them again whenever a file of a rule changes, until it is stopped.
fn test_again_and_again(request: &RulesTestRequest) -> anyhow::Result<Exit> {
    test_rules_again(request, &Cancel::Signals, &mut || {
        if let Err(error) = test(request) {
            eprintln!("heldup: {}", failure::said(&error));
        }
        println!("waiting for a change");
    })?;
    Ok(Exit::DONE)
}

fn asked(args: &RulesTestArgs) -> RulesTestRequest {
    RulesTestRequest { rule: args.rule.clone(), rules: args.rules.clone(), robust: args.robust }
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
