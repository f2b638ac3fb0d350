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
use super::record::{Brief, Header, KindTime, Record, Still, Told, each_header};
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
    /// Processes whose first thread has got another name in this reading.
    renamed: HashMap<u32, [u8; 16]>,
    desk: Desk,
    /// The record at hand; kept for its room.
    record: Record,
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
        boot: BootTime,
        groups: Groups,
        late: LateBook,
        with_command: bool,
    ) -> Books {
        Books {
            accounts: Roll::default(),
            reading: 0,
            based_ns: None,
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
                objects: ObjectNames::new(host, processes),
                elapsed_ns: 0,
                repaired_ns: 0,
            },
            record: Record::default(),
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
        self.accounts.rewind();
        self.renamed.clear();
        self.desk.groups.next_reading();
        self.desk.runtimes.next_reading();
        self.based_ns.get_or_insert(now_ns);
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
    pub(crate) fn take(&mut self, told: Told, times: &[KindTime], rows: &mut Rows) {
        match told {
            Told::Whole(header) => self.take_whole(header, times, rows),
            Told::Brief(brief) => {
                self.take_known(told.id(), rows, |known, record| known.tell(record, &brief, times));
            }
            Told::Still(still) => {
                self.take_known(told.id(), rows, |known, record| known.extend(record, &still));
            }
        }
    }

    /// Takes a task that the kernel has described before.
    fn take_known(&mut self, id: TaskId, rows: &mut Rows, tell: impl FnOnce(&Known, &mut Record)) {
        // One that is not known was described in a reading that failed: the next whole one has it.
        let Some(known) = self.accounts.get_mut(id) else { return };
        known.reading = self.reading;
        let record = &mut self.record;
        tell(known, record);
        let header = &mut record.header;
        if header.comm != known.header.comm {
            known.label.name = self.desk.words.name(&header.comm);
            if header.tid == header.tgid {
                self.renamed.insert(header.tgid, header.comm);
            }
        }
        if !self.renamed.is_empty()
            && let Some(process) = self.renamed.get(&header.tgid)
        {
            header.process = *process;
            known.label.process = self.desk.words.name(process);
        }
        self.desk.book(known, record, self.reading > 1, rows);
    }

    fn take_whole(&mut self, header: Header, times: &[KindTime], rows: &mut Rows) {
        let id = header.id();
        let ended = header.dead != 0;
        if header.torn != 0 {
            // The next reading covers this interval too.
            self.torn += 1;
            if let Some(known) = self.accounts.get_mut(id) {
                known.reading = self.reading;
            }
            return;
        }
        if !ended {
            let group = self.desk.groups.name(&self.desk.host, header.cgroup);
            rows.thread(&mut self.desk.words, self.desk.boot, &header, &group);
        }
        self.record.header = header;
        self.record.one_kind = false;
        self.record.times.clear();
        self.record.times.extend_from_slice(times);
        let label = self.desk.label(&header);
        let born_after_base = !self.is_base() && self.based_ns.is_some_and(|base| header.start_ns > base);
        let reading = self.reading;
        if !self.accounts.contains(id) && !born_after_base {
            // The base, or a task that was hidden: nothing to compare with.
            if !ended {
                let account = Account::read(&self.record);
                self.accounts.get_or_insert_with(id, || Known { account, header, label, reading });
            }
            return;
        }
        let born =
            || Known { account: Account::born(header.start_ns), header, label: label.clone(), reading };
        let known = self.accounts.get_or_insert_with(id, born);
        known.reading = reading;
        known.label = label;
        self.desk.book(known, &self.record, reading > 1, rows);
        if ended {
            self.accounts.remove(id);
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
        self.accounts.retain(|known| known.reading == reading);
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

    /// Adds the interval from the last reading of a task to `record`.
    fn book(&mut self, known: &mut Known, record: &Record, keep: bool, rows: &mut Rows) {
        let header = &record.header;
        self.late.note_waker(header.tid, || known.label.name.clone());
        let evidence = self.late.evidence(header, keep);
        let parked = record.times.iter().find(|time| time.kind == u32::from(FUTEX_PARK));
        // A record of a task that waits on tells the kind of that wait only.
        let parked_ns = parked.map_or_else(|| known.account.of_kind(FUTEX_PARK).0, |time| time.ns);
        known.account.park = self.runtimes.park_class(header, parked_ns);
        let interval = known.account.advance(record, &evidence);
        self.elapsed_ns += interval.elapsed_ns;
        self.repaired_ns += interval.repaired_ns.min(interval.elapsed_ns);
        let in_command = self.with_command.then_some(header.in_command != 0);
        rows.task_time(&self.words, self.boot, header, &interval, (&known.label, in_command));
        if !evidence.is_empty() || self.late.has_open(header) {
            self.labels.insert(header.id(), TaskLabel::of(&known.label, header));
        }
        known.header = *header;
    }
}

impl Known {
    /// The whole record of a task that has moved.
    fn tell(&self, record: &mut Record, brief: &Brief, times: &[KindTime]) {
        record.header = Header {
            now: brief.now,
            on_cpu: brief.on_cpu,
            repaired: brief.repaired,
            utime_ns: brief.utime_ns,
            stime_ns: brief.stime_ns,
            on: brief.on,
            called: brief.called,
            comm: brief.comm,
            open_kind: brief.open_kind,
            open_ns: brief.open_ns,
            open_stack: 0,
            open_gathered: 0,
            ..self.header
        };
        record.one_kind = false;
        record.times.clear();
        record.times.extend_from_slice(times);
    }

    /// The whole record of a task that waits on.
    fn extend(&self, record: &mut Record, still: &Still) {
        let more = still.now.saturating_sub(self.header.now);
        let gathered = self.header.open_gathered;
        record.header = Header {
            now: self.header.now + more,
            open_ns: self.header.open_ns + more,
            open_gathered: if gathered > 0 { gathered + more } else { 0 },
            ..self.header
        };
        let kind = self.header.open_kind;
        let (ns, waits) = self.account.of_kind(kind);
        record.one_kind = true;
        record.times.clear();
        record.times.push(KindTime { ns: ns + more, waits, kind: kind.into() });
    }
}
