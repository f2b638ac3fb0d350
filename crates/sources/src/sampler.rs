//! Reads the sources that are due, turns totals into increases, and gathers a capture.
//!
//! The sampler does not decide when to sample and knows no source by name. It isolates
//! sources from each other: whatever one does, the others' rows are there. A source that
//! panics or does not come back is named and not asked again.

use std::collections::BTreeMap;
use std::time::Duration;

use arrow_array::RecordBatch;
use heldup_hostfs::{Host, monotonic_ns};
use heldup_model::tables::{HostRow, SourceCostRow};
use heldup_model::{
    Capture, Cells, Class, ColumnKind, Flaw, Form, Method, Missing, Record, RowSet, Span, Stamp, Text,
    increase,
};

use crate::namespaces::Namespaces;
use crate::reading_thread::{Due, Read, ReadTerms, ReadingThread, TimeLimits};
use crate::source::{Cadence, Source};

/// Columns whose counters the kernel itself lets run backwards (proc_stat(5): iowait; idle
/// where a CPU's tick was stopped), and what drivers show among their counters that is none:
/// NULL as all others, but not worth a word.
pub(crate) const MAY_RUN_BACKWARDS: [&str; 3] = ["cpu.iowait_s", "cpu.idle_s", "net_driver.value"];
/// At most so many different flaws are kept: garbled files must not fill the memory.
const MAX_FLAWS: usize = 500;

/// Where in the window a sample lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleKind {
    /// The beginning: totals to compare with; no rows but gauges that are read at both ends.
    First,
    /// In between.
    Middle,
    /// The end of one window and the beginning of the next: [`Sampler::end_window`].
    Turn,
    /// The end.
    Last,
}

/// What is known of one source so far.
struct Slot {
    name: &'static str,
    /// Not there while it is read, nor after it did not come back.
    source: Option<Box<dyn Source>>,
    /// Somebody asks for its tables.
    asked: bool,
    /// Totals of the last reading, and when it was made.
    before: Option<(u64, Vec<RowSet>)>,
    reads: i64,
    cpu_ns: u64,
    wall_ns: u64,
    rows: i64,
    /// It panicked or did not come back, and is not asked again.
    failed: Option<String>,
    /// The first thing that it could not supply.
    lacking: Option<String>,
}

/// What someone else's readings cost: [`Sampler::note_cost`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadingCost {
    /// CPU time, in nanoseconds.
    pub cpu_ns: u64,
    /// Time, in nanoseconds.
    pub wall_ns: u64,
    /// Rows that were given.
    pub rows: usize,
}

/// Gathers a capture from sources, and from rows that others push.
pub struct Sampler {
    reader: ReadingThread,
    name: Text,
    slots: Vec<Slot>,
    /// Totals of tables that were pushed.
    pushed: BTreeMap<&'static str, RowSet>,
    /// What others' readings cost, and how many they were.
    others: BTreeMap<&'static str, (i64, ReadingCost)>,
    first: Option<(i64, u64)>,
    last: Option<(i64, u64)>,
    previous_ns: Option<u64>,
    tables: BTreeMap<String, Vec<RecordBatch>>,
    /// Gauges that were read at a turn, for the start of the next window.
    gauges: Vec<(RowSet, Stamp)>,
    /// The description of the host, kept until method and coverage are known.
    description: Option<(RowSet, Stamp)>,
    missing: Vec<Missing>,
    untold: Vec<Class>,
    flaws: Vec<(Flaw, usize)>,
}

impl Sampler {
    /// A sampler of a host with the sources to read, in the order in which they are read.
    pub fn new(host: Host, sources: Vec<Box<dyn Source>>, host_name: impl Into<Text>) -> Sampler {
        Sampler {
            reader: ReadingThread::new(host, Namespaces::default(), TimeLimits::default()),
            name: host_name.into(),
            slots: sources.into_iter().map(Slot::new).collect(),
            pushed: BTreeMap::new(),
            others: BTreeMap::new(),
            first: None,
            last: None,
            previous_ns: None,
            tables: BTreeMap::new(),
            gauges: Vec::new(),
            description: None,
            missing: Vec::new(),
            untold: Vec::new(),
            flaws: Vec::new(),
        }
    }

    /// Changes how long a source that is blocked may be waited for, from 2 s.
    pub fn with_time_limit(mut self, blocked: Duration) -> Sampler {
        self.reader.limit_blocked(blocked);
        self
    }

    /// Says which tables somebody asks for: [`ReadContext::asked`](crate::ReadContext::asked).
    pub fn ask(&mut self, is_asked: impl Fn(&str) -> bool) {
        for slot in &mut self.slots {
            let tables = slot.source.iter().flat_map(|source| source.tables());
            slot.asked |= tables.into_iter().any(|def| is_asked(def.name));
        }
    }

