//! The samples of a table: their times, and which rows are of which.

use std::collections::HashMap;

use arrow_array::Array;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;

use crate::numbers::Numbers;

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Its end, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    /// Length of its interval; none for a look without one before it.
    pub secs: Option<f64>,
}

/// The samples of a table, in order of time.
pub struct Samples {
    /// Each time once.
    pub samples: Vec<Sample>,
    /// For each batch the sample of each row.
    pub of_rows: Vec<Vec<u32>>,
}

/// Times in the order in which they occur. Rows of an archive are sorted by task and then by time, live ones by time:
/// in both the time behind another is mostly the one that stood behind it before.
#[derive(Default)]
struct Found {
    times: Vec<i64>,
    secs: Vec<Option<f64>>,
    next: Vec<u32>,
    number: HashMap<i64, u32>,
    last: u32,
}

impl Found {
    #[inline]
    fn number(&mut self, time_ms: i64) -> u32 {
        let last = self.last as usize;
        if self.times.get(last) == Some(&time_ms) {
            return self.last;
        }
        let guess = self.next.get(last).copied().unwrap_or(0);
        let number = if self.times.get(guess as usize) == Some(&time_ms) {
            guess
        } else {
            let (times, secs, next) = (&mut self.times, &mut self.secs, &mut self.next);
            *self.number.entry(time_ms).or_insert_with(|| {
                times.push(time_ms);
                secs.push(None);
                next.push(0);
                times.len() as u32 - 1
            })
        };
        if let Some(next) = self.next.get_mut(last) {
            *next = number;
        }
        self.last = number;
        number
    }
}

impl Samples {
    /// The samples of a table's batches.
    pub fn of(batches: &[RecordBatch]) -> Samples {
        let mut found = Found::default();
        let mut of_rows: Vec<Vec<u32>> = batches.iter().map(|batch| numbered(batch, &mut found)).collect();
        let mut order: Vec<u32> = (0..found.times.len() as u32).collect();
        order.sort_unstable_by_key(|number| found.times[*number as usize]);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, number)| place[*number as usize] = at as u32);
        if !order.is_sorted() {
            of_rows.iter_mut().flatten().for_each(|number| *number = place[*number as usize]);
        }
        let sample = |number: &u32| Sample {
            time_ms: found.times[*number as usize],
            secs: found.secs[*number as usize],
        };
        Samples { samples: order.iter().map(sample).collect(), of_rows }
    }

    /// The middle of the distances between samples, in milliseconds.
    pub fn interval_ms(&self) -> Option<i64> {
        let mut between: Vec<i64> =
            self.samples.windows(2).map(|pair| pair[1].time_ms - pair[0].time_ms).collect();
        if between.is_empty() {
            let only = self.samples.first()?.secs?;
            return Some((only * 1000.0) as i64);
        }
        let middle = between.len() / 2;
        Some(*between.select_nth_unstable(middle).1)
    }

    /// From when to when each sample was counted. A look that tells no length lasts since the one before it, unless that
    /// is long ago.
    pub fn intervals(&self) -> Vec<(i64, i64)> {
        let usual_ms = self.interval_ms().unwrap_or(0);
        let mut before: Option<i64> = None;
        let interval = |sample: &Sample| {
            let end = sample.time_ms;
            let since_before = before.filter(|before| end - before <= usual_ms.saturating_mul(3));
            let start = match sample.secs {
                Some(secs) => end - (secs * 1000.0).round() as i64,
                None => since_before.unwrap_or(end - usual_ms),
            };
            // A restart of the recorder may count what another sample has counted before.
            let start = before.map_or(start, |before| start.max(before));
            before = Some(end);
            (start, end)
        };
        self.samples.iter().map(interval).collect()
    }
}

fn numbered(batch: &RecordBatch, found: &mut Found) -> Vec<u32> {
    let times = batch.column_by_name("time").and_then(|array| array.as_primitive_opt::<Int64Type>());
    let Some(times) = times.filter(|times| times.null_count() == 0) else { return Vec::new() };
    let lengths = Numbers::of(batch, "secs");
    let number = |(row, time): (usize, &i64)| {
        let number = found.number(*time);
        let secs = &mut found.secs[number as usize];
        if let Some(longer) = lengths.get(row).filter(|length| secs.is_none_or(|secs| secs < *length)) {
            *secs = Some(longer);
        }
        number
    };
    times.values().iter().enumerate().map(number).collect()
}
