//! What a process is given: nice, policy, CPUs, priority of its requests, limits, OOM score.
//!
//! The first four are each thread's. Of a process they are read and written for all of its threads:
//! the text is the first thread's value, with those of threads that have another (`0 1235=5`), so that
//! all of it can be gone back to. A thread that came since gets what the first one gets.
//!
//! Its control group is `cgroup`, of v1 `cgroup.CONTROLLER`: the path within that tree.

use heldup_hostfs::{Host, HostError, ProcessLimit};

use super::{gone, unfit};

/// No limit.
pub(super) const UNLIMITED: &str = "unlimited";
/// Threads that start while the others are written are written too; who starts more is left.
const ROUNDS: usize = 10;
/// Fields of `/proc/TID/stat`, from 1 (proc_pid_stat(5)).
const NICE: usize = 19;
const START: usize = 22;
const PRIORITY: usize = 40;
const POLICY: usize = 41;
/// Numbers of linux/sched.h.
const POLICIES: [(&str, i32); 6] =
    [("other", 0), ("fifo", 1), ("rr", 2), ("batch", 3), ("idle", 5), ("deadline", 6)];
/// Classes of linux/ioprio.h.
const CLASSES: [(&str, i64); 4] = [("none", 0), ("realtime", 1), ("best-effort", 2), ("idle", 3)];
const CLASS_SHIFT: u32 = 13;
/// Limits, with the first words of their line in `/proc/PID/limits`.
const LIMITS: [(&str, ProcessLimit, &str); 3] = [
    ("rlimit.memlock", ProcessLimit::LockedMemory, "Max locked memory"),
    ("rlimit.nofile", ProcessLimit::OpenFiles, "Max open files"),
    ("rlimit.nproc", ProcessLimit::Tasks, "Max processes"),
];

/// A task as places name it: with its start, in ticks since boot.
pub(crate) fn owner(host: &Host, tid: i64) -> Result<String, HostError> {
    let stat = host.read_text(format!("/proc/{tid}/stat"))?;
    let start = field(&stat, START).ok_or_else(|| gone(&format!("/proc/{tid}")))?;
    Ok(format!("{tid}@{start}"))
}

pub(super) fn read(host: &Host, owner: &str, setting: &str) -> Result<String, HostError> {
    let tid = task(host, owner)?;
    if let Some((_, _, line)) = limit(setting) {
        let (soft, hard) = limits(host, tid, line)?;
        return Ok(format!("{soft} hard={hard}"));
    }
    if let Some(controller) = controller(setting) {
        return group(host, tid, controller);
    }
    if !is_of_threads(setting) {
        return host.read_text(format!("/proc/{tid}/{setting}"));
    }
    let threads = threads(host, tid)?;
    let first = of_thread(host, tid, setting)?;
    let mut text = first.clone();
    for thread in threads.into_iter().filter(|thread| *thread != tid) {
        match of_thread(host, thread, setting) {
            Ok(value) if value != first => text = format!("{text} {thread}={value}"),
            Err(error) if !error.is_absent() => return Err(error),
            _ => {}
        }
    }
    Ok(text)
}

pub(super) fn write(host: &Host, owner: &str, setting: &str, value: &str) -> Result<(), HostError> {
    let tid = task(host, owner)?;
    let (first, others) = value.split_once(' ').unwrap_or((value, ""));
    if let Some((_, limit, _)) = limit(setting) {
        let hard = others.strip_prefix("hard=").unwrap_or(first);
        return host.set_limit(tid, limit, number(owner, first)?, number(owner, hard)?);
    }
    if let Some(controller) = controller(setting) {
        let tree = tree(host, controller).ok_or_else(|| gone(setting))?;
        return host.move_to_control_group(&format!("{tree}{}", value.trim_end_matches('/')), tid);
    }
    if !is_of_threads(setting) {
        return host.write_process_setting(tid, setting, value);
    }
    let own = |thread: i64| {
        let of = |part: &&str| part.split_once('=').is_some_and(|(id, _)| id.parse() == Ok(thread));
        others.split(' ').find(of).and_then(|part| part.split_once('=')).map_or(first, |(_, value)| value)
    };
    for _ in 0..ROUNDS {
        let mut written = 0;
        for thread in threads(host, tid)? {
            let done = give(host, thread, setting, own(thread));
            match done {
                Ok(changed) => written += usize::from(changed),
                // A thread that has ended meanwhile; the first is the process.
                Err(error) if error.is_absent() && thread != tid => {}
                Err(error) => return Err(error),
            }
        }
        if written == 0 {
            break;
        }
    }
    Ok(())
}

