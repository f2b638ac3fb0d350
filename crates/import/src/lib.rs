//! Recordings of other tools, read into the tables of the model.
//!
//! A file is read line by line, from its beginning to its end, in memory that does not grow with it
//! beyond the tables that are kept. Each line is offered to the format whose listing has begun, and
//! where it does not take it to the others: so a listing is read inside prose as well as alone, and
//! in a file that several tools wrote into. What no format takes is not guessed at: a file in which
//! nothing was known says so.
//!
//! What is no text, or has no lines that mean something alone, is told by how it begins ([`whole`]).
//!
//! One file per format, a line each in `formats.rs`. What a number means is the format's business,
//! what follows from it that of the rules.

#![warn(missing_docs)]

mod aix;
mod bundle;
#[cfg(test)]
mod claims;
mod database;
mod disks;
mod document;
mod error;
mod formats;
mod host_name;
mod importer;
mod kernel;
mod merge;
mod monitors;
mod mysql;
mod net;
mod nmon;
mod oracle;
mod pasted;
mod postgres;
mod prefixed;
mod procps;
mod profilers;
mod solaris;
mod stamped;
mod sysstat;
mod table;
mod text;
mod tree;
mod unix;
mod whole;

use std::borrow::Cow;
use std::io::Read;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use heldup_model::tables::{HostRow, SettingRow};
use heldup_model::{Capture, Flaw, Method, Missing, Record, RowSet, Span, Stamp, TimeSource, Timing};
use jiff::tz::TimeZone;

pub use bundle::{Bundle, Limits, read_paths};
pub use document::Hints;
use document::{Document, Line, Notes};
pub use error::ImportError;
use formats::formats;
pub use host_name::UNKNOWN as UNKNOWN_HOST;
use importer::Importer;
pub use merge::{Merged, merge};
use pasted::{Indent, Numbered};
use prefixed::Prefixed;
use stamped::Stamped;
use text::date_order::Dates;
use text::escapes::ESCAPE;
use text::lines::{Lines, RawLine};
use text::what::Encoding;

/// What a file was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileRead {
    /// Its name.
    pub file: String,
    /// The formats that it had listings of, or what it is instead.
    pub what: String,
    /// Whether anything of it was read.
    pub is_known: bool,
    /// Lines that are not empty.
    pub lines: u64,
    /// Lines that belong to a listing.
    pub lines_read: u64,
    /// The span that it covers.
    pub span: Option<Span>,
    /// What is known of its times.
    pub timing: Timing,
    /// Its dates have no year.
    pub lacks_year: bool,
    /// Rows, by table.
    pub rows: Vec<(&'static str, u64)>,
    /// What was taken for granted, and what of it is not kept.
    pub notes: Vec<String>,
    /// The zone in which its local times were read; none where it has none.
    pub zone: Option<TimeZone>,
}

/// A file, read.
pub struct Import {
    /// What it was.
    pub file: FileRead,
    /// Its tables; none where nothing was known.
    pub capture: Option<Capture>,
    /// Lines that could not be read.
    pub flaws: Vec<Flaw>,
}

/// Reads a file from its beginning to its end.
pub fn read(name: &str, input: impl Read, hints: Hints) -> Result<Import, ImportError> {
    let mut lines = Lines::of(input);
    let written_ms = hints.written_ms();
    let mut document = Document::of(name, hints);
    let beginning = lines.beginning().map_err(|source| failed(name, 0, source))?;
    if let Some(whole) = whole::look(beginning) {
        if whole.is_text() {
            document.times.dates = Dates::of(beginning, written_ms);
        }
        let read = whole::read(whole, lines.into_rest(), &mut document);
        let count = match read {
            Err(error) if document.notes.told.is_empty() => return Err(error),
            Err(error) => {
                let place = name.to_owned();
                document
                    .notes
                    .flaws
                    .push(Flaw { place, what: format!("{error}; what stands before is read") });
                0
            }
            Ok(count) => count,
        };
        return finish(document, count, count);
    }
    let encoding = match text::what::look(beginning) {
        Ok(encoding) => encoding,
        Err(what) => return Ok(unknown(name, what.to_owned(), &lines)),
    };
    if encoding == Encoding::Bytes {
        document.times.dates = Dates::of(beginning, written_ms);
        // What cannot be read is said where its lines are.
        if document.times.dates.is_open
            && let Ok(more) = lines.look_ahead(text::date_order::LOOKED_AT_BYTES)
        {
            document.times.dates = Dates::of(more, written_ms);
        }
    }
    let (looked_at, lines_read) = read_lines(&mut lines, &mut document, encoding, formats())?;
    if document.notes.told.is_empty() {
        let mut import = unknown(name, "unknown format".to_owned(), &lines);
        import.flaws = document.notes.flaws;
        return Ok(import);
    }
    finish(document, looked_at, lines_read)
}

