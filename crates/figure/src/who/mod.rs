//! Who is there in a window: threads with their time by class, processes with what else is known of them.
//!
//! A day of two thousand processes is twelve million rows of the ledger by the minute, and three million of processes.
//! They are gathered piece by piece, so that memory does not grow with the window, and put together in the end.

mod over_time;
mod processes;
mod runs;
mod tasks;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use arrow_array::RecordBatch;
use heldup_model::tables::{ProcessIoRow, ProcessRow, TaskTimeRow};
use heldup_model::{Class, Record, SeenProcess, SeenTask, ShortLived, Span, Who, rollup};

use over_time::Traced;
use processes::Processes;
use tasks::{Task, Tasks};

/// Columns that are read of the ledger.
const OF_TASKS: [&str; 13] = [
    "tid",
    "start_ms",
    "class_name",
    "pid",
    "name",
    "process_name",
    "kernel_thread",
    "cgroup",
    "unit",
    "container",
    "exited",
    "seconds",
    "minute_processes",
];
/// Columns that are read of processes.
const OF_PROCESSES: [&str; 23] = [
    "pid",
    "start_ms",
    "name",
    "command",
    "parent_pid",
    "uid",
    "state",
    "kernel_thread",
    "cgroup",
    "unit",
    "container",
    "nice",
    "threads",
    "user_s",
    "system_s",
    "resident_bytes",
    "anon_bytes",
    "anon_growth_bytes",
    "swap_bytes",
    "major_faults",
    "child_minor_faults",
    "read_bytes",
    "write_bytes",
];
/// Columns that are read of the I/O of processes.
const OF_IO: [&str; 4] = ["pid", "start_ms", "read_bytes", "write_bytes"];
/// By how much the ledger and `/proc` may differ about when a process began, in milliseconds.
const SAME_START_MS: i64 = 1_000;

/// How the processes that waited or ran most are shown over time.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    /// The window.
    pub span: Span,
    /// Steps of it.
    pub steps: usize,
}

/// Who was seen in the rows that were added.
pub struct Gathered {
    since_ms: i64,
    by_minute: bool,
    tasks: Tasks,
    processes: Processes,
    traced: Option<Traced>,
}

/// The tables that are asked, and of each the columns.
pub fn who_needs(table: &str, by_minute: bool) -> &'static [&'static str] {
    let base = match rollup::find(table) {
        Some(rollup) if by_minute => rollup.base.name,
        Some(_) => return &[],
        None if by_minute => return &[],
        None => table,
    };
    match base {
        name if name == TaskTimeRow::DEF.name => &OF_TASKS,
        name if name == ProcessRow::DEF.name => &OF_PROCESSES,
        name if name == ProcessIoRow::DEF.name => &OF_IO,
        _ => &[],
    }
}

impl Gathered {
    /// Nobody yet, of a window that begins then; from tables by the minute or from those with every sample.
    pub fn new(since_ms: i64, by_minute: bool, trace: Option<Trace>) -> Gathered {
        let traced = trace.map(Traced::new);
        Gathered { since_ms, by_minute, tasks: Tasks::default(), processes: Processes::default(), traced }
    }

    /// Adds the rows of a piece of the window.
    pub fn add(&mut self, tables: &BTreeMap<String, Vec<RecordBatch>>) {
        let name = |base: &'static str| match rollup::of(base).filter(|_| self.by_minute) {
            Some(minute) => minute.def.name,
            None => base,
        };
        let of = |base: &'static str| tables.get(name(base)).map_or(&[][..], Vec::as_slice);
        let ledger = of(TaskTimeRow::DEF.name);
        if let Some(traced) = &mut self.traced {
            traced.begin(ledger);
        }
        for (at, batch) in ledger.iter().enumerate() {
            self.tasks.add(batch, self.traced.as_mut().map(|traced| (traced, at)));
        }
        of(ProcessRow::DEF.name).iter().for_each(|batch| self.processes.add(batch));
        of(ProcessIoRow::DEF.name).iter().for_each(|batch| self.processes.add_io(batch));
    }

    /// Whether there is no row of processes: they are read less often than a short window is long.
    pub fn lacks_processes(&self) -> bool {
        self.processes.is_empty()
    }

    /// Adds, of rows of processes behind the window, the first reading, where that covers the window's end.
    pub fn add_covering(&mut self, tables: &BTreeMap<String, Vec<RecordBatch>>, until_ms: i64) {
        let rows = tables.get(ProcessRow::DEF.name).map_or(&[][..], Vec::as_slice);
        self.processes.add_covering(rows, until_ms);
    }

    /// Whether there is anybody.
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty() && self.processes.is_empty()
    }

    /// What was gathered of a piece that lies behind this one.
    pub fn append(&mut self, later: Gathered) {
        self.tasks.append(later.tasks);
        self.processes.append(later.processes);
        if let (Some(traced), Some(later)) = (&mut self.traced, later.traced) {
            traced.append(later);
        }
    }

    /// Who is there: all but one process, and over time as many of them as are wanted.
    pub fn who(self, span: Span, own_pid: Option<i64>, over_time: usize) -> Who {
        let mut processes: BTreeMap<i64, SeenProcess> = BTreeMap::new();
        // Numbers are given again: the process that began last has it at the end.
        for process in self.processes.seen(self.since_ms) {
            let is_later = |known: &SeenProcess| known.start_ms < process.start_ms;
            if processes.get(&process.pid).is_none_or(is_later) {
                processes.insert(process.pid, process);
            }
        }
        let (mut tasks, mut combined) = (Vec::new(), Combined::default());
        for task in self.tasks.into_sorted() {
            let pid = task.pid.filter(|pid| *pid != 0);
            if own_pid.is_some() && pid == own_pid {
                continue;
            }
            if task.tid.is_none() && pid.is_none() || is_of_another(&task, &processes) {
                combined.add(&task);
                continue;
            }
            note(&mut processes, &task);
            tasks.extend(seen_task(&task, self.by_minute));
        }
        processes.retain(|pid, _| Some(*pid) != own_pid);
        let over_time = self.traced.filter(|_| over_time > 0).map(|traced| {
            let known: BTreeSet<i64> = processes.keys().copied().collect();
            traced.most(over_time, &|pid| known.contains(&pid))
        });
        Who {
            span,
            tasks,
            processes: processes.into_values().collect(),
            short_lived: combined.into_sorted(),
            over_time,
            errors: Vec::new(),
        }
    }
}

