//! `heldup record [ARCHIVE]`: this machine, sample by sample, into a folder.

use std::path::PathBuf;

use heldup_archive::kept::{HouseKeeping, Retention, Tiers};
use heldup_hostfs::{Host, Interrupts, give_back_large_memory, monotonic_ns};

use crate::archive_source::default_folder;
use crate::args::RecordArgs;
use crate::exit::Exit;
use crate::live::count_own_cost;
use crate::recorder::{Plan, Recorder};

/// Records until it is stopped or the time is over.
pub fn run(args: &RecordArgs) -> anyhow::Result<Exit> {
    give_back_large_memory();
    let archive = archive(args.archive.clone())?;
    let plan = Plan {
        archive: archive.clone(),
        interval: args.interval,
        flush: args.flush,
        segment: args.segment,
        cpu_budget: args.cpu_budget,
        keeping: HouseKeeping {
            retention: Retention { max_age: args.keep, max_bytes: args.keep_size },
            tiers: Tiers { ten_seconds_after: args.keep_samples, minutes_after: args.keep_tens },
        },
        method: args.method,
    };
    let host = Host::live();
    let interrupts = Interrupts::watch()?;
    let (_counted, missing) = count_own_cost(args.own_cost);
    let mut recorder = Recorder::start(&plan, &host, args.own_cost, missing)?;
    let every = args.interval;
    eprintln!("heldup: recording every {every:.0?} into {}; Ctrl-C ends it", archive.display());
    let length_ns = args.length.map(|length| u64::try_from(length.as_nanos()).unwrap_or(u64::MAX));
    let end_ns = length_ns.map_or(u64::MAX, |length_ns| monotonic_ns().saturating_add(length_ns));
    recorder.run(&interrupts, end_ns);
    eprintln!("heldup: {}", recorder.end());
    Ok(Exit::DONE)
}

/// The archive that is named, else the machine's, or that of an ordinary user.
pub fn archive(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    named.map_or_else(default_folder, Ok)
}
