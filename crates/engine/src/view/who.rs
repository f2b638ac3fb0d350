//! Who is there in a window of any length.
//!
//! A short window is read by the second. Of a longer one the tables by the minute are read, a piece at a time, and of
//! what is not sealed yet the seconds: to make minutes of them takes longer.

use std::num::NonZero;
use std::thread;

use heldup_archive::kept::ArchiveWindow;
use heldup_figure::{Gathered, Trace, who_needs};
use heldup_model::tables::ProcessRow;
use heldup_model::{ErrorNote, Flaw, Record, Span, Who};

use super::{Film, Viewer};
use crate::error::{EngineError, Result};
use crate::examine::timeline::in_threads;
use crate::source::archive::ArchiveSource;

/// Up to here a window is read by the second.
const BY_SECOND_MS: i64 = 15 * 60_000;
const MINUTE_MS: i64 = 60_000;
/// Rows by the minute are read so much at a time.
const PIECE_MS: i64 = 6 * 60 * MINUTE_MS;
/// Threads: whoever looks is not to take a machine for itself.
const MOST_THREADS: usize = 4;
/// Processes are read so seldom at most: a reading that ends later says nothing of a window.
const COVERS_MS: i64 = 70_000;

/// A piece of a window, after its beginning and until its end, and whether it is read by the minute.
type Piece = (Span, bool);

impl Viewer {
    /// Who is there in a window: threads with their time by class, processes with what else is known of them. A window of
    /// more than a quarter of an hour is one of whole minutes.
    pub fn who(&self, span: Span) -> Result<Who> {
        self.who_over_time(span, 0, 0)
    }

    /// The same, with the time of so many processes, those that waited or ran most, in so many steps.
    pub fn who_over_time(&self, span: Span, processes: usize, steps: usize) -> Result<Who> {
        let trace = |span| (processes > 0 && steps > 0).then_some(Trace { span, steps });
        let archive = match &self.film {
            Film::Live(live) => &live.archive,
            Film::Archive(archive) => archive,
            Film::Whole { .. } => {
                let (_, capture, own_pid) = self.capture(span)?;
                let mut gathered = Gathered::new(capture.span.since_ms, false, trace(capture.span));
                gathered.add(&capture.tables);
                return Ok(gathered.who(capture.span, own_pid, processes));
            }
        };
        let (span, gathered, flaws) = gathered(archive, span, &trace)?;
        let who = gathered.who(span, archive.own_pid_in(span), processes);
        Ok(Who { errors: flaws.into_iter().map(ErrorNote::from).collect(), ..who })
    }
}

/// Who is in the rows of a window, of which window, and what could not be read.
fn gathered(
    archive: &ArchiveSource,
    asked: Span,
    trace: &dyn Fn(Span) -> Option<Trace>,
) -> Result<(Span, Gathered, Vec<Flaw>)> {
    let read = |span: Span, by_minute: bool| -> Result<ArchiveWindow> {
        archive.rows(span, &|table| !who_needs(table, by_minute).is_empty(), &|table, column| {
            column == "secs" || who_needs(table, by_minute).contains(&column)
        })
    };
    let (span, pieces) = pieces(asked, archive.unsealed_since_ms()?);
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    let trace = trace(span);
    let parts = in_threads(&pieces, threads, |(piece, by_minute)| -> Result<_> {
        let mut gathered = Gathered::new(span.since_ms, *by_minute, trace);
        let rows = read(*piece, *by_minute)?;
        gathered.add(&rows.tables);
        Ok((gathered, rows.flaws))
    })?;
    let mut flaws: Vec<Flaw> = Vec::new();
    let mut all = Gathered::new(span.since_ms, pieces.iter().any(|(_, by_minute)| *by_minute), trace);
    for part in parts {
        let (part, of_part) = part?;
        all.append(part);
        // A file that several pieces read is told once.
        flaws.extend(of_part.into_iter().filter(|flaw| !flaws.contains(flaw)).collect::<Vec<_>>());
    }
    // Rows of seconds are not kept for as long as those by the minute.
    if all.is_empty() && pieces.iter().all(|(_, by_minute)| !by_minute) {
        all = Gathered::new(span.since_ms, true, trace);
        all.add(&read(span, true)?.tables);
    }
    if all.is_empty() {
        return Err(EngineError::not_found(archive.nothing_in(asked)?));
    }
    if all.lacks_processes() {
        let behind = Span { since_ms: span.until_ms, until_ms: span.until_ms.saturating_add(COVERS_MS) };
        let process = ProcessRow::DEF.name;
        let rows = archive.rows(behind, &|table| table == process, &|_, column| {
            column == "secs" || who_needs(process, false).contains(&column)
        })?;
        all.add_covering(&rows.tables, span.until_ms);
    }
    Ok((span, all, flaws))
}

