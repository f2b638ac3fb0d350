//! An examination as text: the first screen that somebody with a slow machine reads.
//!
//! From the top: which machine and when, its vital signs, the answer, where active time went, and what
//! could not be seen. Each part is a file; all of them write through
//! [`crate::layout::Page`], which wraps, inks and makes harmless.

pub(crate) mod answer;
pub(crate) mod closing;
pub(crate) mod command;
pub(crate) mod files;
pub(crate) mod finding;
pub(crate) mod findings;
pub(crate) mod header;
pub(crate) mod healthy;
pub(crate) mod ledger;
pub(crate) mod profile;
pub(crate) mod tasks;
pub(crate) mod vitals;
pub(crate) mod waits;
pub(crate) mod worst;

pub(crate) use answer::severity;

pub use header::machine;

use heldup_model::Examination;
use jiff::tz::TimeZone;

use crate::layout::Page;

/// Narrower than this the columns of the ledger do not fit; a narrower terminal wraps.
const LEAST_WIDTH: usize = 80;
/// Wider lines are hard to read; what is left over stays empty.
const MOST_WIDTH: usize = 160;

/// How the text is laid out.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// Columns of the terminal; at least 80 are used.
    pub width: usize,
    /// Colour, for a terminal.
    pub color: bool,
    /// Bars beside the classes of time, for a terminal.
    pub bars: bool,
    /// Only ASCII, where the locale is not UTF-8.
    pub ascii: bool,
    /// Every finding in full, with all evidence.
    pub details: bool,
    /// Whether the reader has to type `sudo` before a printed command.
    pub sudo: bool,
    /// Zone in which times are shown.
    pub time_zone: TimeZone,
}

impl Default for TextOptions {
    /// As for a pipe or a file: 80 columns, no colour, no bars, UTC.
    fn default() -> TextOptions {
        TextOptions {
            width: LEAST_WIDTH,
            color: false,
            bars: false,
            ascii: false,
            details: false,
            sudo: false,
            time_zone: TimeZone::UTC,
        }
    }
}

/// The examination as text.
pub fn render(examination: &Examination, options: &TextOptions) -> String {
    let width = options.width.clamp(LEAST_WIDTH, MOST_WIDTH);
    let mut page = Page::new(width, options.color, options.ascii);
    header::write(&mut page, examination, &options.time_zone);
    vitals::write(&mut page, examination);
    if let Some(command) = &examination.command {
        page.gap();
        command::write(&mut page, command);
    }
    page.gap();
    if !answer::write(&mut page, examination, options) {
        healthy::write(&mut page, examination);
    }
    worst::write(&mut page, examination, options);
    page.gap();
    match &examination.command {
        Some(command) => command::write_time(&mut page, command, examination, options),
        None => ledger::write(&mut page, examination, options),
    }
    if !examination.files.is_empty() {
        page.gap();
        files::write(&mut page, &examination.files, &examination.host.source, options);
    }
    if options.details {
        findings::write(&mut page, examination, options);
    }
    page.gap();
    closing::write(&mut page, examination, options);
    page.finish()
}
