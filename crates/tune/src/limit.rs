//! A control group with limits around some processes, as a plan: the group is made, they are moved into
//! it, and all of it goes back through the log of changes.
//!
//! Of v2 it is a sister of the group that the first process is in, so that what limits that one's parents
//! still holds; of v1 a group below its own. What they start is in it too.

use heldup_hostfs::{Host, HostError};

use crate::call_door::CallDoor;
use crate::called;
use crate::called::process::{group, tree};
use crate::instance::Instance;
use crate::plan::Plan;

/// Period of quotas, in microseconds: the kernel's default.
const PERIOD_US: u64 = 100_000;
/// Least quota that the kernel takes.
const LEAST_QUOTA_US: u64 = 1000;

/// What processes may use together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// CPUs, such as 1.5.
    pub cpus: Option<f64>,
    /// Bytes of memory, page cache included.
    pub memory_bytes: Option<u64>,
    /// Tasks.
    pub tasks: Option<u64>,
    /// What devices may read and write for them.
    pub io: Vec<IoLimit>,
}

/// What a device may read or write for a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoLimit {
    /// Its number, `253:0`.
    pub device: String,
    /// Bytes a second that may be read.
    pub read_bytes_per_s: Option<u64>,
    /// Bytes a second that may be written.
    pub written_bytes_per_s: Option<u64>,
}

