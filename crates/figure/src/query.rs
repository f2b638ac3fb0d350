//! The query that answers the same as a figure, from the same tables.

use crate::document::{Condition, Figure, Scalar, Series};

/// The query of a figure, or of one of many things that it is drawn for. One row for each sample and series: its
/// amount, and what it is divided by.
pub fn sql(figure: &Figure, table_of: &dyn Fn(&str) -> &'static str, subject: Option<&str>) -> String {
    let each = figure.each.as_deref().zip(subject);
    let selects: Vec<String> =
        figure.series.iter().map(|series| select(series, table_of(&series.table), each)).collect();
    format!("{}\norder by 1, 2", selects.join("\nunion all\n"))
}

fn select(series: &Series, table: &str, each: Option<(&str, &str)>) -> String {
    let name = match (&series.by, &series.name) {
        (Some(by), _) => by.clone(),
        (None, name) => text(name.as_deref().unwrap_or_default()),
    };
    let amount = amount(series);
    let factor = if series.times == 1.0 { String::new() } else { format!(" * {}", series.times) };
    let value = match series.per.columns() {
        [] if series.per.is_rows() => format!("count(*){factor}"),
        [] if series.per.is_level() => format!("sum({amount}){factor}"),
        [] => format!("sum({amount}){factor} / max(secs)"),
        columns => format!("1.0 * sum({amount}){factor} / sum({})", known_sum(columns)),
    };
    let conditions: Vec<String> = series
        .only
        .iter()
        .map(|(column, condition)| compare(column, condition, true))
        .chain(series.except.iter().map(|(column, condition)| compare(column, condition, false)))
        .chain(each.map(|(column, subject)| format!("{column} = {}", text(subject))))
        .collect();
    let wanted = match conditions.is_empty() {
        true => String::new(),
        false => format!(" where {}", conditions.join(" and ")),
    };
    let group = series.by.as_ref().map(|by| format!(", {by}")).unwrap_or_default();
    format!("select time, {name} as series, {value} as value from {table}{wanted} group by time{group}")
}

fn amount(series: &Series) -> String {
    match &series.minus[..] {
        [] => known_sum(&series.value),
        minus => format!("{} - {}", series.value.join(" + "), minus.join(" - ")),
    }
}

/// The sum of the columns that were measured.
fn known_sum(columns: &[String]) -> String {
    match columns {
        [only] => only.clone(),
        // NULL where none was.
        many => format!("added({})", many.join(", ")),
    }
}

fn compare(column: &str, condition: &Condition, is_wanted: bool) -> String {
    let values: Vec<String> = condition.values().iter().map(scalar).collect();
    match (&values[..], is_wanted) {
        ([only], true) => format!("{column} = {only}"),
        ([only], false) => format!("{column} <> {only}"),
        (_, true) => format!("{column} in ({})", values.join(", ")),
        (_, false) => format!("{column} not in ({})", values.join(", ")),
    }
}

fn scalar(value: &Scalar) -> String {
    match value {
        Scalar::Bool(value) => i64::from(*value).to_string(),
        Scalar::Int(value) => value.to_string(),
        Scalar::Text(value) => text(value),
    }
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}
