//! Whether an answer stands when the readings are a little different.
//!
//! Every reading is off by some percent, and a window begins where it happens to begin. So each capture is
//! judged again with one table's seconds, counts and bytes at 95 and at 105 %, and with each sample left
//! out. A finding of at least twice the least amount never disappears, and its severity moves by one step
//! at most, and only where it was within a tenth of that step. What makes a rule fail here is a cliff: a
//! level that decides alone whether something is said.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use heldup_model::batch::filter_rows;
use heldup_model::{Capture, ColumnKind, Finding, ImpactKind, Severity, tables};

use crate::diagnosis::Diagnosis;
use crate::ruleset::Ruleset;
use crate::run::diagnose;

/// What a reading may be off by.
const FACTORS: [f64; 2] = [0.95, 1.05];
/// Samples that a finding must rest on before one of them may be left out.
const LEAST_SAMPLES: usize = 5;
/// Least task-seconds and share of active time that rules speak of, doubled.
const TWICE_LEAST: (f64, f64) = (0.2, 0.02);

/// An answer that does not stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Wobble {
    /// What was changed of the capture.
    pub change: String,
    /// What became of which finding.
    pub what: String,
}

/// Every change of a capture that moves an answer of the rules too far.
pub fn wobbles(capture: &Capture, rules: &Ruleset) -> Vec<Wobble> {
    let before = diagnose(capture, rules);
    if before.findings.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut compare = |change: String, other: &Capture, a_sample_is_gone: bool| {
        let after = diagnose(other, rules);
        let asked =
            before.findings.iter().filter(|finding| !a_sample_is_gone || rests_on_many(finding, &before));
        out.extend(
            asked
                .filter_map(|finding| moved(finding, &before, &after))
                .map(|what| Wobble { change: change.clone(), what }),
        );
    };
    for name in capture.tables.keys() {
        for factor in FACTORS {
            if let Some(scaled) = scaled(capture, name, factor) {
                compare(format!("{name} x {factor}"), &scaled, false);
            }
        }
    }
    let times = sample_times(capture);
    if times.len() > LEAST_SAMPLES {
        for time in &times {
            compare(format!("without the sample at {time}"), &without(capture, *time), true);
        }
    }
    out
}

/// Whether a finding must stand without any one sample. A failure or a single event need not, nor what
/// lasted for a few samples.
fn rests_on_many(finding: &Finding, before: &Diagnosis) -> bool {
    matches!(finding.impact.kind, ImpactKind::Time | ImpactKind::Waste)
        && before
            .measured
            .get(&finding.key)
            .is_some_and(|measured| measured.lasting_s >= LEAST_SAMPLES as f64)
}

/// What became of a finding, where it is more than it may.
fn moved(finding: &Finding, before: &Diagnosis, after: &Diagnosis) -> Option<String> {
    let is_near = before.measured.get(&finding.key).is_some_and(|measured| measured.is_near_a_step);
    let Some(other) = after.findings.iter().find(|other| other.key == finding.key) else {
        let must_stay = finding.severity != Severity::Info || is_large(finding);
        return must_stay.then(|| format!("{} ({:?}) is not found any more", finding.key, finding.severity));
    };
    let steps = (finding.severity as i32 - other.severity as i32).abs();
    let is_far = steps > 1 || steps == 1 && !is_near;
    is_far.then(|| format!("{}: {:?} became {:?}", finding.key, finding.severity, other.severity))
}

/// Large enough that a twentieth less is still worth saying.
fn is_large(finding: &Finding) -> bool {
    finding.impact.kind == ImpactKind::Time
        && finding.impact.amount >= TWICE_LEAST.0
        && finding.cost.is_some_and(|cost| cost >= TWICE_LEAST.1)
}

/// A table's counters times a factor; none where it has none. Intervals, levels, limits and settings stay.
fn scaled(capture: &Capture, name: &str, factor: f64) -> Option<Capture> {
    let def = tables::find(name)?;
    let counters: BTreeSet<&str> = def
        .columns
        .iter()
        .filter(|column| column.kind == ColumnKind::Counter)
        .map(|column| column.name)
        .collect();
    if counters.is_empty() {
        return None;
    }
    let mut changed = capture.clone();
    for batch in changed.tables.get_mut(name)? {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| {
            if counters.contains(field.name().as_str()) { times(column, factor) } else { column.clone() }
        });
        *batch = RecordBatch::try_new(schema.clone(), columns.collect()).ok()?;
    }
    Some(changed)
}

