//! The rows of `task_time` of one reading: whole, or by what changed since the reading before.
//!
//! Most tasks do nothing, and have one row that differs from the one before in how long the
//! interval was: of these nothing is made but a number of rows.

use heldup_hostfs::BootTime;
use heldup_model::tables::TaskTimeRow;
use heldup_model::{Class, Form, Record, RowChanges, RowSet};

use super::account::Interval;
use super::record::Header;
use super::rows::{Label, Words};

const NS: f64 = 1e9;

/// Time of one class, and the waits that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassTime {
    pub(crate) class: Class,
    pub(crate) ns: u64,
    pub(crate) waits: u32,
    /// Part of a time in the run queue while a CPU that the task may use was idle.
    pub(crate) idle_ns: u64,
}

/// The classes that an interval went into.
pub(crate) fn times_of(interval: &Interval, times: &mut Vec<ClassTime>) {
    times.clear();
    times.extend(Class::ALL.into_iter().filter_map(|class| {
        let (ns, waits) = (interval.ns[class as usize], interval.waits[class as usize]);
        let idle_ns = if class == Class::CpuQueue { interval.queue_idle_ns } else { 0 };
        (ns > 0 || waits > 0).then_some(ClassTime { class, ns, waits, idle_ns })
    }));
}

/// Whose rows they are.
#[derive(Clone, Copy)]
pub(crate) struct RowOwner<'a> {
    pub(crate) words: &'a Words,
    pub(crate) boot: BootTime,
    pub(crate) header: &'a Header,
    pub(crate) label: &'a Label,
    pub(crate) in_command: Option<bool>,
}

impl RowOwner<'_> {
    fn row(&self, time: ClassTime) -> TaskTimeRow {
        let (class_name, group_name) = self.words.class_and_group(time.class);
        TaskTimeRow {
            tid: Some(self.header.tid.into()),
            start_ms: Some(self.boot.start_ms_of_ns(self.header.start_boot_ns)),
            class_name: Some(class_name),
            group_name: Some(group_name),
            pid: Some(self.header.tgid.into()),
            name: Some(self.label.name.clone()),
            process_name: Some(self.label.process.clone()),
            kernel_thread: Some(self.header.is_kernel_thread()),
            cgroup: self.label.group.path.clone(),
            unit: self.label.group.unit.clone(),
            container: self.label.group.container.clone(),
            exited: Some(self.header.dead != 0),
            seconds: Some(time.ns as f64 / NS),
            error_s: None,
            waits: Some(time.waits.into()),
            idle_elsewhere_s: (time.class == Class::CpuQueue).then_some(time.idle_ns as f64 / NS),
            in_command: self.in_command,
        }
    }

    /// The row as it was. How long it was is not kept of tasks that do nothing: NULL differs from whatever it
    /// is, so that this is written.
    fn old_row(&self, time: ClassTime) -> TaskTimeRow {
        TaskTimeRow { exited: Some(false), seconds: None, ..self.row(time) }
    }
}

/// A row of the reading before: where it is, and what it was about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HadRows {
    pub(crate) first: usize,
    pub(crate) times: Vec<ClassTime>,
}

/// The rows.
pub(crate) enum Sheet {
    /// All of them.
    Whole {
        rows: RowSet,
        /// Rows of the task at hand; kept for their room.
        of_task: Vec<TaskTimeRow>,
    },
    /// What changed.
    Changes {
        rows: RowChanges,
        /// Length of the interval of who did nothing.
        still_ns: u64,
        /// Place of the task, and class, of the last row, where that is one of who did nothing.
        above: Option<(usize, Class)>,
    },
}

impl Sheet {
    /// No rows yet; `used` are rows that nobody needs any more, for their room.
    pub(crate) fn whole(used: Option<RowSet>) -> Sheet {
        let rows = used.unwrap_or_else(|| RowSet::empty(TaskTimeRow::DEF, Form::Increases));
        Sheet::Whole { rows, of_task: Vec::new() }
    }

    /// No rows yet, after a reading of `before`, of which so many were reported whole.
    pub(crate) fn changes(before: usize, told_whole: usize) -> Sheet {
        let rows = RowChanges::new(TaskTimeRow::DEF, before).with_room_of(told_whole);
        Sheet::Changes { rows, still_ns: 0, above: None }
    }

    /// How long the interval of who did nothing is.
    pub(crate) fn set_still(&mut self, ns: u64) {
        if let Sheet::Changes { rows, still_ns, .. } = self {
            *still_ns = ns;
            let column = rows.def.position("seconds");
            rows.but = column.map(|column| (column, ns as f64 / NS));
        }
    }

    /// Rows so far.
    pub(crate) fn len(&self) -> usize {
        match self {
            Sheet::Whole { rows, .. } => rows.len,
            Sheet::Changes { rows, .. } => rows.len,
        }
    }

    /// A task that did nothing has its only row again.
    pub(crate) fn same_but(&mut self, row: usize, place: usize, class: Class) {
        if let Sheet::Changes { rows, above, .. } = self {
            rows.same_but(row);
            *above = Some((place, class));
        }
    }

    /// The task and class of the row that has to be reported before rows of other classes than a task had.
    pub(crate) fn row_above(&self, had: &HadRows, now: &[ClassTime]) -> Option<(usize, Class)> {
        let Sheet::Changes { rows, above, .. } = self else { return None };
        let is_new = now.first().is_some_and(|first| !has(had, first.class));
        above.filter(|_| is_new && rows.lacks_row_above())
    }

    /// Tells the last row, which is one of who did nothing, by itself.
    pub(crate) fn tell_above(&mut self, owner: &RowOwner, class: Class) {
        let Sheet::Changes { rows, still_ns, .. } = self else { return };
        let time = ClassTime { class, ns: *still_ns, waits: 0, idle_ns: 0 };
        if let Some(at) = rows.take_back() {
            rows.changed(at, owner.old_row(time), owner.row(time));
        }
    }

    /// Tells one task, which has a place among all.
    pub(crate) fn tell(&mut self, owner: &RowOwner, place: usize, had: &HadRows, now: &[ClassTime]) {
        match self {
            Sheet::Whole { rows, of_task } => {
                of_task.extend(now.iter().map(|time| owner.row(*time)));
                rows.len += of_task.len();
                TaskTimeRow::push_all(of_task, &mut rows.cells);
            }
            Sheet::Changes { rows, still_ns, above } => {
                let has_new = now.iter().any(|time| !has(had, time.class));
                for time in now {
                    let old = had.times.iter().position(|old| old.class == time.class);
                    let Some(nth) = old else {
                        rows.new_row(owner.row(*time));
                        continue;
                    };
                    let (at, old) = (had.first + nth, had.times[nth]);
                    let still =
                        time.ns == *still_ns && (old.waits, time.waits, owner.header.dead) == (0, 0, 0);
                    if still && !has_new {
                        rows.same_but(at);
                        *above = Some((place, time.class));
                    } else {
                        rows.changed(at, owner.old_row(old), owner.row(*time));
                    }
                }
            }
        }
    }
}

fn has(had: &HadRows, class: Class) -> bool {
    had.times.iter().any(|time| time.class == class)
}
