//! `heldup record [ARCHIVE]`: this machine, sample by sample, into a folder.

use heldup_archive::kept::{HouseKeeping, Retention, Tiers};
use heldup_engine::{Cancel, RecordRequest, RecordSummary, archive_folder, record};

use crate::args::RecordArgs;
use crate::exit::Exit;
use crate::terminal::Progress;

/// Records until it is stopped or the time is over.
pub fn run(args: &RecordArgs) -> anyhow::Result<Exit> {
    let request = RecordRequest {
        archive: archive_folder(args.archive.clone())?,
        interval: args.interval,
        flush: args.flush,
        segment: args.segment,
        cpu_budget: args.cpu_budget,
        keeping: HouseKeeping {
            retention: Retention { max_age: args.keep, max_bytes: args.keep_size },
            tiers: Tiers { ten_seconds_after: args.keep_samples, minutes_after: args.keep_tens },
        },
        method: args.method.into(),
        own_cost: args.own_cost,
        length: args.length,
    };
    let recorded = record(&request, &Progress::default(), &Cancel::Signals)?;
    eprintln!("heldup: {}", said(&recorded));
    Ok(Exit::DONE)
}

fn said(recorded: &RecordSummary) -> String {
    let RecordSummary { samples, seconds, cpu_ratio, bpf_ratio } = recorded;
    let bpf = bpf_ratio
        .map(|(share, known_by)| format!(" + {:.2} % in eBPF programs ({})", 100.0 * share, known_by.name()));
    let cpu = 100.0 * cpu_ratio;
    format!("{samples} samples in {seconds:.0} s, {cpu:.2} % of one CPU{}", bpf.unwrap_or_default())
}
