//! The terminal that the answer is written to: its width, whether it shows colour, and progress.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use heldup_engine::Step;
use heldup_hostfs::monotonic_ns;
use heldup_report::{TextOptions, harmless};
use jiff::tz::TimeZone;

use crate::args::{AnswerArgs, ColorChoice, LineArgs, LookArgs};

/// Columns of a line about progress.
const COLUMNS: usize = 60;
/// Work of less is over before a line about it is read.
const SHORT: Duration = Duration::from_secs(2);
/// Narrowest layout, and the width where nobody says one.
const NARROWEST: usize = 80;

/// Restores the default reaction to a closed pipe, so that `heldup … | head` ends quietly.
pub fn die_quietly_on_closed_pipe() {
    heldup_hostfs::default_sigpipe();
}

/// Columns to lay out for: the terminal's, else COLUMNS, else 80.
pub fn width() -> usize {
    let of_terminal =
        terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    of_terminal.or_else(told).unwrap_or(NARROWEST).max(NARROWEST)
}

/// Columns that a table of rows may take: unlimited where the output goes to a file or a pipe.
pub fn table_width() -> usize {
    if std::io::stdout().is_terminal() { width() } else { usize::MAX }
}

/// Whether standard output shows colour.
fn color(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                && std::env::var_os("TERM").is_none_or(|v| v != "dumb")
        }
    }
}

/// Whether the locale can show more than ASCII.
pub fn unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    match locale {
        Some(locale) => {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        // Without a locale (cron, sudo with a clean environment) terminals still are UTF-8 today.
        None => true,
    }
}

/// How an answer is written on this terminal.
pub fn text_options(args: &AnswerArgs) -> TextOptions {
    TextOptions { details: args.verbose, ..line_options(&args.line) }
}

/// How the lines of an answer are written on this terminal.
pub fn line_options(args: &LineArgs) -> TextOptions {
    look_options(&args.look)
}

/// How it is drawn on this terminal.
pub fn look_options(args: &LookArgs) -> TextOptions {
    TextOptions {
        width: width(),
        color: color(args.color),
        bars: true,
        ascii: args.ascii || !unicode(),
        details: false,
        sudo: heldup_hostfs::is_root(),
        time_zone: TimeZone::system(),
    }
}

/// Writes an answer to standard output, or to a file.
pub fn write_answer(text: &str, file: Option<&Path>) -> anyhow::Result<()> {
    let text = format!("{}\n", text.trim_end());
    match file {
        // Of nothing there is no line.
        None if text == "\n" => {}
        None => print!("{text}"),
        Some(file) => {
            std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
    }
    Ok(())
}

/// Steps of time in a figure of a page at most: half of its width in pixels.
pub const PAGE_STEPS: usize = 340;

/// Writes a page to a file, or to where standard output goes; it is nothing that a terminal shows.
pub fn write_page(page: &str, file: Option<&Path>) -> anyhow::Result<()> {
    if file.is_none() {
        must_be_a_file()?;
    }
    write_answer(page, file)
}

/// A page is nothing for a terminal.
pub fn must_be_a_file() -> anyhow::Result<()> {
    if std::io::stdout().is_terminal() {
        let what = "a page is for a file: -o report.html, or >report.html";
        return Err(heldup_engine::EngineError::usage(what).into());
    }
    Ok(())
}

/// What waiting for an answer looks like: notes on standard error, and on a terminal a line about work of more than
/// two seconds.
pub struct Progress {
    begun_ns: u64,
    steps: bool,
    shown: AtomicBool,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::with(std::io::stderr().is_terminal())
    }
}

impl Progress {
    /// Notes only: for work that has no end to come closer to.
    pub fn notes() -> Progress {
        Progress::with(false)
    }

    /// Writes a note for each line.
    pub fn all<Line: AsRef<str>>(&self, lines: impl IntoIterator<Item = Line>) {
        lines.into_iter().for_each(|line| heldup_engine::Progress::note(self, line.as_ref()));
    }

    fn with(steps: bool) -> Progress {
        Progress { begun_ns: monotonic_ns(), steps, shown: AtomicBool::new(false) }
    }

    fn show(&self, line: &str) {
        self.shown.store(true, Ordering::Relaxed);
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "\r{line:COLUMNS$}");
        let _ = out.flush();
    }

    fn wipe(&self) {
        if self.shown.swap(false, Ordering::Relaxed) {
            let _ = write!(std::io::stderr(), "\r{:COLUMNS$}\r", "");
        }
    }
}

impl heldup_engine::Progress for Progress {
    fn step(&self, step: Step<'_>) {
        if !self.steps {
            return;
        }
        let has_lasted = || monotonic_ns().saturating_sub(self.begun_ns) > SHORT.as_nanos() as u64;
        match step {
            Step::Looked { of: Some(total), .. } if total <= SHORT => {}
            Step::Looked { so_far, of: Some(total) } => {
                self.show(&format!("looking: {:.0} of {:.0} s", so_far.as_secs_f64(), total.as_secs_f64()));
            }
            Step::Looked { so_far, of: None } => {
                self.show(&format!("looking: {:.0} s", so_far.as_secs_f64()));
            }
            Step::Done { count, of: Some(of), what } if has_lasted() => {
                self.show(&format!("{count} of {of} {what}"));
            }
            Step::Done { count, of: None, what } if has_lasted() => self.show(&format!("{count} {what}")),
            Step::Done { .. } | Step::Block { .. } | Step::Noise { .. } | Step::Pair { .. } => {}
        }
    }

    fn note(&self, what: &str) {
        self.wipe();
        eprintln!("heldup: {}", harmless(what));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.wipe();
    }
}
