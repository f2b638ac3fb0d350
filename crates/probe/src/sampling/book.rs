//! The accounts of all threads: sampled in passes, closed into rows of `task_time`.

use std::collections::{HashMap, HashSet};

use heldup_hostfs::{BootTime, Host, monotonic_ns, own_pid};
use heldup_model::tables::TaskTimeRow;
use heldup_model::{Class, Form, Record, RowSet, StackTable, Text, owner_of_cgroup};

use super::counters::Counters;
use super::estimate::{Estimate, Look, Spent};
use super::proc_task::{
    CallText, Reader, SchedStat, Stat, parse_block_bytes, parse_call, parse_schedstat, parse_stack,
    parse_stat,
};
use super::seen::{Object, Seen, SeenWaits, Waiter};
use super::wait::{Call, Verdict, judge, judge_async, judge_file, judge_stack};
use super::waves::Waves;
use crate::call_family::{CallFamilies, CallFamily};
use crate::error::ProbeError;
use crate::ledger::class_of_kind;
use crate::task_cgroup::cgroup_of;

/// New threads of known processes are looked for this often; new processes at each pass.
const LIST_NS: u64 = 1_000_000_000;
/// Threads that are followed at most, those of the lowest process ids: a pass over them takes
/// about half a second of CPU, of which the budget allows one a minute.
const MAX_TASKS: usize = 50_000;

/// Process and thread id.
pub(super) type Key = (i64, i64);

/// One thread.
struct Task {
    stat: Stat,
    name: Text,
    estimate: Estimate,
    /// What the last sample of a wait saw.
    seen: Option<Seen>,
    /// Ticks in user mode and in the kernel when the interval began.
    ticks: (u64, u64),
    /// Bytes of block I/O when it was last seen to wait for a ring.
    block_bytes: Option<u64>,
}

/// What the threads of a process share.
#[derive(Clone, Default)]
struct Process {
    name: Option<Text>,
    cgroup: Option<Text>,
    unit: Option<Text>,
    container: Option<Text>,
    /// The number of its threads was looked up.
    listed: bool,
    /// Of the command under examination: a child of ours, or of one that is.
    in_command: bool,
}

/// What the rights did not allow to see, by thread.
#[derive(Default)]
pub(super) struct Hidden {
    /// Threads of programs that were sampled while they waited.
    pub(super) looked: HashSet<Key>,
    /// Those whose system call may not be read.
    pub(super) calls: HashSet<Key>,
    /// Those whose call may be read, of which it took a stack to know.
    pub(super) asked: HashSet<Key>,
    /// Those whose stack may not be read where it was needed.
    pub(super) stacks: HashSet<Key>,
}

/// All threads.
pub(super) struct Book {
    sight: Sight,
    /// Whether a command is examined, to which processes belong or not.
    with_command: bool,
    boot: BootTime,
    ns_per_tick: u64,
    tasks: HashMap<Key, Task>,
    processes: HashMap<i64, Process>,
    ended: Vec<(Key, Task)>,
    waves: Waves,
    seen: SeenWaits,
    /// When threads were listed last; 0 before the first time.
    listed_ns: u64,
    /// When the pass before began; who is new was born since.
    passed_ns: u64,
    /// When the last pass of the interval before began.
    closed_ns: u64,
}

/// What is needed to determine what a thread waits for.
struct Sight {
    reader: Reader,
    families: CallFamilies,
    table: StackTable,
    counters: Counters,
    hidden: Hidden,
}

impl Book {
    pub(super) fn new(host: &Host, with_command: bool) -> Result<Book, ProbeError> {
        Ok(Book {
            with_command,
            boot: host.boot_time()?,
            ns_per_tick: 1_000_000_000 / host.units().ticks_per_s.max(1),
            sight: Sight {
                reader: Reader::new(host.clone()),
                families: CallFamilies::builtin(),
                table: StackTable::builtin()?,
                counters: Counters::default(),
                hidden: Hidden::default(),
            },
            tasks: HashMap::new(),
            processes: HashMap::new(),
            ended: Vec::new(),
            waves: Waves::new(),
            seen: SeenWaits::default(),
            listed_ns: 0,
            passed_ns: 0,
            closed_ns: 0,
        })
    }

    /// What could not be seen so far.
    pub(super) fn hidden(&self) -> &Hidden {
        &self.sight.hidden
    }

