//! What an archive has: whose, from when to when, and where nothing was recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use heldup_model::Span;

use super::clocks::{BetweenSamples, between_samples};
use super::folder::list;
use super::sealed_rows;
use crate::journal::{JournalReader, SegmentName};
use crate::kept::ArchiveFolder;
use crate::kept::batch_columns::{floats, ints};
use crate::store::StoreError;

/// Tables that are read at every sample, the smallest first: their times are those of the samples.
pub(super) const OF_EVERY_SAMPLE: [&str; 5] = ["system", "memory", "cpu", "process", "task_time"];
/// Of them those with one row a sample.
const ONE_ROW: [&str; 2] = ["system", "memory"];
/// Between two samples or segments less than this is no hole: the grid is one second, and a
/// sample may come late.
const LEAST_HOLE_MS: i64 = 1500;
/// Between two segments so much is no hole: a recorder that was started again.
const RESTART_MS: i64 = 15_000;

/// How far into a journal its first sample is looked for; of samples further apart the reading that they
/// count from is told instead.
const FIRST_SAMPLE_MS: i64 = 60_000;

/// What was recorded of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// From the beginning of the first interval to the end of the last.
    pub span: Span,
    /// Within it, where nothing was.
    pub holes: Vec<Span>,
    /// Samples.
    pub samples: usize,
    /// Length of all their intervals, seconds. Neither holes nor time that never was, as the clock was set
    /// forward, are in it; what was twice, as it was set back, is in it twice.
    pub secs: f64,
    /// Where the clock was set: no hole, however far.
    pub set: Vec<BetweenSamples>,
}

/// A stretch of an archive without a longer interruption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The host, as file names have it.
    pub host: String,
    /// From when to when.
    pub span: Span,
}

impl ArchiveFolder {
    /// Hosts of which there are files, as these name them.
    pub fn hosts(&self) -> Result<Vec<String>, StoreError> {
        let mut hosts = BTreeSet::new();
        for file in list(&self.journals())? {
            let name = SegmentName::of_journal(&file).filter(|name| self.has(name));
            hosts.extend(name.map(|name| name.host().to_owned()));
        }
        self.for_each_sealed(&mut |name, _| {
            hosts.insert(name.host().to_owned());
        })?;
        Ok(hosts.into_iter().collect())
    }

    /// Time of the first sample that is kept, milliseconds since 1970-01-01 UTC; none where there is
    /// none. What is not the oldest by its name is not opened.
    pub fn first_ms(&self) -> Result<Option<i64>, StoreError> {
        let mut sealed = Vec::new();
        self.for_each_sealed(&mut |name, path| sealed.push((name.begun_ms(), path.to_owned())))?;
        sealed.sort_unstable();
        let mut first_ms: Option<i64> = None;
        for (begun_ms, path) in sealed {
            // A day's name says its midnight, a segment's its beginning.
            if first_ms.is_some_and(|first_ms| begun_ms > first_ms) {
                break;
            }
            let times = File::open(path).ok().and_then(|file| sealed_rows::times(file).ok().flatten());
            first_ms = times.map(|span| span.since_ms).into_iter().chain(first_ms).min();
        }
        for (name, mut journal) in self.open_journals(&mut Vec::new())? {
            let is_older = first_ms.is_none_or(|first_ms| name.begun_ms() <= first_ms);
            let begun_ms = is_older.then(|| first_sample_ms(&mut journal)).flatten();
            first_ms = begun_ms.into_iter().chain(first_ms).min();
        }
        Ok(first_ms)
    }

    /// The stretches of time that the archive has, the oldest first.
    pub fn stretches(&self) -> Result<Vec<Stretch>, StoreError> {
        let mut segments: BTreeMap<SegmentName, Span> = BTreeMap::new();
        self.for_each_sealed(&mut |name, path| {
            let known = segments.get(&name).copied();
            // One that is gone was removed meanwhile; a damaged one is said when its rows are read.
            let file = File::open(path).ok();
            let Some(span) = file.and_then(|file| sealed_rows::times(file).ok().flatten()) else { return };
            let both = |known: Span| Span {
                since_ms: known.since_ms.min(span.since_ms),
                until_ms: known.until_ms.max(span.until_ms),
            };
            segments.insert(name, known.map_or(span, both));
        })?;
        for (name, mut journal) in self.open_journals(&mut Vec::new())? {
            if let Ok(Some(survey)) = journal.survey() {
                segments.insert(name, survey.span);
            }
        }
        Ok(joined(segments))
    }

