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

use heldup_hostfs::{BootTime, Host, monotonic_ns, most_open_files};
use heldup_model::tables::{ProcessRow, UserLimitRow};
use heldup_model::{Class, Record, RowSet, TableDef, increase_of};

use crate::proc_pid::{ProcPid, RecordSlot, TaskIo};
use crate::proc_pid_stat::TaskStat;
use crate::proc_pid_status::TaskStatus;
use crate::source::{Cadence, Pace, Reading, Source};

/// Everybody is read anew after this long.
const WHOLE_NS: u64 = Duration::from_secs(60).as_nanos() as u64;
/// `status` is read again when resident memory has moved by this much; the kernel itself counts in
/// batches of 64 pages a thread (fs/proc/task_mmu.c, `SPLIT_RSS_COUNTING`, per-CPU since 6.2).
const MOVED_BYTES: i64 = 1 << 20;

/// Who runs twice within so many readings has its files kept open, and closed again when it has not run
/// for so many: to open and close them takes longer than to read them.
const OFTEN_READINGS: u64 = 3;
const SELDOM_READINGS: u64 = 30;
/// Files that are left to everybody else, and the most processes whose two files are kept; each file takes
/// 4 kB in the kernel.
const FILES_OF_OTHERS: u64 = 512;
const MOST_KEPT: u64 = 512;

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
#[derive(Debug)]
struct Known {
    /// Its counters are totals.
    row: ProcessRow,
    /// Resident memory when `status` was read.
    resident_then: Option<i64>,
    records: Records,
}

/// What is read of a process again and again.
#[derive(Debug, Default)]
struct Records {
    stat: RecordSlot,
    io: RecordSlot,
    /// Reading in which it was last seen to have run.
    ran: u64,
}

/// The source.
#[derive(Debug, Default)]
pub struct ProcessBook {
    files: ProcPid,
    ran: RanProcesses,
    known: BTreeMap<i64, Known>,
    whole_ns: Option<u64>,
    /// Number of this reading.
    reading: u64,
    /// Processes whose files may be kept open, and those whose are.
    most_kept: u64,
    kept: u64,
}

