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
        let mut owner = ProcessOwner::default();
        if host.read_into(format!("/proc/{pid}/cgroup"), &mut self.text).is_ok() {
            // Flaws of the file are said by the source of the processes.
            let groups = proc_pid_cgroup::parse(&self.text).value;
            (owner.unit, owner.container) = (groups.unit, groups.container);
        }
        owner.name = host.read_text(format!("/proc/{pid}/comm")).ok().map(Into::into);
        self.known.insert(pid, owner.clone());
        owner
    }
}
