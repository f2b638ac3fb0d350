//! One table of a recording while it is read.
//!
//! Rows are added at the end and found again only within their time, so that no index grows with the
//! recording. A tool that goes through all times once a section (`sar`) makes several rows of one time and
//! thing: they become one when nothing more can come for them ([`Sheet::settle`]), in memory that is little
//! more than the rows'.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use arrow_schema::ArrowError;
use heldup_model::{ColumnKind, ColumnType, TableDef};

use crate::table::names::{Mixed, Names};
use crate::table::segment::{Frozen, Segment};
use crate::table::sheets::{Key, When};

/// Rows of one batch; of one time there may be more.
pub const BATCH_ROWS: usize = 1 << 16;
/// So many rows of a time are looked through, more are found by an index.
const FEW_ROWS: usize = 16;

/// Where a row is in its table.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    segment: usize,
    /// Its row there.
    pub row: usize,
}

/// A table of a recording, of rows whose times are printed or float, of things or of all of them.
#[derive(Debug)]
pub struct Sheet {
    /// The table.
    pub def: &'static TableDef,
    /// Its times count from the beginning of the recording.
    pub floats: bool,
    /// Its rows are of all things together.
    pub of_all: bool,
    keys: Vec<usize>,
    frozen: Vec<Frozen>,
    open: Vec<Segment>,
    /// How many segments there were before the first that is open.
    base: usize,
    /// Rows of the first open segment that are settled.
    settled: usize,
    latest: Latest,
    /// Times fell back since rows were settled last.
    falls: bool,
}

/// The rows of the time that was told last, which are the last ones of the last segment.
#[derive(Debug, Default)]
struct Latest {
    ms: Option<i64>,
    begin: usize,
    index: HashMap<u32, usize, Mixed>,
    /// Rows up to this one are in the index.
    indexed: usize,
}

impl Latest {
    fn begin(&mut self, ms: Option<i64>, row: usize) {
        self.ms = ms;
        (self.begin, self.indexed) = (row, row);
        if self.index.is_empty() {
            return;
        }
        // Emptying it costs what it can hold, which one large sample would make dear for all that follow.
        if self.index.capacity() > 64 * (self.index.len() + FEW_ROWS) {
            self.index = HashMap::default();
        }
        self.index.clear();
    }

    fn find(&mut self, ids: &[u32], id: u32) -> Option<usize> {
        if ids.len() - self.begin <= FEW_ROWS {
            return ids[self.begin..].iter().rposition(|there| *there == id).map(|at| self.begin + at);
        }
        if ids.last() == Some(&id) {
            return Some(ids.len() - 1);
        }
        self.index.extend(ids.iter().enumerate().skip(self.indexed).map(|(row, id)| (*id, row)));
        self.indexed = ids.len();
        self.index.get(&id).copied()
    }
}

impl Sheet {
    /// No rows yet.
    pub fn of(def: &'static TableDef, floats: bool, of_all: bool) -> Sheet {
        let is_key = |at: &usize| {
            let column = &def.columns[*at];
            column.kind == ColumnKind::Key && column.name != "netns"
        };
        Sheet {
            def,
            floats,
            of_all,
            keys: (0..def.columns.len()).filter(is_key).collect(),
            frozen: Vec::new(),
            open: Vec::new(),
            base: 0,
            settled: 0,
            latest: Latest::default(),
            falls: false,
        }
    }

    /// The row of a time and a thing; a row without values where there is none yet.
    pub fn row(&mut self, when: When, (id, name): (u32, Option<u32>), key: Key<'_>) -> Place {
        let (place, is_first) = self.place(when.ms, id);
        if is_first {
            self.set_key(place, key, name);
        }
        if let Some(segment) = self.segment(place) {
            segment.set_secs(place.row, when.secs);
        }
        place
    }

    /// The segment of a row; none where the row is settled.
    pub fn segment(&mut self, place: Place) -> Option<&mut Segment> {
        self.open.get_mut(place.segment.checked_sub(self.base)?)
    }

    /// Says that nothing more can come for the rows that are there.
    pub fn settle(&mut self, names: &Names) -> Result<(), ArrowError> {
        if self.latest.ms.is_none() {
            return Ok(());
        }
        if std::mem::take(&mut self.falls) {
            self.join_rows();
        }
        let full = self.open.iter().take_while(|segment| segment.len() >= BATCH_ROWS).count();
        if full > 0 {
            for segment in self.open.drain(..full) {
                self.frozen.push(segment.freeze(names)?);
            }
            self.base += full;
        }
        self.settled = self.open.first().map_or(0, Segment::len);
        self.latest.begin(None, self.settled);
        Ok(())
    }

    /// All of its rows.
    pub fn finish(mut self, names: &Names) -> Result<Vec<Frozen>, ArrowError> {
        self.settle(names)?;
        for segment in self.open.drain(..) {
            self.frozen.push(segment.freeze(names)?);
        }
        Ok(self.frozen)
    }

