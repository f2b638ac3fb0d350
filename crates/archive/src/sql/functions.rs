//! Functions of our own beside SQLite's: those that rules and people need and SQLite lacks.
//!
//! The numerics are those of `heldup-stats`. NULL is left out, as in SQLite's own
//! aggregates; text where a number belongs is an error, not a zero.

use std::collections::BTreeMap;

use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Error, Result};

use super::{hot_code, log_text};

/// A function and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct SqlFunction {
    /// Name, as in SQL.
    pub name: &'static str,
    /// How it is called.
    pub signature: &'static str,
    /// What it returns.
    pub meaning: &'static str,
}

/// The functions that a database has beside SQLite's own, by name.
pub fn sql_functions() -> &'static [SqlFunction] {
    FUNCTIONS
}

const fn function(name: &'static str, signature: &'static str, meaning: &'static str) -> SqlFunction {
    SqlFunction { name, signature, meaning }
}

const FUNCTIONS: &[SqlFunction] = &[
    function("added", "added(a, b, …)", "The sum of those that are not NULL, as a float; NULL if all are"),
    function("clamp01", "clamp01(x)", "x, but at least 0 and at most 1"),
    function(
        "code_kind",
        "code_kind(function)",
        "What the function does, by general knowledge (kernel spin lock, garbage collection, idle …); NULL if unknown",
    ),
    function("code_means", "code_means(function)", "What time in such a function goes into; NULL if unknown"),
    function("code_remedy", "code_remedy(function)", "What to check or to change; NULL if unknown"),
    function("first_at", "first_at(x, time)", "Aggregate: the x that is not NULL with the least time"),
    function(
        "hot_code",
        "hot_code(user_stack, kernel_stack, share, samples)",
        "Aggregate: the functions of the stacks as JSON, with their shares. A sample is the own one of the innermost \
             function on its stack that has at least a tenth of all samples, itself or in what it calls",
    ),
    function(
        "hot_listed",
        "hot_listed(function, self_share, inclusive_share, samples)",
        "Aggregate: as hot_code, of a list of functions without stacks",
    ),
    function(
        "is_idle_stack",
        "is_idle_stack(user_stack, kernel_stack)",
        "Whether the CPU had nothing to do: an idle function, and no interrupt further in",
    ),
    function("last_at", "last_at(x, time)", "Aggregate: the x that is not NULL with the greatest time"),
    function(
        "lasted",
        "lasted(time, secs, seconds)",
        "Aggregate: for how many seconds of the window a loss went on. Rows of one time are one sample; n equal samples \
             give n times their length, and what falls on one sample gives one, however small the others are",
    ),
    function(
        "log_count",
        "log_count(message, message_before)",
        "For how many messages a line of a log stands, with those that the kernel, FreeBSD or syslog left out",
    ),
    function("median", "median(x)", "Aggregate: the middle value"),
    function("only", "only(x)", "Aggregate: the x that all rows have; NULL where they differ, or have none"),
    function("quantile", "quantile(x, p)", "Aggregate: the quantile p (0 to 1), interpolated between ranks"),
    function("ratio", "ratio(a, b)", "a over b as a float (7 / 2 is 3 in SQLite); NULL where b is 0"),
    function(
        "share",
        "share(condition)",
        "Aggregate: the share of rows in which it is true, 0 to 1; NULL does not count",
    ),
    function(
        "short_function",
        "short_function(function)",
        "The name without parameters, arguments of templates and what compilers append; of long names the end",
    ),
    function("slope", "slope(y, x)", "Aggregate: least-squares slope of y over x"),
    function(
        "storage_device",
        "storage_device(message)",
        "The device, file system or path that fails by a message of the log; NULL if it is about none",
    ),
    function(
        "storage_trouble",
        "storage_trouble(message)",
        "How it fails: error, medium, timeout, offline, removed, not_mounted, read_only, no_path, path or slow",
    ),
    function("weighted_mean", "weighted_mean(x, weight)", "Aggregate: mean of x, weighted"),
];

