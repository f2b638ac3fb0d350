//! Rows of `thread` and `cpu_time` from what the accounts say, and the texts of all rows.

use std::collections::HashMap;
use std::sync::Arc;

use heldup_hostfs::BootTime;
use heldup_model::tables::{CpuTimeRow, EndedProcessRow, ThreadRow};
use heldup_model::{Class, Form, Record as Row, RowSet, Text};

use super::cgroup::GroupName;
use super::record::{Cpu, Header, name_of};
use super::sheet::Sheet;

const NS: f64 = 1e9;
/// `SCHED_*` of include/uapi/linux/sched.h by number.
const POLICIES: [&str; 8] = ["other", "fifo", "rr", "batch", "iso", "idle", "deadline", "ext"];

/// Names of tasks that are remembered over windows.
const NAMES_REMEMBERED: usize = 10_000;

/// Texts that many rows share, each made once.
pub(crate) struct Words {
    classes: Vec<(Text, Text)>,
    names: HashMap<[u8; 16], Text>,
    policies: Vec<Text>,
    states: HashMap<char, Text>,
}

impl Words {
    pub(crate) fn new() -> Words {
        Words {
            classes: Class::ALL.iter().map(|c| (c.name().into(), c.group().name().into())).collect(),
            names: HashMap::new(),
            policies: POLICIES.iter().map(|name| Arc::from(*name)).collect(),
            states: HashMap::new(),
        }
    }

    /// Names are kept from window to window, unless so many tasks of other names came by.
    pub(crate) fn next_window(&mut self) {
        if self.names.len() > NAMES_REMEMBERED {
            self.names.clear();
        }
    }

    pub(crate) fn class(&self, class: Class) -> Text {
        self.classes[class as usize].0.clone()
    }

    /// The names of a class and of its group.
    pub(crate) fn class_and_group(&self, class: Class) -> (Text, Text) {
        self.classes[class as usize].clone()
    }

    pub(crate) fn name(&mut self, comm: &[u8; 16]) -> Text {
        self.names.entry(*comm).or_insert_with(|| name_of(comm).into()).clone()
    }

    fn policy(&self, policy: u32) -> Option<Text> {
        self.policies.get(policy as usize).cloned()
    }

    fn state(&mut self, state: char) -> Text {
        self.states.entry(state).or_insert_with(|| state.to_string().into()).clone()
    }
}

/// What rows call a task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Label {
    pub(crate) name: Text,
    pub(crate) process: Text,
    pub(crate) group: GroupName,
}

/// Gathers the rows of one reading.
pub(crate) struct Rows {
    pub(crate) task_time: Sheet,
    /// None where nobody asked.
    pub(crate) thread: Option<RowSet>,
    /// None where all controllers have one tree.
    pub(crate) ended_process: Option<RowSet>,
    /// None where nobody read or wrote.
    pub(crate) process_io: Option<RowSet>,
}

impl Rows {
    /// No rows yet.
    pub(crate) fn new(task_time: Sheet, threads: bool) -> Rows {
        let thread = threads.then(|| RowSet::empty(ThreadRow::DEF, Form::Totals));
        Rows { task_time, thread, ended_process: None, process_io: None }
    }

    /// Where a process was that ended.
    pub(crate) fn ended_process(
        &mut self,
        boot: BootTime,
        header: &Header,
        label: &Label,
        groups: [Option<Text>; 3],
    ) {
        let set =
            self.ended_process.get_or_insert_with(|| RowSet::empty(EndedProcessRow::DEF, Form::Increases));
        let [cgroup_memory, cgroup_io, cgroup_pids] = groups;
        push(
            set,
            EndedProcessRow {
                pid: Some(header.tgid.into()),
                start_ms: Some(boot.start_ms_of_ns(header.start_boot_ns)),
                name: Some(label.process.clone()),
                cgroup: label.group.path.clone(),
                cgroup_memory,
                cgroup_io,
                cgroup_pids,
            },
        );
    }

