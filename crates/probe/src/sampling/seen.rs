//! What the samples saw of waits, as rows of `stack`: call, kernel stack and file.
//!
//! The seconds of a thread in a class, as the account has them, are divided by the samples of
//! each. Only wait time is kept: what idle threads wait for explains nothing.

use std::collections::HashMap;

use heldup_hostfs::Host;
use heldup_model::tables::StackRow;
use heldup_model::{Class, Group, RowSet, Text};

use super::book::Key;
use super::proc_task::OpenFile;
use super::wait::Call;
use crate::syscall_names::syscall_name;

/// Different waits that are kept; a thread has a handful.
const MAX_SEEN: usize = 20_000;

/// What a wait is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Object {
    pub(super) kind: Option<&'static str>,
    pub(super) name: Option<Text>,
    pub(super) device: Option<Text>,
    pub(super) inode: Option<i64>,
}

/// One wait, as far as it could be seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Seen {
    pub(super) class: Class,
    pub(super) call: Option<u16>,
    /// Functions, outermost first.
    pub(super) stack: Option<Text>,
    pub(super) object: Object,
}

/// Who waits: it may be gone when rows are made.
#[derive(Clone, Debug)]
pub(super) struct Waiter {
    pub(super) name: Text,
    pub(super) process_name: Option<Text>,
    pub(super) kernel_thread: bool,
    pub(super) cgroup: Option<Text>,
}

/// All waits of the window.
#[derive(Default)]
pub(super) struct SeenWaits {
    looks: HashMap<(Key, Seen), u64>,
    seconds: HashMap<(Key, Class), f64>,
    waiters: HashMap<Key, Waiter>,
}

impl Seen {
    /// Of a wait in a call; number -1 is none.
    pub(super) fn new(class: Class, call: Option<&Call>) -> Seen {
        let call = call.and_then(|call| u16::try_from(call.number).ok());
        Seen { class, call, stack: None, object: Object::default() }
    }

    /// Whether its wait is worth a row.
    pub(super) fn counts(&self) -> bool {
        self.class.group() == Group::Waiting
    }
}

impl Object {
    /// The device or file behind a descriptor.
    pub(super) fn of_file(file: OpenFile) -> Object {
        match file.block_device {
            Some(device) => {
                Object { kind: Some("device"), name: Some(device.clone()), device: Some(device), inode: None }
            }
            None => Object {
                kind: Some("inode"),
                name: Some(file.path.as_str().into()),
                device: file.device,
                inode: file.inode,
            },
        }
    }

    /// The lock word of a program.
    pub(super) fn of_futex(address: u64) -> Object {
        Object { kind: Some("futex"), name: Some(format!("{address:#x}").into()), ..Object::default() }
    }
}

impl SeenWaits {
    /// Counts a sample of a wait.
    pub(super) fn add(&mut self, key: Key, seen: &Seen, waiter: impl FnOnce() -> Waiter) {
        if let Some(looks) = self.looks.get_mut(&(key, seen.clone())) {
            *looks += 1;
        } else if self.looks.len() < MAX_SEEN {
            self.looks.insert((key, seen.clone()), 1);
            self.waiters.entry(key).or_insert_with(waiter);
        }
    }

    /// Adds time of a thread in a class.
    pub(super) fn spent(&mut self, key: Key, class: Class, seconds: f64) {
        if class.group() == Group::Waiting && self.waiters.contains_key(&key) {
            *self.seconds.entry((key, class)).or_default() += seconds;
        }
    }

    /// The rows so far, longest first.
    pub(super) fn rows(&self) -> RowSet {
        let mut all: HashMap<(Key, Class), u64> = HashMap::new();
        for ((key, seen), looks) in &self.looks {
            *all.entry((*key, seen.class)).or_default() += looks;
        }
        let mut rows: Vec<(f64, Key, &Seen)> = Vec::new();
        for ((key, seen), looks) in &self.looks {
            let of_thread = (*key, seen.class);
            let seconds = self.seconds.get(&of_thread).copied().unwrap_or(0.0);
            let all = all.get(&of_thread).copied().unwrap_or(1).max(1);
            rows.push((seconds * *looks as f64 / all as f64, *key, seen));
        }
        rows.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        RowSet::increases(rows.into_iter().filter(|row| row.0 > 0.0).map(|row| self.row(row)))
    }