impl ProcessBook {
    /// A book that is told through `ran` who ran.
    pub fn new(ran: RanProcesses) -> ProcessBook {
        let files = most_open_files().unwrap_or(u64::MAX);
        let most_kept = (files.saturating_sub(FILES_OF_OTHERS) / 2).min(MOST_KEPT);
        ProcessBook { ran, most_kept, ..ProcessBook::default() }
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
                rows.push(increase(old.as_ref().map(|old| Totals::of(&old.row)), &row));
            }
            let records = old.map(|old| old.records).unwrap_or_default();
            self.known.insert(pid, Known { resident_then: row.resident_bytes, row, records });
        }
        reading
    }

    /// Who ran, by what changes; all of who is new.
    fn read_changed(&mut self, host: &Host, boot: BootTime, ran: Option<Ran>, rows: &mut Vec<ProcessRow>) {
        let Some(ran) = ran.or_else(|| everybody(host)) else { return };
        let Ran { alive, ran, .. } = ran;
        // The ledger has no zombies: they go with the next reading of all.
        self.known.retain(|pid, known| alive.contains_key(pid) || known.row.state.as_deref() == Some("Z"));
        self.close_idle();
        let mut told = BTreeSet::new();
        for (&pid, &start_ms) in &alive {
            let another = |known: &Known| start_ms.is_some() && known.row.start_ms != start_ms;
            let is_new = self.known.get(&pid).is_none_or(another);
            if !is_new && !ran.contains(&pid) {
                continue;
            }
            if let Some(row) = self.read_one(host, boot, pid) {
                told.insert(pid);
                rows.push(row);
            }
        }
        let still = self.known.iter().filter(|(pid, _)| !told.contains(pid));
        rows.extend(still.map(|(_, known)| increase(Some(Totals::of(&known.row)), &known.row)));
        rows.sort_by_key(|row| row.pid);
    }

    /// One that ran, by what changes, or is new, by everything; none when it has ended meanwhile.
    fn read_one(&mut self, host: &Host, boot: BootTime, pid: i64) -> Option<ProcessRow> {
        let mut records = self.records_of(pid);
        let stat = self.files.stat_of(host, pid, &mut records.stat)?;
        let start_ms = Some(boot.start_ms_of_ticks(stat.start_ticks));
        let same = |known: &&mut Known| {
            known.row.start_ms == start_ms && known.row.name.as_deref() == Some(stat.name.as_str())
        };
        let Some(known) = self.known.get_mut(&pid).filter(same) else {
            let row = self.files.one(host, &stat, boot)?;
            let old = self.known.remove(&pid).filter(|old| old.row.start_ms == row.start_ms);
            let told = increase(old.map(|old| Totals::of(&old.row)), &row);
            self.known.insert(pid, Known { resident_then: row.resident_bytes, row, records });
            return Some(told);
        };
        let io = self.files.io_of(host, pid, &mut records.io);
        known.records = records;
        let before = Totals::of(&known.row);
        let units = host.units();
        known.update(&stat, io, units.ticks_per_s as f64, units.page_bytes as i64);
        if known.has_moved() {
            let status = self.files.status_of(host, &stat);
            known.take_status(status);
        }
        Some(increase(Some(before), &known.row))
    }

    /// Takes the files of one that ran out of the book, to be kept open where it runs often.
    fn records_of(&mut self, pid: i64) -> Records {
        let mut records =
            self.known.get_mut(&pid).map(|known| std::mem::take(&mut known.records)).unwrap_or_default();
        let often = records.ran > 0 && self.reading - records.ran <= OFTEN_READINGS;
        if often && matches!(records.stat, RecordSlot::Closed) && self.kept < self.most_kept {
            (records.stat, records.io) = (RecordSlot::Wanted, RecordSlot::Wanted);
            self.kept += 1;
        }
        records.ran = self.reading;
        records
    }

    /// Closes the files of those that do not run any more, and counts the others'.
    fn close_idle(&mut self) {
        self.kept = 0;
        for records in self.known.values_mut().map(|known| &mut known.records) {
            if self.reading - records.ran > SELDOM_READINGS {
                (records.stat, records.io) = (RecordSlot::Closed, RecordSlot::Closed);
            }
            self.kept += u64::from(!matches!(records.stat, RecordSlot::Closed));
        }
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
        self.reading += 1;
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

/// The counters of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    user_s: Option<f64>,
    system_s: Option<f64>,
    minor_faults: Option<i64>,
    major_faults: Option<i64>,
    read_bytes: Option<i64>,
    write_bytes: Option<i64>,
    cancelled_write_bytes: Option<i64>,
    read_chars: Option<i64>,
    write_chars: Option<i64>,
    read_calls: Option<i64>,
    write_calls: Option<i64>,
}

impl Totals {
    /// Of one that began at nothing.
    const NONE: Totals = Totals {
        user_s: Some(0.0),
        system_s: Some(0.0),
        minor_faults: Some(0),
        major_faults: Some(0),
        read_bytes: Some(0),
        write_bytes: Some(0),
        cancelled_write_bytes: Some(0),
        read_chars: Some(0),
        write_chars: Some(0),
        read_calls: Some(0),
        write_calls: Some(0),
    };

    fn of(row: &ProcessRow) -> Totals {
        Totals {
            user_s: row.user_s,
            system_s: row.system_s,
            minor_faults: row.minor_faults,
            major_faults: row.major_faults,
            read_bytes: row.read_bytes,
            write_bytes: row.write_bytes,
            cancelled_write_bytes: row.cancelled_write_bytes,
            read_chars: row.read_chars,
            write_chars: row.write_chars,
            read_calls: row.read_calls,
            write_calls: row.write_calls,
        }
    }
}

/// The row with increases in the place of totals. One that was not there before began at nothing.
fn increase(before: Option<Totals>, now: &ProcessRow) -> ProcessRow {
    let before = before.unwrap_or(Totals::NONE);
    let float = |now: Option<f64>, before: Option<f64>| {
        now.zip(before).map(|(now, base)| increase_of(now, base)).filter(|increase| *increase >= 0.0)
    };
    let int = |now: Option<i64>, before: Option<i64>| {
        now.zip(before).and_then(|(now, base)| now.checked_sub(base)).filter(|increase| *increase >= 0)
    };
    ProcessRow {
        user_s: float(now.user_s, before.user_s),
        system_s: float(now.system_s, before.system_s),
        minor_faults: int(now.minor_faults, before.minor_faults),
        major_faults: int(now.major_faults, before.major_faults),
        read_bytes: int(now.read_bytes, before.read_bytes),
        write_bytes: int(now.write_bytes, before.write_bytes),
        cancelled_write_bytes: int(now.cancelled_write_bytes, before.cancelled_write_bytes),
        read_chars: int(now.read_chars, before.read_chars),
        write_chars: int(now.write_chars, before.write_chars),
        read_calls: int(now.read_calls, before.read_calls),
        write_calls: int(now.write_calls, before.write_calls),
        ..now.clone()
    }
}

