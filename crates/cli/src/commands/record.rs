//! `heldup record [-o ARCHIVE]`: this machine, sample by sample, into a folder.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_archive::kept::{HouseKeeping, Retention, Tiers};
use heldup_engine::{Cancel, RecordRequest, SealBy, archive_folder, record};
use heldup_report::{csv, recorded};

use crate::arg_values::{parse_interval, parse_long, parse_share, parse_size};
use crate::args::{Format, MethodArgs, OutputArgs};
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::interrupt;
use crate::terminal::Progress;

/// Options of `record`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  sudo heldup record                       into /var/lib/heldup/archive, until Ctrl-C or SIGTERM
  sudo heldup record -o ./archive --for 10m
  sudo heldup record --retention 7d --max-size 2GB
  sudo systemctl enable --now heldup-record    the recorder as a service
  heldup status                            what it records, and its overhead

Sources that cost more than microseconds are read every 10 or 60 seconds, settings and mounts with
each segment (an hour). Above --cpu-budget the costliest sources are read less often; the table
`recorder` says which. A power cut loses what came after the last flush, a kill nothing.

Ctrl-C or SIGTERM end it; what was recorded is sealed into Parquet files.")]
pub struct RecordArgs {
    /// Not an argument: what people type who expect a service here.
    #[arg(hide = true, value_name = "WORD")]
    pub word: Option<String>,
    /// Folder to record into (default: /var/lib/heldup/archive, without root in ~/.local/state/heldup)
    #[arg(short, long, value_name = "ARCHIVE")]
    pub output: Option<PathBuf>,
    /// Stop after this time (default: at Ctrl-C)
    #[arg(long = "for", value_name = "TIME", value_parser = parse_long)]
    pub length: Option<Duration>,
    /// Time between two samples
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval)]
    pub interval: Duration,
    /// How much is kept.
    #[command(flatten)]
    pub keep: KeepArgs,
    /// Limit CPU use to this share of one CPU
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = parse_share)]
    pub cpu_budget: f64,
    /// Time between two flushes to the disk
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_interval, hide_short_help = true)]
    pub flush: Duration,
    /// Age at which a segment is closed and sealed
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_interval, hide = true)]
    pub segment: Duration,
    /// How to account for time; auto is ebpf, else delays.
    #[command(flatten)]
    pub method: MethodArgs,
    /// Also measure eBPF run time (adds 250 ns per context switch)
    #[arg(long, hide_short_help = true)]
    pub measure_overhead: bool,
    /// How the summary is written.
    #[command(flatten)]
    pub answer: OutputArgs,
}

/// How much an archive keeps.
#[derive(Args, Clone, Debug)]
pub struct KeepArgs {
    /// Delete data older than this
    #[arg(long, value_name = "TIME", default_value = "30d", value_parser = parse_long)]
    pub retention: Duration,
    /// Delete the oldest data above this size
    #[arg(long, value_name = "SIZE", default_value = "10GB", value_parser = parse_size)]
    pub max_size: u64,
    /// Keep every sample this long, then one row for 10 s
    #[arg(long, value_name = "TIME", default_value = "2d", value_parser = parse_long)]
    pub raw_for: Duration,
    /// Keep rows of 10 s this long, then one per minute
    #[arg(long, value_name = "TIME", default_value = "14d", value_parser = parse_long)]
    pub ten_seconds_for: Duration,
}

impl KeepArgs {
    /// As the archive takes it.
    pub fn keeping(&self) -> HouseKeeping {
        HouseKeeping {
            retention: Retention { max_age: self.retention, max_bytes: self.max_size },
            tiers: Tiers { ten_seconds_after: self.raw_for, minutes_after: self.ten_seconds_for },
        }
    }
}

/// Records until it is stopped or the time is over.
pub fn run(args: &RecordArgs) -> anyhow::Result<Exit> {
    if let Some(word) = &args.word {
        return Err(WrongUsage(no_word(word)).into());
    }
    interrupt::acknowledge(interrupt::SEALS);
    let request = RecordRequest {
        archive: archive_folder(args.output.clone())?,
        interval: args.interval,
        flush: args.flush,
        segment: args.segment,
        cpu_budget: args.cpu_budget,
        keeping: args.keep.keeping(),
        method: args.method.method.into(),
        measure_overhead: args.measure_overhead,
        length: args.length,
        seal: SealBy::Child,
    };
    let summary = record(&request, &Progress::default(), &Cancel::Signals)?;
    match args.answer.format() {
        Format::Text => eprint!("{}", recorded::text(&summary)),
        Format::Json => print!("{}", recorded::json(&summary)),
        Format::Csv => print!("{}", csv::row(&summary)),
    }
    Ok(Exit::DONE)
}

/// Why a word behind `record` is refused.
fn no_word(word: &str) -> String {
    let service = |verb: &str| {
        format!("`heldup record` records until Ctrl-C; the service is: sudo systemctl {verb} heldup-record")
    };
    match word {
        "start" | "enable" => service("enable --now"),
        "stop" | "disable" => service("disable --now"),
        "restart" => service("restart"),
        "status" => "did you mean `heldup status`?".to_owned(),
        folder => format!("unexpected argument `{folder}`; the folder to record into is -o {folder}"),
    }
}
