//! `heldup capture -o FILE [SOURCE]`: one file with all that can be seen of a machine, for a helper elsewhere.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_engine::{Cancel, CaptureRequest, CaptureTo, capture};
use heldup_model::CaptureWritten;
use heldup_report::{captured, csv};

use crate::arg_values::parse_duration;
use crate::args::{Format, MethodArgs, OutputArgs, SpanArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::Progress;

/// Options of `capture`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  sudo heldup capture -o slow.heldup           all tables for 30 s, settings and the kernel's log
  sudo heldup capture --redact -o slow.heldup  without names, addresses and arguments
  sudo heldup capture -o slow.heldup @last     the last examination as a file
  heldup capture --redact -o public.heldup slow.heldup

Whoever helps runs `heldup slow.heldup`, `heldup sql -s slow.heldup QUERY`, or opens it with any
program for zip files: it contains Parquet files. Only its owner may read it.

--redact replaces names of hosts, domains and users, addresses (IPv4, IPv6, hardware), arguments of
commands and paths below home folders by pseudonyms (host-1, addr-3, args-7), the same ones
everywhere. Names that cannot be recognized as names stay, and so do numbers: read the file before
you publish it.")]
pub struct CaptureArgs {
    /// What to capture (default: this machine, now): @last, @41, a capture or an archive
    pub source: Option<String>,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// How much is captured, and how.
    #[command(flatten)]
    pub what: CaptureOptions,
    /// Replace names of people and machines by pseudonyms
    #[arg(long)]
    pub redact: bool,
    /// How the summary is written.
    #[command(flatten)]
    pub answer: OutputArgs,
}

/// How much is captured, and how.
#[derive(Args, Clone, Debug)]
pub struct CaptureOptions {
    /// Window, from now or from --since (default 30s)
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which part of a recording.
    #[command(flatten)]
    pub span: SpanArgs,
    /// How to account for time.
    #[command(flatten)]
    pub method: MethodArgs,
    /// Replace what is there
    #[arg(long)]
    pub force: bool,
}

/// Measures everything, or opens what was saved, and writes it.
pub fn run(args: &CaptureArgs) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::WRITES);
    let to = CaptureTo::File(args.output.clone());
    let request = CaptureRequest { redact: args.redact, ..request(args.source.clone(), to, &args.what) };
    let written = capture(&request, &Progress::default(), &Cancel::Signals)?;
    let advice = if args.redact { captured::REDACTED } else { captured::NOT_REDACTED };
    print(&written, args.answer.format(), advice);
    Ok(Exit::DONE)
}

/// What is captured, with names as they are.
pub fn request(source: Option<String>, to: CaptureTo, what: &CaptureOptions) -> CaptureRequest {
    CaptureRequest {
        source,
        to,
        window: what.window,
        span: what.span.asked(),
        method: what.method.method.into(),
        redact: false,
        force: what.force,
    }
}

/// Prints what was written.
pub fn print(written: &CaptureWritten, format: Format, advice: &str) {
    match format {
        Format::Text => print!("{}", captured::text(written, advice)),
        Format::Json => print!("{}", captured::json(written)),
        Format::Csv => print!("{}", csv::row(written)),
    }
}
