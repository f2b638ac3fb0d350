//! Whether a finding shows a number that nobody measured.
//!
//! Tools measure different things: `sar -n ETCP` counts retransmissions and no timeouts. A rule that makes
//! 0 of a NULL then reports "0 timeouts". So each firing case is judged again without one column after the
//! other, and without one counter after the other of tables that have a row for each. What a finding
//! then shows is what it showed before, or nothing.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch};
use heldup_model::batch::{filter_rows, null_column};
use heldup_model::{Capture, ColumnKind, EvidenceValue, Finding, tables};

use crate::accounts::Accounted;
use crate::document::Rule;
use crate::on_recordings::questions;
use crate::ruleset::Ruleset;
use crate::run::diagnose_beside;

/// Tables with a row for each counter, and the column with its name: the counter is what may be missing.
const BY_NAME: [(&str, &str); 3] =
    [("db_metric", "metric_name"), ("net_driver", "statistic"), ("net_proto", "name")];
/// Relative difference from which two numbers are not the same.
const SAME: f64 = 1e-9;

/// A number that appears where something is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Invented {
    /// What was left out: `net_if.rx_drops`, `net_proto TcpOutSegs`.
    pub without: String,
    /// Where it is shown, and what it was before.
    pub what: String,
}

/// Numbers that the rule's findings show only where something was not measured.
pub fn invented(capture: &Capture, rule: &Rule, accounted: &[Accounted]) -> Vec<Invented> {
    let only = Ruleset { rules: vec![rule.clone()], ..Ruleset::default() };
    let shown = |capture: &Capture| -> BTreeMap<String, Shown> {
        let findings = diagnose_beside(capture, &only, accounted).findings;
        findings.iter().map(|finding| (finding.key.clone(), Shown::of(finding))).collect()
    };
    let before = shown(capture);
    let mut out = Vec::new();
    for (without, part) in parts(capture, rule) {
        for (key, after) in shown(&part) {
            let Some(before) = before.get(&key) else { continue };
            out.extend(
                before
                    .differences(&after)
                    .map(|what| Invented { without: without.clone(), what: format!("{key}: {what}") }),
            );
        }
    }
    out
}

/// The capture without each measured column that the rule can do without, and without each named counter.
fn parts(capture: &Capture, rule: &Rule) -> Vec<(String, Capture)> {
    let needed: BTreeSet<String> =
        questions(rule, capture).flat_map(|question| &question.needs).map(ToString::to_string).collect();
    let mut parts = Vec::new();
    for (table, batches) in capture.tables.iter().filter(|(table, _)| *table != "host") {
        let Some(def) = tables::find(table) else { continue };
        let measured = def
            .columns
            .iter()
            .filter(|column| matches!(column.kind, ColumnKind::Counter | ColumnKind::Gauge));
        for column in measured {
            let name = format!("{table}.{}", column.name);
            let has_value = |batch: &RecordBatch| {
                batch.column_by_name(column.name).is_some_and(|cells| cells.null_count() < cells.len())
            };
            if !needed.contains(&name) && batches.iter().any(has_value) {
                parts.extend(
                    changed(capture, table, |batch| without_column(batch, column.name)).map(|c| (name, c)),
                );
            }
        }
        let Some((_, by)) = BY_NAME.iter().find(|(named, _)| named == table) else { continue };
        let names: BTreeSet<String> = batches.iter().flat_map(|batch| words(batch, by)).flatten().collect();
        for name in names.iter().filter(|_| names.len() > 1) {
            let part = changed(capture, table, |batch| {
                let is_it: Vec<bool> =
                    words(batch, by).iter().map(|word| word.as_ref() == Some(name)).collect();
                filter_rows(batch, |row| !is_it[row]).ok()
            });
            parts.extend(part.map(|part| (format!("{table} {name}"), part)));
        }
    }
    parts
}

fn changed(
    capture: &Capture,
    table: &str,
    change: impl Fn(&RecordBatch) -> Option<RecordBatch>,
) -> Option<Capture> {
    let mut part = capture.clone();
    for batch in part.tables.get_mut(table)? {
        *batch = change(batch)?;
    }
    Some(part)
}

fn without_column(batch: &RecordBatch, name: &str) -> Option<RecordBatch> {
    let schema = batch.schema();
    let at = schema.index_of(name).ok()?;
    let mut columns = batch.columns().to_vec();
    columns[at] = null_column(schema.field(at).data_type(), batch.num_rows()).ok()?;
    RecordBatch::try_new(schema, columns).ok()
}

/// The text of each row.
fn words(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let Some(dictionary) =
        batch.column_by_name(name).and_then(|column| column.as_dictionary_opt::<Int32Type>())
    else {
        return vec![None; batch.num_rows()];
    };
    let words = dictionary.values().as_string_opt::<i32>();
    let word = |key: Option<i32>| key.zip(words).map(|(key, words)| words.value(key as usize).to_owned());
    dictionary.keys().iter().map(word).collect()
}

