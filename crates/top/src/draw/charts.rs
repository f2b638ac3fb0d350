//! Figures of an area, as `heldup plot` draws them in a terminal.

use heldup_model::{Frame, FrameSeries};
use heldup_report::figure::cells::{CellLook, cells};
use heldup_report::figure::{series_name, title, value};
use heldup_report::quantity::seconds;
use ratatui::text::Line;

use super::spans::{left, right, safe};
use super::text_page::inked;
use crate::app::App;
use crate::paint::Look;

/// Columns of a number.
const NUMBER: usize = 17;

/// The page of an area.
pub fn lines(app: &App, name: &str, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some((_, frames)) = &app.figures else {
        return vec![Line::styled(format!("{name}: the figures are being read"), look.dim())];
    };
    if frames.is_empty() {
        let said =
            format!("{name}: no figure has numbers in this window (heldup plot --list: what supplies them)");
        return vec![Line::styled(said, look.dim())];
    }
    if app.as_table {
        return frames.iter().flat_map(|frame| of_table(frame, look, columns)).collect();
    }
    frames.iter().flat_map(|frame| one(app, frame, look, columns)).collect()
}

/// One figure.
pub fn one(app: &App, frame: &Frame, look: Look, columns: usize) -> Vec<Line<'static>> {
    let cell_look = CellLook { width: columns, color: look.color, ascii: look.ascii, zone: &app.zone };
    cells(frame, &cell_look).lines().map(inked).collect()
}

/// A figure as a table: what each series was over the window.
fn of_table(frame: &Frame, look: Look, columns: usize) -> Vec<Line<'static>> {
    let name = columns.saturating_sub(3 * NUMBER).clamp(10, 48);
    let heads: String = ["MEAN", "LEAST", "GREATEST"].iter().map(|head| right(head, NUMBER)).collect();
    let head = format!("{}{heads}", left(&safe(&title(frame), look), name));
    let mut lines = vec![Line::styled(head, look.bold())];
    for series in &frame.series {
        let cell = |number: Option<f64>| {
            let text = number.map_or_else(|| "-".to_owned(), |number| value(frame, number));
            right(&safe(&text, look), NUMBER)
        };
        let summary = &series.summary;
        let numbers: String = [summary.mean, summary.least, summary.greatest].into_iter().map(cell).collect();
        lines.push(Line::raw(format!("{}{numbers}", left(&safe(&called(series), look), name))));
    }
    lines.push(Line::raw(""));
    lines
}

/// The name of a series; a bucket of a histogram is called by its bounds.
fn called(series: &FrameSeries) -> String {
    match series.bounds {
        Some((lower, Some(upper))) => format!("{} to {}", seconds(lower), seconds(upper)),
        Some((lower, None)) => format!("{} and more", seconds(lower)),
        None => series_name(series),
    }
}