/// Offers every line to the formats; how many had words, and how many of those were taken.
fn read_lines<R: Read>(
    lines: &mut Lines<R>,
    document: &mut Document,
    encoding: Encoding,
    formats: Vec<Box<dyn Importer>>,
) -> Result<(u64, u64), ImportError> {
    let mut offered = Offered::to(formats);
    let name = document.file.clone();
    let mut behind = 0;
    let mut spare: Vec<&str> = Vec::new();
    let mut indent = Indent::default();
    loop {
        // What cannot be read is said where its lines are.
        if let Some(least) = indent.asks()
            && let Ok(ahead) = lines.look_ahead(least)
        {
            indent.look(ahead);
        }
        let raw = match lines.next_line() {
            Ok(Some(raw)) => raw,
            Ok(None) => break,
            Err(source) if document.notes.told.is_empty() => return Err(failed(&name, behind, source)),
            // A packed file that was cut off: its beginning is worth something.
            Err(source) => {
                document.flaw(behind, format!("{source}; expected more behind this line"));
                break;
            }
        };
        let (number, bytes, is_cut) = match raw {
            RawLine::Whole { number, bytes, is_cut } => (number, bytes, is_cut),
            RawLine::TooLong { number, length } => {
                let most = text::lines::MAX_LINE_BYTES;
                document.flaw(number, format!("a line of {length} bytes; expected at most {most}"));
                continue;
            }
        };
        behind = number;
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let mut text = encoding.text(bytes);
        // Of nearly all lines two looks tell that they have neither zeros, nor tags, nor colours, nor letters of a page.
        let is_plain = memchr::memchr3(0, b'<', ESCAPE, bytes).is_none();
        if memchr::memchr2(b'&', text::html::HARD_BLANK[0], bytes).is_some() {
            text = text::html::plain(text);
        }
        if !is_plain && memchr::memchr(ESCAPE, text.as_bytes()).is_some() {
            text = Cow::Owned(text::escapes::without(&text));
        }
        if !is_plain
            && let Cow::Borrowed(_) = text
            && memchr::memchr(0, bytes).is_some()
        {
            document.flaw(number, "zero bytes in a text: damaged here".to_owned());
        }
        let mut offer = |text: &str, spare: &mut Vec<&str>| {
            let text = indent.without(text);
            let text = if text.starts_with('>') { kernel::kernel_line::unquoted(text) } else { text };
            let mut words = text::words::emptied(std::mem::take(spare));
            text::words::cut(text, &mut words);
            let before = offered.taken;
            let is_offered = offered.line(number, &words, text, is_cut, document);
            if !words.is_empty() {
                indent.took(offered.taken > before);
            }
            *spare = text::words::emptied(words);
            is_offered
        };
        match if is_plain { None } else { text::html::pieces(&text) } {
            Some(pieces) => pieces.iter().try_for_each(|piece| offer(piece, &mut spare))?,
            None => offer(&text, &mut spare)?,
        }
    }
    for (format, (lines, name)) in offered.formats.iter_mut().zip(&offered.by_format) {
        document.notes.last = None;
        format.ends(document)?;
        // Some know only at the end what they were.
        let last = document.notes.last.take();
        document.notes.count_lines(*lines, name.or(last));
    }
    Ok((offered.lines, offered.taken))
}

