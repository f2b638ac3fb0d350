//! The views as one capture defines them, and the single values of it that they have.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::Int64Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use heldup_model::{Capture, Class, Group, Method};

use super::disk_stack;
use super::facts::Facts;
use super::task_sums::{TASK_SUMS, TaskSum};
use super::value::Value;
use super::views::{VIEWS, View};

/// Active time for a recording without tasks: CPU time. Shares of it are too large, because waits
/// are not in it.
const ACTIVE_OF_CPUS: &str = "
    select running_s, null as waiting_s, running_s as active_s,
           max(running_s, 0.25 * w.secs) as denominator_s,
           0.01 * max(running_s, 0.25 * w.secs) as least_s
    from window_span w cross join (
        select sum(coalesce(user_s, 0.0) + coalesce(nice_s, 0.0) + coalesce(system_s, 0.0) + coalesce(irq_s, 0.0)
                   + coalesce(softirq_s, 0.0) + coalesce(steal_s, 0.0)) as running_s
        from cpu
        where idle_s is not null) as sums";

/// Views that only add up time of tasks and classes.
const OF_SUMS: [&str; 4] = ["class_total", "process_group", "object_total", "wait_object"];

/// What defines the views over one capture, by name. For rules some are made of time that is added up already.
pub(super) fn of(capture: &Capture, for_rules: bool) -> BTreeMap<&'static str, String> {
    let select = |view: &View| match view.name {
        SPAN => Facts::row(SPAN, &SPAN_COLUMNS),
        "disk_stack" if capture.method == Method::Imported => disk_stack(capture),
        "active_time" if !has_rows(capture, "task_time") && capture.method == Method::Imported => {
            ACTIVE_OF_CPUS.trim().to_owned()
        }
        "cpu_busy" => measured_half(capture, "cpu_time", view.select).trim().to_owned(),
        "own_io_rows" => measured_half(capture, "process_io", view.select).trim().to_owned(),
        name if for_rules && OF_SUMS.contains(&name) => view
            .select
            .trim()
            .replace("from task_time ", &format!("from {TASK_SUMS} "))
            .replace("from task_time\n", &format!("from {TASK_SUMS}\n")),
        _ => view.select.trim().to_owned(),
    };
    VIEWS.iter().map(|view| (view.name, select(view))).collect()
}

const SPAN: &str = "window_span";
const SPAN_COLUMNS: [&str; 6] = ["since_ms", "until_ms", "secs", "cpus", "samples", "has_intervals"];

/// The capture's own span, which is a row of facts, so that joining it costs nothing.
pub(super) fn window_facts(capture: &Capture, facts: &Facts) {
    let values = [
        Value::Int(capture.span.since_ms),
        Value::Int(capture.span.until_ms),
        Value::Float(capture.secs()),
        cpus(capture).map_or(Value::Null, Value::Int),
        Value::Int(i64::try_from(samples(capture)).unwrap_or(i64::MAX)),
        Value::Int(i64::from(capture.timing.has_intervals)),
    ];
    for (name, value) in SPAN_COLUMNS.into_iter().zip(values) {
        facts.put(SPAN, name, value);
    }
}

const SUMS: &str = "task_sums";
const SUM_COLUMNS: [&str; 3] = ["running_s", "waiting_s", "queue_s"];

/// Active time of sums that are known already; none where it is not of tasks.
pub(super) fn active_time_of_sums(select: &str) -> Option<String> {
    let (before, of_tasks) = select.split_once("cross join (")?;
    of_tasks
        .contains("from task_time")
        .then(|| format!("{before} cross join ({}) as sums", Facts::row(SUMS, &SUM_COLUMNS)))
}

/// What of active time is of tasks.
pub(super) fn sum_facts(sums: &[TaskSum], facts: &Facts) {
    let total = |wanted: &dyn Fn(&TaskSum) -> bool| {
        let wanted = sums.iter().filter(|sum| sum.kernel_thread != Some(true) && wanted(sum));
        Value::Float(wanted.filter_map(|sum| sum.seconds).fold(0.0, |total, seconds| total + seconds))
    };
    let of_group = |group: Group| total(&|sum| sum.group_name.as_deref() == Some(group.name()));
    let queue_s = total(&|sum| sum.class_name.as_deref() == Some(Class::CpuQueue.name()));
    let values = [of_group(Group::Running), of_group(Group::Waiting), queue_s];
    for (name, value) in SUM_COLUMNS.into_iter().zip(values) {
        facts.put(SUMS, name, value);
    }
}

/// What stands on what in a recording, as constants.
fn disk_stack(capture: &Capture) -> String {
    let quoted = |name: &str| format!("'{}'", name.replace('\'', "''"));
    let rows: Vec<String> = disk_stack::pairs(capture)
        .iter()
        .map(|(top, under)| format!("({}, {})", quoted(top), quoted(under)))
        .collect();
    match rows.is_empty() {
        true => "select '' as top, '' as under where false".to_owned(),
        false => format!("select column1 as top, column2 as under from (values {})", rows.join(", ")),
    }
}

/// The half of the view's union that has rows where the ledger filled its `table`. It
/// is chosen here because SQLite would parse, plan and run both in every query.
fn measured_half<'a>(capture: &Capture, table: &str, union: &'a str) -> &'a str {
    match union.split_once("union all") {
        Some((measured, _)) if has_rows(capture, table) => measured,
        _ => union,
    }
}

fn has_rows(capture: &Capture, table: &str) -> bool {
    capture.tables.get(table).is_some_and(|batches| batches.iter().any(|batch| batch.num_rows() > 0))
}

/// Online CPUs as `host` says, else as many as `cpu` has rows for.
fn cpus(capture: &Capture) -> Option<i64> {
    let said = ints(capture, "host", "cpus").flat_map(|cpus| cpus.iter().flatten()).max();
    said.or_else(|| {
        let seen: BTreeSet<i64> =
            ints(capture, "cpu", "cpu_idx").flat_map(|cpu| cpu.iter().flatten()).collect();
        i64::try_from(seen.len()).ok().filter(|cpus| *cpus > 0)
    })
}

/// The most samples that a table has. A batch may hold several, as in a stored
/// capture, so times are counted.
fn samples(capture: &Capture) -> usize {
    let of = |table: &String| {
        let mut times: Vec<i64> = ints(capture, table, "time")
            .flat_map(|times| times.values().chunk_by(|a, b| a == b).filter_map(|run| run.first().copied()))
            .collect();
        times.sort_unstable();
        times.dedup();
        times.len()
    };
    capture.tables.keys().map(of).max().unwrap_or(0)
}

/// An integer column of a table's batches.
fn ints<'a>(capture: &'a Capture, table: &str, column: &str) -> impl Iterator<Item = &'a Int64Array> {
    let batches = capture.tables.get(table).into_iter().flatten();
    batches.filter_map(move |batch| batch.column_by_name(column)?.as_primitive_opt::<Int64Type>())
}