#[cfg(test)]
mod tests {
    use heldup_hostfs::cpu_time_ns;
    use heldup_model::ColumnKind;
    use heldup_model::tables::TaskTimeRow;

    use super::*;

    #[test]
    fn increases_of_ticks_are_ticks() {
        let used = |user_s| ProcessRow { user_s: Some(user_s), ..ProcessRow::default() };
        assert_eq!(increase(Some(Totals::of(&used(0.22))), &used(0.23)).user_s, Some(0.01));
        assert_eq!(increase(None, &used(5.23)).user_s, Some(5.23));
        assert_eq!(
            increase(Some(Totals::of(&used(0.23))), &used(0.22)).user_s,
            None,
            "a counter does not run backwards"
        );
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
        let same = RowSet::increases([increase(Some(Totals::of(&now)), &now)]);
        for column in counters {
            let ints = same.ints(column.name).first().copied().flatten().map(|value| value as f64);
            let value = ints.or(same.floats(column.name).first().copied().flatten());
            assert_eq!(value, Some(0.0), "{}", column.name);
        }
        assert_eq!(increase(None, &now).read_calls, Some(5), "born since");
        let backwards = ProcessRow { read_calls: Some(9), ..now.clone() };
        assert_eq!(increase(Some(Totals::of(&backwards)), &now).read_calls, None);
        let unread = ProcessRow { read_calls: None, ..now.clone() };
        assert_eq!(increase(Some(Totals::of(&unread)), &now).read_calls, None, "not known is not nothing");
    }

    #[test]
    fn this_process_is_there_with_what_it_used() {
        let host = Host::live();
        let mut book = ProcessBook::default();
        let first = book.read(&host);
        assert!(first.rows.iter().all(|rows| rows.def.name != "process"), "the first is the base");
        let pid = i64::from(std::process::id());
        let until = cpu_time_ns() + 60_000_000;
        while cpu_time_ns() < until {}
        let alive = book.known.keys().map(|pid| (*pid, None)).collect();
        book.ran.set(Some(Ran { alive, ran: BTreeSet::from([pid]), tasks: 0 }));
        let rows = book.read(&host).rows.remove(0);
        let at = rows.ints("pid").iter().position(|of| *of == Some(pid)).expect("this process");
        let used = rows.floats("user_s")[at].zip(rows.floats("system_s")[at]).map(|(u, s)| u + s);
        assert!(used.is_some_and(|used| used >= 0.02), "{used:?}");
        let idle = rows.ints("pid").iter().position(|of| *of == Some(1)).expect("the first process");
        assert_eq!(rows.floats("user_s")[idle], Some(0.0));
        assert_eq!(rows.len, book.known.len());
        // Nobody is known to live: nobody is told but zombies, of which the ledger does not know.
        book.ran.set(Some(Ran::default()));
        let none = book.read(&host).rows.remove(0);
        assert!(none.texts("state").iter().all(|state| state.as_deref() == Some("Z")), "{none:?}");
    }

    #[test]
    fn files_are_open_of_who_runs_often() {
        let host = Host::live();
        let mut book = ProcessBook::new(RanProcesses::default());
        book.read(&host);
        let pid = i64::from(std::process::id());
        let mut read = |ran: &[i64]| {
            let alive = BTreeMap::from([(pid, None)]);
            book.ran.set(Some(Ran { alive, ran: ran.iter().copied().collect(), tasks: 0 }));
            let rows = book.read(&host).rows.remove(0);
            let at = rows.ints("pid").iter().position(|of| *of == Some(pid)).expect("this process");
            assert!(rows.floats("user_s")[at].is_some() && rows.ints("read_calls")[at].is_some());
            let records = &book.known[&pid].records;
            (
                matches!(records.stat, RecordSlot::Open(_)),
                matches!(records.io, RecordSlot::Open(_)),
                book.kept,
            )
        };
        assert_eq!(read(&[pid]), (false, false, 0), "once is not often");
        assert_eq!(read(&[pid]), (true, true, 1));
        assert_eq!(read(&[pid]), (true, true, 1));
        for _ in 0..SELDOM_READINGS {
            assert_eq!(read(&[]), (true, true, 1));
        }
        assert_eq!(read(&[]), (false, false, 0));
    }
}
