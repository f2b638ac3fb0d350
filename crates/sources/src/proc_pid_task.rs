//! `/proc/PID/task`: what each thread used and how it switched (table `thread`).
//!
//! Only for a run without eBPF: three files a thread cost twenty times what the ledger's
//! own pass over the tasks costs, and that pass supplies the same table. Threads that live
//! and die between two readings are not seen. Where the kernel counts delays, it is asked for
//! those of each thread too (taskstats).

use std::fmt::Write as _;

use heldup_hostfs::{BootTime, Host, TaskStats};
use heldup_model::tables::ThreadRow;
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::kernel_text::{Parsed, fields};
use crate::proc_pid_stat::{self, TaskStat};
use crate::proc_pid_status::{self, TaskStatus};
use crate::process_owner::ProcessOwner;
use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::taskstats::{self, TaskDelays};

/// At most so many damaged files are named: a damaged recording has one for each thread.
const MAX_FLAWS: usize = 20;
/// At most so many threads are read: about a second and a half.
const MAX_THREADS: usize = 50_000;

/// `/proc/PID/schedstat`: run time and delay, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchedStat {
    /// Time on a CPU.
    pub run_ns: Option<i64>,
    /// Time waiting for one; always zero on a kernel without CONFIG_SCHED_INFO.
    pub run_delay_ns: Option<i64>,
}

/// Reads a task's `schedstat`: three numbers, of which the last counts slices.
pub fn parse_schedstat(text: &[u8]) -> Parsed<SchedStat> {
    let mut parsed = Parsed::<SchedStat>::default();
    let line = parsed.whole_lines(text);
    let mut numbers = fields(line.trim_ascii_end());
    parsed.value.run_ns = parsed.count(1, "run time", numbers.next());
    parsed.value.run_delay_ns = parsed.count(1, "run delay", numbers.next());
    parsed
}

/// Name of a scheduling policy (sched(7)).
pub fn policy_name(policy: i64) -> Option<&'static str> {
    Some(match policy {
        0 => "other",
        1 => "fifo",
        2 => "rr",
        3 => "batch",
        5 => "idle",
        6 => "deadline",
        7 => "ext",
        _ => return None,
    })
}

/// The source.
#[derive(Debug, Default)]
pub struct ProcPidTask {
    text: Vec<u8>,
    path: String,
}

impl Source for ProcPidTask {
    fn name(&self) -> &'static str {
        "proc_pid_task"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[ThreadRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        self.read_threads(context.host)
    }
}

impl ProcPidTask {
    /// Reads every thread.
    pub fn read_threads(&mut self, host: &Host) -> Reading {
        let mut reading = Reading::default();
        let (pids, boot) = match host.list_numbers("/proc").and_then(|pids| Ok((pids, host.boot_time()?))) {
            Ok(read) => read,
            Err(error) => {
                reading.lacks("thread", &error, "mount proc on /proc");
                return reading;
            }
        };
        let ticks_per_s = host.units().ticks_per_s as f64;
        let mut counts = delay_counts(host, &mut reading);
        let mut rows = Vec::new();
        'processes: for pid in pids {
            let from = rows.len();
            // Ended meanwhile, or hidden.
            for tid in host.list_numbers(format!("/proc/{pid}/task")).unwrap_or_default() {
                if rows.len() == MAX_THREADS {
                    reading.missing.push(too_many());
                    break 'processes;
                }
                let Some(row) = self.thread(host, pid, tid, boot, ticks_per_s, &mut reading) else {
                    continue;
                };
                let delays = delays(&mut counts, tid, &mut reading);
                rows.push(with_delays(row, delays));
            }
            self.name_owners(host, pid, &mut rows[from..]);
        }
        reading.flaws.truncate(MAX_FLAWS);
        reading.rows.push(RowSet::totals(rows));
        reading
    }

    /// Unit and container of a process, in the rows of its threads. Nobody owns the kernel's.
    fn name_owners(&mut self, host: &Host, pid: i64, rows: &mut [ThreadRow]) {
        if rows.first().is_none_or(|row| row.kernel_thread == Some(true)) {
            return;
        }
        let (unit, container) = ProcessOwner::groups(host, pid, &mut self.text);
        for row in rows {
            (row.unit, row.container) = (unit.clone(), container.clone());
        }
    }

    /// One thread; none when it has ended meanwhile.
    fn thread(
        &mut self,
        host: &Host,
        pid: i64,
        tid: i64,
        boot: BootTime,
        ticks_per_s: f64,
        reading: &mut Reading,
    ) -> Option<ThreadRow> {
        let stat = self.file(host, pid, tid, "stat", proc_pid_stat::parse, reading)??;
        let status = self.file(host, pid, tid, "status", proc_pid_status::parse, reading);
        // Only with CONFIG_SCHED_INFO, which every distribution has.
        let sched = self.file(host, pid, tid, "schedstat", parse_schedstat, reading).unwrap_or_default();
        if status.is_none() && host.is_live() {
            return None;
        }
        Some(row(pid, tid, &stat, status.unwrap_or_default(), sched, boot, ticks_per_s))
    }

    fn file<T>(
        &mut self,
        host: &Host,
        pid: i64,
        tid: i64,
        file: &str,
        parse: impl Fn(&[u8]) -> Parsed<T>,
        reading: &mut Reading,
    ) -> Option<T> {
        self.path.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.path, "/proc/{pid}/task/{tid}/{file}");
        host.read_into(&self.path, &mut self.text).ok()?;
        Some(reading.take(&self.path, parse(&self.text)))
    }
}

