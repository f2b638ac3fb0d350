//! Processes for a recorder: every one at every sample (tables `process` and `user_limit`), without
//! reading the ten files of each.
//!
//! Who has not been on a CPU since the sample before has used nothing and done nothing, and the
//! ledger knows who has. So two small files are read of who ran, `status` as well where its
//! memory moved, all of who is new or has called exec, and all of everybody once a minute, which
//! finds what else can change (a user id, a control group). Where there is no ledger, everybody
//! counts as having run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use heldup_hostfs::{BootTime, Host, KernelUnits, monotonic_ns};
use heldup_model::tables::{ProcessRow, UserLimitRow};
use heldup_model::{Class, Record, RowSet, TableDef, increase_of};

use crate::proc_pid::{ProcPid, TaskIo};
use crate::proc_pid_stat::TaskStat;
use crate::proc_pid_status::TaskStatus;
use crate::source::{Cadence, Pace, Reading, Source};

/// Everybody is read anew after this long.
const WHOLE_NS: u64 = Duration::from_secs(60).as_nanos() as u64;
/// `status` is read again when resident memory has moved by this much; the kernel itself counts in
/// batches of 64 pages a thread (fs/proc/task_mmu.c, `SPLIT_RSS_COUNTING`, per-CPU since 6.2).
const MOVED_BYTES: i64 = 1 << 20;

/// Who lives, and who of them ran since the reading before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Processes with their starts where these are known, milliseconds UTC.
    pub alive: BTreeMap<i64, Option<i64>>,
    /// Those that were on a CPU.
    pub ran: BTreeSet<i64>,
    /// Number of tasks.
    pub tasks: usize,
}