    /// Samples every thread once.
    pub(super) fn pass(&mut self) -> Result<(), ProbeError> {
        let began_ns = monotonic_ns();
        self.find_threads(began_ns)?;
        let mut gone = Vec::new();
        for (key, task) in &mut self.tasks {
            let Some(look) = self.sight.look(*key, task) else {
                gone.push(*key);
                continue;
            };
            let continues = look.continues(task.estimate.last());
            if let Some(class) = look.waits.filter(|_| !continues) {
                for (class, departure, variance) in task.estimate.surprise(class) {
                    self.waves.add(class, departure, variance);
                }
            }
            if let Some(seen) = task.seen.as_ref().filter(|seen| look.waits.is_some() && seen.counts()) {
                let process = self.processes.get(&key.0);
                self.seen.add(*key, seen, || Waiter {
                    name: task.name.clone(),
                    process_name: process.and_then(|process| process.name.clone()),
                    kernel_thread: task.stat.kernel_thread,
                    cgroup: process.and_then(|process| process.cgroup.clone()),
                });
            }
            task.estimate.look(look);
        }
        self.waves.end_of_pass();
        for key in gone {
            self.ended.extend(self.tasks.remove(&key).map(|task| (key, task)));
        }
        self.passed_ns = began_ns;
        Ok(())
    }

    /// Makes rows of the time since the last call, and reports how many seconds that was.
    pub(super) fn close(&mut self) -> (RowSet, f64) {
        let since_ns = std::mem::replace(&mut self.closed_ns, self.passed_ns);
        let factors = Class::ALL.map(|class| self.waves.factor(class));
        let mut rows = RowSet::empty(TaskTimeRow::DEF, Form::Increases);
        let mut add = |key: &Key, task: &mut Task, exited: bool| {
            let process = self.processes.get(&key.0).cloned().unwrap_or_default();
            let ticks = (task.stat.user_ticks, task.stat.system_ticks);
            let before = std::mem::replace(&mut task.ticks, ticks);
            let start_ms = self.boot.start_ms_of_ticks(task.stat.start_ticks);
            for spent in split_running(task.estimate.close(), user_share(before, ticks, &task.stat)) {
                if spent.seconds <= 0.0 {
                    continue;
                }
                self.seen.spent(*key, spent.class, spent.seconds);
                let in_command = self.with_command.then_some(process.in_command);
                let row = TaskTimeRow {
                    in_command,
                    ..row(*key, task, &process, start_ms, exited, spent, &factors)
                };
                row.push_to(&mut rows.cells);
                rows.len += 1;
            }
        };
        for (key, mut task) in self.ended.drain(..) {
            add(&key, &mut task, true);
        }
        for (key, task) in &mut self.tasks {
            // The ticks of who ran since they were read: for the parts of its running.
            if let Some(stat) = self.sight.stat(*key) {
                (task.stat.user_ticks, task.stat.system_ticks) = (stat.user_ticks, stat.system_ticks);
            }
            add(key, task, false);
        }
        let alive: HashSet<i64> = self.tasks.keys().map(|(pid, _)| *pid).collect();
        self.processes.retain(|pid, _| alive.contains(pid));
        (rows, (self.closed_ns - since_ns) as f64 / 1e9)
    }

    /// Rows of `stack`: what was seen of the waits since the start or the call before, with which
    /// a window ends. What was hidden is hidden anew in the next one, if it still is.
    pub(super) fn end_window(&mut self) -> RowSet {
        self.sight.hidden = Hidden::default();
        std::mem::take(&mut self.seen).rows()
    }

    /// Takes in threads that are new; our own are left out.
    fn find_threads(&mut self, now_ns: u64) -> Result<(), ProbeError> {
        let all = self.listed_ns == 0 || now_ns - self.listed_ns >= LIST_NS;
        if all {
            self.listed_ns = now_ns;
        }
        let own = own_pid();
        for pid in self.sight.reader.host.list_numbers("/proc")?.into_iter().filter(|pid| *pid != own) {
            if !all && self.processes.get(&pid).is_some_and(|process| process.listed) {
                continue;
            }
            // Ended meanwhile, or hidden.
            let host = &self.sight.reader.host;
            for tid in host.list_numbers(format!("/proc/{pid}/task")).unwrap_or_default() {
                if self.tasks.len() < MAX_TASKS && !self.tasks.contains_key(&(pid, tid)) {
                    self.begin((pid, tid));
                }
            }
        }
        Ok(())
    }

