//! Heat maps: a row for each series, one hue, a shade for each value on a logarithmic scale; zero is the paper.

use heldup_model::{Frame, FrameSeries};

use super::axes::Area;
use super::writer::{Writer, n};
use crate::figure::{palette, series_name, ticks, value};
use crate::quantity::seconds;

/// The least shade that can be told from the paper.
const FAINTEST: f64 = 0.14;
/// Shades that are drawn; more differ by nothing that an eye can see.
const SHADES: f64 = 12.0;
/// Rows from which on not each is named.
const MOST_NAMED: usize = 16;

/// Draws the map.
pub(super) fn draw(out: &mut Writer, frame: &Frame, area: &Area) {
    let greatest =
        frame.series.iter().flat_map(|series| series.mean.iter().flatten()).copied().fold(0.0, f64::max);
    if greatest <= 0.0 {
        return;
    }
    let is_share = frame.unit == "ratio";
    let shade = |value: f64| {
        let share = if is_share { value } else { (1.0 + value).ln() / (1.0 + greatest).ln() };
        FAINTEST + (1.0 - FAINTEST) * (share.clamp(0.0, 1.0) * SHADES).ceil() / SHADES
    };
    let bounds = Bounds::of(frame);
    let places = rows(frame, area, bounds.as_ref());
    for (series, (top, height)) in frame.series.iter().zip(&places) {
        row(out, frame, area, series, (*top, *height), &shade);
    }
    names(out, frame, area, &places, bounds.as_ref());
    if bounds.is_some() {
        high_line(out, frame, area, &places);
    }
    legend(out, frame, area, greatest, &shade);
}

/// The logarithmic scale of bounds, if every row has some.
struct Bounds {
    rows: Vec<(f64, f64)>,
    least: f64,
    most: f64,
}

impl Bounds {
    fn of(frame: &Frame) -> Option<Bounds> {
        let bound = |series: &FrameSeries| series.bounds.map(|(low, high)| (low, high.unwrap_or(low * 1.25)));
        let rows: Vec<(f64, f64)> = frame.series.iter().map(bound).collect::<Option<_>>()?;
        // The lowest row begins at zero, which no logarithm has a place for.
        let least = rows.iter().map(|(_, high)| *high).fold(f64::INFINITY, f64::min) / 2.0;
        let most = rows.iter().map(|(_, high)| *high).fold(0.0, f64::max);
        (most > least && least > 0.0).then_some(Bounds { rows, least, most })
    }

    fn y(&self, area: &Area, value: f64) -> f64 {
        area.bottom()
            - (value.max(self.least) / self.least).ln() / (self.most / self.least).ln() * area.height
    }
}

/// Top and height of each row: bounded ones on a logarithmic scale, others from the top.
fn rows(frame: &Frame, area: &Area, bounds: Option<&Bounds>) -> Vec<(f64, f64)> {
    match bounds {
        Some(bounds) => {
            let row = |(low, high): &(f64, f64)| {
                let top = bounds.y(area, *high);
                (top, bounds.y(area, *low) - top)
            };
            bounds.rows.iter().map(row).collect()
        }
        None => {
            let height = area.height / frame.series.len().max(1) as f64;
            (0..frame.series.len()).map(|at| (area.top + at as f64 * height, height)).collect()
        }
    }
}

/// One row; steps of one shade that follow each other are one piece.
fn row(
    out: &mut Writer,
    frame: &Frame,
    area: &Area,
    series: &FrameSeries,
    (top, height): (f64, f64),
    shade: &dyn Fn(f64) -> f64,
) {
    let class = format!("f-{}", palette::class(heldup_model::Colour { step: 0, ..series.colour }));
    let mut piece: Option<(f64, f64, f64)> = None;
    let mut put = |piece: &mut Option<(f64, f64, f64)>| {
        if let Some((from, to, opacity)) = piece.take() {
            out.shade(&class, [from, top, to - from, height], opacity);
        }
    };
    for (step, mean) in frame.steps.iter().zip(&series.mean) {
        let (from, to) = (area.x(step.since_ms), area.x(step.until_ms));
        match mean.filter(|mean| *mean > 0.0).map(shade) {
            Some(opacity) => match &mut piece {
                Some((_, end, same)) if *same == opacity && from - *end < 0.6 => *end = to,
                _ => {
                    put(&mut piece);
                    piece = Some((from, to, opacity));
                }
            },
            None => put(&mut piece),
        }
    }
    put(&mut piece);
}

fn names(out: &mut Writer, frame: &Frame, area: &Area, places: &[(f64, f64)], bounds: Option<&Bounds>) {
    if let Some(bounds) = bounds {
        for tick in ticks::log(bounds.least, bounds.most, 6) {
            let y = bounds.y(area, tick);
            out.line("hair", (area.left, y), (area.right(), y));
            out.words("t3", area.left - 8.0, y + 4.0, "end", &seconds(tick));
        }
        return;
    }
    let every = frame.series.len().div_ceil(MOST_NAMED).max(1);
    for (at, (series, (top, height))) in frame.series.iter().zip(places).enumerate() {
        if at % every == 0 {
            out.words("t3", area.left - 8.0, top + height / 2.0 + 4.0, "end", &series_name(series));
        }
    }
}

/// The bound that 99 % of each step are below.
fn high_line(out: &mut Writer, frame: &Frame, area: &Area, places: &[(f64, f64)]) {
    let mut d = String::new();
    let mut is_open = false;
    for (at, step) in frame.steps.iter().enumerate() {
        let all: f64 = frame.series.iter().filter_map(|series| series.mean[at]).sum();
        if all <= 0.0 {
            is_open = false;
            continue;
        }
        let mut so_far = 0.0;
        let row = frame.series.iter().position(|series| {
            so_far += series.mean[at].unwrap_or(0.0);
            so_far >= all * 0.99
        });
        let Some((top, _)) = row.and_then(|row| places.get(row)) else { continue };
        let (from, to) = (area.x(step.since_ms), area.x(step.until_ms));
        d += &format!("{}{} {}L{} {}", if is_open { "L" } else { "M" }, n(from), n(*top), n(to), n(*top));
        is_open = true;
    }
    out.path("line", &d);
    if !d.is_empty() {
        out.words("t1", area.right() + 10.0, area.top + 10.0, "start", "line: 99 %");
    }
}

fn legend(out: &mut Writer, frame: &Frame, area: &Area, greatest: f64, shade: &dyn Fn(f64) -> f64) {
    let Some(first) = frame.series.first() else { return };
    let class = format!("f-{}", palette::class(heldup_model::Colour { step: 0, ..first.colour }));
    let values: Vec<f64> = match frame.unit == "ratio" {
        true => vec![0.1, 0.4, 0.7, 1.0],
        false => (0..4).map(|at| (1.0 + greatest).powf(f64::from(at + 1) / 4.0) - 1.0).collect(),
    };
    for (at, shown) in values.iter().enumerate() {
        let y = area.top + 22.0 + at as f64 * 16.0;
        if y + 10.0 > area.bottom() + 8.0 {
            break;
        }
        out.shade(&class, [area.right() + 10.0, y, 12.0, 12.0], shade(*shown));
        out.words("t2", area.right() + 28.0, y + 10.0, "start", &value(frame, *shown));
    }
}
