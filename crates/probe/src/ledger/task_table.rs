//! The tasks and their accounts between two readings: who is known, what each interval's evidence is,
//! and how much of the time was seen as it happened.
//!
//! The kernel describes a task once and then reports what has changed; here it is whole again.

use heldup_hostfs::Host;
use heldup_model::{Class, RowSet};

use super::account::{Account, Interval, TaskId};
use super::kind::{FUTEX_PARK, LATE};
use super::labeller::Labeller;
use super::late::LateBook;
use super::process_io::ProcessIo;
use super::record::{Brief, Header, Io, KindTime, Record, Told, each_header};
use super::roll::Roll;
use super::rows::{Label, Rows};
use super::run_tracker::{Activity, RunTracker, WhoRan};
use super::runtime::Runtimes;
use super::sheet::{ClassTime, HadRows, Sheet, times_of};
use crate::error::ProbeError;

/// All tasks that are known.
pub(crate) struct TaskTable {
    accounts: Roll<Known>,
    /// Of each place of the accounts, what is needed of who does nothing.
    quick: Vec<Quick>,
    /// Whether rows are sometimes given as changes, which needs a note of what was given.
    follows: bool,
    /// Counts readings, so that tasks that are gone are recognised.
    reading: u32,
    /// When the first reading began; tasks born later count from their birth.
    based_ns: Option<u64>,
    /// When this reading began, and the one before.
    began_ns: u64,
    before_ns: u64,
    /// Whether the last reading was taken to its end.
    is_whole: bool,
    runs: RunTracker,
    /// Classes of the task at hand; kept for their room.
    times: Vec<ClassTime>,
    intervals: Intervals,
    labeller: Labeller,
    /// What processes read and wrote in this reading.
    io: ProcessIo,
    /// Tasks that are known and were reported in this reading.
    seen: usize,
    pub(crate) torn: u64,
}

/// Makes intervals of what is reported of tasks.
struct Intervals {
    late: LateBook,
    runtimes: Runtimes,
    /// Time of all intervals since the window began, and what of it was not seen as it happened.
    elapsed_ns: u64,
    repaired_ns: u64,
}

struct Known {
    account: Account,
    /// As it was last reported.
    header: Header,
    label: Label,
    had: HadRows,
    activity: Activity,
}

/// What is known of a task that goes on waiting: little, and apart from the rest, since it is gone
/// through at every reading.
#[derive(Clone, Copy, Debug)]
struct Quick {
    /// The reading in which it was last reported.
    reading: u32,
    tid: u32,
    pid: u32,
    /// The class that its wait goes on in, where it takes no more to report its row. What else is known
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

impl TaskTable {
    /// `processes` has the files of processes under the numbers that the kernel half reports.
    pub(crate) fn new(processes: &Host, late: LateBook, labeller: Labeller) -> TaskTable {
        TaskTable {
            accounts: Roll::default(),
            quick: Vec::new(),
            follows: false,
            reading: 0,
            based_ns: None,
            began_ns: 0,
            before_ns: 0,
            is_whole: true,
            runs: RunTracker::default(),
            times: Vec::new(),
            intervals: Intervals { late, runtimes: Runtimes::new(processes), elapsed_ns: 0, repaired_ns: 0 },
            labeller,
            io: ProcessIo::default(),
            seen: 0,
            torn: 0,
        }
    }

    /// Whether there was no reading yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.reading == 0
    }