    /// Reads the sources that are due. `time_ms` is the sample's place on the grid of UTC,
    /// `now_ns` the reading of CLOCK_MONOTONIC that belongs to it.
    pub fn sample(&mut self, kind: SampleKind, time_ms: i64, now_ns: u64) {
        if kind == SampleKind::First {
            self.first = Some((time_ms, now_ns));
            let sources = self.slots.iter_mut().filter_map(|slot| slot.source.as_mut());
            sources.for_each(|source| source.begin(self.reader.host()));
        }
        self.gauges.clear();
        self.previous_ns = self.last.map(|(_, ns)| ns);
        self.last = Some((time_ms, now_ns));
        let clock_at_start = monotonic_ns();
        let due = self.due(kind);
        for read in self.reader.read(due) {
            let source_ns = now_ns + read.began_ns.saturating_sub(clock_at_start);
            self.take(read, kind, time_ms, source_ns);
        }
    }

    /// The sources to read now. Cheap and frequent ones first: they are to lie close to the
    /// grid, and the passes over all processes may take long.
    fn due(&mut self, kind: SampleKind) -> Vec<Due> {
        // What a source finds may change its cadence; within a sample it is read once.
        let mut due = Vec::new();
        let since_ms = self.first.map(|(time_ms, _)| time_ms);
        let base_only = kind == SampleKind::First;
        for cadence in [Cadence::EverySample, Cadence::Ends, Cadence::Once] {
            if !is_due(cadence, kind) {
                continue;
            }
            for leads in [true, false] {
                for (at, slot) in self.slots.iter_mut().enumerate().filter(|(_, slot)| slot.failed.is_none())
                {
                    let is_next = |source: &mut Box<dyn Source>| {
                        let schedule = source.schedule();
                        schedule.cadence == cadence && schedule.leads == leads
                    };
                    let terms = ReadTerms { since_ms, asked: slot.asked, base_only, continuous: false };
                    due.extend(slot.source.take_if(is_next).map(|source| Due { at, source, terms }));
                }
            }
        }
        due
    }

    /// The stamp for rows that someone else measured from the last sample to this one.
    pub fn stamp(&self) -> Stamp {
        let (time_ms, now_ns) = self.last.unwrap_or_default();
        let secs = self.previous_ns.map(|before| seconds(before, now_ns));
        Stamp { time_ms, secs, host: self.name.clone() }
    }

    /// The stamp for rows that someone else measured over the whole window.
    pub fn window_stamp(&self) -> Stamp {
        let secs = self.first.zip(self.last).map(|((_, first), (_, last))| seconds(first, last));
        Stamp { secs, ..self.stamp() }
    }

    /// Adds rows that someone else measured. Of totals the first are only kept to compare
    /// the next with, as it is with sources.
    pub fn push(&mut self, rows: RowSet, stamp: &Stamp) {
        let rows = match rows.form {
            Form::Increases => rows,
            Form::Totals => {
                let before = self.pushed.insert(rows.def.name, rows.clone());
                if before.is_none() && has_counters(&rows) {
                    return;
                }
                self.increases(before.as_ref(), rows)
            }
        };
        self.push_increases(&rows, stamp);
    }

    /// Adds rows that someone else measured and whose counters are increases already.
    pub fn push_increases(&mut self, rows: &RowSet, stamp: &Stamp) {
        self.keep(rows, stamp);
    }

    /// Notes what a reading cost that someone else made: a row of `source_cost` like any other.
    pub fn note_cost(&mut self, name: &'static str, cost: ReadingCost) {
        let (reads, all) = self.others.entry(name).or_default();
        *reads += 1;
        all.cpu_ns += cost.cpu_ns;
        all.wall_ns += cost.wall_ns;
        all.rows += cost.rows;
    }

    /// Notes something that could not be seen, once.
    pub fn note_missing(&mut self, missing: Missing) {
        if !self.missing.contains(&missing) {
            self.missing.push(missing);
        }
    }

    /// Notes classes of time that the account cannot tell apart here.
    pub fn note_untold(&mut self, classes: Vec<Class>) {
        self.untold = classes;
    }

    /// Notes something that went wrong; what repeats is counted.
    pub fn note_flaw(&mut self, flaw: Flaw) {
        if let Some((_, times)) = self.flaws.iter_mut().find(|(known, _)| *known == flaw) {
            *times += 1;
        } else if self.flaws.len() < MAX_FLAWS {
            self.flaws.push((flaw, 1));
        } else {
            let rest =
                Flaw { place: "sources".to_owned(), what: "more errors than are reported here".to_owned() };
            if self.flaws.last().is_none_or(|(last, _)| *last != rest) {
                self.flaws.push((rest, 1));
            }
        }
    }

