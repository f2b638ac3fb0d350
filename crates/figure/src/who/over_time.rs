//! Time of processes over the window, step by step.

use std::collections::HashMap;
use std::ops::Range;

use arrow_array::{Array, Float64Array, RecordBatch};
use heldup_model::{Class, ClassOverTime, FrameStep, Group, ProcessOverTime, WhoOverTime};

use super::Trace;
use crate::samples::Samples;

/// A process's time in a class, in each step.
type Seconds = Box<[f64]>;

/// Time of all processes, step by step.
pub struct Traced {
    steps: Vec<FrameStep>,
    /// Seconds that were recorded of each step.
    recorded: Vec<f64>,
    of_processes: HashMap<(i64, Class), Seconds>,
    /// Of the piece that is being added: for each batch the sample of each row, and the parts of steps of each sample.
    samples: Vec<Vec<u32>>,
    parts: Vec<Vec<(usize, f64)>>,
}

impl Traced {
    pub fn new(trace: Trace) -> Traced {
        let Trace { span, steps } = trace;
        let (count, length_ms) = (steps.max(1) as i64, span.until_ms - span.since_ms);
        let at = |step: i64| span.since_ms + length_ms * step / count;
        let steps: Vec<FrameStep> =
            (0..count).map(|step| FrameStep { since_ms: at(step), until_ms: at(step + 1) }).collect();
        let recorded = vec![0.0; steps.len()];
        Traced { steps, recorded, of_processes: HashMap::new(), samples: Vec::new(), parts: Vec::new() }
    }

    /// A piece of the window: when its rows were counted.
    pub fn begin(&mut self, ledger: &[RecordBatch]) {
        let samples = Samples::of(ledger);
        let intervals = samples.intervals();
        self.parts = intervals.iter().map(|interval| self.parts_of(*interval)).collect();
        for (parts, (since_ms, until_ms)) in self.parts.iter().zip(&intervals) {
            let secs = (until_ms - since_ms) as f64 / 1000.0;
            parts.iter().for_each(|(step, part)| self.recorded[*step] += part * secs);
        }
        self.samples = samples.of_rows;
    }

    /// The steps that an interval lies in, and which part of it.
    fn parts_of(&self, (since_ms, until_ms): (i64, i64)) -> Vec<(usize, f64)> {
        let length = (until_ms - since_ms).max(1) as f64;
        let first = self.steps.partition_point(|step| step.until_ms <= since_ms);
        let inside =
            self.steps.iter().enumerate().skip(first).take_while(|(_, step)| step.since_ms < until_ms);
        inside
            .map(|(at, step)| {
                (at, (step.until_ms.min(until_ms) - step.since_ms.max(since_ms)) as f64 / length)
            })
            .collect()
    }

    /// Adds rows of a process in a class.
    pub fn add(
        &mut self,
        batch: usize,
        pid: Option<i64>,
        class: Class,
        rows: &Range<usize>,
        seconds: &Float64Array,
    ) {
        if !matches!(class.group(), Group::Running | Group::Waiting | Group::Peer) {
            return;
        }
        let (Some(pid), Some(samples)) = (pid, self.samples.get(batch)) else { return };
        let count = self.steps.len();
        let own = self.of_processes.entry((pid, class)).or_insert_with(|| vec![0.0; count].into());
        for row in rows.clone().filter(|row| seconds.is_valid(*row)) {
            let parts = samples.get(row).and_then(|sample| self.parts.get(*sample as usize));
            for (step, part) in parts.into_iter().flatten() {
                own[*step] += part * seconds.value(row);
            }
        }
    }

    /// What was gathered behind this.
    pub fn append(&mut self, later: Traced) {
        self.recorded.iter_mut().zip(later.recorded).for_each(|(own, later)| *own += later);
        for (key, seconds) in later.of_processes {
            match self.of_processes.get_mut(&key) {
                Some(own) => own.iter_mut().zip(seconds.iter()).for_each(|(own, later)| *own += later),
                None => drop(self.of_processes.insert(key, seconds)),
            }
        }
    }

    /// The processes that waited and ran most, of those that are known.
    pub fn most(self, count: usize, is_known: &dyn Fn(i64) -> bool) -> WhoOverTime {
        let mut totals: HashMap<i64, f64> = HashMap::new();
        for ((pid, _), seconds) in &self.of_processes {
            *totals.entry(*pid).or_default() += seconds.iter().sum::<f64>();
        }
        let mut order: Vec<(i64, f64)> =
            totals.into_iter().filter(|(pid, total)| *total > 0.0 && is_known(*pid)).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.truncate(count);
        let of_class = |pid: i64, class: Class| {
            let seconds = self.of_processes.get(&(pid, class))?;
            let tasks = seconds.iter().zip(&self.recorded);
            let tasks = tasks.map(|(seconds, secs)| (*secs > 0.0).then(|| seconds / secs)).collect();
            Some(ClassOverTime { class, tasks })
        };
        let of_process = |(pid, _): (i64, f64)| ProcessOverTime {
            pid,
            classes: Class::ALL.into_iter().filter_map(|class| of_class(pid, class)).collect(),
        };
        WhoOverTime { processes: order.into_iter().map(of_process).collect(), steps: self.steps.clone() }
    }
}
