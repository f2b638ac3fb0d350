//! A table of a capture, when its rows were counted, and which table that is: many have the same numbers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::RecordBatch;
use heldup_model::tables::{ClassTimeRow, TaskTimeRow};
use heldup_model::{Capture, Class, Group, Record, TableDef, rollup};

use crate::document::{Condition, Figure, Scalar, Series};
use crate::samples::Samples;

/// A table, and when its rows were counted.
pub struct Table<'c> {
    /// Its name in the capture, which may be that of a table with fewer rows.
    pub name: &'static str,
    /// A row stands for the samples of a minute.
    pub is_by_minute: bool,
    /// Its rows.
    pub batches: &'c [RecordBatch],
    /// Their samples.
    pub samples: Samples,
    /// From when to when each sample was counted.
    pub intervals: Vec<(i64, i64)>,
}

impl<'c> Table<'c> {
    fn of(name: &'static str, batches: &'c [RecordBatch]) -> Table<'c> {
        let samples = Samples::of(batches);
        let intervals = samples.intervals();
        Table { name, is_by_minute: rollup::find(name).is_some(), batches, samples, intervals }
    }
}

/// The tables of a capture. Which sample each row belongs to is found out once, whatever asks.
pub struct Tables<'c> {
    capture: &'c Capture,
    by_minute: bool,
    made: Mutex<HashMap<&'static str, Arc<OnceLock<Table<'c>>>>>,
}

impl<'c> Tables<'c> {
    /// Of a capture, those by the minute where there are any and they are wanted.
    pub fn new(capture: &'c Capture, by_minute: bool) -> Tables<'c> {
        Tables { capture, by_minute, made: Mutex::default() }
    }

    fn batches(&self, name: &str) -> &'c [RecordBatch] {
        self.capture.tables.get(name).map_or(&[][..], Vec::as_slice)
    }

    /// The tables that a figure takes, by the names that it has for them.
    pub fn of_figure(&self, figure: &Figure) -> HashMap<&'static str, Arc<OnceLock<Table<'c>>>> {
        let table = |def: &'static TableDef| {
            let choices = figure.choices(def, self.by_minute).into_iter();
            let name = choices.map(|def| def.name).find(|name| !self.batches(name).is_empty());
            let name = name.unwrap_or(def.name);
            let made = {
                let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(all.entry(name).or_default())
            };
            made.get_or_init(|| Table::of(name, self.batches(name)));
            (def.name, made)
        };
        figure.tables().into_iter().map(table).collect()
    }
}

impl Figure {
    /// The tables that have the numbers which a figure takes of one of its tables, that with the fewest rows first.
    pub fn choices(&self, def: &'static TableDef, by_minute: bool) -> Vec<&'static TableDef> {
        let minute = rollup::of(def.name).filter(|_| by_minute).map(|minute| minute.def);
        let class = (def.name == TaskTimeRow::DEF.name && self.is_of_classes()).then_some(ClassTimeRow::DEF);
        class.into_iter().chain(minute).chain([def]).collect()
    }

    /// What it reads of an archive: the tables, and of each the columns.
    pub fn needs(&self, by_minute: bool) -> Vec<(&'static TableDef, Vec<String>)> {
        let mut needs: Vec<(&'static TableDef, Vec<String>)> = Vec::new();
        for def in self.tables() {
            let Some(taken) = self.choices(def, by_minute).into_iter().next() else { continue };
            let is_minute = rollup::find(taken.name).is_some();
            let of_table = self.series.iter().filter(|series| series.table == def.name);
            let mut columns: Vec<String> = of_table.flat_map(|series| series.needs(is_minute)).collect();
            columns.extend(self.each.iter().chain(self.unless_others.keys()).cloned());
            let limit = self.limit.as_ref().filter(|limit| limit.table.as_deref() == Some(def.name));
            columns.extend(limit.and_then(|limit| limit.value.clone()));
            needs.push((taken, columns));
        }
        needs
    }

    /// Whether all that it takes of `task_time` is in `class_time` too: nothing of single tasks, and no idle time.
    fn is_of_classes(&self) -> bool {
        let has = |column: &String| ClassTimeRow::DEF.all_columns().any(|own| own.name == column);
        let of_tasks = |series: &&Series| series.table == TaskTimeRow::DEF.name;
        self.each.is_none()
            && self.series.iter().filter(of_tasks).all(|series| {
                series.columns().iter().all(has) && series.only.iter().any(|(c, of)| leaves_out_idle(c, of))
            })
    }
}

impl Series {
    /// The columns that it takes of its table, which may be that by the minute.
    fn needs(&self, is_minute: bool) -> Vec<String> {
        let mut columns = self.columns();
        if is_minute && self.per.is_level() {
            for column in self.value.iter().chain(&self.minus) {
                columns.extend(["mean", "min", "max"].map(|word| format!("{word}_{column}")));
            }
            columns.retain(|column| !self.value.contains(column) && !self.minus.contains(column));
        } else if is_minute {
            columns.extend(rollup::peak_of(&self.table, &self.value, self.per.columns()));
        }
        columns
    }
}

fn leaves_out_idle(column: &str, condition: &Condition) -> bool {
    let is_active = |value: &Scalar| match (column, value) {
        ("group_name", Scalar::Text(group)) => group != Group::Idle.name(),
        ("class_name", Scalar::Text(class)) => {
            Class::from_name(class).is_some_and(|class| class.group() != Group::Idle)
        }
        _ => false,
    };
    condition.values().iter().all(is_active)
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::DiskRow;

    use crate::catalogue::find;

    use super::*;

    #[test]
    fn no_more_is_read_than_is_drawn() {
        let needs = |id: &str, by_minute| {
            let needs = find(id).expect("a figure").needs(by_minute);
            let sorted = |mut columns: Vec<String>| {
                columns.sort();
                columns.dedup();
                columns.join(" ")
            };
            needs
                .into_iter()
                .map(|(def, columns)| format!("{}: {}", def.name, sorted(columns)))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            needs("memory.available", true),
            [
                "memory_minute: max_available_bytes max_free_bytes mean_available_bytes mean_free_bytes min_available_bytes min_free_bytes total_bytes"
            ]
        );
        assert_eq!(needs("memory.available", false), ["memory: available_bytes free_bytes total_bytes"]);
        assert_eq!(needs("disk.queue", true), ["disk_minute: device kind peak_queue_s_per_s queue_s"]);
        assert_eq!(
            needs("time.classes", true),
            ["host: cpus", "class_time: class_name group_name kernel_thread seconds"]
        );
    }

    #[test]
    fn what_is_asked_of_classes_is_taken_of_few_rows() {
        let names = |id: &str, def: &'static TableDef, by_minute| -> Vec<&str> {
            let figure = find(id).expect("a figure");
            figure.choices(def, by_minute).iter().map(|def| def.name).collect()
        };
        let tasks = TaskTimeRow::DEF;
        assert_eq!(names("time.classes", tasks, true), ["class_time", "task_time_minute", "task_time"]);
        assert_eq!(names("time.wait-length", tasks, false), ["class_time", "task_time"]);
        assert_eq!(names("cpu.run-queue", tasks, true)[0], "class_time");
        assert_eq!(names("time.waiting-programs", tasks, true), ["task_time_minute", "task_time"]);
        assert_eq!(names("disk.queue", DiskRow::DEF, false), ["disk"]);
    }
}
