//! `heldup examine` and `heldup run`: where a machine's time goes, and why.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_engine::{
    Cancel, CommandToRun, ExamineRequest, Examined, examine, examine_for_report, zone_named,
};
use heldup_model::{Examination, ReportParts, Severity, Timeline};
use heldup_report::{TextOptions, brief, csv, html, json, text, timeline};
use heldup_serve::link_to;

use crate::arg_values::parse_duration;
use crate::args::{AnswerArgs, FailOnArgs, FocusArgs, Format, MethodArgs, PageArgs, SpanArgs, with_page};
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::{self, PAGE_STEPS, Progress};

/// Options of `examine`.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("format", with_page))]
#[command(after_long_help = "\
Examples:
  sudo heldup examine --for 30s
  sudo heldup examine -u nginx
  sudo heldup examine --json | jq '.findings[].key'
  sudo heldup examine -o report.html         one page with figures, for mail and print
  heldup examine @last              report the last examination again, without measuring
  heldup examine @last -v           the same, with all evidence
  heldup examine @last~1            the one before; @41 is examination 41
  sudo heldup examine --since \"yesterday 03:00\" --until 03:10
                                    what was recorded then (heldup record)
  heldup examine vmstat.txt         output of another tool
  heldup examine sosreport.tar.xz   a report, packed as it came; folders too
  heldup examine before/ after/     /proc and /sys saved twice: what happened in between
  heldup examine ARCHIVE --since 03:00Z --for 10m --host db1
  heldup examine -- make -j4        run a command and examine it (heldup run)")]
pub struct ExamineArgs {
    /// Recordings to read (default: this machine, now)
    ///
    /// @last, @last~1 or @41 is a saved examination. Also read: files of heldup capture, folders of
    /// heldup record, output of vmstat, sysstat (iostat, mpstat, pidstat, sar, sadf, sadc), nmon and tools
    /// of other Unix systems, AWR and other database reports, kernel logs, files and trees of /proc and
    /// /sys, sos and supportconfig reports, folders of these, packed or not (docs/import.md).
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Window, from now or from --since (default 10s)
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which part of a recording.
    #[command(flatten)]
    pub span: SpanArgs,
    /// How it is examined.
    #[command(flatten)]
    pub options: ExamineOptions,
    /// Run this command and examine it from start to end
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Options of `run`.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("format", with_page))]
#[command(after_long_help = "\
Examples:
  sudo heldup run make -j4
  sudo heldup run --json -o build.json -- make -j4 2>build.log
  heldup run sh -c 'sort big | uniq -c'