fn row(
    pid: i64,
    tid: i64,
    stat: &TaskStat,
    status: TaskStatus,
    sched: SchedStat,
    boot: BootTime,
    ticks_per_s: f64,
) -> ThreadRow {
    let seconds = |ticks: Option<i64>| ticks.map(|ticks| ticks as f64 / ticks_per_s);
    let fine_seconds = |ns: Option<i64>| ns.map(|ns| ns as f64 / 1e9);
    let name: Text = stat.name.as_str().into();
    ThreadRow {
        tid: Some(tid),
        start_ms: Some(boot.start_ms_of_ticks(stat.start_ticks)),
        pid: Some(pid),
        name: Some(name),
        kernel_thread: stat.kernel_thread,
        unit: None,
        container: None,
        state: stat.state.map(|state| state.to_string().into()),
        cpu_idx: stat.cpu_idx,
        policy: stat.policy.and_then(policy_name).map(Into::into),
        realtime_priority: stat.realtime_priority,
        nice: stat.nice,
        allowed_cpus: status.allowed_cpus,
        user_s: seconds(stat.user_ticks),
        system_s: seconds(stat.system_ticks),
        run_s: fine_seconds(sched.run_ns),
        run_delay_s: fine_seconds(sched.run_delay_ns),
        voluntary_switches: status.voluntary_switches,
        involuntary_switches: status.involuntary_switches,
        minor_faults: stat.minor_faults,
        major_faults: stat.major_faults,
        ..ThreadRow::default()
    }
}

/// What the kernel's counts of delays stand for in what is missing.
const DELAYS: &str = "thread.block_io_delay_s";

/// The counts of delays, where the kernel keeps any. Before 5.14 it always does, or was told not to
/// at boot, which shows in the counts.
fn delay_counts(host: &Host, reading: &mut Reading) -> Option<TaskStats> {
    let mut lacks = |why: String, how: &str| {
        reading.missing.push(Missing { what: DELAYS.to_owned(), why, how: how.to_owned() });
        None
    };
    if host.read_text("/proc/sys/kernel/task_delayacct").is_ok_and(|text| text.trim() == "0") {
        let how = "sysctl kernel.task_delayacct=1 (counts what starts afterwards), or boot with delayacct";
        return lacks("the kernel counts no delays: kernel.task_delayacct is 0".to_owned(), how);
    }
    let needs = "needs CONFIG_TASKSTATS and CONFIG_TASK_DELAY_ACCT";
    host.task_stats().map_or_else(|error| lacks(error.to_string(), needs), Some)
}

/// What was counted of a thread. Who is refused once is not asked again.
fn delays(counts: &mut Option<TaskStats>, tid: i64, reading: &mut Reading) -> TaskDelays {
    let message = match counts.as_mut().map(|counts| counts.of_thread(tid)) {
        None => return TaskDelays::default(),
        Some(Ok(message)) => message,
        // Ended meanwhile, or not recorded.
        Some(Err(error)) if error.is_absent() => return TaskDelays::default(),
        Some(Err(error)) => {
            *counts = None;
            let how = "run as root, with CAP_NET_ADMIN and not within a PID namespace";
            let missing = Missing { what: DELAYS.to_owned(), why: error.to_string(), how: how.to_owned() };
            reading.missing.push(missing);
            return TaskDelays::default();
        }
    };
    let parsed = taskstats::parse(&message);
    if !parsed.errors.is_empty() {
        *counts = None;
    }
    reading.take("netlink taskstats", parsed)
}

fn with_delays(row: ThreadRow, delays: TaskDelays) -> ThreadRow {
    let seconds = |ns: Option<i64>| ns.map(|ns| ns as f64 / 1e9);
    ThreadRow {
        block_io_delay_s: seconds(delays.block_io_ns),
        swap_in_delay_s: seconds(delays.swap_in_ns),
        reclaim_delay_s: seconds(delays.reclaim_ns),
        thrashing_delay_s: seconds(delays.thrashing_ns),
        compaction_delay_s: seconds(delays.compaction_ns),
        copy_delay_s: seconds(delays.copy_ns),
        irq_delay_s: seconds(delays.irq_ns),
        device_read_bytes: delays.read_bytes,
        device_write_bytes: delays.write_bytes,
        ..row
    }
}

fn too_many() -> Missing {
    Missing {
        what: "thread".to_owned(),
        why: format!("more than {MAX_THREADS} threads; those of the lowest process ids were read"),
        how: "run as root, so that the ledger can see every thread".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedstat() {
        let parsed = parse_schedstat(b"1500 250 7\n");
        assert_eq!(parsed.value, SchedStat { run_ns: Some(1500), run_delay_ns: Some(250) });
        assert_eq!(parsed.errors, []);
        assert_eq!(parse_schedstat(b"1500\n").errors.len(), 1);
        assert_eq!(parse_schedstat(b"1500 2").value, SchedStat::default());
    }

    #[test]
    fn our_own_thread_is_among_them() {
        let reading = ProcPidTask::default().read_threads(&Host::live());
        let own = heldup_hostfs::own_pid();
        let tids = reading.rows[0].ints("tid");
        let at = tids.iter().position(|tid| *tid == Some(own)).expect("our first thread");
        assert_eq!(reading.rows[0].ints("pid")[at], Some(own));
        assert!(reading.rows[0].floats("run_s")[at].is_some_and(|run| run > 0.0));
    }
}
