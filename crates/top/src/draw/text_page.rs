//! Text that `report` has written, as lines: its colours become styles, and where it is too wide it is wrapped.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::spans::{safe, width};
use crate::paint::Look;

/// Lines of a text of `report`.
pub fn lines(text: &str, look: Look, columns: usize) -> Vec<Line<'static>> {
    text.lines().flat_map(|line| fitted(line, look, columns)).collect()
}

/// One line; in several where it is too wide, each further one below the text of the first.
fn fitted(line: &str, look: Look, columns: usize) -> Vec<Line<'static>> {
    let line = inked(line);
    let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    if width(&text) <= columns {
        return vec![line];
    }
    let indent = text.len() - text.trim_start().len() + 2;
    let indent = " ".repeat(indent.min(columns / 2));
    let options = textwrap::Options::new(columns).subsequent_indent(&indent);
    textwrap::wrap(&safe(&text, look), options).iter().map(|part| Line::raw(part.to_string())).collect()
}

/// A line with the colours that `report` writes into it.
pub fn inked(line: &str) -> Line<'static> {
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

    #[test]
    fn what_is_too_wide_goes_on_below_itself() {
        let look = Look { color: true, ascii: false, sudo: false };
        let text = lines("  run queue: 4.0 tasks waiting on average\nshort", look, 24);
        let text: Vec<String> = text.iter().map(Line::to_string).collect();
        assert_eq!(text, ["  run queue: 4.0 tasks", "    waiting on average", "short"]);
    }
}
