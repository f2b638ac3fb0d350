//! Figures on a page: a picture, its sentence, and its numbers as a table.

use heldup_model::{Frame, FrameKind, Plotted, ReportFigure, ReportParts};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::document;
use super::writer::{Cell, Column, Html, numbers, words};
use crate::TextOptions;
use crate::figure::svg::{self, Look};
use crate::figure::{sentence, series_name, ticks, title, unit, value};

/// Width of a chart.
const WIDTH: f64 = 760.0;
/// Height of a chart over time.
const HEIGHT: f64 = 210.0;
/// Rows of a table of numbers; of more steps several are one row.
const MOST_ROWS: usize = 48;

/// Which heading a figure has.
#[derive(Clone, Copy)]
pub(super) enum Level {
    /// Below a heading of a part of the page.
    Third,
    /// Below one of a finding.
    Fourth,
}

/// A page of figures.
pub fn page(plotted: &Plotted, options: &TextOptions) -> String {
    let zone = &options.time_zone;
    let window = plotted.figures.first().map(|frame| ticks::window(frame, zone)).unwrap_or_default();
    let mut html = Html::default();
    html.open("header", &[]);
    super::brand(&mut html, &window);
    html.put("h1", "", &format!("{}: figures", plotted.host));
    html.put("p", "second", &plotted.source);
    html.close("header");
    html.open("main", &[]);
    areas(&mut html, &plotted.figures.iter().collect::<Vec<_>>(), zone);
    if !plotted.without.is_empty() {
        html.put("h2", "", "Not measured here");
        let row = |figure: &heldup_model::FigureWithout| {
            vec![figure.title.as_str().into(), figure.id.as_str().into(), figure.supplied_by.as_str().into()]
        };
        let rows = plotted.without.iter().map(row).collect();
        html.table(
            "Figures without numbers here",
            &[words("figure"), super::writer::wide("id"), words("supplied by")],
            rows,
        );
    }
    html.close("main");
    document(&format!("{}: figures", plotted.host), html)
}

/// A figure of a report, where links find it.
pub(super) fn anchored(html: &mut Html, parts: &ReportParts, at: usize, zone: &TimeZone, level: Level) {
    let Some(one) = parts.figures.get(at) else { return };
    html.open("div", &[("id", &anchor(at))]);
    figure(html, &one.frame, zone, level);
    html.close("div");
}

/// The id of a figure's place.
pub(super) fn anchor(at: usize) -> String {
    format!("figure-{at}")
}

/// The places of the figures with an id among the parts.
pub(super) fn places<'p>(parts: &'p ReportParts, ids: &'p [&str]) -> impl Iterator<Item = usize> + 'p {
    let is_of = |one: &ReportFigure| ids.contains(&one.frame.id.as_str());
    parts.figures.iter().enumerate().filter(move |(_, one)| is_of(one)).map(|(at, _)| at)
}

/// Figures below headings of their areas.
pub(super) fn areas(html: &mut Html, figures: &[&Frame], zone: &TimeZone) {
    let of = |frame: &Frame| frame.id.split('.').next().unwrap_or_default().to_owned();
    for of_area in figures.chunk_by(|a, b| of(a) == of(b)) {
        let Some(first) = of_area.first() else { continue };
        html.put("h2", "", area_name(&of(first)));
        html.open("div", &[("class", "figures")]);
        of_area.iter().for_each(|frame| figure(html, frame, zone, Level::Third));
        html.close("div");
    }
}

/// The name of an area as a heading.
pub(super) fn area_name(area: &str) -> &str {
    match area {
        "time" => "Where time goes",
        "cpu" => "CPU",
        "memory" => "Memory",
        "disk" => "Disks",
        "fs" => "File systems",
        "net" => "Network",
        "groups" => "Control groups",
        "process" => "Processes",
        "db" => "Databases",
        "recorder" => "Recorder",
        area => area,
    }
}

/// One figure.
pub(super) fn figure(html: &mut Html, frame: &Frame, zone: &TimeZone, level: Level) {
    let look = Look { width: WIDTH, height: HEIGHT, zone };
    html.open("figure", &[]);
    let tag = match level {
        Level::Third => "h3",
        Level::Fourth => "h4",
    };
    html.open(tag, &[]);
    html.text(&title(frame));
    html.put("span", "", &unit(frame));
    html.close(tag);
    let is_drawn = html.most_drawn.is_none_or(|most| html.markup.len() < most);
    if is_drawn {
        // A narrow page moves it sideways, by keys too.
        html.open(
            "div",
            &[("class", "chart"), ("tabindex", "0"), ("role", "group"), ("aria-label", &title(frame))],
        );
        html.picture(&svg::chart(frame, &look));
        html.close("div");
    }
    html.open("figcaption", &[]);
    html.text(&sentence::sentence(frame, zone));
    if !is_drawn {
        html.put("p", "", &format!("Not drawn, to keep this page small: heldup plot {}", frame.id));
    }
    html.open_details("Numbers and query", false);
    tables(html, frame, zone);
    html.code(&frame.sql);
    html.close("details");
    html.close("figcaption");
    html.close("figure");
}

/// What each series is over the window, and over its time.
fn tables(html: &mut Html, frame: &Frame, zone: &TimeZone) {
    let some = |number: Option<f64>| number.map_or_else(|| "–".to_owned(), |number| value(frame, number));
    let columns = [words("series"), numbers("mean"), numbers("least"), numbers("greatest")];
    let summary = |series: &heldup_model::FrameSeries| -> Vec<Cell> {
        let numbers = [series.summary.mean, series.summary.least, series.summary.greatest];
        std::iter::once(series_name(series).into()).chain(numbers.map(|number| some(number).into())).collect()
    };
    let caption = format!("{}: over the window", title(frame));
    html.table(&caption, &columns, frame.series.iter().map(summary).collect());
    if frame.steps.is_empty() || frame.kind == FrameKind::Heat {
        return;
    }
    let together = frame.steps.len().div_ceil(MOST_ROWS);
    let row = |first: usize| -> Vec<Cell> {
        let last = (first + together).min(frame.steps.len());
        let until = frame.steps.get(last - 1).map_or(0, |step| step.until_ms);
        let time = Timestamp::from_millisecond(until)
            .map(|time| time.to_zoned(zone.clone()).strftime("%F %T").to_string());
        let mut cells: Vec<Cell> = vec![time.unwrap_or_default().into()];
        for series in &frame.series {
            // By the length of each step: never a mean of means.
            let length = |at: usize| (frame.steps[at].until_ms - frame.steps[at].since_ms).max(1) as f64;
            let known = (first..last).filter_map(|at| Some((series.mean[at]?, length(at))));
            let (sum, weight) =
                known.fold((0.0, 0.0), |(sum, all), (mean, weight)| (sum + mean * weight, all + weight));
            cells.push(some((weight > 0.0).then(|| sum / weight)).into());
        }
        cells
    };
    let rows = (0..frame.steps.len()).step_by(together).map(row).collect();
    let names: Vec<String> = frame.series.iter().map(series_name).collect();
    let columns: Vec<Column<'_>> =
        std::iter::once(words("until")).chain(names.iter().map(|name| numbers(name))).collect();
    html.open(
        "div",
        &[("class", "scroll"), ("tabindex", "0"), ("role", "group"), ("aria-label", "numbers over time")],
    );
    html.table(&format!("{}: over time", title(frame)), &columns, rows);
    html.close("div");
}