/// Makes the functions known.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("added", -1, flags, |context| {
        (0..context.len()).try_fold(None, |sum: Option<f64>, at| {
            Ok(number(context, at, "added")?.map_or(sum, |x| Some(sum.unwrap_or(0.0) + x)))
        })
    })?;
    connection.create_scalar_function("clamp01", 1, flags, |context| {
        Ok(number(context, 0, "clamp01")?.map(|x| x.clamp(0.0, 1.0)))
    })?;
    connection.create_scalar_function("ratio", 2, flags, |context| {
        let (a, b) = (number(context, 0, "ratio")?, number(context, 1, "ratio")?);
        Ok(a.zip(b).filter(|(_, b)| *b != 0.0).map(|(a, b)| a / b))
    })?;
    connection.create_aggregate_function("first_at", 2, flags, AtEdge { name: "first_at", sign: -1.0 })?;
    connection.create_aggregate_function("last_at", 2, flags, AtEdge { name: "last_at", sign: 1.0 })?;
    connection.create_aggregate_function("lasted", 3, flags, Lasted)?;
    connection.create_aggregate_function("median", 1, flags, Quantile { name: "median" })?;
    connection.create_aggregate_function("only", 1, flags, Only)?;
    connection.create_aggregate_function("quantile", 2, flags, Quantile { name: "quantile" })?;
    connection.create_aggregate_function("share", 1, flags, Share)?;
    connection.create_aggregate_function("slope", 2, flags, Slope)?;
    connection.create_aggregate_function("weighted_mean", 2, flags, WeightedMean)?;
    log_text::register(connection, flags)?;
    hot_code::register(connection, flags)
}

/// An argument as a number; NULL is none.
pub(super) fn number(context: &Context<'_>, at: usize, function: &str) -> Result<Option<f64>> {
    match context.get_raw(at) {
        ValueRef::Null => Ok(None),
        ValueRef::Integer(value) => Ok(Some(value as f64)),
        ValueRef::Real(value) => Ok(Some(value)),
        ValueRef::Text(text) => Err(wrong(format!(
            "{function}: argument {} is the text '{}', expected a number",
            at + 1,
            String::from_utf8_lossy(text)
        ))),
        ValueRef::Blob(_) => {
            Err(wrong(format!("{function}: argument {} is bytes, expected a number", at + 1)))
        }
    }
}

fn wrong(message: String) -> Error {
    Error::UserFunctionError(message.into())
}

struct Quantile {
    name: &'static str,
}

/// Values so far and the quantile asked for; memory is eight bytes a value.
struct Sample {
    values: Vec<f64>,
    p: f64,
}

impl Aggregate<Sample, Option<f64>> for Quantile {
    fn init(&self, _: &mut Context<'_>) -> Result<Sample> {
        Ok(Sample { values: Vec::new(), p: 0.5 })
    }

    fn step(&self, context: &mut Context<'_>, sample: &mut Sample) -> Result<()> {
        if context.len() > 1 {
            sample.p = number(context, 1, self.name)?
                .filter(|p| (0.0..=1.0).contains(p))
                .ok_or_else(|| wrong(format!("{}: the second argument is a share from 0 to 1", self.name)))?;
        }
        sample.values.extend(number(context, 0, self.name)?);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, sample: Option<Sample>) -> Result<Option<f64>> {
        Ok(sample.and_then(|mut sample| heldup_stats::quantile(&mut sample.values, sample.p)))
    }
}

/// What all rows have so far; none once they differ.
struct Only;

impl Aggregate<Option<Option<Value>>, Option<Value>> for Only {
    fn init(&self, _: &mut Context<'_>) -> Result<Option<Option<Value>>> {
        Ok(None)
    }

