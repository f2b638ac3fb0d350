//! The part of a capture or of recordings that is asked for: a host, and a window of its time.

use std::time::Duration;

use heldup_diagnose::window;
use heldup_model::{Capture, Clock, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::{EngineError, Result};
use crate::nearest;
use crate::progress::Progress;
use crate::request::AskedSpan;
use crate::source::archive::between;
use crate::source::recordings::is_host;

/// The part of a recording; all of it where no time is asked for.
pub fn of(
    name: &str,
    whole: Capture,
    asked: &AskedSpan,
    length: Option<Duration>,
    progress: &dyn Progress,
) -> Result<Capture> {
    if let Some(host) = asked.host.as_deref().filter(|host| !is_host(&whole.host, host)) {
        return Err(nearest::unknown("host", host, [whole.host.as_str()], &format!("heldup {name}")));
    }
    let Some(span) = span(asked, length, Some(whole.span), progress)? else { return Ok(whole) };
    let recorded = whole.span;
    if span.until_ms > recorded.since_ms && span.since_ms < recorded.until_ms {
        return Ok(window(&whole, span));
    }
    let what = format!("{name}: no data for {}; recorded: {}", between(span), between(recorded));
    Err(EngineError::not_found(what))
}

/// The window that is asked for, if one is. A time without a day is in the days of what is recorded.
pub fn span(
    asked: &AskedSpan,
    length: Option<Duration>,
    recorded: Option<Span>,
    progress: &dyn Progress,
) -> Result<Option<Span>> {
    let Some(since) = &asked.since else { return Ok(None) };
    let ahead = length.map(|length| format!("+{}s", length.as_secs().max(1)));
    if asked.until.is_some() && ahead.is_some() {
        return Err(EngineError::usage("both --until and --for say when the window ends"));
    }
    let now = Timestamp::from_millisecond(heldup_hostfs::realtime_ms())?.to_zoned(TimeZone::system());
    let clock = Clock { now, zone: &|name| TimeZone::get(name).ok() };
    let until = asked.until.as_deref().or(ahead.as_deref());
    let found = match recorded {
        Some(recorded) => clock.span_within(since, until, recorded),
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
            assert!(of("x", whole(), &asked(None, Some(host)), None, &Silent).is_ok(), "{host}");
        }
        let error = of("x", whole(), &asked(None, Some("db2")), None, &Silent).expect_err("another");
        assert_eq!(error.kind(), ErrorKind::UnknownName);
    }

    #[test]
    fn a_time_without_data_says_what_is_recorded() {
        let whole = small_capture(Setting::default(), []);
        let error = of("x", whole, &asked(Some("2001-01-01"), None), Some(Duration::from_secs(60)), &Silent);
        let error = error.expect_err("nothing then");
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().starts_with("x: no data for 2001-01-01 "), "{error}");
    }
}
