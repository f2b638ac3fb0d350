//! A process as the process table knows it between two readings: its totals, what the last
//! reading brought of it, and what was reported of it.

use std::sync::Arc;

use heldup_model::Record;
use heldup_model::tables::ProcessRow;

use crate::proc_pid::{RecordSlot, Rest, TaskIo, Whole};
use crate::proc_pid_stat::TaskStat;
use crate::proc_pid_status::TaskStatus;
use crate::user_limits::LimitUses;

/// `status` is read again when resident memory has moved by this much; the kernel itself counts in
/// batches of 64 pages a thread (fs/proc/task_mmu.c, `SPLIT_RSS_COUNTING`, per-CPU since 6.2).
const MOVED_BYTES: i64 = 1 << 20;

/// A process as it was read last. Small: all of them are gone through at every reading.
#[derive(Debug)]
pub(crate) struct KnownProcess {
    pub(crate) pid: i64,
    pub(crate) start_ms: Option<i64>,
    /// Whether it was met asleep. Here too, for the row of each is another place in memory.
    pub(crate) is_asleep: bool,
    /// Whether it was on a CPU since all of its files were read.
    pub(crate) has_woken: bool,
    /// Its counters are totals.
    pub(crate) row: Box<ProcessRow>,
    /// Resident memory when `status` was read.
    pub(crate) resident_then: Option<i64>,
    /// What it used of its limits when all of its files were read.
    pub(crate) limits: Arc<LimitUses>,
    pub(crate) records: Records,
    /// What this reading brought; none where it is as it was.
    pub(crate) news: Option<Box<News>>,
    pub(crate) reported: Reported,
}

/// What a reading brought of a process.
#[derive(Debug)]
pub(crate) struct News {
    /// As it was; none of one that is new.
    pub(crate) before: Option<ProcessRow>,
    /// The row to report; its counters are increases.
    pub(crate) row: ProcessRow,
}

/// What the rows of the reading before had of a process.
#[derive(Debug, Default)]
pub(crate) enum Reported {
    /// Nothing.
    #[default]
    Nothing,
    /// That it did nothing, in that row.
    Unchanged(usize),
    /// This, in that row.
    Row(usize, Box<ProcessRow>),
}

/// What is read of a process again and again.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) stat: RecordSlot,
    pub(crate) io: RecordSlot,
    /// Reading in which it was last seen to have run.
    pub(crate) ran: u64,
}

impl KnownProcess {
    /// As a pass over all processes told it; `old` is what was known of it.
    pub(crate) fn read(pid: i64, whole: Whole, old: Option<KnownProcess>) -> KnownProcess {
        let Whole { row, limits } = whole;
        let (start_ms, resident_then) = (row.start_ms, row.resident_bytes);
        let has_woken = limits.is_none() && old.as_ref().is_none_or(|old| old.has_woken);
        let (records, reported, before, known_limits) = match old {
            Some(old) => (old.records, old.reported, Some(*old.row), old.limits),
            None => (Records::default(), Reported::Nothing, None, Arc::default()),
        };
        let limits = limits.unwrap_or(known_limits);
        let changed = before.as_ref() != Some(&row);
        let news = changed.then(|| {
            let row = row.since(before.as_ref());
            Box::new(News { before, row })
        });
        let is_asleep = is_asleep(&row);
        let row = Box::new(row);
        KnownProcess {
            pid,
            start_ms,
            is_asleep,
            has_woken,
            row,
            resident_then,
            limits,
            records,
            news,
            reported,
        }
    }

    /// Its row where it has rested since all of its files were read, with what can change meanwhile as `stat`
    /// tells it: others give a process its parent, its nice value and its last tick of CPU time. None where
    /// its files may say something new.
    pub(crate) fn rest(&self, stat: &TaskStat, ticks_per_s: f64, page_bytes: i64) -> Option<Rest<'_>> {
        let resident = stat.resident_pages.unwrap_or(0) * page_bytes;
        let same = !self.has_woken
            && self.is_asleep
            && self.row.name.as_deref() == Some(stat.name.as_str())
            && self.row.resident_bytes.unwrap_or(0).abs_diff(resident) < MOVED_BYTES as u64;
        let mut row = same.then(|| (*self.row).clone())?;
        take_stat(&mut row, stat, ticks_per_s);
        Some(Rest { row, limits: &self.limits })
    }

    /// Its row where it did nothing.
    pub(crate) fn still(&self) -> ProcessRow {
        still(&self.row)
    }

    pub(crate) fn update(&mut self, stat: &TaskStat, io: TaskIo, ticks_per_s: f64, page_bytes: i64) {
        let row = &mut self.row;
        take_stat(row, stat, ticks_per_s);
        row.resident_bytes = stat.resident_pages.map(|pages| pages * page_bytes);
        row.virtual_bytes = stat.virtual_bytes;
        row.read_bytes = io.read_bytes;
        row.write_bytes = io.write_bytes;
        row.cancelled_write_bytes = io.cancelled_write_bytes;
        row.read_chars = io.read_chars;
        row.write_chars = io.write_chars;
        row.read_calls = io.read_calls;
        row.write_calls = io.write_calls;
        self.is_asleep = is_asleep(row);
    }

    pub(crate) fn has_moved(&self) -> bool {
        let (now, then) = (self.row.resident_bytes.unwrap_or(0), self.resident_then.unwrap_or(0));
        now.abs_diff(then) >= MOVED_BYTES as u64
    }

    pub(crate) fn take_status(&mut self, status: Option<TaskStatus>) {
        let Some(status) = status else { return };
        self.resident_then = self.row.resident_bytes;
        self.row.uid = status.uid;
        self.row.anon_bytes = status.anon_bytes;
        self.row.swap_bytes = status.swap_bytes;
    }
}

/// What `stat` tells, but sizes of memory.
fn take_stat(row: &mut ProcessRow, stat: &TaskStat, ticks_per_s: f64) {
    let seconds = |ticks: Option<i64>| ticks.map(|ticks| ticks as f64 / ticks_per_s);
    let is_state = |state: &&char| row.state.as_deref().is_none_or(|had| !had.starts_with(**state));
    if let Some(state) = stat.state.as_ref().filter(is_state) {
        row.state = Some(state.to_string().into());
    }
    row.parent_pid = stat.parent_pid;
    row.nice = stat.nice;
    row.threads = stat.threads;
    row.user_s = seconds(stat.user_ticks);
    row.system_s = seconds(stat.system_ticks);
    row.minor_faults = stat.minor_faults;
    row.major_faults = stat.major_faults;
    row.child_minor_faults = stat.child_minor_faults;
}

fn is_asleep(row: &ProcessRow) -> bool {
    matches!(row.state.as_deref(), Some("S" | "I"))
}

/// The row of who did nothing, from its totals.
pub(crate) fn still(totals: &ProcessRow) -> ProcessRow {
    totals.since(Some(totals))
}