/// A limit with the one up to which it may be raised, which is raised where it is less; CPUs as the
/// kernel writes them.
pub(super) fn completed(setting: &str, now: Option<&str>, to: &str) -> String {
    if setting == "affinity" {
        return cpus(to).map_or_else(|| to.to_owned(), |cpus| list(&cpus));
    }
    if limit(setting).is_none() || to.contains(' ') {
        return to.to_owned();
    }
    let size = |value: &str| if value == UNLIMITED { Some(u64::MAX) } else { value.parse().ok() };
    let hard = now.and_then(|now| now.split_once(" hard=")).map_or(to, |(_, hard)| hard);
    let hard = if size(hard) < size(to) { to } else { hard };
    format!("{to} hard={hard}")
}

/// Whether what is there is what was before, but for threads that have ended.
pub(super) fn is_same(now: &str, before: &str) -> bool {
    let (mut now, mut before) = (now.split(' '), before.split(' '));
    let (first, rest) = (now.next(), before.clone().skip(1).collect::<Vec<_>>());
    let are_threads = |part: &str| part.starts_with(|c: char| c.is_ascii_digit()) && part.contains('=');
    first == before.next()
        && rest.iter().all(|part| are_threads(part))
        && now.all(|part| rest.contains(&part))
}

/// The task of a place, where it is still the one that is meant.
fn task(host: &Host, owner: &str) -> Result<i64, HostError> {
    let tid = owner.split('@').next().and_then(|tid| tid.parse().ok()).ok_or_else(|| gone(owner))?;
    if self::owner(host, tid)? == owner { Ok(tid) } else { Err(gone(owner)) }
}

fn is_of_threads(setting: &str) -> bool {
    matches!(setting, "affinity" | "ionice" | "nice" | "policy")
}

/// The controller of a setting that says which group a process is in; empty of v2.
fn controller(setting: &str) -> Option<&str> {
    let rest = setting.strip_prefix("cgroup")?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('.') }
}

/// The group of a process in the tree of a controller, as a path within that.
pub(crate) fn group(host: &Host, pid: i64, controller: &str) -> Result<String, HostError> {
    let text = host.read_text(format!("/proc/{pid}/cgroup"))?;
    let of_tree = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        controllers.split(',').any(|name| name == controller).then(|| path.to_owned())
    };
    text.lines().find_map(of_tree).ok_or_else(|| gone(controller))
}

/// Where the tree of a controller is mounted; that of v2 where it is empty.
pub(crate) fn tree(host: &Host, controller: &str) -> Option<String> {
    let table = host.mount_table().ok()?;
    let table = String::from_utf8_lossy(&table);
    let of_line = |line: &str| {
        let (own, system) = line.split_once(" - ")?;
        let system: Vec<&str> = system.split(' ').collect();
        let is_it = match (*system.first()?, controller) {
            ("cgroup2", "") => true,
            ("cgroup", name) => !name.is_empty() && system.get(2)?.split(',').any(|option| option == name),
            _ => false,
        };
        is_it.then(|| own.split(' ').nth(4).map(str::to_owned))?
    };
    table.lines().find_map(of_line)
}

