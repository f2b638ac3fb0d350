//! Rows of a minute that are of many who did little, as rows by what they are called.
//!
//! Where processes live for milliseconds a minute has as many rows of the ledger as its seconds, so that a
//! rollup by minute is as large as what it was made of. Who they were the table itself says, for as
//! long as that is kept; by minute it is said how many of a name there were, and all that they did.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{BooleanArray, Float64Array, Int64Array, RecordBatch};
use heldup_model::Group;
use heldup_model::batch::take;
use heldup_model::rollup::{PROCESSES, Rollup, Together};

use super::roll::MINUTE_MS;
use crate::kept::batch_columns::{bools, floats, ints, texts, with_column};

/// Who ran so long in a minute is listed by itself: there cannot be more than sixty of them for each CPU.
const RAN_S: f64 = 1.0;
/// A call that a process made so often in a minute is listed by its process.
const CALLED: i64 = 60;

/// Rows by minute, by entity, of which some no longer say whose they are.
pub(in crate::kept) fn without_owners(rollup: &Rollup, rows: RecordBatch) -> Result<RecordBatch, String> {
    match rollup.together {
        None => Ok(rows),
        Some(Together::ShortLived) => short_lived(&rows),
        Some(Together::FewCalls) => few_calls(&rows),
    }
}

/// A task's rows, which follow each other.
struct Task {
    rows: Range<usize>,
    pid: i64,
    is_first: bool,
    minute: i64,
    running_s: f64,
    /// It lived for less than a minute, and all that is known of it is of this one.
    is_short: bool,
}

/// Tasks that lived and ended within a minute, and ran for little of it. Threads of a process that is
/// listed by itself are listed by it.
fn short_lived(rows: &RecordBatch) -> Result<RecordBatch, String> {
    let tasks = tasks(rows);
    let mut ran: HashMap<(i64, i64), f64> = HashMap::new();
    for task in &tasks {
        *ran.entry((task.pid, task.minute)).or_default() += task.running_s;
    }
    let is_gone = |task: &&Task| task.is_first && task.is_short && ran[&(task.pid, task.minute)] < RAN_S;
    let gone: HashSet<(i64, i64)> =
        tasks.iter().filter(is_gone).map(|task| (task.pid, task.minute)).collect();
    let mut owners = Owners::of(rows);
    let classes = texts(rows, "class_name");
    let mut counted = HashSet::new();
    for task in tasks.iter().filter(|task| task.is_short && task.running_s < RAN_S) {
        let process = (task.pid, task.minute);
        let without_process = gone.contains(&process);
        if task.is_first && !without_process {
            continue;
        }
        for row in task.rows.clone() {
            owners.forget(row);
            owners.nameless[row] = !task.is_first;
            if without_process {
                let is_new = counted.insert((process, classes.get(row).copied().flatten()));
                owners.forget_process(row, is_new);
            }
        }
    }
    owners.put(rows)
}

/// The tasks of rows by entity; rows that do not say whose they are belong to none.
fn tasks(rows: &RecordBatch) -> Vec<Task> {
    let (tids, pids) = (ints(rows, "tid"), ints(rows, "pid"));
    let (starts, times) = (ints(rows, "start_ms"), ints(rows, "time"));
    let (groups, seconds) = (texts(rows, "group_name"), floats(rows, "seconds"));
    let ended = bools(rows, "exited");
    let id = |row: usize| (tids[row], starts[row]);
    let mut tasks = Vec::new();
    let mut begin = 0;
    for end in 1..=rows.num_rows() {
        if end < rows.num_rows() && id(begin) == id(end) {
            continue;
        }
        let of = begin..end;
        begin = end;
        let (Some(tid), Some(start_ms)) = id(of.start) else { continue };
        let Some(pid) = pids[of.start] else { continue };
        let last_ms = of.clone().filter_map(|row| times[row]).max().unwrap_or(0);
        let minute = last_ms.div_euclid(MINUTE_MS);
        let within = |row: usize| times[row].is_some_and(|time| time.div_euclid(MINUTE_MS) == minute);
        let runs = |row: &usize| groups[*row] == Some(Group::Running.name());
        tasks.push(Task {
            pid,
            is_first: tid == pid,
            minute,
            running_s: of.clone().filter(runs).filter_map(|row| seconds[row]).sum(),
            is_short: last_ms - start_ms < MINUTE_MS
                && of.clone().all(within)
                && of.clone().any(|row| ended[row] == Some(true)),
            rows: of,
        });
    }
    tasks
}