    /// Opens the account of a thread: at its birth, where that was since the pass before.
    fn begin(&mut self, key: Key) {
        let Some(stat) = self.sight.stat(key) else { return };
        let now_ns = monotonic_ns();
        let first = match self.passed_ns {
            0 => match self.sight.sched(key) {
                Some(sched) => look_of(now_ns, sched, None),
                None => return,
            },
            // The start counts from boot, and so does this clock but for times of suspension.
            passed_ns => {
                let born_ns = (stat.start_ticks as u64).saturating_mul(self.ns_per_tick);
                look_of(born_ns.clamp(passed_ns.min(now_ns), now_ns), SchedStat::default(), None)
            }
        };
        let (pid, tid) = key;
        // By the parent at the first sample: a task that is adopted later stays in the command.
        let parent = self.processes.get(&stat.parent_pid);
        let in_command = stat.parent_pid == own_pid() || parent.is_some_and(|parent| parent.in_command);
        let process = self.processes.entry(pid).or_default();
        process.listed = true;
        process.in_command |= in_command;
        let name: Text = stat.name.as_str().into();
        if pid == tid {
            process.name = Some(name.clone());
        }
        if process.cgroup.is_none() && !stat.kernel_thread {
            process.cgroup = u32::try_from(pid).ok().and_then(|pid| cgroup_of(&self.sight.reader.host, pid));
            let owner = process.cgroup.as_deref().map(owner_of_cgroup).unwrap_or_default();
            (process.unit, process.container) = (owner.unit, owner.container);
        }
        // Who was born since has used no ticks before.
        let ticks = if self.passed_ns == 0 { (stat.user_ticks, stat.system_ticks) } else { (0, 0) };
        let estimate = Estimate::new(first);
        self.tasks.insert(key, Task { stat, name, estimate, seen: None, ticks, block_bytes: None });
    }
}

impl Sight {
    /// One sample of a thread; none when it has ended.
    fn look(&mut self, key: Key, task: &mut Task) -> Option<Look> {
        let sched = self.sched(key)?;
        let mut look = look_of(monotonic_ns(), sched, None);
        let last = task.estimate.last();
        if last.waits.is_some() && look.continues(last) {
            look.waits = last.waits;
            return Some(look);
        }
        let stat = self.stat(key)?;
        if stat.start_ticks != task.stat.start_ticks || matches!(stat.state, 'Z' | 'X') {
            return None;
        }
        if stat.name != task.stat.name {
            task.name = stat.name.as_str().into();
        }
        if stat.state != 'R' {
            task.seen = self.wait(key, &stat, task);
            look.waits = task.seen.as_ref().map(|seen| seen.class);
        }
        task.stat = stat;
        Some(look)
    }

    /// What a thread that sleeps waits for; none where it runs again by now.
    fn wait(&mut self, key: Key, stat: &Stat, task: &mut Task) -> Option<Seen> {
        let call = match (!stat.kernel_thread).then(|| self.call(key)) {
            Some(Some(CallText::Running)) => return None,
            Some(Some(CallText::Call(call))) => Some(call),
            _ => None,
        };
        let mut verdict = judge(stat.state, stat.kernel_thread, call.as_ref(), &self.families);
        if call.as_ref().is_some_and(|call| self.counters.is_one(key.0, call, &self.families)) {
            verdict = Verdict::Class(class_of_kind("futex_park"));
        }
        let mut file = None;
        if let Verdict::File { descriptor, family } = verdict {
            file = self.reader.file(key, descriptor);
            verdict = judge_file(stat.state, family, file.as_ref().map(|file| file.kind));
        }
        let (class, stack) = match verdict {
            Verdict::Class(class) => (class, None),
            Verdict::Stack { hint, or } => self.stack(key, call.as_ref(), hint, or),
            Verdict::Async => (self.ring(key, task), None),
            Verdict::File { .. } => (Class::Unknown, None),
        };
        let mut seen = Seen::new(class, call.as_ref());
        if let Some(call) = call.as_ref().filter(|_| seen.counts()) {
            let of_call = self.families.of(call.number).unwrap_or(CallFamily::Other);
            let file = file.or_else(|| self.reader.file(key, file_of(of_call, call)?));
            seen.object = match (class, file) {
                (Class::LockUser, _) => Object::of_futex(call.args[0]),
                (_, Some(file)) => Object::of_file(file),
                _ => Object::default(),
            };
        }
        seen.stack = stack.filter(|_| seen.counts());
        if let (Class::LockKernel | Class::KernelWait, Some(stack)) = (class, &seen.stack) {
            let frames: Vec<&str> = stack.rsplit(';').collect();
            let kind = if class == Class::LockKernel { "lock" } else { "function" };
            if let Some(asker) = self.table.place(&frames) {
                (seen.object.kind, seen.object.name) = (Some(kind), Some(asker.into()));
            }
        }
        Some(seen)
    }

    /// What a thread waits for that waits for a ring of requests.
    fn ring(&mut self, key: Key, task: &mut Task) -> Class {
        let now = self.reader.text(key, "io").ok().and_then(parse_block_bytes);
        let before = std::mem::replace(&mut task.block_bytes, now);
        judge_async(before, now)
    }

    fn call(&mut self, key: Key) -> Option<CallText> {
        self.hidden.looked.insert(key);
        match self.reader.text(key, "syscall") {
            Ok(text) => parse_call(text),
            Err(error) => {
                if error.is_denied() {
                    self.hidden.calls.insert(key);
                }
                None
            }
        }
    }

