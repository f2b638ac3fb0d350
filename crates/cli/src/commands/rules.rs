//! `heldup rules list|test`.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};
use heldup_diagnose::{CaseResult, Ruleset, explain};
use heldup_engine::{
    Cancel, RuleTested, RulesListRequest, RulesTestRequest, list_rules, test_rules, test_rules_again,
};
use heldup_model::{Area, RULES_TEST_SCHEMA, RuleCaseTested, RulesTestAnswer};
use heldup_report::{csv, rules as report};

use crate::args::{Format, OutputArgs};
use crate::exit::Exit;
use crate::failure;
use crate::interrupt;
use crate::terminal::{self, Progress};

/// Commands about rules.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List the rules
    List(RulesListArgs),
    /// Run each rule's own cases: small recorded tables that must fire or stay silent
    Test(RulesTestArgs),
}

/// Options of `rules list`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  heldup rules list
  heldup rules list swap            those with this word in ID or meaning
  heldup rules list --area disk
  heldup explain disk.saturated     what a rule means")]
pub struct RulesListArgs {
    /// Only rules with this text in ID or meaning
    pub text: Option<String>,
    /// Only this area: cpu, mem, disk, fs, net, lock, limit or db
    #[arg(long, value_name = "AREA", value_parser = parse_area)]
    pub area: Option<Area>,
    /// Rows at most
    #[arg(short = 'n', long, value_name = "N")]
    pub rows: Option<usize>,
    /// Use further rules from FOLDER
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub rules: Option<PathBuf>,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Reads an area; near names are suggested.
fn parse_area(text: &str) -> Result<Area, String> {
    text.parse()
}

/// Options of `rules test`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  heldup rules test                        every rule, also those of /etc/heldup/rules and your own
  heldup rules test disk.saturated
  heldup rules test app.queue.toml --watch
  heldup rules test --robust               is a finding the same when samples are 5 % off?
  heldup rules test --unmeasured           does it show only what was measured?
  heldup rules test --rules ./rules        a folder of rules that is not installed

Of a rule that did not come with heldup, SQL, words and query plan are checked too.")]
pub struct RulesTestArgs {
    /// Only this rule: its ID, or its file
    #[arg(value_name = "ID|FILE")]
    pub rule: Option<String>,
    /// Use further rules from FOLDER
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// Test again whenever a rule or its cases change, until Ctrl-C
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub watch: bool,
    /// Also test with samples that are 5 % off or missing
    #[arg(long)]
    pub robust: bool,
    /// Test without each measured column in turn: a finding must show no number that was not measured
    #[arg(long, conflicts_with = "robust")]
    pub unmeasured: bool,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Columns of the committed reference.
const REFERENCE_WIDTH: usize = 100;

/// Lists or tests rules.
pub fn run(command: &RulesCommand) -> anyhow::Result<Exit> {
    match command {
        RulesCommand::List(args) => list(args),
        RulesCommand::Test(args) if args.watch => test_again_and_again(&asked(args)),
        RulesCommand::Test(args) => match args.output.format() {
            Format::Text => test(&asked(args)),
            format => test_for_programs(&asked(args), format),
        },
    }
}

fn list(args: &RulesListArgs) -> anyhow::Result<Exit> {
    let request = RulesListRequest { text: args.text.clone(), area: args.area, rules: args.rules.clone() };
    let mut found = list_rules(&request, &Progress::notes())?;
    found.rules.truncate(args.rows.unwrap_or(usize::MAX));
    match args.output.format() {
        Format::Text => print!("{}", report::list(&found, terminal::table_width())),
        Format::Json => print!("{}", report::json(&found)),
        Format::Csv => print!("{}", csv::list(&found, "rules")),
    }
    Ok(Exit::DONE)
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
    failed(tested.failed)
}

/// The same as one document.
fn test_for_programs(request: &RulesTestRequest, format: Format) -> anyhow::Result<Exit> {
    let mut cases = Vec::new();
    let tested = test_rules(request, &Progress::notes(), &mut |tested| {
        cases.extend(match tested {
            RuleTested::Wrong(wrong) => {
                Some(RuleCaseTested { id: None, name: None, passed: false, wrong: Some(wrong) })
            }
            RuleTested::NoCases(_) => None,
            RuleTested::Case(CaseResult { id, name, wrong, .. }) => {
                Some(RuleCaseTested { id: Some(id), name: Some(name), passed: wrong.is_none(), wrong })
            }
        });
    })?;
    let (run, count) = (tested.run as u64, tested.failed as u64);
    let answer = RulesTestAnswer { schema: RULES_TEST_SCHEMA.to_owned(), run, failed: count, cases };
    match format {
        Format::Csv => print!("{}", csv::list(&answer, "cases")),
        _ => print!("{}", report::json(&answer)),
    }
    failed(tested.failed)
}

fn failed(count: usize) -> anyhow::Result<Exit> {
    if count > 0 {
        bail!("{count} failed");
    }
    Ok(Exit::DONE)
}

/// Runs them again whenever a file of a rule changes, until it is stopped.
fn test_again_and_again(request: &RulesTestRequest) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::ENDS);
    test_rules_again(request, &Cancel::Signals, &mut || {
        if let Err(error) = test(request) {
            eprintln!("heldup: {}", failure::said(&error));
        }
        println!("waiting for a change");
    })?;
    Ok(Exit::DONE)
}

fn asked(args: &RulesTestArgs) -> RulesTestRequest {
    RulesTestRequest {
        rule: args.rule.clone(),
        rules: args.rules.clone(),
        robust: args.robust,
        unmeasured: args.unmeasured,
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
        write!(
            out,
            "\n## {}\n\n```text\n{}\n```\n",
            rule.id,
            explain(rule, REFERENCE_WIDTH, true).trim_end()
        )?;
    }
    Ok(out)
}
