//! Figures as pictures, as cells of a terminal and as tables: what a frame says, drawn. Nothing is decided here.

pub mod cells;
pub mod palette;
pub mod png;
pub mod sentence;
pub mod svg;
pub mod ticks;

use heldup_model::{Frame, FrameSeries, Plotted};

use crate::harmless;
use crate::quantity::with_unit;

/// Characters of a name that are shown; longer ones are cut in the middle.
const LONGEST_NAME: usize = 32;

/// The title of a frame: of what, and what.
pub fn title(frame: &Frame) -> String {
    match &frame.subject {
        Some(subject) => format!("{}: {}", name(subject), frame.title),
        None => frame.title.clone(),
    }
}

/// The unit as it stands beside a title.
pub fn unit(frame: &Frame) -> String {
    let unit = match frame.unit.as_str() {
        "ratio" => "%",
        "/s" => "per second",
        "count" => "",
        "s" if frame.steps.is_empty() => "seconds",
        unit => unit,
    };
    match (unit, frame.scale) {
        ("", heldup_model::Scale::Log) => "log".to_owned(),
        (unit, heldup_model::Scale::Log) => format!("{unit}, log"),
        (unit, heldup_model::Scale::Linear) => unit.to_owned(),
    }
}

/// A value in the frame's unit.
pub fn value(frame: &Frame, value: f64) -> String {
    with_unit(value, &frame.unit)
}

/// A value at an axis, whose unit stands beside the title where it is a word.
pub fn tick(frame: &Frame, value: f64) -> String {
    match frame.unit.as_str() {
        "ratio" | "s" | "bytes" | "bytes/s" => with_unit(value, &frame.unit),
        _ => crate::quantity::number(value),
    }
}

/// The limit of a frame, named.
pub fn limit(frame: &Frame) -> Option<String> {
    let limit = frame.limit.as_ref()?;
    Some(format!("{} {}", name(&limit.name), tick(frame, limit.value)))
}

/// The name of a picture of a frame in a folder: nothing in it leaves the folder.
pub fn file_name(frame: &Frame) -> String {
    let subject = frame.subject.as_deref().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
    let subject: String = subject.chars().take(80).map(plain).collect();
    match subject.trim_matches('.') {
        "" => frame.id.clone(),
        subject => format!("{}-{subject}", frame.id),
    }
}

/// The figures, one line each: id and question.
pub fn listed<'f>(figures: impl IntoIterator<Item = (&'f str, &'f str)>) -> String {
    let figures: Vec<(&str, &str)> = figures.into_iter().collect();
    let width = figures.iter().map(|(id, _)| id.len()).max().unwrap_or(0);
    figures.iter().map(|(id, question)| format!("{id:width$}  {question}\n")).collect()
}

/// The numbers of all figures as rows: figure, subject, series, step, mean, least, greatest.
pub fn csv(plotted: &Plotted) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let head = ["figure", "subject", "series", "unit", "since_ms", "until_ms", "mean", "least", "greatest"];
    // Writing to memory cannot fail.
    let _ = writer.write_record(head);
    for frame in &plotted.figures {
        for series in &frame.series {
            let subject = frame.subject.as_deref().unwrap_or_default();
            let mut row = |since: i64, until: i64, [mean, least, greatest]: [Option<f64>; 3]| {
                let (since, until) = (since.to_string(), until.to_string());
                let numbers = [number(mean), number(least), number(greatest)];
                let words = [&frame.id, subject, &series.name, &frame.unit, &since, &until];
                let _ = writer.write_record(words.into_iter().chain(numbers.iter().map(String::as_str)));
            };
            if frame.steps.is_empty() {
                let summary = series.summary;
                row(frame.since_ms, frame.until_ms, [summary.mean, summary.least, summary.greatest]);
            }
            for (at, step) in frame.steps.iter().enumerate() {
                row(step.since_ms, step.until_ms, [series.mean[at], series.least[at], series.greatest[at]]);
            }
        }
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// The name of a series, harmless and of a length that fits.
pub fn series_name(series: &FrameSeries) -> String {
    name(&series.name)
}

/// Any name from the machine, harmless and of a length that fits.
pub fn name(text: &str) -> String {
    // Of a long one only what may be seen is looked at.
    let is_long = text.chars().nth(LONGEST_NAME * 2).is_some();
    let safe = match is_long {
        true => {
            let head: String = text.chars().take(LONGEST_NAME).collect();
            let tail: Vec<char> = text.chars().rev().take(LONGEST_NAME).collect();
            harmless(&tail.into_iter().rev().fold(head, |mut all, c| {
                all.push(c);
                all
            }))
        }
        false => harmless(text),
    };
    let count = safe.chars().count();
    if count <= LONGEST_NAME {
        return safe;
    }
    let head: String = safe.chars().take(LONGEST_NAME / 2 - 1).collect();
    let tail: String = safe.chars().skip(count - LONGEST_NAME / 2).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_harmless_and_short() {
        assert_eq!(name("sda"), "sda");
        assert_eq!(name("a\u{1b}[2Jb\u{202e}"), "a\\x1b[2Jb\\u{202e}");
        let long = name(&"x".repeat(1_000_000));
        assert_eq!((long.chars().count(), long.contains('…')), (LONGEST_NAME, true));
    }
}
