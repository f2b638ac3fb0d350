//! Where the figure of a run is from: its length, what it wrote, or a query.
//!
//! `wall`, `regex:PATTERN`, `json:PATH`, `sql:QUERY`; a guard is one of these with a limit,
//! `regex:p99=([0-9.]+)<=20` or `json:latency.p99<=110%` (of the figure without the change).

use std::str::FromStr;

use regex::Regex;
use serde_json::{Deserializer, Value};

/// Where a figure is from.
#[derive(Clone, Debug)]
pub enum Figure {
    /// Seconds from the start of the run to its end.
    Wall,
    /// The last match of a pattern in what the run wrote: its first group, or all of it.
    Pattern(Regex),
    /// A number in the first JSON document that the run wrote: names and indices with dots.
    Json(String),
    /// The first cell that a query gives of the tables of the time of the run.
    Sql(String),
}

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FigureError {
    /// It is none of the four forms.
    #[error("`{0}`: expected wall, regex:PATTERN, json:PATH or sql:QUERY")]
    Form(String),
    /// The pattern is none.
    #[error("{0}")]
    Pattern(String),
    /// A guard has no limit.
    #[error(
        "`{0}`: expected MEASURE<=LIMIT or MEASURE>=LIMIT, with a number or a percentage of the baseline (110%)"
    )]
    Limit(String),
    /// It is not in what the run wrote.
    #[error("no {0} in the output of the run")]
    Absent(String),
    /// It is there and is no number.
    #[error("{what} is `{found}`, not a number")]
    NoNumber {
        /// The search term.
        what: String,
        /// What is there.
        found: String,
    },
}

impl FromStr for Figure {
    type Err = FigureError;

    fn from_str(text: &str) -> Result<Figure, FigureError> {
        match text.trim().split_once(':') {
            None if text.trim() == "wall" => Ok(Figure::Wall),
            Some(("regex", pattern)) if !pattern.is_empty() => Regex::new(pattern)
                .map(Figure::Pattern)
                .map_err(|error| FigureError::Pattern(error.to_string())),
            Some(("json", path)) if !path.is_empty() => Ok(Figure::Json(path.to_owned())),
            Some(("sql", query)) if !query.is_empty() => Ok(Figure::Sql(query.to_owned())),
            _ => Err(FigureError::Form(text.to_owned())),
        }
    }
}

impl Figure {
    /// The figure of a run that took so long and wrote this to standard output and error; none of
    /// a query, which is for who has the tables.
    pub fn of_run(&self, wall_s: f64, output: &str, complaints: &str) -> Result<Option<f64>, FigureError> {
        match self {
            Figure::Wall => Ok(Some(wall_s)),
            Figure::Sql(_) => Ok(None),
            Figure::Pattern(pattern) => {
                let in_text = |text| last_match(pattern, text);
                let what = format!("match of {pattern}");
                let found = in_text(output).or_else(|| in_text(complaints));
                let found = found.ok_or_else(|| FigureError::Absent(what.clone()))?;
                number(found).map(Some).ok_or(FigureError::NoNumber { what, found: found.to_owned() })
            }
            Figure::Json(path) => {
                let what = format!("JSON value {path}");
                let found = json_at(output, path).ok_or_else(|| FigureError::Absent(what.clone()))?;
                let as_number = found.as_f64().or_else(|| found.as_str().and_then(number));
                as_number.map(Some).ok_or_else(|| FigureError::NoNumber { what, found: found.to_string() })
            }
        }
    }

    /// The query of one.
    pub fn query(&self) -> Option<&str> {
        match self {
            Figure::Sql(query) => Some(query),
            _ => None,
        }
    }
}

fn last_match<'t>(pattern: &Regex, text: &'t str) -> Option<&'t str> {
    let last = pattern.captures_iter(text).last()?;
    last.get(1).or_else(|| last.get(0)).map(|found| found.as_str())
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// What is at a path of the first document that has it; programs write notes before and behind.
fn json_at(text: &str, path: &str) -> Option<Value> {
    let starts = text.match_indices(['{', '[']).map(|(at, _)| at);
    let begins_line =
        |at: &usize| text[..*at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty());
    starts.filter(begins_line).find_map(|at| {
        let document = Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok()?;
        let step = |at: &Value, name: &str| match at {
            Value::Array(all) => all.get(name.parse::<usize>().ok()?).cloned(),
            other => other.get(name).cloned(),
        };
        path.split('.').try_fold(document, |at, name| step(&at, name))
    })
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// In the figure's unit.
    Absolute(f64),
    /// A share of the figure without the change.
    Share(f64),
}

