//! `heldup status [ARCHIVE]`: the recorder, pending changes of settings, and the last findings.

use std::path::PathBuf;

use clap::Args;
use heldup_engine::StatusRequest;
use heldup_report::{csv, status};
use jiff::tz::TimeZone;

use crate::args::{Format, OutputArgs};
use crate::exit::Exit;
use crate::terminal::Progress;

/// Options of `status`.
#[derive(Args, Clone, Debug)]
pub struct StatusArgs {
    /// Folder of the archive (default: that of `heldup record`)
    #[arg(value_name = "ARCHIVE")]
    pub archive: Option<PathBuf>,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Shows how it stands.
pub fn run(args: &StatusArgs) -> anyhow::Result<Exit> {
    let request = StatusRequest { archive: args.archive.clone() };
    let found = heldup_engine::status(&request, &Progress::default())?;
    match args.output.format() {
        Format::Text => print!("{}", status::text(&found, &TimeZone::system())),
        Format::Json => print!("{}", status::json(&found)),
        Format::Csv => print!("{}", csv::row(&found)),
    }
    Ok(Exit::DONE)
}
