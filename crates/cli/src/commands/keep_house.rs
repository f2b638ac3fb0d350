//! `heldup keep-house ARCHIVE`: seals what a recorder has closed, removes what is too old or too
//! much, and puts days together.
//!
//! Hidden: the recorder runs it as a child, so that sealing an hour holds up no sample.

use heldup_archive::kept::{HouseKeeping, Retention, Tiers};
use heldup_engine::keep_house_in;

use crate::args::KeepHouseArgs;
use crate::exit::Exit;
use crate::terminal::Progress;

/// Keeps house once.
pub fn run(args: &KeepHouseArgs) -> anyhow::Result<Exit> {
    let keeping = HouseKeeping {
        retention: Retention { max_age: args.keep, max_bytes: args.keep_size },
        tiers: Tiers { ten_seconds_after: args.keep_samples, minutes_after: args.keep_tens },
    };
    let kept = keep_house_in(&args.archive, &keeping, args.later.unwrap_or_default(), &Progress::default())?;
    Ok(if kept.flaws.is_empty() { Exit::DONE } else { Exit::COULD_NOT })
}
