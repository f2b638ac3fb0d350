//! `heldup watch`: the machine examined window after window, and a line when something happens.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use heldup_diagnose::Focus;
use heldup_engine::{Cancel, WatchRequest, Watched, watch};
use heldup_model::{Severity, WatchEvent, WatchLine};
use heldup_report::{TextOptions, watch as report};

use crate::arg_values::{parse_duration, parse_of, parse_window};
use crate::args::{ColorChoice, MethodChoice};
use crate::exec_hook::ExecHook;
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Options of `watch`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup watch
  sudo heldup watch --every 30s --json >>findings.jsonl
  sudo heldup watch --exec /usr/local/bin/notify
  sudo heldup watch --exec-shell 'mail -s \"$HELDUP_HOST: $HELDUP_TITLE\" root'
  sudo heldup watch --ignore cpu.saturated,fs.full/mount:/boot
  heldup watch --appear 1/1 --end 1      tell each window as it is

A finding appears when it was found in 2 of the last 3 windows (--appear), a critical one at once,
and ends after 2 windows without it (--end). It changes when its severity rises, or when severity,
first culprit or cost (to twice or half) are otherwise for two windows.

The command of --exec is called for each finding that appears and is not explained by another one,
with HELDUP_EVENT, HELDUP_HOST, HELDUP_ID, HELDUP_KEY, HELDUP_SEVERITY and HELDUP_TITLE in its
environment and the line of --json as its input. It runs with heldup's rights, writes to standard
error, and is never waited for; at most four calls run at once, further ones wait for these.

Ctrl-C or SIGTERM end it with a summary, which says what looking cost.")]
pub struct WatchArgs {
    /// Length of a window; the next one begins where it ends
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_window)]
    pub every: Duration,
    /// How long to watch, in whole windows; until Ctrl-C without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub length: Option<Duration>,
    /// In K of the last N windows a finding must be found to appear
    #[arg(long, value_name = "K/N", default_value = "2/3", value_parser = parse_of)]
    pub appear: (u32, u32),
    /// Windows in a row without it after which a finding has ended
    #[arg(long, value_name = "M", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub end: u32,
    /// Tell findings of this severity and worse
    #[arg(long, value_enum, default_value_t, value_name = "SEVERITY")]
    pub least: SeverityChoice,
    /// Run this program for each new finding, without a shell and without arguments
    #[arg(long, value_name = "PROGRAM", conflicts_with = "exec_shell")]
    pub exec: Option<OsString>,
    /// Have sh run this line for each new finding
    #[arg(long, value_name = "LINE")]
    pub exec_shell: Option<OsString>,
    /// JSON lines for programs: schema heldup/watch/1
    #[arg(long)]
    pub json: bool,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME or port:N
    #[arg(long, value_name = "KIND:NAME")]
    pub focus: Option<Focus>,
    /// Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)
    #[arg(long, value_name = "ID[,ID]", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Further rules: a folder of rule files
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each
    /// switch of a task
    #[arg(long)]
    pub own_cost: bool,
}

/// How bad a finding must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SeverityChoice {
    /// Failures now, a quarter of the active time, or exhaustion within an hour.
    Critical,
    /// A twentieth of the active time, or exhaustion within a day.
    #[default]
    Warning,
    /// Worth knowing.
    Info,
}

impl From<SeverityChoice> for Severity {
    fn from(choice: SeverityChoice) -> Severity {
        match choice {
            SeverityChoice::Critical => Severity::Critical,
            SeverityChoice::Warning => Severity::Warning,
            SeverityChoice::Info => Severity::Info,
        }
    }
}

/// Watches until it is stopped or the time is over.
pub fn run(args: &WatchArgs) -> anyhow::Result<Exit> {
    let request = WatchRequest {
        every: args.every,
        length: args.length,
        least: args.least.into(),
        appear: args.appear,
        end: args.end,
        method: args.method.into(),
        focus: args.focus.clone(),
        ignore: args.ignore.clone(),
        rules: args.rules.clone(),
        own_cost: args.own_cost,
    };
    let mut printer = Printer {
        json: args.json,
        text: terminal::text_options(terminal::color(args.color)),
        hook: ExecHook::new(args.exec.as_ref(), args.exec_shell.as_ref()),
    };
    watch(&request, &mut printer, &Progress::notes(), &Cancel::Signals)?;
    Ok(Exit::DONE)
}

/// Prints what happens, and calls the command of --exec for it.
struct Printer {
    json: bool,
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
        match self.json {
            true => print!("{}", report::json_line(&line)),
            false => print!("{}", report::text_line(&line, &self.text)),
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
