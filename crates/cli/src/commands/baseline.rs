//! `heldup baseline save|show|drop`: settings as they should be, which `examine` compares with.

use clap::{Args, Subcommand};
use heldup_engine::{Cancel, CaptureTo, capture, drop_baseline, show_baseline};
use heldup_model::BaselineShown;
use heldup_report::{captured, csv};

use super::capture::{CaptureOptions, print, request};
use crate::args::{Format, OutputArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::Progress;

/// What to do with the baseline.
#[derive(Debug, Subcommand)]
pub enum BaselineCommand {
    /// Save the settings of this machine, or of SOURCE, as the baseline
    #[command(after_long_help = "\
Examples:
  sudo heldup baseline save
  sudo heldup baseline save --force good.heldup

From then on `heldup examine` reports settings that differ (config.drift).")]
    Save(BaselineSaveArgs),
    /// Show when the baseline was saved, and of which machine
    Show(OutputArgs),
    /// Delete the baseline
    Drop(OutputArgs),
}

/// Options of `baseline save`.
#[derive(Args, Clone, Debug)]
pub struct BaselineSaveArgs {
    /// What to save (default: this machine, now): @last, @41, a capture or an archive
    pub source: Option<String>,
    /// How much is captured, and how.
    #[command(flatten)]
    pub what: CaptureOptions,
    /// How the summary is written.
    #[command(flatten)]
    pub answer: OutputArgs,
}

/// Saves, shows or deletes the baseline.
pub fn run(command: &BaselineCommand) -> anyhow::Result<Exit> {
    match command {
        BaselineCommand::Save(args) => save(args)?,
        BaselineCommand::Show(output) => shown(&show_baseline()?, output.format()),
        BaselineCommand::Drop(output) => shown(&drop_baseline()?, output.format()),
    }
    Ok(Exit::DONE)
}

fn save(args: &BaselineSaveArgs) -> anyhow::Result<()> {
    interrupt::acknowledge(interrupt::WRITES);
    let request = request(args.source.clone(), CaptureTo::Baseline, &args.what);
    let written = capture(&request, &Progress::default(), &Cancel::Signals)?;
    print(&written, args.answer.format(), captured::BASELINE);
    Ok(())
}

fn shown(found: &BaselineShown, format: Format) {
    match format {
        Format::Text => print!("{}", captured::baseline(found)),
        Format::Json => print!("{}", captured::json(found)),
        Format::Csv => print!("{}", csv::row(found)),
    }
}
