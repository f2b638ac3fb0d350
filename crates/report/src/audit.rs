//! What `heldup tune audit` says: schema `heldup/audit/1`, and lines for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use heldup_model::{AUDIT_SCHEMA, AuditAnswer, AuditedLine};
use schemars::generate::SchemaSettings;

use crate::harmless;
use crate::json::escaped;

/// The audit as pretty JSON, with a newline at its end.
pub fn json(answer: &AuditAnswer) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(answer).unwrap_or_default()) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<AuditAnswer>();
    schema.insert("$id".to_owned(), format!("urn:{}", AUDIT_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup tune audit --json` answers".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// The audit in lines of at most `width` characters; `all` also tells lines of which nothing is to be said.
pub fn text(answer: &AuditAnswer, width: usize, all: bool) -> String {
    let mut out = String::new();
    for file in &answer.files {
        let listing = if file.is_listing { ", as listed by a tool" } else { "" };
        let _ = writeln!(
            out,
            "{}: settings of {}{listing}, judged against {}",
            harmless(&file.file),
            file.system,
            harmless(&file.against)
        );
        if let Some(advice) = &file.advice {
            out.push_str(&wrapped(advice, width, "  "));
        }
    }
    let listing =
        |line: &AuditedLine| answer.files.iter().any(|file| file.file == line.file && file.is_listing);
    for line in &answer.lines {
        let silent = !line.is_warning && (line.verdict == "fine" || listing(line));
        if all || !silent {
            out.push_str(&judged(line, width));
        }
    }
    out.push_str(&summary(answer));
    out
}

fn judged(line: &AuditedLine, width: usize) -> String {
    let value = if line.verdict == "malformed" { String::new() } else { format!(" = {}", line.value) };
    let mut out =
        format!("\n{}:{}  {}\n", harmless(&line.file), line.line, harmless(&format!("{}{value}", line.name)));
    for remark in &line.remarks {
        let said = harmless(&format!("{}: {}", remark.verdict.replace('_', " "), remark.why));
        out.push_str(&wrapped(&said, width, "    "));
    }
    out
}

/// How many lines of each verdict.
fn summary(answer: &AuditAnswer) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    answer.lines.iter().for_each(|line| *counts.entry(line.verdict.as_str()).or_default() += 1);
    let each: Vec<String> =
        counts.iter().map(|(verdict, count)| format!("{count} {}", verdict.replace('_', " "))).collect();
    match answer.lines.len() {
        0 => "\nNo assignments.\n".to_owned(),
        1 => format!("\n1 line: {}\n", each.join(", ")),
        lines => format!("\n{lines} lines: {}\n", each.join(", ")),
    }
}

fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let options =
        textwrap::Options::new(width.clamp(40, 160)).initial_indent(indent).subsequent_indent(indent);
    textwrap::fill(text, options) + "\n"
}

#[cfg(test)]
mod tests {
    use heldup_model::{AuditRemark, AuditedFile};

    use super::*;

    fn line(name: &str, verdict: &str, is_warning: bool) -> AuditedLine {
        AuditedLine {
            file: "a.conf".to_owned(),
            line: 3,
            name: name.to_owned(),
            value: "1".to_owned(),
            id: None,
            verdict: verdict.to_owned(),
            is_warning,
            remarks: vec![AuditRemark { verdict: verdict.to_owned(), why: "so it is".to_owned() }],
            references: Vec::new(),
        }
    }

    #[test]
    fn what_is_fine_is_only_counted() {
        let file = AuditedFile {
            file: "a.conf".to_owned(),
            system: "Linux".to_owned(),
            against: "Linux 6.1".to_owned(),
            is_listing: false,
            advice: None,
        };
        let lines = vec![line("vm.\u{1b}[2Jx", "out_of_range", true), line("vm.y", "fine", false)];
        let answer =
            AuditAnswer { schema: AUDIT_SCHEMA.to_owned(), files: vec![file], lines, unread: Vec::new() };
        let brief = text(&answer, 100, false);
        assert!(brief.contains("out of range: so it is") && !brief.contains("vm.y"), "{brief}");
        assert!(!brief.contains('\u{1b}'), "{brief:?}");
        assert!(brief.ends_with("\n2 lines: 1 fine, 1 out of range\n"), "{brief}");
        assert!(text(&answer, 100, true).contains("vm.y = 1"));
    }
}
