//! All accounts between two readings: who is known, what each interval's evidence is,
//! and how much of the time was seen as it happened.
//!
//! The kernel describes a task once and then tells what has changed; here it is whole again.

use std::collections::HashMap;

use heldup_hostfs::{BootTime, Host, realtime_ms};
use heldup_model::{Class, RowSet};

use super::account::{Account, Interval, TaskId, TaskMap};
use super::cgroup::{Groups, Trees};
use super::kind::{FUTEX_PARK, LATE, STOPPED};
use super::late::LateBook;
use super::object::ObjectNames;
use super::object_rows::ObjectTimes;
use super::process_io::ProcessIo;
use super::record::{Brief, Header, Io, KindTime, Record, Told, each_header};
use super::roll::Roll;
use super::rows::{Label, Rows, Words};
use super::runtime::Runtimes;
use super::sheet::{ClassTime, HadRows, RowOwner, Sheet, times_of};
use super::stack_rows::{self, TaskLabel};
use crate::error::ProbeError;

/// The user half's state.
pub(crate) struct Books {
    accounts: Roll<Known>,
    /// Of each place of the accounts, what is needed of who does nothing.
    quick: Vec<Quick>,
    /// Whether rows are told by what changed at times, which takes a note of what was told.
    follows: bool,
    /// Counts readings, so that tasks that are gone can be told.
    reading: u32,
    /// When the first reading began; tasks born later count from their birth.
    based_ns: Option<u64>,
    /// When this reading began, and the one before.
    began_ns: u64,
    before_ns: u64,
    /// Whether the last reading was taken to its end.
    is_whole: bool,
    /// Processes that were on a CPU, and did something there.
    ran: Vec<i64>,
    /// Processes that were on a CPU at all.
    woke: Vec<i64>,
    /// Classes of the task at hand; kept for their room.
    times: Vec<ClassTime>,
    /// Processes whose first thread has got another name in this reading.
    renamed: HashMap<u32, [u8; 16]>,
    desk: Desk,
    /// What processes read and wrote in this reading.
    io: ProcessIo,
    /// Tasks that are known and were told in this reading.
    seen: usize,
    pub(crate) torn: u64,
}

/// All that a record is looked up in, beside the accounts.
struct Desk {
    host: Host,
    boot: BootTime,
    groups: Groups,
    /// None where all controllers have one tree.
    trees: Option<Trees>,
    runtimes: Runtimes,
    words: Words,
    /// Whether a command is examined, to which tasks belong or not.
    with_command: bool,
    late: LateBook,
    /// Tasks that late records name.
    labels: TaskMap<TaskLabel>,
    objects: ObjectNames,
    object_times: ObjectTimes,
    elapsed_ns: u64,
    repaired_ns: u64,
}

struct Known {
    account: Account,
    /// As it was last told.
    header: Header,
    label: Label,
    had: HadRows,
    deeds: Deeds,
}

/// What a task had done when its process was last said to have run; nothing where that is not known.
#[derive(Clone, Copy, Debug, Default)]
struct Deeds {
    sum: Option<u64>,
    on_cpu_ns: u64,
}

/// Time on a CPU from which a process is said to have run in any case: a tenth of what the kernel
/// shows of it.
const SHOWN_NS: u64 = 1_000_000;

/// What is known of a task that goes on waiting: little, and apart from the rest, since it is gone
/// through at every reading.
#[derive(Clone, Copy, Debug)]
struct Quick {
    /// The reading in which it was last told.
    reading: u32,
    tid: u32,
    pid: u32,
    /// The class that its wait goes on in, where it takes no more to tell its row. What else is known
    /// of it is then as it was at the last reading in which that was not so.
    still: Option<Class>,
    /// Its only row in the last reading.
    row: usize,
    start_ms: i64,
}

/// What a reading begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning {
    /// When.
    pub(crate) now_ns: u64,
    /// Late records that the BPF half has made.
    pub(crate) late_recorded: u64,
}

