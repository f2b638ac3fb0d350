//! What each minute of a long window cost: so that only its worst stretches need be looked at.
//!
//! Of the ledger four columns are read, by the hour, so that memory does not grow with the window.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use heldup_model::{Flaw, Group, Span};

use super::ArchiveFolder;
use super::batch_columns::{floats, ints, texts};
use crate::store::StoreError;

/// Length of a minute.
pub const MINUTE_MS: i64 = 60_000;
/// Rows are read so much at a time.
const PIECE_MS: i64 = 60 * MINUTE_MS;
/// Levels of the kernel's log that are errors.
const ERRORS: [&str; 4] = ["emerg", "alert", "crit", "err"];

/// A minute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Minute {
    /// Seconds of it that were recorded.
    pub recorded_s: f64,
    /// Task time of user tasks that ran.
    pub running_s: f64,
    /// Task time of user tasks that were held up.
    pub held_up_s: f64,
    /// Errors that the kernel wrote to its log.
    pub errors: u32,
}

/// The minutes of a window.
#[derive(Clone, Debug, Default)]
pub struct Minutes {
    /// Beginning of the first, milliseconds since 1970-01-01 UTC.
    pub since_ms: i64,
    /// One after the other, also those of which nothing was recorded.
    pub minutes: Vec<Minute>,
    /// Online CPUs, where the window says it.
    pub cpus: Option<i64>,
    /// What could not be read.
    pub flaws: Vec<Flaw>,
}

impl ArchiveFolder {
    /// The minutes of a window; the first and the last are cut to it.
    pub fn minutes(&self, span: Span) -> Result<Minutes, StoreError> {
        let since_ms = span.since_ms.div_euclid(MINUTE_MS) * MINUTE_MS;
        let count = ((span.until_ms - since_ms).max(0) + MINUTE_MS - 1) / MINUTE_MS;
        let mut minutes = Minutes { since_ms, ..Minutes::default() };
        minutes.minutes.resize(usize::try_from(count).unwrap_or(0), Minute::default());
        let mut messages = BTreeSet::new();
        let mut begin_ms = span.since_ms;
        while begin_ms < span.until_ms {
            let end_ms = (begin_ms + PIECE_MS).min(span.until_ms);
            let piece = Span { since_ms: begin_ms + 1, until_ms: end_ms };
            self.add_piece(piece, &mut minutes, &mut messages)?;
            begin_ms = end_ms;
        }
        Ok(minutes)
    }

    fn add_piece(
        &self,
        piece: Span,
        minutes: &mut Minutes,
        messages: &mut BTreeSet<(i64, i64)>,
    ) -> Result<(), StoreError> {
        const TABLES: [&str; 4] = ["system", "task_time", "event", "host"];
        const COLUMNS: [&str; 8] =
            ["secs", "group_name", "kernel_thread", "seconds", "event_ms", "sequence", "level", "cpus"];
        let read =
            self.columns(piece, &|table| TABLES.contains(&table), &|column| COLUMNS.contains(&column))?;
        for flaw in read.flaws {
            if !minutes.flaws.contains(&flaw) {
                minutes.flaws.push(flaw);
            }
        }
        let of = |table: &str| read.tables.get(table).map(Vec::as_slice).unwrap_or_default();
        let samples = if of("system").is_empty() { of("task_time") } else { of("system") };
        let mut lengths: BTreeMap<i64, f64> = BTreeMap::new();
        for batch in samples {
            let rows = ints(batch, "time").into_iter().zip(floats(batch, "secs"));
            lengths.extend(rows.filter_map(|(time, secs)| Some((time?, secs.unwrap_or(0.0)))));
        }
        for (time, secs) in lengths {
            minutes.at(time, |minute| minute.recorded_s += secs);
        }
        for batch in of("task_time") {
            add_task_time(batch, minutes);
        }
        for batch in of("event") {
            let keys = ints(batch, "event_ms").into_iter().zip(ints(batch, "sequence"));
            for ((at, sequence), level) in keys.zip(texts(batch, "level")) {
                if let (Some(at), Some(sequence), Some(level)) = (at, sequence, level)
                    && ERRORS.contains(&level)
                    && messages.insert((at, sequence))
                {
                    minutes.at(at, |minute| minute.errors += 1);
                }
            }
        }
        let cpus = of("host").iter().flat_map(|batch| ints(batch, "cpus")).flatten().max();
        minutes.cpus = minutes.cpus.max(cpus);
        Ok(())
    }
}

