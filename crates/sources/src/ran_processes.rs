//! Who lives and who of them ran between two readings: what the ledger's reader tells the readers of
//! processes, so that nobody is read who did nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use heldup_model::{Class, RowSet};

/// Who lives, and who of them ran since the reading before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Processes by number, with their starts where these are known, milliseconds UTC.
    pub alive: Vec<(i64, Option<i64>)>,
    /// Those that were on a CPU.
    pub ran: BTreeSet<i64>,
    /// Those and who was there for a moment without doing anything, by number.
    pub woke: Vec<i64>,
    /// Number of tasks.
    pub tasks: usize,
    /// Whether rows are wanted by what changed since the reading before.
    pub changes: bool,
}

impl Ran {
    /// From the rows of `task_time` of an interval.
    pub fn of(task_time: &RowSet) -> Ran {
        let mut ran = Ran::default();
        let mut alive: BTreeMap<i64, Option<i64>> = BTreeMap::new();
        let on_cpu = [Class::User.name(), Class::Kernel.name()];
        let columns = (task_time.ints("pid"), task_time.ints("tid"), task_time.ints("start_ms"));
        let (classes, exited) = (task_time.texts("class_name"), task_time.bools("exited"));
        let mut last = None;
        for row in 0..task_time.len {
            let (Some(pid), Some(tid)) = (columns.0[row], columns.1[row]) else { continue };
            if exited[row] != Some(true) {
                ran.tasks += usize::from(last.replace(tid) != Some(tid));
                let start = alive.entry(pid).or_default();
                if pid == tid {
                    *start = columns.2[row];
                }
            }
            if classes[row].as_deref().is_some_and(|class| on_cpu.contains(&class)) {
                ran.ran.insert(pid);
            }
        }
        ran.alive = alive.into_iter().collect();
        ran.woke = ran.ran.iter().copied().collect();
        ran
    }
}

/// Adds the processes that were on a CPU in an interval, by its rows of `task_time`.
pub fn add_who_ran(task_time: &RowSet, ran: &mut BTreeSet<i64>) {
    let on_cpu = [Class::User.name(), Class::Kernel.name()];
    let classes = task_time.texts("class_name").iter();
    let rows = task_time.ints("pid").iter().zip(classes);
    let of_cpu = rows.filter(|(_, class)| class.as_deref().is_some_and(|class| on_cpu.contains(&class)));
    ran.extend(of_cpu.filter_map(|(pid, _)| *pid));
}

/// Where the ledger's reader leaves for the process table who ran.
#[derive(Clone, Debug, Default)]
pub struct RanProcesses(Arc<Mutex<Option<Ran>>>);

impl RanProcesses {
    /// For the next reading of the process table, which is about all intervals since the one before.
    pub fn set(&self, mut ran: Option<Ran>) {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(ran), Some(before)) = (&mut ran, left.take()) {
            ran.ran.extend(before.ran);
            ran.woke.extend(before.woke);
            ran.woke.sort_unstable();
            ran.woke.dedup();
        }
        *left = ran;
    }

    pub(crate) fn take(&self) -> Option<Ran> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::TaskTimeRow;

    use super::*;

    fn time(pid: i64, tid: i64, class: Class, exited: bool) -> TaskTimeRow {
        TaskTimeRow {
            pid: Some(pid),
            tid: Some(tid),
            start_ms: Some(pid * 1000),
            class_name: Some(class.name().into()),
            exited: Some(exited),
            ..TaskTimeRow::default()
        }
    }

    #[test]
    fn the_ledger_tells_who_lives_and_who_ran() {
        let rows = RowSet::increases([
            time(1, 1, Class::Poll, false),
            time(2, 2, Class::Poll, false),
            time(2, 3, Class::Kernel, false),
            time(2, 3, Class::Timer, false),
            time(4, 4, Class::User, true),
        ]);
        let ran = Ran::of(&rows);
        assert_eq!(ran.alive, [(1, Some(1000)), (2, Some(2000))]);
        assert_eq!(ran.ran, BTreeSet::from([2, 4]));
        assert_eq!(ran.tasks, 3);
    }
}