/// The formats, and how far each line got with them.
struct Offered {
    formats: Vec<Box<dyn Importer>>,
    /// The one whose listing began last.
    begun: Option<usize>,
    /// Lines that had words, and those of them that were taken.
    lines: u64,
    taken: u64,
    /// The number that the last line of a numbered listing began with.
    listing_line: u64,
    /// Whether its lines have times before them.
    stamped: Stamped,
    /// Whether they have numbers before them.
    numbered: Numbered,
    /// Whether they have the name of a container or a program before them.
    prefixed: Prefixed,
    /// Rows above the first heading, which somebody cut off.
    above: Vec<(u64, String)>,
    /// Lines that each of the formats took, and the name that it began with.
    by_format: Vec<(u64, Option<&'static str>)>,
}

impl Offered {
    fn to(formats: Vec<Box<dyn Importer>>) -> Offered {
        let by_format = vec![(0, None); formats.len()];
        let (stamped, numbered) = (Stamped::default(), Numbered::default());
        Offered {
            formats,
            begun: None,
            lines: 0,
            taken: 0,
            listing_line: 0,
            stamped,
            numbered,
            prefixed: Prefixed::default(),
            above: Vec::new(),
            by_format,
        }
    }

    fn line(
        &mut self,
        number: u64,
        words: &[&str],
        text: &str,
        is_cut: bool,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        if pasted::is_fence(words) {
            // A head above a fence is of the rows in it.
            let taken = self.begun.and_then(|at| self.by_format.get(at)).map_or(0, |(lines, _)| *lines);
            self.begun = self.begun.filter(|_| taken == 1);
            self.lines += 1;
            return Ok(());
        }
        if let Some(rest) = self.numbered.next(text) {
            let words = pasted::words_of(rest);
            return match words.is_empty() {
                true => Ok(()),
                false => {
                    let line = Line { number, words: &words, text: rest, is_cut };
                    self.line_or_behind_prefix(&line, document).map(|_| ())
                }
            };
        }
        let words = without_number(words, &mut self.listing_line);
        if words.is_empty() {
            return Ok(());
        }
        let line = Line { number, words, text, is_cut };
        if self.line_or_behind_prefix(&line, document)? {
            self.numbered.is_whole();
            return Ok(());
        }
        for (number, rest) in self.numbered.look(&line).into_iter().flatten() {
            let words = pasted::words_of(&rest);
            let line = Line { number, words: &words, text: &rest, is_cut };
            if !words.is_empty() {
                self.lines -= 1;
                self.line_or_behind_prefix(&line, document)?;
            }
        }
        Ok(())
    }

    /// Offers a line, and if nobody takes it what is behind the name of a container or a program; whether the whole was taken.
    fn line_or_behind_prefix(
        &mut self,
        line: &Line<'_>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        if self.cut_line(line, document)? {
            return Ok(true);
        }
        for (number, rest) in self.prefixed.look(line) {
            let words = pasted::words_of(&rest);
            if !words.is_empty() {
                self.lines -= 1;
                self.cut_line(&Line { number, words: &words, text: &rest, is_cut: line.is_cut }, document)?;
            }
        }
        Ok(false)
    }

    /// A line of a listing, or of what stands between listings; whether it was taken.
    fn cut_line(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.lines += 1;
        let was_begun = self.begun;
        let is_taken = self.offer_line(line, document)?;
        if is_taken && was_begun.is_none() && self.begun.is_some() && !pasted::is_row(line.words) {
            self.replay_rows(line, document)?;
        }
        pasted::hold_row(&mut self.above, line, is_taken);
        if !is_taken {
            document.take_time(line);
            document.take_command(line);
            document.take_prompt(line);
            self.formats.iter_mut().for_each(|format| format.command(line.words));
        }
        Ok(is_taken)
    }

