//! `heldup status [ARCHIVE]`: what is recorded, and what that costs.

use std::path::PathBuf;

use clap::Args;
use heldup_engine::StatusRequest;
use heldup_report::status;

use crate::args::Format;
use crate::exit::Exit;
use crate::terminal::Progress;

/// Options of `status`.
#[derive(Args, Clone, Debug)]
pub struct StatusArgs {
    /// Folder that is recorded into; without it that of `heldup record`
    #[arg(value_name = "ARCHIVE")]
    pub archive: Option<PathBuf>,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Tells how recording goes.
pub fn run(args: &StatusArgs) -> anyhow::Result<Exit> {
    let request = StatusRequest { archive: args.archive.clone() };
    let told = heldup_engine::status(&request, &Progress::default())?;
    match args.format {
        Format::Text => print!("{}", status::text(&told)),
        Format::Json => print!("{}", status::json(&told)),
    }
    Ok(Exit::DONE)
}
