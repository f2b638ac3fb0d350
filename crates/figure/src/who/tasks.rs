//! The ledger's rows, added up by thread and class.

use std::collections::HashMap;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, BooleanArray, RecordBatch};
use heldup_model::Class;

use super::CLASSES;
use super::over_time::Traced;
use super::runs::{Ints, Words, runs};

/// A thread, or what is told together of many.
#[derive(Clone, Debug)]
pub struct Task {
    pub tid: Option<i64>,
    pub start_ms: Option<i64>,
    pub pid: Option<i64>,
    pub name: String,
    pub process_name: Option<String>,
    pub is_kernel: bool,
    pub cgroup: Option<String>,
    pub unit: Option<String>,
    pub container: Option<String>,
    pub exited: bool,
    /// Processes that are told together.
    pub processes: Option<i64>,
    /// Seconds by class.
    pub times: Box<[f64; CLASSES]>,
    /// Processes by class: each is counted in every class that it has time in.
    counted: HashMap<u8, i64>,
    last_ms: i64,
}

/// Who a row is of: of what is told together, whose name it has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Thread(i64, Option<i64>),
    Together(Option<i64>, String),
}

/// All threads.
#[derive(Default)]
pub struct Tasks {
    all: Vec<Task>,
    at: HashMap<Key, usize>,
}

/// The columns of a batch.
struct Columns<'b> {
    times: Ints<'b>,
    tids: Ints<'b>,
    starts: Ints<'b>,
    pids: Ints<'b>,
    names: Words<'b>,
    processes: Words<'b>,
    kernel: Option<&'b BooleanArray>,
    cgroups: Words<'b>,
    units: Words<'b>,
    containers: Words<'b>,
    exited: Option<&'b BooleanArray>,
    counts: Ints<'b>,
}

impl<'b> Columns<'b> {
    fn of(batch: &'b RecordBatch) -> Columns<'b> {
        let truths = |column: &str| batch.column_by_name(column).and_then(|array| array.as_boolean_opt());
        Columns {
            times: Ints::of(batch, "time"),
            tids: Ints::of(batch, "tid"),
            starts: Ints::of(batch, "start_ms"),
            pids: Ints::of(batch, "pid"),
            names: Words::of(batch, "name"),
            processes: Words::of(batch, "process_name"),
            kernel: truths("kernel_thread"),
            cgroups: Words::of(batch, "cgroup"),
            units: Words::of(batch, "unit"),
            containers: Words::of(batch, "container"),
            exited: truths("exited"),
            counts: Ints::of(batch, "minute_processes"),
        }
    }

    fn key(&self, row: usize) -> Key {
        match self.tids.get(row) {
            Some(tid) => Key::Thread(tid, self.starts.get(row)),
            None => {
                let name = self.processes.get(row).or_else(|| self.names.get(row));
                Key::Together(self.pids.get(row), name.unwrap_or_default().to_owned())
            }
        }
    }
}

fn is_true(truths: Option<&BooleanArray>, row: usize) -> bool {
    truths.is_some_and(|truths| truths.is_valid(row) && truths.value(row))
}

impl Tasks {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds the rows of a batch, and notes them over time where that is wanted.
    pub fn add(&mut self, batch: &RecordBatch, mut traced: Option<(&mut Traced, usize)>) {
        let classes = Words::of(batch, "class_name");
        let seconds =
            batch.column_by_name("seconds").and_then(|array| array.as_primitive_opt::<Float64Type>());
        let Some(seconds) = seconds else { return };
        let columns = Columns::of(batch);
        let amount = |rows: &Range<usize>| match seconds.null_count() {
            0 => seconds.values()[rows.clone()].iter().sum::<f64>(),
            _ => rows.clone().filter(|row| seconds.is_valid(*row)).map(|row| seconds.value(row)).sum(),
        };
        let mut last: Option<(Key, usize)> = None;
        runs(batch.num_rows(), &[columns.tids, columns.starts], Some(&classes), &mut |rows| {
            let Some(class) = classes.get(rows.start).and_then(Class::from_name) else { return };
            // Of what is told together each row has a name of its own.
            let parts = if columns.tids.get(rows.start).is_some() { 1 } else { rows.len() };
            for part in 0..parts {
                let rows = if parts == 1 { rows.clone() } else { rows.start + part..rows.start + part + 1 };
                let key = columns.key(rows.start);
                let at = match &last {
                    Some((known, at)) if *known == key => *at,
                    _ => self.place(&key),
                };
                last = Some((key, at));
                let task = &mut self.all[at];
                task.times[class as usize] += amount(&rows);
                task.note(&columns, class, &rows);
                if let Some((traced, batch)) = &mut traced {
                    traced.add(*batch, task.pid, class, &rows, seconds);
                }
            }
        });
    }

