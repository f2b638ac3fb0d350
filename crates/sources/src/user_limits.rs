//! Rows of `user_limit`: made in the same pass over `/proc` as those of `process`, because
//! they need the same files; one more file and one more look at `fd` a process.
//!
//! Only limits of which something is used have a row: an unlimited one cannot hold anybody up.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use heldup_hostfs::{Host, SmallFiles};
use heldup_model::tables::{ProcessRow, UserLimitRow};
use heldup_model::{Missing, Text};

use crate::proc_pid_limits::{self, Limit};
use crate::proc_pid_status::TaskStatus;
use crate::source::Reading;

const PROCESSES: &str = "processes";

/// What a process uses of its limits.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct LimitUses {
    /// The real user, whose processes are counted.
    uid: Option<i64>,
    uses: Box<[LimitUse]>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct LimitUse {
    name: Text,
    limit: Limit,
    used: Option<i64>,
}

/// Gathers the rows of one pass.
#[derive(Debug, Default)]
pub struct UserLimits {
    rows: Vec<UserLimitRow>,
    /// Threads by real user, zombies and kernel threads included, as the kernel counts them.
    threads: HashMap<i64, i64>,
    /// Processes whose open files the rights do not allow to count.
    denied: usize,
    names: HashMap<&'static str, Text>,
    /// Those of the pass: most processes of a service have the same.
    alike: HashSet<Arc<LimitUses>>,
    /// Of the process that is looked at.
    uses: Vec<LimitUse>,
    text: Vec<u8>,
}

impl UserLimits {
    /// Adds the limits of a process that the pass has just read; answers them for [`UserLimits::add_known`].
    pub fn add(
        &mut self,
        files: &mut SmallFiles,
        process: &ProcessRow,
        status: &TaskStatus,
        reading: &mut Reading,
    ) -> Arc<LimitUses> {
        self.uses.clear();
        self.look(files, process, status, reading);
        let uid = status.real_uid.or(process.uid);
        let uses = LimitUses { uid, uses: self.uses.drain(..).collect() };
        let known = match self.alike.get(&uses) {
            Some(known) => Arc::clone(known),
            None => {
                let known = Arc::new(uses);
                self.alike.insert(Arc::clone(&known));
                known
            }
        };
        self.add_known(process, &known);
        known
    }

    /// Adds the limits of a process of which nothing has changed since they were added.
    pub fn add_known(&mut self, process: &ProcessRow, known: &LimitUses) {
        if let (Some(uid), Some(threads)) = (known.uid, process.threads) {
            *self.threads.entry(uid).or_default() += threads;
        }
        self.rows.extend(known.uses.iter().map(|of| UserLimitRow {
            pid: process.pid,
            start_ms: process.start_ms,
            limit_name: Some(of.name.clone()),
            name: process.name.clone(),
            uid: known.uid,
            unit: process.unit.clone(),
            container: process.container.clone(),
            used: of.used,
            soft_max: of.limit.soft,
            hard_max: of.limit.hard,
        }));
    }

    /// Looks at what the process uses of its limits.
    fn look(
        &mut self,
        files: &mut SmallFiles,
        process: &ProcessRow,
        status: &TaskStatus,
        reading: &mut Reading,
    ) {
        let Some(pid) = process.pid.filter(|_| process.kernel_thread != Some(true)) else { return };
        // Ended meanwhile, or a recording without it.
        let Ok(()) = files.read_into(&format!("{pid}/limits"), &mut self.text) else { return };
        let limits = reading.take(&format!("/proc/{pid}/limits"), proc_pid_limits::parse(&self.text));
        let cpu_s = process.user_s.zip(process.system_s).map(|(user, system)| (user + system) as i64);
        let mut add = |name, limit, used| self.note_used(name, limit, used);
        add("address_space", limits.address_space, process.virtual_bytes);
        add("cpu_time", limits.cpu_time, cpu_s);
        add("data", limits.data, status.data_bytes);
        add("pending_signals", limits.pending_signals, status.queued_signals);
        add("stack", limits.stack, status.stack_bytes);
        // Whoever may lock too little has often locked nothing.
        self.note("locked_memory", limits.locked_memory, status.locked_bytes);
        // How many there are is known after the pass.
        self.note(PROCESSES, limits.processes, None);
        self.open_files(files.host(), pid, limits.open_files);
    }

