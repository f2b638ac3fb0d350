//! `heldup examine`: where a machine's time goes, and why.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heldup_diagnose::Focus;
use heldup_engine::{Cancel, CommandToRun, ExamineRequest, Examined, examine};
use heldup_model::Severity;
use heldup_report::{TextOptions, json, text, timeline};

use crate::arg_values::parse_duration;
use crate::args::{AnswerArgs, Format, MethodChoice, SpanArgs};
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Options of `examine`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  sudo heldup examine --for 30s
  sudo heldup examine --focus unit:nginx.service
  sudo heldup examine --format json | jq '.findings[].key'
  heldup examine @last              judge the last window again, without looking anew
  heldup examine @last --details    the same, with every finding in full
  sudo heldup examine --since \"yesterday 03:00\" --until 03:10
                                    what was recorded then (heldup record)
  heldup examine vmstat.txt         what another tool printed; it says what each file was
  heldup examine sosreport.tar.xz   a report, packed as it came; folders too
  heldup examine before/ after/     /proc and /sys saved twice: what happened in between
  heldup examine ARCHIVE --since 03:00Z --for 10m --host db1")]
pub struct ExamineArgs {
    /// What to examine: nothing for this machine, `@last` for the last examination, a kept capture's
    /// folder or file, an archive's folder, or what others wrote: files of vmstat and sysstat's tools
    /// (iostat, mpstat, pidstat, sar, sadf, sadc), logs of a kernel, files and trees of /proc and /sys,
    /// reports of sos and supportconfig, folders of these, packed or not (docs/import.md)
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// How long to look, from now or from --since: 10s, 500ms, 2m; 10s without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which window of an archive
    #[command(flatten)]
    pub span: SpanArgs,
    /// Judge only this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command
    #[arg(long, value_name = "KIND:NAME")]
    pub focus: Option<Focus>,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
    /// Leave out findings that are known: ids (disk.slow), or keys of one subject (fs.full/mount:/boot)
    #[arg(long, value_name = "ID[,ID]", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Say which settings differ from those of a capture, or of an archive at a time, ARCHIVE@TIME
    /// (config.drift); of this machine without it the one that `heldup capture --baseline` kept
    #[arg(long, value_name = "SOURCE")]
    pub baseline: Option<String>,
    /// Further rules: a folder of rule files
    #[arg(long, value_name = "FOLDER")]
    pub rules: Option<PathBuf>,
    /// Have the kernel count what our eBPF programs cost; that itself costs some 250 ns for each
    /// switch of a task
    #[arg(long)]
    pub own_cost: bool,
    /// How the answer is written
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Do not keep this examination as @last
    #[arg(long)]
    pub no_keep: bool,
}

/// Examines the live machine, a command's run, a kept capture or a window of an archive.
pub fn run(args: &ExamineArgs, command: &[OsString]) -> anyhow::Result<Exit> {
    let (findings, rendered, exit) =
        match examine(&request(args, command)?, &Progress::default(), &Cancel::Signals)? {
            Examined::Window { examination, exit } => {
                let rendered = match args.answer.format {
                    Format::Json => json::render(&examination),
                    Format::Text => text::render(&examination, &text_options(args)),
                };
                (examination.findings.iter().map(|finding| finding.severity).min(), rendered, exit)
            }
            Examined::Timeline(told) => {
                let rendered = match args.answer.format {
                    Format::Json => timeline::json(&told),
                    Format::Text => timeline::text(&told, &text_options(args)),
                };
                let findings = told.stretches.iter().flat_map(|stretch| &stretch.findings);
                (findings.map(|finding| finding.severity).min(), rendered, None)
            }
        };
    println!("{}", rendered.trim_end());
    let found = args.answer.check && findings.is_some_and(|worst| worst <= Severity::Warning);
    // As time(1) does: a script that wraps a command in us sees the command fail.
    let failed = exit.filter(|status| !status.success()).map(Exit::of_command);
    let judged = if found { Exit::FOUND } else { Exit::DONE };
    Ok(failed.unwrap_or(judged))
}

fn request(args: &ExamineArgs, command: &[OsString]) -> anyhow::Result<ExamineRequest> {
    let answer_on_stdout = args.answer.format == Format::Json;
    Ok(ExamineRequest {
        sources: args.sources.clone(),
        command: (!command.is_empty()).then(|| CommandToRun { words: command.to_vec(), answer_on_stdout }),
        window: args.window,
        span: args.span.asked(),
        focus: args.focus.clone(),
        method: args.method.into(),
        ignore: args.ignore.clone(),
        baseline: args.baseline.clone(),
        rules: args.rules.clone(),
        own_cost: args.own_cost,
        keep: !args.no_keep,
    })
}

fn text_options(args: &ExamineArgs) -> TextOptions {
    let color = terminal::color(args.answer.color);
    TextOptions { bars: color, details: args.answer.details, ..terminal::text_options(color) }
}
