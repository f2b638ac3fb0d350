//! Wording: text with placeholders that a row of a rule's answer fills in.
//!
//! `{column}` puts the value as it is, fit for a command line; `{column:s}` and the
//! like put it as a person reads it. A rule never formats numbers in SQL, so that one
//! place decides how a duration or a share looks. No placeholder can fail: what was
//! not measured reads "unknown", or is left out with the words that go with it where a
//! placeholder names them: `{column:n|, | times}`.

use std::fmt::Write as _;

use heldup_archive::Value;
use serde::Deserialize;

use crate::row::Row;

/// How a placeholder shows its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As it is: `{column}`.
    Plain,
    /// A duration in seconds: `{column:s}` gives `1.2 s`, `55 ms`, `300 µs`.
    Seconds,
    /// A share of one: `{column:%}` gives `43 %`.
    Percent,
    /// Bytes: `{column:B}` gives `1.5 GB`, in powers of ten as everywhere in the report.
    Bytes,
    /// A number of things: `{column:n}` gives `1,204`, `3.5`.
    Number,
    /// A time in hours: `{column:h}` gives `40 min`, `5.0 h`, `3 days`.
    Hours,
}

impl Format {
    /// Every format that can follow the colon.
    pub const NAMES: [(&'static str, Format); 5] = [
        ("s", Format::Seconds),
        ("%", Format::Percent),
        ("B", Format::Bytes),
        ("n", Format::Number),
        ("h", Format::Hours),
    ];
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Column(Placeholder),
}

/// A value of the row.
#[derive(Clone, Debug, PartialEq)]
struct Placeholder {
    column: String,
    format: Format,
    /// Words before and after it, for a value that is left out with them when it is NULL.
    words: Option<(String, String)>,
}

impl Placeholder {
    fn show(&self, value: &Value) -> String {
        match &self.words {
            Some(_) if matches!(value, Value::Null) => String::new(),
            Some((before, after)) => format!("{before}{}{after}", format_value(value, self.format)),
            None => format_value(value, self.format),
        }
    }
}

/// A parsed text with placeholders.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Template {
    parts: Vec<Part>,
    source: String,
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(source: String) -> Result<Template, String> {
        Ok(Template { parts: parse(&source)?, source })
    }
}

impl Template {
    /// The text as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The columns that it names.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Column(placeholder) => Some(placeholder.column.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The text with the row's values; NULL reads "unknown", unless its words are left out too.
    pub fn render(&self, row: &Row) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Column(placeholder) => placeholder.show(row.get(&placeholder.column)),
            })
            .collect()
    }

    /// The text with the row's values, none when one of them is NULL: half a command is
    /// worse than none.
    pub fn render_whole(&self, row: &Row) -> Option<String> {
        self.columns().all(|name| !matches!(row.get(name), Value::Null)).then(|| self.render(row))
    }
}

fn parse(source: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['{', '}']) {
        let (text, tail) = rest.split_at(at);
        if !text.is_empty() {
            parts.push(Part::Text(text.to_string()));
        }
        if let Some(after) = tail.strip_prefix("{{").or_else(|| tail.strip_prefix("}}")) {
            parts.push(Part::Text(tail[..1].to_string()));
            rest = after;
            continue;
        }
        let Some((inside, after)) = tail.strip_prefix('{').and_then(|t| t.split_once('}')) else {
            return Err(format!("unbalanced brace in {source:?}; write {{{{ or }}}} for a plain brace"));
        };
        parts.push(placeholder(inside)?);
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_string()));
    }
    Ok(parts)
}

fn placeholder(inside: &str) -> Result<Part, String> {
    let mut fields = inside.split('|');
    let value = fields.next().unwrap_or_default();
    let words = match (fields.next(), fields.next(), fields.next()) {
        (None, None, None) => None,
        (Some(before), Some(after), None) => Some((before.to_string(), after.to_string())),
        _ => return Err(format!("{{{inside}}}: expected {{column|words before|words after}}")),
    };
    let (name, format) = match value.split_once(':') {
        None => (value, Format::Plain),
        Some((name, wanted)) => {
            let found = Format::NAMES.iter().find(|(format, _)| *format == wanted);
            let Some((_, format)) = found else {
                let known: Vec<_> = Format::NAMES.iter().map(|(name, _)| *name).collect();
                return Err(format!(
                    "unknown format {wanted:?} in {{{inside}}}; expected one of {}",
                    known.join(" ")
                ));
            };
            (name, *format)
        }
    };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(format!("{{{inside}}} does not name a column"));
    }
    Ok(Part::Column(Placeholder { column: name.to_string(), format, words }))
}

/// One value as a person reads it.
pub fn format_value(value: &Value, format: Format) -> String {
    let number = match value {
        Value::Null => return "unknown".to_string(),
        Value::Text(text) => return text.clone(),
        Value::Int(int) if format == Format::Plain => return int.to_string(),
        Value::Int(int) => *int as f64,
        Value::Float(float) => *float,
    };
    match format {
        Format::Plain => plain_number(number),
        Format::Seconds => seconds(number),
        Format::Percent => with_precision(number * 100.0, if number.abs() < 0.0995 { 1 } else { 0 }) + " %",
        Format::Bytes => bytes(number),
        Format::Number => grouped(number),
        Format::Hours => hours(number),
    }
}

