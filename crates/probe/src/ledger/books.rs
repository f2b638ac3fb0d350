//! All accounts between two readings: who is known, what each interval's evidence is,
//! and how much of the time was seen as it happened.

use std::collections::HashMap;

use heldup_hostfs::{BootTime, Host};

use super::account::{Account, Evidence, TaskId};
use super::cgroup::Groups;
use super::record::Record;
use super::rows::{Rows, Words};

/// The user half's state.
pub(crate) struct Books {
    host: Host,
    boot: BootTime,
    accounts: HashMap<TaskId, Known>,
    /// Counts readings, so that tasks that are gone can be told.
    reading: u32,
    /// When the first reading began; tasks born later count from their birth.
    based_ns: Option<u64>,
    pub(crate) groups: Groups,
    pub(crate) words: Words,
    elapsed_ns: u64,
    repaired_ns: u64,
    pub(crate) torn: u64,
}

struct Known {
    account: Account,
    reading: u32,
}

impl Books {
    pub(crate) fn new(host: &Host, boot: BootTime, groups: Groups) -> Books {
        Books {
            host: host.clone(),
            boot,
            accounts: HashMap::new(),
            reading: 0,
            based_ns: None,
            groups,
            words: Words::new(),
            elapsed_ns: 0,
            repaired_ns: 0,
            torn: 0,
        }
    }

    /// Begins a reading; whether it is the base, which has no intervals.
    pub(crate) fn begin(&mut self, now_ns: u64) {
        self.reading += 1;
        self.groups.next_reading();
        if self.reading == 1 {
            self.based_ns = Some(now_ns);
        }
    }

    /// Whether the current reading is the first.
    pub(crate) fn is_base(&self) -> bool {
        self.reading == 1
    }

    /// Takes one task's record and adds its rows.
    pub(crate) fn take(&mut self, record: &Record, evidence: &[Evidence], rows: &mut Rows) {
        let header = &record.header;
        let born_after_base = !self.is_base() && self.based_ns.is_some_and(|base| header.start_ns > base);
        self.torn += u64::from(header.torn);
        let ended = header.dead != 0;
        if !ended {
            rows.thread(&mut self.words, self.boot, header);
        }
        let id = header.id();
        let reading = self.reading;
        if !self.accounts.contains_key(&id) {
            if !born_after_base {
                // The base, or a task that was hidden until now: nothing to compare with.
                if !ended {
                    self.accounts.insert(id, Known { account: Account::read(record), reading });
                }
                return;
            }
            self.accounts.insert(id, Known { account: Account::born(header.start_ns), reading });
        }
        let Some(known) = self.accounts.get_mut(&id) else { return };
        known.reading = reading;
        let interval = known.account.advance(record, evidence);
        self.elapsed_ns += interval.elapsed_ns;
        self.repaired_ns += interval.repaired_ns.min(interval.elapsed_ns);
        let group = self.groups.name(&self.host, header.cgroup);
        rows.task_time(&mut self.words, self.boot, header, &interval, &group);
        if ended {
            self.accounts.remove(&id);
        }
    }

    /// Forgets tasks that neither the iterator nor an end showed.
    pub(crate) fn finish(&mut self) {
        let reading = self.reading;
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