    /// Everything that was gathered. Method and coverage are the ledger's, and become part
    /// of the table `host`.
    pub fn into_capture(mut self, method: Method, coverage: f64) -> Capture {
        self.capture(method, coverage)
    }

    /// Everything that was gathered up to the last sample, which was [`SampleKind::Turn`]: the
    /// next window begins with it, and sources are not read anew for that.
    pub fn end_window(&mut self, method: Method, coverage: f64) -> Capture {
        let capture = self.capture(method, coverage);
        self.first = self.last;
        for slot in &mut self.slots {
            slot.begin_window(self.reader.host());
        }
        self.others.clear();
        for (rows, stamp) in std::mem::take(&mut self.gauges) {
            self.keep(&rows, &stamp);
        }
        capture
    }

    fn capture(&mut self, method: Method, coverage: f64) -> Capture {
        let stamp = self.window_stamp();
        if let Some((mut rows, row_stamp)) = self.description.take() {
            describe_capture(&mut rows, stamp.secs, method, coverage);
            self.keep(&rows, &row_stamp);
        }
        let others = self.others.iter().map(|(name, (reads, cost))| cost_of_other(name, *reads, cost));
        let costs: Vec<SourceCostRow> = self.slots.iter().map(Slot::cost).chain(others).collect();
        self.keep(&RowSet::increases(costs), &stamp);
        let (since_ms, _) = self.first.unwrap_or_default();
        Capture {
            host: self.name.to_string(),
            span: Span { since_ms, until_ms: stamp.time_ms },
            method,
            coverage,
            untold: std::mem::take(&mut self.untold),
            timing: heldup_model::Timing::default(),
            tables: std::mem::take(&mut self.tables),
            missing: std::mem::take(&mut self.missing),
            flaws: std::mem::take(&mut self.flaws).into_iter().map(counted).collect(),
        }
    }

    fn take(&mut self, read: Read, kind: SampleKind, time_ms: i64, source_ns: u64) {
        let at = read.at;
        let slot = &mut self.slots[at];
        let cadence = read.source.as_ref().map(|source| source.schedule().cadence);
        slot.account(&read);
        let reading = read.reading;
        slot.source = read.source;
        let name = slot.name;
        let is_base = cadence != Some(Cadence::Once) && slot.before.is_none();
        // Nothing comes after the last sample; a copy of 10,000 processes is not free.
        let before = match kind {
            SampleKind::Last => slot.before.take(),
            _ => slot.before.replace((source_ns, with_counters(&reading.rows))),
        };
        reading.missing.into_iter().for_each(|missing| self.note_missing(missing));
        reading.flaws.into_iter().for_each(|flaw| self.note_flaw(flaw));
        if let Some(why) = read.failed {
            self.note_flaw(Flaw { place: format!("source {name}"), what: why });
        }
        if cadence == Some(Cadence::Ends) {
            if is_base {
                self.keep_gauges_of_the_start(&reading.rows, time_ms);
            } else if kind == SampleKind::Turn {
                let stamp = Stamp { time_ms, secs: None, host: self.name.clone() };
                let sets = reading.rows.iter().filter(|set| !has_counters(set));
                self.gauges.extend(sets.map(|set| (set.clone(), stamp.clone())));
            }
        }
        if is_base {
            return;
        }
        let secs = before.as_ref().map(|(before_ns, _)| seconds(*before_ns, source_ns));
        let stamp = Stamp { time_ms, secs, host: self.name.clone() };
        for rows in reading.rows {
            let old =
                before.as_ref().and_then(|(_, sets)| sets.iter().find(|set| set.def.name == rows.def.name));
            let rows = self.increases(old, rows);
            if rows.def.name == HostRow::DEF.name {
                self.description = Some((rows, stamp.clone()));
            } else {
                self.keep(&rows, &stamp);
            }
        }
    }

    /// Gauges that are read at both ends (how full a file system is) are worth a row at the
    /// start: their change over the window is the difference of the two.
    fn keep_gauges_of_the_start(&mut self, sets: &[RowSet], time_ms: i64) {
        let stamp = Stamp { time_ms, secs: None, host: self.name.clone() };
        sets.iter().filter(|set| !has_counters(set)).for_each(|set| self.keep(set, &stamp));
    }

