//! Reads sources for a recorder: each at its own pace, for as long as the machine is up.
//!
//! Where the [`crate::Sampler`] gathers the window that it is asked for, this hands out the rows of
//! each sample, whose counters are increases since the source's own reading before, with the
//! length of that interval. It knows no source by name, and one that panics or does not come back
//! is named and not asked again.

use std::time::Duration;

use heldup_hostfs::{Host, monotonic_ns, recorded_s};
use heldup_model::tables::SourceCostRow;
use heldup_model::{ColumnKind, Flaw, Form, Missing, RowChanges, RowSet, Text, increase, increase_from};

use crate::namespaces::Namespaces;
use crate::reading_thread::{Due, Read, ReadTerms, ReadingThread, TimeLimits};
use crate::sampler::ReadingCost;
use crate::source::{Pace, Source};

/// Weight of the last reading in what a reading of a source is taken to cost.
const NEWEST: f64 = 0.2;

/// Rows of one table from one source.
#[derive(Clone, Debug)]
pub struct RecordedRows {
    /// The rows; their counters are increases.
    pub rows: RowSet,
    /// Length of the interval that they are about, in seconds; none for a single reading.
    pub secs: Option<f64>,
}

/// Rows of one table from one source, told by what changed since its reading before.
#[derive(Clone, Debug)]
pub struct RecordedChanges {
    /// The rows.
    pub rows: RowChanges,
    /// As of [`RecordedRows`].
    pub secs: Option<f64>,
}

/// What one sample brought.
#[derive(Debug, Default)]
pub struct Recorded {
    /// Rows, the cheap and frequent ones first.
    pub rows: Vec<RecordedRows>,
    /// Rows that are told by what changed.
    pub changes: Vec<RecordedChanges>,
    /// What was not there to be read.
    pub missing: Vec<Missing>,
    /// What went wrong.
    pub flaws: Vec<Flaw>,
}

/// What a source costs, and how often it is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourcePace {
    /// Name of the source.
    pub name: &'static str,
    /// CPU time of a reading, nanoseconds, of late.
    pub reading_ns: f64,
    /// Time between two readings as declared; none where it is read once a segment.
    pub declared: Option<Duration>,
    /// How many times less often it is read.
    pub times: u32,
}

struct Slot {
    name: &'static str,
    /// Not there while it is read, nor after it did not come back.
    source: Option<Box<dyn Source>>,
    /// Totals of the last reading, and when it was made.
    before: Option<(u64, Vec<RowSet>)>,
    /// Not read again before this, on the monotonic clock.
    next_ns: u64,
    /// How many times less often than declared it is read.
    times: u32,
    reading_ns: Option<f64>,
    cost: SourceCostRow,
    failed: bool,
}

/// Reads sources for a recorder.
pub struct Recording {
    reader: ReadingThread,
    interval_ns: u64,
    slots: Vec<Slot>,
    /// When the first sample was, milliseconds since 1970-01-01 UTC.
    since_ms: Option<i64>,
    segment_begins: bool,
    ends: bool,
    /// Totals that others measured.
    pushed: Vec<(u64, RowSet)>,
    /// What others' readings cost.
    others: Vec<SourceCostRow>,
}

