//! A figure's frames, of the columns of a capture.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arrow_array::RecordBatch;
use heldup_model::{
    Capture, Class, Colour, Frame, FrameKind, FrameLimit, FrameSeries, FrameStep, Group, Scale, StackPeaks,
};

use crate::by_key::{Columns, Named, is_class, tracks};
use crate::document::Figure;
use crate::keys::{KeyNames, keep_taken, matching};
use crate::numbers::Numbers;
use crate::query::sql;
use crate::samples::Samples;
use crate::steps::steps;
use crate::table::{Table, Tables};
use crate::track::{Reckoning, greatest};

/// Things that a figure is drawn for, the largest first.
const MOST_SUBJECTS: usize = 24;
/// Threads at most: what draws beside others is not to take a machine for itself.
const MOST_THREADS: usize = 4;

/// How figures are answered.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Steps of time at most: half of the width in pixels.
    pub steps: usize,
    /// Of tables by the minute, where the capture has rows of them.
    pub by_minute: bool,
}

/// The frames of a figure: one, or one for each thing that it is drawn for. None where the capture has no numbers of it.
pub fn answer(figure: &Figure, capture: &Capture, ask: Ask) -> Vec<Frame> {
    answer_of(figure, capture, &Tables::new(capture, ask.by_minute), ask)
}

/// The frames of many figures, in their order, by as many threads as there are CPUs, a few at most.
pub fn answer_all(figures: &[&Figure], capture: &Capture, ask: Ask) -> Vec<Vec<Frame>> {
    let tables = Tables::new(capture, ask.by_minute);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(figure) = figures.get(at) else { return done };
            done.push((at, answer_of(figure, capture, &tables, ask)));
        }
    };
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let others = cpus.min(MOST_THREADS).min(figures.len()).saturating_sub(1);
    let mut done = thread::scope(|scope| {
        // Where no thread is to be had, this one does all.
        let others: Vec<_> =
            (0..others).filter_map(|_| thread::Builder::new().spawn_scoped(scope, run).ok()).collect();
        let mut done = run();
        others.into_iter().for_each(|other| done.extend(other.join().unwrap_or_default()));
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, frames)| frames).collect()
}

fn answer_of(figure: &Figure, capture: &Capture, tables: &Tables<'_>, ask: Ask) -> Vec<Frame> {
    let made = tables.of_figure(figure);
    let by_name = made.iter().filter_map(|(name, table)| Some((*name, table.get()?))).collect();
    let tables = OfFigure { by_name };
    let subjects: Vec<Option<String>> = match &figure.each {
        None => vec![None],
        Some(column) => tables.subjects(figure, column).into_iter().map(Some).collect(),
    };
    subjects.into_iter().filter_map(|subject| frame(figure, capture, &tables, ask, subject)).collect()
}

/// The tables that a figure takes.
struct OfFigure<'t, 'c> {
    by_name: HashMap<&'static str, &'t Table<'c>>,
}

impl OfFigure<'_, '_> {
    /// The values of a column, those with most of it first.
    fn subjects(&self, figure: &Figure, column: &str) -> Vec<String> {
        let mut totals: HashMap<String, f64> = HashMap::new();
        let mut whole: HashSet<String> = HashSet::new();
        for series in &figure.series {
            let Some(table) = self.by_name.get(series.table.as_str()) else { continue };
            let mut names = KeyNames::default();
            let mut of_key: Vec<f64> = Vec::new();
            let mut is_whole: Vec<bool> = Vec::new();
            for batch in table.batches {
                let mut numbers = names.of_rows(batch, column);
                keep_taken(batch, series, &mut numbers);
                of_key.resize(names.names().len(), 0.0);
                let is_part = matching(batch, &figure.unless_others);
                is_whole.resize(names.names().len(), false);
                let columns = Columns::of(batch, table.is_by_minute, series);
                for (row, number) in numbers.iter().enumerate() {
                    if let (Some(total), Some(amount)) =
                        (of_key.get_mut(*number as usize), columns.amount.get(row))
                    {
                        *total += amount;
                        is_whole[*number as usize] |= is_part.as_ref().is_none_or(|part| !part[row]);
                    }
                }
            }
            for ((name, total), is_whole) in names.names().iter().zip(of_key).zip(is_whole) {
                *totals.entry(name.clone()).or_default() += total;
                if is_whole && total > 0.0 {
                    whole.insert(name.clone());
                }
            }
        }
        let mut subjects: Vec<(String, f64)> = totals.into_iter().filter(|(_, total)| *total > 0.0).collect();
        if !whole.is_empty() {
            subjects.retain(|(name, _)| whole.contains(name));
        }
        subjects.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        subjects.truncate(MOST_SUBJECTS);
        subjects.into_iter().map(|(name, _)| name).collect()
    }
}