    fn increases(&mut self, before: Option<&RowSet>, rows: RowSet) -> RowSet {
        let mut flaws = Vec::new();
        let rows = increase(before, rows, &mut flaws);
        for flaw in flaws.into_iter().filter(|flaw| !MAY_RUN_BACKWARDS.contains(&flaw.place.as_str())) {
            self.note_flaw(flaw);
        }
        rows
    }

    fn keep(&mut self, rows: &RowSet, stamp: &Stamp) {
        if rows.len == 0 {
            // Measured, and there was nothing: which is not the same as not measured.
            self.tables.entry(rows.def.name.to_owned()).or_default();
            return;
        }
        match rows.to_batch(stamp) {
            Ok(batch) => self.tables.entry(rows.def.name.to_owned()).or_default().push(batch),
            Err(error) => self.note_flaw(Flaw { place: rows.def.name.to_owned(), what: error.to_string() }),
        }
    }
}

impl Slot {
    fn new(source: Box<dyn Source>) -> Slot {
        Slot {
            name: source.name(),
            source: Some(source),
            asked: false,
            before: None,
            reads: 0,
            cpu_ns: 0,
            wall_ns: 0,
            rows: 0,
            failed: None,
            lacking: None,
        }
    }

    /// Costs are told by window; the totals of the last reading stay to compare with.
    fn begin_window(&mut self, host: &Host) {
        (self.reads, self.cpu_ns, self.wall_ns, self.rows) = (0, 0, 0, 0);
        self.lacking = None;
        if let Some(source) = &mut self.source {
            source.begin(host);
        }
    }

    /// Adds a reading to the costs, and remembers the first thing that went wrong.
    fn account(&mut self, read: &Read) {
        self.reads += 1;
        self.cpu_ns += read.cpu_ns;
        self.wall_ns += read.wall_ns;
        self.failed.clone_from(&read.failed);
        let reading = &read.reading;
        self.rows += reading.rows.iter().map(|set| set.len as i64).sum::<i64>();
        if self.lacking.is_none() {
            let missing = reading.missing.first().map(|missing| missing.why.clone());
            self.lacking =
                missing.or_else(|| reading.flaws.first().map(|f| format!("{}: {}", f.place, f.what)));
        }
    }

    fn cost(&self) -> SourceCostRow {
        let status = match (&self.failed, &self.lacking) {
            (Some(_), _) => "failed",
            (None, Some(_)) if self.rows == 0 => "missing",
            _ => "ok",
        };
        SourceCostRow {
            source_name: Some(self.name.into()),
            reads: Some(self.reads),
            cpu_s: Some(self.cpu_ns as f64 / 1e9),
            wall_s: Some(self.wall_ns as f64 / 1e9),
            rows_read: Some(self.rows),
            status: Some(status.into()),
            detail: self.failed.as_deref().or(self.lacking.as_deref()).map(Text::from),
        }
    }
}

fn cost_of_other(name: &str, reads: i64, cost: &ReadingCost) -> SourceCostRow {
    SourceCostRow {
        source_name: Some(name.into()),
        reads: Some(reads),
        cpu_s: Some(cost.cpu_ns as f64 / 1e9),
        wall_s: Some(cost.wall_ns as f64 / 1e9),
        rows_read: Some(cost.rows as i64),
        status: Some("ok".into()),
        detail: None,
    }
}

fn is_due(cadence: Cadence, kind: SampleKind) -> bool {
    match cadence {
        Cadence::EverySample => true,
        Cadence::Ends => kind != SampleKind::Middle,
        Cadence::Once => matches!(kind, SampleKind::Turn | SampleKind::Last),
    }
}

fn seconds(since_ns: u64, until_ns: u64) -> f64 {
    until_ns.saturating_sub(since_ns) as f64 / 1e9
}

fn has_counters(rows: &RowSet) -> bool {
    rows.def.columns.iter().any(|column| column.kind == ColumnKind::Counter)
}

fn with_counters(sets: &[RowSet]) -> Vec<RowSet> {
    sets.iter().filter(|set| has_counters(set)).cloned().collect()
}

fn counted((flaw, times): (Flaw, usize)) -> Flaw {
    if times == 1 { flaw } else { Flaw { what: format!("{} ({times} times)", flaw.what), ..flaw } }
}

/// Fills what the source `host` cannot know.
fn describe_capture(rows: &mut RowSet, window_s: Option<f64>, method: Method, coverage: f64) {
    let len = rows.len;
    let mut fill = |column: &str, cells: Cells| {
        if let Some(at) = rows.def.position(column) {
            rows.cells[at] = cells;
        }
    };
    fill("window_s", Cells::Float(vec![window_s; len]));
    fill("method", Cells::Text(vec![Some(method.name().into()); len]));
    fill("coverage", Cells::Float(vec![Some(coverage); len]));
}