/// Who lives, and who was on a CPU between two readings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhoRan {
    /// Processes by number, with their starts where these are known, milliseconds UTC.
    pub alive: Vec<(i64, Option<i64>)>,
    /// Those that were on a CPU, by number; also of those that have ended. Left out is who ran for less than a
    /// millisecond since it was named last, and had no fault, did no I/O and has as much memory.
    pub ran: Vec<i64>,
    /// Those that were on a CPU at all, by number; also of those that have ended.
    pub woke: Vec<i64>,
    /// Number of tasks.
    pub tasks: usize,
}

impl Books {
    pub(crate) fn new(
        host: &Host,
        processes: &Host,
        own_pid: u32,
        boot: BootTime,
        (groups, trees): (Groups, Option<Trees>),
        late: LateBook,
        with_command: bool,
    ) -> Books {
        Books {
            accounts: Roll::default(),
            quick: Vec::new(),
            follows: false,
            reading: 0,
            based_ns: None,
            began_ns: 0,
            before_ns: 0,
            is_whole: true,
            ran: Vec::new(),
            woke: Vec::new(),
            times: Vec::new(),
            renamed: HashMap::new(),
            desk: Desk {
                host: host.clone(),
                boot,
                groups,
                trees,
                runtimes: Runtimes::new(processes),
                words: Words::new(),
                with_command,
                late,
                labels: TaskMap::default(),
                objects: ObjectNames::new(host, processes, own_pid),
                object_times: ObjectTimes::default(),
                elapsed_ns: 0,
                repaired_ns: 0,
            },
            io: ProcessIo::default(),
            seen: 0,
            torn: 0,
        }
    }

    /// Whether there was no reading yet.
    pub(crate) fn are_empty(&self) -> bool {
        self.reading == 0
    }

    /// Notes from now on what was told, so that rows can be told by what changed.
    pub(crate) fn follow(&mut self) {
        self.follows = true;
    }

    /// Begins a reading: takes the late records and learns the stacks of open waits in `tasks`.
    ///
    /// The first reading is the base, which has no intervals.
    pub(crate) fn begin(
        &mut self,
        beginning: Beginning,
        tasks: &[u8],
        rows: &mut Rows,
    ) -> Result<(), ProbeError> {
        let Beginning { now_ns, late_recorded } = beginning;
        if !std::mem::replace(&mut self.is_whole, false) {
            self.wake_all();
        }
        self.reading += 1;
        self.seen = 0;
        self.accounts.rewind();
        self.renamed.clear();
        self.ran.clear();
        self.woke.clear();
        self.before_ns = self.began_ns;
        rows.task_time.set_still(now_ns.saturating_sub(self.before_ns));
        self.desk.groups.next_reading();
        self.desk.trees.iter_mut().for_each(Trees::next_reading);
        self.desk.runtimes.next_reading();
        self.based_ns.get_or_insert(now_ns);
        self.began_ns = now_ns;
        self.desk.late.begin(!self.is_base(), late_recorded)?;
        let mut hashes = Vec::new();
        each_header(tasks, |header| hashes.extend((header.open_stack != 0).then_some(header.open_stack)));
        self.desk.late.learn(hashes.into_iter());
        Ok(())
    }

    fn is_base(&self) -> bool {
        self.reading == 1
    }

    /// Takes one task's record and adds its rows.
    pub(crate) fn take(&mut self, told: &Told, times: &[KindTime], rows: &mut Rows) {
        match told {
            Told::Whole(header) => self.take_whole(header, times, rows),
            Told::Brief(brief) => self.take_brief(told.id(), brief, times, rows),
            Told::Still(still) => self.take_still(told.id(), still.now, rows),
        }
    }

