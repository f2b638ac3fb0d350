//! A window of the archive as a capture: what a look at the live machine would have given.
//!
//! Rules know no archive. So what a live window has once (a row a process, with its increases
//! over the window) is made of the many readings that the archive has, and what is read
//! rarely and holds until it is read again (settings, mounts) is the last reading before the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Float64Array, RecordBatch};
use heldup_model::batch::filter_rows;
use heldup_model::tables::{self, TaskTimeRow};
use heldup_model::{Capture, ColumnKind, Flaw, Method, Missing, Record, Span, TableDef};

use super::folder::ArchiveWindow;
use super::one_row_each::{each_once, last_reading, one_row_each, with_growth};
use super::recorded::{Recorded, recorded};
use super::sealed_rows::{last_time, within};
use super::stacks_of_window::stacks_of_window;
use crate::kept::ArchiveFolder;
use crate::kept::batch_columns::{floats, ints, texts, with_column};
use crate::store::StoreError;

/// What is read rarely is read anew by each segment, which is an hour at most.
const RARELY_MS: i64 = 65 * 60_000;
/// And where that failed, the day before still says more than nothing.
pub(super) const HOLDS_MS: i64 = 26 * 3_600_000;
/// A reading of an interval that began within the window counts, if it ends so soon after it.
pub(super) const COVERS_MS: i64 = 70_000;
/// Says how time was accounted for, and how much of it.
const RECORDER: &str = "recorder";
/// Holes that are told one by one.
const MOST_HOLES: usize = 5;

/// Batches by table.
pub(super) type Tables = BTreeMap<String, Vec<RecordBatch>>;

/// How often a live window has a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// At every sample.
    Samples,
    /// At its ends: one row each with the increases in between; gauges also at the beginning.
    Ends,
    /// At its end.
    Once,
}

/// A source of the live machine, and how often a window has its tables.
#[derive(Clone, Debug)]
pub struct SourceTables {
    /// Its name, as in `source_cost`.
    pub source: &'static str,
    /// Tables that it fills.
    pub tables: Vec<&'static str>,
    /// How often.
    pub rhythm: Rhythm,
}

/// What a table's rows in a window are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Every reading.
    Every,
    /// Every reading whose interval lies at least in part in the window, with the time of the window.
    Overlapping,
    /// One row each, counters added up.
    Summed,
    /// The reading that held at the beginning, and the last one.
    BothEnds,
    /// The last reading.
    Last,
    /// Messages, each with a time of its own.
    Messages,
}

impl ArchiveFolder {
    /// The capture of a window (after its beginning, until its end); none where nothing was
    /// recorded. Its span is what was recorded of the window.
    pub fn capture(&self, asked: Span, sources: &[SourceTables]) -> Result<Option<Capture>, StoreError> {
        let window = Span {
            since_ms: asked.since_ms.saturating_add(1),
            until_ms: asked.until_ms.saturating_add(COVERS_MS),
        };
        let read = self.window(window, &|_| true)?;
        capture_of(self.root(), read, asked, sources, &|wanted| self.earlier(asked.since_ms, wanted))
    }

    /// The last reading before a window of what holds until it is read again.
    pub(super) fn earlier(
        &self,
        since_ms: i64,
        wanted: &dyn Fn(&TableDef) -> bool,
    ) -> Result<Tables, StoreError> {
        let wanted = tables::ALL.iter().filter(|def| wanted(def));
        let mut wanted: BTreeSet<&str> = wanted.map(|def| def.name).collect();
        let mut found = BTreeMap::new();
        for age_ms in [RARELY_MS, HOLDS_MS] {
            if wanted.is_empty() {
                break;
            }
            let span = Span { since_ms: since_ms.saturating_sub(age_ms), until_ms: since_ms };
            let read = self.window(span, &|table| wanted.contains(table))?;
            for (table, batches) in read.tables {
                let Some(last_ms) = batches.iter().filter_map(last_time).max() else { continue };
                let last = last_reading(&batches, last_ms).map_err(StoreError::corrupt(self.root()))?;
                wanted.remove(table.as_str());
                found.insert(table, last);
            }
        }
        Ok(found)
    }