    fn place(&mut self, key: &Key) -> usize {
        if let Some(at) = self.at.get(key) {
            return *at;
        }
        let (tid, start_ms, pid) = match key {
            Key::Thread(tid, start_ms) => (Some(*tid), *start_ms, None),
            Key::Together(pid, _) => (None, None, *pid),
        };
        self.all.push(Task {
            tid,
            start_ms,
            pid,
            name: String::new(),
            process_name: None,
            is_kernel: false,
            cgroup: None,
            unit: None,
            container: None,
            exited: false,
            processes: None,
            times: Box::new([0.0; CLASSES]),
            counted: HashMap::new(),
            last_ms: i64::MIN,
        });
        self.at.insert(key.clone(), self.all.len() - 1);
        self.all.len() - 1
    }

    /// What was gathered behind these.
    pub fn append(&mut self, later: Tasks) {
        let Tasks { all, at } = later;
        let mut keys: Vec<Option<Key>> = vec![None; all.len()];
        at.into_iter().for_each(|(key, at)| keys[at] = Some(key));
        for (task, key) in all.into_iter().zip(keys) {
            let Some(key) = key else { continue };
            let at = self.place(&key);
            self.all[at].join(task);
        }
    }

    /// All, by number and start.
    pub fn into_sorted(self) -> Vec<Task> {
        let mut all = self.all;
        for task in &mut all {
            task.processes = task.counted.values().copied().max();
        }
        all.sort_by(|a, b| (a.tid, a.start_ms, &a.process_name).cmp(&(b.tid, b.start_ms, &b.process_name)));
        all
    }
}

impl Task {
    /// What the last of some rows says of it.
    fn note(&mut self, columns: &Columns<'_>, class: Class, rows: &Range<usize>) {
        let last = rows.end - 1;
        // A task ends once: the last row of one of its classes says it.
        self.exited |= is_true(columns.exited, last);
        if let Some(count) = columns.counts.sum(rows) {
            *self.counted.entry(class as u8).or_default() += count;
        }
        let time_ms = columns.times.get(last).unwrap_or(i64::MIN);
        if time_ms < self.last_ms {
            return;
        }
        // The rows of another class at the same time say the same.
        let is_same = time_ms == self.last_ms && self.last_ms > i64::MIN;
        self.last_ms = time_ms;
        if is_same {
            return;
        }
        self.pid = columns.pids.get(last).or(self.pid);
        put(&mut self.name, columns.names.get(last));
        put_some(&mut self.process_name, columns.processes.get(last));
        self.is_kernel |= is_true(columns.kernel, last);
        put_some(&mut self.cgroup, columns.cgroups.get(last));
        put_some(&mut self.unit, columns.units.get(last));
        put_some(&mut self.container, columns.containers.get(last));
    }

    fn join(&mut self, later: Task) {
        self.times.iter_mut().zip(later.times.iter()).for_each(|(sum, more)| *sum += more);
        for (class, count) in later.counted {
            *self.counted.entry(class).or_default() += count;
        }
        self.exited |= later.exited;
        self.is_kernel |= later.is_kernel;
        if later.last_ms < self.last_ms {
            return;
        }
        self.last_ms = later.last_ms;
        self.pid = later.pid.or(self.pid);
        if !later.name.is_empty() {
            self.name = later.name;
        }
        let or = |own: &mut Option<String>, later: Option<String>| *own = later.or_else(|| own.take());
        or(&mut self.process_name, later.process_name);
        or(&mut self.cgroup, later.cgroup);
        or(&mut self.unit, later.unit);
        or(&mut self.container, later.container);
    }
}

/// Puts a text in the place of another where they differ.
pub fn put(own: &mut String, word: Option<&str>) {
    if let Some(word) = word.filter(|word| *word != own.as_str()) {
        word.clone_into(own);
    }
}

/// The same of a text that may not be there.
pub fn put_some(own: &mut Option<String>, word: Option<&str>) {
    match (own, word) {
        (Some(own), word) => put(own, word),
        (own, Some(word)) => *own = Some(word.to_owned()),
        (_, None) => {}
    }
}
