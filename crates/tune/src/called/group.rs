//! Control groups of ours: one that is there with its limits, or absent; and which controllers the
//! groups below another one have.
//!
//! An owner is the group's folder and, behind `//`, the folder that its members go to when it is taken
//! away: what they have started in it meanwhile is nobody's whose former group the log knows.

use heldup_hostfs::{Host, HostError};

use super::cgroup::V1_NO_MEMORY_LIMIT;
use super::unfit;

/// The value of a group that is not there.
pub(crate) const ABSENT: &str = "absent";
/// One that has no limit.
const BARE: &str = "unlimited";
/// Members that start others while they are moved are looked for again.
const ROUNDS: usize = 20;

/// Limits that a group of ours may have, in both versions. Written in this order.
const LIMITS: [&str; 10] = [
    "cpu.max",
    "memory.max",
    "memory.swap.max",
    "io.max",
    "pids.max",
    "cpu.cfs_quota_us",
    "memory.limit_in_bytes",
    "memory.memsw.limit_in_bytes",
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
];

pub(super) fn read(host: &Host, owner: &str, setting: &str) -> Result<String, HostError> {
    let (folder, _) = parts(owner);
    match setting {
        "controllers" => host.read_text(format!("{folder}/cgroup.subtree_control")),
        _ if !host.exists(folder) => Ok(ABSENT.to_owned()),
        _ => Ok(limits(host, folder)),
    }
}

pub(super) fn write(host: &Host, owner: &str, setting: &str, value: &str) -> Result<(), HostError> {
    let (folder, home) = parts(owner);
    match (setting, value) {
        ("controllers", _) => controllers(host, folder, value),
        (_, ABSENT) => remove(host, folder, home),
        _ => {
            host.make_control_group(folder)?;
            for part in value.split(' ').filter(|part| *part != BARE) {
                let (file, limit) = part.split_once('=').unwrap_or((part, ""));
                if !LIMITS.contains(&file) {
                    return Err(unfit(folder, format!("{file} is not a cgroup limit")));
                }
                host.write_setting(&format!("{folder}/{file}"), &limit.replace(',', " "))?;
            }
            Ok(())
        }
    }
}

/// The group and where its members go, which begins with the second of the slashes.
fn parts(owner: &str) -> (&str, &str) {
    owner.find("//").map_or((owner, ""), |at| (&owner[..at], &owner[at + 1..]))
}

/// What is limited, a word each: `cpu.max=200000,100000 memory.max=1073741824`.
fn limits(host: &Host, folder: &str) -> String {
    let mut words = Vec::new();
    for file in LIMITS {
        let Ok(text) = host.read_text(format!("{folder}/{file}")) else { continue };
        // Of devices each has a line.
        for line in text.lines() {
            let parts: Vec<&str> = line.split_whitespace().collect();
            let first = parts.first().copied().unwrap_or_default();
            let none = first.parse::<u64>().is_ok_and(|number| number >= V1_NO_MEMORY_LIMIT);
            if !(matches!(first, "" | "max" | "-1") || none) {
                words.push(format!("{file}={}", parts.join(",")));
            }
        }
    }
    if words.is_empty() { BARE.to_owned() } else { words.join(" ") }
}

/// Empties a group and takes it away.
fn remove(host: &Host, folder: &str, home: &str) -> Result<(), HostError> {
    for _ in 0..ROUNDS {
        let members = match host.read_text(format!("{folder}/cgroup.procs")) {
            Err(error) if error.is_absent() => break,
            read => read?,
        };
        if members.is_empty() {
            break;
        }
        for pid in members.lines().filter_map(|line| line.parse().ok()) {
            match host.move_to_control_group(home, pid) {
                // It has ended meanwhile.
                Err(error) if error.is_absent() => {}
                moved => moved?,
            }
        }
    }
    host.remove_control_group(folder)
}

/// Gives the groups below another the controllers of a list, and takes those that are not in it.
fn controllers(host: &Host, folder: &str, value: &str) -> Result<(), HostError> {
    let path = format!("{folder}/cgroup.subtree_control");
    let now = host.read_text(&path)?;
    let (now, wanted): (Vec<&str>, Vec<&str>) = (words(&now), words(value));
    let more = wanted.iter().filter(|name| !now.contains(name)).map(|name| format!("+{name}"));
    let less = now.iter().filter(|name| !wanted.contains(name)).map(|name| format!("-{name}"));
    let change: Vec<String> = more.chain(less).collect();
    if change.is_empty() { Ok(()) } else { host.write_setting(&path, &change.join(" ")) }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_what_limits_it() {
        let root = std::env::temp_dir().join(format!("heldup-limits-{}", std::process::id()));
        let host = Host::recorded(&root);
        let owner = "/sys/fs/cgroup/heldup-1//sys/fs/cgroup";
        std::fs::create_dir_all(root.join("sys/fs/cgroup")).expect("a folder");
        assert_eq!(read(&host, owner, "limits").expect("looked"), ABSENT);
        let folder = root.join("sys/fs/cgroup/heldup-1");
        std::fs::create_dir_all(&folder).expect("a folder");
        for (file, text) in [
            ("cpu.max", "200000 100000\n"),
            ("memory.max", "max\n"),
            ("io.max", ""),
            ("memory.limit_in_bytes", "9223372036854771712\n"),
            ("cpu.cfs_quota_us", "-1\n"),
        ] {
            std::fs::write(folder.join(file), text).expect("written");
        }
        assert_eq!(read(&host, owner, "limits").expect("read"), "cpu.max=200000,100000");
        write(&host, owner, "limits", "cpu.max=50000,100000 memory.max=4096").expect("written");
        assert_eq!(read(&host, owner, "limits").expect("read"), "cpu.max=50000,100000 memory.max=4096");
        assert!(write(&host, owner, "limits", "cgroup.procs=1").is_err(), "no limit");
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
