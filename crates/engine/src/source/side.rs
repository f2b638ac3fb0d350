//! Sides of a comparison: a source, and which part of its time.
//!
//! `SOURCE@FROM..UNTIL`: the part of a capture or an archive between two times as people write
//! them. Without it, the whole of it, which is for captures alone. `ARCHIVE#HOST@…` is that of one
//! host in an archive of several.

use std::path::Path;

use heldup_archive::kept::ArchiveFolder;
use heldup_diagnose::{cut, window};
use heldup_model::{Capture, Clock, Span};
use jiff::tz::TimeZone;

use crate::error::{EngineError, Result};
use crate::request::AskedSpan;
use crate::source::recordings;
use crate::source::{Source, load};
use crate::times::rfc3339;

/// What stands between the two times.
const UNTIL: &str = "..";

/// How long an archive is looked at that is asked for one time: something is recorded in it, and what is read
/// rarely still holds.
const MOMENT_MS: i64 = 60_000;

/// One side.
pub struct Side {
    /// What the user called it.
    pub name: String,
    /// Its tables.
    pub capture: Capture,
    /// What has to be said about how its times were read.
    pub notes: Vec<String>,
}

/// Opens what a word names.
pub fn open(word: &str) -> Result<Side> {
    let (source, times) = split(word);
    let asked = times.map(|(from, until)| span(word, from, until)).transpose()?;
    let (source, host) = of_host(source);
    let named = AskedSpan { host: host.map(str::to_owned), ..AskedSpan::default() };
    let (capture, notes) = match (Source::parse(Some(source), &named)?, asked) {
        (Source::Kept { folder, .. }, None) => (load(&folder)?, Vec::new()),
        (Source::Kept { folder, .. }, Some((span, notes))) => (part(word, &load(&folder)?, span)?, notes),
        (Source::Recordings { files, .. }, None) => (recordings::read(&files, None)?.capture, Vec::new()),
        (Source::Recordings { files, .. }, Some((span, notes))) => {
            (part(word, &recordings::read(&files, None)?.capture, span)?, notes)
        }
        (Source::Archive(archive), Some((span, notes))) => {
            let recorded = archive.capture(span)?;
            // The recorder is no part of what it recorded.
            let own = archive.own_pid(&recorded);
            (cut(&recorded, None, own).capture, notes)
        }
        (Source::Archive(_), None) => {
            let what = format!("`{word}` is an archive: name a part of it, as in {word}@03:00..03:10");
            return Err(EngineError::usage(what));
        }
        (Source::Live, _) => return Err(EngineError::usage(format!("`{word}` is not a capture"))),
    };
    Ok(Side { name: word.to_owned(), capture, notes })
}

/// Opens what a word names as a baseline: a side, or `ARCHIVE@TIME`, an archive as it was at that time, since
/// settings have no length.
pub fn baseline(word: &str) -> Result<Side> {
    let Some((source, time)) = moment(word) else { return open(word) };
    let (source, host) = of_host(source);
    let named = AskedSpan { host: host.map(str::to_owned), ..AskedSpan::default() };
    let Source::Archive(archive) = Source::parse(Some(source), &named)? else { return open(word) };
    let (Span { since_ms, .. }, notes) = span(word, time, "+1s")?;
    let capture = archive.capture(Span { since_ms, until_ms: since_ms + MOMENT_MS })?;
    Ok(Side { name: word.to_owned(), capture, notes })
}

/// The archive and the time in `ARCHIVE@TIME`.
fn moment(word: &str) -> Option<(&str, &str)> {
    let at = word.rfind("@@").or_else(|| word.rfind('@')).filter(|at| *at > 0)?;
    let (source, time) = (&word[..at], word[at + 1..].trim());
    let is_archive = || ArchiveFolder::at(of_host(source).0).is_there();
    (!time.is_empty() && !time.contains(UNTIL) && !Path::new(word).exists() && is_archive())
        .then_some((source, time))
}

/// The part of a kept capture; an error where it has nothing of that time.
fn part(word: &str, whole: &Capture, asked: Span) -> Result<Capture> {
    let kept = whole.span;
    if asked.until_ms > kept.since_ms && asked.since_ms < kept.until_ms {
        return Ok(window(whole, asked));
    }
    let (since, until) = (rfc3339(kept.since_ms)?, rfc3339(kept.until_ms)?);
    let what = format!("`{word}`: no data for this time; recorded: {since} until {until}");
    Err(EngineError::usage(what))
}

/// The archive and the host behind its `#`, of an archive of several hosts.
pub fn of_host(source: &str) -> (&str, Option<&str>) {
    match source.rsplit_once('#') {
        Some((archive, host)) if !archive.is_empty() && !Path::new(source).exists() => (archive, Some(host)),
        _ => (source, None),
    }
}

/// The source and the two times. An `@` that begins a word belongs to the source (`@last`), one
/// of two to a time (`@1763700000`).
pub fn split(word: &str) -> (&str, Option<(&str, &str)>) {
    let times = || {
        let (before, until) = word.rsplit_once(UNTIL).filter(|(_, until)| !until.starts_with('/'))?;
        let at = before.rfind("@@").or_else(|| before.rfind('@')).filter(|at| *at > 0)?;
        let from = &before[at + 1..];
        (!from.is_empty()).then(|| (&before[..at], (from, until)))
    };
    match times() {
        Some((source, times)) => (source, Some(times)),
        None => (word, None),
    }
}

fn span(word: &str, from: &str, until: &str) -> Result<(Span, Vec<String>)> {
    let now = jiff::Timestamp::from_millisecond(heldup_hostfs::realtime_ms())?;
    let clock = Clock { now: now.to_zoned(TimeZone::system()), zone: &|name| TimeZone::get(name).ok() };
    let until = Some(until.trim()).filter(|until| !until.is_empty());
    let asked =
        clock.span(from.trim(), until).map_err(|error| EngineError::usage(format!("`{word}`: {error}")))?;
    Ok((asked.span, asked.notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_their_times() {
        assert_eq!(split("@last"), ("@last", None));
        assert_eq!(split("good@home"), ("good@home", None));
        assert_eq!(split("../good"), ("../good", None));
        assert_eq!(split("a@b/../good"), ("a@b/../good", None));
        assert_eq!(split("@last@@1763700000..@1763700060"), ("@last", Some(("@1763700000", "@1763700060"))));
        assert_eq!(split("@last@03:00..03:10"), ("@last", Some(("03:00", "03:10"))));
        assert_eq!(
            split("/var/lib/heldup/archive@yesterday 03:00..yesterday 03:10"),
            ("/var/lib/heldup/archive", Some(("yesterday 03:00", "yesterday 03:10")))
        );
        assert_eq!(split("a@b@2 hours ago.."), ("a@b", Some(("2 hours ago", ""))));
    }

    #[test]
    fn a_host_stands_behind_the_archive() {
        assert_eq!(of_host("/srv/archive#db1"), ("/srv/archive", Some("db1")));
        assert_eq!(of_host("/srv/archive"), ("/srv/archive", None));
        assert_eq!(of_host("#1"), ("#1", None));
    }

    #[test]
    fn a_time_that_is_none_says_where() {
        let error = span("x@tomorow..3", "tomorow", "3").expect_err("no time").to_string();
        assert!(error.contains("x@tomorow..3") && error.contains("character 1"), "{error}");
    }
}
