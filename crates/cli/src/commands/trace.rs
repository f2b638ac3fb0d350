//! `heldup trace KIND [SOURCE]`: one kind of time, drilled down to programs, objects and stacks, over
//! the time of a window.

use std::time::Duration;

use clap::{Args, ValueEnum};
use heldup_diagnose::Focus;
use heldup_engine::{BreakdownRequest, Cancel, breakdown};
use heldup_model::BreakdownKind;
use heldup_report::{breakdown as report, harmless};
use jiff::tz::TimeZone;

use crate::arg_values::parse_duration;
use crate::args::{MethodChoice, SpanArgs};
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// What `trace` drills down to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceKind {
    /// Time on CPUs, in their queue, and throttled.
    Cpu,
    /// All time that tasks were held up.
    Wait,
    /// Waits for disks, swap and remote file systems.
    Io,
    /// Waits for locks, of programs and of the kernel.
    Lock,
    /// System calls, by how many; no times.
    Calls,
    /// Waits for memory to be freed, and for pages of files and swap.
    Memory,
}

impl From<TraceKind> for BreakdownKind {
    fn from(kind: TraceKind) -> BreakdownKind {
        match kind {
            TraceKind::Cpu => BreakdownKind::Cpu,
            TraceKind::Wait => BreakdownKind::Wait,
            TraceKind::Io => BreakdownKind::Io,
            TraceKind::Lock => BreakdownKind::Lock,
            TraceKind::Calls => BreakdownKind::Calls,
            TraceKind::Memory => BreakdownKind::Memory,
        }
    }
}

/// How a trace is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// For a person.
    #[default]
    Text,
    /// For a program: schema heldup/breakdown/1.
    Json,
    /// A line for each stack, with microseconds (of calls how many), as programs that draw flame graphs
    /// take it.
    Folded,
}

/// Options of `trace`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup trace wait --for 30s
  heldup trace io @last --focus device:vda
  sudo heldup trace lock --since \"yesterday 03:00\" --until 03:10
  heldup trace wait slow.heldup --format folded >waits.folded    for flamegraph.pl, inferno or speedscope

Programs and times are those of the ledger (task_time), without kernel threads; stacks are those of
waits that were long enough for one (stack), which an archive has once a minute. With --focus
device:NAME all of it is of stacks, which alone name a device. An archive is told by its last hour
where no time is asked for.")]
pub struct TraceArgs {
    /// Which time
    #[arg(value_enum)]
    pub kind: TraceKind,
    /// The source, where it is not the live machine: @last, a kept capture's folder or file, or an
    /// archive's folder
    pub source: Option<String>,
    /// How long to look, at the live machine or from --since on; live 10s without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which window of an archive
    #[command(flatten)]
    pub span: SpanArgs,
    /// Only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or command
    #[arg(long, value_name = "KIND:NAME")]
    pub focus: Option<Focus>,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    pub format: TraceFormat,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
}

/// Drills down.
pub fn run(args: &TraceArgs) -> anyhow::Result<Exit> {
    let request = BreakdownRequest {
        kind: args.kind.into(),
        source: args.source.clone(),
        window: args.window,
        span: args.span.asked(),
        focus: args.focus.clone(),
        method: args.method.into(),
        stacks: args.format != TraceFormat::Text,
    };
    let found = breakdown(&request, &Progress::default(), &Cancel::Signals)?;
    let said = found.errors.iter().filter(|_| args.format != TraceFormat::Json);
    said.for_each(|error| eprintln!("heldup: {}: {}", harmless(&error.place), harmless(&error.what)));
    match args.format {
        TraceFormat::Text => {
            print!("{}", report::text(&found, terminal::table_width(), &TimeZone::system()));
        }
        TraceFormat::Json => print!("{}", report::json(&found)),
        TraceFormat::Folded => {
            if found.stacks.is_empty() {
                eprintln!("heldup: {}: no stacks of this", report::heading(&found, &TimeZone::system()));
            }
            print!("{}", report::folded(&found));
        }
    }
    Ok(Exit::DONE)
}