    /// The tables and columns that are wanted, every reading as it was made: for who asks the
    /// tables themselves. What is read rarely and was not in the window is the last reading before.
    pub fn readings(
        &self,
        asked: Span,
        sources: &[SourceTables],
        wanted: &dyn Fn(&str) -> bool,
        column: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Capture, StoreError> {
        let window = Span { since_ms: asked.since_ms.saturating_add(1), ..asked };
        let read = self.columns(window, wanted, column)?;
        let mut seen = read.tables;
        let earlier = self.earlier(asked.since_ms, &|def| {
            let holds = matches!(form(def, sources), Form::BothEnds | Form::Last) && wanted(def.name);
            (holds || def.name == RECORDER) && of(&seen, def).is_empty()
        })?;
        let span = recorded(&seen).map_or(asked, |recorded| recorded.span);
        let mut capture = empty(&seen, &earlier, span);
        for (table, batches) in earlier.into_iter().filter(|(table, _)| wanted(table)) {
            seen.entry(table).or_insert(batches);
        }
        capture.tables = seen;
        capture.flaws = read.flaws;
        Ok(capture)
    }
}

/// Finds the last readings before a window of the tables that are wanted.
pub(super) type Earlier<'a> = dyn Fn(&dyn Fn(&TableDef) -> bool) -> Result<Tables, StoreError> + 'a;

/// The capture of a window (after its beginning, until its end) of the rows of it and of some time behind it; none where
/// nothing was recorded.
pub(super) fn capture_of(
    root: &Path,
    read: ArchiveWindow,
    asked: Span,
    sources: &[SourceTables],
    earlier: &Earlier<'_>,
) -> Result<Option<Capture>, StoreError> {
    let inside = Span { since_ms: asked.since_ms.saturating_add(1), ..asked };
    let cut = |batches: &Vec<RecordBatch>| {
        let cut = batches.iter().map(|batch| within(batch, inside)).collect::<Result<Vec<_>, _>>();
        cut.map_err(StoreError::corrupt(root))
    };
    let mut seen = BTreeMap::new();
    for (table, batches) in &read.tables {
        seen.insert(table.clone(), cut(batches)?);
    }
    let Some(recorded) = recorded(&seen) else { return Ok(None) };
    let has_rows = |def: &TableDef| of(&seen, def).iter().any(|batch| batch.num_rows() > 0);
    let earlier = earlier(&|def| match form(def, sources) {
        Form::BothEnds => true,
        Form::Last => !has_rows(def),
        _ => def.name == RECORDER && !has_rows(def),
    })?;
    let mut capture = empty(&seen, &earlier, recorded.span);
    capture.flaws = read.flaws;
    let twice = recorded.set.iter().any(|set| set.set_ms < 0);
    for def in tables::ALL {
        let (all, mut inside) = (of(&read.tables, def), of(&seen, def));
        // What is read less often than the window is long: the reading that covers its end.
        let covering = match has_rows(def) {
            true => Vec::new(),
            false => first_over(all, asked.until_ms).map_err(StoreError::corrupt(root))?,
        };
        if !has_rows(def) && matches!(form(def, sources), Form::Every | Form::BothEnds) {
            inside = &covering;
        }
        let made = match form(def, sources) {
            Form::Every => Ok(inside.to_vec()),
            Form::Overlapping => overlapping(all, asked.until_ms)
                .and_then(|made| stacks_of_window(made, of(&seen, TaskTimeRow::DEF))),
            Form::Summed if has_rows(def) => one_row_each(def, inside, twice)
                .and_then(|made| with_growth(def, made, inside, asked.since_ms)),
            Form::Summed => Ok(covering.clone()),
            Form::BothEnds => both_ends(of(&earlier, def), inside).and_then(|made| once(def, made, twice)),
            Form::Last => last_of_either(of(&earlier, def), inside).and_then(|made| once(def, made, twice)),
            Form::Messages => messages(all, asked),
        };
        let made = made.map_err(StoreError::corrupt(root))?;
        let made: Vec<RecordBatch> = made.into_iter().filter(|batch| batch.num_rows() > 0).collect();
        if !made.is_empty() {
            capture.tables.insert(def.name.to_owned(), made);
        }
    }
    say_what_sources_saw(&mut capture, sources);
    capture.flaws.extend(holes(&recorded));
    describe(&mut capture, recorded.secs).map_err(StoreError::corrupt(root))?;
    Ok(Some(capture))
}

/// Whether the last reading before a window is of use for it.
pub(super) fn holds(def: &TableDef, sources: &[SourceTables]) -> bool {
    matches!(form(def, sources), Form::BothEnds | Form::Last) || def.name == RECORDER
}

/// Readings of one time are one: the last.
fn once(def: &TableDef, made: Vec<RecordBatch>, twice: bool) -> Result<Vec<RecordBatch>, String> {
    if twice { each_once(def, &made) } else { Ok(made) }
}

fn of<'a>(tables: &'a Tables, def: &TableDef) -> &'a [RecordBatch] {
    tables.get(def.name).map(Vec::as_slice).unwrap_or_default()
}