fn with_precision(number: f64, digits: usize) -> String {
    format!("{number:.digits$}")
}

/// A float without a tail of nines: at most six digits behind the point.
fn plain_number(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn seconds(number: f64) -> String {
    let size = number.abs();
    let (scaled, unit) = match size {
        _ if size >= 0.9995 || size == 0.0 => (number, "s"),
        _ if size >= 0.000_999_5 => (number * 1e3, "ms"),
        _ => (number * 1e6, "µs"),
    };
    let digits =
        if scaled.abs() >= 99.95 || (unit != "s" && scaled.abs() >= 9.95) || size == 0.0 { 0 } else { 1 };
    format!("{} {unit}", with_precision(scaled, digits))
}

fn bytes(number: f64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut scaled = number;
    let mut unit = 0;
    while scaled.abs() >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || scaled.abs() >= 9.95 { 0 } else { 1 };
    format!("{} {}", with_precision(scaled, digits), UNITS[unit])
}

fn hours(number: f64) -> String {
    match number {
        n if n < 1.5 / 60.0 => format!("{:.0} s", n * 3600.0),
        n if n < 1.0 => format!("{:.0} min", n * 60.0),
        n if n < 48.0 => format!("{n:.1} h"),
        n => format!("{:.0} days", n / 24.0),
    }
}

/// Thousands apart; one digit behind the point below ten unless it is whole.
fn grouped(number: f64) -> String {
    let whole = number.fract() == 0.0 || number.abs() >= 9.95;
    let text = with_precision(number, if whole { 0 } else { 1 });
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |d| ("-", d));
    let (int, fraction) = digits.split_once('.').map_or((digits, None), |(i, f)| (i, Some(f)));
    let mut out = sign.to_string();
    for (at, digit) in int.chars().enumerate() {
        if at > 0 && (int.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        let _ = write!(out, ".{fraction}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, value: Value, expect: &str) {
        let template = Template::try_from(template.to_string()).unwrap();
        let row = Row::of([("x", value)]);
        assert_eq!(template.render(&row), expect);
    }

    #[test]
    fn values_read_as_people_write_them() {
        check("{x:s}", Value::Float(7.94), "7.9 s");
        check("{x:s}", Value::Float(0.0553), "55 ms");
        check("{x:s}", Value::Float(0.00042), "420 µs");
        check("{x:s}", Value::Float(0.0021), "2.1 ms");
        check("{x:s}", Value::Float(0.99999), "1.0 s");
        check("{x:s}", Value::Int(0), "0 s");
        check("{x:s}", Value::Float(1204.3), "1204 s");
        check("{x:%}", Value::Float(0.434), "43 %");
        check("{x:%}", Value::Float(0.042), "4.2 %");
        check("{x:B}", Value::Int(512_000_000), "512 MB");
        check("{x:B}", Value::Int(1536), "1.5 kB");
        check("{x:n}", Value::Int(1_204_567), "1,204,567");
        check("{x:n}", Value::Float(3.46), "3.5");
        check("{x:n}", Value::Float(146.2), "146");
        check("{x:h}", Value::Float(0.5), "30 min");
        check("{x:h}", Value::Float(5.04), "5.0 h");
        check("{x:h}", Value::Float(80.0), "3 days");
        check("{x}", Value::Float(1.5), "1.5");
        check("{x}", Value::Int(1_204_567), "1204567");
        check("a {{b}} {x}", Value::Text("c d".into()), "a {b} c d");
        check("{x:s}", Value::Null, "unknown");
    }

    #[test]
    fn what_is_not_known_is_left_out_with_its_words() {
        check("waited{x:n|, | times}", Value::Int(1204), "waited, 1,204 times");
        check("waited{x:n|, | times}", Value::Null, "waited");
        check("{x||!}", Value::Int(7), "7!");
    }

    #[test]
    fn a_command_is_whole_or_not_at_all() {
        let template = Template::try_from("kill {x}".to_string()).unwrap();
        assert_eq!(template.render_whole(&Row::of([("x", Value::Null)])), None);
        assert_eq!(template.render_whole(&Row::of([("x", Value::Int(7))])).as_deref(), Some("kill 7"));
    }

    #[test]
    fn bad_templates_say_what_was_expected() {
        for bad in ["{x", "x}", "{x:q}", "{}", "{X y}", "{x|a}", "{x|a|b|c}", "{|a|b}"] {
            assert!(Template::try_from(bad.to_string()).is_err(), "{bad}");
        }
        let said = Template::try_from("{x:ms}".to_string()).unwrap_err();
        assert!(said.contains("expected one of s % B n h"), "{said}");
    }
}