/// Why there is no such group.
#[derive(Debug, thiserror::Error)]
pub enum LimitError {
    /// Neither version has it.
    #[error("cgroup controller `{0}` is not mounted")]
    NoController(&'static str),
    /// It has ended, or never was.
    #[error("process {pid}: {source}")]
    NoProcess {
        /// Its number.
        pid: i64,
        /// What the host said.
        source: HostError,
    },
    /// Nothing is to be limited.
    #[error("no limit given (expected --cpu-quota, --memory, --tasks, --read or --write)")]
    Nothing,
    /// Nobody is to be limited.
    #[error("no process given (expected --pid or a command)")]
    Nobody,
}

/// Limits of one tree: of one controller in v1, of several in v2.
struct OfTree {
    /// As [`tree`] takes it; empty of v2.
    controller: &'static str,
    /// Controllers that are needed.
    needed: Vec<&'static str>,
    /// `cpu.max=200000,100000`.
    words: Vec<String>,
}

impl Plan {
    /// The plan of a group, which bears a name that no other has, with limits for some processes.
    pub fn of_limits(host: &Host, name: &str, limits: &Limits, pids: &[i64]) -> Result<Plan, LimitError> {
        let first = *pids.first().ok_or(LimitError::Nobody)?;
        let trees = trees(host, limits)?;
        if trees.is_empty() {
            return Err(LimitError::Nothing);
        }
        let mut plan = Plan::default();
        for of_tree in &trees {
            let no_process = |pid| move |source| LimitError::NoProcess { pid, source };
            let controller = of_tree.controller;
            let root = tree(host, controller).ok_or(LimitError::NoController("cgroup2"))?;
            let own = group(host, first, controller).map_err(no_process(first))?;
            let home = format!("{root}{}", own.trim_end_matches('/'));
            let parent = match (controller, own.rsplit_once('/')) {
                ("", Some((parent, _))) => parent.to_owned(),
                _ => own.trim_end_matches('/').to_owned(),
            };
            if controller.is_empty() {
                enable(&mut plan, host, &root, &parent, &of_tree.needed);
            }
            let folder = format!("{root}{parent}/{name}");
            let at = called::instance(CallDoor::Group, &format!("{folder}/{home}"), "limits");
            plan.add_place(host, at, &of_tree.words.join(" "));
            let setting =
                if controller.is_empty() { "cgroup".to_owned() } else { format!("cgroup.{controller}") };
            for pid in pids {
                let at = process(host, *pid, &setting).map_err(no_process(*pid))?;
                plan.add_place(host, at, &format!("{parent}/{name}"));
            }
        }
        Ok(plan)
    }
}

fn process(host: &Host, pid: i64, setting: &str) -> Result<Instance, HostError> {
    let owner = called::process::owner(host, pid)?;
    Ok(called::instance(CallDoor::Process, &owner, setting))
}

/// The trees in which something is to be limited.
fn trees(host: &Host, limits: &Limits) -> Result<Vec<OfTree>, LimitError> {
    let mut all: Vec<OfTree> = Vec::new();
    for name in ["cpu", "memory", "pids", "io"] {
        let (v1, v2) = (words(limits, name, true), words(limits, name, false));
        if v1.is_empty() && v2.is_empty() {
            continue;
        }
        let of_v1 = if name == "io" { "blkio" } else { name };
        if tree(host, of_v1).is_some() {
            all.push(OfTree { controller: of_v1, needed: Vec::new(), words: v1 });
            continue;
        }
        let offered =
            tree(host, "").and_then(|root| host.read_text(format!("{root}/cgroup.controllers")).ok());
        if !offered.is_some_and(|offered| offered.split_whitespace().any(|offers| offers == name)) {
            return Err(LimitError::NoController(name));
        }
        match all.iter_mut().find(|of_tree| of_tree.controller.is_empty()) {
            Some(unified) => {
                unified.needed.push(name);
                unified.words.extend(v2);
            }
            None => all.push(OfTree { controller: "", needed: vec![name], words: v2 }),
        }
    }
    Ok(all)
}

/// Limits of a controller as its files have them, in either version.
fn words(limits: &Limits, controller: &str, is_v1: bool) -> Vec<String> {
    match controller {
        "cpu" => {
            let quota = |cpus: f64| ((cpus * PERIOD_US as f64).round() as u64).max(LEAST_QUOTA_US);
            let word = |us: u64| match is_v1 {
                true => format!("cpu.cfs_quota_us={us}"),
                false => format!("cpu.max={us},{PERIOD_US}"),
            };
            limits.cpus.map(quota).map(word).into_iter().collect()
        }
        "memory" => {
            let file = if is_v1 { "memory.limit_in_bytes" } else { "memory.max" };
            limits.memory_bytes.map(|bytes| format!("{file}={bytes}")).into_iter().collect()
        }
        "pids" => limits.tasks.map(|tasks| format!("pids.max={tasks}")).into_iter().collect(),
        _ => limits.io.iter().flat_map(|io| io_words(io, is_v1)).collect(),
    }
}

fn io_words(io: &IoLimit, is_v1: bool) -> Vec<String> {
    let IoLimit { device, read_bytes_per_s: read, written_bytes_per_s: written } = io;
    if is_v1 {
        let word = |way: &str, bytes: u64| format!("blkio.throttle.{way}_bps_device={device},{bytes}");
        let (read, written) =
            (read.map(|bytes| word("read", bytes)), written.map(|bytes| word("write", bytes)));
        return read.into_iter().chain(written).collect();
    }
    let number = |bytes: &Option<u64>| bytes.map_or_else(|| "max".to_owned(), |bytes| bytes.to_string());
    vec![format!("io.max={device},rbps={},wbps={},riops=max,wiops=max", number(read), number(written))]
}

/// Lets the groups below a group, and below those above it, have controllers.
fn enable(plan: &mut Plan, host: &Host, root: &str, parent: &str, needed: &[&str]) {
    let order = host.read_text(format!("{root}/cgroup.controllers")).unwrap_or_default();
    let ends = parent.match_indices('/').map(|(at, _)| at).chain([parent.len()]);
    let mut folders: Vec<String> = ends.map(|end| format!("{root}{}", &parent[..end])).collect();
    folders.dedup();
    for folder in folders {
        let now = host.read_text(format!("{folder}/cgroup.subtree_control")).unwrap_or_default();
        let has = |name: &str| now.split_whitespace().any(|own| own == name);
        if needed.iter().all(|name| has(name)) {
            continue;
        }
        let wanted = order.split_whitespace().filter(|name| has(name) || needed.contains(name));
        let wanted: Vec<&str> = wanted.collect();
        let at = called::instance(CallDoor::Group, &folder, "controllers");
        plan.add_place(host, at, &wanted.join(" "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Tree(std::path::PathBuf);

    impl Tree {
        fn new(name: &str, files: &[(&str, &str)]) -> Tree {
            let tree = Tree(std::env::temp_dir().join(format!("heldup-limit-{name}-{}", std::process::id())));
            for (file, text) in files {
                let file = tree.0.join(file);
                std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
                std::fs::write(file, text).expect("written");
            }
            tree
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const STAT: &str = "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 900 0 0\n";

    fn planned(tree: &Tree, limits: &Limits) -> Vec<(String, String)> {
        let plan = Plan::of_limits(&Host::recorded(&tree.0), "heldup-9", limits, &[7]).expect("a plan");
        plan.changes.into_iter().map(|planned| (planned.instance.path, planned.to)).collect()
    }

    #[test]
    fn of_version_two_it_is_a_sister_with_what_it_needs() {
        let tree = Tree::new(
            "two",
            &[
                ("proc/7/stat", STAT),
                ("proc/7/cgroup", "0::/system.slice/a@b.service\n"),
                ("proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
                ("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n"),
                ("sys/fs/cgroup/cgroup.subtree_control", "memory pids\n"),
                ("sys/fs/cgroup/system.slice/cgroup.subtree_control", "memory pids\n"),
            ],
        );
        let limits = Limits { cpus: Some(1.5), memory_bytes: Some(1 << 30), ..Limits::default() };
        let group =
            "group:/sys/fs/cgroup/system.slice/heldup-9//sys/fs/cgroup/system.slice/a@b.service:limits";
        let expected = [
            ("group:/sys/fs/cgroup:controllers", "cpu memory pids"),
            ("group:/sys/fs/cgroup/system.slice:controllers", "cpu memory pids"),
            (group, "cpu.max=150000,100000 memory.max=1073741824"),
            ("process:7@900:cgroup", "/system.slice/heldup-9"),
        ];
        assert_eq!(planned(&tree, &limits), expected.map(|(path, to)| (path.to_owned(), to.to_owned())));
    }

    #[test]
    fn of_version_one_each_controller_has_its_tree() {
        let tree = Tree::new(
            "one",
            &[
                ("proc/7/stat", STAT),
                ("proc/7/cgroup", "4:memory:/a\n3:blkio:/\n0::/\n"),
                (
                    "proc/self/mountinfo",
                    "30 1 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                     31 1 0:27 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n",
                ),
            ],
        );
        let io =
            IoLimit { device: "7:0".to_owned(), read_bytes_per_s: Some(1000), written_bytes_per_s: None };
        let limits = Limits { memory_bytes: Some(4096), io: vec![io], ..Limits::default() };
        let expected = [
            (
                "group:/sys/fs/cgroup/memory/a/heldup-9//sys/fs/cgroup/memory/a:limits",
                "memory.limit_in_bytes=4096",
            ),
            ("process:7@900:cgroup.memory", "/a/heldup-9"),
            (
                "group:/sys/fs/cgroup/blkio/heldup-9//sys/fs/cgroup/blkio:limits",
                "blkio.throttle.read_bps_device=7:0,1000",
            ),
            ("process:7@900:cgroup.blkio", "/heldup-9"),
        ];
        assert_eq!(planned(&tree, &limits), expected.map(|(path, to)| (path.to_owned(), to.to_owned())));
        let host = Host::recorded(&tree.0);
        let cpus = Limits { cpus: Some(1.0), ..Limits::default() };
        let refused = Plan::of_limits(&host, "heldup-9", &cpus, &[7]).expect_err("none");
        assert!(matches!(refused, LimitError::NoController("cpu")), "{refused}");
        assert!(matches!(
            Plan::of_limits(&host, "x", &limits, &[8]),
            Err(LimitError::NoProcess { pid: 8, .. })
        ));
        assert!(matches!(Plan::of_limits(&host, "x", &Limits::default(), &[7]), Err(LimitError::Nothing)));
    }
}
