//! Files to keep: a window as a report, a figure as a picture or as numbers.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use heldup_engine::{
    AskedSpan, Cancel, ExamineRequest, Examined, Silent, examine_for_report, listed_figures, zone_named,
};
use heldup_hostfs::Stopper;
use heldup_model::{Frame, PLOT_SCHEMA, Plotted, Span};
use heldup_report::figure::palette::Theme;
use heldup_report::figure::png::png;
use heldup_report::figure::svg::{self, Look};
use heldup_report::figure::{csv, file_name};
use heldup_report::{TextOptions, html};
use hyper::StatusCode;
use hyper::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;

use super::asked::{Asked, Of, span};
use crate::app::{App, Viewed};
use crate::problem::Problem;

/// Steps of time in a report's pictures.
const STEPS: usize = 480;
/// Width and height of a picture.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 300.0;

/// `GET /api/report`.
pub async fn report(State(app): State<Arc<App>>, Asked(of): Asked<Of>) -> Result<Response, Problem> {
    let span = of.span()?;
    let page = app.ask(of.host, move |app, viewed| report_of(app, viewed, span)).await?;
    Ok(file("heldup-report.html", "text/html; charset=utf-8", page.into_bytes()))
}

fn report_of(app: &App, viewed: &Arc<Viewed>, span: Span) -> Result<String, Problem> {
    let (live_folder, zone) = viewed.ask(|viewer| {
        let folder = viewer.folder().filter(|_| viewer.is_live());
        Ok((folder.map(|folder| folder.display().to_string()), viewer.zone().cloned()))
    })?;
    let sources = live_folder.map_or_else(|| app.sources().to_vec(), |folder| vec![folder]);
    let request = ExamineRequest {
        sources,
        span: AskedSpan {
            since: Some(time(span.since_ms)?),
            until: Some(time(span.until_ms)?),
            host: Some(viewed.host.clone()).filter(|host| !host.is_empty()),
        },
        save: false,
        ..app.examination()
    };
    let (found, parts) = examine_for_report(&request, STEPS, &Silent, &Cancel::By(Stopper::default()))?;
    let options = TextOptions { time_zone: zone.unwrap_or_else(TimeZone::system), ..TextOptions::default() };
    Ok(match found {
        Examined::Window { examination, .. } => {
            let zone = examination.time_zone.as_deref().and_then(zone_named);
            let options = TextOptions { time_zone: zone.unwrap_or(options.time_zone), ..options };
            html::examination(&examination, &parts, &options)
        }
        Examined::Timeline(timeline) => html::timeline(&timeline, &parts, &options),
    })
}

fn time(ms: i64) -> Result<String, Problem> {
    let time = Timestamp::from_millisecond(ms).map_err(|error| Problem::usage(error.to_string()))?;
    Ok(time.to_string())
}

/// Which figure, and how it is written.
#[derive(Debug, Deserialize)]
pub struct Picture {
    id: String,
    subject: Option<String>,
    since_ms: i64,
    until_ms: i64,
    format: Written,
    #[serde(default)]
    dark: bool,
    host: Option<String>,
}

/// How a figure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Written {
    Svg,
    Png,
    Csv,
}

/// `GET /api/figure`.
pub async fn figure(State(app): State<Arc<App>>, Asked(of): Asked<Picture>) -> Result<Response, Problem> {
    let span = span(of.since_ms, of.until_ms)?;
    if listed_figures().1.iter().all(|figure| figure.id != of.id) {
        return Err(Problem::new(StatusCode::NOT_FOUND, format!("no figure {}", of.id)));
    }
    let host = of.host.clone();
    app.ask(host, move |_, viewed| picture(viewed, &of, span)).await
}

fn picture(viewed: &Arc<Viewed>, of: &Picture, span: Span) -> Result<Response, Problem> {
    let (mut frames, host, zone) = viewed.ask(|viewer| {
        let frames = viewer.figures(&[of.id.as_str()], span, (WIDTH / 2.0) as usize)?;
        Ok((frames, viewer.host()?.name, viewer.zone().cloned()))
    })?;
    let is_asked = |frame: &Frame| of.subject.is_none() || frame.subject.as_deref() == of.subject.as_deref();
    frames.retain(is_asked);
    let Some(frame) = frames.first() else {
        return Err(Problem::new(StatusCode::NOT_FOUND, format!("{}: no numbers in this window", of.id)));
    };
    let name = file_name(frame);
    let zone = zone.unwrap_or_else(TimeZone::system);
    let look = Look { width: WIDTH, height: HEIGHT, zone: &zone };
    let theme = if of.dark { Theme::Dark } else { Theme::Light };
    let drawn = || svg::file(frame, &host, &look, theme);
    Ok(match of.format {
        Written::Svg => file(&format!("{name}.svg"), "image/svg+xml", drawn().into_bytes()),
        Written::Png => {
            let pixels = png(&drawn()).map_err(|error| {
                Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("cannot draw {}: {error}", of.id))
            })?;
            file(&format!("{name}.png"), "image/png", pixels)
        }
        Written::Csv => {
            let plotted = Plotted {
                schema: PLOT_SCHEMA.to_owned(),
                source: String::new(),
                host,
                from: time(span.since_ms)?,
                to: time(span.until_ms)?,
                figures: frames,
                without: Vec::new(),
            };
            file(&format!("{name}.csv"), "text/csv; charset=utf-8", csv(&plotted).into_bytes())
        }
    })
}

/// A file to keep. Its name has letters, digits, dots and dashes only.
fn file(name: &str, kind: &'static str, bytes: Vec<u8>) -> Response {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || ".-_".contains(*c);
    let name: String = name.chars().filter(is_plain).collect();
    let kept = format!("attachment; filename=\"{name}\"");
    ([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, kept)], bytes).into_response()
}
