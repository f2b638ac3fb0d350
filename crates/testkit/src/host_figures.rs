//! The kernel's own counters, with which a trouble maker proves its trouble.
//!
//! Read here again and not through the product's own readers: a test that believes what
//! it tests proves nothing.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result};

/// How often [`let_settle`] looks before it goes on anyway.
const LOOKS_AT_REST: usize = 22;
/// Length of such a look: twenty ticks of a kernel that has the fewest.
const LOOK: Duration = Duration::from_millis(200);

/// One counter of `/proc/net/netstat`, of the namespace of this process.
pub fn netstat(group: &str, name: &str) -> Result<u64> {
    protocol_counter("/proc/net/netstat", group, name)
}

/// One counter of `/proc/net/snmp`, of the namespace of this process.
pub fn snmp(group: &str, name: &str) -> Result<u64> {
    protocol_counter("/proc/net/snmp", group, name)
}

/// Each group has a line of names and one of values.
fn protocol_counter(path: &str, group: &str, name: &str) -> Result<u64> {
    let text = fs::read_to_string(path)?;
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(group)?.strip_prefix(": "));
    let (names, values) = (lines.next(), lines.next());
    let at = names.and_then(|names| names.split(' ').position(|one| one == name));
    let value = at.and_then(|at| values?.split(' ').nth(at)?.parse().ok());
    value.with_context(|| format!("{path}: no {group} {name}"))
}

/// One counter of `/proc/vmstat`.
pub fn vmstat(name: &str) -> Result<u64> {
    let text = fs::read_to_string("/proc/vmstat")?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
    value.with_context(|| format!("/proc/vmstat: no {name}"))
}

/// One figure of `/proc/meminfo`: bytes where the kernel gives kB, else as it is.
pub fn meminfo_bytes(name: &str) -> Result<u64> {
    let text = fs::read_to_string("/proc/meminfo")?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let mut words = rest.with_context(|| format!("/proc/meminfo: no {name}"))?.split_whitespace();
    let value: u64 =
        words.next().unwrap_or_default().parse().with_context(|| format!("/proc/meminfo: {name}"))?;
    Ok(if words.next() == Some("kB") { value * 1024 } else { value })
}

/// One field of `/sys/block/NAME/stat`, counted from 0 as in Documentation/block/stat.rst.
pub fn block_stat(name: &str, field: usize) -> Result<u64> {
    let path = format!("/sys/block/{name}/stat");
    let text = fs::read_to_string(&path).with_context(|| format!("read {path}"))?;
    let value = text.split_whitespace().nth(field).and_then(|word| word.parse().ok());
    value.with_context(|| format!("{path}: no field {field}"))
}

/// Milliseconds that requests have spent in the queue of a device, added up.
pub fn queued_ms(name: &str) -> Result<u64> {
    block_stat(name, 10)
}

/// CPU time of a process in clock ticks, user and kernel.
pub fn cpu_ticks(pid: i64) -> Result<u64> {
    let words = stat_after_name(&format!("/proc/{pid}/stat"))?;
    let field = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    let sum = field(11).zip(field(12)).map(|(user, system)| user + system);
    sum.with_context(|| format!("/proc/{pid}/stat: no utime and stime"))
}

/// Nanoseconds that the threads of a process have waited for a CPU (schedstat).
pub fn run_delay_ns(pid: i64) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(format!("/proc/{pid}/task"))? {
        let path = entry?.path().join("schedstat");
        let text = fs::read_to_string(&path).unwrap_or_default();
        sum += text.split_whitespace().nth(1).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(sum)
}

/// Processes and threads that were made since the machine started.
pub fn forks() -> Result<u64> {
    let text = fs::read_to_string("/proc/stat")?;
    let made = text.lines().find_map(|line| line.strip_prefix("processes ")?.parse().ok());
    made.context("/proc/stat: no processes")
}

/// Times that the first thread of a process was switched, because it waited or not.
pub fn context_switches(pid: i64) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let lines = text.lines().filter(|line| line.contains("voluntary_ctxt_switches"));
    Ok(lines.filter_map(|line| line.split_whitespace().last()?.parse::<u64>().ok()).sum())
}

/// The number of the system call that each sleeping thread of a process is in.
///
/// `/proc/PID/stack` cannot tell more: the kernel hides its lock functions from it.
pub fn calls_waited_in(pid: i64) -> Result<Vec<i64>> {
    let mut calls = Vec::new();
    for entry in fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = fs::read_to_string(entry?.path().join("syscall")).unwrap_or_default();
        calls.extend(text.split(' ').next().and_then(|word| word.parse::<i64>().ok()));
    }
    Ok(calls)
}

/// Share of all CPU time that was idle over the next `span`, I/O wait included.
pub fn idle_share(span: Duration) -> Result<f64> {
    let (idle_before, all_before) = cpu_totals()?;
    sleep(span);
    let (idle_after, all_after) = cpu_totals()?;
    Ok((idle_after - idle_before) as f64 / (all_after - all_before).max(1) as f64)
}

/// Lets the machine come to rest after the test before: at most some seconds, because a
/// machine that is never idle is tested too.
pub fn let_settle() -> Result<()> {
    for _ in 0..LOOKS_AT_REST {
        if idle_share(LOOK)? > 0.9 {
            break;
        }
    }
    Ok(())
}

/// Ticks of the first line of `/proc/stat`: idle with I/O wait, and all.
fn cpu_totals() -> Result<(u64, u64)> {
    let text = fs::read_to_string("/proc/stat")?;
    let line = text.lines().next().context("/proc/stat is empty")?;
    // user nice system idle iowait irq softirq steal; guest times are part of user.
    let ticks: Vec<u64> =
        line.split_whitespace().skip(1).take(8).filter_map(|word| word.parse().ok()).collect();
    let idle = ticks.iter().skip(3).take(2).sum();
    Ok((idle, ticks.iter().sum()))
}

/// Fields of a `stat` file from the state on; the name before it may hold anything.
fn stat_after_name(path: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| format!("read {path}"))?;
    let (_, after) = text.rsplit_once(") ").with_context(|| format!("{path}: no name"))?;
    Ok(after.split_whitespace().map(str::to_owned).collect())
}
