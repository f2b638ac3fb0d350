//! Processes for a recorder: every one at every sample (tables `process` and `user_limit`), without
//! reading the ten files of each.
//!
//! Who has not been on a CPU since the sample before has used nothing and done nothing, and the
//! ledger knows who has, and who of them ran for a moment without a fault, I/O or a change of its
//! memory's size. So two small files are read of who did something, `status` as well where its memory
//! moved, all of who is new or has called exec, and once a minute all of everybody who was on a CPU since
//! all was read, which finds what else can change (a user id, open files). Who was not, cannot have changed that
//! by itself; what others can do to it meanwhile is found in `stat`, or every ten minutes, when all is read of
//! everybody (a control group, a limit). Where there is no ledger, everybody counts as having run.

use std::time::Duration;

use heldup_hostfs::{BootTime, Host, monotonic_ns, most_open_files};
use heldup_model::tables::{ProcessRow, UserLimitRow};
use heldup_model::{Form, Record, RowChanges, RowSet, TableDef};

use crate::known_process::{KnownProcess, News, Records, Reported, still};
use crate::proc_pid::{ProcPid, RecordSlot, Whole, seen};
use crate::ran_processes::{Ran, RanProcesses};
use crate::source::{ReadContext, Reading, Schedule, Source};

/// Everybody is read anew after this long, who has rested by one file.
const WHOLE_NS: u64 = Duration::from_secs(60).as_nanos() as u64;
/// One of so many of these readings is by all files of everybody.
const WHOLE_READINGS: u64 = 10;

/// Who runs twice within so many readings has its files kept open, and closed again when it has not run
/// for so many: to open and close them takes longer than to read them.
const OFTEN_READINGS: u64 = 3;
const SELDOM_READINGS: u64 = 30;
/// Files that are left to everybody else, and the most processes whose two files are kept; each file takes
/// 4 kB in the kernel.
const FILES_OF_OTHERS: u64 = 512;
const MOST_KEPT: u64 = 512;

/// The source.
#[derive(Debug, Default)]
pub struct ProcessTable {
    files: ProcPid,
    ran: RanProcesses,
    /// By number.
    known: Vec<KnownProcess>,
    /// Rows that the reading before reported.
    reported_rows: usize,
    /// Those of them that it reported whole, on top of the reading before that.
    reported_whole: usize,
    whole_ns: Option<u64>,
    /// Readings of everybody so far.
    wholes: u64,
    /// Number of this reading.
    reading: u64,
    /// Processes whose files may be kept open, and those whose are.
    most_kept: u64,
    kept: u64,
}

impl ProcessTable {
    /// Name of the source.
    pub const NAME: &str = "process_table";

    /// One that learns through `ran` who ran.
    pub fn new(ran: RanProcesses) -> ProcessTable {
        let files = most_open_files().unwrap_or(u64::MAX);
        let most_kept = (files.saturating_sub(FILES_OF_OTHERS) / 2).min(MOST_KEPT);
        ProcessTable { ran, most_kept, ..ProcessTable::default() }
    }

    /// Everybody, by all files of who may have changed; nobody where they cannot be listed.
    fn read_all(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let (known, units) = (&self.known, host.units());
        let (ticks_per_s, page_bytes) = (units.ticks_per_s as f64, units.page_bytes as i64);
        let reads_all = self.wholes.is_multiple_of(WHOLE_READINGS);
        let (all, reading) = self.files.all(host, |stat, boot| {
            let at = known.binary_search_by_key(&stat.id, |known| known.pid).ok().filter(|_| !reads_all)?;
            let is_it = known[at].start_ms == Some(boot.start_ms_of_ticks(stat.start_ticks));
            known[at].rest(stat, ticks_per_s, page_bytes).filter(|_| is_it)
        });
        self.wholes += 1;
        let mut all = all.unwrap_or_default();
        context.namespaces.note(all.iter().filter_map(|whole| seen(&whole.row)).collect());
        all.retain(|whole| whole.row.pid.is_some());
        all.sort_by_key(|whole| whole.row.pid);
        let mut before = std::mem::take(&mut self.known).into_iter().peekable();
        for whole in all {
            let pid = whole.row.pid.unwrap_or_default();
            while before.next_if(|old| old.pid < pid).is_some() {}
            let old = before.next_if(|old| old.pid == pid);
            let old = old.filter(|old| old.start_ms == whole.row.start_ms);
            self.known.push(KnownProcess::read(pid, whole, old));
        }
        reading
    }

