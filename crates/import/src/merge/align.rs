//! Files that do not say when they were recorded, on the time line of those that do.
//!
//! What has no time ends where the window of the others ends, and what has no day or no year is of the last before that.
//! Where no file has one, they are in the order in which
//! they were written, those that may have been written at the same time beside each other, without what was
//! between them: nobody knows how long that was.

use arrow_schema::ArrowError;
use heldup_model::{Capture, Span, TimeSource};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::Import;
use crate::document::ORDER_STEP_MS;
use crate::error::ImportError;
use crate::table::sheets::shifted_by;

const DAY_MS: i64 = 86_400_000;

/// Puts what has no time, or lacks its day or its year, where it belongs.
pub fn align(imports: &mut [Import]) -> Result<(), ImportError> {
    let until_ms = |source: TimeSource| {
        let captures = imports.iter().filter_map(|import| import.capture.as_ref());
        captures.filter(|capture| capture.timing.time == source).map(|capture| capture.span.until_ms).max()
    };
    let recorded_ms = until_ms(TimeSource::Recorded);
    let end_ms = recorded_ms.or_else(|| until_ms(TimeSource::Assumed));
    let mut shifts: Vec<(usize, i64)> = Vec::new();
    let mut undated: Vec<(usize, Span)> = Vec::new();
    for (at, import) in imports.iter().enumerate() {
        let Some(capture) = &import.capture else { continue };
        match (capture.timing.time, recorded_ms, end_ms) {
            (TimeSource::Assumed, Some(end_ms), _) => {
                shifts.push((at, of_last(capture.span, import.file.lacks_year, end_ms)));
            }
            (TimeSource::Unknown, _, Some(end_ms)) => shifts.push((at, end_ms - capture.span.until_ms)),
            (TimeSource::Unknown, _, None) => undated.push((at, capture.span)),
            _ => {}
        }
    }
    let spans: Vec<Span> = undated.iter().map(|(_, span)| *span).collect();
    shifts.extend(undated.iter().map(|(at, _)| *at).zip(without_gaps(&spans)));
    for (at, shift) in shifts {
        let Some(import) = imports.get_mut(at) else { continue };
        let shifted = import.capture.as_mut().map_or(Ok(()), |capture| shift_by(capture, shift));
        shifted.map_err(|source| ImportError::Table { table: "a table", source })?;
        let is_shown = import.file.timing.time == TimeSource::Assumed;
        if let Some(span) = import.file.span.as_mut().filter(|_| is_shown) {
            *span = Span { since_ms: span.since_ms + shift, until_ms: span.until_ms + shift };
        }
    }
    Ok(())
}

/// How much later a span has to be to be of the last day, or of the last year, before the end of what has times.
fn of_last(span: Span, lacks_year: bool, end_ms: i64) -> i64 {
    if !lacks_year {
        return (end_ms - span.until_ms).div_euclid(DAY_MS) * DAY_MS;
    }
    let date = |ms| Some(Timestamp::from_millisecond(ms).ok()?.to_zoned(TimeZone::UTC).datetime());
    let of_year = |until: DateTime, year: i16| {
        let moved = until.with().year(year).build().ok()?.to_zoned(TimeZone::UTC).ok()?;
        Some(moved.timestamp().as_millisecond()).filter(|ms| *ms <= end_ms)
    };
    let moved = date(span.until_ms)
        .zip(date(end_ms))
        .and_then(|(until, end)| of_year(until, end.year()).or_else(|| of_year(until, end.year() - 1)));
    moved.map_or(0, |moved| moved - span.until_ms)
}

/// How much later each span has to be, so that the last stays and nothing is between those that do not touch.
fn without_gaps(spans: &[Span]) -> Vec<i64> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|at| spans.get(*at).map(|span| (span.since_ms, span.until_ms)));
    let (mut gaps, mut until_ms) = (0, None::<i64>);
    let mut earlier = vec![0; spans.len()];
    for at in order {
        let Some(span) = spans.get(at) else { continue };
        let gap = until_ms.map_or(0, |until_ms| span.since_ms - until_ms);
        gaps += (gap - ORDER_STEP_MS).max(0);
        if let Some(earlier) = earlier.get_mut(at) {
            *earlier = gaps;
        }
        until_ms = until_ms.max(Some(span.until_ms));
    }
    earlier.into_iter().map(|before| gaps - before).collect()
}

fn shift_by(capture: &mut Capture, by_ms: i64) -> Result<(), ArrowError> {
    if by_ms == 0 {
        return Ok(());
    }
    let Span { since_ms, until_ms } = capture.span;
    capture.span =
        Span { since_ms: since_ms.saturating_add(by_ms), until_ms: until_ms.saturating_add(by_ms) };
    for batch in capture.tables.values_mut().flatten() {
        *batch = shifted_by(batch, by_ms)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lacks_its_day_or_its_year_is_of_the_last_before_the_end() {
        // 2022-03-03 11:33:44 UTC; times of 2026-11-26.
        let end_ms = 1_646_307_224_000;
        let at = |time: &str| time.parse::<Timestamp>().expect("a time").as_millisecond();
        let until = |time: &str, lacks_year: bool| {
            let span = Span { since_ms: at(time) - 1000, until_ms: at(time) };
            at(time) + of_last(span, lacks_year, end_ms)
        };
        assert_eq!(until("2026-11-26T10:00:00Z", false), at("2022-03-03T10:00:00Z"));
        assert_eq!(until("2026-11-26T12:00:00Z", false), at("2022-03-02T12:00:00Z"));
        assert_eq!(until("2026-03-01T12:00:00Z", true), at("2022-03-01T12:00:00Z"));
        assert_eq!(until("2025-11-26T12:00:00Z", true), at("2021-11-26T12:00:00Z"));
    }

    #[test]
    fn what_was_between_files_without_times_is_left_out() {
        let span = |since_ms, until_ms| Span { since_ms, until_ms };
        let year = 31_536_000_000;
        // Two years apart, the second beside a third.
        let spans =
            [span(2 * year, 2 * year + 5_000), span(0, 1_000), span(2 * year + 3_000, 2 * year + 9_000)];
        let shifts = without_gaps(&spans);
        assert_eq!(shifts, [0, 2 * year - 1_000 - ORDER_STEP_MS, 0]);
        assert_eq!(without_gaps(&[span(5, 5), span(5, 5)]), [0, 0]);
        assert!(without_gaps(&[]).is_empty());
    }
}
