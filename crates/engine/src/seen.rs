//! Who is there in a window: threads with their time by class, processes with what else is known of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use heldup_archive::{Answer, Database, TaskSum, Value};
use heldup_model::{Capture, Class, SeenProcess, SeenTask};

use crate::error::{Context, Result};

/// A row for each process of the tables that know processes.
const PROCESSES: &str = "
select pid, start_ms, last_at(name, time) as name, last_at(command, time) as command,
       last_at(parent_pid, time) as parent_pid, last_at(uid, time) as uid, last_at(state, time) as state,
       max(kernel_thread) as kernel_thread, last_at(cgroup, time) as cgroup, last_at(unit, time) as unit,
       last_at(container, time) as container, last_at(nice, time) as nice, last_at(threads, time) as threads,
       added(sum(user_s), sum(system_s)) as cpu_s, last_at(resident_bytes, time) as resident_bytes,
       last_at(anon_growth_bytes, time) as growth_bytes, last_at(swap_bytes, time) as swap_bytes,
       sum(major_faults) as major_faults
from process
group by pid, start_ms
order by pid";

/// A row for each process that read or wrote.
const IO: &str = "select pid, sum(read_bytes) as read_bytes, sum(write_bytes) as write_bytes from own_io_rows group by pid";

/// Threads and processes of a capture.
pub fn seen(capture: &Capture) -> Result<(Vec<SeenTask>, Vec<SeenProcess>)> {
    seen_in(&Database::open(capture).context("cannot read the window")?)
}

/// Threads and processes of an opened capture.
pub fn seen_in(database: &Database) -> Result<(Vec<SeenTask>, Vec<SeenProcess>)> {
    let ask = |sql: &str| database.query(sql).context("cannot read the window");
    let mut processes = BTreeMap::new();
    for row in Rows::of(&ask(PROCESSES)?) {
        // Numbers are given again: the process that started last has it at the end.
        processes.insert(row.int("pid").unwrap_or_default(), process(&row));
    }
    for row in Rows::of(&ask(IO)?) {
        let Some(found) = row.int("pid").and_then(|pid| processes.get_mut(&pid)) else { continue };
        (found.read_bytes, found.write_bytes) = (row.int("read_bytes"), row.int("write_bytes"));
    }
    let sums = database.task_sums();
    let spent = |sum: &&TaskSum| sum.seconds.is_some_and(|seconds| seconds > 0.0);
    let mut by_thread: Vec<&TaskSum> = sums.iter().filter(spent).collect();
    by_thread.sort_by_key(|sum| sum.tid);
    let mut tasks: Vec<SeenTask> = Vec::new();
    for sum in by_thread {
        let tid = sum.tid.unwrap_or_default();
        let class = sum.class_name.as_deref().and_then(Class::from_name);
        let (Some(class), Some(seconds)) = (class, sum.seconds) else { continue };
        if tasks.last().is_none_or(|last| last.tid != tid || last.pid != sum.pid) {
            let name = text(&sum.name).unwrap_or_default();
            tasks.push(SeenTask { tid, pid: sum.pid, name, ..SeenTask::default() });
            note_process(&mut processes, sum);
        }
        let Some(task) = tasks.last_mut() else { continue };
        task.times.push((class, seconds));
    }
    for task in &mut tasks {
        task.times.sort_by_key(|(class, _)| Class::ALL.iter().position(|one| one == class));
    }
    Ok((tasks, processes.into_values().collect()))
}

/// A process that only the account of time knows: it began and ended between two readings of the others.
fn note_process(processes: &mut BTreeMap<i64, SeenProcess>, sum: &TaskSum) {
    let Some(pid) = sum.pid else { return };
    let found = processes.entry(pid).or_insert_with(|| SeenProcess {
        pid,
        name: text(&sum.process_name).or_else(|| text(&sum.name)).unwrap_or_default(),
        is_kernel: sum.kernel_thread == Some(true),
        ..SeenProcess::default()
    });
    found.cgroup = found.cgroup.take().or_else(|| text(&sum.cgroup));
    found.unit = found.unit.take().or_else(|| text(&sum.unit));
    found.container = found.container.take().or_else(|| text(&sum.container));
    let is_first = sum.tid == Some(pid);
    found.ended |= is_first && sum.exited == Some(true);
}

fn text(text: &Option<Arc<str>>) -> Option<String> {
    text.as_deref().map(str::to_owned)
}

fn process(row: &Rows<'_>) -> SeenProcess {
    SeenProcess {
        pid: row.int("pid").unwrap_or_default(),
        name: row.text("name").unwrap_or_default(),
        command: row.text("command"),
        parent: row.int("parent_pid"),
        uid: row.int("uid"),
        state: row.text("state"),
        is_kernel: row.int("kernel_thread") == Some(1),
        cgroup: row.text("cgroup"),
        unit: row.text("unit"),
        container: row.text("container"),
        nice: row.int("nice"),
        threads: row.int("threads"),
        start_ms: row.int("start_ms"),
        ended: false,
        cpu_s: row.number("cpu_s"),
        resident_bytes: row.int("resident_bytes"),
        growth_bytes: row.int("growth_bytes"),
        swap_bytes: row.int("swap_bytes"),
        major_faults: row.int("major_faults"),
        read_bytes: None,
        write_bytes: None,
    }
}

/// One row of an answer.
struct Rows<'a> {
    answer: &'a Answer,
    row: usize,
}

impl<'a> Rows<'a> {
    fn of(answer: &'a Answer) -> impl Iterator<Item = Rows<'a>> {
        (0..answer.rows.len()).map(move |row| Rows { answer, row })
    }

    fn value(&self, column: &str) -> Option<&Value> {
        self.answer.get(self.row, column)
    }

    fn int(&self, column: &str) -> Option<i64> {
        self.value(column)?.as_i64()
    }

    fn number(&self, column: &str) -> Option<f64> {
        self.value(column)?.as_f64()
    }

    fn text(&self, column: &str) -> Option<String> {
        self.value(column)?.as_str().map(str::to_owned)
    }
}
