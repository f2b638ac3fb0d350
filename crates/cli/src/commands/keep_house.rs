//! `heldup keep-house ARCHIVE`: seals what a recorder has closed, removes what is too old or too
//! much, and puts days together.
//!
//! Hidden: the recorder runs it as a child, so that sealing an hour holds up no sample.

use heldup_archive::kept::{HouseKeeping, Retention, Tiers, keep_house};
use heldup_hostfs::{give_way, realtime_ms};

use crate::args::KeepHouseArgs;
use crate::exit::Exit;

/// Keeps house once.
pub fn run(args: &KeepHouseArgs) -> anyhow::Result<Exit> {
    give_way();
    let keeping = HouseKeeping {
        retention: Retention { max_age: args.keep, max_bytes: args.keep_size },
        tiers: Tiers { ten_seconds_after: args.keep_samples, minutes_after: args.keep_tens },
    };
    let later_ms = args.later.map_or(0, |later| i64::try_from(later.as_millis()).unwrap_or(i64::MAX));
    let kept = keep_house(&args.archive, &keeping, realtime_ms().saturating_add(later_ms))?;
    for sealed in kept.sealed.iter().filter_map(|sealed| sealed.lost) {
        eprintln!("heldup: the end of a journal could not be read, {} bytes", sealed.bytes);
    }
    kept.flaws.iter().for_each(|flaw| eprintln!("heldup: {}: {}", flaw.place, flaw.what));
    Ok(if kept.flaws.is_empty() { Exit::DONE } else { Exit::COULD_NOT })
}
