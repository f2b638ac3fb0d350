//! What a figure draws is what its query answers.

use std::collections::HashMap;

use heldup_archive::{Database, Value};
use heldup_figure::{Ask, answer, shipped};
use heldup_model::{Capture, Frame, FrameKind};

use crate::recordings;

/// Values that are the same but for the order in which they were added.
const ALIKE: f64 = 1e-9;

#[test]
fn every_sample_has_the_value_that_the_query_answers() {
    let mut drawn: HashMap<&str, usize> = HashMap::new();
    for (name, capture) in recordings::all() {
        let database = Database::open(&capture).expect("a database");
        for figure in shipped() {
            for frame in answer(figure, &capture, Ask { steps: usize::MAX, by_minute: false }) {
                *drawn.entry(figure.id.as_str()).or_default() += compared(&name, &capture, &database, &frame);
            }
        }
    }
    let drawn: Vec<&str> = shipped()
        .iter()
        .map(|figure| figure.id.as_str())
        .filter(|id| drawn.get(id).is_some_and(|n| *n > 0))
        .collect();
    let without: Vec<&str> =
        shipped().iter().map(|figure| figure.id.as_str()).filter(|id| !drawn.contains(id)).collect();
    assert!(drawn.len() >= 60, "only {} have a recording; not {without:?}", drawn.len());
}

/// How many values were compared; of one series for each value of a column those that have a name.
fn compared(name: &str, capture: &Capture, database: &Database, frame: &Frame) -> usize {
    let at = format!("{name}: {} {}", frame.id, frame.subject.as_deref().unwrap_or_default());
    let rows = database.query(&frame.sql).unwrap_or_else(|error| panic!("{at}: {error}\n{}", frame.sql)).rows;
    let mut of_series: HashMap<String, Vec<(i64, Option<f64>)>> = HashMap::new();
    for row in rows {
        let [Value::Int(time), series, value] = &row[..] else { panic!("{at}: {row:?}") };
        let series = match series {
            Value::Text(text) => text.clone(),
            Value::Int(number) => number.to_string(),
            Value::Null | Value::Float(_) => continue,
        };
        let value = match value {
            Value::Float(value) => Some(*value),
            Value::Int(value) => Some(*value as f64),
            Value::Null | Value::Text(_) => None,
        };
        of_series.entry(series).or_default().push((*time, value));
    }
    let mut compared = 0;
    for series in &frame.series {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let asked = of_series.get(&series.name).or_else(|| {
            of_series
                .iter()
                .find(|(key, _)| !key.is_empty() && **key == digits(&series.name))
                .map(|(_, values)| values)
        });
        let Some(asked) = asked else { continue };
        if frame.kind == FrameKind::Bars {
            let greatest = asked.iter().filter_map(|(_, value)| *value).fold(f64::NAN, f64::max);
            let drawn = series.summary.greatest.unwrap_or(f64::NAN);
            assert!(alike(greatest, drawn), "{at}: {}: {greatest} and {drawn}", series.name);
            compared += 1;
            continue;
        }
        for (time, value) in asked {
            let Some(value) = value else { continue };
            // Several tables with other times have steps of one length: only where the steps are the samples.
            let step = frame.steps.iter().position(|step| step.until_ms == *time);
            let Some(drawn) = step.and_then(|step| series.greatest[step]) else { continue };
            let is_alone = asked.iter().filter(|(other, _)| {
                let step = step.map(|step| frame.steps[step]).expect("found above");
                *other > step.since_ms && *other <= step.until_ms
            });
            if is_alone.count() == 1 {
                assert!(alike(*value, drawn), "{at}: {} at {time}: {value} and {drawn}", series.name);
                compared += 1;
            }
        }
    }
    assert_eq!((frame.since_ms, frame.until_ms), (capture.span.since_ms, capture.span.until_ms));
    compared
}

fn alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= ALIKE * a.abs().max(b.abs()).max(1e-9)
}
