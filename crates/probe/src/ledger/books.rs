//! All accounts between two readings: who is known, what each interval's evidence is,
//! and how much of the time was seen as it happened.
//!
//! The kernel describes a task once and then tells what has changed; here it is whole again.

use std::collections::HashMap;

use heldup_hostfs::{BootTime, Host};
use heldup_model::RowSet;

use super::account::{Account, TaskId, TaskMap};
use super::cgroup::Groups;
use super::kind::FUTEX_PARK;
use super::late::LateBook;
use super::object::ObjectNames;
use super::record::{Brief, Header, KindTime, Record, Told, each_header};
use super::roll::Roll;
use super::rows::{Label, Rows, Words};
use super::runtime::Runtimes;
use super::stack_rows::{self, TaskLabel};
use crate::error::ProbeError;

/// The user half's state.
pub(crate) struct Books {
    accounts: Roll<Known>,
    /// Counts readings, so that tasks that are gone can be told.
    reading: u32,
    /// When the first reading began; tasks born later count from their birth.
    based_ns: Option<u64>,
    /// When this reading began.
    began_ns: u64,
    /// Processes whose first thread has got another name in this reading.
    renamed: HashMap<u32, [u8; 16]>,
    desk: Desk,
    /// Tasks that are known and were told in this reading.
    seen: usize,
    pub(crate) torn: u64,
}

/// All that a record is looked up in, beside the accounts.
struct Desk {
    host: Host,
    boot: BootTime,
    groups: Groups,
    runtimes: Runtimes,
    words: Words,
    /// Whether a command is examined, to which tasks belong or not.
    with_command: bool,
    late: LateBook,
    /// Tasks that late records name.
    labels: TaskMap<TaskLabel>,
    objects: ObjectNames,
    elapsed_ns: u64,
    repaired_ns: u64,
}

struct Known {
    account: Account,
    /// As it was last told.
    header: Header,
    label: Label,
    reading: u32,
}

impl Books {
    pub(crate) fn new(
        host: &Host,
        processes: &Host,
        own_pid: u32,
        boot: BootTime,
        groups: Groups,
        late: LateBook,
        with_command: bool,
    ) -> Books {
        Books {
            accounts: Roll::default(),
            reading: 0,
            based_ns: None,
            began_ns: 0,
            renamed: HashMap::new(),
            desk: Desk {
                host: host.clone(),
                boot,
                groups,
                runtimes: Runtimes::new(processes),
                words: Words::new(),
                with_command,
                late,
                labels: TaskMap::default(),
                objects: ObjectNames::new(host, processes, own_pid),
                elapsed_ns: 0,
                repaired_ns: 0,
            },
            seen: 0,
            torn: 0,
        }
    }

    /// Whether there was no reading yet.
    pub(crate) fn are_empty(&self) -> bool {
        self.reading == 0
    }

    /// Begins a reading: takes the late records and learns the stacks of open waits in `tasks`.
    ///
    /// The first reading is the base, which has no intervals.
    pub(crate) fn begin(&mut self, now_ns: u64, tasks: &[u8]) -> Result<(), ProbeError> {
        self.reading += 1;
        self.seen = 0;
        self.accounts.rewind();
        self.renamed.clear();
        self.desk.groups.next_reading();
        self.desk.runtimes.next_reading();
        self.based_ns.get_or_insert(now_ns);
        self.began_ns = now_ns;
        self.desk.late.begin(!self.is_base())?;
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
        let Some(known) = self.accounts.get_mut(id) else { return };
        known.see(self.reading, &mut self.seen);
        let renamed = brief.comm != known.header.comm;
        known.header.tell(brief);
        if renamed {
            known.label.name = self.desk.words.name(&brief.comm);
            if brief.tid == known.header.tgid {
                self.renamed.insert(brief.tid, brief.comm);
            }
        }
        known.rename_process(&self.renamed, &mut self.desk.words);
        self.desk.book(known, times, false, self.reading > 1, rows);
    }

