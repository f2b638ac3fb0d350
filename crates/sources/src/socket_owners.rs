//! Which process holds a socket: the links in `/proc/PID/fd`.
//!
//! A look at every descriptor of every process, therefore bounded in time, and what was
//! found is kept for the next reading.

use std::collections::{HashMap, HashSet};

use heldup_hostfs::{Host, monotonic_ns};

use crate::kernel_text::count;
use crate::process_owner::ProcessOwner;

/// A look at a descriptor costs about 2 µs; 100,000 of them are on a busy host.
const TIME_LIMIT_NS: u64 = 200_000_000;

/// A process that holds a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Process id; of several (after a fork) the lowest.
    pub pid: i64,
    /// Its name, unit and container.
    pub process: ProcessOwner,
}

/// Owners found so far, by inode of the socket.
#[derive(Debug, Default)]
pub struct SocketOwners {
    /// `None`: looked for everywhere in vain (held by a process that we may not look into).
    known: HashMap<i64, Option<Owner>>,
    text: Vec<u8>,
}

impl SocketOwners {
    /// Owner of a socket, if it was found.
    pub fn of(&self, inode: i64) -> Option<&Owner> {
        self.known.get(&inode)?.as_ref()
    }

    /// Looks for the owners of sockets that are not known yet; answers whether it looked
    /// at every one of `processes` that it may look at.
    pub fn find(&mut self, host: &Host, processes: &[i64], inodes: impl Iterator<Item = i64>) -> bool {
        let wanted: HashSet<i64> = inodes.collect();
        self.known.retain(|inode, _| wanted.contains(inode));
        let mut sought: HashSet<i64> =
            wanted.into_iter().filter(|inode| *inode != 0 && !self.known.contains_key(inode)).collect();
        let deadline = monotonic_ns() + TIME_LIMIT_NS;
        for &pid in processes {
            if sought.is_empty() {
                return true;
            }
            if monotonic_ns() > deadline {
                return false;
            }
            self.look_into(host, pid, &mut sought);
        }
        self.known.extend(sought.into_iter().map(|inode| (inode, None)));
        true
    }

    fn look_into(&mut self, host: &Host, pid: i64, sought: &mut HashSet<i64>) {
        let folder = format!("/proc/{pid}/fd");
        let mut process: Option<ProcessOwner> = None;
        // Not allowed, or ended meanwhile: its sockets stay without an owner.
        let descriptors = host.list_numbers(&folder).unwrap_or_default();
        let mut links = host.records_in(folder);
        for descriptor in descriptors {
            let Ok(target) = links.read_link(&descriptor.to_string()) else { continue };
            let inode = target.strip_prefix("socket:[").and_then(|rest| rest.strip_suffix(']'));
            let Some(inode) = inode.and_then(|digits| count(digits.as_bytes())) else { continue };
            if sought.remove(&inode) {
                let process =
                    process.get_or_insert_with(|| ProcessOwner::read(host, pid, &mut self.text)).clone();
                self.known.insert(inode, Some(Owner { pid, process }));
            }
        }
    }
}