/// The pieces that a window is read in, and the window that they are.
fn pieces(asked: Span, unsealed_since_ms: Option<i64>) -> (Span, Vec<Piece>) {
    if asked.until_ms - asked.since_ms <= BY_SECOND_MS {
        return (asked, vec![(asked, false)]);
    }
    // A row by the minute is of the samples from a full minute on, until before the next.
    let full = |ms: i64| ms.div_euclid(MINUTE_MS) * MINUTE_MS;
    let unsealed_ms = unsealed_since_ms.unwrap_or(i64::MAX).max(asked.since_ms);
    let since_ms = full(asked.since_ms);
    let has_unsealed = unsealed_ms < asked.until_ms;
    let until_ms =
        if has_unsealed { asked.until_ms } else { full(asked.until_ms.saturating_add(MINUTE_MS - 1)) };
    let mut pieces = Vec::new();
    let (mut begin_ms, end_ms) = (since_ms, unsealed_ms.min(until_ms));
    while begin_ms < end_ms {
        let next_ms = (begin_ms.div_euclid(PIECE_MS) * PIECE_MS + PIECE_MS).min(end_ms);
        pieces.push((Span { since_ms: begin_ms - 1, until_ms: next_ms - 1 }, true));
        begin_ms = next_ms;
    }
    if has_unsealed {
        pieces.push((Span { since_ms: unsealed_ms - 1, until_ms }, false));
    }
    (Span { since_ms, until_ms }, pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 60 * MINUTE_MS;

    fn span(since_ms: i64, until_ms: i64) -> Span {
        Span { since_ms, until_ms }
    }

    #[test]
    fn a_quarter_of_an_hour_is_read_by_the_second() {
        let asked = span(1_000, 1_000 + BY_SECOND_MS);
        assert_eq!(pieces(asked, Some(5)), (asked, vec![(asked, false)]));
    }

    #[test]
    fn a_longer_window_is_whole_minutes_in_pieces_that_follow_each_other() {
        let (of, all) = pieces(span(HOUR_MS + 1, 13 * HOUR_MS - 1), None);
        assert_eq!(of, span(HOUR_MS, 13 * HOUR_MS));
        assert!(all.iter().all(|(_, by_minute)| *by_minute));
        // After its beginning, until its end.
        let ends: Vec<(i64, i64)> = all.iter().map(|(of, _)| (of.since_ms + 1, of.until_ms + 1)).collect();
        assert_eq!(ends, [(HOUR_MS, 6 * HOUR_MS), (6 * HOUR_MS, 12 * HOUR_MS), (12 * HOUR_MS, 13 * HOUR_MS)]);
    }

    #[test]
    fn what_is_not_sealed_is_read_by_the_second() {
        let begun_ms = 2 * HOUR_MS + 500;
        let (of, all) = pieces(span(HOUR_MS, 3 * HOUR_MS + 700), Some(begun_ms));
        assert_eq!(of, span(HOUR_MS, 3 * HOUR_MS + 700));
        let expected =
            [(span(HOUR_MS - 1, begun_ms - 1), true), (span(begun_ms - 1, 3 * HOUR_MS + 700), false)];
        assert_eq!(all, expected);
        // A window that lies in a journal alone.
        let (of, all) = pieces(span(2 * HOUR_MS, 3 * HOUR_MS), Some(HOUR_MS));
        assert_eq!((of, all.len(), all[0].1), (span(2 * HOUR_MS, 3 * HOUR_MS), 1, false));
    }
}
