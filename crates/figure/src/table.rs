//! A table of a capture, when its rows were counted, and which table that is: many have the same numbers.

use arrow_array::RecordBatch;
use heldup_model::tables::{ClassTimeRow, TaskTimeRow};
use heldup_model::{Class, Group, Record, TableDef, rollup};

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

impl Figure {
    /// The tables that have the numbers which a figure takes of one of its tables, that with the fewest rows first.
    pub fn choices(&self, def: &'static TableDef, by_minute: bool) -> Vec<&'static TableDef> {
        let minute = rollup::of(def.name).filter(|_| by_minute).map(|minute| minute.def);
        let class = (def.name == TaskTimeRow::DEF.name && self.is_of_classes()).then_some(ClassTimeRow::DEF);
        class.into_iter().chain(minute).chain([def]).collect()
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