    /// Notes who was on a CPU; everybody where that is not known.
    fn note_woken(&mut self, ran: Option<&Ran>) {
        let mut woken = ran.map(|ran| ran.woke.iter().peekable());
        for known in &mut self.known {
            known.has_woken |= woken.as_mut().is_none_or(|woken| {
                while woken.next_if(|pid| **pid < known.pid).is_some() {}
                woken.peek() == Some(&&known.pid)
            });
        }
    }

    /// Who ran, by what changes; all of who is new.
    fn read_changed(&mut self, context: &ReadContext, boot: BootTime, ran: &Ran) {
        let alive = &ran.alive;
        context.namespaces.note_alive(alive.iter().map(|(pid, _)| *pid));
        let mut at = 0;
        // The ledger has no zombies: they go with the next reading of all.
        self.known.retain(|known| {
            while alive.get(at).is_some_and(|(pid, _)| *pid < known.pid) {
                at += 1;
            }
            let lives = alive.get(at).is_some_and(|(pid, _)| *pid == known.pid);
            lives || known.row.state.as_deref() == Some("Z")
        });
        self.close_idle();
        for pid in self.due(ran) {
            self.read_one(context.host, boot, pid);
        }
    }

    /// Who is to be read: who ran, and who is new.
    fn due(&self, ran: &Ran) -> Vec<i64> {
        let mut known = self.known.iter().peekable();
        let mut on_cpu = ran.ran.iter().peekable();
        let is_due = |(pid, start_ms): &&(i64, Option<i64>)| {
            while known.next_if(|known| known.pid < *pid).is_some() {}
            while on_cpu.next_if(|ran| *ran < pid).is_some() {}
            // Who was not met asleep is looked at again until it is.
            let same = |known: &&KnownProcess| {
                let is_it = known.pid == *pid && (start_ms.is_none() || known.start_ms == *start_ms);
                is_it && known.is_asleep
            };
            !known.peek().is_some_and(same) || on_cpu.peek() == Some(&pid)
        };
        ran.alive.iter().filter(is_due).map(|(pid, _)| *pid).collect()
    }

    /// One that ran, by what changes, or is new, by everything; nothing when it has ended meanwhile.
    fn read_one(&mut self, host: &Host, boot: BootTime, pid: i64) -> Option<()> {
        let place = self.known.binary_search_by_key(&pid, |known| known.pid);
        let mut records = self.records_of(place.ok());
        let stat = self.files.stat_of(host, pid, &mut records.stat)?;
        let start_ms = Some(boot.start_ms_of_ticks(stat.start_ticks));
        let same = |known: &&mut KnownProcess| {
            known.row.start_ms == start_ms && known.row.name.as_deref() == Some(stat.name.as_str())
        };
        let known = place.ok().and_then(|at| self.known.get_mut(at));
        let Some(known) = known.filter(same) else {
            let row = self.files.one(host, &stat, boot)?;
            let old = place.ok().map(|at| self.known.remove(at));
            let old = old.filter(|old| old.row.start_ms == row.start_ms);
            let known = KnownProcess { records, ..KnownProcess::read(pid, Whole { row, limits: None }, old) };
            let (Ok(at) | Err(at)) = place;
            self.known.insert(at, known);
            return Some(());
        };
        let io = self.files.io_of(host, pid, &mut records.io);
        known.records = records;
        let before = (*known.row).clone();
        let units = host.units();
        known.update(&stat, io, units.ticks_per_s as f64, units.page_bytes as i64);
        if known.has_moved() {
            let status = self.files.status_of(host, &stat);
            known.take_status(status);
        }
        if before != *known.row {
            let row = known.row.since(Some(&before));
            known.news = Some(Box::new(News { before: Some(before), row }));
        }
        Some(())
    }

