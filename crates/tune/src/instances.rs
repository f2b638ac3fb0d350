//! Where a tunable is on a host: one file, or one for each device, interface, CPU or group.

use heldup_hostfs::{Host, HostError};

use crate::call_door::CallDoor;
use crate::called;
use crate::instance::Instance;
use crate::setting_path::{fits, key_of_path, sysctl_path};
use crate::tunable::Tunable;

/// How deep below a pattern's `**` is looked; control groups are rarely deeper.
const DEEPEST: usize = 6;

impl Tunable {
    /// The files and places that a host has of it now, sorted. None where the host does not have it,
    /// and of what is a task's or a group's and no file.
    pub fn instances(&self, host: &Host) -> Vec<Instance> {
        if let (None, Some(door)) = (&self.path, self.door) {
            return called::instances(host, self, door);
        }
        let mut found = Vec::new();
        let former = self.was.iter().map(|was| was.path.as_str());
        for pattern in self.path.as_deref().into_iter().chain(former) {
            expand(host, String::new(), pattern.trim_start_matches('/'), DEEPEST, &mut found);
            // A kernel has one of the places.
            if !found.is_empty() {
                break;
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|path| Instance { key: key_of_path(&path), path }).collect()
    }

    /// The instance of a key such as `block.vda.queue.scheduler`, or of a path.
    pub fn instance(&self, host: &Host, name: &str) -> Option<Instance> {
        self.instances(host).into_iter().find(|instance| instance.key == name || instance.path == name)
    }

    /// The instances of a task or control group that a name means, such as `process.812.nice`: with the
    /// task's start and the number of the group's folder, so that they are never another one's. None where
    /// the setting is of neither, or the name means none.
    pub fn owned_instances(&self, host: &Host, name: &str) -> Option<Result<Vec<Instance>, HostError>> {
        called::owned(host, self, name)
    }

    /// A key of one task or control group, where those that have the setting are too many to list.
    pub fn example_of_owned(&self) -> Option<String> {
        match self.door? {
            CallDoor::Cgroup => {
                Some(called::cgroup::key("/system.slice/cron.service", self.id.strip_prefix("cgroup.")?))
            }
            CallDoor::Process => Some(self.id.replacen('.', ".1234.", 1)),
            _ => None,
        }
    }

    /// Whether a key or a path can be one of this tunable's, on any host and in any release.
    pub fn covers(&self, name: &str) -> bool {
        if name == self.id || fits(&self.id, name) {
            return true;
        }
        if self.door.is_some_and(|door| called::covers(self, door, name)) {
            return true;
        }
        let by_name = (!name.starts_with('/')).then(|| sysctl_path(name));
        let path_of_name = by_name.as_deref().unwrap_or(name);
        let former = self.was.iter().map(|was| was.path.as_str());
        self.path.as_deref().into_iter().chain(former).any(|path| fits(path, path_of_name))
    }
}

/// The files that a pattern stands for on a host, sorted.
pub(crate) fn expanded(host: &Host, pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    expand(host, String::new(), pattern.trim_start_matches('/'), DEEPEST, &mut found);
    found.sort_unstable();
    found
}

/// Files of a pattern below a folder.
fn expand(host: &Host, folder: String, pattern: &str, depth: usize, found: &mut Vec<String>) {
    let (part, rest) = pattern.split_once('/').map_or((pattern, None), |(part, rest)| (part, Some(rest)));
    if part == "**" {
        let Some(rest) = rest else { return };
        expand(host, folder.clone(), rest, depth, found);
        if depth > 0 {
            for name in host.folders(&folder).unwrap_or_default() {
                expand(host, format!("{folder}/{name}"), pattern, depth - 1, found);
            }
        }
        return;
    }
    let names = if part.contains('*') {
        let mut names = host.list(if folder.is_empty() { "/" } else { &folder }).unwrap_or_default();
        names.retain(|name| fits(part, name));
        names
    } else {
        vec![part.to_owned()]
    };
    for name in names {
        let path = format!("{folder}/{name}");
        match rest {
            Some(rest) => expand(host, path, rest, depth, found),
            None if host.exists(&path) => found.push(path),
            None => {}
        }
    }
}