/// A second figure that must not get worse.
#[derive(Clone, Debug)]
pub struct Guard {
    /// As it was given.
    pub text: String,
    /// Where its figure is from.
    pub figure: Figure,
    /// Whether the limit is the largest that is allowed, and not the least.
    pub at_most: bool,
    /// The limit.
    pub bound: Bound,
}

impl FromStr for Guard {
    type Err = FigureError;

    fn from_str(text: &str) -> Result<Guard, FigureError> {
        let wrong = || FigureError::Limit(text.to_owned());
        let (at, at_most) = match (text.rfind("<="), text.rfind(">=")) {
            (Some(most), Some(least)) => (most.max(least), most > least),
            (Some(most), None) => (most, true),
            (None, Some(least)) => (least, false),
            (None, None) => return Err(wrong()),
        };
        let (figure, limit) = (&text[..at], text[at + 2..].trim());
        let bound = match limit.strip_suffix('%') {
            Some(percent) => Bound::Share(number(percent).ok_or_else(wrong)? / 100.0),
            None => Bound::Absolute(number(limit).ok_or_else(wrong)?),
        };
        Ok(Guard { text: text.to_owned(), figure: figure.trim().parse()?, at_most, bound })
    }
}

impl Guard {
    /// The limit, where the figure without the change is this.
    pub fn limit(&self, without: f64) -> f64 {
        match self.bound {
            Bound::Absolute(limit) => limit,
            Bound::Share(share) => share * without,
        }
    }

    /// Whether a figure is beyond a limit.
    pub fn is_breached(&self, figure: f64, limit: f64) -> bool {
        if self.at_most { figure > limit } else { figure < limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(figure: &str, output: &str, complaints: &str) -> Result<Option<f64>, String> {
        figure
            .parse::<Figure>()
            .and_then(|figure| figure.of_run(1.5, output, complaints))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_last_match_is_the_figure() {
        assert_eq!(of("wall", "", ""), Ok(Some(1.5)));
        assert_eq!(of("regex:tps = ([0-9.]+)", "tps = 10\ntps = 812.5 (all)\n", ""), Ok(Some(812.5)));
        assert_eq!(
            of("regex:[0-9.]+ MB", "nothing", "5 MB"),
            Err("match of [0-9.]+ MB is `5 MB`, not a number".into())
        );
        // dd writes to standard error.
        let dd = "512+0 records in\n536870912 bytes (537 MB, 512 MiB) copied, 0.25 s, 2.1 GB/s\n";
        assert_eq!(of("regex:copied, ([0-9.]+) s", "", dd), Ok(Some(0.25)));
        assert!(of("regex:none ([0-9]+)", "a", "b").unwrap_err().contains("in the output of the run"));
        assert_eq!(of("sql:select 1", "", ""), Ok(None));
    }

    #[test]
    fn json_is_found_among_notes() {
        let fio = "note: both iodepth >= 1\n{\n \"jobs\": [ { \"read\": { \"iops\": 1234.5, \"s\": \"7\" } } ]\n}\n";
        assert_eq!(of("json:jobs.0.read.iops", fio, ""), Ok(Some(1234.5)));
        assert_eq!(of("json:jobs.0.read.s", fio, ""), Ok(Some(7.0)));
        assert!(of("json:jobs.1.read.iops", fio, "").unwrap_err().contains("JSON value jobs.1.read.iops"));
        assert!(of("json:jobs", fio, "").unwrap_err().contains("not a number"));
    }

    #[test]
    fn forms_that_are_none_are_refused() {
        for text in ["", "time", "regex:", "regex:(", "csv:1"] {
            assert!(text.parse::<Figure>().is_err(), "{text}");
        }
        for text in ["wall", "wall<=", "wall<=a", "other<=1"] {
            assert!(text.parse::<Guard>().is_err(), "{text}");
        }
    }

    #[test]
    fn guards_have_a_side_and_a_limit() {
        let most: Guard = "sql:select max(x) from t where a <= 3<=110%".parse().unwrap();
        assert_eq!(most.figure.query(), Some("select max(x) from t where a <= 3"));
        assert!(most.is_breached(12.0, most.limit(10.0)) && !most.is_breached(11.0, most.limit(10.0)));
        let least: Guard = "json:ops >= 500".parse().unwrap();
        assert!(least.is_breached(499.0, least.limit(1.0)) && !least.is_breached(500.0, least.limit(1.0)));
    }
}