    /// Takes the files of one that ran out of the table, to be kept open where it runs often.
    fn records_of(&mut self, place: Option<usize>) -> Records {
        let known = place.and_then(|at| self.known.get_mut(at));
        let mut records = known.map(|known| std::mem::take(&mut known.records)).unwrap_or_default();
        let often = records.ran > 0 && self.reading - records.ran <= OFTEN_READINGS;
        if often && matches!(records.stat, RecordSlot::Closed) && self.kept < self.most_kept {
            (records.stat, records.io) = (RecordSlot::Wanted, RecordSlot::Wanted);
            self.kept += 1;
        }
        records.ran = self.reading;
        records
    }

    /// The rows of this reading, whole.
    fn rows(&mut self) -> RowSet {
        let mut set = RowSet::empty(ProcessRow::DEF, Form::Increases);
        set.reserve(self.known.len());
        for (at, known) in self.known.iter_mut().enumerate() {
            let news = known.news.take();
            match news {
                Some(news) => {
                    known.reported = Reported::Row(at, Box::new(news.row.clone()));
                    news.row.push_to(&mut set.cells);
                }
                None => {
                    known.reported = Reported::Unchanged(at);
                    known.still().push_to(&mut set.cells);
                }
            }
        }
        set.len = self.known.len();
        self.reported_rows = set.len;
        set
    }

    /// The rows of this reading, by what changed.
    fn changes(&mut self) -> RowChanges {
        let mut changes =
            RowChanges::new(ProcessRow::DEF, self.reported_rows).with_room_of(self.reported_whole);
        for at in 0..self.known.len() {
            let known = &mut self.known[at];
            let news = known.news.take();
            let reported = std::mem::take(&mut known.reported);
            let is_still = news.is_none();
            match (reported, news) {
                (Reported::Unchanged(row), None) => changes.same(row),
                (Reported::Row(row, old), None) => changes.changed(row, *old, known.still()),
                (Reported::Row(row, old), Some(news)) => {
                    changes.changed(row, *old, news.row.clone());
                    known.reported = Reported::Row(at, Box::new(news.row));
                }
                (Reported::Unchanged(row), Some(news)) => {
                    let old = news.before.as_ref().map_or_else(ProcessRow::default, still);
                    changes.changed(row, old, news.row.clone());
                    known.reported = Reported::Row(at, Box::new(news.row));
                }
                (Reported::Nothing, news) => {
                    let row = news.map_or_else(|| known.still(), |news| news.row);
                    known.reported = Reported::Row(at, Box::new(row.clone()));
                    self.report_above(at, &mut changes);
                    changes.new_row(row);
                    continue;
                }
            }
            if is_still {
                known.reported = Reported::Unchanged(at);
            }
        }
        (self.reported_rows, self.reported_whole) = (changes.len, changes.now.len);
        changes
    }

    /// Reports the row above a new one whole, which that one is described from.
    fn report_above(&self, at: usize, changes: &mut RowChanges) {
        let above = at.checked_sub(1).and_then(|above| self.known.get(above));
        if let Some(above) = above.filter(|_| changes.lacks_row_above())
            && let Some(row) = changes.take_back()
        {
            changes.changed(row, above.still(), above.still());
        }
    }

    /// Closes the files of those that do not run any more, and counts the others'.
    fn close_idle(&mut self) {
        self.kept = 0;
        for records in self.known.iter_mut().map(|known| &mut known.records) {
            if self.reading - records.ran > SELDOM_READINGS {
                (records.stat, records.io) = (RecordSlot::Closed, RecordSlot::Closed);
            }
            self.kept += u64::from(!matches!(records.stat, RecordSlot::Closed));
        }
    }
}

