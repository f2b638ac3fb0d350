//! Lines over time: the mean of each step, with a band from the least to the greatest value of a sample in it.

use heldup_model::{Frame, FrameSeries, FrameStep};

use super::axes::{self, Area, Values};
use super::labels::{self, Label};
use super::writer::{Writer, n};
use crate::figure::{palette, series_name};

/// Draws the lines.
pub(super) fn draw(out: &mut Writer, frame: &Frame, area: &Area) {
    let scale = Values::of(frame, area);
    axes::values(out, frame, area, &scale);
    for series in &frame.series {
        let class = palette::class(series.colour);
        out.path(&format!("band f-{class}"), &band(frame, series, area, &scale));
    }
    for series in &frame.series {
        let class = palette::class(series.colour);
        out.path(&format!("series s-{class}"), &line(frame, series, area, &scale));
    }
    let label = |series: &FrameSeries| {
        let last = series.mean.iter().rev().flatten().next()?;
        Some(Label {
            y: scale.y(*last),
            colour: series.colour,
            name: series_name(series),
            amount: String::new(),
        })
    };
    labels::write(out, area, frame.series.iter().filter_map(label).collect(), 0.0);
}

/// Stretches of steps that follow each other and have values.
pub(super) fn stretches<'f>(
    steps: &'f [FrameStep],
    has: impl Fn(usize) -> bool + 'f,
) -> impl Iterator<Item = std::ops::Range<usize>> + 'f {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < steps.len() && !has(at) {
            at += 1;
        }
        let first = at;
        while at < steps.len() && has(at) && (at == first || follows(&steps[at - 1], &steps[at])) {
            at += 1;
        }
        (at > first).then_some(first..at)
    })
}

/// Whether a step begins where another ends, or so soon that no sample is missing.
fn follows(before: &FrameStep, step: &FrameStep) -> bool {
    step.since_ms - before.until_ms
        <= (step.until_ms - step.since_ms).max(before.until_ms - before.since_ms) / 2
}

fn middle(area: &Area, step: &FrameStep) -> f64 {
    f64::midpoint(area.x(step.since_ms), area.x(step.until_ms))
}

fn line(frame: &Frame, series: &FrameSeries, area: &Area, scale: &Values) -> String {
    let mut d = String::new();
    for stretch in stretches(&frame.steps, |at| series.mean[at].is_some()) {
        let points: Vec<(f64, f64)> = stretch
            .clone()
            .filter_map(|at| Some((middle(area, &frame.steps[at]), scale.y(series.mean[at]?))))
            .collect();
        let (first, last) = (&frame.steps[stretch.start], &frame.steps[stretch.end - 1]);
        // From the beginning of the first step to the end of the last: one step alone is a line too.
        let (Some(begin), Some(end)) = (points.first(), points.last()) else { continue };
        d += &format!("M{} {}", n(area.x(first.since_ms)), n(begin.1));
        points.iter().for_each(|(x, y)| d += &format!("L{} {}", n(*x), n(*y)));
        d += &format!("L{} {}", n(area.x(last.until_ms)), n(end.1));
    }
    d
}

fn band(frame: &Frame, series: &FrameSeries, area: &Area, scale: &Values) -> String {
    let differs = |at: usize| series.least[at] != series.greatest[at];
    if !(0..frame.steps.len()).any(differs) {
        return String::new();
    }
    let mut d = String::new();
    for stretch in stretches(&frame.steps, |at| series.least[at].is_some() && series.greatest[at].is_some()) {
        let point = |at: usize, value: Option<f64>| {
            format!("{} {}", n(middle(area, &frame.steps[at])), n(scale.y(value.unwrap_or(0.0))))
        };
        let over = stretch.clone().map(|at| point(at, series.greatest[at]));
        let under = stretch.rev().map(|at| point(at, series.least[at]));
        let points: Vec<String> = over.chain(under).collect();
        d += &format!("M{}Z", points.join("L"));
    }
    d
}