    fn step(&self, context: &mut Context<'_>, all: &mut Option<Option<Value>>) -> Result<()> {
        let value: Value = context.get(0)?;
        match all {
            None => *all = Some(Some(value)),
            Some(same) if same.as_ref().is_some_and(|same| *same != value) => *same = None,
            Some(_) => {}
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, all: Option<Option<Option<Value>>>) -> Result<Option<Value>> {
        Ok(all.flatten().flatten())
    }
}

struct Share;

impl Aggregate<(u64, u64), Option<f64>> for Share {
    fn init(&self, _: &mut Context<'_>) -> Result<(u64, u64)> {
        Ok((0, 0))
    }

    fn step(&self, context: &mut Context<'_>, (hits, of): &mut (u64, u64)) -> Result<()> {
        if let Some(value) = number(context, 0, "share")? {
            *of += 1;
            *hits += u64::from(value != 0.0);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, counts: Option<(u64, u64)>) -> Result<Option<f64>> {
        Ok(counts.and_then(|(hits, of)| heldup_stats::share(hits, of)))
    }
}

/// Pairs of numbers of which neither is NULL.
fn pair(context: &Context<'_>, function: &str) -> Result<Option<(f64, f64)>> {
    Ok(number(context, 0, function)?.zip(number(context, 1, function)?))
}

struct Slope;

impl Aggregate<Vec<(f64, f64)>, Option<f64>> for Slope {
    fn init(&self, _: &mut Context<'_>) -> Result<Vec<(f64, f64)>> {
        Ok(Vec::new())
    }

    fn step(&self, context: &mut Context<'_>, points: &mut Vec<(f64, f64)>) -> Result<()> {
        points.extend(pair(context, "slope")?.map(|(y, x)| (x, y)));
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, points: Option<Vec<(f64, f64)>>) -> Result<Option<f64>> {
        Ok(points.and_then(|points| heldup_stats::slope(&points)))
    }
}

struct WeightedMean;

impl Aggregate<Vec<(f64, f64)>, Option<f64>> for WeightedMean {
    fn init(&self, _: &mut Context<'_>) -> Result<Vec<(f64, f64)>> {
        Ok(Vec::new())
    }

    fn step(&self, context: &mut Context<'_>, pairs: &mut Vec<(f64, f64)>) -> Result<()> {
        pairs.extend(pair(context, "weighted_mean")?);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, pairs: Option<Vec<(f64, f64)>>) -> Result<Option<f64>> {
        Ok(pairs.and_then(heldup_stats::weighted_mean))
    }
}

/// For how long a loss went on: the square of its sum over the sum of its squares (the participation
/// ratio), in seconds. It needs no level from which a sample counts, does not change when all losses are
/// scaled, and assumes nothing of how the waits of many tasks lie within a sample. A burst of a second
/// that the samples cut in two gives two seconds at most.
struct Lasted;

impl Aggregate<BTreeMap<i64, heldup_stats::SampleLoss>, Option<f64>> for Lasted {
    fn init(&self, _: &mut Context<'_>) -> Result<BTreeMap<i64, heldup_stats::SampleLoss>> {
        Ok(BTreeMap::new())
    }

    fn step(
        &self,
        context: &mut Context<'_>,
        samples: &mut BTreeMap<i64, heldup_stats::SampleLoss>,
    ) -> Result<()> {
        let time = number(context, 0, "lasted")?;
        let secs = number(context, 1, "lasted")?;
        let lost_s = number(context, 2, "lasted")?;
        let (Some(time), Some(secs), Some(lost_s)) = (time, secs, lost_s) else { return Ok(()) };
        // Milliseconds since 1970: exact as an integer.
        let sample = samples.entry(time as i64).or_default();
        sample.secs = sample.secs.max(secs);
        sample.lost_s += lost_s;
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        samples: Option<BTreeMap<i64, heldup_stats::SampleLoss>>,
    ) -> Result<Option<f64>> {
        Ok(samples.and_then(|samples| heldup_stats::lasted(samples.into_values())))
    }
}

/// The value at the least or greatest time.
struct AtEdge {
    name: &'static str,
    /// -1 for the least, 1 for the greatest.
    sign: f64,
}

impl Aggregate<Option<(f64, Value)>, Value> for AtEdge {
    fn init(&self, _: &mut Context<'_>) -> Result<Option<(f64, Value)>> {
        Ok(None)
    }

