//! Sides of a comparison: a source, and which part of its time.
//!
//! `SOURCE@FROM..UNTIL`: the part of a capture between two times as people write them. Without
//! it, the whole of it.

use heldup_diagnose::window;
use heldup_model::{Capture, Clock, Span};
use jiff::tz::TimeZone;

use crate::WrongUsage;
use crate::args::SpanArgs;
use crate::source::{Source, load};

/// What stands between the two times.
const UNTIL: &str = "..";

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
pub fn open(word: &str) -> anyhow::Result<Side> {
    let (source, times) = split(word);
    let opened = match Source::parse(Some(source), &SpanArgs::default())? {
        Source::Kept { folder, .. } => load(&folder)?,
        Source::Archive(archive) => {
            let Some((from, until)) = times else {
                let what =
                    format!("`{word}` is an archive: say which part of it, as in {source}@03:00..03:10");
                return Err(WrongUsage(what).into());
            };
            let (span, notes) = span(word, from, until)?;
            return Ok(Side { name: word.to_owned(), capture: archive.capture(span)?, notes });
        }
        Source::Live => return Err(WrongUsage(format!("`{word}` is no kept capture")).into()),
    };
    let Some((from, until)) = times else {
        return Ok(Side { name: word.to_owned(), capture: opened, notes: Vec::new() });
    };
    let (span, notes) = span(word, from, until)?;
    let kept = opened.span;
    if span.until_ms <= kept.since_ms || span.since_ms >= kept.until_ms {
        let at = |ms: i64| crate::examination::rfc3339(ms);
        return Err(WrongUsage(format!(
            "`{word}`: {source} holds {} until {}, and nothing of the time asked for",
            at(kept.since_ms)?,
            at(kept.until_ms)?
        ))
        .into());
    }
    Ok(Side { name: word.to_owned(), capture: window(&opened, span), notes })
}

/// The source and the two times. An `@` that begins a word belongs to the source (`@last`), one
/// of two to a time (`@1763700000`).
fn split(word: &str) -> (&str, Option<(&str, &str)>) {
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

fn span(word: &str, from: &str, until: &str) -> anyhow::Result<(Span, Vec<String>)> {
    let now = jiff::Timestamp::from_millisecond(heldup_hostfs::realtime_ms())?;
    let clock = Clock { now: now.to_zoned(TimeZone::system()), zone: &|name| TimeZone::get(name).ok() };
    let until = Some(until.trim()).filter(|until| !until.is_empty());
    let asked = clock.span(from.trim(), until).map_err(|error| WrongUsage(format!("`{word}`: {error}")))?;
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
    fn a_time_that_is_none_says_where() {
        let error = span("x@tomorow..3", "tomorow", "3").expect_err("no time").to_string();
        assert!(error.contains("x@tomorow..3") && error.contains("character 1"), "{error}");
    }
}