fn times(column: &ArrayRef, factor: f64) -> ArrayRef {
    if let Some(floats) = column.as_primitive_opt::<Float64Type>() {
        return Arc::new(floats.iter().map(|value| Some(value? * factor)).collect::<Float64Array>());
    }
    if let Some(ints) = column.as_primitive_opt::<Int64Type>() {
        let whole = |value: i64| (value as f64 * factor).round() as i64;
        return Arc::new(ints.iter().map(|value| Some(whole(value?))).collect::<Int64Array>());
    }
    column.clone()
}

/// Times at which some table has a sample.
fn sample_times(capture: &Capture) -> BTreeSet<i64> {
    let all = capture.tables.values().flatten();
    all.flat_map(|batch| rows(batch).filter(|row| row.1 > 0.0).map(|row| row.0)).collect()
}

/// Time and length of each row.
fn rows(batch: &RecordBatch) -> impl Iterator<Item = (i64, f64)> + '_ {
    let times = batch.column_by_name("time").and_then(|column| column.as_primitive_opt::<Int64Type>());
    let lengths = batch.column_by_name("secs").and_then(|column| column.as_primitive_opt::<Float64Type>());
    (0..batch.num_rows()).map(move |row| {
        let time = times.filter(|times| times.is_valid(row)).map_or(0, |times| times.value(row));
        let secs = lengths.filter(|lengths| lengths.is_valid(row)).map_or(0.0, |lengths| lengths.value(row));
        (time, secs)
    })
}

/// The capture without the rows of one sample. What was read once stays, whatever it covers.
fn without(capture: &Capture, time: i64) -> Capture {
    let mut part = capture.clone();
    let whole_s = capture.secs();
    let mut length_s: f64 = 0.0;
    for (_, batches) in part.tables.iter_mut().filter(|(name, _)| *name != "host") {
        let times: BTreeSet<i64> = batches.iter().flat_map(|batch| rows(batch).map(|row| row.0)).collect();
        if times.len() < 2 {
            continue;
        }
        for batch in batches {
            let goes = |row: (i64, f64)| row.0 == time && row.1 > 0.0;
            length_s = rows(batch).filter(|row| goes(*row)).fold(length_s, |length, row| length.max(row.1));
            let gone: Vec<bool> = rows(batch).map(goes).collect();
            if let Ok(kept) = filter_rows(batch, |row| !gone[row]) {
                *batch = kept;
            }
        }
    }
    for batch in part.tables.get_mut("host").into_iter().flatten() {
        *batch = crate::window::with_length(batch.clone(), whole_s - length_s);
    }
    part
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::TaskTimeRow;
    use heldup_model::{Class, Group, RowSet};

    use super::*;
    use crate::captures::{Sample, capture_of};
    use crate::document::Rule;

    const RULE: &str = r#"
id = "test.cliff"
title = "{subject_name} waited"
summary = "a process waits"
impact = "time"
meaning = "m"
decided = "d"
when_wrong = "w"
references = ["r"]
needs = ["task_time.seconds"]
supplied_by = "s"
considered = "select 'process' as subject_kind, 'a' as subject_name from task_time limit 1"
sql = """
select 'process' as subject_kind, 'a' as subject_name, sum(seconds) as amount, 0.5 as cost, lasted(time, secs, seconds) as lasting_s
from task_time where seconds >= LEVEL having sum(seconds) > 0"""
"#;

    fn wobbles_at(level: &str) -> Vec<Wobble> {
        let wait = |at| {
            let row = TaskTimeRow {
                tid: Some(1),
                pid: Some(1),
                class_name: Some(Class::DiskRead.name().into()),
                group_name: Some(Group::Waiting.name().into()),
                seconds: Some(0.5),
                ..TaskTimeRow::default()
            };
            Sample { at, secs: Some(1.0), rows: RowSet::increases([row]) }
        };
        let rule = Rule::parse("test.cliff.toml", &RULE.replace("LEVEL", level)).expect("a rule");
        let rules = Ruleset { rules: vec![rule], ..Ruleset::default() };
        wobbles(&capture_of((1..=10).map(wait)), &rules)
    }

    #[test]
    fn a_level_at_which_a_finding_falls_is_told() {
        assert_eq!(wobbles_at("0.1"), []);
        let told = wobbles_at("0.49");
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].change, "task_time x 0.95");
        assert!(told[0].what.contains("is not found any more"), "{told:?}");
    }
}
