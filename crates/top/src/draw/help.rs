//! Keys, letters, and what a command answers.

use heldup_model::{Class, Group};
use ratatui::text::{Line, Span};

use super::spans::{left, width};
use super::title_of;
use crate::app::App;
use crate::keys::Action;
use crate::paint::Look;
use crate::when;

/// Keys and what they do, in two columns.
const VIEWS: [(&str, &str); 9] = [
    ("o", "what is wrong"),
    ("w", "who"),
    ("c d m n g", "CPU, disk, memory, network, groups"),
    ("s", "stacks, by kind of time"),
    ("x", "what changed"),
    ("e", "experiments"),
    (":", "SQL"),
    ("r", "recording"),
    ("q", "quit"),
];
const TIME: [(&str, &str); 6] = [
    ("<- -> T t", "a step"),
    ("Shift <- ->", "a minute"),
    ("[ ]", "previous, next finding"),
    ("b", "go to a time: yesterday 03:00"),
    ("Space", "freeze; recording goes on"),
    ("End", "now, or the end"),
];
const HERE: [(&str, &str); 12] = [
    ("j k, arrows", "row"),
    ("Enter", "open"),
    ("Esc", "back"),
    ("/", "filter"),
    ("< >", "sort by"),
    ("R", "the other way round"),
    ("f", "tree"),
    ("H U", "threads, units"),
    ("G", "group: containers, programs"),
    ("K", "threads of the kernel"),
    (".", "charts as tables"),
    ("y", "print the link"),
];

/// The page of keys.
pub fn keys(look: Look, columns: usize, room: usize) -> Vec<Line<'static>> {
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
        .take(room)
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

/// What is asked with a command, which can be copied.
pub fn command(app: &App, action: Action, look: Look, columns: usize) -> Vec<Line<'static>> {
    let source = app.source.clone().unwrap_or_else(|| "@last".to_owned());
    let window = app.span.map(|span| format!(" {}", when::options(span)));
    let window = window.filter(|_| app.source.is_some()).unwrap_or_default();
    let (what, commands): (&str, Vec<String>) = match action {
        Action::Compare => (
            "What is different from another time or machine:",
            vec![format!("heldup compare BEFORE {source}"), "heldup compare --help".to_owned()],
        ),
        Action::Experiments => (
            "Change one setting, and prove whether it helps:",
            vec!["heldup try SETTING=VALUE --workload COMMAND".to_owned(), "heldup tune status".to_owned()],
        ),
        Action::Sql => (
            "Ask the tables behind all of this:",
            vec![
                format!("heldup sql -s {source}{window} \"select * from class_total\""),
                "heldup sql".to_owned(),
            ],
        ),
        _ => (
            "Whether it is recorded, since when, and what that costs:",
            vec!["heldup status".to_owned(), "sudo systemctl enable --now heldup-record".to_owned()],
        ),
    };
    let mut lines =
        vec![Line::styled(title_of(action), look.bold()), Line::raw(format!("  {what}")), Line::raw("")];
    for command in commands {
        let with_sudo = look.sudo && app.source.is_none() && command.starts_with("heldup ");
        let command = if with_sudo { format!("sudo {command}") } else { command };
        for part in textwrap::wrap(&command, columns.saturating_sub(4).max(20)) {
            lines.push(Line::raw(format!("    {part}")));
        }
    }
    lines
}
