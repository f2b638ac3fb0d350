//! `heldup examine`: where a machine's time goes, and why.

use std::ffi::OsString;

use heldup_engine::{Cancel, CommandToRun, ExamineRequest, Examined, examine};
use heldup_model::Severity;
use heldup_report::{TextOptions, json, text, timeline};

use crate::args::{ExamineArgs, Format};
use crate::exit::Exit;
use crate::terminal::{self, Progress};

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
