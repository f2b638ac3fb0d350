//! Stacks of a window: what was recorded of the minutes and seconds that it has a part in, brought down to its own time.
//!
//! Stacks are recorded over intervals of their own, of which a window has a part. How long each task
//! waited in the window `task_time` tells by the sample, so that of each task and class stacks never stand for more
//! than that: what lies outside is taken off, in the same proportion of all of them.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use heldup_model::batch::filter_rows;

use crate::kept::batch_columns::{floats, ints, texts, with_column};

/// Counters that shrink with the time, beside it.
const COUNTS: [&str; 2] = ["samples", "events"];

/// Seconds by task and class.
type Times<'a> = HashMap<(i64, &'a str), f64>;

/// Rows of `stack` with no more time than the rows of `task_time` have; where those are not there, as they were.
pub(in crate::kept) fn stacks_of_window(
    stacks: Vec<RecordBatch>,
    task_time: &[RecordBatch],
) -> Result<Vec<RecordBatch>, String> {
    if stacks.iter().all(|batch| batch.num_rows() == 0) || task_time.iter().all(|batch| batch.num_rows() == 0)
    {
        return Ok(stacks);
    }
    let told = times(&stacks, |_| true);
    let in_window = times(task_time, |key| told.contains_key(key));
    let share = |key: &(i64, &str)| match (told.get(key), in_window.get(key)) {
        (Some(told), Some(seconds)) if *told > 0.0 => (seconds / told).min(1.0),
        _ => 0.0,
    };
    stacks.iter().map(|batch| scaled(batch, share)).collect()
}

fn times<'a>(batches: &'a [RecordBatch], wanted: impl Fn(&(i64, &str)) -> bool) -> Times<'a> {
    let mut times = Times::new();
    for batch in batches {
        let keys = ints(batch, "tid").into_iter().zip(texts(batch, "class_name"));
        for ((tid, class), seconds) in keys.zip(floats(batch, "seconds")) {
            let (Some(tid), Some(class), Some(seconds)) = (tid, class, seconds) else { continue };
            if wanted(&(tid, class)) {
                *times.entry((tid, class)).or_default() += seconds;
            }
        }
    }
    times
}

/// The rows of whoever waited in the window.
fn scaled(batch: &RecordBatch, share: impl Fn(&(i64, &str)) -> f64) -> Result<RecordBatch, String> {
    let keys = ints(batch, "tid").into_iter().zip(texts(batch, "class_name"));
    // Of whom nothing says who or what it was, nothing is known of the window.
    let shares: Vec<f64> =
        keys.map(|(tid, class)| tid.zip(class).map_or(1.0, |(tid, class)| share(&(tid, class)))).collect();
    let seconds: Float64Array = floats(batch, "seconds")
        .into_iter()
        .zip(&shares)
        .map(|(seconds, share)| seconds.map(|seconds| seconds * share))
        .collect();
    let mut out = with_column(batch, "seconds", Arc::new(seconds))?;
    for name in COUNTS {
        let counts: Int64Array = ints(batch, name)
            .into_iter()
            .zip(&shares)
            .map(|(count, share)| count.map(|count| (count as f64 * share).round() as i64))
            .collect();
        if counts.len() == out.num_rows() {
            let counts: ArrayRef = Arc::new(counts);
            out = with_column(&out, name, counts)?;
        }
    }
    filter_rows(&out, |row| shares.get(row).is_some_and(|share| *share > 0.0))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::{StackRow, TaskTimeRow};
    use heldup_model::{Record, RowSet, Stamp};

    use super::*;

    fn batch<R: Record>(rows: impl IntoIterator<Item = R>) -> RecordBatch {
        let stamp = Stamp { time_ms: 60_000, secs: Some(60.0), host: "db1".into() };
        RowSet::increases(rows).to_batch(&stamp).expect("a batch")
    }

    fn stack(tid: i64, object: &str, seconds: f64, samples: i64) -> StackRow {
        StackRow {
            tid: Some(tid),
            class_name: Some("lock_file".into()),
            object_name: Some(object.into()),
            seconds: Some(seconds),
            samples: Some(samples),
            ..StackRow::default()
        }
    }

    fn waited(tid: i64, seconds: f64) -> TaskTimeRow {
        TaskTimeRow {
            tid: Some(tid),
            class_name: Some("lock_file".into()),
            seconds: Some(seconds),
            ..TaskTimeRow::default()
        }
    }

    #[test]
    fn stacks_have_the_time_of_the_window_and_their_own_proportion() {
        let stacks = batch([
            stack(1, "/a", 30.0, 300),
            stack(1, "/b", 10.0, 100),
            stack(2, "/a", 3.0, 3),
            stack(3, "/a", 9.0, 9),
        ]);
        let window = batch([waited(1, 3.0), waited(1, 1.0), waited(2, 5.0)]);
        let made = stacks_of_window(vec![stacks], &[window]).expect("made");
        let rows: Vec<_> = made.iter().flat_map(|batch| floats(batch, "seconds")).flatten().collect();
        assert_eq!(rows, [3.0, 1.0, 3.0], "the one that did not wait in the window is gone");
        assert_eq!(ints(&made[0], "samples"), [Some(30), Some(10), Some(3)]);
    }

    #[test]
    fn without_a_ledger_they_are_as_they_were() {
        let stacks = vec![batch([stack(1, "/a", 30.0, 300)])];
        assert_eq!(stacks_of_window(stacks.clone(), &[]).expect("made"), stacks);
    }
}
