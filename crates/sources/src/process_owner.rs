//! Who a process is and who owns it, for rows that know no more than a process id: name,
//! systemd unit and container.
//!
//! Made anew for each reading: the kernel reuses process ids.

use std::collections::HashMap;

use heldup_hostfs::Host;
use heldup_model::Text;

use crate::proc_pid_cgroup;

/// Name and owners; what could not be read is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessOwner {
    /// Name (comm).
    pub name: Option<Text>,
    /// systemd unit.
    pub unit: Option<Text>,
    /// Container id.
    pub container: Option<Text>,
}

impl ProcessOwner {
    /// Reads name and owners of a process; two small files.
    pub fn read(host: &Host, pid: i64, text: &mut Vec<u8>) -> ProcessOwner {
        let name = host.read_text(format!("/proc/{pid}/comm")).ok().map(Into::into);
        let (unit, container) = ProcessOwner::groups(host, pid, text);
        ProcessOwner { name, unit, container }
    }

    /// Unit and container alone.
    pub fn groups(host: &Host, pid: i64, text: &mut Vec<u8>) -> (Option<Text>, Option<Text>) {
        match host.read_into(format!("/proc/{pid}/cgroup"), text) {
            // Flaws of the file are said by the source of the processes.
            Ok(()) => {
                let groups = proc_pid_cgroup::parse(text).value;
                (groups.unit, groups.container)
            }
            Err(_) => (None, None),
        }
    }
}

/// Owners of the processes that were asked for so far.
#[derive(Debug, Default)]
pub struct ProcessOwners {
    known: HashMap<i64, ProcessOwner>,
    text: Vec<u8>,
}

impl ProcessOwners {
    /// Name and owners of a process; two small files the first time.
    pub fn of(&mut self, host: &Host, pid: i64) -> ProcessOwner {
        if let Some(known) = self.known.get(&pid) {
            return known.clone();
        }
        let owner = ProcessOwner::read(host, pid, &mut self.text);
        self.known.insert(pid, owner.clone());
        owner
    }
}