/// A table that several sources fill has the rhythm of the most frequent one.
fn rhythm(def: &TableDef, sources: &[SourceTables]) -> Rhythm {
    let of_it = sources.iter().filter(|source| source.tables.contains(&def.name));
    let rank = |rhythm: &Rhythm| match rhythm {
        Rhythm::Samples => 0,
        Rhythm::Ends => 1,
        Rhythm::Once => 2,
    };
    of_it.map(|source| source.rhythm).min_by_key(rank).unwrap_or(Rhythm::Samples)
}

fn form(def: &TableDef, sources: &[SourceTables]) -> Form {
    let counts = def.columns.iter().any(|column| column.kind == ColumnKind::Counter);
    match (def.name, rhythm(def, sources)) {
        ("event", _) => Form::Messages,
        ("stack", _) => Form::Overlapping,
        // The ledger's, at the ends of a live window.
        ("thread", _) => Form::Summed,
        ("source_cost", _) => Form::Last,
        (_, Rhythm::Samples) => Form::Every,
        (_, Rhythm::Ends) if counts => Form::Summed,
        (_, Rhythm::Ends) => Form::BothEnds,
        (_, Rhythm::Once) => Form::Last,
    }
}

/// Readings whose interval began before the end of the window.
fn overlapping(batches: &[RecordBatch], until_ms: i64) -> Result<Vec<RecordBatch>, String> {
    let begun = |(time, secs): (Option<i64>, Option<f64>)| {
        time.is_some_and(|time| {
            time <= until_ms || secs.is_some_and(|secs| time - ((secs * 1000.0) as i64) < until_ms)
        })
    };
    let kept = batches.iter().map(|batch| {
        let rows = ints(batch, "time").into_iter().zip(floats(batch, "secs"));
        let kept: Vec<bool> = rows.map(begun).collect();
        filter_rows(batch, |row| kept.get(row) == Some(&true)).map_err(|error| error.to_string())
    });
    kept.collect()
}

/// Where the window is shorter than the interval between two readings: the one that covers its end.
fn first_over(batches: &[RecordBatch], until_ms: i64) -> Result<Vec<RecordBatch>, String> {
    let over = overlapping(batches, until_ms)?;
    let first_ms = over.iter().flat_map(|batch| ints(batch, "time")).flatten().min();
    first_ms.map_or(Ok(Vec::new()), |first_ms| last_reading(&over, first_ms))
}

fn both_ends(earlier: &[RecordBatch], inside: &[RecordBatch]) -> Result<Vec<RecordBatch>, String> {
    let last_ms = inside.iter().filter_map(last_time).max();
    let last = last_ms.map_or(Ok(Vec::new()), |last_ms| last_reading(inside, last_ms))?;
    if !earlier.is_empty() {
        return Ok(earlier.iter().cloned().chain(last).collect());
    }
    let first_ms = inside.iter().flat_map(|batch| ints(batch, "time")).flatten().min();
    match first_ms.filter(|first_ms| last_ms != Some(*first_ms)) {
        Some(first_ms) => Ok(last_reading(inside, first_ms)?.into_iter().chain(last).collect()),
        None => Ok(last),
    }
}

fn last_of_either(earlier: &[RecordBatch], inside: &[RecordBatch]) -> Result<Vec<RecordBatch>, String> {
    match inside.iter().filter_map(last_time).max() {
        Some(last_ms) => last_reading(inside, last_ms),
        None => Ok(earlier.to_vec()),
    }
}

/// Messages that were written within the window, each once, and said to be.
fn messages(batches: &[RecordBatch], asked: Span) -> Result<Vec<RecordBatch>, String> {
    let mut known = BTreeSet::new();
    let mut kept = Vec::new();
    for batch in batches {
        let rows = ints(batch, "event_ms").into_iter().zip(ints(batch, "sequence"));
        let is_new: Vec<bool> = rows
            .map(|(event_ms, sequence)| {
                let inside = event_ms.is_some_and(|at| asked.since_ms < at && at <= asked.until_ms);
                inside && known.insert((event_ms, sequence))
            })
            .collect();
        let batch =
            filter_rows(batch, |row| is_new.get(row) == Some(&true)).map_err(|error| error.to_string())?;
        let all: ArrayRef = Arc::new(BooleanArray::from(vec![true; batch.num_rows()]));
        kept.push(with_column(&batch, "in_window", all)?);
    }
    Ok(kept)
}

