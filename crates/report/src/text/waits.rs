//! Dumps of all threads, and profiles of time off CPU: what the threads wait for, the largest groups.

use heldup_model::{Class, Group, WaitGroup, WaitVitals, short_function_name};
use unicode_width::UnicodeWidthStr;

use crate::layout::{Ink, Page};
use crate::quantity::{count, percent};

/// The rows of threads that a debugger or a VM dumped.
const THREADS: &str = "threads";
/// Threads that are outside of known waits.
const RUNNABLE: &str = "runnable";
/// What the name of a Java monitor begins with.
const MONITOR: &str = "monitor of ";
/// Groups that get a line.
const MOST_GROUPS: usize = 6;

/// What a class is called, and whether its threads have no work.
pub(crate) fn class(name: &str) -> (&str, bool) {
    match Class::from_name(name) {
        Some(class) => (class.label(), class.group() == Group::Idle),
        None => (name, false),
    }
}

/// What a group waits for. A Java thread waits for a monitor, which is a lock of the VM and no futex of its own.
fn label(group: &WaitGroup) -> &str {
    match group.place.as_deref() {
        Some(place) if place.starts_with(MONITOR) => "lock (monitor)",
        Some(_) | None => class(&group.class_name).0,
    }
}

/// The lock with most waiting threads, where no finding names one: fewer than three of a dump may be chance.
pub(crate) fn lock(waits: &WaitVitals) -> Option<String> {
    let of_locks = waits.groups.iter().filter(|group| group.class_name == Class::LockUser.name());
    let worst = of_locks.filter(|group| group.place.is_some()).max_by_key(|group| group.samples)?;
    let verb = if worst.samples == 1 && waits.what == THREADS { "thread waits" } else { "threads wait" };
    let place = worst.place.as_deref()?;
    (waits.what == THREADS).then(|| format!("{} {verb} for {place}", amount(waits, worst.samples)))
}

/// How many of a group there are on average: threads of a dump, else its share.
pub(crate) fn amount(waits: &WaitVitals, samples: i64) -> String {
    if waits.what == THREADS {
        return count(((samples as f64) / waits.dumps.max(1) as f64).round() as i64);
    }
    percent(samples as f64 / waits.samples.max(1) as f64)
}

/// Samples by class, the largest first; all idle ones together.
fn by_class(waits: &WaitVitals) -> Vec<(&str, i64)> {
    let mut all: Vec<(&str, i64)> = Vec::new();
    for group in &waits.groups {
        let label = if class(&group.class_name).1 { "idle" } else { label(group) };
        match all.iter_mut().find(|(known, _)| *known == label) {
            Some((_, samples)) => *samples += group.samples,
            None => all.push((label, group.samples)),
        }
    }
    all.sort_by_key(|(_, samples)| std::cmp::Reverse(*samples));
    all
}

/// Parts of the line of vital signs: `12 threads  3 dumps  lock (futex) 6  idle 5  runnable 1`.
pub(crate) fn vitals(waits: &WaitVitals) -> Vec<String> {
    let mut parts = match (waits.what.as_str(), waits.dumps) {
        (THREADS, dumps) => {
            let plural = if waits.samples == 1 { "thread" } else { "threads" };
            let threads = format!("{} {plural}", amount(waits, waits.samples));
            std::iter::once(threads).chain((dumps > 1).then(|| format!("{} dumps", count(dumps)))).collect()
        }
        (what, _) => vec![format!("{} {what} samples (no CPU time)", count(waits.samples))],
    };
    parts.extend(
        by_class(waits).into_iter().map(|(label, samples)| format!("{label} {}", amount(waits, samples))),
    );
    parts
}

/// The answer where nothing needs attention: how many have work, and what these do.
pub(crate) fn answer(waits: &WaitVitals) -> String {
    let classes = by_class(waits);
    let of = |name: &str| {
        classes.iter().filter(|(label, _)| *label == name).map(|(_, samples)| samples).sum::<i64>()
    };
    let (idle, runnable) = (of("idle"), of(RUNNABLE));
    let waiting = waits.samples - idle - runnable;
    match waits.what.as_str() {
        THREADS => format!(
            "{} of {} threads idle, {} waiting, {} runnable",
            amount(waits, idle),
            amount(waits, waits.samples),
            amount(waits, waiting),
            amount(waits, runnable)
        ),
        _ => format!("{} waiting, {} idle", amount(waits, waiting), amount(waits, idle)),
    }
}

/// Writes the largest groups, those with work first.
pub(crate) fn write(page: &mut Page, waits: &WaitVitals) {
    let mut groups: Vec<&WaitGroup> = waits.groups.iter().collect();
    groups.sort_by_key(|group| (class(&group.class_name).1, std::cmp::Reverse(group.samples)));
    let head = if waits.what == THREADS { "Threads by what they wait for" } else { "Waits by class" };
    page.paragraph(&[(Ink::Bold, head.to_owned())], 2);
    let shown = &groups[..groups.len().min(MOST_GROUPS)];
    let widest = shown.iter().map(|group| label(group).width()).max().unwrap_or(0);
    for group in shown {
        let label = label(group);
        let pad = " ".repeat(widest - label.width());
        let place = group
            .place
            .as_deref()
            .map(|place| format!("  {}", short_function_name(place)))
            .unwrap_or_default();
        let line = format!("{:>7}  {label}{pad}{place}", amount(waits, group.samples));
        page.paragraph(&[(Ink::Plain, line.replace(' ', "\u{a0}"))], 9);
    }
    if groups.len() > shown.len() {
        let more = groups.len() - shown.len();
        let plural = if more == 1 { "group" } else { "groups" };
        page.paragraph(&[(Ink::Dim, format!("{} more {plural}, in --json", count(more as i64)))], 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_monitor_is_no_futex() {
        let place = Some("monitor of log.Appender 0x5fb".to_owned());
        let groups = vec![WaitGroup { class_name: "lock_user".to_owned(), place, samples: 1 }];
        let waits = WaitVitals { what: "threads".to_owned(), dumps: 1, samples: 1, groups };
        assert_eq!(vitals(&waits), ["1 thread", "lock (monitor) 1"]);
        assert_eq!(lock(&waits).as_deref(), Some("1 thread waits for monitor of log.Appender 0x5fb"));
    }

    #[test]
    fn threads_are_counted_by_dump() {
        let group = |class: &str, place: Option<&str>, samples| WaitGroup {
            class_name: class.to_owned(),
            place: place.map(str::to_owned),
            samples,
        };
        let groups = vec![
            group("lock_user", Some("update"), 12),
            group("park", Some("worker"), 6),
            group("timer", Some("hold"), 2),
            group("runnable", None, 2),
        ];
        let waits = WaitVitals { what: "threads".to_owned(), dumps: 2, samples: 22, groups };
        assert_eq!(vitals(&waits), ["11 threads", "2 dumps", "lock (futex) 6", "idle 4", "runnable 1"]);
        assert_eq!(answer(&waits), "4 of 11 threads idle, 6 waiting, 1 runnable");
        assert_eq!(lock(&waits).as_deref(), Some("6 threads wait for update"));
    }
}
