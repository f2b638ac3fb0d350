//! A figure as it is written down, and what is checked of it before it is asked.

use std::collections::BTreeMap;

use heldup_model::tables::ProcessRow;
use heldup_model::{ColumnKind, ColumnType, FrameKind, Record, Role, Scale, TableDef, tables};
use serde::Deserialize;

use crate::error::FigureError;

/// Tells processes apart.
const PID: &str = "pid";

/// One figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Public name: `area.name`.
    pub id: String,
    /// Title, without the name of what it is of.
    pub title: String,
    /// The question that it answers, in one sentence.
    pub question: String,
    /// How it is drawn.
    pub kind: FrameKind,
    /// Unit of its values, as in evidence of rules.
    pub unit: String,
    /// Scale of its values.
    #[serde(default)]
    pub scale: Scale,
    /// A column of its tables: a frame for each value of it.
    pub each: Option<String>,
    /// Things whose rows are all like this are drawn only where there are no others: partitions beside whole disks.
    #[serde(default)]
    pub unless_others: BTreeMap<String, Condition>,
    /// It is of one thing that somebody names, and is not drawn of a whole machine.
    pub one: Option<One>,
    /// A line that the values are held against.
    pub limit: Option<Limit>,
    /// What is drawn.
    pub series: Vec<Series>,
    /// What supplies the numbers, where a source does not have them.
    pub supplied_by: String,
}

/// Whose rows alone a figure is drawn of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// A process.
    Pid(i64),
    /// A systemd unit.
    Unit(String),
    /// A container.
    Container(String),
    /// Processes of a name.
    Program(String),
    /// A block device.
    Device(String),
}

impl Narrow {
    /// The column of a table that tells whose its rows are, and the value; none where the table does not tell it.
    fn condition(&self, def: &TableDef) -> Option<(&'static str, Scalar)> {
        let first =
            |columns: &[&'static str]| columns.iter().copied().find(|column| def.position(column).is_some());
        let text = |of: &String| Scalar::Text(of.clone());
        Some(match self {
            Narrow::Pid(pid) => (first(&[PID])?, Scalar::Int(*pid)),
            Narrow::Unit(name) => (first(&["unit"])?, text(name)),
            Narrow::Container(id) => (first(&["container"])?, text(id)),
            // Of a process the name is its own; elsewhere `name` may be that of a thread.
            Narrow::Program(name) if def.name == ProcessRow::DEF.name => ("name", text(name)),
            Narrow::Program(name) => (first(&["process_name"])?, text(name)),
            Narrow::Device(name) => (first(&["device", "object_device"])?, text(name)),
        })
    }
}

/// A thing that somebody names.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum One {
    /// A process: its tables have a column `pid`.
    Process,
}

/// A line that the values of a figure are held against.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Its name.
    pub name: String,
    /// A value that is the same everywhere.
    pub at: Option<f64>,
    /// A table whose last row has the value.
    pub table: Option<String>,
    /// The column of it.
    pub value: Option<String>,
}

/// One series, or one for each value of a column.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Its name; of series by a column, the values are the names.
    pub name: Option<String>,
    /// The table.
    pub table: String,
    /// The columns that are added up; none where rows are counted.
    #[serde(default, deserialize_with = "one_or_many")]
    pub value: Vec<String>,
    /// The columns that are taken off.
    #[serde(default, deserialize_with = "one_or_many")]
    pub minus: Vec<String>,
    /// What the values are divided by.
    #[serde(default)]
    pub per: Per,
    /// A factor: bytes of a page.
    #[serde(default = "one")]
    pub times: f64,
    /// A column: a series for each value of it.
    pub by: Option<String>,
    /// How a value of that column is named: `CPU {}`.
    pub called: Option<String>,
    /// Rows that are taken, by column.
    #[serde(default, rename = "where")]
    pub only: BTreeMap<String, Condition>,
    /// Rows that are left out, by column.
    #[serde(default)]
    pub except: BTreeMap<String, Condition>,
    /// The resource whose colour it has.
    #[serde(default)]
    pub role: Role,
    /// Whether it hangs below the line of a stack. Classes of time hang where they belong.
    #[serde(default)]
    pub below: bool,
    /// The table has no row where the value is zero.
    #[serde(default)]
    pub absent_is_zero: bool,
    /// The columns with the bounds of what a row of a heat map counts.
    pub bounds: Option<[String; 2]>,
}

