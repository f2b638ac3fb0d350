//! The ledger of an examination: what the active time of user tasks went into.
//!
//! Kernel threads are kept apart: their time is work for somebody else, and counting
//! it as active would count that work twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use heldup_archive::{Database, TaskSum};
use heldup_model::{Class, ClassTotal, Group, Ledger, TaskShare};

use crate::programs::{by_program, sum};

/// Programs named per class; the others are one line.
const MOST_PROGRAMS: usize = 20;

/// The ledger of all tasks.
pub fn build(database: &Database) -> Ledger {
    ledger_of(database.task_sums().iter())
}

/// The ledger of the command that was run.
pub fn of_command(database: &Database) -> Ledger {
    ledger_of(database.task_sums().iter().filter(|sum| sum.in_command == Some(true)))
}

fn ledger_of<'a>(sums: impl Iterator<Item = &'a TaskSum>) -> Ledger {
    let spent = sums.filter(|sum| sum.seconds.is_some_and(|seconds| seconds > 0.0));
    let (kernel, user): (Vec<&TaskSum>, Vec<&TaskSum>) =
        spent.partition(|sum| sum.kernel_thread == Some(true));
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
fn totals(sums: Vec<&TaskSum>) -> Vec<ClassTotal> {
    let mut by_class: BTreeMap<&str, (&str, Option<f64>, Vec<TaskShare>)> = BTreeMap::new();
    for sum in sums {
        let class = sum.class_name.as_deref().unwrap_or(Class::Unknown.name());
        let group = sum.group_name.as_deref().unwrap_or(Group::Other.name());
        let (_, variance, tasks) = by_class.entry(class).or_insert((group, None, Vec::new()));
        // Errors add up as squares do; what was counted has none.
        *variance = match (*variance, sum.variance) {
            (Some(sum), Some(more)) => Some(sum + more),
            (known, more) => known.or(more),
        };
        let text = |text: &Option<Arc<str>>| text.as_deref().map(str::to_owned);
        tasks.push(TaskShare {
            name: text(&sum.process_name).or_else(|| text(&sum.name)).unwrap_or_else(|| "unknown".to_owned()),
            pid: sum.pid,
            tid: sum.tid,
            cgroup: text(&sum.cgroup),
            unit: text(&sum.unit),
            seconds: sum.seconds,
            ..TaskShare::default()
        });
    }
    let mut classes: Vec<ClassTotal> = by_class
        .into_iter()
        .map(|(class, (group, variance, tasks))| ClassTotal {
            error_s: variance.map(f64::sqrt),
            ..class_total(class.to_owned(), group.to_owned(), tasks)
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
