//! What each process itself read and wrote between two readings: the sum over its threads, also of those that
//! ended. `/proc/PID/io` has besides what children did that it waited for, so that a shell seems to have
//! done all the work of its programs.

use std::collections::HashMap;

use heldup_hostfs::BootTime;
use heldup_model::tables::ProcessIoRow;
use heldup_model::{Form, Record, RowSet};

use super::record::{Header, Io};
use super::rows::{Label, push};

/// Gathers the interval at hand.
#[derive(Default)]
pub(crate) struct ProcessIo {
    by_pid: HashMap<u32, Done>,
}

/// What a process did so far, and what rows call it.
struct Done {
    io: Io,
    start_boot_ns: u64,
    parent: u32,
    kernel_thread: bool,
    exited: bool,
    label: Label,
}

impl ProcessIo {
    /// What one thread did.
    pub(crate) fn add(&mut self, header: &Header, label: &Label, more: &Io) {
        let done = self.by_pid.entry(header.tgid).or_insert_with(|| Done {
            io: Io::default(),
            start_boot_ns: header.process_start_boot_ns,
            parent: header.parent,
            kernel_thread: header.is_kernel_thread(),
            exited: false,
            label: label.clone(),
        });
        done.io.add(more);
        // A process has ended when its first thread has.
        done.exited |= header.dead != 0 && header.tid == header.tgid;
        if header.tid == header.tgid {
            done.label = label.clone();
        }
    }

    /// The rows of the interval, after which another one begins; none where nobody did anything.
    pub(crate) fn take(&mut self, boot: BootTime) -> Option<RowSet> {
        if self.by_pid.is_empty() {
            return None;
        }
        let mut rows = RowSet::empty(ProcessIoRow::DEF, Form::Increases);
        let mut all: Vec<(u32, Done)> = self.by_pid.drain().collect();
        all.sort_unstable_by_key(|(pid, _)| *pid);
        all.into_iter().for_each(|(pid, done)| push(&mut rows, row(boot, pid, done)));
        Some(rows)
    }
}

fn row(boot: BootTime, pid: u32, done: Done) -> ProcessIoRow {
    let count = |number: u64| i64::try_from(number).ok();
    let Done { io, label, .. } = done;
    ProcessIoRow {
        pid: Some(pid.into()),
        start_ms: Some(boot.start_ms_of_ns(done.start_boot_ns)),
        name: Some(label.process),
        parent_pid: Some(done.parent.into()),
        kernel_thread: Some(done.kernel_thread),
        cgroup: label.group.path,
        unit: label.group.unit,
        container: label.group.container,
        exited: Some(done.exited),
        read_bytes: count(io.read_bytes),
        write_bytes: count(io.write_bytes),
        cancelled_write_bytes: count(io.cancelled_write_bytes),
        read_chars: count(io.read_chars),
        write_chars: count(io.write_chars),
        read_calls: count(io.read_calls),
        write_calls: count(io.write_calls),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cgroup::GroupName;
    use super::*;

    fn header(tid: u32, tgid: u32, dead: u8) -> Header {
        Header { tid, tgid, dead, parent: 5, ..Header::default() }
    }

    fn label(process: &str) -> Label {
        Label { name: process.into(), process: process.into(), group: GroupName::default() }
    }

    #[test]
    fn threads_are_summed_and_ends_are_told() {
        let mut io = ProcessIo::default();
        let wrote = |bytes| Io { write_bytes: bytes, write_calls: 1, ..Io::default() };
        io.add(&header(8, 7, 1), &label("fio"), &wrote(100));
        io.add(&header(7, 7, 1), &label("fio"), &wrote(20));
        io.add(&header(5, 5, 0), &label("backup.sh"), &wrote(1));
        let boot = heldup_hostfs::Host::live().boot_time().expect("when it booted");
        let rows = io.take(boot).expect("two processes");
        assert_eq!(rows.ints("pid"), [Some(5), Some(7)]);
        assert_eq!(rows.ints("write_bytes"), [Some(1), Some(120)]);
        assert_eq!(rows.ints("parent_pid"), [Some(5), Some(5)]);
        assert!(io.take(boot).is_none(), "the next interval begins with nothing");
    }
}
