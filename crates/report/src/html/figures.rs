//! Figures on a page: a picture, its sentence, and its numbers as a table.

use heldup_model::{Frame, FrameKind, Plotted};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{document, text};
use crate::figure::svg::{self, Look};
use crate::figure::{sentence, series_name, ticks, title, unit, value};

/// Width of a chart.
const WIDTH: f64 = 912.0;
/// Height of a chart over time.
const HEIGHT: f64 = 220.0;
/// Rows of a table of numbers; of more steps several are one row.
const MOST_ROWS: usize = 48;

/// A page of figures.
pub fn page(plotted: &Plotted, zone: &TimeZone) -> String {
    let window = plotted.figures.first().map(|frame| ticks::window(frame, zone)).unwrap_or_default();
    let mut body = format!(
        "<header>\n<h1>{}</h1>\n<p class=\"second\">{} · {}</p>\n</header>\n<main>\n",
        text(&plotted.host),
        text(&window),
        text(&plotted.source)
    );
    let mut area = "";
    for frame in &plotted.figures {
        let of = frame.id.split('.').next().unwrap_or_default();
        if of != area {
            area = of;
            body += &format!("<h2>{}</h2>\n", text(area_name(area)));
        }
        body += &figure(frame, zone);
    }
    if !plotted.without.is_empty() {
        body += "<h2>Not measured here</h2>\n<table>\n<tr><th scope=\"col\">figure</th><th scope=\"col\">supplied \
                 by</th></tr>\n";
        for figure in &plotted.without {
            body +=
                &format!("<tr><td>{}</td><td>{}</td></tr>\n", text(&figure.title), text(&figure.supplied_by));
        }
        body += "</table>\n";
    }
    body += "</main>\n";
    document(&format!("{}: figures", plotted.host), &body)
}

/// The name of an area as a heading.
pub fn area_name(area: &str) -> &str {
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
pub fn figure(frame: &Frame, zone: &TimeZone) -> String {
    let look = Look { width: WIDTH, height: HEIGHT, zone };
    format!(
        "<figure>\n<h3>{}<span>{}</span></h3>\n{}\n<figcaption>{}</figcaption>\n<details><summary>Numbers and \
         query</summary>\n{}<pre>{}</pre>\n</details>\n</figure>\n",
        text(&title(frame)),
        text(&unit(frame)),
        svg::chart(frame, &look),
        text(&sentence::sentence(frame, zone)),
        numbers(frame, zone),
        query(&frame.sql)
    )
}

/// A query, its lines kept.
fn query(sql: &str) -> String {
    sql.lines().map(text).collect::<Vec<_>>().join("\n")
}

/// What each series is over the window, and over its time.
fn numbers(frame: &Frame, zone: &TimeZone) -> String {
    let some =
        |number: Option<f64>| number.map_or_else(|| "–".to_owned(), |number| text(&value(frame, number)));
    let mut table = String::from(
        "<table>\n<tr><th scope=\"col\">series</th><th scope=\"col\" class=\"n\">mean</th><th scope=\"col\" \
         class=\"n\">least</th><th scope=\"col\" class=\"n\">greatest</th></tr>\n",
    );
    for series in &frame.series {
        let summary = series.summary;
        table += &format!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            text(&series_name(series)),
            some(summary.mean),
            some(summary.least),
            some(summary.greatest)
        );
    }
    table += "</table>\n";
    if frame.steps.is_empty() || frame.kind == FrameKind::Heat {
        return table;
    }
    table += "<table>\n<tr><th scope=\"col\">until</th>";
    frame.series.iter().for_each(|series| {
        table += &format!("<th scope=\"col\" class=\"n\">{}</th>", text(&series_name(series)));
    });
    table += "</tr>\n";
    let together = frame.steps.len().div_ceil(MOST_ROWS);
    for first in (0..frame.steps.len()).step_by(together) {
        let last = (first + together).min(frame.steps.len());
        let until = frame.steps[last - 1].until_ms;
        let time = Timestamp::from_millisecond(until)
            .map(|time| time.to_zoned(zone.clone()).strftime("%F %T").to_string());
        table += &format!("<tr><th scope=\"row\">{}</th>", text(&time.unwrap_or_default()));
        for series in &frame.series {
            // By the length of each step: never a mean of means.
            let length = |at: usize| (frame.steps[at].until_ms - frame.steps[at].since_ms).max(1) as f64;
            let known = (first..last).filter_map(|at| Some((series.mean[at]?, length(at))));
            let (sum, weight) =
                known.fold((0.0, 0.0), |(sum, all), (mean, weight)| (sum + mean * weight, all + weight));
            table += &format!("<td class=\"n\">{}</td>", some((weight > 0.0).then(|| sum / weight)));
        }
        table += "</tr>\n";
    }
    table += "</table>\n";
    table
}