    /// Takes a task that the kernel has described before and that has moved.
    fn take_brief(&mut self, id: TaskId, brief: &Brief, times: &[KindTime], rows: &mut Rows) {
        // One that is not known was described in a reading that failed: the next whole one has it.
        let Some(place) = self.accounts.place(id) else { return };
        self.wake(place);
        self.see(place);
        let Some(known) = self.accounts.at_mut(place) else { return };
        let renamed = brief.comm != known.header.comm;
        let did = brief.io.since(&known.header.io);
        known.header.tell(brief);
        if renamed {
            known.label.name = self.desk.words.name(&brief.comm);
            known.had.times.clear();
            if brief.tid == known.header.tgid {
                self.renamed.insert(brief.tid, brief.comm);
            }
        }
        known.rename_process(&self.renamed, &mut self.desk.words);
        did.iter().for_each(|did| self.io.add(&known.header, &known.label, did));
        self.woke.push(known.header.tgid.into());
        if renamed || known.acted(brief) {
            self.ran.push(known.header.tgid.into());
        }
        let interval = self.desk.book(known, times, false, self.reading > 1);
        self.tell(place, &interval, rows);
    }

    /// Takes a task that waits on, as was seen at `seen_ns`.
    ///
    /// It waited when the reading began too, and is booked up to then: the intervals of all that
    /// wait are of one length, which an archive keeps once. Up to when each was met, a hundred
    /// sleepers took 290 bytes a second for how far apart the iterator meets them.
    fn take_still(&mut self, id: TaskId, seen_ns: u64, rows: &mut Rows) {
        let Some(place) = self.accounts.place(id) else { return };
        if let Some(class) = self.quick[place].still.filter(|_| self.may_go_on(id, rows)) {
            self.see(place);
            self.desk.elapsed_ns += self.began_ns.saturating_sub(self.before_ns);
            let row = std::mem::replace(&mut self.quick[place].row, rows.task_time.len());
            return rows.task_time.same_but(row, place, class);
        }
        self.wake(place);
        self.see(place);
        let Some(known) = self.accounts.at_mut(place) else { return };
        let more = known.header.wait_on(self.began_ns.min(seen_ns));
        let kind = known.header.open_kind;
        let (ns, waits) = known.account.of_kind(kind);
        let time = KindTime { ns: ns + more, waits, kind: kind.into() };
        known.rename_process(&self.renamed, &mut self.desk.words);
        let interval = self.desk.book(known, &[time], true, self.reading > 1);
        let is_final = usize::from(kind) >= LATE
            && (kind != FUTEX_PARK || self.desk.runtimes.has_looked_at(&known.header))
            && known.header.now == self.began_ns;
        self.tell(place, &interval, rows);
        if let [ClassTime { class, waits: 0, .. }] = self.times[..] {
            self.quick[place].still = Some(class).filter(|_| self.follows && is_final);
        }
    }

    /// Whether who waits on may be told without a look at what is known of it.
    fn may_go_on(&self, id: TaskId, rows: &Rows) -> bool {
        matches!(rows.task_time, Sheet::Changes { .. })
            && self.renamed.is_empty()
            && !self.desk.late.speaks_of(id)
    }