impl Recording {
    /// Sources of a host, read in their order, with a time between two samples.
    pub fn new(host: Host, sources: Vec<Box<dyn Source>>, interval: Duration) -> Recording {
        Recording {
            reader: ReadingThread::new(host, Namespaces::for_recorder(), TimeLimits::default()),
            interval_ns: interval.as_nanos() as u64,
            slots: sources.into_iter().map(Slot::new).collect(),
            since_ms: None,
            segment_begins: true,
            ends: false,
            pushed: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Reads with the next sample what each segment has at its beginning.
    pub fn begin_segment(&mut self) {
        self.segment_begins = true;
    }

    /// The next sample is the last: it has all that is read again and again.
    pub fn end(&mut self) {
        self.ends = true;
    }

    /// Reads the sources that are due, but for those that are held back. `time_ms` is the sample's place
    /// on the grid of UTC, `now_ns` the reading of CLOCK_MONOTONIC that belongs to it.
    pub fn sample(&mut self, time_ms: i64, now_ns: u64, is_held: &dyn Fn(&str) -> bool) -> Recorded {
        if self.since_ms.is_none() {
            self.since_ms = Some(time_ms);
            let sources = self.slots.iter_mut().filter_map(|slot| slot.source.as_mut());
            sources.for_each(|source| source.begin(self.reader.host()));
        }
        let due = self.due(now_ns, is_held);
        self.segment_begins = false;
        let clock_at_start = monotonic_ns();
        let mut recorded = Recorded::default();
        for read in self.reader.read(due) {
            let source_ns = now_ns + read.began_ns.saturating_sub(clock_at_start);
            self.slots[read.at].take(read, source_ns, &mut recorded);
        }
        recorded
    }

    /// The increases of totals that somebody else measured at `now_ns`; none of the first.
    pub fn increases(&mut self, rows: RowSet, now_ns: u64, flaws: &mut Vec<Flaw>) -> Option<RecordedRows> {
        let known = self.pushed.iter().position(|(_, before)| before.def.name == rows.def.name);
        let Some(at) = known else {
            self.pushed.push((now_ns, rows));
            return None;
        };
        let (before_ns, before) = &mut self.pushed[at];
        let before_ns = std::mem::replace(before_ns, now_ns);
        let rows = increase_from(before, rows, flaws);
        Some(RecordedRows { rows, secs: Some(recorded_s(before_ns, now_ns)) })
    }

    /// What each source costs, and how often it is read.
    pub fn paces(&self) -> Vec<SourcePace> {
        let interval = Duration::from_nanos(self.interval_ns);
        let of = |slot: &Slot| {
            let declared = match slot.source.as_ref()?.schedule().pace {
                Pace::EverySample => Some(interval),
                Pace::Every(time) => Some(time.max(interval)),
                Pace::Segment => None,
            };
            let reading_ns = slot.reading_ns.unwrap_or_default();
            Some(SourcePace { name: slot.name, reading_ns, declared, times: slot.times })
        };
        self.slots.iter().filter_map(of).collect()
    }

    /// Reads a source so many times less often than declared.
    pub fn set_times(&mut self, name: &str, times: u32) {
        self.slots.iter_mut().filter(|slot| slot.name == name).for_each(|slot| slot.times = times.max(1));
    }

    /// Notes what a reading cost that is none of a source: a row of `source_cost` like any other.
    pub fn note_cost(&mut self, name: &'static str, cost: ReadingCost) {
        let known = self.others.iter().position(|row| row.source_name.as_deref() == Some(name));
        let at = known.unwrap_or_else(|| {
            self.others.push(SourceCostRow { status: Some("ok".into()), ..no_cost(name) });
            self.others.len() - 1
        });
        add(&mut self.others[at], cost);
    }

    /// What each source cost since this was asked last, and how it went.
    pub fn take_costs(&mut self) -> RowSet {
        let others = std::mem::take(&mut self.others);
        RowSet::increases(self.slots.iter_mut().map(Slot::take_cost).chain(others))
    }

    fn due(&mut self, now_ns: u64, is_held: &dyn Fn(&str) -> bool) -> Vec<Due> {
        let (interval_ns, segment_begins, ends) = (self.interval_ns, self.segment_begins, self.ends);
        let terms = ReadTerms { since_ms: self.since_ms, asked: false, base_only: false, continuous: true };
        let mut due: Vec<(bool, Due)> = Vec::new();
        for (at, slot) in self.slots.iter_mut().enumerate().filter(|(_, slot)| !slot.failed) {
            let Some(pace) = slot.source.as_ref().map(|source| source.schedule().pace) else { continue };
            let is_due = match pace {
                Pace::Segment => segment_begins,
                // A sample comes a little early or late.
                _ => ends || now_ns + interval_ns / 2 >= slot.next_ns,
            };
            if !is_due || is_held(slot.name) {
                continue;
            }
            slot.plan(pace, at as u64, now_ns, interval_ns);
            let often = pace == Pace::EverySample;
            due.extend(slot.source.take().map(|source| (!often, Due { at, source, terms })));
        }
        // Those of every sample are to lie close to the grid.
        due.sort_by_key(|(rarely, due)| (*rarely, due.at));
        due.into_iter().map(|(_, due)| due).collect()
    }
}

impl Slot {
    fn new(source: Box<dyn Source>) -> Slot {
        let name = source.name();
        let cost = no_cost(name);
        let source = Some(source);
        Slot { name, source, before: None, next_ns: 0, times: 1, reading_ns: None, cost, failed: false }
    }

    /// When it is read next. After the first reading those of one pace are spread over it, so that no
    /// sample has all of them.
    fn plan(&mut self, pace: Pace, at: u64, now_ns: u64, interval_ns: u64) {
        let declared_ns = match pace {
            Pace::Every(time) => (time.as_nanos() as u64).max(interval_ns),
            Pace::EverySample | Pace::Segment => interval_ns,
        };
        let period_ns = declared_ns.saturating_mul(u64::from(self.times));
        let samples = period_ns / interval_ns.max(1);
        let first = self.next_ns == 0 && samples > 1;
        self.next_ns = match first {
            true => now_ns + (1 + at % samples) * interval_ns,
            false if self.next_ns + period_ns > now_ns => self.next_ns + period_ns,
            false => now_ns + period_ns,
        };
    }

    fn take(&mut self, read: Read, source_ns: u64, recorded: &mut Recorded) {
        self.account(&read);
        self.source = read.source;
        let reading = read.reading;
        recorded.missing.extend(reading.missing);
        recorded.flaws.extend(reading.flaws);
        if let Some(why) = read.failed {
            self.failed = true;
            recorded.flaws.push(Flaw { place: format!("source {}", self.name), what: why });
        }
        let (before_ns, mut before) = self.before.take().unzip();
        let secs = before_ns.map(|before_ns| recorded_s(before_ns, source_ns));
        let mut totals = Vec::new();
        recorded.changes.extend(reading.changes.into_iter().map(|rows| RecordedChanges { rows, secs }));
        for rows in reading.rows {
            if rows.form != Form::Totals || !has_counters(&rows) {
                recorded.rows.push(RecordedRows { rows: increase(None, rows, &mut recorded.flaws), secs });
                continue;
            }
            let is_it = |set: &RowSet| set.def.name == rows.def.name;
            let known = before.iter_mut().flatten().position(|set| is_it(set));
            match known.zip(before.as_mut()) {
                Some((at, before)) => {
                    let mut old = before.swap_remove(at);
                    let rows = increase_from(&mut old, rows, &mut recorded.flaws);
                    totals.push(old);
                    recorded.rows.push(RecordedRows { rows, secs });
                }
                // Totals to compare the next with.
                None => totals.push(rows),
            }
        }
        self.before = Some((source_ns, totals));
    }

    fn account(&mut self, read: &Read) {
        let reading_ns = read.cpu_ns as f64;
        self.reading_ns =
            Some(self.reading_ns.map_or(reading_ns, |known| known + (reading_ns - known) * NEWEST));
        let whole: usize = read.reading.rows.iter().map(|set| set.len).sum();
        let rows = whole + read.reading.changes.iter().map(|changes| changes.len).sum::<usize>();
        add(&mut self.cost, ReadingCost { cpu_ns: read.cpu_ns, wall_ns: read.wall_ns, rows });
        let missing = read.reading.missing.first().map(|missing| missing.why.clone());
        let flaw = || read.reading.flaws.first().map(|flaw| format!("{}: {}", flaw.place, flaw.what));
        let lacks = read.failed.clone().or(missing).or_else(flaw);
        let status = match (&read.failed, &lacks) {
            (Some(_), _) => "failed",
            (None, Some(_)) if rows == 0 => "missing",
            _ => "ok",
        };
        self.cost.status = Some(status.into());
        self.cost.detail = lacks.map(Text::from);
    }

    fn take_cost(&mut self) -> SourceCostRow {
        // One that is not read again has not become better for that.
        let (status, detail) = (self.cost.status.clone(), self.cost.detail.clone());
        let fresh = SourceCostRow { status, detail, ..no_cost(self.name) };
        std::mem::replace(&mut self.cost, fresh)
    }
}

/// Adds a reading to what a source has cost.
fn add(row: &mut SourceCostRow, cost: ReadingCost) {
    let seconds = |had: Option<f64>, ns: u64| Some(had.unwrap_or_default() + ns as f64 / 1e9);
    row.cpu_s = seconds(row.cpu_s, cost.cpu_ns);
    row.wall_s = seconds(row.wall_s, cost.wall_ns);
    row.reads = Some(row.reads.unwrap_or_default() + 1);
    row.rows_read = Some(row.rows_read.unwrap_or_default() + cost.rows as i64);
}

fn no_cost(name: &str) -> SourceCostRow {
    SourceCostRow {
        source_name: Some(name.into()),
        reads: Some(0),
        cpu_s: Some(0.0),
        wall_s: Some(0.0),
        rows_read: Some(0),
        status: None,
        detail: None,
    }
}

fn has_counters(rows: &RowSet) -> bool {
    rows.def.columns.iter().any(|column| column.kind == ColumnKind::Counter)
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::{CpuRow, MountRow};
    use heldup_model::{Record, TableDef};

    use super::*;
    use crate::source::{ReadContext, Reading, Schedule};

    const SECOND: u64 = 1_000_000_000;

    /// Counts its readings.
    struct Counting {
        name: &'static str,
        pace: Pace,
        readings: i64,
        panics_at: i64,
    }

    impl Counting {
        fn boxed(name: &'static str, pace: Pace) -> Box<dyn Source> {
            Box::new(Counting { name, pace, readings: 0, panics_at: i64::MAX })
        }
    }

    impl Source for Counting {
        fn name(&self) -> &'static str {
            self.name
        }

        fn tables(&self) -> &'static [&'static TableDef] {
            &[CpuRow::DEF]
        }

        fn schedule(&self) -> Schedule {
            Schedule::every_sample().pace(self.pace)
        }

        fn read(&mut self, _: &ReadContext) -> Reading {
            self.readings += 1;
            assert!(self.readings < self.panics_at, "a defect");
            let row = CpuRow { cpu_idx: Some(0), user_s: Some(self.readings as f64), ..CpuRow::default() };
            let gauge = MountRow { mount: Some(self.name.into()), ..MountRow::default() };
            Reading { rows: vec![RowSet::totals([row]), RowSet::totals([gauge])], ..Reading::default() }
        }
    }

