//! Every metric of every row on both sides: counters as rates, gauges as levels.

use std::collections::{BTreeMap, BTreeSet};

use heldup_archive::SqlError;
use heldup_model::{Column, ColumnKind, ColumnType, ErrorNote, MetricDifference, TableDef, Unit, tables};
use heldup_stats::{Difference, benjamini_hochberg, difference};

use super::side::{Side, secs};
use super::{LEVEL, inventory};
use crate::row::Row;

/// Tables that are no metrics: read once, compared elsewhere, about ourselves, or of rows that
/// come and go with every process and connection.
const OTHERS: &[&str] = &[
    "command_run",
    "event",
    "file_lock",
    "host",
    "mount",
    "object_time",
    "process",
    "recorder",
    "setting",
    "socket",
    "source_cost",
    "stack",
    "system_call",
    "task_time",
    "thread",
];
/// Gauges that only say what time it is.
const CLOCKS: &[(&str, &str)] = &[("system", "uptime_s")];

/// What was found.
#[derive(Default)]
pub struct Metrics {
    /// Metrics that differ, largest relative change first.
    pub differences: Vec<MetricDifference>,
    /// Metrics that could be judged.
    pub judged: u64,
    /// Tables with a metric that could be, and whose it was: of what is read once or at the ends of a window nothing
    /// is, nor of what was there on one side only.
    pub judged_rows: BTreeMap<&'static str, BTreeSet<String>>,
    /// Metrics with too few samples on a side.
    pub too_short: u64,
}

/// Values of one column of one row, by sample.
pub type Series = BTreeMap<(String, usize), Vec<f64>>;

/// One metric of both sides.
pub struct Asked {
    metric: MetricDifference,
    p: f64,
}

/// Compares all tables.
pub fn compare(first: &Side, second: &Side, errors: &mut Vec<ErrorNote>) -> Metrics {
    let mut metrics = Metrics::default();
    let mut asked = Vec::new();
    for def in compared() {
        match (series(first, def), series(second, def)) {
            (Ok(one), Ok(other)) => of_table(def, &one, &other, &mut metrics, &mut asked),
            (Err(error), _) | (_, Err(error)) => {
                errors.push(ErrorNote { place: def.name.to_owned(), what: error.to_string() });
            }
        }
    }
    judge(&mut metrics, asked);
    metrics
}

/// The tables whose columns are metrics.
pub fn compared() -> impl Iterator<Item = &'static TableDef> {
    tables::ALL.iter().copied().filter(|def| !OTHERS.contains(&def.name))
}

/// Keeps those of the metrics that differ.
pub fn judge(metrics: &mut Metrics, asked: Vec<Asked>) {
    metrics.judged += asked.len() as u64;
    let likeliness: Vec<f64> = asked.iter().map(|asked| asked.p).collect();
    let differ = benjamini_hochberg(&likeliness, LEVEL);
    let found = asked.into_iter().zip(differ).filter(|(_, differs)| *differs).map(|(asked, _)| asked.metric);
    metrics.differences.extend(found);
    metrics.differences.sort_by(|a, b| {
        let still = a.constant.cmp(&b.constant);
        still.then(relative(b).total_cmp(&relative(a))).then(a.p_value.total_cmp(&b.p_value))
    });
}

/// The change as a share of the larger side, 0 to 2.
fn relative(metric: &MetricDifference) -> f64 {
    let largest = metric.first.abs().max(metric.second.abs());
    if largest > 0.0 { (metric.second - metric.first).abs() / largest } else { 0.0 }
}

fn measured(def: &TableDef, column: &Column) -> bool {
    let number = matches!(column.ty, ColumnType::Int | ColumnType::Float);
    let kind = matches!(column.kind, ColumnKind::Counter | ColumnKind::Gauge);
    number
        && kind
        && column.unit != Unit::TimeMs
        && !CLOCKS.contains(&(def.name, column.name))
        && !inventory::is_setting(def.name, column.name)
}

/// The metrics of one table.
pub fn series(side: &Side, def: &TableDef) -> Result<Series, SqlError> {
    let sql = format!("select * from {} where time > :since and time <= :until order by time", def.name);
    let mut series = Series::new();
    if !side.capture.tables.contains_key(def.name) {
        return Ok(series);
    }
    let wanted: Vec<(usize, &Column)> =
        def.columns.iter().enumerate().filter(|(_, column)| measured(def, column)).collect();
    for row in side.rows(&sql)? {
        let entity = entity(def, &row);
        for &(at, column) in &wanted {
            let Some(value) = row.number(column.name) else { continue };
            let value = match column.kind {
                // An increase over an interval whose length is not known is no rate.
                ColumnKind::Counter if row.get("secs").is_null() => continue,
                ColumnKind::Counter => value / secs(&row),
                _ => value,
            };
            series.entry((entity.clone(), at)).or_default().push(value);
        }
    }
    Ok(series)
}

fn entity(def: &TableDef, row: &Row) -> String {
    let keys = def.columns.iter().filter(|column| column.kind == ColumnKind::Key);
    let parts: Vec<String> =
        keys.filter_map(|column| Some(format!("{}={}", column.name, row.text(column.name)?))).collect();
    parts.join(" ")
}

/// Only rows that are on both sides are compared: a disk or a group that came is no change of a rate.
fn of_table(
    def: &'static TableDef,
    one: &Series,
    other: &Series,
    metrics: &mut Metrics,
    asked: &mut Vec<Asked>,
) {
    for (key, before) in one {
        let (Some(after), Some(column)) = (other.get(key), def.columns.get(key.1)) else { continue };
        let Some(found) = difference(before, after) else { continue };
        ask(def, column, &key.0, &found, metrics, asked);
    }
}

/// Takes one metric up, as a question among the others where it has noise.
pub fn ask(
    def: &'static TableDef,
    column: &Column,
    entity: &str,
    found: &Difference,
    metrics: &mut Metrics,
    asked: &mut Vec<Asked>,
) {
    let Some(p) = found.p else {
        metrics.too_short += 1;
        return;
    };
    let Some(metric) = described(def, column, entity, found, p) else { return };
    metrics.judged_rows.entry(def.name).or_default().insert(entity.to_owned());
    // What stands still has no noise to be held against: it is reported separately, and no question
    // among the others.
    if metric.constant {
        metrics.judged += 1;
        if metric.first != metric.second {
            metrics.differences.push(metric);
        }
    } else {
        asked.push(Asked { metric, p });
    }
}

fn described(
    def: &TableDef,
    column: &Column,
    entity: &str,
    found: &Difference,
    p: f64,
) -> Option<MetricDifference> {
    let interval = found.interval(1.0 - LEVEL)?;
    let per_second = if column.kind == ColumnKind::Counter { "/s" } else { "" };
    Some(MetricDifference {
        table: def.name.to_owned(),
        column: column.name.to_owned(),
        entity: entity.to_owned(),
        unit: format!("{}{per_second}", column.unit.name()),
        first: found.from,
        second: found.to,
        change_low: interval.0,
        change_high: interval.1,
        p_value: p,
        constant: found.freedom.is_none(),
    })
}
