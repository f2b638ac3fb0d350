//! `heldup breakdown KIND [SOURCE]`: one kind of time by program, object and stack, and over the time of a
//! window.

use std::time::Duration;

use clap::{Args, ValueEnum};
use heldup_engine::{BreakdownRequest, Cancel, breakdown};
use heldup_model::{Breakdown, BreakdownKind};
use heldup_report::{TextOptions, breakdown as report, csv, harmless, html};
use jiff::tz::TimeZone;

use crate::arg_values::parse_duration;
use crate::args::{FocusArgs, Format, MethodArgs, OutputArgs, PageArgs, SpanArgs, with_page};
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::{self, Progress};

/// What is broken down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BreakdownChoice {
    /// Time on CPUs, in the run queue, and throttled.
    Cpu,
    /// All waiting.
    Wait,
    /// Waiting for disks, swap and remote file systems.
    Io,
    /// Waiting for locks, of programs and of the kernel.
    Lock,
    /// Waiting for memory to be freed, and for pages of files and swap.
    Mem,
    /// System calls, by how many; no times.
    Calls,
}

impl From<BreakdownChoice> for BreakdownKind {
    fn from(kind: BreakdownChoice) -> BreakdownKind {
        match kind {
            BreakdownChoice::Cpu => BreakdownKind::Cpu,
            BreakdownChoice::Wait => BreakdownKind::Wait,
            BreakdownChoice::Io => BreakdownKind::Io,
            BreakdownChoice::Lock => BreakdownKind::Lock,
            BreakdownChoice::Mem => BreakdownKind::Memory,
            BreakdownChoice::Calls => BreakdownKind::Calls,
        }
    }
}

/// Options of `breakdown`.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("format", with_page))]
#[command(after_long_help = "\
Examples:
  sudo heldup breakdown wait --for 30s
  sudo heldup breakdown lock -p 13704            who holds it, in which function
  heldup breakdown io @last --focus device:vda
  sudo heldup breakdown lock --since \"yesterday 03:00\" --until 03:10
  heldup breakdown wait slow.heldup --folded >waits.folded   for flamegraph.pl, inferno or speedscope

Programs and times are those of the ledger (task_time), without kernel threads. Stacks are those of
waits that were long enough for one (stack), which an archive has once a minute. With --focus
device:NAME everything comes from stacks, which alone name a device. Of an archive the last hour is
taken unless a time is given.")]
pub struct BreakdownArgs {
    /// Kind of time: cpu, wait, io, lock, mem or calls
    #[arg(value_enum, hide_possible_values = true)]
    pub kind: BreakdownChoice,
    /// What to read (default: this machine, now): @last, @41, a capture, an archive
    pub source: Option<String>,
    /// Window, from now or from --since (default 10s)
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which part of a recording.
    #[command(flatten)]
    pub span: SpanArgs,
    /// Which subject alone.
    #[command(flatten)]
    pub focus: FocusArgs,
    /// How to account for time.
    #[command(flatten)]
    pub method: MethodArgs,
    /// Rows of each list
    #[arg(short = 'n', long, value_name = "N", default_value_t = 15)]
    pub rows: usize,
    /// Write folded stacks with microseconds, for flame graphs
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub folded: bool,
    /// Where the answer goes.
    #[command(flatten)]
    pub page: PageArgs,
    /// How the answer is written.
    #[command(flatten)]
    pub answer: OutputArgs,
}

/// Breaks it down.
pub fn run(args: &BreakdownArgs) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::ANSWERS);
    let format = args.answer.format();
    let file = args.page.output.as_deref();
    let is_page = args.answer.is_page(file);
    let request = BreakdownRequest {
        kind: args.kind.into(),
        source: args.source.clone(),
        window: args.window,
        span: args.span.asked(),
        focus: args.focus.focus(),
        method: args.method.method.into(),
        stacks: args.folded || is_page || format != Format::Text,
        redact: args.page.redact,
    };
    let found = breakdown(&request, &Progress::default(), &Cancel::Signals)?;
    for error in found.errors.iter().filter(|_| format != Format::Json) {
        eprintln!("heldup: {}: {}", harmless(&error.place), harmless(&error.what));
    }
    if args.folded {
        folded(&found);
        return Ok(Exit::DONE);
    }
    if is_page {
        let options = TextOptions { time_zone: TimeZone::system(), ..TextOptions::default() };
        terminal::write_page(&html::breakdown(&found, &options), file)?;
        return Ok(Exit::DONE);
    }
    let rendered = match format {
        Format::Text => report::text(&found, terminal::table_width(), args.rows, &TimeZone::system()),
        Format::Json => report::json(&found),
        Format::Csv => csv::list(&found, "programs"),
    };
    match file {
        Some(_) => terminal::write_answer(&rendered, file)?,
        None => print!("{rendered}"),
    }
    Ok(Exit::DONE)
}

fn folded(found: &Breakdown) {
    if found.stacks.is_empty() {
        eprintln!("heldup: {}: no stacks of this", report::heading(found, &TimeZone::system()));
    }
    print!("{}", report::folded(found));
}
