//! `heldup breakdown KIND [SOURCE]`: one kind of time by program, object and stack, and over the time of a
//! window.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use heldup_engine::{BreakdownRequest, Cancel, Compared, breakdown, breakdown_difference};
use heldup_model::{Breakdown, BreakdownKind, ErrorNote};
use heldup_report::figure::svg::flame;
use heldup_report::{
    TextOptions, breakdown as report, breakdown_difference as difference_report, csv, harmless, html,
};
use jiff::tz::TimeZone;

use crate::arg_values::parse_duration;
use crate::args::{FocusArgs, MethodArgs, SpanArgs};
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

/// How a breakdown is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BreakdownFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: one document with a schema.
    Json,
    /// For spreadsheets: the main list of the answer, a header line first.
    Csv,
    /// A flame graph.
    Svg,
    /// One page that needs nothing else.
    Html,
}

/// Options of `breakdown`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  sudo heldup breakdown wait --for 30s
  sudo heldup breakdown wait -o waits.svg        flame graph: who waited, for what, where in the kernel
  sudo heldup breakdown lock -p 13704            who holds it, in which function
  heldup breakdown io @last --focus device:vda
  sudo heldup breakdown lock --since \"yesterday 03:00\" --until 03:10
  heldup breakdown cpu perf.txt -o cpu.svg       flame graph of perf script, folded stacks, a thread dump
  heldup breakdown wait @last --baseline @last~1            what became more, what less
  heldup breakdown wait DAY@04:00..04:10 --baseline DAY@03:00..03:10 -o more.svg
  heldup breakdown wait slow.heldup --folded >waits.folded   for flamegraph.pl, inferno or speedscope

Programs and times are those of the ledger (task_time), without kernel threads. Stacks are those of
waits that were long enough for one (stack), which an archive has once a minute. With --focus
device:NAME everything comes from stacks, which alone name a device. Of an archive the last hour is
taken unless a time is given. SOURCE@FROM..UNTIL is a part of a source's time, as in heldup compare.

A flame graph is one file that any browser opens: click zooms, / searches, Escape goes back. It is as
wide as the time; what has no stack, no symbol or is too narrow is said below it.

With --baseline the amounts of both windows are divided by their lengths; heldup compare says which
differences exceed the noise.")]
pub struct BreakdownArgs {
    /// Kind of time: cpu, wait, io, lock, mem or calls
    #[arg(value_enum, hide_possible_values = true)]
    pub kind: BreakdownChoice,
    /// What to read (default: this machine, now): @last, @41, a capture, an archive, FILE
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
    /// Show the differences from this source, or from SOURCE@FROM..UNTIL
    #[arg(long, value_name = "SOURCE")]
    pub baseline: Option<String>,
    /// Rows of each list
    #[arg(short = 'n', long, value_name = "N", default_value_t = 15)]
    pub rows: usize,
    /// Write to FILE; FILE.svg is a flame graph, FILE.html a page
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write folded stacks with microseconds, for flame graphs of other programs
    #[arg(long, conflicts_with_all = ["json", "format", "baseline"])]
    pub folded: bool,
    /// Replace names of people and machines by pseudonyms
    #[arg(long, hide_short_help = true)]
    pub redact: bool,
    /// Write JSON
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Output format: text, json, csv, svg or html
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, hide_short_help = true)]
    pub format: Option<BreakdownFormat>,
}

impl BreakdownArgs {
    /// The form that was asked for: by an option, else by the name of the file.
    fn form(&self) -> BreakdownFormat {
        let name = self.output.as_ref().and_then(|file| file.extension());
        let by_name = match name.and_then(|extension| extension.to_str()) {
            Some("svg") if !self.folded => BreakdownFormat::Svg,
            Some("html") if !self.folded => BreakdownFormat::Html,
            Some("json") => BreakdownFormat::Json,
            Some("csv") => BreakdownFormat::Csv,
            _ => BreakdownFormat::Text,
        };
        if self.json { BreakdownFormat::Json } else { self.format.unwrap_or(by_name) }
    }

