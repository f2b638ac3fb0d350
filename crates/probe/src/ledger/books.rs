//! All accounts between two readings: who is known, what each interval's evidence is,
//! and how much of the time was seen as it happened.

use std::collections::HashMap;

use heldup_hostfs::{BootTime, Host};
use heldup_model::RowSet;

use super::account::{Account, TaskId};
use super::cgroup::Groups;
use super::late::LateBook;
use super::object::ObjectNames;
use super::record::{Record, each_header};
use super::rows::{Rows, Words};
use super::runtime::Runtimes;
use super::stack_rows::{self, TaskLabel};
use crate::error::ProbeError;

/// The user half's state.
pub(crate) struct Books {
    host: Host,
    boot: BootTime,
    accounts: HashMap<TaskId, Known>,
    /// Counts readings, so that tasks that are gone can be told.
    reading: u32,
    /// When the first reading began; tasks born later count from their birth.
    based_ns: Option<u64>,
    groups: Groups,
    runtimes: Runtimes,
    words: Words,
    /// Whether a command is examined, to which tasks belong or not.
    with_command: bool,
    late: LateBook,
    /// Tasks that late records name.
    labels: HashMap<TaskId, TaskLabel>,
    objects: ObjectNames,
    elapsed_ns: u64,
    repaired_ns: u64,
    pub(crate) torn: u64,
}

struct Known {
    account: Account,
    reading: u32,
}

impl Books {
    pub(crate) fn new(
        host: &Host,
        boot: BootTime,
        groups: Groups,
        late: LateBook,
        with_command: bool,
    ) -> Books {
        Books {
            host: host.clone(),
            boot,
            accounts: HashMap::new(),
            reading: 0,
            based_ns: None,
            groups,
            runtimes: Runtimes::new(host),
            words: Words::new(),
            with_command,
            late,
            labels: HashMap::new(),
            objects: ObjectNames::new(host),
            elapsed_ns: 0,
            repaired_ns: 0,
            torn: 0,
        }
    }

    /// Begins a reading: takes the late records and learns the stacks of open waits in `tasks`.
    ///
    /// The first reading is the base, which has no intervals.
    pub(crate) fn begin(&mut self, now_ns: u64, tasks: &[u8]) -> Result<(), ProbeError> {
        self.reading += 1;
        self.groups.next_reading();
        self.runtimes.next_reading();
        self.based_ns.get_or_insert(now_ns);
        self.late.begin(!self.is_base())?;
        let mut hashes = Vec::new();
        each_header(tasks, |header| hashes.extend((header.open_stack != 0).then_some(header.open_stack)));
        self.late.learn(hashes.into_iter());
        Ok(())
    }

    fn is_base(&self) -> bool {
        self.reading == 1
    }

    /// Takes one task's record and adds its rows.
    pub(crate) fn take(&mut self, record: &Record, rows: &mut Rows) {
        let header = &record.header;
        let ended = header.dead != 0;
        if header.torn != 0 {
            // The next reading covers this interval too.
            self.torn += 1;
            if let Some(known) = self.accounts.get_mut(&header.id()) {
                known.reading = self.reading;
            }
            return;
        }
        let group = self.groups.name(&self.host, header.cgroup);
        if !ended {
            rows.thread(&mut self.words, self.boot, header, &group);
        }
        self.late.note_waker(header.tid, || self.words.name(&header.comm));
        let evidence = self.late.evidence(header, !self.is_base());
        let park = self.runtimes.park_class(record);
        let Some(known) = self.known(record) else { return };
        known.account.park = park;
        let interval = known.account.advance(record, &evidence);
        self.elapsed_ns += interval.elapsed_ns;
        self.repaired_ns += interval.repaired_ns.min(interval.elapsed_ns);
        let in_command = self.with_command.then_some(header.in_command != 0);
        rows.task_time(&mut self.words, self.boot, header, &interval, (&group, in_command));
        if !evidence.is_empty() {
            let label = TaskLabel::of(header, &mut self.words, group.path);
            self.labels.insert(header.id(), label);
        }
        if ended {
            self.accounts.remove(&header.id());
        }
    }

    /// The account to compare a record with; none at the base, and for a task that was hidden.
    fn known(&mut self, record: &Record) -> Option<&mut Known> {
        let header = &record.header;
        let (id, reading) = (header.id(), self.reading);
        let born_after_base = !self.is_base() && self.based_ns.is_some_and(|base| header.start_ns > base);
        if !self.accounts.contains_key(&id) && !born_after_base {
            if header.dead == 0 {
                self.accounts.insert(id, Known { account: Account::read(record), reading });
            }
            return None;
        }
        let born = || Known { account: Account::born(header.start_ns), reading };
        let known = self.accounts.entry(id).or_insert_with(born);
        known.reading = reading;
        Some(known)
    }

    /// Late records of the window as rows of `stack`.
    pub(crate) fn stacks(&mut self) -> RowSet {
        stack_rows::rows(&self.late, &self.labels, &mut self.objects, &self.words)
    }

    /// Late records that were left out because there were too many.
    pub(crate) fn late_dropped(&self) -> u64 {
        self.late.dropped
    }

    /// Forgets tasks that neither the iterator nor an end showed.
    pub(crate) fn finish(&mut self) {
        let reading = self.reading;
        for (object, pid) in self.late.new_objects() {
            self.objects.note(&object, pid);
        }
        self.accounts.retain(|_, known| known.reading == reading);
    }

    /// Share of all tasks' time since the base that was seen as it happened.
    pub(crate) fn coverage(&self) -> f64 {
        match self.elapsed_ns {
            0 => 1.0,
            elapsed => 1.0 - self.repaired_ns as f64 / elapsed as f64,
        }
    }
}
