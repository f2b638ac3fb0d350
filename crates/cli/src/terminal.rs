//! The terminal that the answer is written to: its width, whether it shows colour, and progress.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use crate::args::ColorChoice;

/// Narrowest layout.
const NARROWEST: usize = 80;
/// Width where the output is no terminal.
const PIPED: usize = 100;

/// Restores the default reaction to a closed pipe, so that `heldup … | head` ends quietly.
pub fn die_quietly_on_closed_pipe() {
    heldup_hostfs::default_sigpipe();
}

/// Columns to lay out for.
pub fn width() -> usize {
    terminal_size::terminal_size().map_or(PIPED, |(width, _)| usize::from(width.0).max(NARROWEST))
}

/// Columns that a table of rows may take: unlimited where the output goes to a file or a pipe.
pub fn table_width() -> usize {
    if std::io::stdout().is_terminal() { width() } else { usize::MAX }
}

/// Whether standard output shows colour and bars.
pub fn color(choice: ColorChoice) -> bool {
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

/// Progress on standard error: only on a terminal, and only for work of more than two seconds.
pub struct Progress {
    total: Option<Duration>,
    shown: bool,
}

impl Progress {
    /// Progress of a window; without a length only the time so far is shown.
    pub fn of(total: Option<Duration>) -> Progress {
        Progress { total, shown: false }
    }

    /// Shows how far it is.
    pub fn show(&mut self, so_far: Duration) {
        let short = self.total.is_some_and(|total| total <= Duration::from_secs(2));
        if short || !std::io::stderr().is_terminal() {
            return;
        }
        self.shown = true;
        let mut out = std::io::stderr().lock();
        let _ = match self.total {
            Some(total) => {
                write!(out, "\rlooking: {:.0} of {:.0} s ", so_far.as_secs_f64(), total.as_secs_f64())
            }
            None => write!(out, "\rlooking: {:.0} s ", so_far.as_secs_f64()),
        };
        let _ = out.flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r{:24}\r", "");
        }
    }
}
