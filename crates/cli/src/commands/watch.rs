//! `heldup watch`: the machine examined window after window, and a line when something happens.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_engine::{Cancel, Silent, WatchRequest, Watched, watch};
use heldup_model::{WatchEvent, WatchLine};
use heldup_report::{TextOptions, watch as report};

use crate::arg_values::{parse_duration, parse_of, parse_window};
use crate::args::{FocusArgs, Format, LineArgs, MethodArgs, SeverityChoice};
use crate::exec_hook::ExecHook;
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::{self, Progress};

/// Options of `watch`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  sudo heldup watch
  sudo heldup watch -n 6                 six windows, a minute
  sudo heldup watch --interval 30s --json >>findings.jsonl
  sudo heldup watch --exec /usr/local/bin/notify
  sudo heldup watch --exec-shell 'mail -s \"$HELDUP_HOST: $HELDUP_TITLE\" root'
  sudo heldup watch --ignore cpu.saturated,fs.full/mount:/boot
  heldup watch --raise-after 1/1 --clear-after 1      report each window as it is

A finding appears when it was found in 2 of the last 3 windows (--raise-after), a critical one at
once, and ends after 2 windows without it (--clear-after). It changes when its severity rises, or
when severity, first culprit or cost (to twice or half) differ for two windows.

The command of --exec is called for each finding that appears and is not explained by another one,
with HELDUP_EVENT, HELDUP_HOST, HELDUP_ID, HELDUP_KEY, HELDUP_SEVERITY and HELDUP_TITLE in its
environment, HELDUP_LINK where `heldup serve` shows this machine, and the line of --json as its input.
It runs with heldup's permissions, writes to standard error, and is never waited for; at most four calls run at once, further ones wait for these.

Ctrl-C or SIGTERM end it with a summary, which includes the overhead.")]
pub struct WatchArgs {
    /// Length of a window
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_window)]
    pub interval: Duration,
    /// Stop after so many windows
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub count: Option<u32>,
    /// Stop after this time (default: at Ctrl-C)
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration, conflicts_with = "count")]
    pub length: Option<Duration>,
    /// Report findings at or above: info, warning, critical
    ///
    /// warning: 5 % of active time for 2 s or longer, or exhaustion within a day; critical: failures now,
    /// 25 % of active time, or exhaustion within an hour.
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", hide_possible_values = true)]
    pub min_severity: SeverityChoice,
    /// Report a finding found in K of the last N windows
    #[arg(long, value_name = "K/N", default_value = "2/3", value_parser = parse_of)]
    pub raise_after: (u32, u32),
    /// Report its end after M windows without it
    #[arg(long, value_name = "M", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub clear_after: u32,
    /// Run PROGRAM for each new finding
    ///
    /// It is run without a shell and without arguments.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "exec_shell")]
    pub exec: Option<OsString>,
    /// Run LINE with sh for each new finding
    #[arg(long, value_name = "LINE", hide_short_help = true)]
    pub exec_shell: Option<OsString>,
    /// Which subject alone.
    #[command(flatten)]
    pub focus: FocusArgs,
    /// How to account for time.
    #[command(flatten)]
    pub method: MethodArgs,
    /// Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)
    #[arg(long, value_name = "ID,…", value_delimiter = ',', hide_short_help = true)]
    pub ignore: Vec<String>,
    /// Use further rules from FOLDER
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub rules: Option<PathBuf>,
    /// Also measure eBPF run time (adds 250 ns per context switch)
    #[arg(long, hide_short_help = true)]
    pub measure_overhead: bool,
    /// How the lines are written; JSON: one object per line, schema heldup/watch/1.
    #[command(flatten)]
    pub answer: LineArgs,
}

/// Watches until it is stopped or the time is over.
pub fn run(args: &WatchArgs) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::SUMMARY);
    let request = WatchRequest {
        interval: args.interval,
        length: args.count.map(|count| args.interval * count).or(args.length),
        min_severity: args.min_severity.into(),
        raise_after: args.raise_after,
        clear_after: args.clear_after,
        method: args.method.method.into(),
        focus: args.focus.focus(),
        ignore: args.ignore.clone(),
        rules: args.rules.clone(),
        measure_overhead: args.measure_overhead,
    };
    let mut printer = Printer {
        format: args.answer.format(),
        quiet: args.answer.quiet,
        text: terminal::line_options(&args.answer),
        hook: ExecHook::new(args.exec.as_ref(), args.exec_shell.as_ref()),
    };
    if printer.format == Format::Csv {
        print!("{}", report::csv_head());
    }
    if args.answer.quiet {
        watch(&request, &mut printer, &Silent, &Cancel::Signals)?;
    } else {
        watch(&request, &mut printer, &Progress::notes(), &Cancel::Signals)?;
    }
    Ok(Exit::DONE)
}

/// Prints what happens, and calls the command of --exec for it.
struct Printer {
    format: Format,
    /// Findings only.
    quiet: bool,
    text: TextOptions,
    hook: ExecHook,
}

impl Watched for Printer {
    fn line(&mut self, mut line: WatchLine) {
        if let Some(summary) = &mut line.summary {
            self.awake();
            match self.hook.not_ended() {
                (0, _) => {}
                (run, 0) => eprintln!("heldup: {run} calls of --exec still run and are left alone"),
                (run, wait) => eprintln!(
                    "heldup: {run} calls of --exec still run and are left alone; {wait} were not made"
                ),
            }
            (summary.commands_run, summary.commands_failed) = (self.hook.run, self.hook.failed);
        }
        match self.format {
            Format::Json => print!("{}", report::json_line(&line)),
            Format::Csv => print!("{}", report::csv_line(&line)),
            Format::Text if self.quiet && line.finding.is_none() => {}
            Format::Text => print!("{}", report::text_line(&line, &self.text)),
        }
        if line.event == WatchEvent::Appeared {
            command_failed(&self.hook.call(&line));
        }
    }

    fn awake(&mut self) {
        command_failed(&self.hook.ended());
    }
}

fn command_failed(said: &[String]) {
    for wrong in said {
        eprintln!("heldup: the command of --exec {}", heldup_report::harmless(wrong));
    }
}
