//! Capabilities by files, rights and sockets of the host.

use heldup_hostfs::{Host, is_root, own_pid, own_thread_id};

use heldup_model::Capability;

/// Rights that the programs and sources use, by their number in capability.h.
const RIGHTS: [(u32, &str, &str); 5] = [
    (21, "CAP_SYS_ADMIN", "other network namespaces, and eBPF before 5.8"),
    (39, "CAP_BPF", "eBPF"),
    (38, "CAP_PERFMON", "eBPF that reads kernel memory, CPU samples"),
    (19, "CAP_SYS_PTRACE", "waits, files and I/O of other users' processes"),
    (34, "CAP_SYSLOG", "kernel log, addresses of kernel functions"),
];

/// The kernel's counts of what each thread waits for.
pub(crate) const DELAY_ACCOUNTING: &str = "kernel.task_delayacct";

/// All of them, most important first.
pub(crate) fn files(host: &Host) -> Vec<Capability> {
    vec![
        rights(host),
        lockdown(host),
        kernel_addresses(host),
        perf_paranoia(host),
        run_time_counts(host),
        schedstat(host),
        delay_accounting(host),
        pressure(host),
        control_groups(host),
        kernel_log(host),
        foreign_processes(host),
        sockets(host),
        namespaces(host),
    ]
}

fn rights(host: &Host) -> Capability {
    let name = "rights";
    let status = host.read_text("/proc/self/status").unwrap_or_default();
    let held = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let Some(held) = held.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()) else {
        return Capability::missing(name, "no CapEff in /proc/self/status", "");
    };
    let has = |bit: u32| held & (1 << bit) != 0;
    // CAP_SYS_ADMIN stands in for CAP_BPF and CAP_PERFMON, which are part of it (5.8).
    let covered = |bit: u32| has(bit) || (matches!(bit, 38 | 39) && has(21));
    let lacking: Vec<String> = RIGHTS
        .iter()
        .filter(|right| !covered(right.0))
        .map(|(_, right, what)| format!("{right} ({what})"))
        .collect();
    match lacking.len() {
        0 => Capability::works(name, "all that heldup uses"),
        n if n == RIGHTS.len() => {
            Capability::missing(name, format!("none of {}", lacking.join(", ")), "run as root")
        }
        _ => Capability::limited(name, format!("without {}", lacking.join(", ")), "run as root"),
    }
}

fn lockdown(host: &Host) -> Capability {
    let name = "kernel lockdown";
    let text = match host.read_text("/sys/kernel/security/lockdown") {
        Ok(text) => text,
        Err(error) if error.is_absent() && host.exists("/sys/kernel") => {
            return Capability::works(name, "none (no lockdown, or securityfs not mounted)");
        }
        Err(error) => return Capability::limited(name, error.to_string(), ""),
    };
    let mode = text.split(['[', ']']).nth(1).unwrap_or("none");
    match mode {
        "confidentiality" => Capability::missing(
            name,
            "confidentiality: eBPF cannot read kernel memory: no ledger",
            "boot with lockdown=integrity",
        ),
        mode => Capability::works(name, format!("{mode}: no restriction for heldup")),
    }
}

fn kernel_addresses(host: &Host) -> Capability {
    let name = "kernel.kptr_restrict";
    match sysctl(host, "kernel/kptr_restrict") {
        None => Capability::limited(name, "not readable", ""),
        Some(0 | 1) => Capability::works(name, "root can read addresses of kernel functions"),
        Some(_) => Capability::limited(
            name,
            "2: no addresses in /proc/kallsyms; kernel function names only through eBPF",
            "sysctl kernel.kptr_restrict=1",
        ),
    }
}

fn perf_paranoia(host: &Host) -> Capability {
    let name = "kernel.perf_event_paranoid";
    match sysctl(host, "kernel/perf_event_paranoid") {
        None => {
            Capability::missing(name, "not there: no perf events, no CPU samples", "needs CONFIG_PERF_EVENTS")
        }
        Some(level @ ..=-1) => Capability::works(name, format!("{level}: all users may sample")),
        Some(level) => Capability::works(name, format!("{level}: only root may sample")),
    }
}

fn run_time_counts(host: &Host) -> Capability {
    let name = "kernel.bpf_stats_enabled";
    match sysctl(host, "kernel/bpf_stats_enabled") {
        None => Capability::limited(
            name,
            "not there: the run time of heldup's eBPF programs is not measured",
            "needs Linux 5.1",
        ),
        Some(0) => Capability::limited(
            name,
            "0: the run time of heldup's eBPF programs is not measured",
            "heldup --measure-overhead measures it (adds 250 ns per context switch)",
        ),
        Some(_) => Capability::works(name, "the run time of heldup's eBPF programs is measured"),
    }
}

fn schedstat(host: &Host) -> Capability {
    let name = "schedstat";
    let text = host.read_text("/proc/self/schedstat").unwrap_or_default();
    let counted = text.split_ascii_whitespace().next().is_some_and(|run| run != "0");
    match counted {
        true => Capability::works(name, "run time and run-queue wait of each thread (used without eBPF)"),
        false => Capability::missing(
            name,
            "no run-queue wait of threads without eBPF",
            "needs CONFIG_SCHED_INFO (CONFIG_SCHEDSTATS or CONFIG_TASK_DELAY_ACCT)",
        ),
    }
}

