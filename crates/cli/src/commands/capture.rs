//! `heldup capture FILE`: one file with all that can be seen of a machine, for a helper elsewhere.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_engine::{Cancel, CaptureRequest, CaptureTo, CaptureWritten, capture};
use heldup_report::{harmless, overhead, quantity};

use crate::arg_values::parse_duration;
use crate::args::{MethodChoice, SpanArgs};
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::terminal::Progress;

/// Options of `capture`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup capture slow.heldup             ten seconds of all tables, settings and the kernel's log
  sudo heldup capture --redact slow.heldup    without names, addresses and arguments
  sudo heldup capture @last slow.heldup       the last examination as a file
  heldup capture --redact slow.heldup public.heldup
  sudo heldup capture --baseline              settings as they are to be; examine says what differs

The helper runs `heldup examine slow.heldup`, `heldup sql slow.heldup QUERY`, or opens it with any
program for zip files: it is one of Parquet files. Only its owner may read it.

--redact replaces names of hosts, domains and users, addresses (IPv4, IPv6, hardware), arguments of
commands and paths below home folders by pseudonyms (host-1, addr-3, args-7), the same ones
everywhere. Names that nothing shows to be names stay, and so do numbers: read what you publish.")]
pub struct CaptureArgs {
    /// The file to write, and before it the source where it is not this machine: @last, a kept capture's
    /// folder or file, an archive's folder
    #[arg(required_unless_present = "baseline", num_args = 1..=2, value_names = ["SOURCE", "FILE"])]
    pub words: Vec<String>,
    /// How long to look, from now or from --since; 30s without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which window of an archive
    #[command(flatten)]
    pub span: SpanArgs,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// Replace what names people and machines
    #[arg(long)]
    pub redact: bool,
    /// Keep it as the baseline that `examine` compares settings with, instead of in a file
    #[arg(long, conflicts_with = "redact")]
    pub baseline: bool,
    /// Replace the file, or the baseline, if it is there
    #[arg(long)]
    pub force: bool,
}

/// Looks at everything, or opens what was kept, and writes it.
pub fn run(args: &CaptureArgs) -> anyhow::Result<Exit> {
    let (source, to) = match (args.words.as_slice(), args.baseline) {
        (words, true) => (words.first(), CaptureTo::Baseline),
        ([file], false) => (None, CaptureTo::File(PathBuf::from(file))),
        ([source, file], false) => (Some(source), CaptureTo::File(PathBuf::from(file))),
        _ => return Err(WrongUsage("expected the file to write, or a source and the file".to_owned()).into()),
    };
    let request = CaptureRequest {
        source: source.cloned(),
        to,
        window: args.window,
        span: args.span.asked(),
        method: args.method.into(),
        redact: args.redact,
        force: args.force,
    };
    let written = capture(&request, &Progress::default(), &Cancel::Signals)?;
    print!("{}", said(args, &written));
    if let Some(cost) = written.cost {
        println!("{}", overhead::plain_line(&cost));
    }
    Ok(Exit::DONE)
}

fn said(args: &CaptureArgs, written: &CaptureWritten) -> String {
    let holds = match (args.baseline, args.redact) {
        (true, _) => "`heldup examine` says from now on which settings differ from it (config.drift).",
        (false, true) => {
            "Names, addresses and arguments are pseudonyms now; names that nothing shows to be names are not: \
             read what you publish."
        }
        (false, false) => {
            "It holds names, addresses, command lines and the kernel's log, and only its owner may read it; \
             --redact replaces what names somebody."
        }
    };
    let text = format!(
        "{}: {} s of {}, {} tables, {} rows, {}",
        written.file.display(),
        quantity::number(written.seconds),
        written.host,
        written.tables,
        quantity::count(i64::try_from(written.rows).unwrap_or(i64::MAX)),
        quantity::bytes(written.bytes as f64),
    );
    format!("{}\n{holds}\n", harmless(&text.replace('\u{a0}', " ")))
}