    /// Where the row of a time and a thing is, and whether it is there only now.
    fn place(&mut self, ms: i64, id: u32) -> (Place, bool) {
        if self.latest.ms == Some(ms)
            && let Some(segment) = self.open.last()
            && let Some(row) = self.latest.find(&segment.ids, id)
        {
            return (Place { segment: self.base + self.open.len() - 1, row }, false);
        }
        if self.latest.ms != Some(ms) {
            self.falls |= self.latest.ms.is_some_and(|latest| ms < latest);
            if self.open.last().is_none_or(|segment| segment.len() >= BATCH_ROWS) {
                self.open.push(Segment::of(self.def));
            }
            self.latest.begin(Some(ms), self.open.last().map_or(0, Segment::len));
        }
        let at = self.open.len().saturating_sub(1);
        let row = self.open.get_mut(at).map_or(0, |segment| segment.push(ms, id));
        (Place { segment: self.base + at, row }, true)
    }

    /// Writes which thing a row is about.
    fn set_key(&mut self, place: Place, key: Key<'_>, name: Option<u32>) {
        let mut name = name.filter(|_| !matches!(key, Key::Identity(_)));
        let mut number = match key {
            Key::Number(number) | Key::NameOn(_, number) => Some(number),
            _ => None,
        };
        let Some(segment) = self.open.get_mut(place.segment - self.base) else { return };
        for column in &self.keys {
            match self.def.columns[*column].ty {
                ColumnType::Text => {
                    name.take().into_iter().for_each(|name| segment.set_name(place.row, *column, name));
                }
                ColumnType::Int => {
                    number.take().into_iter().for_each(|number| segment.set_int(place.row, *column, number));
                }
                ColumnType::Float | ColumnType::Bool => {}
            }
        }
    }

    /// Puts the rows that are not settled in the order of their times, and makes one of those of one time
    /// and thing. What was told later stands.
    fn join_rows(&mut self) {
        let mut told = OrderedRows::of(std::mem::take(&mut self.open), self.settled, self.def);
        // Only the rows that are settled are left of the first segment: they stay before all others.
        self.open.extend(told.settled.take());
        self.latest.begin(None, self.settled);
        while let Some((segment, rows)) = told.next_rows() {
            for row in rows {
                let Some(from) = told.segments.get(segment).and_then(Option::as_ref) else { continue };
                let (place, _) = self.place(from.times[row], from.ids[row]);
                if let Some(to) = self.open.get_mut(place.segment - self.base) {
                    to.take_values(place.row, from, row);
                }
            }
            told.leave(segment);
        }
        self.falls = false;
    }
}

/// Rows on their way into the order of their times: runs in which times do not fall, each of which is gone
/// through from its beginning to its end.
struct OrderedRows {
    settled: Option<Segment>,
    /// Let go as soon as all of its rows were taken.
    segments: Vec<Option<Segment>>,
    left: Vec<usize>,
    runs: Vec<Run>,
    /// The runs that go on, by their next time.
    next: BinaryHeap<Reverse<(i64, usize)>>,
}

/// Rows from one place up to another.
struct Run {
    segment: usize,
    row: usize,
    end: (usize, usize),
}

impl OrderedRows {
    fn of(mut open: Vec<Segment>, settled: usize, def: &TableDef) -> OrderedRows {
        let mut before = None;
        if settled > 0 && !open.is_empty() {
            let rest = open[0].split_off(settled, def);
            before = Some(std::mem::replace(&mut open[0], rest));
        }
        let mut runs: Vec<Run> = Vec::new();
        let mut latest = None;
        for (at, segment) in open.iter().enumerate() {
            for (row, ms) in segment.times.iter().enumerate() {
                match runs.last_mut() {
                    Some(run) if latest.is_some_and(|latest| latest <= *ms) => run.end = (at, row + 1),
                    _ => runs.push(Run { segment: at, row, end: (at, row + 1) }),
                }
                latest = Some(*ms);
            }
        }
        let left = open.iter().map(Segment::len).collect();
        let mut told = OrderedRows {
            settled: before,
            segments: open.into_iter().map(Some).collect(),
            left,
            runs,
            next: BinaryHeap::new(),
        };
        (0..told.runs.len()).for_each(|run| told.goes_on(run));
        told
    }

    /// The next rows of one time that stand together, in the order in which they were told.
    fn next_rows(&mut self) -> Option<(usize, std::ops::Range<usize>)> {
        let Reverse((ms, at)) = self.next.pop()?;
        let run = self.runs.get_mut(at)?;
        let segment = run.segment;
        let times = self.segments.get(segment).and_then(Option::as_ref).map_or(&[][..], |s| &s.times);
        let end = if run.end.0 == segment { run.end.1 } else { times.len() };
        let rest = times.get(run.row..end).unwrap_or_default();
        let rows = run.row..run.row + rest.iter().take_while(|time| **time == ms).count();
        let goes_on_here = rows.end < end || run.end.0 == segment;
        (run.segment, run.row) = if goes_on_here { (segment, rows.end) } else { (segment + 1, 0) };
        if let Some(left) = self.left.get_mut(segment) {
            *left = left.saturating_sub(rows.len());
        }
        self.goes_on(at);
        Some((segment, rows))
    }

    fn goes_on(&mut self, at: usize) {
        let Some(run) = self.runs.get(at).filter(|run| (run.segment, run.row) < run.end) else { return };
        let segment = self.segments.get(run.segment).and_then(Option::as_ref);
        if let Some(ms) = segment.and_then(|segment| segment.times.get(run.row)) {
            self.next.push(Reverse((*ms, at)));
        }
    }

    /// Lets go of a segment whose rows were all taken.
    fn leave(&mut self, segment: usize) {
        if self.left.get(segment) == Some(&0)
            && let Some(there) = self.segments.get_mut(segment)
        {
            *there = None;
        }
    }
}