The exit code is that of the command where it is not 0, 128 plus the signal's number where a signal
ended it, and 127 where the command is not found.")]
pub struct RunArgs {
    /// How it is examined.
    #[command(flatten)]
    pub options: ExamineOptions,
    /// Command to run, with its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// How something is examined.
#[derive(Args, Clone, Debug)]
pub struct ExamineOptions {
    /// Which subject alone.
    #[command(flatten)]
    pub focus: FocusArgs,
    /// How to account for time.
    #[command(flatten)]
    pub method: MethodArgs,
    /// Leave out known findings, by ID (disk.slow) or key (fs.full/mount:/boot)
    #[arg(long, value_name = "ID,…", value_delimiter = ',', hide_short_help = true)]
    pub ignore: Vec<String>,
    /// Compare settings with SOURCE (default: the saved baseline)
    #[arg(long, value_name = "SOURCE", hide_short_help = true)]
    pub baseline: Option<String>,
    /// Use further rules from FOLDER
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub rules: Option<PathBuf>,
    /// Also measure eBPF run time (adds 250 ns per context switch)
    #[arg(long, hide_short_help = true)]
    pub measure_overhead: bool,
    /// Do not save this examination (no @last)
    #[arg(long, hide_short_help = true)]
    pub no_save: bool,
    /// Where the answer goes.
    #[command(flatten)]
    pub page: PageArgs,
    /// How the answer is written.
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Whether findings fail the command.
    #[command(flatten)]
    pub fail_on: FailOnArgs,
}

/// Examines the live machine, a command's run, a saved examination or recordings.
pub fn run(args: &ExamineArgs) -> anyhow::Result<Exit> {
    let request = ExamineRequest {
        sources: args.sources.clone(),
        window: args.window,
        span: args.span.asked(),
        ..request(&args.options, &args.command)
    };
    answer(&request, &args.options)
}

/// Runs a command and examines it.
pub fn run_command(args: &RunArgs) -> anyhow::Result<Exit> {
    answer(&request(&args.options, &args.command), &args.options)
}

fn answer(request: &ExamineRequest, options: &ExamineOptions) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::ANSWERS);
    let file = options.page.output.as_deref();
    let is_page = options.answer.is_page(file);
    let (found, parts) = match is_page {
        true => examine_for_report(request, PAGE_STEPS, &Progress::default(), &Cancel::Signals)?,
        false => (examine(request, &Progress::default(), &Cancel::Signals)?, ReportParts::default()),
    };
    let link = link(&found, &request.sources).filter(|_| !options.answer.quiet());
    let (worst, rendered, exit) = match found {
        Examined::Window { examination, exit } => {
            let stretches = examination.stretches.iter().flat_map(|stretch| &stretch.findings);
            let all = examination.findings.iter().map(|finding| finding.severity);
            let worst = all.chain(stretches.map(|finding| finding.severity)).min();
            let rendered = match is_page {
                true => html::examination(&examination, &parts, &options_of(&examination, options)),
                false => window(&examination, options),
            };
            (worst, rendered, exit)
        }
        Examined::Timeline(told) => {
            let rendered = match is_page {
                true => html::timeline(&told, &parts, &text_options(options)),
                false => stretches(&told, options),
            };
            (worst_of(&told), rendered, None)
        }
    };
    if is_page {
        terminal::write_page(&rendered, file)?
    } else {
        terminal::write_answer(&rendered, file)?
    }
    if let Some(link) = link.filter(|_| !is_page && options.answer.format() == Format::Text) {
        eprintln!("heldup: on the page: {link}");
    }
    // As time(1) does: a script that wraps a command in us sees the command fail.
    let failed = exit.filter(|status| !status.success()).map(Exit::of_command);
    let judged = if options.fail_on.fails(worst) { Exit::FOUND } else { Exit::DONE };
    Ok(failed.unwrap_or(judged))
}

/// The address of the first finding, where a page of the same source is served.
fn link(found: &Examined, sources: &[String]) -> Option<String> {
    let Examined::Window { examination, .. } = found else { return None };
    let worst = examination.findings.iter().find(|finding| finding.severity < Severity::Info)?;
    link_to(sources, &worst.key, examination.from.as_deref(), examination.to.as_deref())
}

/// Files have their times in the zone of their machine, and whoever reads both compares them.
fn options_of(examination: &Examination, options: &ExamineOptions) -> TextOptions {
    let reader = text_options(options);
    let zone = examination.time_zone.as_deref().and_then(zone_named);
    let time_zone = zone.unwrap_or_else(|| reader.time_zone.clone());
    TextOptions { time_zone, ..reader }
}

fn window(examination: &Examination, options: &ExamineOptions) -> String {
    match options.answer.format() {
        Format::Json => json::render(examination),
        Format::Csv => csv::list(examination, "findings"),
        Format::Text if options.answer.quiet() => brief::findings(examination.findings.iter()),
        Format::Text => text::render(examination, &options_of(examination, options)),
    }
}

fn stretches(told: &Timeline, options: &ExamineOptions) -> String {
    match options.answer.format() {
        Format::Json => timeline::json(told),
        Format::Csv => csv::list(told, "stretches"),
        Format::Text => timeline::text(told, &text_options(options)),
    }
}

fn worst_of(told: &Timeline) -> Option<Severity> {
    let findings = told.stretches.iter().flat_map(|stretch| &stretch.findings);
    findings.map(|finding| finding.severity).min()
}

fn request(options: &ExamineOptions, command: &[OsString]) -> ExamineRequest {
    // What the command prints must not stand within an answer for a program.
    let is_answer = options.answer.format() != Format::Text || options.answer.is_page(None);
    let answer_on_stdout = is_answer && options.page.output.is_none();
    ExamineRequest {
        sources: Vec::new(),
        command: (!command.is_empty()).then(|| CommandToRun { words: command.to_vec(), answer_on_stdout }),
        window: None,
        span: Default::default(),
        focus: options.focus.focus(),
        method: options.method.method.into(),
        ignore: options.ignore.clone(),
        baseline: options.baseline.clone(),
        rules: options.rules.clone(),
        measure_overhead: options.measure_overhead,
        save: !options.no_save,
        redact: options.page.redact,
    }
}

fn text_options(options: &ExamineOptions) -> TextOptions {
    terminal::text_options(&options.answer)
}