    fn take_whole(&mut self, header: &Header, times: &[KindTime], rows: &mut Rows) {
        let id = header.id();
        let ended = header.dead != 0;
        let place = self.accounts.place(id);
        if let Some(place) = place {
            self.wake(place);
        }
        if header.torn != 0 {
            // The next reading covers this interval too.
            self.torn += 1;
            if let Some(place) = place {
                self.see(place);
                self.forget_rows(place);
            }
            return;
        }
        if !ended {
            let group = self.desk.groups.name(&self.desk.host, header.cgroup);
            rows.thread(&mut self.desk.words, self.desk.boot, header, &group);
        }
        let label = self.desk.label(header);
        if ended && header.tid == header.tgid && !self.is_base() {
            self.desk.note_end(header, &label, rows);
        }
        let born_after_base = !self.is_base() && self.based_ns.is_some_and(|base| header.start_ns > base);
        if place.is_none() && !born_after_base {
            // The base, or a task that was hidden: nothing to compare with.
            if !ended {
                self.desk.late.carry(header);
                let account = Account::read(&Record { header, times, one_kind: false });
                let place = self.place_of_new(header, account, label);
                self.see(place);
            }
            return;
        }
        let born = || Account::born(header.start_ns);
        let is_new = place.is_none();
        let place = place.unwrap_or_else(|| self.place_of_new(header, born(), label.clone()));
        self.see(place);
        let Some(known) = self.accounts.at_mut(place) else { return };
        let io_before = if is_new { Io::default() } else { known.header.io };
        let did = header.io.since(&io_before);
        did.iter().for_each(|did| self.io.add(header, &label, did));
        if known.label != label || known.header.is_kernel_thread() != header.is_kernel_thread() {
            known.had.times.clear();
        }
        (known.header, known.label) = (*header, label);
        known.deeds = Deeds { sum: None, on_cpu_ns: header.on_cpu };
        if header.on_cpu > known.account.on_cpu() {
            self.ran.push(header.tgid.into());
            self.woke.push(header.tgid.into());
        }
        let interval = self.desk.book(known, times, false, self.reading > 1);
        self.tell(place, &interval, rows);
        if ended {
            self.accounts.remove(id);
            self.quick[place].reading = 0;
            self.seen -= 1;
        }
    }

    /// A place for a task that was not known.
    fn place_of_new(&mut self, header: &Header, account: Account, label: Label) -> usize {
        let deeds = Deeds { sum: None, on_cpu_ns: header.on_cpu };
        let known = Known { account, header: *header, label, had: HadRows::default(), deeds };
        let place = self.accounts.place_or_insert_with(header.id(), || known);
        let start_ms = self.desk.boot.start_ms_of_ns(header.start_boot_ns);
        let quick = Quick { reading: 0, tid: header.tid, pid: header.tgid, still: None, row: 0, start_ms };
        if place == self.quick.len() {
            self.quick.push(quick);
        } else {
            self.quick[place] = quick;
        }
        place
    }

    /// Notes that the task was told in this reading.
    fn see(&mut self, place: usize) {
        let reading = std::mem::replace(&mut self.quick[place].reading, self.reading);
        self.seen += usize::from(reading != self.reading);
    }

    /// Brings what is known of a task up to the reading before, where it was told without a look at that.
    fn wake(&mut self, place: usize) {
        self.wake_up_to(place, self.before_ns);
    }

    fn wake_up_to(&mut self, place: usize, until_ns: u64) {
        if self.quick[place].still.take().is_none() {
            return;
        }
        let row = self.quick[place].row;
        if let Some(known) = self.accounts.at_mut(place) {
            let more = known.header.wait_on(until_ns);
            known.account.wait_on(known.header.open_kind, more);
            known.had.first = row;
        }
    }

    /// After a reading that was not taken to its end: who was not told in it waits since the one before.
    fn wake_all(&mut self) {
        for place in 0..self.accounts.places() {
            let told = self.quick[place].reading == self.reading;
            self.wake_up_to(place, if told { self.began_ns } else { self.before_ns });
            self.forget_rows(place);
        }
    }

    /// The rows of a task have no place in the reading before.
    fn forget_rows(&mut self, place: usize) {
        self.accounts.at_mut(place).into_iter().for_each(|known| known.had.times.clear());
    }

    /// Tells the rows of a task whose interval is known.
    fn tell(&mut self, place: usize, interval: &Interval, rows: &mut Rows) {
        let Some(known) = self.accounts.at(place) else { return };
        times_of(interval, &mut self.times);
        let sheet = &mut rows.task_time;
        if let Some((above, class)) = sheet.row_above(&known.had, &self.times) {
            let above = self.accounts.at(above);
            above.into_iter().for_each(|above| sheet.tell_above(&self.desk.owner(above), class));
        }
        let first = sheet.len();
        sheet.tell(&self.desk.owner(known), place, &known.had, &self.times);
        if self.follows
            && let Some(known) = self.accounts.at_mut(place)
        {
            self.quick[place].row = first;
            known.had.first = first;
            known.had.times.clone_from(&self.times);
        }
    }

