//! `heldup keep-house ARCHIVE`: seals what a recorder has closed, removes what is too old or too
//! much, and puts days together.
//!
//! Hidden: the recorder runs it as a child, so that sealing an hour holds up no sample.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_archive::kept::{HouseKeeping, Retention, Tiers};
use heldup_engine::keep_house_in;

use crate::arg_values::{parse_long, parse_size};
use crate::exit::Exit;
use crate::terminal::Progress;

/// Options of `keep-house`.
#[derive(Args, Clone, Debug)]
pub struct KeepHouseArgs {
    /// Folder of the archive
    pub archive: PathBuf,
    /// How long samples are kept
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = parse_long)]
    pub keep: Duration,
    /// How large the archive may grow
    #[arg(long, value_name = "SIZE", default_value = "10GB", value_parser = parse_size)]
    pub keep_size: u64,
    /// How long after its end a day has every sample; then a row stands for ten seconds
    #[arg(long, value_name = "TIME", default_value = "2d", value_parser = parse_long)]
    pub keep_samples: Duration,
    /// How long after its end a day has rows for ten seconds; then one stands for a minute
    #[arg(long, value_name = "TIME", default_value = "14d", value_parser = parse_long)]
    pub keep_tens: Duration,
    /// Do what would be done so much later
    #[arg(long, value_name = "TIME", value_parser = parse_long)]
    pub later: Option<Duration>,
}

/// Keeps house once.
pub fn run(args: &KeepHouseArgs) -> anyhow::Result<Exit> {
    let keeping = HouseKeeping {
        retention: Retention { max_age: args.keep, max_bytes: args.keep_size },
        tiers: Tiers { ten_seconds_after: args.keep_samples, minutes_after: args.keep_tens },
    };
    let kept = keep_house_in(&args.archive, &keeping, args.later.unwrap_or_default(), &Progress::default())?;
    Ok(if kept.flaws.is_empty() { Exit::DONE } else { Exit::COULD_NOT })
}