    fn request(&self, form: BreakdownFormat) -> BreakdownRequest {
        BreakdownRequest {
            kind: self.kind.into(),
            source: self.source.clone(),
            window: self.window,
            span: self.span.asked(),
            focus: self.focus.focus(),
            method: self.method.method.into(),
            stacks: self.folded
                || matches!(form, BreakdownFormat::Json | BreakdownFormat::Csv | BreakdownFormat::Html),
            flame: matches!(form, BreakdownFormat::Svg | BreakdownFormat::Html),
            redact: self.redact,
        }
    }
}

/// Breaks it down.
pub fn run(args: &BreakdownArgs) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::ANSWERS);
    let form = args.form();
    if form == BreakdownFormat::Html && args.output.is_none() {
        terminal::must_be_a_file()?;
    }
    let request = args.request(form);
    let written = match &args.baseline {
        Some(baseline) => {
            let found = breakdown_difference(&request, baseline, &Progress::default(), &Cancel::Signals)?;
            say(&found.difference.errors, form);
            difference(&found, args, form)?
        }
        None => {
            let found = breakdown(&request, &Progress::default(), &Cancel::Signals)?;
            say(&found.errors, form);
            one_window(&found, args, form)?
        }
    };
    write(&written, args.output.as_deref())?;
    Ok(Exit::DONE)
}

fn say(errors: &[ErrorNote], form: BreakdownFormat) {
    for error in errors.iter().filter(|_| form != BreakdownFormat::Json) {
        eprintln!("heldup: {}: {}", harmless(&error.place), harmless(&error.what));
    }
}

fn one_window(found: &Breakdown, args: &BreakdownArgs, form: BreakdownFormat) -> anyhow::Result<String> {
    let zone = TimeZone::system();
    if args.folded {
        let has_flame = found.flame.as_ref().is_some_and(|flame| !flame.stacks.is_empty());
        if found.stacks.is_empty() && !has_flame {
            eprintln!("heldup: {}: no stacks of this", report::heading(found, &zone));
        }
        return Ok(report::folded(found));
    }
    Ok(match form {
        BreakdownFormat::Text => report::text(found, terminal::table_width(), args.rows, &zone),
        BreakdownFormat::Json => report::json(found),
        BreakdownFormat::Csv => csv::list(found, "programs"),
        BreakdownFormat::Html => {
            let options = TextOptions { time_zone: zone, ..TextOptions::default() };
            html::breakdown(found, &options)
        }
        BreakdownFormat::Svg => match flame::file(found, &zone) {
            Some(picture) => picture,
            None => bail!("{}: {}", report::heading(found, &zone), nothing(found)),
        },
    })
}

fn difference(found: &Compared, args: &BreakdownArgs, form: BreakdownFormat) -> anyhow::Result<String> {
    let zone = TimeZone::system();
    let Compared { before, after, difference } = found;
    Ok(match form {
        BreakdownFormat::Text => {
            difference_report::text([before, after], difference, terminal::table_width(), args.rows, &zone)
        }
        BreakdownFormat::Json => difference_report::json(difference),
        BreakdownFormat::Csv => csv::list(difference, "classes"),
        BreakdownFormat::Html => {
            let options = TextOptions { time_zone: zone, ..TextOptions::default() };
            html::difference([before, after], difference, &options)
        }
        BreakdownFormat::Svg => match flame::difference_file(before, after, difference, &zone) {
            Some(picture) => picture,
            None => bail!("{}: {}", report::heading(after, &zone), nothing(after)),
        },
    })
}

/// Why there is nothing to draw.
fn nothing(found: &Breakdown) -> String {
    let missing = found.flame.as_ref().and_then(|flame| flame.gaps.missing.as_deref());
    harmless(missing.unwrap_or("nothing of this was measured"))
}

fn write(text: &str, file: Option<&Path>) -> anyhow::Result<()> {
    match file {
        None => print!("{text}"),
        Some(file) => {
            std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(())
}
