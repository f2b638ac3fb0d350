//! Limits of a control group that is there: CPU time in CPUs, memory in bytes, tasks. One name for both
//! versions of control groups, and for the groups of systemd's units.
//!
//! A group is named by its path in the tree of the controller, or by the name of its folder (a unit); a
//! place has the number of the folder too, so that a group that was made anew since, as that of a unit
//! which was restarted, is not touched.

use heldup_hostfs::{Host, HostError};
use heldup_model::parse_bytes;

use super::process::tree;
use super::{gone, unfit};
use crate::objection::Objection;
use crate::tunable::NO_LIMIT;

/// What v1 says for no limit of memory: the largest number of whole pages.
pub(super) const V1_NO_MEMORY_LIMIT: u64 = i64::MAX as u64 - 65535;
/// Least quota that the kernel takes, in microseconds.
const LEAST_QUOTA_US: f64 = 1000.0;
/// Digits behind the point of a number of CPUs: a quota of whole microseconds of the longest period, which
/// is a second, is told from its neighbours.
const CPU_DIGITS: usize = 7;
/// How deep groups are looked for by the name of their folder.
const DEEPEST: usize = 8;
/// Where it is, systemd runs (sd_booted(3)).
const SYSTEMD: &str = "/run/systemd/system";
/// Below it the groups are those of a user's own systemd.
const USERS: &str = "/user@";

/// A limit of a group and where each version has it.
struct Limit {
    name: &'static str,
    controller: &'static str,
    v1: &'static str,
    v2: &'static str,
    /// The property of a unit.
    property: &'static str,
}

const LIMITS: [Limit; 3] = [
    Limit {
        name: "cpu.quota",
        controller: "cpu",
        v1: "cpu.cfs_quota_us",
        v2: "cpu.max",
        property: "CPUQuota",
    },
    Limit {
        name: "memory.limit",
        controller: "memory",
        v1: "memory.limit_in_bytes",
        v2: "memory.max",
        property: "MemoryMax",
    },
    Limit { name: "pids.limit", controller: "pids", v1: "pids.max", v2: "pids.max", property: "TasksMax" },
];

impl Limit {
    fn named(setting: &str) -> Result<&'static Limit, HostError> {
        LIMITS.iter().find(|limit| limit.name == setting).ok_or_else(|| gone(setting))
    }

    /// The tree of its controller, and whether that is one of v1.
    fn tree(&self, host: &Host) -> Result<(String, bool), HostError> {
        let of_v1 = tree(host, self.controller).map(|root| (root, true));
        of_v1.or_else(|| Some((tree(host, "")?, false))).ok_or_else(|| gone(self.controller))
    }

    fn file(&self, is_v1: bool) -> &'static str {
        if is_v1 { self.v1 } else { self.v2 }
    }

    /// The value of a group's folder.
    fn read(&self, host: &Host, folder: &str, is_v1: bool) -> Result<String, HostError> {
        let path = format!("{folder}/{}", self.file(is_v1));
        let text = host.read_text(&path)?;
        let first = text.split_whitespace().next().unwrap_or_default();
        let no_memory_limit = || {
            self.controller == "memory" && first.parse().is_ok_and(|bytes: u64| bytes >= V1_NO_MEMORY_LIMIT)
        };
        if first == NO_LIMIT || first.starts_with('-') || no_memory_limit() {
            return Ok(NO_LIMIT.to_owned());
        }
        if self.controller != "cpu" {
            return Ok(first.to_owned());
        }
        let quota_us: f64 = first.parse().map_err(|_| unfit(&path, format!("invalid quota {text}")))?;
        Ok(of_cpus(quota_us / period_us(host, folder, is_v1)?))
    }

    /// A value in the form that the file takes.
    fn word(&self, host: &Host, folder: &str, is_v1: bool, value: &str) -> Result<String, HostError> {
        if value == NO_LIMIT {
            let none = if is_v1 && self.controller != "pids" { "-1" } else { NO_LIMIT };
            return Ok(none.to_owned());
        }
        if self.controller != "cpu" {
            return Ok(value.to_owned());
        }
        let cpus: f64 =
            value.parse().map_err(|_| unfit(folder, format!("invalid number of CPUs {value}")))?;
        Ok(format!("{:.0}", cpus * period_us(host, folder, is_v1)?))
    }
}

/// The period of quotas in microseconds; it stays as it is.
fn period_us(host: &Host, folder: &str, is_v1: bool) -> Result<f64, HostError> {
    let path = format!("{folder}/{}", if is_v1 { "cpu.cfs_period_us" } else { "cpu.max" });
    let text = host.read_text(&path)?;
    let word = text.split_whitespace().next_back().and_then(|word| word.parse::<f64>().ok());
    word.filter(|us| *us > 0.0).ok_or_else(|| unfit(&path, format!("{text:?} has no period")))
}