    /// Who lives and who ran, as of the last reading; nobody where rows are not followed.
    pub(crate) fn who_ran(&mut self) -> WhoRan {
        if !self.follows {
            return WhoRan::default();
        }
        let reading = self.reading;
        let (ran, woke) = (std::mem::take(&mut self.ran), std::mem::take(&mut self.woke));
        let mut who = WhoRan { ran, woke, ..WhoRan::default() };
        for quick in self.quick.iter().filter(|quick| quick.reading == reading) {
            who.tasks += 1;
            let start_ms = (quick.tid == quick.pid).then_some(quick.start_ms);
            // Threads of a process follow its first as a rule.
            if who.alive.last().is_none_or(|(last, start)| *last != i64::from(quick.pid) || start.is_none()) {
                who.alive.push((quick.pid.into(), start_ms));
            }
        }
        who.alive.sort_unstable_by_key(|(pid, start_ms)| (*pid, start_ms.is_none()));
        who.alive.dedup_by_key(|(pid, _)| *pid);
        for pids in [&mut who.ran, &mut who.woke] {
            pids.sort_unstable();
            pids.dedup();
        }
        who
    }

    /// Late records of the window as rows of `stack`.
    pub(crate) fn stacks(&mut self) -> RowSet {
        let Desk { late, labels, objects, words, .. } = &mut self.desk;
        stack_rows::rows(late, labels, objects, words)
    }

    /// What processes waited for since the reading before, as rows of `object_time`.
    pub(crate) fn object_times(&mut self) -> Option<RowSet> {
        let Desk { late, labels, objects, object_times, words, .. } = &mut self.desk;
        object_times.rows(realtime_ms(), late, labels, objects, words)
    }

    /// Time that user tasks were held up since the window began, as far as stacks tell.
    pub(crate) fn held_up_ns(&self) -> u64 {
        self.desk.late.held_up_ns()
    }

    /// Another window begins at the last reading; accounts and what is known of tasks stay.
    pub(crate) fn next_window(&mut self) {
        let desk = &mut self.desk;
        desk.late.next_window();
        desk.labels.clear();
        desk.objects.next_window();
        desk.words.next_window();
        (desk.elapsed_ns, desk.repaired_ns) = (0, 0);
    }

    /// Late records that were left out because there were too many.
    pub(crate) fn late_dropped(&self) -> u64 {
        self.desk.late.dropped
    }

    /// Ends a reading: tells what processes did, and forgets tasks that neither the iterator nor an end showed.
    pub(crate) fn finish(&mut self, rows: &mut Rows) {
        rows.process_io = self.io.take(self.desk.boot);
        let reading = self.reading;
        for (object, pid) in self.desk.late.new_objects() {
            self.desk.objects.note(&object, pid);
        }
        if self.seen < self.accounts.len() {
            let quick = &self.quick;
            self.accounts.retain(|place| quick[place].reading == reading);
        }
        self.is_whole = true;
    }

    /// Share of all tasks' time since the window began that was seen as it happened.
    pub(crate) fn coverage(&self) -> f64 {
        match self.desk.elapsed_ns {
            0 => 1.0,
            elapsed => 1.0 - self.desk.repaired_ns as f64 / elapsed as f64,
        }
    }
}

impl Desk {
    fn label(&mut self, header: &Header) -> Label {
        Label {
            name: self.words.name(&header.comm),
            process: self.words.name(&header.process),
            group: self.groups.name(&self.host, header.cgroup),
        }
    }

