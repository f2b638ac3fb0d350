//! Paths of control groups by the number that the kernel gives them.
//!
//! The number is the inode of the group's folder. Groups come and go, so the tree is
//! walked again when an unknown number turns up, but not more than once a reading.

use std::collections::HashMap;

use heldup_hostfs::Host;
use heldup_model::{Text, owner_of_cgroup};

use super::record::Header;

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
        let cpu_root = tree_of(&mounts, "cpu");
        let cpu_controller = cpu_root.is_some();
        let root = cpu_root.or_else(|| mount_of(&mounts, |kind, _| kind == "cgroup2"));
        Groups { cpu_controller, ..Groups::below(root) }
    }

    fn below(root: Option<String>) -> Groups {
        Groups {
            root: root.unwrap_or_else(|| "/sys/fs/cgroup".to_owned()),
            cpu_controller: false,
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

/// The trees that controllers of version 1 have for themselves: there a task has a group in each.
///
/// Of a task that ended nobody can read that any more, and a limit of one of them may be what it waited for.
pub(crate) struct Trees {
    memory: Groups,
    io: Groups,
    pids: Groups,
}

impl Trees {
    /// None where one tree has all controllers: the group of that is the task's in each.
    pub(crate) fn find(host: &Host) -> Option<Trees> {
        let mounts = host.read_text("/proc/mounts").unwrap_or_default();
        let trees = ["memory", "blkio", "pids"].map(|controller| tree_of(&mounts, controller));
        if trees.iter().all(Option::is_none) {
            return None;
        }
        // Of hybrid hosts: a controller that has no tree of version 1 is in that of version 2.
        let unified = || mount_of(&mounts, |kind, _| kind == "cgroup2");
        let [memory, io, pids] = trees.map(|tree| Groups::below(tree.or_else(unified)));
        Some(Trees { memory, io, pids })
    }

    pub(crate) fn next_reading(&mut self) {
        [&mut self.memory, &mut self.io, &mut self.pids].into_iter().for_each(Groups::next_reading);
    }

    /// Memory, io and pids group of a task that ended; none where it was in no group but the roots.
    pub(crate) fn of_ended(&mut self, host: &Host, header: &Header) -> Option<[Option<Text>; 3]> {
        let ids = [
            (&mut self.memory, header.cgroup_memory),
            (&mut self.io, header.cgroup_io),
            (&mut self.pids, header.cgroup_pids),
        ];
        let paths = ids.map(|(groups, id)| groups.name(host, id).path);
        paths.iter().flatten().any(|path| &**path != "/").then_some(paths)
    }
}

/// Mount point of the tree of version 1 that has a controller.
fn tree_of(mounts: &str, controller: &str) -> Option<String> {
    mount_of(mounts, |kind, options| {
        kind == "cgroup" && options.split(',').any(|option| option == controller)
    })
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
        assert_eq!(tree_of(HYBRID, "cpu").as_deref(), Some("/sys/fs/cgroup/cpu,cpuacct"));
        assert_eq!(tree_of("cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n", "cpu"), None);
        assert_eq!(tree_of("cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n", "cpu"), None);
    }

    #[test]
    fn who_ended_had_a_group_in_each_tree() {
        let root = std::env::temp_dir().join(format!("heldup-trees-{}", std::process::id()));
        std::fs::create_dir_all(root.join("cg/memory/small")).expect("folders");
        std::fs::create_dir_all(root.join("cg/pids")).expect("folders");
        std::fs::create_dir_all(root.join("cg/unified")).expect("folders");
        std::fs::create_dir_all(root.join("proc")).expect("folders");
        let mounts = "cgroup /cg/memory cgroup rw,memory 0 0\n\
                      cgroup /cg/pids cgroup rw,pids 0 0\n\
                      cgroup2 /cg/unified cgroup2 rw 0 0\n";
        std::fs::write(root.join("proc/mounts"), mounts).expect("mounts");
        let host = Host::recorded(&root);
        let id = |path: &str| host.inode(path).expect("a folder");
        let mut trees = Trees::find(&host).expect("trees of version 1");
        let ended = |memory: &str, pids: &str| Header {
            cgroup_memory: id(memory),
            cgroup_io: id("/cg/unified"),
            cgroup_pids: id(pids),
            ..Header::default()
        };
        let seen = trees.of_ended(&host, &ended("/cg/memory/small", "/cg/pids")).expect("in a group");
        assert_eq!(seen.map(|path| path.unwrap_or_default().to_string()), ["/small", "/", "/"]);
        assert_eq!(trees.of_ended(&host, &ended("/cg/memory", "/cg/pids")), None, "the roots");
        std::fs::write(root.join("proc/mounts"), "cgroup2 /cg/unified cgroup2 rw 0 0\n").expect("mounts");
        assert!(Trees::find(&host).is_none(), "one tree");
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