/// What values are divided by.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(untagged, expecting = "\"second\", \"level\", \"interval\", \"rows\" or a list of columns")]
pub enum Per {
    /// The time in which they were counted, or nothing.
    Named(PerNamed),
    /// The sum of these columns.
    Columns(Vec<String>),
    /// Not said: by the second.
    #[default]
    #[serde(skip)]
    Unsaid,
}

/// Divisors that are no columns.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PerNamed {
    /// Of counters: a rate.
    Second,
    /// Of gauges: the value itself.
    Level,
    /// Of gauges that count an interval, as reports of databases have them: a rate.
    Interval,
    /// Of no column: the number of rows in a sample.
    Rows,
}

impl Per {
    /// Whether the values are levels, not counts of an interval.
    pub fn is_level(&self) -> bool {
        matches!(self, Per::Named(PerNamed::Level | PerNamed::Rows))
    }

    /// Whether the values are the number of rows.
    pub fn is_rows(&self) -> bool {
        *self == Per::Named(PerNamed::Rows)
    }

    /// Whether the columns are gauges.
    fn is_of_gauges(&self) -> bool {
        matches!(self, Per::Named(PerNamed::Level | PerNamed::Interval))
    }

    /// The columns that values are divided by.
    pub fn columns(&self) -> &[String] {
        match self {
            Per::Columns(columns) => columns,
            Per::Named(_) | Per::Unsaid => &[],
        }
    }
}

/// The values of a column that a row may have.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Condition {
    /// One value.
    One(Scalar),
    /// Any of these.
    Many(Vec<Scalar>),
}

/// A value of a condition.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Scalar {
    /// Of columns of that type.
    Bool(bool),
    /// Of integers.
    Int(i64),
    /// Of text.
    Text(String),
}

impl Condition {
    /// All values.
    pub fn values(&self) -> &[Scalar] {
        match self {
            Condition::One(value) => std::slice::from_ref(value),
            Condition::Many(values) => values,
        }
    }
}

const fn one() -> f64 {
    1.0
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::One(one) => vec![one],
        Written::Many(many) => many,
    })
}

impl Figure {
    /// Reads a figure from JSON, and checks it.
    pub fn parse(place: &str, json: &str) -> Result<Figure, FigureError> {
        let figure: Figure =
            serde_json::from_str(json).map_err(|error| FigureError::of(place, error.to_string()))?;
        figure.check(place)?;
        Ok(figure)
    }

    /// The area that it belongs to: the first part of its id.
    pub fn area(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }

    /// The tables that it takes, each once.
    pub fn tables(&self) -> Vec<&'static TableDef> {
        let named = self.series.iter().map(|series| series.table.as_str());
        let limit = self.limit.as_ref().and_then(|limit| limit.table.as_deref());
        let mut defs: Vec<&'static TableDef> = named.chain(limit).filter_map(tables::find).collect();
        defs.sort_by_key(|def| def.name);
        defs.dedup_by_key(|def| def.name);
        defs
    }

    /// The same of some rows alone; tables that do not tell whose their rows are stay whole.
    pub fn narrowed(&self, to: &Narrow) -> Figure {
        let mut figure = self.clone();
        for series in &mut figure.series {
            let condition = tables::find(&series.table).and_then(|def| to.condition(def));
            series.only.extend(condition.map(|(column, value)| (column.to_owned(), Condition::One(value))));
        }
        figure
    }

    /// The same of one process. Numbers are given again: where its start is known it is asked for too.
    pub(crate) fn of_process(&self, pid: i64, start_ms: Option<i64>) -> Figure {
        let mut figure = self.clone();
        let is = |value| Condition::One(Scalar::Int(value));
        for series in &mut figure.series {
            series.only.insert(PID.to_owned(), is(pid));
            if let Some(start_ms) = start_ms.filter(|_| series.table == ProcessRow::DEF.name) {
                series.only.insert("start_ms".to_owned(), is(start_ms));
            }
        }
        figure
    }

    /// Whether every table and column is there and of the kind that is needed.
    fn check(&self, place: &str) -> Result<(), FigureError> {
        let wrong = |what: String| Err(FigureError::of(place, what));
        if self.series.is_empty() {
            return wrong("no series".to_owned());
        }
        let many = self.series.iter().filter(|series| series.by.is_some()).count();
        if many > 0 && self.series.len() > 1 && self.kind != FrameKind::Stack {
            return wrong("a series by a column stands alone".to_owned());
        }
        for series in &self.series {
            series.check(place, self.each.as_deref(), &self.unless_others)?;
            if self.one == Some(One::Process) && table_of(place, &series.table)?.position(PID).is_none() {
                return Err(FigureError::of(place, format!("{} has no column {PID}", series.table)));
            }
        }
        match &self.limit {
            Some(Limit { at: None, table: Some(table), value: Some(value), .. }) => {
                numeric(place, table_of(place, table)?, value, None)
            }
            Some(Limit { at: Some(_), table: None, value: None, .. }) | None => Ok(()),
            Some(_) => wrong("a limit is `at` a value, or has `table` and `value`".to_owned()),
        }
    }
}

