//! `heldup examine`: where a machine's time goes, and why.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, bail};
use heldup_archive::store;
use heldup_diagnose::{Focus, Options, add_baseline, cut, diagnose_with};
use heldup_model::{Capture, Examination, Flaw, Severity, Span, Timeline};
use heldup_report::{TextOptions, json, text};
use jiff::tz::TimeZone;

use crate::WrongUsage;
use crate::archive_source::ArchiveSource;
use crate::args::{ExamineArgs, Format};
use crate::examination;
use crate::exit::Exit;
use crate::ignored::Ignored;
use crate::live::{Looked, Request, Window, look};
use crate::recordings;
use crate::side;
use crate::source::{Source, baseline_file, last_folder, load};
use crate::timeline::{Judge, timeline};
use crate::{own_cost, terminal};

use super::rules;

/// How long to look at the live machine.
const DEFAULT_WINDOW: Duration = Duration::from_secs(10);
/// Rules look at every row of a window; of a longer one they look at the worst stretches.
const LONGEST_WINDOW_MS: i64 = 15 * 60_000;
/// What is looked at of an archive where nobody says what.
const DAY_MS: i64 = 24 * 3_600_000;

/// Examines the live machine, a command's run, a kept capture or a window of an archive.
pub fn run(args: &ExamineArgs, command: &[OsString]) -> anyhow::Result<Exit> {
    let ruleset = rules::ruleset(args.rules.as_deref());
    let focus = args.focus.as_deref().map(str::parse::<Focus>).transpose().map_err(WrongUsage)?;
    let ignored = Ignored::parse(&args.ignore, &ruleset)?;
    let source = Source::parse_all(&args.sources, &args.span)?;
    if !command.is_empty() && args.span.is_asked() {
        bail!(WrongUsage("a command is run now: --since, --until and --host are for archives".to_owned()));
    }
    let baseline = baseline(args, &source)?;
    let mut files = Vec::new();
    let (name, mut looked) = match &source {
        Source::Live => ("live", look(&request(args, command))?),
        Source::Kept { name, folder } => (name.as_str(), Looked::kept(load(folder)?)),
        Source::Recordings { name, files: paths } => {
            let (capture, read) = recordings::read(paths)?;
            files = read;
            (name.as_str(), Looked::kept(capture))
        }
        Source::Archive(archive) => {
            let (span, is_long) = window(archive, args)?;
            if is_long {
                let judge = Judge { ruleset: &ruleset, ignored: &ignored, focus, baseline };
                return Ok(tell(args, &timeline(archive, span, &judge)?));
            }
            (archive.name.as_str(), recorded(archive, span)?)
        }
    };
    if let Some(Err(error)) = baseline.map(|baseline| add_baseline(&mut looked.capture, &baseline)) {
        let place = "baseline".to_owned();
        looked.capture.flaws.push(Flaw { place, what: error.to_string() });
    }
    let options = Options { own_pid: looked.own_pid, focus, clock: Some(heldup_hostfs::thread_cpu_ns) };
    let mut diagnosis = diagnose_with(&looked.capture, &ruleset, &options);
    ignored.leave_out(&mut diagnosis.findings);
    let mut examination = examination::of(&looked.capture, diagnosis, name)?;
    examination.files = files;
    // The query that a finding prints asks @last: of an archive's window too.
    let wanted = !matches!(source, Source::Kept { .. }) && !args.no_keep;
    if let Some(error) = wanted.then(|| keep(&looked)).and_then(Result::err) {
        eprintln!("heldup: this examination is not kept as @last: {error:#}");
    }
    examination.cost_of_looking = own_cost::so_far(looked.programs, args.own_cost);
    print(args, &examination);
    let worst = examination.findings.iter().map(|finding| finding.severity).min();
    let found = args.answer.check && worst.is_some_and(|worst| worst <= Severity::Warning);
    // As time(1) does: a script that wraps a command in us sees the command fail.
    let failed = looked.exit.filter(|status| !status.success()).map(exit_code);
    let judged = if found { Exit::FOUND } else { Exit::DONE };
    Ok(failed.unwrap_or(judged))
}

