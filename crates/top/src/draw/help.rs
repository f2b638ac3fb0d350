//! Keys, and the letters that bars are spelt with.

use heldup_model::{Class, Group};
use ratatui::text::{Line, Span};

use super::spans::{left, width};
use crate::paint::Look;

/// Keys and what they do, in two columns.
const VIEWS: [(&str, &str); 8] = [
    ("o", "what is wrong"),
    ("w", "who"),
    ("c d m n g", "CPU disk memory net groups"),
    ("s", "stacks; s again: CPU, lock"),
    ("x X", "what changed; X marks one"),
    ("e", "experiments"),
    (":", "SQL"),
    ("r", "recording"),
];
const TIME: [(&str, &str); 6] = [
    ("<- ->  T t", "a second back, ahead"),
    ("Shift <- ->", "a minute"),
    ("[ ]", "previous, next finding"),
    ("b", "go to yesterday 03:00"),
    ("Space", "freeze; records on"),
    ("End", "now, or the end"),
];
const HERE: [(&str, &str); 9] = [
    ("j k, arrows", "row"),
    ("Enter  Esc", "open, back"),
    ("/", "filter by a word"),
    ("< >  R", "sort by; reverse"),
    ("f H U", "tree, threads, units"),
    ("G K", "groups; kernel threads"),
    (".", "charts as tables"),
    ("y", "command for this window"),
    ("q  Ctrl-Z", "quit, to the background"),
];

/// The page of keys.
pub fn keys(look: Look, columns: usize) -> Vec<Line<'static>> {
    let half = columns / 2;
    let mut first: Vec<(bool, String)> = vec![(true, "Views".to_owned())];
    first.extend(VIEWS.iter().map(|(key, what)| (false, row(key, what))));
    first.push((true, "Time".to_owned()));
    first.extend(TIME.iter().map(|(key, what)| (false, row(key, what))));
    let mut second: Vec<(bool, String)> = vec![(true, "Here".to_owned())];
    second.extend(HERE.iter().map(|(key, what)| (false, row(key, what))));
    second.push((true, "Letters".to_owned()));
    second.extend(letters());
    if half < 38 {
        first.extend(second);
        second = Vec::new();
    }
    let style = |is_head: bool| if is_head { look.bold() } else { Default::default() };
    (0..first.len().max(second.len()))
        .map(|at| {
            let mut spans = Vec::new();
            if let Some((is_head, text)) = first.get(at) {
                let text = if second.is_empty() { text.clone() } else { left(text, half) };
                spans.push(Span::styled(text, style(*is_head)));
            } else {
                spans.push(Span::raw(" ".repeat(half)));
            }
            if let Some((is_head, text)) = second.get(at) {
                spans.push(Span::styled(text.clone(), style(*is_head)));
            }
            Line::from(spans)
        })
        .collect()
}

fn row(key: &str, what: &str) -> String {
    format!("  {}{what}", left(key, 12))
}

/// The letters of the classes that bars are spelt with.
fn letters() -> Vec<(bool, String)> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::from(" ");
    for class in
        Class::ALL.into_iter().filter(|class| matches!(class.group(), Group::Running | Group::Waiting))
    {
        let word = format!(" {} {}", class.letter(), class.label());
        if width(&line) + width(&word) > 38 {
            lines.push(std::mem::replace(&mut line, String::from(" ")));
        }
        line += &word;
    }
    lines.push(line);
    lines.into_iter().map(|line| (false, line)).collect()
}