fn of_cpus(cpus: f64) -> String {
    let text = format!("{cpus:.CPU_DIGITS$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The name by which people call it.
pub(crate) fn key(group: &str, setting: &str) -> String {
    format!("cgroup:{group}/{setting}")
}

/// The group of a key: a path, or the name of a folder.
pub(super) fn group_of_key<'k>(key: &'k str, setting: &str) -> Option<&'k str> {
    key.strip_prefix("cgroup:")?.strip_suffix(setting)?.strip_suffix('/').filter(|group| !group.is_empty())
}

/// The groups that are meant, with the numbers of their folders.
pub(super) fn owners(host: &Host, group: &str, setting: &str) -> Result<Vec<String>, HostError> {
    let (root, _) = Limit::named(setting)?.tree(host)?;
    let mut paths = Vec::new();
    if group.starts_with('/') {
        paths.push(group.to_owned());
    } else {
        folders_named(host, &root, "", group, DEEPEST, &mut paths);
    }
    let owner = |path: String| Ok(format!("{path}@{}", host.inode(format!("{root}{path}"))?));
    let owners: Result<Vec<String>, HostError> = paths.into_iter().map(owner).collect();
    owners.and_then(|owners| if owners.is_empty() { Err(gone(group)) } else { Ok(owners) })
}

fn folders_named(host: &Host, root: &str, below: &str, name: &str, depth: usize, found: &mut Vec<String>) {
    for folder in host.folders(format!("{root}{below}")).unwrap_or_default() {
        let path = format!("{below}/{folder}");
        if folder == name {
            found.push(path.clone());
        }
        if depth > 0 {
            folders_named(host, root, &path, name, depth - 1, found);
        }
    }
}

/// The folder of a place, where it is still the one that is meant, and whether it is one of v1.
fn folder(host: &Host, owner: &str, limit: &Limit) -> Result<(String, bool), HostError> {
    let (path, number) = owner.rsplit_once('@').ok_or_else(|| gone(owner))?;
    let (root, is_v1) = limit.tree(host)?;
    let folder = format!("{root}{path}");
    if host.inode(&folder)?.to_string() == number { Ok((folder, is_v1)) } else { Err(gone(owner)) }
}

pub(super) fn read(host: &Host, owner: &str, setting: &str) -> Result<String, HostError> {
    let limit = Limit::named(setting)?;
    let (folder, is_v1) = folder(host, owner, limit)?;
    limit.read(host, &folder, is_v1)
}

pub(super) fn write(host: &Host, owner: &str, setting: &str, value: &str) -> Result<(), HostError> {
    let limit = Limit::named(setting)?;
    let (folder, is_v1) = folder(host, owner, limit)?;
    let word = limit.word(host, &folder, is_v1, value)?;
    host.write_setting(&format!("{folder}/{}", limit.file(is_v1)), &word)
}

/// A value as it is read back: `max`, CPUs with as many digits as they need, bytes.
pub(super) fn completed(setting: &str, to: &str) -> String {
    if matches!(to, "unlimited" | "infinity" | "none" | "-1") {
        return NO_LIMIT.to_owned();
    }
    let value = match setting {
        "cpu.quota" => {
            let (number, scale) = to.strip_suffix('%').map_or((to, 1.0), |percent| (percent, 0.01));
            number.trim().parse::<f64>().ok().filter(|cpus| *cpus > 0.0).map(|cpus| of_cpus(scale * cpus))
        }
        "memory.limit" => parse_bytes(to).ok().map(|bytes| bytes.to_string()),
        _ => None,
    };
    value.unwrap_or_else(|| to.to_owned())
}

/// The command that makes a limit of a unit permanent; none for a group without a unit.
pub(super) fn lasting(owner: &str, setting: &str, value: &str) -> Option<String> {
    let path = owner.rsplit_once('@').map_or(owner, |(path, _)| path);
    let unit = path
        .rsplit('/')
        .next()
        .filter(|name| [".scope", ".service", ".slice"].iter().any(|suffix| name.ends_with(suffix)))?;
    let limit = Limit::named(setting).ok()?;
    let value = match (value, limit.controller) {
        (NO_LIMIT, "cpu") => String::new(),
        (NO_LIMIT, _) => "infinity".to_owned(),
        (cpus, "cpu") => format!("{}%", of_cpus(100.0 * cpus.parse::<f64>().ok()?)),
        _ => value.to_owned(),
    };
    // A user's own systemd has units below its own.
    let user = if path.rfind(USERS).is_some_and(|at| path[at + 1..].contains('/')) { " --user" } else { "" };
    Some(format!("systemctl{user} set-property {unit} {}={value}", limit.property))
}