/// Calls that a process made seldom.
fn few_calls(rows: &RecordBatch) -> Result<RecordBatch, String> {
    let mut owners = Owners::of(rows);
    for (row, calls) in ints(rows, "calls").into_iter().enumerate() {
        if calls.is_some_and(|calls| calls < CALLED) && owners.pids[row].is_some() {
            owners.forget(row);
            owners.forget_process(row, true);
        }
    }
    owners.put(rows)
}

/// Columns that say whose a row is, as they become.
struct Owners {
    pids: Vec<Option<i64>>,
    processes: Vec<Option<i64>>,
    /// Rows that are no longer of one task or process.
    forgotten: Vec<bool>,
    /// Of these, those of threads, which a compiler gives thousands of names.
    nameless: Vec<bool>,
}

impl Owners {
    fn of(rows: &RecordBatch) -> Owners {
        let count = rows.num_rows();
        Owners {
            pids: ints(rows, "pid"),
            processes: ints(rows, PROCESSES.name),
            forgotten: vec![false; count],
            nameless: vec![false; count],
        }
    }

    fn forget(&mut self, row: usize) {
        self.forgotten[row] = true;
    }

    fn forget_process(&mut self, row: usize, counts: bool) {
        (self.pids[row], self.processes[row]) = (None, Some(i64::from(counts)));
    }

    /// The rows, of which the forgotten have nothing that only one of them had.
    fn put(self, rows: &RecordBatch) -> Result<RecordBatch, String> {
        const NUMBERS: [&str; 7] =
            ["tid", "start_ms", "argument_1", "argument_2", "argument_3", "mappings", "locked_bytes"];
        let Owners { pids, processes, forgotten, nameless } = self;
        let known = |row: usize| !forgotten[row];
        let mut made = rows.clone();
        for name in NUMBERS {
            let kept = ints(rows, name).into_iter().enumerate();
            let kept: Int64Array = kept.map(|(row, value)| value.filter(|_| known(row))).collect();
            made = put(&made, name, kept)?;
        }
        if let Some(names) = rows.column_by_name("name") {
            let named = |row: usize| (!nameless[row]).then_some(row as u32);
            let named: Vec<Option<u32>> = (0..rows.num_rows()).map(named).collect();
            let names = take(names, &named).map_err(|error| error.to_string())?;
            made = with_column(&made, "name", names)?;
        }
        // Their intervals overlap: they have no length together.
        let secs = floats(rows, "secs").into_iter().enumerate();
        let secs: Float64Array = secs.map(|(row, value)| value.filter(|_| known(row))).collect();
        made = with_column(&made, "secs", Arc::new(secs))?;
        let ended = bools(rows, "exited").into_iter().enumerate();
        let ended: BooleanArray =
            ended.map(|(row, value)| if known(row) { value } else { Some(true) }).collect();
        if made.column_by_name("exited").is_some() {
            made = with_column(&made, "exited", Arc::new(ended))?;
        }
        made = put(&made, "pid", pids.into_iter().collect())?;
        put(&made, PROCESSES.name, processes.into_iter().collect())
    }
}

fn put(rows: &RecordBatch, name: &str, values: Int64Array) -> Result<RecordBatch, String> {
    match rows.column_by_name(name) {
        Some(_) => with_column(rows, name, Arc::new(values)),
        None => Ok(rows.clone()),
    }
}
