//! `heldup record [ARCHIVE]`: this machine, sample by sample, into a folder.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_archive::kept::{HouseKeeping, Retention, Tiers};
use heldup_engine::{Cancel, RecordRequest, RecordSummary, SealBy, archive_folder, record};

use crate::arg_values::{parse_interval, parse_long, parse_share, parse_size};
use crate::args::MethodChoice;
use crate::exit::Exit;
use crate::terminal::Progress;

/// Options of `record`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup record                       into /var/lib/heldup/archive, until Ctrl-C or SIGTERM
  sudo heldup record ./archive --for 10m
  sudo heldup record --keep 7d --keep-size 2GB
  heldup status                            what it records, and what that costs

What costs more than microseconds is read every 10 or 60 seconds, settings and mounts with each
segment (an hour). Over --cpu-budget the costliest sources are read less often still; the table
`recorder` says which. A power cut costs what came after the last flush, a kill nothing.

Ctrl-C or SIGTERM end it; what was recorded is sealed into Parquet files.")]
pub struct RecordArgs {
    /// Folder to record into; without it /var/lib/heldup/archive, or `archive` where an ordinary user's state is
    #[arg(value_name = "ARCHIVE")]
    pub archive: Option<PathBuf>,
    /// Time between two samples
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval)]
    pub interval: Duration,
    /// Time between two flushes to the disk
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_interval)]
    pub flush: Duration,
    /// Share of one CPU that recording may take
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = parse_share)]
    pub cpu_budget: f64,
    /// Age from which a segment is closed and sealed
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_interval, hide = true)]
    pub segment: Duration,
    /// How long to record; until it is stopped without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_long)]
    pub length: Option<Duration>,
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
    /// How to account for time; auto: ebpf, else delays
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each
    /// switch of a task
    #[arg(long)]
    pub own_cost: bool,
}

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
        seal: SealBy::Child,
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