    /// Offers rows to the listing whose heading stands below them: of as many words, as each screen of a tool has them again.
    fn replay_rows(&mut self, heading: &Line<'_>, document: &mut Document) -> Result<(), ImportError> {
        for (number, text) in std::mem::take(&mut self.above) {
            let words = pasted::words_of(&text);
            if words.len() != heading.words.len() {
                continue;
            }
            let row = Line { number, words: &words, text: &text, is_cut: false };
            let format = self.begun.and_then(|at| self.formats.get_mut(at));
            self.taken +=
                u64::from(format.is_some_and(|format| format.goes_on(&row, document).unwrap_or(false)));
        }
        Ok(())
    }

    /// Offers a line to the formats, and if need be without the time before it.
    fn offer_line(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Offered { formats, begun, stamped, by_format, .. } = self;
        let mut take = |line: &Line<'_>, document: &mut Document| {
            if document.take_banner(line) {
                return Ok(true);
            }
            let is_taken = offer(formats, begun, line, document)?;
            if let Some((lines, name)) = begun.filter(|_| is_taken).and_then(|at| by_format.get_mut(at)) {
                // Some have listings of several names.
                if let Some(last) = document.notes.last.take().filter(|last| *name != Some(*last)) {
                    document.notes.count_lines(std::mem::take(lines), *name);
                    *name = Some(last);
                }
                *lines += 1;
            }
            Ok(is_taken)
        };
        let is_taken = if stamped.is_so() && stamped.offer(line, document, &mut take)? {
            true
        } else if take(line, document)? {
            stamped.is_whole();
            true
        } else {
            stamped.offer(line, document, &mut take)?
        };
        let is_passed_over = std::mem::take(&mut document.notes.is_passed_over);
        if is_taken {
            self.taken += u64::from(!is_passed_over) + std::mem::take(&mut document.notes.held_lines);
        }
        Ok(is_taken)
    }
}

/// Whether a format took the line: the one whose listing has begun before all others.
fn offer(
    formats: &mut [Box<dyn Importer>],
    begun: &mut Option<usize>,
    line: &Line<'_>,
    document: &mut Document,
) -> Result<bool, ImportError> {
    if let Some(format) = begun.and_then(|at| formats.get_mut(at))
        && format.goes_on(line, document)?
    {
        return Ok(true);
    }
    for (at, format) in formats.iter_mut().enumerate() {
        if *begun != Some(at) && format.begins(line, document)? {
            *begun = Some(at);
            return Ok(true);
        }
    }
    Ok(match begun.and_then(|at| formats.get_mut(at)) {
        Some(format) => format.begins(line, document)?,
        None => false,
    })
}