impl Ran {
    /// From the rows of `task_time` of an interval.
    pub fn of(task_time: &RowSet) -> Ran {
        let mut ran = Ran::default();
        let on_cpu = [Class::User.name(), Class::Kernel.name()];
        let columns = (task_time.ints("pid"), task_time.ints("tid"), task_time.ints("start_ms"));
        let (classes, exited) = (task_time.texts("class_name"), task_time.bools("exited"));
        let mut last = None;
        for row in 0..task_time.len {
            let (Some(pid), Some(tid)) = (columns.0[row], columns.1[row]) else { continue };
            if exited[row] != Some(true) {
                ran.tasks += usize::from(last.replace(tid) != Some(tid));
                let start = ran.alive.entry(pid).or_default();
                if pid == tid {
                    *start = columns.2[row];
                }
            }
            if classes[row].as_deref().is_some_and(|class| on_cpu.contains(&class)) {
                ran.ran.insert(pid);
            }
        }
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

/// Where the ledger's reader leaves for the book who ran.
#[derive(Clone, Debug, Default)]
pub struct RanProcesses(Arc<Mutex<Option<Ran>>>);

impl RanProcesses {
    /// For the next reading of the book.
    pub fn set(&self, ran: Option<Ran>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = ran;
    }

    pub(crate) fn take(&self) -> Option<Ran> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A process as it was read last.
#[derive(Clone, Debug)]
struct Known {
    /// Its counters are totals.
    row: ProcessRow,
    /// Resident memory when `status` was read.
    resident_then: Option<i64>,
}

/// The source.
#[derive(Debug, Default)]
pub struct ProcessBook {
    files: ProcPid,
    ran: RanProcesses,
    known: BTreeMap<i64, Known>,
    whole_ns: Option<u64>,
    /// Asked for once: the answer is in a file.
    units: Option<KernelUnits>,
}

impl ProcessBook {
    /// A book that is told through `ran` who ran.
    pub fn new(ran: RanProcesses) -> ProcessBook {
        ProcessBook { ran, ..ProcessBook::default() }
    }

    /// Everybody, by all files; increases of those that were known.
    fn read_all(&mut self, host: &Host, rows: &mut Vec<ProcessRow>) -> Reading {
        let is_base = self.whole_ns.is_none();
        let (all, reading) = self.files.all(host);
        let Some(all) = all else { return reading };
        let mut before: HashMap<i64, Known> = std::mem::take(&mut self.known).into_iter().collect();
        for row in all {
            let Some(pid) = row.pid else { continue };
            let old = before.remove(&pid).filter(|old| old.row.start_ms == row.start_ms);
            if !is_base {
                rows.push(increase(old.as_ref().map(|old| &old.row), &row));
            }
            self.known.insert(pid, Known { resident_then: row.resident_bytes, row });
        }
        reading
    }

    /// Who ran, by what changes; all of who is new.
    fn read_changed(&mut self, host: &Host, boot: BootTime, ran: Option<Ran>, rows: &mut Vec<ProcessRow>) {
        let Some(ran) = ran.or_else(|| everybody(host)) else { return };
        let Ran { alive, ran, .. } = ran;
        // The ledger has no zombies: they go with the next reading of all.
        self.known.retain(|pid, known| alive.contains_key(pid) || known.row.state.as_deref() == Some("Z"));
        let units = *self.units.get_or_insert_with(|| host.units());
        let (ticks_per_s, page_bytes) = (units.ticks_per_s as f64, units.page_bytes as i64);
        for (&pid, &start_ms) in &alive {
            let another = |known: &Known| start_ms.is_some() && known.row.start_ms != start_ms;
            let is_new = self.known.get(&pid).is_none_or(another);
            if !is_new && !ran.contains(&pid) {
                continue;
            }
            let Some(stat) = self.files.stat_of(host, pid) else { continue };
            let start_ms = Some(boot.start_ms_of_ticks(stat.start_ticks));
            let same = |known: &&mut Known| {
                known.row.start_ms == start_ms && known.row.name.as_deref() == Some(stat.name.as_str())
            };
            let Some(known) = self.known.get_mut(&pid).filter(same) else {
                let Some(row) = self.files.one(host, &stat, boot) else { continue };
                let old = self.known.remove(&pid).filter(|old| old.row.start_ms == row.start_ms);
                rows.push(increase(old.as_ref().map(|old| &old.row), &row));
                self.known.insert(pid, Known { resident_then: row.resident_bytes, row });
                continue;
            };
            let io = self.files.io_of(host, pid);
            let before = known.row.clone();
            known.update(&stat, io, ticks_per_s, page_bytes);
            if known.has_moved() {
                let status = self.files.status_of(host, &stat);
                known.take_status(status);
            }
            rows.push(increase(Some(&before), &known.row));
        }
        let told: BTreeSet<i64> = rows.iter().filter_map(|row| row.pid).collect();
        let still = self.known.iter().filter(|(pid, _)| !told.contains(pid));
        rows.extend(still.map(|(_, known)| increase(Some(&known.row), &known.row)));
        rows.sort_by_key(|row| row.pid);
    }
}

impl Source for ProcessBook {
    fn name(&self) -> &'static str {
        "process_book"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[ProcessRow::DEF, UserLimitRow::DEF]
    }

    fn cadence(&self) -> Cadence {
        Cadence::EverySample
    }

    fn pace(&self) -> Pace {
        Pace::EverySample
    }

    fn read(&mut self, host: &Host) -> Reading {
        let (ran, now_ns) = (self.ran.take(), monotonic_ns());
        let mut rows = Vec::with_capacity(self.known.len());
        let is_base = self.whole_ns.is_none();
        let is_whole = self.whole_ns.is_none_or(|last| now_ns.saturating_sub(last) >= WHOLE_NS);
        let mut reading = match host.boot_time() {
            Ok(boot) if !is_whole => {
                self.read_changed(host, boot, ran, &mut rows);
                Reading::default()
            }
            _ => self.read_all(host, &mut rows),
        };
        if is_whole {
            self.whole_ns = Some(now_ns);
        }
        if !is_base {
            reading.rows.insert(0, RowSet::increases(rows));
        }
        reading
    }
}

impl Known {
    fn update(&mut self, stat: &TaskStat, io: TaskIo, ticks_per_s: f64, page_bytes: i64) {
        let row = &mut self.row;
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
        row.resident_bytes = stat.resident_pages.map(|pages| pages * page_bytes);
        row.virtual_bytes = stat.virtual_bytes;
        row.read_bytes = io.read_bytes;
        row.write_bytes = io.write_bytes;
        row.cancelled_write_bytes = io.cancelled_write_bytes;
        row.read_chars = io.read_chars;
        row.write_chars = io.write_chars;
        row.read_calls = io.read_calls;
        row.write_calls = io.write_calls;
    }

    fn has_moved(&self) -> bool {
        let (now, then) = (self.row.resident_bytes.unwrap_or(0), self.resident_then.unwrap_or(0));
        now.abs_diff(then) >= MOVED_BYTES as u64
    }

    fn take_status(&mut self, status: Option<TaskStatus>) {
        let Some(status) = status else { return };
        self.resident_then = self.row.resident_bytes;
        self.row.uid = status.uid;
        self.row.anon_bytes = status.anon_bytes;
        self.row.swap_bytes = status.swap_bytes;
    }
}

/// Whom /proc lists, as if all had run.
fn everybody(host: &Host) -> Option<Ran> {
    let pids = host.list_numbers("/proc").ok()?;
    let alive = pids.iter().map(|pid| (*pid, None)).collect();
    Some(Ran { alive, ran: pids.into_iter().collect(), tasks: 0 })
}

/// The row with increases in the place of totals. One that was not there before began at nothing.
fn increase(before: Option<&ProcessRow>, now: &ProcessRow) -> ProcessRow {
    let float = |of: fn(&ProcessRow) -> Option<f64>| {
        let base = before.map_or(Some(0.0), of);
        of(now).zip(base).map(|(now, base)| increase_of(now, base)).filter(|increase| *increase >= 0.0)
    };
    let int = |of: fn(&ProcessRow) -> Option<i64>| {
        let base = before.map_or(Some(0), of);
        of(now).zip(base).and_then(|(now, base)| now.checked_sub(base)).filter(|increase| *increase >= 0)
    };
    ProcessRow {
        user_s: float(|row| row.user_s),
        system_s: float(|row| row.system_s),
        minor_faults: int(|row| row.minor_faults),
        major_faults: int(|row| row.major_faults),
        read_bytes: int(|row| row.read_bytes),
        write_bytes: int(|row| row.write_bytes),
        cancelled_write_bytes: int(|row| row.cancelled_write_bytes),
        read_chars: int(|row| row.read_chars),
        write_chars: int(|row| row.write_chars),
        read_calls: int(|row| row.read_calls),
        write_calls: int(|row| row.write_calls),
        ..now.clone()
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::ColumnKind;
    use heldup_model::tables::TaskTimeRow;

    use super::*;

    #[test]
    fn increases_of_ticks_are_ticks() {
        let used = |user_s| ProcessRow { user_s: Some(user_s), ..ProcessRow::default() };
        assert_eq!(increase(Some(&used(0.22)), &used(0.23)).user_s, Some(0.01));
        assert_eq!(increase(None, &used(5.23)).user_s, Some(5.23));
        assert_eq!(increase(Some(&used(0.23)), &used(0.22)).user_s, None, "a counter does not run backwards");
    }

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
        assert_eq!(ran.alive, BTreeMap::from([(1, Some(1000)), (2, Some(2000))]));
        assert_eq!(ran.ran, BTreeSet::from([2, 4]));
        assert_eq!(ran.tasks, 3);
    }

    /// A column that is added to the table and forgotten here would be recorded as totals.
    #[test]
    fn every_counter_becomes_an_increase() {
        let now = ProcessRow {
            user_s: Some(5.0),
            system_s: Some(5.0),
            minor_faults: Some(5),
            major_faults: Some(5),
            read_bytes: Some(5),
            write_bytes: Some(5),
            cancelled_write_bytes: Some(5),
            read_chars: Some(5),
            write_chars: Some(5),
            read_calls: Some(5),
            write_calls: Some(5),
            ..ProcessRow::default()
        };
        let counters = ProcessRow::DEF.columns.iter().filter(|column| column.kind == ColumnKind::Counter);
        let same = RowSet::increases([increase(Some(&now), &now)]);
        for column in counters {
            let ints = same.ints(column.name).first().copied().flatten().map(|value| value as f64);
            let value = ints.or(same.floats(column.name).first().copied().flatten());
            assert_eq!(value, Some(0.0), "{}", column.name);
        }
        assert_eq!(increase(None, &now).read_calls, Some(5), "born since");
        let backwards = ProcessRow { read_calls: Some(9), ..now.clone() };
        assert_eq!(increase(Some(&backwards), &now).read_calls, None);
        let unread = ProcessRow { read_calls: None, ..now.clone() };
        assert_eq!(increase(Some(&unread), &now).read_calls, None, "not known is not nothing");
    }

    #[test]
    fn this_process_is_there_with_what_it_used() {
        let host = Host::live();
        let mut book = ProcessBook::default();
        let first = book.read(&host);
        assert!(first.rows.iter().all(|rows| rows.def.name != "process"), "the first is the base");
        let pid = i64::from(std::process::id());
        let until = monotonic_ns() + 60_000_000;
        while monotonic_ns() < until {}
        let alive = book.known.keys().map(|pid| (*pid, None)).collect();
        book.ran.set(Some(Ran { alive, ran: BTreeSet::from([pid]), tasks: 0 }));
        let rows = book.read(&host).rows.remove(0);
        let at = rows.ints("pid").iter().position(|of| *of == Some(pid)).expect("this process");
        let used = rows.floats("user_s")[at].zip(rows.floats("system_s")[at]).map(|(u, s)| u + s);
        assert!(used.is_some_and(|used| used >= 0.02), "{used:?}");
        let idle = rows.ints("pid").iter().position(|of| *of == Some(1)).expect("the first process");
        assert_eq!(rows.floats("user_s")[idle], Some(0.0));
        assert_eq!(rows.len, book.known.len());
        // Nobody is known to live: nobody is told.
        book.ran.set(Some(Ran::default()));
        let none = book.read(&host).rows.remove(0);
        assert!(none.len < 3, "{}", none.len);
    }
}