/// All threads of a process; one alone where it is not the first of its process.
fn threads(host: &Host, tid: i64) -> Result<Vec<i64>, HostError> {
    let status = host.read_text(format!("/proc/{tid}/status"))?;
    let process = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse::<i64>().ok());
    if process.is_some_and(|process| process != tid) {
        return Ok(vec![tid]);
    }
    host.list_numbers(format!("/proc/{tid}/task"))
}

/// The value of one thread.
fn of_thread(host: &Host, tid: i64, setting: &str) -> Result<String, HostError> {
    let unread = || unfit(&format!("/proc/{tid}"), format!("{setting} cannot be read"));
    match setting {
        "affinity" => {
            let status = host.read_text(format!("/proc/{tid}/status"))?;
            let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
            line.map(|list| list.trim().to_owned()).ok_or_else(unread)
        }
        "ionice" => host.io_priority(tid).map(io_words),
        _ => {
            let stat = host.read_text(format!("/proc/{tid}/stat"))?;
            if setting == "nice" {
                return field(&stat, NICE).map(str::to_owned).ok_or_else(unread);
            }
            let policy = field(&stat, POLICY).and_then(|text| text.parse::<i32>().ok()).ok_or_else(unread)?;
            let (name, _) = POLICIES.iter().find(|(_, number)| *number == policy).ok_or_else(unread)?;
            let priority = field(&stat, PRIORITY).filter(|priority| *priority != "0");
            Ok(priority.map_or_else(|| (*name).to_owned(), |priority| format!("{name}:{priority}")))
        }
    }
}

/// Gives one thread a value; whether it had another.
fn give(host: &Host, tid: i64, setting: &str, value: &str) -> Result<bool, HostError> {
    let now = of_thread(host, tid, setting)?;
    if now == value {
        return Ok(false);
    }
    let owner = format!("/proc/{tid}");
    let no = |what: &str| unfit(&owner, format!("invalid {what} {value}"));
    match setting {
        "nice" => host.set_nice(tid, value.parse().map_err(|_| no("nice value"))?)?,
        "affinity" => host.set_affinity(tid, &cpus(value).ok_or_else(|| no("list of CPUs"))?)?,
        "ionice" => host.set_io_priority(tid, io_number(value).ok_or_else(|| no("I/O priority"))?)?,
        _ => {
            // Its runtime and period are not kept, so that it could not be restored.
            if now.starts_with("deadline") || value.starts_with("deadline") {
                return Err(unfit(&owner, "policy deadline cannot be changed by heldup".to_owned()));
            }
            let (name, priority) = value.split_once(':').unwrap_or((value, "0"));
            let known = POLICIES.iter().find(|(known, _)| *known == name);
            let (_, policy) = known.ok_or_else(|| no("policy"))?;
            host.set_policy(tid, *policy, priority.parse().map_err(|_| no("priority"))?)?;
        }
    }
    let left = of_thread(host, tid, setting)?;
    // Groups of CPUs cut what is wanted, which reading all of it back tells.
    if left == now && setting != "affinity" {
        return Err(unfit(&owner, format!("{setting} is still {now} after the write")));
    }
    Ok(left != now)
}

fn limit(setting: &str) -> Option<(&'static str, ProcessLimit, &'static str)> {
    LIMITS.iter().find(|(name, ..)| *name == setting).copied()
}

/// Limits by their line: now, and up to where it may be raised.
fn limits(host: &Host, pid: i64, line: &str) -> Result<(String, String), HostError> {
    let text = host.read_text(format!("/proc/{pid}/limits"))?;
    let found = text.lines().find_map(|own| own.strip_prefix(line));
    let mut words = found.unwrap_or_default().split_whitespace().map(str::to_owned);
    let both = words.next().zip(words.next());
    both.ok_or_else(|| unfit(&format!("/proc/{pid}/limits"), format!("no line `{line}`")))
}

