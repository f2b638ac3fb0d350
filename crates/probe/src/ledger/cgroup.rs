//! Paths of control groups by the number that the kernel gives them.
//!
//! The number is the inode of the group's folder. Groups come and go, so the tree is
//! walked again when an unknown number turns up, but not more than once a reading.

use std::collections::HashMap;

use heldup_hostfs::Host;
use heldup_model::{Text, owner_of_cgroup};

/// Folders that are walked at most: a tree that grows without end must not stop us.
const MAX_GROUPS: usize = 20_000;

/// A control group as rows name it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GroupName {
    pub(crate) path: Option<Text>,
    pub(crate) unit: Option<Text>,
    pub(crate) container: Option<Text>,
}

/// The tree whose groups name tasks.
pub(crate) struct Groups {
    root: String,
    /// Whether tasks are named by the v1 cpu controller.
    pub(crate) cpu_controller: bool,
    names: HashMap<u64, GroupName>,
    walked: bool,
}

impl Groups {
    /// Finds the v2 tree, or on hosts that still have it the v1 tree of the cpu controller.
    pub(crate) fn find(host: &Host) -> Groups {
        let mounts = host.read_text("/proc/mounts").unwrap_or_default();
        let cpu_root = mount_of(&mounts, |kind, options| {
            kind == "cgroup" && options.split(',').any(|option| option == "cpu")
        });
        let root = cpu_root.clone().or_else(|| mount_of(&mounts, |kind, _| kind == "cgroup2"));
        Groups {
            root: root.unwrap_or_else(|| "/sys/fs/cgroup".to_owned()),
            cpu_controller: cpu_root.is_some(),
            names: HashMap::new(),
            walked: false,
        }
    }

    /// Before each reading: an unknown number may cause one walk again.
    pub(crate) fn next_reading(&mut self) {
        self.walked = false;
    }

    /// The name of a group; nothing when it is gone or outside of what we may see.
    pub(crate) fn name(&mut self, host: &Host, id: u64) -> GroupName {
        if !self.names.contains_key(&id) && !self.walked {
            self.walk(host);
        }
        self.names.entry(id).or_default().clone()
    }

    fn walk(&mut self, host: &Host) {
        self.walked = true;
        let mut folders = vec![self.root.clone()];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            seen += 1;
            if seen > MAX_GROUPS {
                return;
            }
            if let Ok(inode) = host.inode(&folder) {
                let path = match &folder[self.root.len()..] {
                    "" => "/",
                    below => below,
                };
                let owner = owner_of_cgroup(path);
                let (unit, container) = (owner.unit, owner.container);
                self.names.insert(inode, GroupName { path: Some(path.into()), unit, container });
            }
            let below = host.folders(&folder).unwrap_or_default();
            folders.extend(below.into_iter().map(|name| format!("{folder}/{name}")));
        }
    }
}

/// Mount point of the first line of `/proc/mounts` that fits.
fn mount_of(mounts: &str, fits: impl Fn(&str, &str) -> bool) -> Option<String> {
    mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (_, point, kind, options) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        fits(kind, options).then(|| point.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n\
        cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n\
        cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";

    #[test]
    fn the_cpu_controller_is_told_from_cpuset() {
        let cpu = |kind: &str, options: &str| kind == "cgroup" && options.split(',').any(|o| o == "cpu");
        assert_eq!(mount_of(HYBRID, cpu).as_deref(), Some("/sys/fs/cgroup/cpu,cpuacct"));
        let v2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n";
        assert_eq!(mount_of(v2, cpu), None);
        let cpuset = "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n";
        assert_eq!(mount_of(cpuset, cpu), None);
    }
}
