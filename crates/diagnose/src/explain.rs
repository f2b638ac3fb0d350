//! `heldup explain ID`: a rule's document as plain text.

use std::fmt::Write as _;

use crate::document::{ChangeTemplate, Origin, Rule};
use crate::proposal;

/// The document for a terminal of the given width, in columns; the SQL only where it is asked for.
pub fn explain(rule: &Rule, width: usize, with_sql: bool) -> String {
    let mut out = format!("{}\n", rule.id);
    if rule.origin != Origin::BuiltIn {
        let _ = writeln!(out, "  from {}", rule.place);
    }
    section(&mut out, "What it means", &rule.meaning, width);
    section(&mut out, "How it is decided", &rule.decided, width);
    for next in &rule.next {
        section(&mut out, "What to check next", &shown(next.text.source()), width);
        let _ = writeln!(out, "    {}", shown(next.command.source()));
    }
    for change in &rule.changes {
        let text = format!("{} Risk: {}", change.expect.source(), change.risk.source());
        let title = format!("What to change: {}", shown(change.tunable.source()));
        section(&mut out, &title, &shown(&text), width);
        let _ = writeln!(out, "    {}", shown(&making(change)));
    }
    section(&mut out, "When it is wrong", &rule.when_wrong, width);
    let needs: Vec<String> = rule.needs.iter().map(ToString::to_string).collect();
    section(
        &mut out,
        "What it needs",
        &format!("{}. Supplied by {}.", needs.join(", "), rule.supplied_by),
        width,
    );
    if let Some(other) = &rule.on_recordings {
        section(&mut out, "How it is decided of a recording that knows no waits", &other.decided, width);
        let needs: Vec<String> = other.needs.iter().map(ToString::to_string).collect();
        section(&mut out, "What it needs of one", &needs.join(", "), width);
    }
    if let Some(other) = &rule.on_moments {
        section(&mut out, "How it is decided of a listing of one moment", &other.decided, width);
    }
    if !rule.better_with.is_empty() {
        let better: Vec<String> = rule.better_with.iter().map(ToString::to_string).collect();
        section(&mut out, "What sharpens it", &better.join(", "), width);
    }
    if !rule.symptom_of.is_empty() {
        let causes: Vec<String> = rule.symptom_of.iter().map(|cause| cause.id.clone()).collect();
        section(&mut out, "What may explain it", &causes.join(", "), width);
    }
    if !rule.figures.is_empty() {
        section(&mut out, "What shows it", "", width);
        let _ = writeln!(out, "    heldup plot {}", rule.figures.join(" "));
    }
    section(&mut out, "References", "", width);
    for reference in &rule.references {
        let _ = writeln!(out, "  {reference}");
    }
    if !with_sql {
        return out;
    }
    let _ = write!(out, "\nThe question\n{}\n", indented(&rule.sql));
    if let Some(other) = &rule.on_recordings {
        let _ = write!(out, "\nThe question to a recording\n{}\n", indented(&other.sql));
    }
    if let Some(other) = &rule.on_moments {
        let _ = write!(out, "\nThe question to a listing of one moment\n{}\n", indented(&other.sql));
    }
    out
}

/// The command that makes a change, as a template.
fn making(change: &ChangeTemplate) -> String {
    match &change.command {
        Some(command) => command.source().to_owned(),
        None => proposal::apply(change.tunable.source(), change.to.source()),
    }
}

fn section(out: &mut String, title: &str, text: &str, width: usize) {
    let _ = write!(out, "\n{title}\n");
    for paragraph in text.split("\n\n") {
        wrap(out, paragraph, width);
    }
}

/// Words in lines of at most `width` columns, indented by two.
fn wrap(out: &mut String, text: &str, width: usize) {
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            column = 0;
        }
        out.push_str(if column == 0 { "  " } else { " " });
        column += length + if column == 0 { 2 } else { 1 };
        out.push_str(word);
    }
    if column > 0 {
        out.push('\n');
    }
}

/// `{device}` reads `DEVICE`: what the program fills in.
fn shown(template: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((inside, tail)) = after.split_once('}') else {
            rest = after;
            break;
        };
        let name = inside.split(':').next().unwrap_or(inside);
        out.push_str(&name.to_uppercase());
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn indented(sql: &str) -> String {
    sql.trim_matches('\n').lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
