//! Files of `/proc` and `/sys`: told by where they stand in a tree, or by what they begin with.

/// Folders and files of `/proc` that a source reads. What else a tree has is offered to the importers
/// of texts.
const PROC: [&str; 20] = [
    "buddyinfo",
    "cmdline",
    "cpuinfo",
    "diskstats",
    "interrupts",
    "irq",
    "loadavg",
    "locks",
    "meminfo",
    "net",
    "pressure",
    "self",
    "slabinfo",
    "softirqs",
    "stat",
    "sys",
    "sysvipc",
    "uptime",
    "vmstat",
    "zoneinfo",
];
const SYS: [&str; 10] =
    ["block", "bus", "class", "dev", "devices", "firmware", "fs", "hypervisor", "kernel", "module"];
/// What a source reads beside them, from the root on.
const OTHERS: [&str; 6] = [
    "etc/os-release",
    "usr/lib/os-release",
    "etc/sysctl.conf",
    "etc/sysctl.d/",
    "usr/lib/sysctl.d/",
    "run/sysctl.d/",
];
/// Files and folders in them that nobody reads and that may be large, and logs, which are texts.
const NOT_READ: [&str; 14] = [
    "debug",
    "environ",
    "kallsyms",
    "kcore",
    "kpagecount",
    "kpageflags",
    "maps",
    "mem",
    "numa_maps",
    "pagemap",
    "pstore",
    "smaps",
    "smaps_rollup",
    "tracing",
];

/// A file of a tree: the folder in which the tree is, and the file's path there.
pub fn in_tree(label: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    for part in label.split('/') {
        let rest = label.get(from + part.len() + 1..).unwrap_or_default();
        let next = rest.split('/').next().unwrap_or_default();
        let is_process = !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_digit());
        let is_one = match part {
            "proc" => PROC.contains(&next) || is_process,
            "sys" => SYS.contains(&next),
            _ => false,
        };
        let is_read = !rest.split('/').any(|name| NOT_READ.contains(&name)) && !is_text(rest);
        if is_one && is_read {
            return Some(split(label, from));
        }
        if is_one {
            return None;
        }
        from += part.len() + 1;
    }
    let other = OTHERS.iter().find_map(|path| {
        let at = label.find(path).filter(|at| *at == 0 || label.as_bytes().get(at - 1) == Some(&b'/'))?;
        (path.ends_with('/') || at + path.len() == label.len()).then_some(at)
    });
    other.map(|at| split(label, at))
}

fn split(label: &str, at: usize) -> (&str, &str) {
    (label.get(..at).unwrap_or_default().trim_end_matches('/'), label.get(at..).unwrap_or_default())
}

/// No file of the kernel has such an ending; what somebody made of one is recognised by its content.
fn is_text(name: &str) -> bool {
    [".txt", ".log", ".out", ".dat"].iter().any(|ending| name.ends_with(ending))
}

/// The path of a file that stands anywhere: by its content, or by its name where many files have
/// such content.
pub fn recognise(beginning: &[u8], name: &str) -> Option<&'static str> {
    let text = String::from_utf8_lossy(beginning.get(..beginning.len().min(4096)).unwrap_or_default());
    let mut lines = text.lines();
    let first: Vec<&str> = lines.next()?.split_whitespace().collect();
    let second: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    by_content(&first, &second).or_else(|| by_name(name, &first))
}