impl Series {
    /// The columns that it takes of its table.
    pub fn columns(&self) -> Vec<String> {
        let mut columns = self.value.clone();
        columns.extend(self.minus.iter().chain(self.per.columns()).cloned());
        columns.extend(self.only.keys().chain(self.except.keys()).chain(&self.by).cloned());
        columns.extend(self.bounds.iter().flatten().cloned());
        columns
    }

    fn check(
        &self,
        place: &str,
        each: Option<&str>,
        others: &BTreeMap<String, Condition>,
    ) -> Result<(), FigureError> {
        let def = table_of(place, &self.table)?;
        if self.value.is_empty() != self.per.is_rows() || (self.name.is_none() && self.by.is_none()) {
            return Err(FigureError::of(place, "a series has `value`, or counts rows; and `name` or `by`"));
        }
        let kind = if self.per.is_of_gauges() { ColumnKind::Gauge } else { ColumnKind::Counter };
        for column in self.value.iter().chain(&self.minus) {
            // A ratio of two levels is one too.
            let kind = self.per.columns().is_empty().then_some(kind);
            numeric(place, def, column, kind)?;
        }
        self.per.columns().iter().try_for_each(|column| numeric(place, def, column, None))?;
        self.bounds.iter().flatten().try_for_each(|column| numeric(place, def, column, None))?;
        let keys = self.by.iter().chain(self.only.keys()).chain(self.except.keys()).map(String::as_str);
        for column in keys.chain(each).chain(others.keys().map(String::as_str)) {
            if def.all_columns().all(|known| known.name != column || known.ty == ColumnType::Float) {
                return Err(FigureError::of(place, format!("{} has no column {column} to go by", def.name)));
            }
        }
        Ok(())
    }
}

fn table_of(place: &str, name: &str) -> Result<&'static TableDef, FigureError> {
    tables::find(name).ok_or_else(|| FigureError::of(place, format!("no table {name}")))
}

fn numeric(place: &str, def: &TableDef, column: &str, kind: Option<ColumnKind>) -> Result<(), FigureError> {
    let found = def.all_columns().find(|known| known.name == column);
    match found {
        None => Err(FigureError::of(place, format!("{} has no column {column}", def.name))),
        Some(found) if found.ty == ColumnType::Text => {
            Err(FigureError::of(place, format!("{}.{column} is text; expected a number", def.name)))
        }
        Some(found) if kind.is_some_and(|kind| kind != found.kind) => Err(FigureError::of(
            place,
            format!(
                "{}.{column} is a {}; `per = \"level\"` is for gauges, else counters are expected",
                def.name,
                found.kind.name()
            ),
        )),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(series: &str) -> Result<Figure, String> {
        let json = format!(
            r#"{{"id": "a.b", "title": "t", "question": "q", "kind": "lines", "unit": "", "supplied_by": "x",
                 "series": [{{"name": "n", {series}}}]}}"#
        );
        Figure::parse("a.b", &json).map_err(|error| error.to_string())
    }

    #[test]
    fn what_cannot_be_answered_is_said_when_it_is_read() {
        assert!(parse(r#""table": "disk", "value": "reads""#).is_ok());
        assert!(parse(r#""table": "disk", "value": ["reads"], "per": ["read_s"]"#).is_ok());
        for (series, said) in [
            (r#""table": "disc", "value": "reads""#, "no table disc"),
            (r#""table": "disk", "value": "reeds""#, "no column reeds"),
            (r#""table": "disk", "value": "scheduler""#, "is text"),
            (r#""table": "disk", "value": "in_flight""#, "is a gauge"),
            (r#""table": "disk", "value": "reads", "per": "level""#, "is a counter"),
            (r#""table": "disk", "value": "reads", "by": "name""#, "no column name to go by"),
            (r#""table": "disk", "value": "reads", "color": "red""#, "unknown field"),
        ] {
            let error = parse(series).expect_err(series);
            assert!(error.contains(said), "{error}");
        }
    }
}