/// Whether it is of a process that ended before another was given its number.
fn is_of_another(task: &Task, processes: &BTreeMap<i64, SeenProcess>) -> bool {
    let process = task.pid.and_then(|pid| processes.get(&pid)?.start_ms);
    process.zip(task.start_ms).is_some_and(|(process, task)| task < process - SAME_START_MS)
}

/// What the ledger knows of a process. One that began and ended between two readings of the others is known by it alone.
fn note(processes: &mut BTreeMap<i64, SeenProcess>, task: &Task) {
    let Some(pid) = task.pid else { return };
    let found = processes.entry(pid).or_insert_with(|| SeenProcess {
        pid,
        name: task.process_name.clone().unwrap_or_else(|| task.name.clone()),
        is_kernel: task.is_kernel,
        start_ms: task.start_ms.filter(|_| task.tid == Some(pid)),
        ..SeenProcess::default()
    });
    found.cgroup = found.cgroup.take().or_else(|| task.cgroup.clone());
    found.unit = found.unit.take().or_else(|| task.unit.clone());
    found.container = found.container.take().or_else(|| task.container.clone());
    found.ended |= task.tid == Some(pid) && task.exited;
}

/// A thread with its time; none without any.
fn seen_task(task: &Task, by_minute: bool) -> Option<SeenTask> {
    let times = times(task.times.as_ref());
    // By the minute threads that ended within one are told together.
    let name = if task.tid.is_none() && by_minute { ENDED_THREADS } else { task.name.as_str() }.to_owned();
    (!times.is_empty()).then(|| SeenTask { tid: task.tid.unwrap_or(0), pid: task.pid, name, times })
}

/// Threads of a process that began and ended within a minute.
const ENDED_THREADS: &str = "(ended threads)";

fn times(seconds: &[f64; CLASSES]) -> Vec<(Class, f64)> {
    Class::ALL.into_iter().zip(seconds).filter(|(_, seconds)| **seconds > 0.0).map(|(c, s)| (c, *s)).collect()
}

/// Number of classes.
const CLASSES: usize = Class::ALL.len();

/// Processes that have no row of their own, by name.
#[derive(Default)]
struct Combined(HashMap<(String, bool), (ShortLived, [f64; CLASSES])>);

impl Combined {
    fn add(&mut self, task: &Task) {
        let name = task.process_name.clone().unwrap_or_else(|| task.name.clone());
        let key = (name.clone(), task.is_kernel);
        let (found, sums) = self.0.entry(key).or_insert_with(|| {
            let found = ShortLived {
                name,
                is_kernel: task.is_kernel,
                unit: task.unit.clone(),
                container: task.container.clone(),
                processes: None,
                times: Vec::new(),
            };
            (found, [0.0; CLASSES])
        });
        // What is not the same of all is of none.
        found.unit = found.unit.take().filter(|unit| Some(unit) == task.unit.as_ref());
        found.container =
            found.container.take().filter(|container| Some(container) == task.container.as_ref());
        let count = task.processes.or_else(|| (task.tid.is_some() && task.tid == task.pid).then_some(1));
        found.processes = match (found.processes, count) {
            (None, count) => count,
            (known, None) => known,
            (Some(known), Some(count)) => Some(known + count),
        };
        sums.iter_mut().zip(task.times.iter()).for_each(|(sum, seconds)| *sum += seconds);
    }

    fn into_sorted(self) -> Vec<ShortLived> {
        let mut all: Vec<ShortLived> = self
            .0
            .into_values()
            .map(|(found, sums)| ShortLived { times: times(&sums), ..found })
            .filter(|found| !found.times.is_empty())
            .collect();
        all.sort_by(|a, b| (&a.name, a.is_kernel).cmp(&(&b.name, b.is_kernel)));
        all
    }
}