    /// Samples at which a source gave rows of a table, with their intervals.
    fn at(sources: Vec<Box<dyn Source>>, seconds: u64, table: &str, times: u32) -> Vec<(u64, Option<f64>)> {
        let host = Host::recorded("/no-such-tree");
        let mut recording = Recording::new(host, sources, Duration::from_secs(1));
        recording.set_times("thinned", times);
        let mut seen = Vec::new();
        for second in 1..=seconds {
            let recorded = recording.sample(second as i64 * 1000, second * SECOND, &|_| false);
            let ours = recorded.rows.iter().filter(|rows| rows.rows.def.name == table);
            seen.extend(ours.map(|rows| (second, rows.secs.map(f64::round))));
        }
        seen
    }

    #[test]
    fn increases_begin_with_the_second_reading_and_gauges_with_the_first() {
        let every = || vec![Counting::boxed("every", Pace::EverySample)];
        assert_eq!(at(every(), 3, "cpu", 1), [(2, Some(1.0)), (3, Some(1.0))]);
        assert_eq!(at(every(), 2, "mount", 1), [(1, None), (2, Some(1.0))]);
    }

    #[test]
    fn each_source_has_its_pace() {
        let slow = vec![Counting::boxed("slow", Pace::Every(Duration::from_secs(3)))];
        let seen = at(slow, 8, "cpu", 1);
        assert_eq!(seen, [(2, Some(1.0)), (5, Some(3.0)), (8, Some(3.0))]);
        let thinned = vec![Counting::boxed("thinned", Pace::EverySample)];
        let seconds: Vec<u64> = at(thinned, 9, "mount", 4).into_iter().map(|(second, _)| second).collect();
        assert_eq!(seconds, [1, 2, 6]);
        let segment = vec![Counting::boxed("segment", Pace::Segment)];
        assert_eq!(at(segment, 4, "mount", 1).len(), 1);
    }