    /// The groups of a process whose first thread ended.
    fn note_end(&mut self, header: &Header, label: &Label, rows: &mut Rows) {
        let groups = self.trees.as_mut().and_then(|trees| trees.of_ended(&self.host, header));
        if let Some(groups) = groups {
            rows.ended_process(self.boot, header, label, groups);
        }
    }

    fn owner<'a>(&'a self, known: &'a Known) -> RowOwner<'a> {
        let (words, boot, header) = (&self.words, self.boot, &known.header);
        let in_command = self.with_command.then_some(header.in_command != 0);
        RowOwner { words, boot, header, label: &known.label, in_command }
    }

    /// The interval from the last reading of a task to the one that its header is of by now.
    /// `one_kind`: `times` has the kind of the open wait only.
    fn book(&mut self, known: &mut Known, times: &[KindTime], one_kind: bool, keep: bool) -> Interval {
        let header = &known.header;
        self.late.note_waker(header.tid, || known.label.name.clone());
        let evidence = self.late.evidence(header, keep);
        let parked = times.iter().find(|time| time.kind == u32::from(FUTEX_PARK));
        // A record of a task that waits on tells the kind of that wait only.
        let parked_ns = parked.map_or_else(|| known.account.of_kind(FUTEX_PARK).0, |time| time.ns);
        known.account.park = self.runtimes.park_class(header, parked_ns);
        let interval = known.account.advance(&Record { header, times, one_kind }, &evidence);
        self.elapsed_ns += interval.elapsed_ns;
        self.repaired_ns += interval.repaired_ns.min(interval.elapsed_ns);
        if !evidence.is_empty() || self.late.has_open(header) {
            self.labels.insert(header.id(), TaskLabel::of(&known.label, header));
        }
        interval
    }
}

impl Known {
    /// Whether the task has done something since it was said to that its process's files tell, or is
    /// in another state than asleep. Of the other tasks of a process their sum would have to be known.
    fn acted(&mut self, brief: &Brief) -> bool {
        let sleeps = brief.on == 0 && (LATE as u8..STOPPED).contains(&brief.open_kind);
        let acted = !sleeps
            || self.deeds.sum != Some(brief.deeds)
            || brief.on_cpu.saturating_sub(self.deeds.on_cpu_ns) >= SHOWN_NS
            || brief.tid != self.header.tgid;
        if acted {
            self.deeds = Deeds { sum: Some(brief.deeds), on_cpu_ns: brief.on_cpu };
        }
        acted
    }

    /// A process is called by its first thread, which may have got another name in this reading.
    fn rename_process(&mut self, renamed: &HashMap<u32, [u8; 16]>, words: &mut Words) {
        if renamed.is_empty() {
            return;
        }
        if let Some(process) = renamed.get(&self.header.tgid) {
            self.header.process = *process;
            self.label.process = words.name(process);
            self.had.times.clear();
        }
    }
}

impl Header {
    /// What is new of a task that has moved. In place: most of a header stays, and copying it
    /// to and fro is much of what a task costs at a reading.
    fn tell(&mut self, brief: &Brief) {
        self.now = brief.now;
        self.on_cpu = brief.on_cpu;
        self.repaired = brief.repaired;
        self.utime_ns = brief.utime_ns;
        self.stime_ns = brief.stime_ns;
        self.io = brief.io;
        self.on = brief.on;
        self.called = brief.called;
        self.comm = brief.comm;
        self.open_kind = brief.open_kind;
        self.open_ns = brief.open_ns;
        (self.open_stack, self.open_gathered) = (0, 0);
    }

    /// What is new of a task that waits on until `until_ns`; nanoseconds since it was told before.
    fn wait_on(&mut self, until_ns: u64) -> u64 {
        let more = until_ns.saturating_sub(self.now);
        self.now += more;
        self.open_ns += more;
        if self.open_gathered > 0 {
            self.open_gathered += more;
        }
        more
    }
}