fn by_content(first: &[&str], second: &[&str]) -> Option<&'static str> {
    Some(match first {
        ["MemTotal:", kib, "kB"] if is_number(kib) => "/proc/meminfo",
        ["cpu", rest @ ..] if rest.len() >= 4 && all_numbers(rest) && starts(second, "cpu0") => "/proc/stat",
        ["nr_free_pages" | "nr_dirty", pages] if is_number(pages) && is_pair(second) => "/proc/vmstat",
        [major, minor, name, rest @ ..]
            if is_number(major) && is_number(minor) && is_name(name) && is_disk(rest) =>
        {
            "/proc/diskstats"
        }
        ["Ip:", "Forwarding", "DefaultTTL", ..] => "/proc/net/snmp",
        ["TcpExt:", "SyncookiesSent", ..] => "/proc/net/netstat",
        ["Ip6InReceives", number] if is_number(number) => "/proc/net/snmp6",
        ["Inter-|", "Receive", ..] => "/proc/net/dev",
        ["sockets:", "used", number] if is_number(number) => "/proc/net/sockstat",
        ["CPU0", ..] if starts(second, "HI:") => "/proc/softirqs",
        ["CPU0", ..] if second.first().is_some_and(|word| is_line(word)) => "/proc/interrupts",
        ["Node", node, "zone", _] if node.ends_with(',') && !second.is_empty() => "/proc/zoneinfo",
        ["Node", node, "zone", _, rest @ ..]
            if node.ends_with(',') && rest.len() >= 8 && all_numbers(rest) =>
        {
            "/proc/buddyinfo"
        }
        ["slabinfo", "-", "version:", ..] => "/proc/slabinfo",
        ["processor", ":", number] if is_number(number) => "/proc/cpuinfo",
        ["key", "shmid", "perms", ..] => "/proc/sysvipc/shm",
        ["key", "semid", "perms", ..] => "/proc/sysvipc/sem",
        ["key", "msqid", "perms", ..] => "/proc/sysvipc/msg",
        ["entries", "searched", "found", ..] => "/proc/net/stat/nf_conntrack",
        ["device", _, "mounted", "on", _, "with", "fstype", ..] => "/proc/self/mountstats",
        [id, parent, device, "/", ..]
            if is_number(id) && is_number(parent) && device.contains(':') && first.contains(&"-") =>
        {
            "/proc/self/mountinfo"
        }
        [lock, "POSIX" | "FLOCK" | "OFDLCK" | "LEASE" | "DELEG", "ADVISORY" | "MANDATORY" | "ACTIVE", ..]
            if lock.ends_with(':') =>
        {
            "/proc/locks"
        }
        words if words.len() >= 9 && words.iter().all(|word| is_hexadecimal(word)) => {
            "/proc/net/softnet_stat"
        }
        [one, five, fifteen, tasks, _]
            if [one, five, fifteen].iter().all(|load| is_hundredths(load)) && tasks.contains('/') =>
        {
            "/proc/loadavg"
        }
        _ => return None,
    })
}

/// Two numbers may be anything, and the three files of pressure and those of UDP and raw sockets are the same but
/// for their names.
fn by_name(name: &str, first: &[&str]) -> Option<&'static str> {
    let base = name.rsplit('/').next().unwrap_or(name);
    let has = |word: &str| base.split(|sign: char| !sign.is_ascii_alphanumeric()).any(|part| part == word);
    match first {
        [uptime, idle] if has("uptime") && is_hundredths(uptime) && is_hundredths(idle) => {
            Some("/proc/uptime")
        }
        ["sl", "local_address", remote, "st", rest @ ..] if !has("raw") && !has("raw6") => {
            Some(match (*remote, rest.contains(&"drops")) {
                ("rem_address", false) => "/proc/net/tcp",
                ("rem_address", true) => "/proc/net/udp",
                ("remote_address", false) => "/proc/net/tcp6",
                ("remote_address", true) => "/proc/net/udp6",
                _ => return None,
            })
        }
        ["some", average, ..] if average.starts_with("avg10=") && has("pressure") => {
            let of = ["cpu", "io", "memory"].iter().position(|word| has(word))?;
            ["/proc/pressure/cpu", "/proc/pressure/io", "/proc/pressure/memory"].get(of).copied()
        }
        _ => None,
    }
}

fn starts(words: &[&str], with: &str) -> bool {
    words.first() == Some(&with)
}

