//! Figures of an area, as `heldup plot` draws them in a terminal.

use heldup_model::Frame;
use heldup_report::figure::cells::{CellLook, cells};
use heldup_report::figure::{series_name, title, unit, value};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::spans::{left, right, safe};
use crate::app::App;
use crate::paint::Look;

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
    let cell_look = CellLook { width: columns, color: look.color, ascii: look.ascii, zone: &app.zone };
    let text: String = frames.iter().map(|frame| cells(frame, &cell_look)).collect();
    text.lines().map(inked).collect()
}

/// A figure as a table: what each series was over the window.
fn of_table(frame: &Frame, look: Look, columns: usize) -> Vec<Line<'static>> {
    let name = columns.saturating_sub(48).clamp(12, 40);
    let head = format!(
        "{} {}{}{}{}",
        left(&safe(&title(frame), look), name),
        right("MEAN", 11),
        right("LEAST", 11),
        right("GREATEST", 11),
        right(&safe(&unit(frame), look), 12)
    );
    let mut lines = vec![Line::styled(head, look.bold())];
    for series in &frame.series {
        let cell = |number: Option<f64>| {
            right(&number.map_or_else(|| "-".to_owned(), |number| value(frame, number)), 11)
        };
        let summary = &series.summary;
        let text = format!(
            "{} {}{}{}",
            left(&safe(&series_name(series), look), name),
            cell(summary.mean),
            cell(summary.least),
            cell(summary.greatest)
        );
        lines.push(Line::raw(text));
    }
    lines.push(Line::raw(""));
    lines
}

/// A line with the colours that `cells` writes into it.
fn inked(line: &str) -> Line<'static> {
    let mut spans = Vec::new();
    let mut style = Style::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        if !before.is_empty() {
            spans.push(Span::styled(before.to_owned(), style));
        }
        let Some((codes, tail)) = after.split_once('m') else { break };
        style = codes.split(';').fold(style, changed);
        rest = tail;
    }
    if !rest.is_empty() {
        spans.push(Span::styled(rest.to_owned(), style));
    }
    Line::from(spans)
}

fn changed(style: Style, code: &str) -> Style {
    match code.parse::<u8>() {
        Ok(1) => style.add_modifier(Modifier::BOLD),
        Ok(2) => style.fg(Color::DarkGray),
        Ok(code @ 30..=37) => style.fg(Color::Indexed(code - 30)),
        Ok(code @ 90..=97) => style.fg(Color::Indexed(code - 82)),
        Ok(code @ 40..=47) => style.bg(Color::Indexed(code - 40)),
        Ok(code @ 100..=107) => style.bg(Color::Indexed(code - 92)),
        _ => Style::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_styles() {
        let line = inked("a \u{1b}[1mbold\u{1b}[0m \u{1b}[30;43mss\u{1b}[0m");
        assert_eq!(line.to_string(), "a bold  ss".replace("  ", " "));
        assert!(line.spans[1].style.add_modifier.contains(Modifier::BOLD));
        assert_eq!(line.spans[3].style.bg, Some(Color::Indexed(3)));
    }
}
