//! The first lines: which machine, when, its vital signs, and all that there is of it.

use heldup_model::{Method, Severity};
use heldup_report::lines;
use heldup_report::quantity::{bytes, fixed, span};
use ratatui::text::{Line, Span};

use super::spans::{cut, left, safe, width};
use crate::app::App;
use crate::paint::{Look, shape};
use crate::strip::{Cell, cells, names};
use crate::when;

/// The lines above every page.
pub fn above(app: &App, look: Look, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec![first(app, look, width)];
    let vitals = app.view.as_ref().map(|view| lines::vitals(&view.examination)).unwrap_or_default();
    lines.push(Line::raw(safe(&parts_that_fit(&vitals, width), look)));
    lines.extend(strip(app, look, width));
    lines.push(Line::raw(""));
    lines
}

/// The vital signs for which there is room: half a number is none.
fn parts_that_fit(vitals: &str, columns: usize) -> String {
    let mut line = String::new();
    for part in vitals.split("\u{a0} ") {
        let gap = if line.is_empty() { "" } else { "  " };
        if width(&line) + width(gap) + width(part) <= columns {
            line += gap;
            line += part;
        }
    }
    line
}

fn first(app: &App, look: Look, columns: usize) -> Line<'static> {
    let mut known = String::new();
    let mut name = app.source.clone().unwrap_or_default();
    if let Some(view) = &app.view {
        let host = &view.examination.host;
        name.clone_from(&host.name);
        known = lines::system(host).map(|system| format!("  {system}")).unwrap_or_default();
        if let Some(cpus) = host.cpus {
            known += &format!("  {cpus} {}", if cpus == 1 { "CPU" } else { "CPUs" });
        }
        known += &host.memory_bytes.map(|memory| format!("  {}", bytes(memory as f64))).unwrap_or_default();
        if host.method != Method::Ebpf {
            known += &format!("  {}", host.method.name());
        }
    }
    let (state, style) = state(app, look);
    let when = app.span.map(|window| {
        let length_s = (window.until_ms - window.since_ms) as f64 / 1000.0;
        let at_ms = if app.live && app.follows { app.now_ms } else { window.until_ms };
        format!(" {}  {}", app.clock(at_ms), span(length_s))
    });
    let right = format!("{}  ? keys", when.unwrap_or_default());
    let room = columns.saturating_sub(width(&state) + width(&right) + 1);
    let name = cut(&safe(&name, look), room);
    let known = left(&safe(&known, look), room.saturating_sub(width(&name)));
    Line::from(vec![
        Span::styled(name, look.bold()),
        Span::styled(known, look.dim()),
        Span::raw(" "),
        Span::styled(state, style),
        Span::styled(right, look.dim()),
    ])
}

fn state(app: &App, look: Look) -> (String, ratatui::style::Style) {
    let sign = |sign: &str, plain: &str| if look.ascii { plain.to_owned() } else { sign.to_owned() };
    match (app.busy, app.live, app.follows) {
        (true, _, _) if app.view.is_none() => (sign("… reading", "... reading"), look.bold()),
        (_, true, true) => (sign("● live", "* live"), look.live()),
        (_, true, false) => (sign("◻ frozen", "# frozen"), look.bold()),
        (_, false, _) => (sign("◀ past", "< past"), look.bold()),
    }
}

/// What was found, above how much waited.
fn strip(app: &App, look: Look, width: usize) -> Vec<Line<'static>> {
    let Some(all) = app.all else { return vec![Line::raw(""), Line::raw("")] };
    let (from, to) = when::ends(all, width, &app.zone);
    let room = width.saturating_sub(from.len() + to.len() + 2);
    let indent = from.len() + 1;
    let mut above: Vec<Span<'static>> = vec![Span::raw(" ".repeat(indent))];
    match &app.marks {
        None => above.push(Span::styled("looking for what was wrong …", look.dim())),
        Some(marks) => {
            let mut column = 0;
            for (at, index, text) in names(marks, all, room) {
                above.push(Span::raw(" ".repeat(at.saturating_sub(column))));
                let severity = marks[index].findings.first().map_or(Severity::Info, |first| first.severity);
                above.push(Span::styled(shape(severity, look), look.severity(severity)));
                let text = if text.is_empty() { text } else { format!(" {}", safe(&text, look)) };
                column = at + 1 + super::spans::width(&text);
                above.push(Span::raw(text));
            }
        }
    }
    let mut line = vec![Span::styled(format!("{from} "), look.dim())];
    match &app.strip {
        None => line.push(Span::raw(" ".repeat(room))),
        Some(frame) => {
            let length_ms = (all.until_ms - all.since_ms).max(1) as f64;
            let column = |ms: i64| ((ms - all.since_ms) as f64 / length_ms * room as f64) as usize;
            let chosen = app.span.map(|span| (column(span.since_ms), column(span.until_ms)));
            for (at, cell) in cells(frame, all, room).into_iter().enumerate() {
                let is_seen = chosen.is_some_and(|(first, last)| at >= first && at <= last.max(first));
                let (text, style) = match cell {
                    Cell::Gap => ('/', look.dim()),
                    Cell::Level(level, colour) => (look.level(level), look.colour(colour)),
                };
                let style =
                    if is_seen && !(app.live && app.follows) { style.patch(look.chosen()) } else { style };
                line.push(Span::styled(text.to_string(), style));
            }
        }
    }
    line.push(Span::styled(format!(" {to}"), look.dim()));
    vec![Line::from(above), Line::from(line)]
}

/// A share in two digits, as the first screen has it.
pub fn share(of: f64) -> String {
    format!("{} %", fixed(100.0 * of, if of < 0.0995 { 1 } else { 0 }))
}