fn is_pair(words: &[&str]) -> bool {
    matches!(words, [name, number] if is_number(number) && !is_number(name))
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn all_numbers(words: &[&str]) -> bool {
    words.iter().all(|word| is_number(word))
}

/// No disk's name begins with a digit; the head of a kstat is `13 1 0x01 91 4368 …`.
fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Numbers behind a disk's name: 4 of partitions before 2.6.25, 11, 15 since 4.18, 17 since 5.5.
fn is_disk(words: &[&str]) -> bool {
    matches!(words.len(), 4 | 11 | 15 | 17..) && all_numbers(words)
}

/// `0:`, `NMI:`: a line of interrupts.
fn is_line(word: &str) -> bool {
    word.strip_suffix(':')
        .is_some_and(|line| !line.is_empty() && line.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn is_hexadecimal(word: &str) -> bool {
    word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `0.25`: as loads and uptimes are written.
fn is_hundredths(word: &str) -> bool {
    word.split_once('.').is_some_and(|(whole, part)| is_number(whole) && part.len() == 2 && is_number(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_tree_are_told_from_their_paths() {
        for (label, expect) in [
            ("/proc/stat", Some(("", "proc/stat"))),
            ("s.tar.xz/host-1/proc/net/snmp", Some(("s.tar.xz/host-1", "proc/net/snmp"))),
            ("s/proc/sys/kernel/hostname", Some(("s", "proc/sys/kernel/hostname"))),
            ("s/sys/block/sda/queue/scheduler", Some(("s", "sys/block/sda/queue/scheduler"))),
            ("s/proc/17/stat", Some(("s", "proc/17/stat"))),
            ("s/etc/os-release", Some(("s", "etc/os-release"))),
            ("s/etc/sysctl.d/10-x.conf", Some(("s", "etc/sysctl.d/10-x.conf"))),
            ("s/proc/17/smaps", None),
            ("s/proc/lock_stat", None),
            ("s/proc/stat.txt", None),
            ("s/sys/fs/pstore/dmesg-1", None),
            ("s/sys/fs/pstore/x/block/y", None),
            ("home/proc/listings/vmstat", None),
            ("home/sys/vmstat.txt", None),
            ("s/etc/sysctl.conf.old", None),
            ("s/fetc/os-release", None),
        ] {
            assert_eq!(in_tree(label), expect, "{label}");
        }
    }

    #[test]
    fn files_are_told_by_their_content() {
        for (text, name, expect) in [
            ("MemTotal:       24683888 kB\nMemFree: 5 kB\n", "x", Some("/proc/meminfo")),
            ("cpu  8 0 6 200\ncpu0 8 0 6 200\n", "x", Some("/proc/stat")),
            ("nr_free_pages 5\nnr_zone_inactive_anon 6\n", "x", Some("/proc/vmstat")),
            ("   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n", "x", Some("/proc/diskstats")),
            ("8 0 sda 1 2 3\n", "x", None),
            ("13 1 0x01 91 4368 5266997922 97951858082072\nname type data\n", "x", None),
            ("Ip: Forwarding DefaultTTL InReceives\n", "x", Some("/proc/net/snmp")),
            ("0.25 0.10 0.05 1/123 4567\n", "x", Some("/proc/loadavg")),
            ("350735.47 234388.90\n", "x", None),
            ("350735.47 234388.90\n", "a/uptime.1", Some("/proc/uptime")),
            ("some avg10=0.00 avg60=0.00\n", "pressure_io.txt", Some("/proc/pressure/io")),
            ("some avg10=0.00 avg60=0.00\n", "io.txt", None),
            ("           CPU0       CPU1\n  0:  5 6\n", "x", Some("/proc/interrupts")),
            ("           CPU0       CPU1\n HI:  5 6\n", "x", Some("/proc/softirqs")),
            ("  sl  local_address rem_address   st tx_queue rx_queue\n", "x", Some("/proc/net/tcp")),
            ("  sl  local_address remote_address st inode ref pointer drops\n", "x", Some("/proc/net/udp6")),
            ("  sl  local_address rem_address st inode ref pointer drops\n", "net_raw", None),
            ("Node 0, zone      DMA\n  pages free 5\n", "x", Some("/proc/zoneinfo")),
            ("Node 0, zone DMA 1 1 1 1 1 1 1 1 1 1 3\n", "x", Some("/proc/buddyinfo")),
            ("25 30 0:23 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n", "x", Some("/proc/self/mountinfo")),
            ("procs -----------memory----------\n r  b   swpd\n", "meminfo", None),
            ("MemTotal: a lot\n", "meminfo", None),
            ("", "meminfo", None),
        ] {
            assert_eq!(recognise(text.as_bytes(), name), expect, "{text}");
        }
    }
}
