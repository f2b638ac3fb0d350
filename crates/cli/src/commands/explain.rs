//! `heldup explain WHAT`: a finding of an examination, a rule or a class of time, in words.

use std::path::PathBuf;

use clap::Args;
use heldup_engine::{ExplainRequest, Explained, explain};
use heldup_report::explained;

use crate::args::{Format, OutputArgs};
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Options of `explain`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  sudo heldup explain 1             finding 1 of the last examination
  sudo heldup explain @41 2         finding 2 of examination 41
  sudo heldup explain @41           all its findings, one line each
  heldup explain disk.saturated     a rule
  heldup explain disk_read          a class of time")]
pub struct ExplainArgs {
    /// Finding (1), examination and finding (@41 1), rule (disk.saturated) or class of time
    #[arg(value_name = "WHAT", required = true, num_args = 1..=2)]
    pub words: Vec<String>,
    /// Show also the SQL of the rule
    #[arg(long)]
    pub sql: bool,
    /// Show all findings of an examination in full
    #[arg(short, long)]
    pub verbose: bool,
    /// Use further rules from FOLDER
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub rules: Option<PathBuf>,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Explains.
pub fn run(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let request = ExplainRequest { words: args.words.clone(), rules: args.rules.clone() };
    let found: Explained = explain(&request, &Progress::notes())?;
    let width = terminal::width();
    match args.output.format() {
        Format::Json => print!("{}", explained::json(&found.answer)),
        Format::Csv => print!("{}", explained::csv(&found.answer)),
        Format::Text => {
            print!("{}", explained::text(&found.answer, width, !terminal::unicode(), args.verbose));
            if let Some(rule) = &found.rule {
                print!("{}", heldup_diagnose::explain(rule, width, args.sql));
            }
        }
    }
    Ok(Exit::DONE)
}