    /// Takes a task that waits on, as was seen at `seen_ns`.
    ///
    /// It waited when the reading began too, and is booked up to then: the intervals of all that
    /// wait are of one length, which an archive keeps once. Up to when each was met, a hundred
    /// sleepers took 290 bytes a second for how far apart the iterator meets them.
    fn take_still(&mut self, id: TaskId, seen_ns: u64, rows: &mut Rows) {
        let Some(known) = self.accounts.get_mut(id) else { return };
        known.see(self.reading, &mut self.seen);
        let more = known.header.wait_on(self.began_ns.min(seen_ns));
        let kind = known.header.open_kind;
        let (ns, waits) = known.account.of_kind(kind);
        let time = KindTime { ns: ns + more, waits, kind: kind.into() };
        known.rename_process(&self.renamed, &mut self.desk.words);
        self.desk.book(known, &[time], true, self.reading > 1, rows);
    }

    fn take_whole(&mut self, header: &Header, times: &[KindTime], rows: &mut Rows) {
        let id = header.id();
        let ended = header.dead != 0;
        let reading = self.reading;
        if header.torn != 0 {
            // The next reading covers this interval too.
            self.torn += 1;
            if let Some(known) = self.accounts.get_mut(id) {
                known.see(reading, &mut self.seen);
            }
            return;
        }
        if !ended {
            let group = self.desk.groups.name(&self.desk.host, header.cgroup);
            rows.thread(&mut self.desk.words, self.desk.boot, header, &group);
        }
        let label = self.desk.label(header);
        let born_after_base = !self.is_base() && self.based_ns.is_some_and(|base| header.start_ns > base);
        let new = |account| Known { account, header: *header, label: label.clone(), reading: 0 };
        if !self.accounts.contains(id) && !born_after_base {
            // The base, or a task that was hidden: nothing to compare with.
            if !ended {
                let account = Account::read(&Record { header, times, one_kind: false });
                let known = self.accounts.get_or_insert_with(id, || new(account));
                known.see(reading, &mut self.seen);
            }
            return;
        }
        let known = self.accounts.get_or_insert_with(id, || new(Account::born(header.start_ns)));
        known.see(reading, &mut self.seen);
        (known.header, known.label) = (*header, label);
        self.desk.book(known, times, false, reading > 1, rows);
        if ended {
            self.accounts.remove(id);
            self.seen -= 1;
        }
    }

    /// Late records of the window as rows of `stack`.
    pub(crate) fn stacks(&mut self) -> RowSet {
        let Desk { late, labels, objects, words, .. } = &mut self.desk;
        stack_rows::rows(late, labels, objects, words)
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

    /// Forgets tasks that neither the iterator nor an end showed.
    pub(crate) fn finish(&mut self) {
        let reading = self.reading;
        for (object, pid) in self.desk.late.new_objects() {
            self.desk.objects.note(&object, pid);
        }
        // What is known of many tasks would have to be fetched from memory once more.
        if self.seen < self.accounts.len() {
            self.accounts.retain(|known| known.reading == reading);
        }
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

    /// Adds the interval from the last reading of a task to the one that its header is of by now.
    /// `one_kind`: `times` has the kind of the open wait only.
    fn book(&mut self, known: &mut Known, times: &[KindTime], one_kind: bool, keep: bool, rows: &mut Rows) {
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
        let in_command = self.with_command.then_some(header.in_command != 0);
        rows.task_time(&self.words, self.boot, header, &interval, (&known.label, in_command));
        if !evidence.is_empty() || self.late.has_open(header) {
            self.labels.insert(header.id(), TaskLabel::of(&known.label, header));
        }
    }
}

impl Known {
    /// Notes that the task was told in a reading; `seen` counts those that were.
    fn see(&mut self, reading: u32, seen: &mut usize) {
        *seen += usize::from(self.reading != reading);
        self.reading = reading;
    }

    /// A process is called by its first thread, which may have got another name in this reading.
    fn rename_process(&mut self, renamed: &HashMap<u32, [u8; 16]>, words: &mut Words) {
        if renamed.is_empty() {
            return;
        }
        if let Some(process) = renamed.get(&self.header.tgid) {
            self.header.process = *process;
            self.label.process = words.name(process);
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