    #[test]
    fn a_segment_begins_with_what_it_needs() {
        let segment = vec![Counting::boxed("segment", Pace::Segment)];
        let mut recording = Recording::new(Host::recorded("/no-such-tree"), segment, Duration::from_secs(1));
        let mut readings = |begins: bool| {
            if begins {
                recording.begin_segment();
            }
            recording.sample(1000, SECOND, &|_| false).rows.len()
        };
        assert_eq!([readings(false), readings(false), readings(true)], [1, 0, 2]);
    }

    #[test]
    fn a_source_that_panics_costs_nobody_else_anything() {
        let bad = Counting { name: "bad", pace: Pace::EverySample, readings: 0, panics_at: 2 };
        let sources = vec![Box::new(bad), Counting::boxed("good", Pace::EverySample)];
        let mut recording = Recording::new(Host::recorded("/no-such-tree"), sources, Duration::from_secs(1));
        let flaws: Vec<usize> =
            (1..=4).map(|second| recording.sample(0, second * SECOND, &|_| false).flaws.len()).collect();
        assert_eq!(flaws, [0, 1, 0, 0]);
        let costs = recording.take_costs();
        let status = costs.texts("status").iter().map(|status| status.as_deref().unwrap_or_default());
        assert_eq!(status.collect::<Vec<_>>(), ["failed", "ok"]);
        assert_eq!(costs.ints("reads"), [Some(2), Some(4)]);
    }

    #[test]
    fn who_is_held_back_is_not_read() {
        let every = vec![Counting::boxed("every", Pace::EverySample)];
        let mut recording = Recording::new(Host::recorded("/no-such-tree"), every, Duration::from_secs(1));
        let mut rows = |second: u64, held: bool| recording.sample(0, second * SECOND, &|_| held).rows.len();
        assert_eq!([rows(1, false), rows(2, true), rows(3, false)], [1, 0, 2]);
    }
}
