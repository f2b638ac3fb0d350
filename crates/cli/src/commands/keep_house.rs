//! `heldup keep-house ARCHIVE`: seals what a recorder has closed, removes what is too old or too
//! much, and puts days together.
//!
//! Hidden: the recorder runs it as a child, so that sealing an hour holds up no sample.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_engine::keep_house_in;

use super::record::KeepArgs;
use crate::arg_values::parse_long;
use crate::exit::Exit;
use crate::terminal::Progress;

/// Options of `keep-house`.
#[derive(Args, Clone, Debug)]
pub struct KeepHouseArgs {
    /// Folder of the archive
    pub archive: PathBuf,
    /// How much is kept.
    #[command(flatten)]
    pub keep: KeepArgs,
    /// Do what would be done so much later
    #[arg(long, value_name = "TIME", value_parser = parse_long)]
    pub later: Option<Duration>,
}

/// Does the archive's maintenance once.
pub fn run(args: &KeepHouseArgs) -> anyhow::Result<Exit> {
    let later = args.later.unwrap_or_default();
    let kept = keep_house_in(&args.archive, &args.keep.keeping(), later, &Progress::default())?;
    Ok(if kept.flaws.is_empty() { Exit::DONE } else { Exit::COULD_NOT })
}