/// Objections to a value: by systemd, groups above it and the group's own use.
pub(super) fn objections(host: &Host, owner: &str, setting: &str, to: &str) -> Vec<Objection> {
    let Ok(limit) = Limit::named(setting) else { return Vec::new() };
    let Ok((folder, is_v1)) = folder(host, owner, limit) else { return Vec::new() };
    let of = Asked { host, limit, folder: &folder, is_v1, to };
    let mut all = Vec::new();
    all.extend(of.too_small());
    all.extend(of.above(owner));
    all.extend(of.in_use());
    if host.exists(SYSTEMD)
        && let Some(command) = lasting(owner, setting, to)
    {
        let what = format!(
            "systemd manages this group and resets it when its unit changes or restarts; `{command}` makes it permanent"
        );
        all.push(warning(what));
    }
    all
}

/// A limit that is asked for.
struct Asked<'a> {
    host: &'a Host,
    limit: &'a Limit,
    folder: &'a str,
    is_v1: bool,
    to: &'a str,
}

impl Asked<'_> {
    fn number(&self) -> Option<f64> {
        self.to.parse().ok()
    }

    fn figure(&self, file: &str) -> Option<f64> {
        self.host.read_text(format!("{}/{file}", self.folder)).ok()?.trim().parse().ok()
    }

    /// A quota that the kernel does not take.
    fn too_small(&self) -> Option<Objection> {
        let cpus = self.number().filter(|_| self.limit.controller == "cpu")?;
        let least = LEAST_QUOTA_US / period_us(self.host, self.folder, self.is_v1).ok()?;
        (cpus < least)
            .then(|| refusal(format!("below the minimum of {} CPUs for its period", of_cpus(least))))
    }

    /// The nearest of the groups above it that may use less.
    fn above(&self, owner: &str) -> Option<Objection> {
        let path = owner.rsplit_once('@').map_or(owner, |(path, _)| path);
        let root = self.folder.strip_suffix(path)?;
        let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
        let mut parents: Vec<&str> = ends.map(|end| &path[..end]).collect();
        parents.reverse();
        parents.into_iter().find_map(|parent| {
            let value = self.limit.read(self.host, &format!("{root}{parent}"), self.is_v1).ok()?;
            let most: f64 = value.parse().ok()?;
            let wanted = self.number();
            // Without a limit of its own a group has that of the one above it, which every version takes.
            if wanted.is_none_or(|wanted| wanted <= most) {
                return None;
            }
            let what = format!("{} is {value} and limits it too", key(parent, self.limit.name));
            let refuses = self.is_v1 && self.limit.controller == "cpu";
            Some(if refuses { refusal(format!("{what}; raise that first")) } else { warning(what) })
        })
    }

    /// What the group uses already.
    fn in_use(&self) -> Option<Objection> {
        let to = self.number()?;
        match self.limit.controller {
            "memory" => self.memory_in_use(to),
            "pids" => {
                let tasks = self.figure("pids.current").filter(|tasks| *tasks > to)?;
                Some(warning(format!(
                    "the group has {tasks:.0} tasks: it cannot start more until there are fewer"
                )))
            }
            _ => None,
        }
    }

    fn memory_in_use(&self, to: f64) -> Option<Objection> {
        if self.is_v1
            && let Some(both) = self.figure("memory.memsw.limit_in_bytes").filter(|both| *both < to)
        {
            return Some(refusal(format!(
                "above memory.memsw.limit_in_bytes ({both:.0}), the limit of memory and swap together"
            )));
        }
        let used = self.figure(if self.is_v1 { "memory.usage_in_bytes" } else { "memory.current" })?;
        if used <= to {
            return None;
        }
        let own = self.stat(if self.is_v1 { "total_rss" } else { "anon" }).unwrap_or(0.0);
        let swap = swap_free(self.host);
        let what = format!("{used:.0} bytes in use");
        Some(match own - to > swap {
            true => refusal(format!(
                "{what}, {own:.0} of them anonymous, and only {swap:.0} of swap free: processes would be killed"
            )),
            false => warning(format!("{what}: the excess is reclaimed or swapped out at once")),
        })
    }

    /// A number of `memory.stat`.
    fn stat(&self, name: &str) -> Option<f64> {
        let text = self.host.read_text(format!("{}/memory.stat", self.folder)).ok()?;
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
    }
}

/// Bytes of swap that nobody uses.
fn swap_free(host: &Host) -> f64 {
    let text = host.read_text("/proc/meminfo").unwrap_or_default();
    let of_line = |line: &str| line.strip_prefix("SwapFree:")?.trim().split(' ').next()?.parse::<f64>().ok();
    text.lines().find_map(of_line).map_or(0.0, |kib| 1024.0 * kib)
}

fn refusal(what: String) -> Objection {
    Objection { refuses: true, what }
}

fn warning(what: String) -> Objection {
    Objection { refuses: false, what }
}
