//! `heldup compare`: what differs between two captures, or two groups of them.

use std::path::PathBuf;

use clap::Args;
use heldup_engine::{CompareRequest, compare};
use heldup_model::Comparison;
use heldup_report::{comparison, csv, html};

use crate::args::{AnswerArgs, FailOnArgs, Format, PageArgs, with_page};
use crate::exit::Exit;
use crate::terminal;

/// Options of `compare`.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("format", with_page),
    mut_arg("verbose", |arg| arg.help("Show all differences (default: the largest of each kind)")),
    mut_arg("quiet", |arg| arg.help("Show the conclusion only")),
    mut_arg("fail_on", |arg| {
        arg.help("Exit with 1 if a class of time differs by this severity: info, warning or critical")
    })
)]
#[command(after_long_help = "\
Examples:
  sudo heldup compare @last~1 @last         the last two examinations
  sudo heldup compare good.heldup @last     before and after
  heldup compare day@03:00..03:10 day@04:00..04:10          two windows of a capture or archive
  heldup compare all#web1@03:00..03:10 all#web2@03:00..03:10   two hosts in one archive
  heldup compare web1 web2 web3 --against web4 web5         what sets two hosts apart from three
  sudo heldup compare good.heldup @last --fail-on warning
  sudo heldup compare good.heldup @last -o report.html      one page, for mail and print

SOURCE@FROM..UNTIL is a part of a side's time, in times as people write them: yesterday
03:00..03:10, 14:05:30..14:06:30, 2 hours ago..1 hour ago. Without it the whole is compared.

The first three lines are what matters most. A difference is reported if it exceeds the noise within
each side, corrected for the number of comparisons: one comparison in a hundred of a load with itself
may report one. That takes 8 samples (seconds) per side; below 32 only large differences are
reported. If a side begins with a ramp-up or ends with a ramp-down, its steady part is compared
(--no-trim: all of it). With --against a difference is reported if it exceeds the differences among
the captures of the first side; that takes three of them.")]
pub struct CompareArgs {
    /// Two captures, or the good ones of several: @last, @41, @baseline, captures, archives
    ///
    /// SOURCE@FROM..UNTIL is a part of its time, SOURCE#HOST@FROM..UNTIL that of one host in an archive.
    #[arg(value_name = "SOURCE", required = true, num_args = 1..)]
    pub sides: Vec<String>,
    /// Captures to compare with the first ones
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    pub against: Vec<String>,
    /// Use further rules from FOLDER
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub rules: Option<PathBuf>,
    /// Compare whole windows, ramp-up and ramp-down included
    #[arg(long)]
    pub no_trim: bool,
    /// Where the answer goes.
    #[command(flatten)]
    pub page: PageArgs,
    /// How the answer is written.
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Whether differences fail the command.
    #[command(flatten)]
    pub fail_on: FailOnArgs,
}

/// Compares the captures.
pub fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let found = compare(&CompareRequest {
        sides: args.sides.clone(),
        against: args.against.clone(),
        rules: args.rules.clone(),
        no_trim: args.no_trim,
        redact: args.page.redact,
    })?;
    let file = args.page.output.as_deref();
    let options = terminal::text_options(&args.answer);
    if args.answer.is_page(file) {
        terminal::write_page(&html::comparison(&found, &options), file)?;
        return Ok(exit(args, &found));
    }
    let rendered = match args.answer.format() {
        Format::Json => comparison::json(&found),
        Format::Csv => csv::list(&found, "ledger"),
        Format::Text if args.answer.quiet() => comparison::conclusion(&found),
        Format::Text => comparison::text(&found, &options),
    };
    terminal::write_answer(&rendered, file)?;
    Ok(exit(args, &found))
}

fn exit(args: &CompareArgs, found: &Comparison) -> Exit {
    let worst = found.ledger.iter().filter_map(|class| class.severity).min();
    if args.fail_on.fails(worst) { Exit::FOUND } else { Exit::DONE }
}
