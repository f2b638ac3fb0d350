//! One line: what runs stands above it, what waits hangs below it, in one unit and on one scale.

use heldup_model::{Frame, FrameSeries};

use super::axes::{self, Area};
use super::labels::{self, Label};
use super::lines::stretches;
use super::writer::{Writer, n};
use crate::figure::{palette, series_name, tick, ticks, value};

/// Series that are smaller than this share of all are not named.
const LEAST_NAMED: f64 = 0.008;

/// Where the line is, and how high one unit stands.
struct Line {
    y: f64,
    unit: f64,
    above: f64,
    below: f64,
}

/// Draws the stacks.
pub(super) fn draw(out: &mut Writer, frame: &Frame, area: &Area) {
    let (above, below) = heights(frame);
    let limit =
        frame.limit.as_ref().map(|limit| limit.value).filter(|limit| *limit <= above.max(1e-12) * 4.0);
    let above = above.max(limit.unwrap_or(0.0)) * if above > 0.0 || limit.is_some() { 1.04 } else { 1.0 };
    let unit = area.height / (above + below).max(f64::MIN_POSITIVE);
    let line = Line { y: area.top + above * unit, unit, above, below };
    ticks_of(out, frame, area, &line);
    let mut base_above = vec![0.0; frame.steps.len()];
    let mut base_below = vec![0.0; frame.steps.len()];
    let mut named = Vec::new();
    let all: f64 = frame.series.iter().filter_map(size).sum();
    for series in &frame.series {
        let base = if series.below { &mut base_below } else { &mut base_above };
        let sign = if series.below { 1.0 } else { -1.0 };
        let at = |height: f64| line.y + sign * height * line.unit;
        let last = series.mean.iter().rposition(Option::is_some);
        if let Some(last) = last.filter(|_| size(series).unwrap_or(0.0) > all * LEAST_NAMED) {
            let mean = series.mean[last].unwrap_or(0.0);
            let amount = series.summary.total.filter(|_| frame.unit == "tasks");
            named.push(Label {
                y: at(base[last] + mean / 2.0),
                colour: series.colour,
                name: super::cut(&series_name(series), 15.0),
                amount: match amount {
                    Some(seconds) => crate::quantity::seconds(seconds),
                    None => series.summary.mean.map(|mean| value(frame, mean)).unwrap_or_default(),
                },
            });
        }
        out.path(
            &format!("piece f-{}", palette::class(series.colour)),
            &steps(frame, series, area, base, &at),
        );
        base.iter_mut().zip(&series.mean).for_each(|(base, mean)| *base += mean.unwrap_or(0.0));
    }
    if let Some(peaks) = &frame.peaks {
        for (side, drawn, sign) in [(&peaks.above, &base_above, -1.0), (&peaks.below, &base_below, 1.0)] {
            out.path("peak", &peak(frame, side, drawn, area, &|height| line.y + sign * height * line.unit));
        }
    }
    out.line("line", (area.left, line.y), (area.right(), line.y));
    if below > 0.0 {
        if above * unit > 16.0 {
            out.words("t1", area.left - 8.0, line.y - 5.0, "end", "running");
        }
        out.words("t1", area.left - 8.0, line.y + 14.0, "end", "waiting");
    }
    labels::write(out, area, named, super::RIGHT - 4.0);
}

fn size(series: &FrameSeries) -> Option<f64> {
    series.summary.total.or(series.summary.mean)
}

/// The highest stack above and below the line.
fn heights(frame: &Frame) -> (f64, f64) {
    let height = |below: bool| {
        let at = |step: usize| -> f64 {
            let of_side = frame.series.iter().filter(|series| series.below == below);
            of_side.filter_map(|series| series.mean[step]).sum()
        };
        let peaks = frame.peaks.as_ref().map(|peaks| if below { &peaks.below } else { &peaks.above });
        let peaks = peaks.into_iter().flatten().flatten().copied();
        (0..frame.steps.len()).map(at).chain(peaks).fold(0.0, f64::max)
    };
    (height(false), height(true))
}

fn ticks_of(out: &mut Writer, frame: &Frame, area: &Area, line: &Line) {
    let most = line.above.max(line.below);
    let step = ticks::nice(most / 4.0);
    if step > 0.0 {
        let count = (most / step).floor() as usize;
        for at in 1..=count {
            let height = at as f64 * step;
            for (side, sign) in [(line.above, -1.0), (line.below, 1.0)] {
                // Where the words at the line stand is no tick.
                if height <= side && (line.below == 0.0 || height * line.unit > 24.0) {
                    let y = line.y + sign * height * line.unit;
                    out.line("hair", (area.left, y), (area.right(), y));
                    out.words("t3", area.left - 8.0, y + 4.0, "end", &tick(frame, height));
                }
            }
        }
    }
    axes::limit(out, frame, area, |limit| (limit <= line.above).then_some(line.y - limit * line.unit));
}

/// From what is drawn of each step to the greatest total of one sample in it.
fn peak(
    frame: &Frame,
    greatest: &[Option<f64>],
    drawn: &[f64],
    area: &Area,
    y: &dyn Fn(f64) -> f64,
) -> String {
    let x = |at: usize| (n(area.x(frame.steps[at].since_ms)), n(area.x(frame.steps[at].until_ms)));
    let mut d = String::new();
    for stretch in stretches(&frame.steps, |at| greatest[at].is_some_and(|greatest| greatest > drawn[at])) {
        let out = stretch.clone().map(|at| {
            let ((from, to), y) = (x(at), n(y(greatest[at].unwrap_or(0.0))));
            format!("{from} {y}L{to} {y}")
        });
        let back = stretch.clone().rev().map(|at| {
            let ((from, to), y) = (x(at), n(y(drawn[at])));
            format!("{to} {y}L{from} {y}")
        });
        d += &format!("M{}Z", out.chain(back).collect::<Vec<String>>().join("L"));
    }
    d
}

/// The outline of one series: steps, no curves. Each side of a step is one number.
fn steps(frame: &Frame, series: &FrameSeries, area: &Area, base: &[f64], y: &dyn Fn(f64) -> f64) -> String {
    let mut d = String::new();
    for stretch in stretches(&frame.steps, |at| series.mean[at].is_some_and(|mean| mean > 0.0)) {
        let first = &frame.steps[stretch.start];
        d += &format!("M{} {}", n(area.x(first.since_ms)), n(y(base[stretch.start])));
        let mut pen = Pen { x: n(area.x(first.since_ms)), y: n(y(base[stretch.start])) };
        for at in stretch.clone() {
            pen.down(&mut d, n(y(base[at] + series.mean[at].unwrap_or(0.0))));
            pen.across(&mut d, n(area.x(frame.steps[at].until_ms)));
        }
        for at in stretch.rev() {
            pen.down(&mut d, n(y(base[at])));
            pen.across(&mut d, n(area.x(frame.steps[at].since_ms)));
        }
        d += "Z";
    }
    d
}

/// Where an outline is drawn on; what does not move it is not written.
struct Pen {
    x: String,
    y: String,
}

impl Pen {
    fn across(&mut self, d: &mut String, x: String) {
        if x != self.x {
            *d += "H";
            *d += &x;
            self.x = x;
        }
    }

    fn down(&mut self, d: &mut String, y: String) {
        if y != self.y {
            *d += "V";
            *d += &y;
            self.y = y;
        }
    }
}
