//! Time of each task and class over the whole window, added up in one pass over the columns of `task_time`.
//!
//! The same as `select … from task_time group by tid, start_ms, class_name`, which calls back for every row and column: of a
//! minute of two thousand processes that are three million calls, each time that somebody asks.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::column::{Column, NO_WORD, Texts, Values};
use super::key_index::IntHasher;
use super::source::Source;

/// Rows of `task_time` added up over the window: what some views ask in its place.
pub(super) const TASK_SUMS: &str = "task_time_of_window";

/// Time of one task in one class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskSum {
    /// Thread.
    pub tid: Option<i64>,
    /// When it started.
    pub start_ms: Option<i64>,
    /// Class of time.
    pub class_name: Option<Arc<str>>,
    /// Its group.
    pub group_name: Option<Arc<str>>,
    /// Process.
    pub pid: Option<i64>,
    /// Name of the thread, in its last sample.
    pub name: Option<Arc<str>>,
    /// Name of the process.
    pub process_name: Option<Arc<str>>,
    /// Whether it is a thread of the kernel.
    pub kernel_thread: Option<bool>,
    /// Control group.
    pub cgroup: Option<Arc<str>>,
    /// systemd unit.
    pub unit: Option<Arc<str>>,
    /// Container.
    pub container: Option<Arc<str>>,
    /// Whether it ended.
    pub exited: Option<bool>,
    /// Whether it belongs to the command that was run.
    pub in_command: Option<bool>,
    /// Seconds; none where no row has them.
    pub seconds: Option<f64>,
    /// Of what is not counted exactly the variance of the seconds.
    pub variance: Option<f64>,
}

/// Time of each task and class, in the order in which they come.
pub(super) struct TaskSums {
    /// For us.
    pub(super) rows: Arc<[TaskSum]>,
    /// The same as rows of `task_time`, for questions.
    pub(super) source: Arc<Source>,
}

impl TaskSums {
    /// Adds up the rows of `task_time`.
    pub(super) fn of(source: &Source) -> TaskSums {
        let slots = Slots::of(source);
        let ints = |name: &str| slots.greatest(source, name);
        let seconds = slots.added(source, "seconds", |seconds| seconds);
        let variance = slots.added(source, "error_s", |error| error * error);
        let whole = |value: Option<i64>| value.map(|value| value != 0);
        let words = ["group_name", "process_name", "cgroup", "unit", "container"];
        let codes = words.map(|name| (name, slots.greatest_codes(source, name)));
        let names = slots.last_codes(source, "name");
        let (pids, waits) = (ints("pid"), slots.counted(source, "waits"));
        let (kernel, exited, command) = (ints("kernel_thread"), ints("exited"), ints("in_command"));
        let word = |name: &str, code: u32| match source.column_of(name) {
            Some(Column::Text(texts)) => texts.word(code),
            _ => None,
        };
        let row = |at: usize| {
            let (tid, start_ms, class) = slots.keys[at];
            let [group_name, process_name, cgroup, unit, container] =
                codes.each_ref().map(|(name, codes)| word(name, codes[at]));
            TaskSum {
                tid,
                start_ms,
                class_name: word("class_name", class),
                group_name,
                pid: pids[at],
                name: word("name", names[at]),
                process_name,
                kernel_thread: whole(kernel[at]),
                cgroup,
                unit,
                container,
                exited: whole(exited[at]),
                in_command: whole(command[at]),
                seconds: seconds[at],
                variance: variance[at],
            }
        };
        let rows = (0..slots.keys.len()).map(row).collect();
        let texts = |name: &str, codes: Vec<u32>| match source.column_of(name) {
            Some(Column::Text(texts)) => Column::Text(texts.with_codes(codes)),
            _ => Column::Text(Texts::default()),
        };
        let int = |values| Column::Int(Values::of(values));
        let mut columns = vec![
            ("tid", int(slots.keys.iter().map(|key| key.0).collect())),
            ("start_ms", int(slots.keys.iter().map(|key| key.1).collect())),
            ("class_name", texts("class_name", slots.keys.iter().map(|key| key.2).collect())),
            ("name", texts("name", names)),
            ("pid", int(pids)),
            ("kernel_thread", int(kernel)),
            ("exited", int(exited)),
            ("in_command", int(command)),
            ("waits", int(waits)),
            ("seconds", Column::Float(Values::of(seconds))),
        ];
        columns.extend(codes.map(|(name, codes)| (name, texts(name, codes))));
        let source = Arc::new(Source::of_columns(source.def(), slots.keys.len() as u32, columns));
        TaskSums { rows, source }
    }
}