    /// By the stack, or where that may not be read by the wait channel, its first function.
    fn stack(&mut self, key: Key, call: Option<&Call>, hint: Class, or: Class) -> (Class, Option<Text>) {
        // Who hides its call hides everything: no measure of what stacks would report.
        if call.is_some() {
            self.hidden.asked.insert(key);
        }
        match self.reader.text(key, "stack") {
            Ok(text) => {
                let frames = parse_stack(text);
                let outermost_first: Vec<&str> = frames.iter().rev().map(|frame| function(frame)).collect();
                let text = (!frames.is_empty()).then(|| outermost_first.join(";").into());
                return (judge_stack(&self.table, &frames, hint, or), text);
            }
            Err(error) if error.is_denied() && call.is_some() => {
                self.hidden.stacks.insert(key);
            }
            Err(_) => {}
        }
        let Ok(channel) = self.reader.text(key, "wchan") else { return (or, None) };
        let channel = channel.trim();
        // "0" is said of whom we may not read. A function that says what is waited for, but
        // not for whom (`folio_wait_bit_common`), is believed only with a call beside it.
        match channel {
            "" | "0" => (or, None),
            channel => {
                let hint = if call.is_some() { hint } else { or };
                (judge_stack(&self.table, &[channel], hint, or), Some(channel.into()))
            }
        }
    }

    fn stat(&mut self, key: Key) -> Option<Stat> {
        parse_stat(self.reader.text(key, "stat").ok()?)
    }

    /// Zero on a kernel without CONFIG_SCHED_INFO; none when the thread has ended.
    fn sched(&mut self, key: Key) -> Option<SchedStat> {
        match self.reader.text(key, "schedstat") {
            Ok(text) => Some(parse_schedstat(text).unwrap_or_default()),
            Err(error) if error.is_absent() => None,
            Err(_) => Some(SchedStat::default()),
        }
    }
}

/// The descriptor that a call is about, where that settles nothing about its class.
fn file_of(family: CallFamily, call: &Call) -> Option<u64> {
    match family {
        CallFamily::Sync | CallFamily::Flock | CallFamily::Fcntl => Some(call.args[0]),
        _ => None,
    }
}

/// The name of a function, without the place in it and its module.
fn function(frame: &str) -> &str {
    frame.split(['+', ' ']).next().unwrap_or(frame)
}

fn look_of(ns: u64, sched: SchedStat, waits: Option<Class>) -> Look {
    Look { ns, run_ns: sched.run_ns, queue_ns: sched.queue_ns, slices: sched.slices, waits }
}

/// The share of running that was in user mode: by the ticks of the interval, else of all its
/// life. Ticks are coarse (10 ms), the scheduler's run time is fine.
fn user_share(before: (u64, u64), now: (u64, u64), stat: &Stat) -> f64 {
    let (user, system) = (now.0.saturating_sub(before.0), now.1.saturating_sub(before.1));
    match (user + system, now.0 + now.1) {
        _ if stat.kernel_thread => 0.0,
        (0, 0) => 1.0,
        (0, all) => now.0 as f64 / all as f64,
        (some, _) => user as f64 / some as f64,
    }
}

fn split_running(spent: Vec<Spent>, user_share: f64) -> impl Iterator<Item = Spent> {
    spent.into_iter().flat_map(move |one| {
        let parts = match one.class {
            Class::User => [
                Some(Spent { seconds: one.seconds * user_share, ..one }),
                Some(Spent { class: Class::Kernel, seconds: one.seconds * (1.0 - user_share), ..one }),
            ],
            _ => [Some(one), None],
        };
        parts.into_iter().flatten()
    })
}

fn row(
    (pid, tid): Key,
    task: &Task,
    process: &Process,
    start_ms: i64,
    exited: bool,
    spent: Spent,
    factors: &[f64; Class::ALL.len()],
) -> TaskTimeRow {
    let error = spent.variance.map(|variance| (variance * factors[spent.class as usize]).sqrt());
    TaskTimeRow {
        tid: Some(tid),
        start_ms: Some(start_ms),
        class_name: Some(spent.class.name().into()),
        group_name: Some(spent.class.group().name().into()),
        pid: Some(pid),
        name: Some(task.name.clone()),
        process_name: process.name.clone(),
        kernel_thread: Some(task.stat.kernel_thread),
        cgroup: process.cgroup.clone(),
        unit: process.unit.clone(),
        container: process.container.clone(),
        exited: Some(exited),
        seconds: Some(spent.seconds),
        error_s: error,
        waits: None,
        idle_elsewhere_s: None,
        in_command: None,
    }
}