fn frame(
    figure: &Figure,
    capture: &Capture,
    tables: &OfFigure<'_, '_>,
    ask: Ask,
    subject: Option<String>,
) -> Option<Frame> {
    let used = figure.series.iter().filter_map(|series| tables.by_name.get(series.table.as_str()));
    let with_rows: Vec<&Samples> =
        used.map(|table| &table.samples).filter(|samples| !samples.samples.is_empty()).collect();
    let steps = match figure.kind {
        FrameKind::Bars => Vec::new(),
        _ => steps(&with_rows, capture.span, ask.steps),
    };
    // Of one moment there is nothing to see over time.
    let is_by_column = figure.series.iter().any(|series| series.by.is_some());
    let kind = match figure.kind {
        FrameKind::Lines | FrameKind::Stack if is_by_column && steps.len() == 1 => FrameKind::Bars,
        kind => kind,
    };
    let steps = if kind == FrameKind::Bars { Vec::new() } else { steps };
    let each = figure.each.as_deref().zip(subject.as_deref());
    let (mut drawn, peaks) = all_series(figure, tables, each, kind, &steps);
    // Of series by a column those are left out that are nothing throughout; one that is named is worth its zero.
    let is_something = |series: &FrameSeries| match kind {
        FrameKind::Heat => true,
        _ => !is_by_column || series.summary.greatest.is_some_and(|greatest| greatest > 0.0),
    };
    drawn.retain(|series| series.summary.mean.is_some() && is_something(series));
    if drawn.is_empty() {
        return None;
    }
    // What is a level over time is one over a single step too: its sum is no number that anybody knows.
    if kind == FrameKind::Bars && figure.kind != FrameKind::Bars {
        drawn.iter_mut().for_each(|series| series.summary.total = None);
    }
    in_order(kind, is_by_column, &mut drawn);
    letters(&mut drawn);
    let table_of = |name: &str| tables.by_name.get(name).map_or("", |table| table.name);
    Some(Frame {
        id: figure.id.clone(),
        title: figure.title.clone(),
        question: figure.question.clone(),
        kind,
        unit: figure.unit.clone(),
        scale: figure.scale,
        since_ms: capture.span.since_ms,
        until_ms: capture.span.until_ms,
        steps,
        series: drawn,
        peaks,
        limit: limit(figure, tables),
        sql: sql(figure, &table_of, subject.as_deref()),
        subject,
    })
}

/// Every series of a figure, in the order of its file, and the peaks of a stack of one table.
fn all_series(
    figure: &Figure,
    tables: &OfFigure<'_, '_>,
    each: Option<(&str, &str)>,
    kind: FrameKind,
    steps: &[FrameStep],
) -> (Vec<FrameSeries>, Option<StackPeaks>) {
    let mut drawn: Vec<FrameSeries> = Vec::new();
    let mut totals = Totals::of(figure, tables, kind, steps);
    for (at, series) in figure.series.iter().enumerate() {
        let Some(table) = tables.by_name.get(series.table.as_str()) else { continue };
        let how = Reckoning {
            is_level: series.per.is_level(),
            has_divisor: !series.per.columns().is_empty(),
            absent_is_zero: series.absent_is_zero && !table.samples.samples.is_empty(),
            times: series.times,
        };
        for (place, Named { name, is_others, bounds, track }) in
            tracks(series, table, each, kind).into_iter().enumerate()
        {
            let nth = if series.by.is_some() { place } else { nth_of_role(figure, at) };
            let class = Class::from_name(&name).filter(|_| is_class(series));
            let below = series.below || class.is_some_and(|class| class.group() != Group::Running);
            if let Some(totals) = &mut totals {
                track.add_to(totals.side(below), &table.samples, how);
            }
            let step = (nth % usize::from(series.role.steps())) as u8;
            drawn.push(FrameSeries {
                colour: match class {
                    _ if is_others => Colour::OTHERS,
                    Some(class) => Colour::of_class(class),
                    None => Colour { role: series.role, step },
                },
                below,
                letter: class.map_or(' ', Class::letter),
                name: class.map_or(name, |class| class.label().to_owned()),
                bounds,
                ..track.reduce(&table.samples, &table.intervals, steps, how)
            });
        }
    }
    (drawn, totals.map(|totals| totals.peaks(steps)))
}