    fn open_files(&mut self, host: &Host, pid: i64, limit: Limit) {
        match host.open_files(pid) {
            Ok(used) => self.note_used("open_files", limit, Some(used as i64)),
            Err(error) => {
                self.denied += usize::from(error.is_denied());
                self.note("open_files", limit, None);
            }
        }
    }

    /// Notes a limit of which something is used.
    fn note_used(&mut self, name: &'static str, limit: Limit, used: Option<i64>) {
        if used.is_some_and(|used| used > 0) {
            self.note(name, limit, used);
        }
    }

    fn note(&mut self, name: &'static str, limit: Limit, used: Option<i64>) {
        if limit.soft.is_some() {
            let name = self.names.entry(name).or_insert_with(|| name.into()).clone();
            self.uses.push(LimitUse { name, limit, used });
        }
    }

    /// The rows of the pass, and what of them could not be seen. Where `/proc` hides other
    /// users' processes, those of no user can be counted.
    pub fn finish(&mut self, hidden: bool) -> (Vec<UserLimitRow>, Option<Missing>) {
        let mut rows = std::mem::take(&mut self.rows);
        let threads = std::mem::take(&mut self.threads);
        for row in rows.iter_mut().filter(|row| row.limit_name.as_deref() == Some(PROCESSES) && !hidden) {
            row.used = row.uid.and_then(|uid| threads.get(&uid).copied());
        }
        self.alike.clear();
        let denied = std::mem::take(&mut self.denied);
        let missing = (denied > 0).then(|| Missing {
            what: "user_limit.used".to_owned(),
            why: format!("open files of {denied} processes not readable: /proc/PID/fd denied"),
            how: "run as root, and with CAP_SYS_PTRACE".to_owned(),
        });
        (rows, missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_open_files_are_counted_against_the_limit() {
        let host = Host::live();
        let own = heldup_hostfs::own_pid();
        let process = ProcessRow { pid: Some(own), uid: Some(7), threads: Some(3), ..ProcessRow::default() };
        let status = TaskStatus { real_uid: Some(8), queued_signals: Some(0), ..TaskStatus::default() };
        let mut limits = UserLimits::default();
        let mut reading = Reading::default();
        let mut files = host.records_in("/proc");
        let known = limits.add(&mut files, &process, &status, &mut reading);
        let of_kernel = ProcessRow { pid: Some(2), kernel_thread: Some(true), ..process.clone() };
        limits.add(&mut files, &of_kernel, &status, &mut reading);
        let (rows, missing) = limits.finish(false);
        assert_eq!((missing, reading.flaws.len()), (None, 0));
        let row = |name: &str| rows.iter().find(|row| row.limit_name.as_deref() == Some(name));
        let files = row("open_files").expect("a limit of open files");
        assert!(files.used.is_some_and(|used| used > 2) && files.used < files.soft_max, "{files:?}");
        if let Some(processes) = row("processes") {
            assert_eq!((processes.used, processes.uid), (Some(6), Some(8)));
        }
        assert_eq!(row("pending_signals"), None, "none is queued");
        assert_eq!(limits.finish(false).0, [], "each pass has its own");
        limits.add_known(&process, &known);
        let again = limits.finish(false).0;
        let alone = rows.iter().map(|row| UserLimitRow { used: row.used.map(|_| 0), ..row.clone() });
        let of_again = again.iter().map(|row| UserLimitRow { used: row.used.map(|_| 0), ..row.clone() });
        assert!(of_again.eq(alone), "{again:?}");
        let processes = again.iter().find(|row| row.limit_name.as_deref() == Some(PROCESSES));
        assert!(processes.is_none_or(|row| row.used == Some(3)), "its own threads alone: {processes:?}");
    }
}