impl Source for ProcessTable {
    fn name(&self) -> &'static str {
        ProcessTable::NAME
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[ProcessRow::DEF, UserLimitRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::every_sample()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let (ran, now_ns) = (self.ran.take(), monotonic_ns());
        self.reading += 1;
        let changes = ran.as_ref().is_some_and(|ran| ran.changes);
        let is_base = self.whole_ns.is_none();
        let is_whole = self.whole_ns.is_none_or(|last| now_ns.saturating_sub(last) >= WHOLE_NS);
        let mut reading = Reading::default();
        self.note_woken(ran.as_ref());
        match host.boot_time() {
            Ok(boot) if !is_whole => {
                let Some(ran) = ran.or_else(|| everybody(host)) else { return reading };
                self.read_changed(context, boot, &ran);
            }
            _ => reading = self.read_all(context),
        }
        if is_whole {
            self.whole_ns = Some(now_ns);
        }
        match (is_base, changes) {
            // What they have done by then is the base, and no news.
            (true, _) => self.known.iter_mut().for_each(|known| known.news = None),
            (false, true) => reading.changes.push(self.changes()),
            (false, false) => reading.rows.insert(0, self.rows()),
        }
        reading
    }
}

/// Whom /proc lists, as if all had run.
fn everybody(host: &Host) -> Option<Ran> {
    let pids = host.list_numbers("/proc").ok()?;
    let mut alive: Vec<(i64, Option<i64>)> = pids.iter().map(|pid| (*pid, None)).collect();
    alive.sort_unstable();
    let woke = alive.iter().map(|(pid, _)| *pid).collect();
    Some(Ran { alive, ran: pids.into_iter().collect(), woke, ..Ran::default() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use heldup_hostfs::cpu_time_ns;
    use heldup_model::Step;

    use super::*;
    use crate::namespaces::Namespaces;

    #[test]
    fn this_process_is_there_with_what_it_used() {
        let (host, namespaces) = (Host::live(), Namespaces::for_recorder());
        let context = ReadContext::new(&host, &namespaces);
        let mut table = ProcessTable::default();
        let first = table.read(&context);
        assert!(first.rows.iter().all(|rows| rows.def.name != "process"), "the first is the base");
        let pid = i64::from(std::process::id());
        let until = cpu_time_ns() + 60_000_000;
        while cpu_time_ns() < until {}
        let alive = table.known.iter().map(|known| (known.pid, None)).collect();
        table.ran.set(Some(Ran { alive, ran: BTreeSet::from([pid]), ..Ran::default() }));
        let rows = table.read(&context).rows.remove(0);
        let at = rows.ints("pid").iter().position(|of| *of == Some(pid)).expect("this process");
        let used = rows.floats("user_s")[at].zip(rows.floats("system_s")[at]).map(|(u, s)| u + s);
        assert!(used.is_some_and(|used| used >= 0.02), "{used:?}");
        let idle = rows.ints("pid").iter().position(|of| *of == Some(1)).expect("the first process");
        assert_eq!(rows.floats("user_s")[idle], Some(0.0));
        assert_eq!(rows.len, table.known.len());
        // Nobody is known to live: nobody is told but zombies, of which the ledger does not know.
        table.ran.set(Some(Ran::default()));
        let none = table.read(&context).rows.remove(0);
        assert!(none.texts("state").iter().all(|state| state.as_deref() == Some("Z")), "{none:?}");
    }

    /// The rows of a table that has been read and not reported yet.
    fn to_report(table: &ProcessTable) -> RowSet {
        let row =
            |known: &KnownProcess| known.news.as_ref().map_or_else(|| known.still(), |news| news.row.clone());
        RowSet::increases(table.known.iter().map(row))
    }

    #[test]
    fn rows_told_by_what_changed_are_the_rows() {
        let (host, namespaces) = (Host::live(), Namespaces::for_recorder());
        let context = ReadContext::new(&host, &namespaces);
        let mut table = ProcessTable::default();
        table.read(&context);
        let boot = host.boot_time().expect("when it booted");
        table.read_all(&context);
        let mut before = to_report(&table);
        assert_eq!(table.rows().cells, before.cells);
        let pid = i64::from(std::process::id());
        let mut child = None;
        let (mut same, mut new) = (0, 0);
        for number in 0..8 {
            if number == 2 {
                child = std::process::Command::new("sleep").arg("60").spawn().ok();
            }
            if let Some(mut ends) = child.take_if(|_| number == 5) {
                ends.kill().expect("killed");
                ends.wait().expect("ended");
            }
            let until = cpu_time_ns() + if number % 2 == 0 { 30_000_000 } else { 0 };
            while cpu_time_ns() < until {}
            // Who runs at every other reading rests in between; at the sixth everybody is read.
            let ran: BTreeSet<i64> = [pid, 1].into_iter().filter(|_| number % 2 == 0).collect();
            let all = everybody(&host).expect("a list");
            match number {
                6 => drop(table.read_all(&context)),
                _ => table.read_changed(&context, boot, &Ran { ran, ..all }),
            }
            let rows = to_report(&table);
            let changes = table.changes();
            let told = changes.on(&before).expect("on the rows before");
            assert_eq!(told.cells, rows.cells, "reading {number}");
            same += changes.steps.iter().filter(|step| matches!(step, Step::Same { .. })).count();
            new += changes.steps.iter().filter(|step| matches!(step, Step::New)).count();
            before = rows;
        }
        assert!(same > 0 && new > 0, "{same} runs of rows as they were, {new} new ones");
    }

    #[test]
    fn who_has_rested_is_read_by_one_file() {
        let (host, namespaces) = (Host::live(), Namespaces::for_recorder());
        let context = ReadContext::new(&host, &namespaces);
        let mut table = ProcessTable::default();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        let pid = i64::from(child.id());
        let is_asleep = || {
            let stat = host.read_text(format!("/proc/{pid}/stat")).expect("it sleeps");
            stat.contains("(sleep) S ")
        };
        while !is_asleep() {}
        table.read(&context);
        let told =
            table.known.iter().find(|known| known.pid == pid).and_then(|known| known.row.oom_score_adj);
        assert!(told.is_some_and(|told| told <= 1000), "{told:?}");
        // What only other files than `stat` say: known again shows that they were not read.
        let at =
            |table: &ProcessTable| table.known.binary_search_by_key(&pid, |known| known.pid).expect("it");
        let read = |table: &mut ProcessTable, woke: Vec<i64>| {
            let place = at(table);
            table.known[place].row.oom_score_adj = Some(1001);
            table.note_woken(Some(&Ran { woke, ..Ran::default() }));
            let limits = table.read_all(&context).rows.remove(0);
            let files = limits.ints("pid").iter().zip(limits.texts("limit_name"));
            let has_files =
                files.clone().any(|(of, name)| *of == Some(pid) && name.as_deref() == Some("open_files"));
            assert!(has_files, "its limits are told either way");
            table.known[at(table)].row.oom_score_adj
        };
        assert_eq!(read(&mut table, vec![]), Some(1001));
        let renice = std::process::Command::new("renice").args(["-n", "5", "-p", &pid.to_string()]).output();
        assert!(renice.expect("renice").status.success());
        assert_eq!(read(&mut table, vec![1]), Some(1001));
        assert_eq!(table.known[at(&table)].row.nice, Some(5), "others may change it");
        assert_eq!(read(&mut table, vec![pid]), told, "it was on a CPU");
        for _ in table.wholes..WHOLE_READINGS {
            assert_eq!(read(&mut table, vec![]), Some(1001));
        }
        assert_eq!(read(&mut table, vec![]), told, "everybody is read by all files now and then");
        child.kill().expect("killed");
        child.wait().expect("ended");
    }

    #[test]
    fn files_are_open_of_who_runs_often() {
        let (host, namespaces) = (Host::live(), Namespaces::for_recorder());
        let context = ReadContext::new(&host, &namespaces);
        let mut table = ProcessTable::new(RanProcesses::default());
        table.read(&context);
        let pid = i64::from(std::process::id());
        let mut read = |ran: &[i64]| {
            let ran = ran.iter().copied().collect();
            table.ran.set(Some(Ran { alive: vec![(pid, None)], ran, ..Ran::default() }));
            let rows = table.read(&context).rows.remove(0);
            let at = rows.ints("pid").iter().position(|of| *of == Some(pid)).expect("this process");
            assert!(rows.floats("user_s")[at].is_some() && rows.ints("read_calls")[at].is_some());
            let place = table.known.binary_search_by_key(&pid, |known| known.pid).expect("this process");
            let records = &table.known[place].records;
            (
                matches!(records.stat, RecordSlot::Open(_)),
                matches!(records.io, RecordSlot::Open(_)),
                table.kept,
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