/// What a stack adds up to in each sample of its table.
struct Totals<'t> {
    intervals: &'t [(i64, i64)],
    above: Vec<Option<f64>>,
    below: Vec<Option<f64>>,
}

impl<'t> Totals<'t> {
    /// None where there is nothing to see: no stack, several tables, or no more samples than steps.
    fn of(
        figure: &Figure,
        tables: &OfFigure<'t, '_>,
        kind: FrameKind,
        steps: &[FrameStep],
    ) -> Option<Totals<'t>> {
        let first = figure.series.first()?;
        let is_of_one = figure.series.iter().all(|series| series.table == first.table);
        let table: &'t Table<'_> = tables.by_name.get(first.table.as_str())?;
        let samples = table.intervals.len();
        let is_shown = kind == FrameKind::Stack && is_of_one && samples > steps.len();
        let nothing = vec![None; samples];
        is_shown.then(|| Totals { intervals: &table.intervals, above: nothing.clone(), below: nothing })
    }

    fn side(&mut self, below: bool) -> &mut [Option<f64>] {
        if below { &mut self.below } else { &mut self.above }
    }

    fn peaks(&self, steps: &[FrameStep]) -> StackPeaks {
        let of = |totals: &[Option<f64>]| greatest(totals, self.intervals, steps);
        StackPeaks { above: of(&self.above), below: of(&self.below) }
    }
}

/// How many series with the same resource stand before one.
fn nth_of_role(figure: &Figure, at: usize) -> usize {
    let role = figure.series.get(at).map(|series| series.role);
    figure.series.iter().take(at).filter(|before| Some(before.role) == role).count()
}

/// Stacks have the largest at the line; rows of a heat map go from the least value up.
fn in_order(kind: FrameKind, is_by_column: bool, drawn: &mut [FrameSeries]) {
    let size = |series: &FrameSeries| series.summary.total.or(series.summary.mean).unwrap_or(0.0);
    match kind {
        FrameKind::Heat => drawn.sort_by(|a, b| match (a.bounds, b.bounds) {
            (Some((a, _)), Some((b, _))) => a.total_cmp(&b),
            _ => natural(&a.name).cmp(&natural(&b.name)),
        }),
        FrameKind::Stack if is_by_column => {
            drawn.sort_by(|a, b| {
                (a.below, a.colour == Colour::OTHERS)
                    .cmp(&(b.below, b.colour == Colour::OTHERS))
                    .then_with(|| size(b).total_cmp(&size(a)))
            });
        }
        FrameKind::Bars => drawn.sort_by(|a, b| size(b).total_cmp(&size(a))),
        FrameKind::Stack | FrameKind::Lines => {}
    }
}

/// A letter for each series that has none: one of its name that no other has.
fn letters(drawn: &mut [FrameSeries]) {
    for at in 0..drawn.len() {
        if drawn[at].letter != ' ' {
            continue;
        }
        let is_free = |letter: &char| drawn.iter().all(|other| other.letter != *letter);
        let own = drawn[at].name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase());
        let found = own.chain('a'..='z').chain('A'..='Z').find(is_free);
        drawn[at].letter = found.unwrap_or('?');
    }
}

/// Names with numbers in the order of the numbers: CPU 2 before CPU 10.
fn natural(name: &str) -> (String, u64) {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (word, number) = name.split_at(name.len() - digits);
    (word.to_owned(), number.parse().unwrap_or(0))
}

fn limit(figure: &Figure, tables: &OfFigure<'_, '_>) -> Option<FrameLimit> {
    let limit = figure.limit.as_ref()?;
    let value = limit.at.or_else(|| {
        let table = tables.by_name.get(limit.table.as_deref()?)?;
        let column = limit.value.as_deref()?;
        let last = |batch: &RecordBatch| {
            let numbers = Numbers::of(batch, column);
            (0..batch.num_rows()).rev().find_map(|row| numbers.get(row))
        };
        table.batches.iter().rev().find_map(last)
    })?;
    (value > 0.0 || figure.scale == Scale::Linear).then(|| FrameLimit { name: limit.name.clone(), value })
}