    fn step(&self, context: &mut Context<'_>, edge: &mut Option<(f64, Value)>) -> Result<()> {
        let Some(time) = number(context, 1, self.name)?.map(|time| self.sign * time) else { return Ok(()) };
        if edge.as_ref().is_some_and(|(best, _)| time <= *best) {
            return Ok(());
        }
        let value = context.get::<Value>(0)?;
        if value != Value::Null {
            *edge = Some((time, value));
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, edge: Option<Option<(f64, Value)>>) -> Result<Value> {
        Ok(edge.flatten().map_or(Value::Null, |(_, value)| value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sql: &str, expected: Value) {
        let connection = Connection::open_in_memory().expect("a database");
        register(&connection).expect("functions");
        let values = "with t(x, y, at, name) as (values (4, 8.0, 30, 'd'), (1, 2.0, 10, 'a'), (null, null, 5, null), (2, 4.0, 20, 'b'), (3, 6.0, 40, null))";
        let found: Value = connection
            .query_row(&format!("{values} select {sql} from t"), [], |row| row.get(0))
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(found, expected, "{sql}");
    }

    #[test]
    fn each_function_answers() {
        check("median(x)", Value::Real(2.5));
        check("quantile(x, 0.25)", Value::Real(1.75));
        check("share(x > 3)", Value::Real(0.25));
        check("slope(y, x)", Value::Real(2.0));
        check("weighted_mean(x, y)", Value::Real(3.0));
        check("first_at(name, at)", Value::Text("a".into()));
        check("last_at(name, at)", Value::Text("d".into()));
        check("lasted(at, 1.0, y)", Value::Real(400.0 / 120.0));
        check("max(ratio(7, 2))", Value::Real(3.5));
        check("max(added(x, null, 3))", Value::Real(7.0));
        check("max(added(null, null))", Value::Null);
        check("max(ratio(7, 0))", Value::Null);
        check("max(clamp01(x))", Value::Real(1.0));
    }

    #[test]
    fn nothing_gives_null() {
        for function in [
            "median(x)",
            "quantile(x, 0.5)",
            "share(x)",
            "slope(y, x)",
            "weighted_mean(x, y)",
            "first_at(x, at)",
            "lasted(at, 1.0, x)",
        ] {
            check(&format!("{function} filter (where x > 99)"), Value::Null);
        }
    }

    #[test]
    fn text_is_refused() {
        let connection = Connection::open_in_memory().expect("a database");
        register(&connection).expect("functions");
        let error =
            connection.query_row("select median('abc')", [], |row| row.get::<_, Value>(0)).expect_err("text");
        assert!(error.to_string().contains("'abc', expected a number"), "{error}");
    }

    #[test]
    fn the_list_is_what_is_registered() {
        let names: Vec<_> = sql_functions().iter().map(|function| function.name).collect();
        assert!(names.is_sorted());
        let connection = Connection::open_in_memory().expect("a database");
        let count = |connection: &Connection, name: &str| -> i64 {
            connection
                .query_row("select count(*) from pragma_function_list where name = ?1", [name], |row| {
                    row.get(0)
                })
                .expect("a count")
        };
        for name in &names {
            assert_eq!(count(&connection, name), 0, "{name} is SQLite's own");
        }
        register(&connection).expect("functions");
        for name in &names {
            assert_eq!(count(&connection, name), 1, "{name} is not registered");
        }
    }
}