fn number(owner: &str, value: &str) -> Result<u64, HostError> {
    if value == UNLIMITED {
        return Ok(u64::MAX);
    }
    value
        .parse()
        .map_err(|_| unfit(owner, format!("invalid value {value} (expected a number or {UNLIMITED})")))
}

/// `best-effort:4`; of none and idle the class says all.
fn io_words(value: i64) -> String {
    let (class, level) = (value >> CLASS_SHIFT, value & 7);
    let name = CLASSES.iter().find(|(_, number)| *number == class).map_or("none", |(name, _)| *name);
    match name {
        "none" | "idle" => name.to_owned(),
        _ => format!("{name}:{level}"),
    }
}

fn io_number(value: &str) -> Option<i64> {
    let (name, level) = value.split_once(':').unwrap_or((value, "0"));
    let (_, class) = CLASSES.iter().find(|(known, _)| *known == name)?;
    let level = level.parse::<i64>().ok().filter(|level| (0..8).contains(level))?;
    Some((class << CLASS_SHIFT) | level)
}

/// A field of `/proc/TID/stat`, from 1; the second may hold blanks and brackets.
fn field(stat: &str, at: usize) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(at.checked_sub(3)?)
}

/// CPUs of a list such as `0-3,8`, sorted.
pub fn cpus(text: &str) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        all.extend(first.trim().parse::<usize>().ok()?..=last.trim().parse::<usize>().ok()?);
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// A list in its shortest form, as the kernel writes it.
fn list(cpus: &[usize]) -> String {
    let runs = cpus.chunk_by(|one, next| one + 1 == *next);
    let words = runs.filter_map(|run| match (run.first()?, run.last()?) {
        (first, last) if first == last => Some(first.to_string()),
        (first, last) => Some(format!("{first}-{last}")),
    });
    words.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_one_form() {
        assert_eq!(completed("affinity", None, "3,0,1,2,8"), "0-3,8");
        assert_eq!(completed("rlimit.nofile", Some("1024 hard=4096"), "2048"), "2048 hard=4096");
        assert_eq!(completed("rlimit.nofile", Some("1024 hard=4096"), "8192"), "8192 hard=8192");
        assert_eq!(completed("rlimit.memlock", Some("1 hard=unlimited"), "8192"), "8192 hard=unlimited");
        assert_eq!(completed("rlimit.memlock", Some("1 hard=2"), "unlimited"), "unlimited hard=unlimited");
        assert_eq!(completed("nice", Some("0"), "5"), "5");
        for text in ["none", "idle", "best-effort:7", "realtime:0"] {
            assert_eq!(io_words(io_number(text).expect("a priority")), text);
        }
        assert_eq!((io_number("best-effort:8"), io_number("worst")), (None, None));
    }

    #[test]
    fn a_task_is_the_one_of_its_start() {
        let root = std::env::temp_dir().join(format!("heldup-task-{}", std::process::id()));
        let files = [
            (
                "stat",
                "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 5 2 0 900 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 50 1\n",
            ),
            ("status", "Name:\ta\nTgid:\t7\nCpus_allowed_list:\t0-1\n"),
            ("task/7/stat", ""),
            (
                "limits",
                "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n",
            ),
        ];
        for (file, text) in files {
            let file = root.join("proc/7").join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        let host = Host::recorded(&root);
        assert_eq!(owner(&host, 7).expect("its start"), "7@900");
        let of = |setting: &str| read(&host, "7@900", setting).expect(setting);
        assert_eq!((of("nice"), of("affinity")), ("5".to_owned(), "0-1".to_owned()));
        assert_eq!(of("policy"), "fifo:50");
        assert_eq!(of("rlimit.nofile"), "1024 hard=524288");
        // Another process has its number by now.
        assert!(read(&host, "7@901", "nice").expect_err("another").is_absent());
        assert!(owner(&host, 8).expect_err("none").is_absent());
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