/// What settings are held against: what is named, else, for the live machine, what was kept as its
/// baseline. One that was kept and cannot be read is said, and the examination goes on.
fn baseline(args: &ExamineArgs, source: &Source) -> anyhow::Result<Option<Capture>> {
    if let Some(word) = &args.baseline {
        return side::baseline(word).map(|side| Some(side.capture));
    }
    let kept = baseline_file().ok().filter(|file| matches!(source, Source::Live) && file.exists());
    let loaded = kept.map(|file| load(&file)).transpose();
    Ok(loaded.unwrap_or_else(|error| {
        eprintln!("heldup: the baseline is left out: {error:#}");
        None
    }))
}

/// The window of an archive that was asked for, else its last day, and whether it is so long that
/// only its worst stretches are examined.
fn window(archive: &ArchiveSource, args: &ExamineArgs) -> anyhow::Result<(Span, bool)> {
    if let Some(span) = archive.asked(&args.span, args.window)? {
        return Ok((span, span.until_ms - span.since_ms > LONGEST_WINDOW_MS));
    }
    let all = archive.all()?;
    let length_ms = args.window.map_or(DAY_MS, |length| i64::try_from(length.as_millis()).unwrap_or(DAY_MS));
    let last = Span { since_ms: all.since_ms.max(all.until_ms - length_ms), ..all };
    Ok((last, last.until_ms - last.since_ms > LONGEST_WINDOW_MS))
}

/// A window of an archive, without the recorder's own part in it.
fn recorded(archive: &ArchiveSource, span: Span) -> anyhow::Result<Looked> {
    let capture = archive.capture(span)?;
    let own_pid = archive.own_pid(&capture);
    Ok(Looked { own_pid, ..Looked::kept(capture) })
}

/// Prints a timeline.
fn tell(args: &ExamineArgs, told: &Timeline) -> Exit {
    let rendered = match args.answer.format {
        Format::Json => heldup_report::timeline::json(told),
        Format::Text => heldup_report::timeline::text(told, &text_options(args)),
    };
    println!("{}", rendered.trim_end());
    let mut findings = told.stretches.iter().flat_map(|stretch| &stretch.findings);
    let found = args.answer.check && findings.any(|finding| finding.severity <= Severity::Warning);
    if found { Exit::FOUND } else { Exit::DONE }
}

/// The exit code by which a shell tells how a command ended: 128 and the number of the signal.
fn exit_code(status: ExitStatus) -> Exit {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    Exit(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

fn request(args: &ExamineArgs, command: &[OsString]) -> Request {
    let window = match command {
        [] => Window::For(args.window.unwrap_or(DEFAULT_WINDOW)),
        command => Window::Command {
            command: command.to_vec(),
            answer_on_stdout: args.answer.format == Format::Json,
        },
    };
    Request::of(window, args.method).with_own_cost(args.own_cost)
}

/// Kept without this program's own rows, as the rules saw it: the query that a finding
/// prints must give the same numbers again.
fn keep(looked: &Looked) -> anyhow::Result<()> {
    let folder = last_folder()?;
    let capture = cut(&looked.capture, None, looked.own_pid).capture;
    store::save(&capture, &folder).with_context(|| format!("cannot write {}", folder.display()))
}

fn print(args: &ExamineArgs, examination: &Examination) {
    let rendered = match args.answer.format {
        Format::Json => json::render(examination),
        Format::Text => text::render(examination, &text_options(args)),
    };
    println!("{}", rendered.trim_end());
}

fn text_options(args: &ExamineArgs) -> TextOptions {
    let color = terminal::color(args.answer.color);
    TextOptions {
        width: terminal::width(),
        color,
        bars: color,
        ascii: !terminal::unicode(),
        details: args.answer.details,
        time_zone: TimeZone::system(),
    }
}
