//! Recorded cases: small tables beside a rule, and what the rule must say of them.
//!
//! `rules/<area>/<id>.cases.toml` has one `[[case]]` for each. The form is described in `docs/rules.md`.

use std::collections::BTreeMap;

use heldup_model::{Capture, Cells, Class, ColumnType, Form, Method, RowSet, Severity, TableDef, tables};
use serde::Deserialize;
use toml::{Table, Value};

use crate::accounts::Accounted;
use crate::captures::{Sample, Setting, small_capture};
use crate::document::{RuleError, parse_toml};

/// A document of cases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// The cases.
    pub case: Vec<Case>,
}

/// What a rule must say of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// It speaks.
    Found,
    /// It says nothing of severity warning or worse.
    Quiet,
    /// It is ruled out.
    RuledOut,
    /// It is not checked.
    NotChecked,
}

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// What the rule must say.
    pub expect: Expect,
    /// Samples of a second in the window.
    #[serde(default = "ten")]
    pub secs: i64,
    /// Online CPUs; 0 if unknown.
    #[serde(default = "two")]
    pub cpus: i64,
    /// How time was accounted for.
    #[serde(default = "ebpf")]
    pub method: Method,
    /// Key of the first finding.
    pub key: Option<String>,
    /// Its severity.
    pub severity: Option<Severity>,
    /// A culprit that it must name; empty where it may name none.
    pub culprit: Option<String>,
    /// Whether the recording says how long its samples are apart.
    #[serde(default = "known")]
    pub has_intervals: bool,
    /// A victim that it must name.
    pub victim: Option<String>,
    /// Value of its first change; an empty text means that there is none.
    pub change: Option<String>,
    /// What findings of other rules account for, for a rule that is asked after the others.
    #[serde(default)]
    pub accounted: Vec<CaseAccounted>,
    /// Words in its title.
    pub says: Option<String>,
    /// Rows by table. `at` is a sample number or a list of them, from 1; without it the
    /// row is in every sample. `secs` is the length of its interval where it is not 1.
    #[serde(default)]
    pub rows: BTreeMap<String, Vec<Table>>,
}

/// Time of one thread that another rule's finding accounts for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseAccounted {
    /// Thread; its process has the same number.
    pub tid: i64,
    /// Class of time.
    pub class_name: Class,
    /// What was waited for.
    pub object: Option<String>,
    /// Seconds over the window.
    pub seconds: f64,
}

impl CaseAccounted {
    /// As the account of findings has it.
    pub(crate) fn row(&self) -> Accounted {
        Accounted {
            pid: self.tid,
            tid: self.tid,
            class_name: self.class_name.name().to_string(),
            object: self.object.clone(),
            finding: "another finding".to_string(),
            seconds: self.seconds,
        }
    }
}

fn ten() -> i64 {
    10
}

fn known() -> bool {
    true
}

fn two() -> i64 {
    2
}

fn ebpf() -> Method {
    Method::Ebpf
}

impl CaseFile {
    /// Reads a document of cases. `place` is its file, for errors.
    pub fn parse(place: &str, text: &str) -> Result<CaseFile, RuleError> {
        parse_toml(place, text)
    }
}

impl Case {
    /// The capture that the rows make.
    pub fn capture(&self) -> Result<Capture, String> {
        let mut samples: BTreeMap<(String, i64, u64), Sample> = BTreeMap::new();
        for (table, rows) in &self.rows {
            let def = tables::find(table).ok_or_else(|| format!("no table {table:?}"))?;
            for row in rows {
                let secs = number(row, "secs").unwrap_or(1.0);
                for at in sample_numbers(row, self.secs)? {
                    let sample = samples.entry((table.clone(), at, secs.to_bits())).or_insert_with(|| {
                        Sample { at, secs: Some(secs), rows: RowSet::empty(def, Form::Increases) }
                    });
                    push(def, row, &mut sample.rows).map_err(|what| format!("{table}: {what}"))?;
                }
            }
        }
        let setting = Setting { samples: self.secs, cpus: self.cpus, method: self.method, coverage: 1.0 };
        let mut capture = small_capture(setting, samples.into_values());
        capture.timing.has_intervals = self.has_intervals;
        Ok(capture)
    }
}

/// Keys of a row that are no columns.
const PLACEMENT: [&str; 2] = ["at", "secs"];

fn sample_numbers(row: &Table, last: i64) -> Result<Vec<i64>, String> {
    let numbers: Vec<i64> = match row.get("at") {
        None => (1..=last).collect(),
        Some(Value::Integer(at)) => vec![*at],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_integer).collect(),
        Some(other) => return Err(format!("at = {other}: expected a sample number or a list of them")),
    };
    match numbers.iter().find(|at| !(0..=last).contains(*at)) {
        Some(outside) => Err(format!("at = {outside}: the samples are 0 (the start) to {last}")),
        None => Ok(numbers),
    }
}

fn number(row: &Table, key: &str) -> Option<f64> {
    row.get(key).and_then(|value| value.as_float().or_else(|| value.as_integer().map(|int| int as f64)))
}

fn push(def: &'static TableDef, row: &Table, set: &mut RowSet) -> Result<(), String> {
    let known = |key: &str| PLACEMENT.contains(&key) || def.position(key).is_some();
    if let Some(unknown) = row.keys().find(|key| !known(key)) {
        return Err(format!("no column {unknown:?}"));
    }
    for (column, cells) in def.columns.iter().zip(&mut set.cells) {
        let given = row.get(column.name).cloned().or_else(|| implied(row, column.name));
        push_value(cells, column.ty, given.as_ref()).map_err(|what| format!("{}: {what}", column.name))?;
    }
    set.len += 1;
    Ok(())
}

/// What a case need not say: the group of a class, and that a task is an ordinary one
/// whose process has its name and number.
fn implied(row: &Table, column: &str) -> Option<Value> {
    let task = row.contains_key("tid") || row.contains_key("pid");
    match column {
        "group_name" => {
            let class = Class::from_name(row.get("class_name")?.as_str()?)?;
            Some(Value::String(class.group().name().to_string()))
        }
        "kernel_thread" if task => Some(Value::Boolean(false)),
        "process_name" => row.get("name").cloned(),
        "pid" => row.get("tid").cloned(),
        "start_ms" if task => Some(Value::Integer(0)),
        _ => None,
    }
}

fn push_value(cells: &mut Cells, ty: ColumnType, value: Option<&Value>) -> Result<(), String> {
    match (ty, value) {
        (_, None) => cells.push_null(),
        (ColumnType::Int, Some(Value::Integer(int))) => cells.push_int(Some(*int)),
        (ColumnType::Float, Some(Value::Float(float))) => cells.push_float(Some(*float)),
        (ColumnType::Float, Some(Value::Integer(int))) => cells.push_float(Some(*int as f64)),
        (ColumnType::Bool, Some(Value::Boolean(flag))) => cells.push_bool(Some(*flag)),
        (ColumnType::Text, Some(Value::String(text))) => cells.push_text(Some(text.as_str().into())),
        (ty, Some(other)) => return Err(format!("{other} is no {}", ty.sql_name())),
    }
    Ok(())
}