/// Thread, its start, code of the class.
type TaskClass = (Option<i64>, Option<i64>, u32);

/// Which rows are of which task and class.
struct Slots {
    keys: Vec<TaskClass>,
    of_row: Vec<u32>,
}

impl Slots {
    fn of(source: &Source) -> Slots {
        let mut slots = Slots { keys: Vec::new(), of_row: Vec::with_capacity(source.rows() as usize) };
        let (Some(Column::Int(tids)), Some(Column::Int(starts)), Some(Column::Text(classes))) =
            (source.column_of("tid"), source.column_of("start_ms"), source.column_of("class_name"))
        else {
            return slots;
        };
        let mut known: HashMap<TaskClass, u32, BuildHasherDefault<IntHasher>> = HashMap::default();
        for row in 0..source.rows() as usize {
            let key = (tids.get(row), starts.get(row), classes.code(row));
            let slot = *known.entry(key).or_insert_with(|| {
                slots.keys.push(key);
                slots.keys.len() as u32 - 1
            });
            slots.of_row.push(slot);
        }
        slots
    }

    /// For each what a function makes of it and its rows, one after the other.
    fn folded<T: Clone>(&self, first: T, mut fold: impl FnMut(&mut T, usize)) -> Vec<T> {
        let mut all = vec![first; self.keys.len()];
        for (row, slot) in self.of_row.iter().enumerate() {
            if let Some(one) = all.get_mut(*slot as usize) {
                fold(one, row);
            }
        }
        all
    }

    fn greatest(&self, source: &Source, name: &str) -> Vec<Option<i64>> {
        match source.column_of(name) {
            Some(Column::Int(values)) => self.folded(None, |most, row| *most = values.get(row).max(*most)),
            _ => vec![None; self.keys.len()],
        }
    }

    fn counted(&self, source: &Source, name: &str) -> Vec<Option<i64>> {
        let add = |sum: &mut Option<i64>, value: Option<i64>| {
            *sum = value.map_or(*sum, |value| Some(sum.unwrap_or(0).saturating_add(value)));
        };
        match source.column_of(name) {
            Some(Column::Int(values)) => self.folded(None, |sum, row| add(sum, values.get(row))),
            _ => vec![None; self.keys.len()],
        }
    }

    /// Sums with the rounding errors carried along (Neumaier), as SQLite's own.
    fn added(&self, source: &Source, name: &str, of: impl Fn(f64) -> f64) -> Vec<Option<f64>> {
        let Some(Column::Float(values)) = source.column_of(name) else { return vec![None; self.keys.len()] };
        let sums = self.folded(None, |sum: &mut Option<(f64, f64)>, row| {
            let Some(value) = values.get(row).map(&of) else { return };
            let (sum, error) = sum.get_or_insert((0.0, 0.0));
            let next = *sum + value;
            *error += if sum.abs() > value.abs() { (*sum - next) + value } else { (value - next) + *sum };
            *sum = next;
        });
        sums.into_iter().map(|sum| sum.map(|(sum, error)| sum + error)).collect()
    }

    /// The greatest word of each.
    fn greatest_codes(&self, source: &Source, name: &str) -> Vec<u32> {
        let Some(Column::Text(texts)) = source.column_of(name) else { return vec![NO_WORD; self.keys.len()] };
        self.folded(NO_WORD, |most, row| {
            let code = texts.code(row);
            if code != *most && code != NO_WORD && (*most == NO_WORD || texts.text(code) > texts.text(*most))
            {
                *most = code;
            }
        })
    }

    /// The word of the last sample that has one.
    fn last_codes(&self, source: &Source, name: &str) -> Vec<u32> {
        let (Some(Column::Text(texts)), Some(Column::Int(times))) =
            (source.column_of(name), source.column_of("time"))
        else {
            return vec![NO_WORD; self.keys.len()];
        };
        let last = self.folded((i64::MIN, NO_WORD), |last, row| {
            let (Some(time), code) = (times.get(row), texts.code(row)) else { return };
            if code != NO_WORD && (last.1 == NO_WORD || time > last.0) {
                *last = (time, code);
            }
        });
        last.into_iter().map(|(_, code)| code).collect()
    }
}