/// What a finding shows.
struct Shown {
    /// Evidence by name.
    evidence: BTreeMap<String, EvidenceValue>,
    /// Title, and what culprits did.
    texts: BTreeMap<String, String>,
}

impl Shown {
    fn of(finding: &Finding) -> Shown {
        let evidence = finding.evidence.iter().map(|one| (one.name.clone(), one.value.clone())).collect();
        let roles = finding.culprits.iter().chain(&finding.victims).filter_map(|task| {
            let id = format!("{} {:?}", task.name, task.pid);
            Some((id, task.role.clone()?))
        });
        let title = ("title".to_owned(), finding.title.clone());
        Shown { evidence, texts: roles.chain([title]).collect() }
    }

    /// What differs in the other, which has fewer measurements.
    fn differences<'a>(&'a self, other: &'a Shown) -> impl Iterator<Item = String> + 'a {
        let evidence =
            other.evidence.iter().filter_map(|(name, after)| match (self.evidence.get(name), after) {
                (Some(EvidenceValue::Number(before)), EvidenceValue::Number(after)) => {
                    let differs = (before - after).abs() > SAME * before.abs().max(after.abs());
                    differs.then(|| format!("{name}: {before} became {after}"))
                }
                (None, EvidenceValue::Number(after)) => Some(format!("{name}: {after} appeared")),
                (Some(EvidenceValue::Text(before)), EvidenceValue::Text(after)) => {
                    new_number(before, after).map(|text| format!("{name}: {text}"))
                }
                (_, EvidenceValue::Text(after)) => {
                    new_number("", after).map(|text| format!("{name}: {text}"))
                }
                _ => None,
            });
        let texts = other.texts.iter().filter_map(|(name, after)| {
            new_number(self.texts.get(name)?, after).map(|text| format!("{name}: {text}"))
        });
        evidence.chain(texts)
    }
}

/// The texts, if the second has a number that the first has not.
fn new_number(before: &str, after: &str) -> Option<String> {
    let known: BTreeSet<&str> = numbers(before).collect();
    let is_new = numbers(after).any(|number| !known.contains(number));
    is_new.then(|| format!("{before:?} became {after:?}"))
}

/// Runs of digits with points and commas in them.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let runs = text.split(move |c: char| !is_part(c)).map(|run| run.trim_matches(['.', ',']));
    runs.filter(|run| !run.is_empty())
}

#[cfg(test)]
mod tests {
    use heldup_model::RowSet;
    use heldup_model::tables::NetProtoRow;

    use super::*;
    use crate::captures::{Sample, capture_of};

    const RULE: &str = r#"
id = "test.shown"
title = "{retransmitted:n} segments{timeouts:n|, | timeouts}"
summary = "segments"
impact = "time"
meaning = "m"
decided = "d"
when_wrong = "w"
references = ["r"]
needs = ["net_proto.value"]
supplied_by = "s"
considered = "select 'host' as subject_kind, 'a' as subject_name from net_proto limit 1"
sql = """
select 'host' as subject_kind, 'a' as subject_name, 1.0 as amount, sum(value) filter (where name = 'TcpRetransSegs') as retransmitted,
       AGGREGATE(value) filter (where name = 'TcpExtTCPTimeouts') as timeouts
from net_proto having sum(value) > 0"""

[[evidence]]
column = "timeouts"
name = "timeouts"
unit = "timeouts"
"#;

    fn without(aggregate: &str) -> Vec<Invented> {
        let counter = |name: &str, value| NetProtoRow {
            name: Some(name.into()),
            value: Some(value),
            ..NetProtoRow::default()
        };
        let rows = RowSet::increases([counter("TcpRetransSegs", 30), counter("TcpExtTCPTimeouts", 4)]);
        let capture = capture_of([Sample { at: 1, secs: Some(1.0), rows }]);
        let rule = Rule::parse("test.shown.toml", &RULE.replace("AGGREGATE", aggregate)).expect("a rule");
        invented(&capture, &rule, &[])
    }

    #[test]
    fn a_zero_that_nobody_counted_is_told() {
        assert_eq!(without("sum"), []);
        let told: Vec<String> =
            without("total").iter().map(|one| format!("{}: {}", one.without, one.what)).collect();
        assert_eq!(
            told,
            [
                "net_proto TcpExtTCPTimeouts: test.shown/host:a: timeouts: 4 became 0",
                "net_proto TcpExtTCPTimeouts: test.shown/host:a: title: \"30 segments, 4 timeouts\" became \"30 segments, 0 timeouts\"",
            ]
        );
    }

    #[test]
    fn numbers_of_a_text_are_runs_of_digits() {
        assert_eq!(numbers("1,204 waits, 3.5 ms (sda).").collect::<Vec<_>>(), ["1,204", "3.5"]);
        assert_eq!(new_number("4 of 5", "5 waits"), None);
        assert!(new_number("4 of 5", "0 of 5").is_some());
    }
}