    /// The task's running totals as the kernel counts them.
    pub(crate) fn thread(&mut self, words: &mut Words, boot: BootTime, header: &Header, group: &GroupName) {
        let Some(set) = &mut self.thread else { return };
        push(
            set,
            ThreadRow {
                tid: Some(header.tid.into()),
                start_ms: Some(boot.start_ms_of_ns(header.start_boot_ns)),
                pid: Some(header.tgid.into()),
                name: Some(words.name(&header.comm)),
                kernel_thread: Some(header.is_kernel_thread()),
                unit: group.unit.clone(),
                container: group.container.clone(),
                state: Some(words.state(state_letter(header.state, header.dead != 0))),
                cpu_idx: Some(header.cpu.into()),
                policy: words.policy(header.policy),
                realtime_priority: Some(header.rt_priority.into()),
                // Static priority 100 to 139 is nice -20 to 19 (include/linux/sched/prio.h).
                nice: Some(i64::from(header.static_prio) - 120),
                allowed_cpus: Some(header.allowed_cpus.into()),
                user_s: Some(header.utime_ns as f64 / NS),
                system_s: Some(header.stime_ns as f64 / NS),
                run_s: Some(header.exec_ns as f64 / NS),
                run_delay_s: Some(header.run_delay_ns as f64 / NS),
                voluntary_switches: Some(header.voluntary as i64),
                involuntary_switches: Some(header.involuntary as i64),
                minor_faults: Some(header.minor_faults as i64),
                major_faults: Some(header.major_faults as i64),
                // The ledger has the waits themselves.
                ..ThreadRow::default()
            },
        );
    }
}

pub(crate) fn push<R: Row>(set: &mut RowSet, row: R) {
    row.push_to(&mut set.cells);
    set.len += 1;
}

/// The letter of `/proc/PID/stat`; the bits are those of fs/proc/array.c since 4.14.
fn state_letter(state: u32, dead: bool) -> char {
    const NOLOAD: u32 = 0x400;
    match state {
        _ if dead => 'X',
        s if s & 0x2 != 0 && s & NOLOAD != 0 => 'I',
        s if s & 0x1 != 0 => 'S',
        s if s & 0x2 != 0 => 'D',
        s if s & 0x4 != 0 => 'T',
        s if s & 0x8 != 0 => 't',
        s if s & 0x10 != 0 => 'X',
        s if s & 0x20 != 0 => 'Z',
        s if s & 0x40 != 0 => 'P',
        _ => 'R',
    }
}

/// A CPU's running totals with its open period closed at `now`; none before its first switch.
pub(crate) fn close_cpu(cpu: &Cpu, now: u64) -> Option<Cpu> {
    if cpu.since == 0 {
        return None;
    }
    let mut closed = *cpu;
    let open = now.saturating_sub(cpu.since);
    match cpu.idle_now {
        0 => closed.busy_ns += open,
        _ => closed.idle_ns += open,
    }
    Some(closed)
}

/// The row of one CPU between two readings.
pub(crate) fn cpu_time(cpu_idx: usize, before: &Cpu, now: &Cpu) -> CpuTimeRow {
    let seconds = |now: u64, before: u64| Some(now.saturating_sub(before) as f64 / NS);
    CpuTimeRow {
        cpu_idx: Some(cpu_idx as i64),
        busy_s: seconds(now.busy_ns, before.busy_ns),
        idle_s: seconds(now.idle_ns, before.idle_ns),
        switches: Some(now.switches.saturating_sub(before.switches) as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_has_not_switched_is_unknown() {
        assert_eq!(close_cpu(&Cpu::default(), 5_000), None);
    }

    #[test]
    fn the_open_period_of_a_cpu_counts() {
        let cpu = Cpu { since: 1_000, idle_now: 1, idle_ns: 50, busy_ns: 70, ..Cpu::default() };
        let closed = close_cpu(&cpu, 1_600).expect("has switched");
        assert_eq!((closed.idle_ns, closed.busy_ns), (650, 70));
        let row = cpu_time(3, &Cpu { idle_ns: 50, busy_ns: 70, ..cpu }, &closed);
        assert_eq!((row.cpu_idx, row.idle_s, row.busy_s), (Some(3), Some(600e-9), Some(0.0)));
    }

    #[test]
    fn state_letters_are_those_of_proc() {
        // Raw values seen on 6.18: interruptible and freezable, idle, runnable, uninterruptible.
        for (state, letter) in [(0x2001, 'S'), (0x402, 'I'), (0, 'R'), (2, 'D'), (0x102, 'D'), (8, 't')] {
            assert_eq!(state_letter(state, false), letter, "{state:#x}");
        }
    }
}
