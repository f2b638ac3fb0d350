//! `heldup compare`: what differs between two kept captures, or two groups of them.

use std::path::PathBuf;

use clap::Args;
use heldup_engine::{CompareRequest, compare};
use heldup_model::Severity;
use heldup_report::{TextOptions, comparison};

use crate::args::{AnswerArgs, Format};
use crate::exit::Exit;
use crate::terminal;

/// Options of `compare`.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("details", |arg| arg.help("Write every difference; without it the largest of each kind")),
    mut_arg("check", |arg| arg.help("Exit with 1 when the time of a class differs by a warning or worse"))
)]
#[command(after_help = "\
Examples:
  sudo heldup --for 60s && sudo cp -r /var/lib/heldup/last good
  sudo heldup compare good @last            before and after
  heldup compare day@03:00..03:10 day@04:00..04:10          two windows of a capture or archive
  heldup compare all#web1@03:00..03:10 all#web2@03:00..03:10   of two hosts in one archive
  heldup compare web1 web2 web3 --against web4 web5         what sets two hosts apart from three
  sudo heldup compare good @last --check    1 when time differs by a warning or worse

Behind a side's @ stands the part of its time that is meant, FROM..UNTIL, in times as people write
them: yesterday 03:00..03:10, 14:05:30..14:06:30, 2 hours ago..1 hour ago. Without it the whole of
it is meant.

The first three lines are what matters most. A difference is told where it is more than the noise
within each side explains, all questions at once accounted for: one comparison in a hundred of a
load with itself may claim one. That takes 8 samples (seconds) a side; below 32 only large
differences are reported. Two captures of the default length can be compared. Where a side begins with a ramp-up or ends with a ramp-down, its steady part
is compared. With --against a difference is told where it is more than the captures of the first
side differ among themselves; that takes three of them.")]
pub struct CompareArgs {
    /// Two captures, or the good ones of several: @last, @baseline, kept captures' folders or files, and
    /// archives; a part of its time is SOURCE@FROM..UNTIL, a host of an archive SOURCE#HOST@FROM..UNTIL
    #[arg(value_name = "CAPTURE", required = true, num_args = 1..)]
    pub sides: Vec<String>,
    /// The captures that are held against the others
    #[arg(long, value_name = "CAPTURE", num_args = 1..)]
    pub against: Vec<String>,
    /// Further rules: a folder of rule files
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// Compare the whole windows, ramp-up and ramp-down included
    #[arg(long)]
    pub whole: bool,
    /// How the answer is written
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Compares the captures.
pub fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let found = compare(&CompareRequest {
        sides: args.sides.clone(),
        against: args.against.clone(),
        rules: args.rules.clone(),
        whole: args.whole,
    })?;
    let rendered = match args.answer.format {
        Format::Json => comparison::json(&found),
        Format::Text => {
            let options = terminal::text_options(terminal::color(args.answer.color));
            comparison::text(&found, &TextOptions { details: args.answer.details, ..options })
        }
    };
    println!("{}", rendered.trim_end());
    let worst = found.ledger.iter().filter_map(|class| class.severity).min();
    let differs = worst.is_some_and(|worst| worst <= Severity::Warning);
    Ok(if args.answer.check && differs { Exit::FOUND } else { Exit::DONE })
}