impl Minutes {
    /// The minute that an interval belongs to that ends at a time.
    fn at(&mut self, time_ms: i64, change: impl FnOnce(&mut Minute)) {
        // An interval that ends at a full minute lies before it.
        let at = (time_ms - 1 - self.since_ms).div_euclid(MINUTE_MS);
        if let Some(minute) = usize::try_from(at).ok().and_then(|at| self.minutes.get_mut(at)) {
            change(minute);
        }
    }

    /// The minutes behind those of this window, which follow it.
    pub fn append(&mut self, later: Minutes) {
        let gap = (later.since_ms - self.since_ms) / MINUTE_MS;
        let at = usize::try_from(gap).unwrap_or(0);
        self.minutes.resize(self.minutes.len().max(at + later.minutes.len()), Minute::default());
        for (minute, more) in self.minutes[at..].iter_mut().zip(later.minutes) {
            minute.recorded_s += more.recorded_s;
            minute.running_s += more.running_s;
            minute.held_up_s += more.held_up_s;
            minute.errors += more.errors;
        }
        self.cpus = self.cpus.max(later.cpus);
        self.flaws.extend(later.flaws);
    }
}

/// Adds the rows of the ledger that are of user tasks. Millions of them: no vectors in between.
fn add_task_time(batch: &RecordBatch, minutes: &mut Minutes) {
    let texts = texts_by_code(batch, "group_name");
    let column = |name: &str| batch.column_by_name(name);
    let times = column("time").and_then(|column| column.as_primitive_opt::<arrow_array::types::Int64Type>());
    let seconds =
        column("seconds").and_then(|column| column.as_primitive_opt::<arrow_array::types::Float64Type>());
    let kernel = column("kernel_thread").and_then(|column| column.as_boolean_opt());
    let (Some((codes, groups)), Some(times), Some(seconds)) = (texts, times, seconds) else { return };
    for row in 0..batch.num_rows() {
        let of_kernel = kernel.is_some_and(|kernel| kernel.is_valid(row) && kernel.value(row));
        let group = codes.key(row).and_then(|code| groups.get(code).copied().flatten());
        let Some(group) = group.filter(|_| !of_kernel && seconds.is_valid(row)) else { continue };
        let seconds = seconds.value(row);
        minutes.at(times.value(row), |minute| match group {
            Group::Running => minute.running_s += seconds,
            _ => minute.held_up_s += seconds,
        });
    }
}

/// The codes of a column of groups, and which of the codes are running and held up.
fn texts_by_code<'a>(
    batch: &'a RecordBatch,
    name: &str,
) -> Option<(&'a arrow_array::DictionaryArray<arrow_array::types::Int32Type>, Vec<Option<Group>>)> {
    let column = batch.column_by_name(name)?.as_dictionary_opt::<arrow_array::types::Int32Type>()?;
    let words = column.values().as_string_opt::<i32>()?;
    let group = |word: Option<&str>| {
        [Group::Running, Group::HeldUp].into_iter().find(|group| Some(group.name()) == word)
    };
    Some((column, words.iter().map(group).collect()))
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::TaskTimeRow;
    use heldup_model::{RowSet, Stamp};

    use super::*;

    #[test]
    fn an_interval_belongs_to_the_minute_in_which_it_ends() {
        let row = |group: &str, kernel_thread, seconds| TaskTimeRow {
            group_name: Some(group.into()),
            kernel_thread,
            seconds,
            ..Default::default()
        };
        let mut minutes = Minutes { minutes: vec![Minute::default(); 2], ..Minutes::default() };
        for time_ms in [60_000, 60_001] {
            let rows = [
                row("held_up", Some(false), Some(0.5)),
                row("running", None, Some(0.25)),
                row("held_up", Some(true), Some(9.0)),
                row("idle", Some(false), Some(9.0)),
                row("held_up", Some(false), None),
            ];
            let stamp = Stamp { time_ms, secs: Some(1.0), host: "db1".into() };
            add_task_time(&RowSet::increases(rows).to_batch(&stamp).expect("a batch"), &mut minutes);
        }
        let each = Minute { running_s: 0.25, held_up_s: 0.5, ..Minute::default() };
        assert_eq!(minutes.minutes, [each, each]);
    }

    #[test]
    fn minutes_of_a_following_window_are_joined() {
        let minutes = |since_ms, recorded_s: &[f64]| Minutes {
            since_ms,
            minutes: recorded_s.iter().map(|s| Minute { recorded_s: *s, ..Minute::default() }).collect(),
            ..Minutes::default()
        };
        let mut first = minutes(0, &[60.0, 30.0]);
        first.append(minutes(60_000, &[29.0, 60.0]));
        let recorded: Vec<f64> = first.minutes.iter().map(|minute| minute.recorded_s).collect();
        assert_eq!(recorded, [60.0, 59.0, 60.0]);
    }
}
