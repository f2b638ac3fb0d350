//! The ledger's rows added up by class, sample by sample: table `class_time`.
//!
//! A day of two thousand processes has a hundred million rows of `task_time` and half a million of these, so a day can be
//! drawn by the second.

use std::collections::HashMap;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use heldup_model::tables::ClassTimeRow;
use heldup_model::{Class, Group, Record, RowSet, Sum, Text};

use super::entity_order::joined;
use crate::kept::batch_columns::{bools, floats, ints, texts};

/// A sample: its time, and its length, since a time may be there twice where the clock was set back.
type Reading = (i64, Option<u64>);

/// What the tasks of a class have together in a sample.
#[derive(Clone, Default)]
struct Times {
    is_there: bool,
    seconds: Sum,
    squares: Sum,
    waits: Option<i64>,
    elsewhere: Sum,
}

/// Classes of tasks, of a day's rows.
#[derive(Default)]
pub(in crate::kept) struct ClassTimes {
    host: Option<String>,
    samples: Vec<Reading>,
    numbers: HashMap<Reading, usize>,
    /// By class and whether the task is a kernel thread, then by sample.
    classes: Vec<(Text, Text, Option<bool>, Vec<Times>)>,
}

impl ClassTimes {
    /// Adds rows of `task_time`.
    pub(in crate::kept) fn add(&mut self, tasks: &RecordBatch) {
        let times = tasks.column_by_name("time").and_then(|times| times.as_primitive_opt::<Int64Type>());
        let codes =
            tasks.column_by_name("class_name").and_then(|names| names.as_dictionary_opt::<Int32Type>());
        let (Some(times), Some(codes)) = (times, codes) else { return };
        let (lengths, groups) = (floats(tasks, "secs"), texts(tasks, "group_name"));
        let (names, kernel) = (texts(tasks, "class_name"), bools(tasks, "kernel_thread"));
        let (seconds, errors) = (floats(tasks, "seconds"), floats(tasks, "error_s"));
        let (waits, elsewhere) = (ints(tasks, "waits"), floats(tasks, "idle_elsewhere_s"));
        if self.host.is_none() {
            self.host = texts(tasks, "host").into_iter().flatten().next().map(str::to_owned);
        }
        // Classes of this batch by the code of their name; three for each, since nothing may be known of a task.
        let mut places: Vec<[Option<usize>; 3]> = vec![[None; 3]; codes.values().len()];
        for row in 0..tasks.num_rows() {
            let reading = (times.value(row), lengths[row].map(f64::to_bits));
            let sample = self.sample(reading);
            let (Some(code), Some(name)) = (codes.key(row), names[row]) else { continue };
            let group = groups[row].unwrap_or_default();
            if group == Group::Idle.name() {
                continue;
            }
            let place = &mut places[code][kernel[row].map_or(2, usize::from)];
            let place = *place.get_or_insert_with(|| place_of(&mut self.classes, name, group, kernel[row]));
            let of_class = &mut self.classes[place].3;
            if of_class.len() <= sample {
                of_class.resize(sample + 1, Times::default());
            }
            let of_class = &mut of_class[sample];
            of_class.is_there = true;
            seconds[row].into_iter().for_each(|value| of_class.seconds.add(value));
            errors[row].into_iter().for_each(|value| of_class.squares.add(value * value));
            elsewhere[row].into_iter().for_each(|value| of_class.elsewhere.add(value));
            if let Some(more) = waits[row] {
                of_class.waits = Some(of_class.waits.unwrap_or(0).saturating_add(more));
            }
        }
    }

    /// The number of a sample.
    fn sample(&mut self, reading: Reading) -> usize {
        let samples = &mut self.samples;
        *self.numbers.entry(reading).or_insert_with(|| {
            samples.push(reading);
            samples.len() - 1
        })
    }

    /// The rows by class and time; none where there was nothing to add up.
    pub(in crate::kept) fn take(mut self) -> Result<Option<RecordBatch>, String> {
        self.say_nothing_ran();
        let (mut rows, mut times, mut secs) = (Vec::new(), Vec::new(), Vec::new());
        for (class_name, group_name, kernel_thread, by_sample) in &self.classes {
            for (of_class, (time_ms, length)) in by_sample.iter().zip(&self.samples) {
                if !of_class.is_there {
                    continue;
                }
                times.push(*time_ms);
                secs.push(length.map(f64::from_bits));
                rows.push(ClassTimeRow {
                    class_name: Some(class_name.clone()),
                    kernel_thread: *kernel_thread,
                    group_name: Some(group_name.clone()),
                    seconds: of_class.seconds.value(),
                    error_s: of_class.squares.value().map(f64::sqrt),
                    waits: of_class.waits,
                    idle_elsewhere_s: of_class.elsewhere.value(),
                });
            }
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let rows = RowSet::increases(rows);
        let batch = rows.to_batch_of_samples(times, secs, self.host.as_deref().unwrap_or_default());
        joined(ClassTimeRow::DEF, &[batch.map_err(|error| error.to_string())?]).map(Some)
    }

    /// A sample in which all tasks were idle has a row too: nothing ran, which is not the same as not measured.
    fn say_nothing_ran(&mut self) {
        let has_row = |sample: usize| {
            self.classes.iter().any(|class| class.3.get(sample).is_some_and(|times| times.is_there))
        };
        let idle: Vec<usize> = (0..self.samples.len()).filter(|sample| !has_row(*sample)).collect();
        if idle.is_empty() {
            return;
        }
        let (name, group) = (Class::User.name(), Class::User.group().name());
        let place = place_of(&mut self.classes, name, group, Some(false));
        let of_class = &mut self.classes[place].3;
        of_class.resize(self.samples.len(), Times::default());
        for sample in idle {
            of_class[sample].is_there = true;
            of_class[sample].seconds.add(0.0);
        }
    }
}

/// Where a class is, which may be new.
fn place_of(
    classes: &mut Vec<(Text, Text, Option<bool>, Vec<Times>)>,
    name: &str,
    group: &str,
    kernel: Option<bool>,
) -> usize {
    let found = classes.iter().position(|class| *class.0 == *name && class.2 == kernel);
    found.unwrap_or_else(|| {
        classes.push((name.into(), group.into(), kernel, Vec::new()));
        classes.len() - 1
    })
}
