//! The ledger of an examination: what the active time of user tasks went into.
//!
//! Kernel threads are kept apart: their time is work for somebody else, and counting
//! it as active would count that work twice.

use std::collections::BTreeMap;

use heldup_archive::{Answer, Database, SqlError};
use heldup_model::{Class, ClassTotal, Group, Ledger, TaskShare};

use crate::programs::{by_program, sum};
use crate::row::Row;

/// Programs named per class; the others are one line.
const MOST_PROGRAMS: usize = 20;
/// Seconds of each task in each class over the window; of which tasks comes behind it.
const SECONDS_BY_TASK: &str = "
    select class_name, max(group_name) as group_name, tid, start_ms, max(pid) as pid,
           coalesce(max(process_name), max(name)) as name,
           max(cgroup) as cgroup, max(unit) as unit, max(kernel_thread) as kernel_thread, sum(seconds) as seconds,
           sum(error_s * error_s) as variance
    from task_time
    where seconds > 0";
const BY_TASK: &str = "group by class_name, tid, start_ms";

/// The ledger of all tasks.
pub fn build(database: &Database) -> Result<Ledger, SqlError> {
    Ok(ledger_of(database.query(&format!("{SECONDS_BY_TASK} {BY_TASK}"))?))
}

/// The ledger of the command that was run.
pub fn of_command(database: &Database) -> Result<Ledger, SqlError> {
    Ok(ledger_of(database.query(&format!("{SECONDS_BY_TASK} and in_command {BY_TASK}"))?))
}

fn ledger_of(answer: Answer) -> Ledger {
    let (kernel, user): (Vec<Row>, Vec<Row>) =
        Row::all(answer).into_iter().partition(|row| row.is_true("kernel_thread"));
    let classes = totals(user);
    let seconds_of = |group: Group| -> f64 {
        classes
            .iter()
            .filter(|class| class.group == group.name())
            .map(|class| class.seconds)
            .fold(0.0, |sum, s| sum + s)
    };
    let waiting_seconds = seconds_of(Group::Waiting);
    let active_seconds = seconds_of(Group::Running) + waiting_seconds;
    Ledger { active_seconds, waiting_seconds, explained: None, classes, kernel_threads: totals(kernel) }
}

/// Classes in the order of the groups, largest first within each.
fn totals(rows: Vec<Row>) -> Vec<ClassTotal> {
    let mut by_class: BTreeMap<String, (String, Option<f64>, Vec<TaskShare>)> = BTreeMap::new();
    for row in rows {
        let class = row.text("class_name").unwrap_or_else(|| Class::Unknown.name().to_string());
        let group = row.text("group_name").unwrap_or_else(|| Group::Other.name().to_string());
        let (_, variance, tasks) = by_class.entry(class).or_insert((group, None, Vec::new()));
        // Errors add up as squares do; what was counted has none.
        *variance = match (*variance, row.number("variance")) {
            (Some(sum), Some(more)) => Some(sum + more),
            (known, more) => known.or(more),
        };
        tasks.push(TaskShare {
            name: row.text("name").unwrap_or_else(|| "unknown".to_string()),
            pid: row.int("pid"),
            tid: row.int("tid"),
            cgroup: row.text("cgroup"),
            unit: row.text("unit"),
            seconds: row.number("seconds"),
            ..TaskShare::default()
        });
    }
    let mut classes: Vec<ClassTotal> = by_class
        .into_iter()
        .map(|(class, (group, variance, tasks))| ClassTotal {
            error_s: variance.map(f64::sqrt),
            ..class_total(class, group, tasks)
        })
        .collect();
    classes.sort_by(|a, b| {
        group_rank(&a.group).cmp(&group_rank(&b.group)).then(b.seconds.total_cmp(&a.seconds))
    });
    classes
}

fn class_total(class_name: String, group: String, tasks: Vec<TaskShare>) -> ClassTotal {
    let tasks = by_program(tasks, MOST_PROGRAMS);
    ClassTotal { class_name, group, seconds: sum(&tasks), error_s: None, tasks }
}

fn group_rank(group: &str) -> usize {
    const ORDER: [Group; 5] = [Group::Running, Group::Waiting, Group::Peer, Group::Idle, Group::Other];
    ORDER.iter().position(|known| known.name() == group).unwrap_or(ORDER.len())
}
