//! The part of a capture or of recordings that is asked for: a host, and a window of its time.

use std::time::Duration;

use heldup_diagnose::{samples_in, window};
use heldup_model::{Capture, Clock, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::{EngineError, Result};
use crate::nearest;
use crate::progress::Progress;
use crate::request::AskedSpan;
use crate::source::archive::{between, between_in};
use crate::source::recordings::is_host;
use crate::times::rfc3339;

/// What a window is asked of: where its days are.
#[derive(Clone, Copy, Debug)]
pub enum Within {
    /// An archive, which goes on.
    Archive(Span),
    /// Files, which may be of long ago.
    Files(Span),
}

/// The part of a recording; all of it where no time is asked for. Times without a zone are in that of the recording,
/// where it is known.
pub fn of(
    name: &str,
    whole: Capture,
    asked: &AskedSpan,
    length: Option<Duration>,
    zone: Option<&TimeZone>,
    progress: &dyn Progress,
) -> Result<Capture> {
    if let Some(host) = asked.host.as_deref().filter(|host| !is_host(&whole.host, host)) {
        return Err(nearest::unknown("host", host, [whole.host.as_str()], &format!("heldup {name}")));
    }
    let recorded = whole.span;
    let Some(span) = span(asked, length, Some(Within::Files(recorded)), zone, progress)? else {
        return Ok(whole);
    };
    let said = |span: Span| match zone {
        Some(zone) => between_in(span, zone),
        None => between(span),
    };
    if span.until_ms <= recorded.since_ms || span.since_ms >= recorded.until_ms {
        let what = format!("{name}: no data for {}; recorded: {}", said(span), said(recorded));
        return Err(EngineError::not_found(what));
    }
    let part = window(&whole, span);
    match samples_in(&part, span) {
        None => match samples_in(&whole, span) {
            Some(nearest) => {
                let what = format!("{name}: no sample in {}; the nearest: {}", said(span), said(nearest));
                Err(EngineError::not_found(what))
            }
            None => Ok(part),
        },
        Some(_) => Ok(part),
    }
}

/// Whether a time is counted from the start of a recording: `+2m`.
pub fn is_from_start(since: &str) -> bool {
    since.trim_start().starts_with('+')
}

/// The window that is asked for, if one is. A time without a day is in the days of what is recorded, one without a
/// zone in the given one, else in the reader's.
pub fn span(
    asked: &AskedSpan,
    length: Option<Duration>,
    recorded: Option<Within>,
    zone: Option<&TimeZone>,
    progress: &dyn Progress,
) -> Result<Option<Span>> {
    let Some(since) = &asked.since else { return Ok(None) };
    let ahead = length.map(|length| format!("+{}s", length.as_secs().max(1)));
    if asked.until.is_some() && ahead.is_some() {
        return Err(EngineError::usage("both --until and --for say when the window ends"));
    }
    let zone = zone.cloned().unwrap_or_else(TimeZone::system);
    let now = Timestamp::from_millisecond(heldup_hostfs::realtime_ms())?.to_zoned(zone);
    let clock = Clock { now, zone: &|name| TimeZone::get(name).ok() };
    let until = asked.until.as_deref().or(ahead.as_deref());
    let begin = match recorded {
        Some(Within::Files(recorded)) if is_from_start(since) => {
            let start = clock.span(&rfc3339(recorded.since_ms)?, Some(since));
            let start = start.map_err(|error| EngineError::usage(error.to_string()))?;
            Some(rfc3339(start.span.until_ms)?)
        }
        _ => None,
    };
    let since = begin.as_deref().unwrap_or(since);
    let found = match recorded {
        Some(Within::Files(recorded)) => clock.span_of_files(since, until, recorded),
        Some(Within::Archive(recorded)) => clock.span_within(since, until, recorded),
        None => clock.span(since, until),
    };
    let found = found.map_err(|error| EngineError::usage(error.to_string()))?;
    found.notes.iter().for_each(|note| progress.note(note));
    Ok(Some(found.span))
}

#[cfg(test)]
mod tests {
    use heldup_diagnose::{Setting, small_capture};

    use super::*;
    use crate::error::ErrorKind;
    use crate::progress::Silent;

    fn asked(since: Option<&str>, host: Option<&str>) -> AskedSpan {
        AskedSpan { since: since.map(str::to_owned), until: None, host: host.map(str::to_owned) }
    }

    #[test]
    fn a_host_is_named_with_or_without_its_domain() {
        let whole =
            || Capture { host: "db1.example.net".to_owned(), ..small_capture(Setting::default(), []) };
        for host in ["db1", "db1.example.net"] {
            assert!(of("x", whole(), &asked(None, Some(host)), None, None, &Silent).is_ok(), "{host}");
        }
        let error = of("x", whole(), &asked(None, Some("db2")), None, None, &Silent).expect_err("another");
        assert_eq!(error.kind(), ErrorKind::UnknownName);
    }

    #[test]
    fn a_time_without_data_says_what_is_recorded() {
        let whole = small_capture(Setting::default(), []);
        let minute = Some(Duration::from_secs(60));
        let error = of("x", whole, &asked(Some("2001-01-01"), None), minute, None, &Silent);
        let error = error.expect_err("nothing then");
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().starts_with("x: no data for 2001-01-01 "), "{error}");
    }
}
