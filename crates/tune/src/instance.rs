//! Where a tunable is on a host: one file, or one for each device, interface, CPU or group.

use heldup_hostfs::{Host, HostError};

use crate::assignment::sysctl_path;
use crate::called::{self, CallDoor};
use crate::tunable::Tunable;

/// How deep below a pattern's `**` is looked; control groups are rarely deeper.
const DEEPEST: usize = 6;

/// One file of a tunable, or one place that calls reach.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    /// Its path; of what has no file its place, `DOOR:OWNER:SETTING`.
    pub path: String,
    /// The id with the names that `*` stands for: a key of table `setting`.
    pub key: String,
}

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

/// The key of a path.
pub(crate) fn key_of_path(path: &str) -> String {
    let below = path.strip_prefix("/proc/sys/").or_else(|| path.strip_prefix("/sys/"));
    match below {
        // An entry of its own name (`process.oom_score_adj`) is told by its path.
        None => path.to_owned(),
        Some(below) if below.starts_with("fs/cgroup/") => path.to_owned(),
        Some(below) => key(below),
    }
}

/// The files that a pattern stands for on a host, sorted.
pub(crate) fn expanded(host: &Host, pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    expand(host, String::new(), pattern.trim_start_matches('/'), DEEPEST, &mut found);
    found.sort_unstable();
    found
}

/// A path below `/proc/sys` or `/sys` as sysctl(8) writes it: a dot of the path itself, such as
/// that of an interface `eth0.100`, becomes a slash.
pub(crate) fn key(below: &str) -> String {
    let swap = |c| match c {
        '/' => '.',
        '.' => '/',
        other => other,
    };
    below.chars().map(swap).collect()
}

/// Whether a text is what a pattern describes, each `*` standing for any characters.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut after) = text.strip_prefix(start) else { return false };
    loop {
        if fits(rest.trim_start_matches('*'), after) {
            return true;
        }
        let mut characters = after.chars();
        if characters.next().is_none() {
            return false;
        }
        after = characters.as_str();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(fits("block.*.queue.scheduler", "block.vda.queue.scheduler"));
        assert!(!fits("block.*.queue.scheduler", "block.vda.queue.nr_requests"));
        assert!(fits("/sys/fs/cgroup/**/memory.max", "/sys/fs/cgroup/system.slice/a.service/memory.max"));
        assert!(fits("a.*", "a.b") && !fits("a", "a.b") && fits("*", ""));
        assert_eq!(key("net/ipv4/conf/eth0.100/rp_filter"), "net.ipv4.conf.eth0/100.rp_filter");
    }
}
