//! Rows of `stack` from the late records of a window.

use std::cell::OnceCell;
use std::collections::HashMap;

use heldup_model::tables::StackRow;
use heldup_model::{Class, RowSet, Text};

use super::account::{TaskId, TaskMap};
use super::late::{LateBook, Total};
use super::object::ObjectNames;
use super::record::{Header, LateKey};
use super::rows::{Label, Words};
use crate::syscall_names::syscall_name;

/// What is remembered about a task that late records name: it may be gone when they are shown.
#[derive(Clone, Debug)]
pub(crate) struct TaskLabel {
    pub(crate) name: Text,
    pub(crate) process_name: Text,
    pub(crate) kernel_thread: bool,
    cgroup: Option<Text>,
}

impl TaskLabel {
    pub(crate) fn of(label: &Label, header: &Header) -> TaskLabel {
        TaskLabel {
            name: label.name.clone(),
            process_name: label.process.clone(),
            kernel_thread: header.is_kernel_thread(),
            cgroup: label.group.path.clone(),
        }
    }
}

/// Names of processes by their ids. Few readings ask, so that they are gathered when one does.
pub(crate) struct ProcessNames<'l> {
    labels: &'l TaskMap<TaskLabel>,
    by_pid: OnceCell<HashMap<u32, &'l Text>>,
}

impl<'l> ProcessNames<'l> {
    pub(crate) fn new(labels: &'l TaskMap<TaskLabel>) -> ProcessNames<'l> {
        ProcessNames { labels, by_pid: OnceCell::new() }
    }

    pub(crate) fn name(&self, pid: u32) -> Option<Text> {
        let gathered = || self.labels.iter().map(|(id, label)| (id.tid, &label.name)).collect();
        self.by_pid.get_or_init(gathered).get(&pid).map(|name| (*name).clone())
    }
}

/// The rows, longest first.
pub(crate) fn rows(
    late: &LateBook,
    labels: &TaskMap<TaskLabel>,
    objects: &mut ObjectNames,
    words: &Words,
) -> RowSet {
    let mut totals: Vec<((LateKey, Class), Total)> = late.totals().into_iter().collect();
    totals.sort_by_key(|((key, _), total)| (u64::MAX - total.ns, key.tid, key.stack));
    let processes = ProcessNames::new(labels);
    RowSet::increases(totals.into_iter().map(|((key, class), total)| {
        let label = labels.get(&TaskId { tid: key.tid, start_ns: key.start_ns });
        let mut object = objects.name(&key.object, |pid| processes.name(pid));
        let kind = match class {
            Class::LockKernel => Some("lock"),
            Class::KernelWait => Some("function"),
            _ => None,
        };
        if let Some((kind, asker)) = kind.and_then(|kind| Some((kind, late.asker(key.stack)?))) {
            // Device and inode of the file stay where they are known.
            (object.kind, object.name) = (Some(kind.into()), Some(asker));
        }
        let waker = (key.waker_tid != 0).then_some(key.waker_tid);
        StackRow {
            kind: Some("wait".into()),
            tid: Some(key.tid.into()),
            pid: Some(key.tgid.into()),
            name: label.map(|label| label.name.clone()),
            process_name: label.map(|label| label.process_name.clone()),
            kernel_thread: label.map(|label| label.kernel_thread),
            cgroup: label.and_then(|label| label.cgroup.clone()),
            class_name: Some(words.class(class)),
            kernel_stack: late.stack_text(key.stack),
            user_stack: None,
            syscall: syscall_name(key.syscall).map(Into::into),
            object_kind: object.kind,
            object_name: object.name,
            object_device: object.device,
            object_inode: object.inode,
            waker_tid: waker.map(Into::into),
            waker_pid: waker.map(|_| key.waker_tgid.into()),
            waker_name: waker.and_then(|tid| late.waker_name(tid)),
            seconds: Some(total.ns as f64 / 1e9),
            samples: Some(total.waits as i64),
            events: None,
        }
    }))
}