    fn row(&self, (seconds, (pid, tid), seen): (f64, Key, &Seen)) -> StackRow {
        let waiter = self.waiters.get(&(pid, tid));
        let object = &seen.object;
        StackRow {
            kind: Some("wait".into()),
            tid: Some(tid),
            pid: Some(pid),
            name: waiter.map(|waiter| waiter.name.clone()),
            process_name: waiter.and_then(|waiter| waiter.process_name.clone()),
            kernel_thread: waiter.map(|waiter| waiter.kernel_thread),
            cgroup: waiter.and_then(|waiter| waiter.cgroup.clone()),
            class_name: Some(seen.class.name().into()),
            kernel_stack: seen.stack.clone(),
            syscall: seen.call.and_then(syscall_name).map(Into::into),
            object_kind: object.kind.map(Into::into),
            object_name: object.name.clone(),
            object_device: object.device.clone(),
            object_inode: object.inode,
            seconds: Some(seconds),
            // A sample is no wait, and rules take samples of waits for their number.
            samples: None,
            ..StackRow::default()
        }
    }
}

/// Devices behind mounts, by the number of the mount.
#[derive(Default)]
pub(super) struct MountedDevices(HashMap<u64, Option<Text>>);

impl MountedDevices {
    /// The block device of a mount that a process sees. Never by reading the file itself: the
    /// server of a remote file system may not answer.
    pub(super) fn device(&mut self, host: &Host, pid: i64, mount: u64) -> Option<Text> {
        if let Some(known) = self.0.get(&mount) {
            return known.clone();
        }
        let text = host.read_text(format!("/proc/{pid}/mountinfo")).unwrap_or_default();
        let device = number_of_mount(&text, mount).and_then(|number| {
            let link = host.read_link(format!("/sys/dev/block/{number}")).ok()?;
            Some(link.rsplit('/').next()?.into())
        });
        self.0.insert(mount, device.clone());
        device
    }
}

/// `major:minor` of a mount in `mountinfo`: its number is the first word, the device the third.
fn number_of_mount(text: &str, mount: u64) -> Option<&str> {
    let mut lines = text.lines().map(str::split_ascii_whitespace);
    lines.find_map(|mut words| (words.next()?.parse() == Ok(mount)).then(|| words.nth(1))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(class: Class, path: &str) -> Seen {
        let object = Object { kind: Some("inode"), name: Some(path.into()), ..Object::default() };
        Seen { object, ..Seen::new(class, None) }
    }

    #[test]
    fn the_time_of_a_class_is_divided_by_the_looks() {
        let mut waits = SeenWaits::default();
        let waiter = || Waiter { name: "a".into(), process_name: None, kernel_thread: false, cgroup: None };
        for path in ["/x", "/x", "/y", "/x"] {
            waits.add((7, 8), &seen(Class::DiskSync, path), waiter);
        }
        waits.spent((7, 8), Class::DiskSync, 2.0);
        waits.spent((7, 8), Class::Poll, 5.0);
        let rows = waits.rows();
        assert_eq!(rows.len, 2);
        assert_eq!(rows.floats("seconds"), [Some(1.5), Some(0.5)]);
        assert_eq!(rows.texts("object_name")[0].as_deref(), Some("/x"));
    }

    #[test]
    fn only_waiting_time_is_kept() {
        assert!(seen(Class::DiskRead, "/x").counts());
        assert!(!seen(Class::Poll, "/x").counts());
    }

    #[test]
    fn the_device_of_a_mount() {
        let text = "21 1 254:0 / / rw,noatime shared:1 - ext4 /dev/root rw\n\
            22 21 0:5 / /proc rw - proc proc rw\n";
        assert_eq!(number_of_mount(text, 21), Some("254:0"));
        assert_eq!(number_of_mount(text, 22), Some("0:5"));
        assert_eq!(number_of_mount(text, 2), None);
    }
}