fn delay_accounting(host: &Host) -> Capability {
    let name = DELAY_ACCOUNTING;
    if sysctl(host, "kernel/task_delayacct") == Some(0) {
        return Capability::limited(
            name,
            "0: without eBPF, waits for block I/O and swap are sampled, not counted",
            "sysctl kernel.task_delayacct=1 (for processes started later), or boot with delayacct",
        );
    }
    let asked = host.task_stats().and_then(|mut counts| counts.of_thread(own_thread_id()));
    match asked {
        Ok(_) => Capability::works(
            name,
            "block I/O, swap, reclaim, thrashing and compaction delays of each thread (used without eBPF)",
        ),
        Err(error) if error.is_denied() => Capability::limited(
            name,
            "on, but only root may read it: without eBPF, waits for block I/O and swap are sampled",
            "run as root, or with CAP_NET_ADMIN",
        ),
        Err(error) => Capability::limited(
            name,
            format!("{error}: without eBPF, waits for block I/O and swap are sampled, not counted"),
            "needs CONFIG_TASKSTATS and CONFIG_TASK_DELAY_ACCT, outside a PID namespace",
        ),
    }
}

fn pressure(host: &Host) -> Capability {
    let name = "pressure (PSI)";
    match host.read_text("/proc/pressure/cpu") {
        Ok(_) => Capability::works(name, "stall shares for CPU, memory and I/O"),
        Err(_) => Capability::missing(
            name,
            "no table `pressure`",
            "boot with psi=1; needs Linux 4.20 with CONFIG_PSI",
        ),
    }
}

fn control_groups(host: &Host) -> Capability {
    let name = "control groups";
    let mounts = host.read_text("/proc/mounts").unwrap_or_default();
    let mounts = || mounts.lines().map(|line| line.split(' ').collect::<Vec<&str>>()).filter(|m| m.len() > 3);
    let unified = mounts().find(|mount| mount[2] == "cgroup2").map(|mount| mount[1].to_owned());
    let old: Vec<String> = mounts()
        .filter(|mount| mount[2] == "cgroup")
        .flat_map(|mount| mount[3].split(',').map(str::to_owned).collect::<Vec<String>>())
        .filter(|option| ["cpu", "memory", "blkio", "pids", "cpuset"].contains(&option.as_str()))
        .collect();
    let controllers = unified
        .and_then(|mount| host.read_text(format!("{mount}/cgroup.controllers")).ok())
        .unwrap_or_default();
    match (controllers.contains("cpu"), old.is_empty()) {
        (true, true) => Capability::works(name, format!("v2 with {controllers}")),
        (_, false) => Capability::works(name, format!("v1 with {}", old.join(", "))),
        (false, true) => Capability::missing(
            name,
            "no controllers mounted: no limits and no CPU time of groups",
            "mount -t cgroup2 none /sys/fs/cgroup",
        ),
    }
}

fn kernel_log(host: &Host) -> Capability {
    let name = "/dev/kmsg";
    match host.kernel_log() {
        Ok(_) => Capability::works(name, "kernel messages are read as events"),
        Err(error) => Capability::missing(
            name,
            format!("{error}; no kernel messages (out of memory, I/O errors)"),
            "run as root, or with CAP_SYSLOG",
        ),
    }
}

fn foreign_processes(host: &Host) -> Capability {
    let name = "other users' processes";
    let mounts = host.read_text("/proc/mounts").unwrap_or_default();
    let hidden = mounts
        .lines()
        .filter_map(|line| line.split(' ').nth(3).filter(|_| line.contains(" /proc proc ")))
        .flat_map(|options| options.split(','))
        .find_map(|option| option.strip_prefix("hidepid=").filter(|value| !matches!(*value, "0" | "off")));
    let pids = host.list_numbers("/proc").unwrap_or_default();
    let closed = |pid: &&i64| host.read(format!("/proc/{pid}/io")).is_err_and(|error| error.is_denied());
    let closed = pids.iter().filter(closed).count();
    match (closed, hidden) {
        _ if pids.is_empty() => Capability::missing(name, "no processes in /proc", ""),
        (0, None) => Capability::works(name, "files, waits and I/O readable"),
        (1.., _) if is_root() => {
            let detail = format!(
                "files and I/O of {closed} of {} denied even to root (container, lockdown)",
                pids.len()
            );
            Capability::limited(name, detail, "")
        }
        (_, Some(value)) if !is_root() => Capability::missing(
            name,
            format!("/proc is mounted with hidepid={value}: only own processes are visible"),
            "run as root, or as a member of the group of its gid option",
        ),
        (0, Some(_)) => Capability::works(name, "visible to root in spite of hidepid"),
        (_, _) => {
            let detail = format!("waits, files and I/O of {closed} of {} not readable", pids.len());
            Capability::limited(name, detail, "run as root, or with CAP_SYS_PTRACE")
        }
    }
}

fn sockets(host: &Host) -> Capability {
    let name = "sock_diag";
    match host.sock_diag(None) {
        Ok(_) => Capability::works(name, "sockets with their queues, retransmissions and round-trip times"),
        Err(error) => Capability::missing(
            name,
            format!("{error}; no table `socket`"),
            "needs CONFIG_INET_DIAG and CONFIG_UNIX_DIAG",
        ),
    }
}

fn namespaces(host: &Host) -> Capability {
    let name = "network namespaces";
    // Entering one's own needs the same rights as entering another.
    match host.sock_diag(Some(own_pid())) {
        Ok(_) => Capability::works(name, "sockets of containers are visible"),
        Err(error) => Capability::limited(
            name,
            format!("only the own one is visible: {error}"),
            "run as root, or with CAP_SYS_ADMIN",
        ),
    }
}

fn sysctl(host: &Host, name: &str) -> Option<i64> {
    host.read_text(format!("/proc/sys/{name}")).ok()?.parse().ok()
}