/// The words of a line of a listing whose lines are numbered (`01 procs …`, `02 r b …`), without the
/// number: one that is one more than that of the line before, from 01 on.
fn without_number<'w>(words: &'w [&'w str], last: &mut u64) -> &'w [&'w str] {
    let Some(first) = words.first().filter(|first| matches!(first.len(), 2 | 3)) else { return words };
    match first.parse::<u64>() {
        Ok(number) if (number == 1 && first.starts_with('0')) || (*last > 0 && number == *last + 1) => {
            *last = number;
            &words[1..]
        }
        _ => words,
    }
}

fn failed(file: &str, line: u64, source: std::io::Error) -> ImportError {
    ImportError::Read { file: file.to_owned(), line, source }
}

fn unknown<R: Read>(name: &str, what: String, lines: &Lines<R>) -> Import {
    let file = FileRead { file: name.to_owned(), what, lines: lines.number(), ..FileRead::default() };
    Import { file, capture: None, flaws: Vec::new() }
}

/// Makes a capture of what was read.
fn finish(mut document: Document, lines: u64, lines_read: u64) -> Result<Import, ImportError> {
    document.note_other_host();
    let host = document.host();
    let sheets = std::mem::take(&mut document.sheets);
    let mut finished = sheets.finish(&host, document.hints.written_ms())?;
    let beyond_time: u64 = finished.beyond_time.values().sum();
    if beyond_time > 0 {
        let what = format!("{beyond_time} rows of no time; expected a year from 1990 to 2199");
        document.notes.flaws.push(Flaw { place: document.file.clone(), what });
    }
    let lacks_day = document.times.is_day_assumed && !document.times.lacks_year;
    if lacks_day && finished.is_dated {
        finished.not_after(document.hints.written_ms())?;
    }
    let span = span_of(finished.tables.values().flatten());
    let has_secs =
        finished.tables.values().flatten().any(|batch| batch.column(1).null_count() < batch.num_rows());
    let timing = document.timing(finished.is_dated, has_secs);
    if finished.has_floating {
        document.note(of_what_has_no_time(finished.is_dated, timing));
    }
    for (format, headings) in std::mem::take(&mut document.notes.unkept) {
        let headings: Vec<String> = headings.into_iter().collect();
        document.note_text(format!("{format}: no column takes {}", headings.join(", ")));
    }
    let mut file = FileRead {
        file: document.file.clone(),
        what: document.notes.what(),
        is_known: span.is_some(),
        lines,
        lines_read,
        span,
        timing,
        lacks_year: document.times.lacks_year,
        rows: finished.rows.iter().map(|(table, rows)| (*table, *rows)).collect(),
        notes: document.notes.texts.iter().cloned().collect(),
        zone: document.zone_read(),
    };
    let Some(span) = span else {
        file.what = why_nothing(&document.notes);
        return Ok(Import { file, capture: None, flaws: document.notes.flaws });
    };
    let row = document.close(span);
    let stamp = Stamp { time_ms: span.until_ms, secs: None, host: host.as_str().into() };
    let table = HostRow::DEF.name;
    let batch = RowSet::increases([row]).to_batch(&stamp);
    let batch = batch.map_err(|source| ImportError::Table { table, source })?;
    finished.tables.insert(table.to_owned(), vec![batch]);
    let settings = document.partition_settings();
    if !settings.is_empty() {
        let table = SettingRow::DEF.name;
        let batch = RowSet::increases(settings).to_batch(&stamp);
        let batch = batch.map_err(|source| ImportError::Table { table, source })?;
        finished.tables.entry(table.to_owned()).or_default().push(batch);
    }
    let capture = Capture {
        host,
        span,
        method: Method::Imported,
        coverage: 0.0,
        untold: Vec::new(),
        timing,
        tables: finished.tables,
        missing: vec![no_task_times(&file)],
        flaws: document.notes.flaws.clone(),
    };
    Ok(Import { file, capture: Some(capture), flaws: document.notes.flaws })
}

/// The tool and why nothing of it was read: the first thing that was wrong, or that there was nothing.
fn why_nothing(notes: &Notes) -> String {
    let formats = notes.formats();
    match notes.flaws.first().map(|flaw| flaw.what.clone()) {
        Some(why) if why.starts_with(&formats) => why,
        Some(why) => format!("{formats}: {why}"),
        None => format!("{formats}: headings without numbers"),
    }
}

/// Where rows without a time are.
fn of_what_has_no_time(is_dated: bool, timing: Timing) -> &'static str {
    match (is_dated, timing.time) {
        (true, _) => "rows without a time are at the end of those that have one",
        (false, TimeSource::Recorded) => "no times in the file: the time of its report is used",
        (false, _) => "no times in the file: it is unknown when it was recorded",
    }
}

/// What no listing of these tools has.
fn no_task_times(file: &FileRead) -> Missing {
    Missing {
        what: "task_time".to_owned(),
        why: format!("{} does not tell what tasks waited for", file.what),
        how: "heldup record on that machine, or heldup there while it is slow".to_owned(),
    }
}

/// From the beginning of the first interval to the end of the last.
fn span_of<'b>(batches: impl Iterator<Item = &'b RecordBatch>) -> Option<Span> {
    let mut span: Option<Span> = None;
    for batch in batches {
        let times = batch.column(0).as_primitive::<Int64Type>();
        let secs = batch.column(1).as_primitive::<Float64Type>();
        for (time, secs) in times.values().iter().zip(secs.iter()) {
            let since_ms = time - (secs.unwrap_or(0.0) * 1000.0) as i64;
            let so_far = span.get_or_insert(Span { since_ms, until_ms: *time });
            so_far.since_ms = so_far.since_ms.min(since_ms);
            so_far.until_ms = so_far.until_ms.max(*time);
        }
    }
    span
}
