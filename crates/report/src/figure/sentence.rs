//! What a frame shows, in one sentence: below a picture, and for who cannot see it.

use heldup_model::{Frame, FrameKind, FrameSeries};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{series_name, value};

/// Series that are named.
const MOST_NAMED: usize = 3;

/// The sentence.
pub fn sentence(frame: &Frame, zone: &TimeZone) -> String {
    match frame.kind {
        FrameKind::Lines => lines(frame, zone),
        FrameKind::Stack => stack(frame),
        FrameKind::Heat => quantiles(frame).unwrap_or_else(|| busiest(frame)),
        FrameKind::Bars => bars(frame),
    }
}

fn lines(frame: &Frame, zone: &TimeZone) -> String {
    let mut series: Vec<&FrameSeries> = frame.series.iter().collect();
    let size = |series: &FrameSeries| series.summary.mean.unwrap_or(0.0);
    series.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let said = series.iter().take(MOST_NAMED).filter_map(|series| {
        let (mean, greatest) = (series.summary.mean?, series.summary.greatest?);
        let at =
            if frame.steps.len() > 1 { when(series.summary.greatest_ms, frame, zone) } else { String::new() };
        let name = if frame.series.len() == 1 { String::new() } else { format!("{}: ", series_name(series)) };
        Some(match greatest > mean * 1.05 {
            true => {
                format!("{name}{} on average, at most {}{at}", value(frame, mean), value(frame, greatest))
            }
            false => format!("{name}{} throughout", value(frame, mean)),
        })
    });
    let said: Vec<String> = said.collect();
    format!("{}.", said.join("; "))
}

fn stack(frame: &Frame) -> String {
    let side = |below: bool| {
        let of_side: Vec<&FrameSeries> =
            frame.series.iter().filter(|series| series.below == below && !is_idle(series)).collect();
        let total: f64 = of_side.iter().filter_map(|series| series.summary.mean).sum();
        let part = |series: &&FrameSeries| {
            format!("{} {}", series_name(series), super::tick(frame, series.summary.mean.unwrap_or(0.0)))
        };
        let parts: Vec<String> = of_side.iter().take(MOST_NAMED).map(part).collect();
        (!of_side.is_empty()).then(|| (total, parts.join(", ")))
    };
    let is_hung =
        frame.series.iter().any(|series| series.below) && frame.series.iter().any(|series| !series.below);
    match (side(false), side(true)) {
        (Some((runs, of_runs)), Some((waits, of_waits))) if is_hung => format!(
            "On average {} running ({of_runs}) and {} waiting ({of_waits}).",
            value(frame, runs),
            value(frame, waits)
        ),
        (Some((total, parts)), _) | (_, Some((total, parts))) => {
            format!("{} on average: {parts}.", value(frame, total))
        }
        (None, None) => "Nothing but idle time.".to_owned(),
    }
}

fn is_idle(series: &FrameSeries) -> bool {
    series.colour.role == heldup_model::Role::Idle
}

/// What half and 99 % of the things that a heat map counts are below.
fn quantiles(frame: &Frame) -> Option<String> {
    let counted: Vec<(Option<f64>, f64)> = frame
        .series
        .iter()
        .map(|series| Some((series.bounds?.1, series.summary.total?)))
        .collect::<Option<_>>()?;
    let all: f64 = counted.iter().map(|(_, count)| count).sum();
    let below = |share: f64| {
        let mut so_far = 0.0;
        let found = counted.iter().find(|(_, count)| {
            so_far += count;
            so_far >= all * share
        });
        found.map(|(above, _)| match above {
            Some(above) => crate::quantity::seconds(*above),
            None => "any bound".to_owned(),
        })
    };
    (all > 0.0)
        .then(|| Some(format!("Half take less than {}, 99 % less than {}.", below(0.5)?, below(0.99)?)))?
}

fn busiest(frame: &Frame) -> String {
    let size = |series: &&FrameSeries| series.summary.mean.unwrap_or(0.0);
    let most = frame.series.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
    let least = frame.series.iter().min_by(|a, b| size(a).total_cmp(&size(b)));
    match (most, least) {
        (Some(most), Some(least)) if frame.series.len() > 1 => format!(
            "Most: {}, {} on average; least: {}, {}.",
            series_name(most),
            value(frame, size(&most)),
            series_name(least),
            value(frame, size(&least))
        ),
        (Some(only), _) => format!("{}: {} on average.", series_name(only), value(frame, size(&only))),
        _ => String::new(),
    }
}

fn bars(frame: &Frame) -> String {
    let of = |series: &FrameSeries| series.summary.total.or(series.summary.mean).unwrap_or(0.0);
    let all: f64 = frame.series.iter().map(of).sum();
    match frame.series.first() {
        Some(first) if all > 0.0 => format!(
            "{} first: {}, {} of all.",
            series_name(first),
            value(frame, of(first)),
            crate::quantity::percent(of(first) / all)
        ),
        _ => String::new(),
    }
}

fn when(ms: Option<i64>, frame: &Frame, zone: &TimeZone) -> String {
    let form = if frame.until_ms - frame.since_ms > 86_400_000 { "%m-%d %H:%M" } else { "%H:%M:%S" };
    let time = ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    time.map_or_else(String::new, |time| format!(" at {}", time.to_zoned(zone.clone()).strftime(form)))
}