/// A capture without rows. How time was accounted for is what the recorder said last.
pub(super) fn empty(seen: &Tables, earlier: &Tables, span: Span) -> Capture {
    let recorder = seen.get(RECORDER).or_else(|| earlier.get(RECORDER));
    let recorder = recorder.map(Vec::as_slice).unwrap_or_default();
    let said = recorder.iter().flat_map(|batch| texts(batch, "method")).flatten().last();
    let methods = [Method::Ebpf, Method::Sampling, Method::Delays];
    let coverage = recorder.iter().flat_map(|batch| floats(batch, "coverage")).flatten().reduce(f64::min);
    let mut hosts =
        seen.values().chain(earlier.values()).flatten().flat_map(|batch| texts(batch, "host")).flatten();
    Capture {
        host: hosts.next().unwrap_or_default().to_owned(),
        span,
        method: said
            .and_then(|said| methods.into_iter().find(|method| method.name() == said))
            .unwrap_or(Method::Imported),
        coverage: coverage.unwrap_or(1.0),
        untold: Vec::new(),
        timing: heldup_model::Timing::default(),
        tables: BTreeMap::new(),
        missing: Vec::new(),
        flaws: Vec::new(),
    }
}

/// What a source read and found nothing in is there without a row; what it could not read is missing.
fn say_what_sources_saw(capture: &mut Capture, sources: &[SourceTables]) {
    let mut said: BTreeMap<String, (Option<String>, Option<String>)> = BTreeMap::new();
    for batch in capture.tables.get("source_cost").into_iter().flatten() {
        let what = texts(batch, "status").into_iter().zip(texts(batch, "detail"));
        for (name, (status, detail)) in texts(batch, "source_name").into_iter().zip(what) {
            if let Some(name) = name {
                said.insert(name.to_owned(), (status.map(str::to_owned), detail.map(str::to_owned)));
            }
        }
    }
    for source in sources {
        let Some((status, detail)) = said.get(source.source) else { continue };
        for table in source.tables.iter().filter(|table| tables::find(table).is_some()) {
            if capture.tables.contains_key(*table) {
                continue;
            }
            match (status.as_deref(), detail) {
                (Some("ok"), _) => {
                    capture.tables.insert((*table).to_owned(), Vec::new());
                }
                (_, Some(why)) => capture.missing.push(Missing {
                    what: (*table).to_owned(),
                    why: why.clone(),
                    how: String::new(),
                }),
                _ => {}
            }
        }
    }
}

/// Where nothing was recorded.
fn holes(recorded: &Recorded) -> Vec<Flaw> {
    let told = recorded.holes.iter().take(MOST_HOLES);
    let mut flaws: Vec<Flaw> = told
        .map(|hole| Flaw {
            place: "archive".to_owned(),
            what: format!(
                "nothing was recorded for {:.1} s of this window, from {:.1} s after its beginning",
                hole.secs(),
                (hole.since_ms - recorded.span.since_ms) as f64 / 1000.0
            ),
        })
        .collect();
    let rest = recorded.holes.get(MOST_HOLES..).unwrap_or_default();
    if !rest.is_empty() {
        let secs: f64 = rest.iter().map(|hole| hole.secs()).sum();
        let what = format!("and {} more such gaps, {secs:.1} s in all", rest.len());
        flaws.push(Flaw { place: "archive".to_owned(), what });
    }
    let set = recorded.set.iter().take(MOST_HOLES).map(|set| {
        let begun_s = (set.after_ms - recorded.span.since_ms) as f64 / 1000.0;
        let by_s = set.set_ms as f64 / 1000.0;
        let what = if by_s > 0.0 {
            format!("the clock was set forward by {by_s:.1} s, {begun_s:.1} s after the beginning of this window: so much of it never was")
        } else {
            format!("the clock was set back by {:.1} s, {begun_s:.1} s after the beginning of this window: some of it was twice", -by_s)
        };
        Flaw { place: "archive".to_owned(), what }
    });
    flaws.extend(set);
    flaws
}

/// Fills in `host` what is known of a capture as a whole, as the live sampler does.
fn describe(capture: &mut Capture, secs: f64) -> Result<(), String> {
    let (coverage, method) = (capture.coverage, capture.method.name());
    for batch in capture.tables.get_mut("host").into_iter().flatten() {
        let rows = batch.num_rows();
        let floats = |value: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![value; rows])) };
        let methods: DictionaryArray<Int32Type> = std::iter::repeat_n(Some(method), rows).collect();
        *batch = with_column(batch, "window_s", floats(secs))?;
        *batch = with_column(batch, "coverage", floats(coverage))?;
        *batch = with_column(batch, "method", Arc::new(methods))?;
    }
    Ok(())
}