    /// Notes from now on what was reported, so that rows can be given as changes.
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
        self.runs.next_reading();
        self.before_ns = self.began_ns;
        rows.task_time.set_still(now_ns.saturating_sub(self.before_ns));
        self.labeller.next_reading();
        self.intervals.runtimes.next_reading();
        self.based_ns.get_or_insert(now_ns);
        self.began_ns = now_ns;
        self.intervals.late.begin(!self.is_base(), late_recorded)?;
        let mut hashes = Vec::new();
        each_header(tasks, |header| hashes.extend((header.open_stack != 0).then_some(header.open_stack)));
        self.intervals.late.learn(hashes.into_iter());
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
            self.labeller.rename(&known.header, &mut known.label);
            known.had.times.clear();
        }
        known.rename_process(&mut self.labeller);
        did.iter().for_each(|did| self.io.add(&known.header, &known.label, did));
        self.runs.note_woken(known.header.tgid);
        if renamed || known.activity.acted(brief, known.header.tgid) {
            self.runs.note_ran(known.header.tgid);
        }
        let interval = self.intervals.book(known, times, false, self.reading > 1, &mut self.labeller);
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
            self.intervals.elapsed_ns += self.began_ns.saturating_sub(self.before_ns);
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
        known.rename_process(&mut self.labeller);
        let interval = self.intervals.book(known, &[time], true, self.reading > 1, &mut self.labeller);
        let is_final = usize::from(kind) >= LATE
            && (kind != FUTEX_PARK || self.intervals.runtimes.has_looked_at(&known.header))
            && known.header.now == self.began_ns;
        self.tell(place, &interval, rows);
        if let [ClassTime { class, waits: 0, .. }] = self.times[..] {
            self.quick[place].still = Some(class).filter(|_| self.follows && is_final);
        }
    }

    /// Whether who waits on may be reported without a look at what is known of it.
    fn may_go_on(&self, id: TaskId, rows: &Rows) -> bool {
        matches!(rows.task_time, Sheet::Changes { .. })
            && self.labeller.all_keep_names()
            && !self.intervals.late.speaks_of(id)
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
            self.labeller.note_thread(header, rows);
        }
        let label = self.labeller.label(header);
        if ended && header.tid == header.tgid && !self.is_base() {
            self.labeller.note_end(header, &label, rows);
        }
        let born_after_base = !self.is_base() && self.based_ns.is_some_and(|base| header.start_ns > base);
        if place.is_none() && !born_after_base {
            // The base, or a task that was hidden: nothing to compare with.
            if !ended {
                self.intervals.late.carry(header);
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
        known.activity = Activity::after(header.on_cpu);
        if header.on_cpu > known.account.on_cpu() {
            self.runs.note_ran(header.tgid);
            self.runs.note_woken(header.tgid);
        }
        let interval = self.intervals.book(known, times, false, self.reading > 1, &mut self.labeller);
        self.tell(place, &interval, rows);
        if ended {
            self.accounts.remove(id);
            self.quick[place].reading = 0;
            self.seen -= 1;
        }
    }

    /// A place for a task that was not known.
    fn place_of_new(&mut self, header: &Header, account: Account, label: Label) -> usize {
        let activity = Activity::after(header.on_cpu);
        let known = Known { account, header: *header, label, had: HadRows::default(), activity };
        let place = self.accounts.place_or_insert_with(header.id(), || known);
        let start_ms = self.labeller.boot.start_ms_of_ns(header.start_boot_ns);
        let quick = Quick { reading: 0, tid: header.tid, pid: header.tgid, still: None, row: 0, start_ms };
        if place == self.quick.len() {
            self.quick.push(quick);
        } else {
            self.quick[place] = quick;
        }
        place
    }

    /// Notes that the task was reported in this reading.
    fn see(&mut self, place: usize) {
        let reading = std::mem::replace(&mut self.quick[place].reading, self.reading);
        self.seen += usize::from(reading != self.reading);
    }

    /// Brings what is known of a task up to the reading before, where it was reported without a look at that.
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

    /// After a reading that was not taken to its end: who was not reported in it waits since the one before.
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
            above
                .into_iter()
                .for_each(|above| sheet.tell_above(&self.labeller.owner(&above.header, &above.label), class));
        }
        let first = sheet.len();
        sheet.tell(&self.labeller.owner(&known.header, &known.label), place, &known.had, &self.times);
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
        let living = self.quick.iter().filter(|quick| quick.reading == reading);
        self.runs.who_ran(living.map(|quick| (quick.pid, (quick.tid == quick.pid).then_some(quick.start_ms))))
    }

    /// Late records of the window as rows of `stack`.
    pub(crate) fn stacks(&mut self) -> RowSet {
        self.labeller.stacks(&self.intervals.late)
    }

    /// What processes waited for since the reading before, as rows of `object_time`.
    pub(crate) fn object_times(&mut self) -> Option<RowSet> {
        self.labeller.object_times(&mut self.intervals.late)
    }

    /// Time that user tasks waited since the window began, as far as stacks report.
    pub(crate) fn waiting_ns(&self) -> u64 {
        self.intervals.late.waiting_ns()
    }

    /// Another window begins at the last reading; accounts and what is known of tasks stay.
    pub(crate) fn next_window(&mut self) {
        let intervals = &mut self.intervals;
        intervals.late.next_window();
        (intervals.elapsed_ns, intervals.repaired_ns) = (0, 0);
        self.labeller.next_window();
    }

    /// Late records that were left out because there were too many.
    pub(crate) fn late_dropped(&self) -> u64 {
        self.intervals.late.dropped
    }

    /// Ends a reading: reports what processes did, and forgets tasks that neither the iterator nor an end showed.
    pub(crate) fn finish(&mut self, rows: &mut Rows) {
        rows.process_io = self.io.take(self.labeller.boot);
        let reading = self.reading;
        self.labeller.note_objects(&mut self.intervals.late);
        if self.seen < self.accounts.len() {
            let quick = &self.quick;
            self.accounts.retain(|place| quick[place].reading == reading);
        }
        self.is_whole = true;
    }

    /// Share of all tasks' time since the window began that was seen as it happened.
    pub(crate) fn coverage(&self) -> f64 {
        match self.intervals.elapsed_ns {
            0 => 1.0,
            elapsed => 1.0 - self.intervals.repaired_ns as f64 / elapsed as f64,
        }
    }
}

impl Intervals {
    /// The interval from the last reading of a task to the one that its header is of by now.
    /// `one_kind`: `times` has the kind of the open wait only.
    fn book(
        &mut self,
        known: &mut Known,
        times: &[KindTime],
        one_kind: bool,
        keep: bool,
        labeller: &mut Labeller,
    ) -> Interval {
        let header = &known.header;
        self.late.note_waker(header.tid, || known.label.name.clone());
        let evidence = self.late.evidence(header, keep);
        let parked = times.iter().find(|time| time.kind == u32::from(FUTEX_PARK));
        // A record of a task that waits on reports the kind of that wait only.
        let parked_ns = parked.map_or_else(|| known.account.of_kind(FUTEX_PARK).0, |time| time.ns);
        known.account.park = self.runtimes.park_class(header, parked_ns);
        let interval = known.account.advance(&Record { header, times, one_kind }, &evidence);
        self.elapsed_ns += interval.elapsed_ns;
        self.repaired_ns += interval.repaired_ns.min(interval.elapsed_ns);
        if !evidence.is_empty() || self.late.has_open(header) {
            labeller.remember(header, &known.label);
        }
        interval
    }
}

impl Known {
    /// Takes the name that its process has got in this reading, if it has.
    fn rename_process(&mut self, labeller: &mut Labeller) {
        if labeller.rename_process(&mut self.header, &mut self.label) {
            self.had.times.clear();
        }
    }
}