    /// Calls for each sealed file of a table that is read at every sample.
    fn for_each_sealed(&self, each: &mut dyn FnMut(SegmentName, &Path)) -> Result<(), StoreError> {
        let mut seen = BTreeSet::new();
        for table in OF_EVERY_SAMPLE {
            let folder = self.root().join(format!("table={table}"));
            for day in list(&folder)? {
                for file in list(&folder.join(&day))? {
                    let Some(name) = SegmentName::of_parquet(&file).filter(|name| self.has(name)) else {
                        continue;
                    };
                    // A segment has a file for each day; the first table that has it is enough.
                    if seen.insert((name.clone(), day.clone())) {
                        each(name, &folder.join(&day).join(&file));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Time of the first sample in a journal. Before it stands what was read when the journal was begun, from
/// which the first sample counts: none itself.
fn first_sample_ms(journal: &mut JournalReader) -> Option<i64> {
    let since_ms = journal.survey().ok()??.span.since_ms;
    let begin = Span { since_ms, until_ms: since_ms + FIRST_SAMPLE_MS };
    let tables = journal.window(&|table| table == OF_EVERY_SAMPLE[0], begin).ok()?;
    let times = tables.values().flatten().flat_map(|batch| ints(batch, "time")).flatten();
    Some(times.min().unwrap_or(since_ms))
}

/// Segments of one host that follow each other, as one stretch.
fn joined(segments: BTreeMap<SegmentName, Span>) -> Vec<Stretch> {
    let mut spans: Vec<(String, Span)> =
        segments.into_iter().map(|(name, span)| (name.host().to_owned(), span)).collect();
    spans.sort_by(|a, b| (&a.0, a.1.since_ms).cmp(&(&b.0, b.1.since_ms)));
    let mut stretches: Vec<Stretch> = Vec::new();
    for (host, span) in spans {
        match stretches.last_mut() {
            Some(last) if last.host == host && span.since_ms <= last.span.until_ms + RESTART_MS => {
                last.span.until_ms = last.span.until_ms.max(span.until_ms);
            }
            _ => stretches.push(Stretch { host, span }),
        }
    }
    stretches.sort_by_key(|stretch| stretch.span.since_ms);
    stretches
}

/// What was recorded, by the samples of the table that shows it best; none where there is nothing.
pub(in crate::kept) fn recorded(tables: &BTreeMap<String, Vec<RecordBatch>>) -> Option<Recorded> {
    let recorder = tables.get("recorder").map(Vec::as_slice).unwrap_or_default();
    let mut set = between_samples(recorder);
    set.retain(|between| between.set_ms != 0);
    OF_EVERY_SAMPLE.iter().find_map(|table| recorded_of(tables.get(*table)?, ONE_ROW.contains(table), &set))
}

fn recorded_of(batches: &[RecordBatch], one_row: bool, set: &[BetweenSamples]) -> Option<Recorded> {
    let mut samples: BTreeMap<i64, f64> = BTreeMap::new();
    let mut of_rows = 0.0;
    for batch in batches {
        for (time, secs) in ints(batch, "time").into_iter().zip(floats(batch, "secs")) {
            if let Some(time) = time {
                let length = samples.entry(time).or_insert(0.0);
                *length = length.max(secs.unwrap_or(0.0));
                of_rows += secs.unwrap_or(0.0);
            }
        }
    }
    let begin = |(time, secs): (&i64, &f64)| time - (secs * 1000.0).round() as i64;
    let mut span = Span { since_ms: samples.iter().next().map(begin)?, until_ms: *samples.keys().next()? };
    let mut holes = Vec::new();
    for sample in &samples {
        let begun = begin(sample);
        // Names of time that never was.
        let skipped = set.iter().filter(|set| set.after_ms >= span.until_ms && set.until_ms <= *sample.0);
        let skipped_ms: i64 = skipped.map(|set| set.set_ms.max(0)).sum();
        if begun - span.until_ms - skipped_ms > LEAST_HOLE_MS {
            holes.push(Span { since_ms: span.until_ms, until_ms: begun - skipped_ms });
        }
        span.until_ms = *sample.0;
    }
    let secs = if one_row { of_rows } else { samples.values().sum() };
    Some(Recorded { span, holes, samples: samples.len(), secs, set: set.to_vec() })
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::SystemRow;
    use heldup_model::{RowSet, Stamp};

    use super::*;

    fn sample(time_ms: i64, secs: f64) -> RecordBatch {
        let stamp = Stamp { time_ms, secs: Some(secs), host: "db1".into() };
        RowSet::increases([SystemRow::default()]).to_batch(&stamp).expect("a batch")
    }

    #[test]
    fn an_interval_that_covers_what_was_left_out_is_no_hole() {
        let times = [(1000, 1.0), (2000, 1.0), (5000, 3.0), (6000, 1.0), (16_000, 1.0), (26_000, 10.0)];
        let batches: Vec<_> = times.iter().rev().map(|(time, secs)| sample(*time, *secs)).collect();
        let tables = BTreeMap::from([("system".to_owned(), batches)]);
        let recorded = recorded(&tables).expect("samples");
        assert_eq!(recorded.span, Span { since_ms: 0, until_ms: 26_000 });
        assert_eq!(recorded.holes, [Span { since_ms: 6000, until_ms: 15_000 }]);
        assert_eq!((recorded.samples, recorded.secs), (6, 17.0));
    }

    #[test]
    fn what_was_twice_was_recorded_twice() {
        let times = [(1000, 1.0), (2000, 1.0), (3000, 1.0), (2000, 1.0), (3000, 1.0)];
        let batches: Vec<_> = times.iter().map(|(time, secs)| sample(*time, *secs)).collect();
        let tables = BTreeMap::from([("system".to_owned(), batches)]);
        let recorded = recorded(&tables).expect("samples");
        assert_eq!((recorded.span.secs(), recorded.secs, recorded.samples), (3.0, 5.0, 3));
    }

    #[test]
    fn segments_that_follow_each_other_are_one_stretch() {
        let name = |begun: i64| {
            SegmentName::of_journal(&format!("db1-{begun:013}-0123abcd.journal")).expect("a name")
        };
        let span = |since_ms: i64, until_ms: i64| Span { since_ms, until_ms };
        let segments = BTreeMap::from([
            (name(0), span(0, 3_600_000)),
            (name(1), span(3_601_000, 7_200_000)),
            (name(2), span(9_000_000, 9_100_000)),
        ]);
        let spans: Vec<Span> = joined(segments).into_iter().map(|stretch| stretch.span).collect();
        assert_eq!(spans, [span(0, 7_200_000), span(9_000_000, 9_100_000)]);
    }
}
