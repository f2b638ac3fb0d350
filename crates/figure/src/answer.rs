//! A figure's frames, of the columns of a capture.

use std::collections::HashMap;

use arrow_array::RecordBatch;
use heldup_model::{Capture, Class, Colour, Frame, FrameKind, FrameLimit, FrameSeries, Group, Scale, rollup};

use crate::document::{Figure, Series};
use crate::keys::{KeyNames, NONE, taken};
use crate::numbers::{Amount, Numbers};
use crate::query::sql;
use crate::samples::Samples;
use crate::steps::steps;
use crate::track::{Reckoning, Track};

/// Series that are named; more are one, of the others.
const MOST_SERIES: usize = 12;
/// Rows of a heat map.
const MOST_ROWS: usize = 256;
/// Things that a figure is drawn for, the largest first.
const MOST_SUBJECTS: usize = 24;

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
    let tables = Tables::of(figure, capture, ask);
    let subjects: Vec<Option<String>> = match &figure.each {
        None => vec![None],
        Some(column) => tables.subjects(figure, column).into_iter().map(Some).collect(),
    };
    subjects.into_iter().filter_map(|subject| frame(figure, capture, &tables, ask, subject)).collect()
}

/// The tables that a figure takes.
struct Tables<'c> {
    by_name: HashMap<&'static str, Table<'c>>,
}

struct Table<'c> {
    /// Its name in the capture, which may be that of the table by the minute.
    name: &'static str,
    batches: &'c [RecordBatch],
    samples: Samples,
    intervals: Vec<(i64, i64)>,
}

impl<'c> Tables<'c> {
    fn of(figure: &Figure, capture: &'c Capture, ask: Ask) -> Tables<'c> {
        let mut by_name = HashMap::new();
        for def in figure.tables() {
            let batches = |name: &str| capture.tables.get(name).map_or(&[][..], Vec::as_slice);
            let minute = ask.by_minute.then(|| rollup::of(def.name)).flatten();
            let minute = minute.map(|minute| minute.def.name).filter(|name| !batches(name).is_empty());
            let name = minute.unwrap_or(def.name);
            let samples = Samples::of(batches(name));
            let intervals = samples.intervals();
            by_name.insert(def.name, Table { name, batches: batches(name), samples, intervals });
        }
        Tables { by_name }
    }

    /// The values of a column, those with most of it first.
    fn subjects(&self, figure: &Figure, column: &str) -> Vec<String> {
        let mut totals: HashMap<String, f64> = HashMap::new();
        for series in &figure.series {
            let Some(table) = self.by_name.get(series.table.as_str()) else { continue };
            let mut names = KeyNames::default();
            let mut of_key: Vec<f64> = Vec::new();
            for batch in table.batches {
                let numbers = names.of_rows(batch, column);
                of_key.resize(names.names().len(), 0.0);
                let is_taken = taken(batch, series);
                let columns = Columns::of(batch, table.name, series);
                for (row, number) in numbers.iter().enumerate() {
                    let is_taken = is_taken.as_ref().is_none_or(|taken| taken[row]);
                    if let (true, Some(total), Some(amount)) =
                        (is_taken, of_key.get_mut(*number as usize), columns.amount.get(row))
                    {
                        *total += amount;
                    }
                }
            }
            for (name, total) in names.names().iter().zip(of_key) {
                *totals.entry(name.clone()).or_default() += total;
            }
        }
        let mut subjects: Vec<(String, f64)> = totals.into_iter().filter(|(_, total)| *total > 0.0).collect();
        subjects.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        subjects.truncate(MOST_SUBJECTS);
        subjects.into_iter().map(|(name, _)| name).collect()
    }
}

/// The columns of a series in one batch.
struct Columns<'b> {
    amount: Amount<'b>,
    divisor: Amount<'b>,
    least: Numbers<'b>,
    greatest: Numbers<'b>,
}

impl<'b> Columns<'b> {
    fn of(batch: &'b RecordBatch, table: &str, series: &Series) -> Columns<'b> {
        // By the minute a level is the mean over its samples; `min_` and `max_` are of one column only.
        let is_minute = table != series.table;
        let is_mean = is_minute && series.per.is_level();
        let column = |name: &String| if is_mean { format!("mean_{name}") } else { name.clone() };
        let columns = |names: &[String]| names.iter().map(column).collect::<Vec<String>>();
        let only = match (&series.value[..], &series.minus[..]) {
            ([only], []) if is_minute => Some(only),
            _ => None,
        };
        let bound =
            |word: &str| only.map_or(Numbers::Absent, |name| Numbers::of(batch, &format!("{word}_{name}")));
        let (least, greatest) = match (is_mean, series.per.columns().is_empty()) {
            (true, _) => (bound("min"), bound("max")),
            (false, true) => (bound("trough"), bound("peak")),
            (false, false) => (Numbers::Absent, Numbers::Absent),
        };
        Columns {
            amount: Amount::of(batch, &columns(&series.value), &columns(&series.minus)),
            divisor: Amount::of(batch, series.per.columns(), &[]),
            least,
            greatest,
        }
    }
}

fn frame(
    figure: &Figure,
    capture: &Capture,
    tables: &Tables<'_>,
    ask: Ask,
    subject: Option<String>,
) -> Option<Frame> {
    let used = |series: &Series| tables.by_name.get(series.table.as_str());
    let samples: Vec<&Samples> =
        figure.series.iter().filter_map(|series| used(series).map(|table| &table.samples)).collect();
    let with_rows: Vec<&Samples> =
        samples.into_iter().filter(|samples| !samples.samples.is_empty()).collect();
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
    let mut drawn: Vec<FrameSeries> = Vec::new();
    for (at, series) in figure.series.iter().enumerate() {
        let Some(table) = used(series) else { continue };
        let how = Reckoning {
            is_level: series.per.is_level(),
            has_divisor: !series.per.columns().is_empty(),
            absent_is_zero: series.absent_is_zero && !table.samples.samples.is_empty(),
            times: series.times,
        };
        let tracks = tracks(series, table, each, kind);
        let is_alone = tracks.len() > 1 || series.by.is_some();
        for (place, Named { name, is_others, bounds, track }) in tracks.into_iter().enumerate() {
            let nth = if is_alone { place } else { nth_of_role(figure, at) };
            let class = Class::from_name(&name).filter(|_| is_class(series));
            let reduced = track.reduce(&table.samples, &table.intervals, &steps, how);
            drawn.push(FrameSeries {
                colour: match class {
                    _ if is_others => Colour::OTHERS,
                    Some(class) => Colour::of_class(class),
                    None => {
                        Colour { role: series.role, step: (nth % usize::from(series.role.steps())) as u8 }
                    }
                },
                below: series.below || class.is_some_and(|class| class.group() != Group::Running),
                letter: class.map_or(' ', Class::letter),
                name: class.map_or(name, |class| class.label().to_owned()),
                bounds,
                ..reduced
            });
        }
    }
    // Of series by a column those are left out that are nothing throughout; one that is named is worth its zero.
    let is_something = |series: &FrameSeries| match kind {
        FrameKind::Heat => true,
        _ => !is_by_column || series.summary.greatest.is_some_and(|greatest| greatest > 0.0),
    };
    drawn.retain(|series| series.summary.mean.is_some() && is_something(series));
    if drawn.is_empty() {
        return None;
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
        limit: limit(figure, tables),
        sql: sql(figure, &table_of, subject.as_deref()),
        subject,
    })
}

/// Whether its series are classes of time.
fn is_class(series: &Series) -> bool {
    series.by.as_deref() == Some("class_name")
}

/// How many series with the same resource stand before one.
fn nth_of_role(figure: &Figure, at: usize) -> usize {
    let role = figure.series.get(at).map(|series| series.role);
    figure.series.iter().take(at).filter(|before| Some(before.role) == role).count()
}

/// One series and its values.
struct Named {
    name: String,
    /// All those that are not named.
    is_others: bool,
    /// Of what a row of a heat map counts.
    bounds: Option<(f64, Option<f64>)>,
    track: Track,
}

/// The tracks of a series: one, or one for each value of a column, the largest first and the others together.
fn tracks(series: &Series, table: &Table<'_>, each: Option<(&str, &str)>, kind: FrameKind) -> Vec<Named> {
    let samples = table.samples.samples.len();
    let has_bounds = table.name != series.table;
    let mut names = KeyNames::default();
    let mut rows_of: Vec<Rows> = Vec::new();
    let mut totals: Vec<f64> = Vec::new();
    let mut is_seen: Vec<bool> = Vec::new();
    let mut bounds: Vec<Option<(f64, Option<f64>)>> = Vec::new();
    for batch in table.batches {
        let mut numbers = match &series.by {
            Some(by) => names.of_rows(batch, by),
            None => vec![0; batch.num_rows()],
        };
        if let Some(is_taken) = taken(batch, series) {
            numbers.iter_mut().zip(is_taken).filter(|(_, taken)| !taken).for_each(|(n, _)| *n = NONE);
        }
        if let Some((column, subject)) = each {
            let mut subjects = KeyNames::default();
            let of_subject = subjects.of_rows(batch, column);
            let wanted = subjects.names().iter().position(|name| name == subject).map(|at| at as u32);
            let others = |(_, number): &(&mut u32, &u32)| Some(**number) != wanted;
            numbers.iter_mut().zip(&of_subject).filter(others).for_each(|(number, _)| *number = NONE);
        }
        let keys = if series.by.is_some() { names.names().len() } else { 1 };
        totals.resize(keys, 0.0);
        is_seen.resize(keys, series.by.is_none());
        bounds.resize(keys, None);
        let columns = Columns::of(batch, table.name, series);
        let edges =
            series.bounds.as_ref().map(|[low, high]| (Numbers::of(batch, low), Numbers::of(batch, high)));
        for (row, number) in numbers.iter().enumerate() {
            let Some(total) = totals.get_mut(*number as usize) else { continue };
            is_seen[*number as usize] = true;
            *total += columns.amount.get(row).unwrap_or(0.0);
            if let (Some((low, high)), Some(bounds)) = (&edges, bounds.get_mut(*number as usize)) {
                *bounds = bounds.or_else(|| low.get(row).map(|low| (low, high.get(row))));
            }
        }
        rows_of.push(Rows { numbers, columns });
    }
    let most = match kind {
        FrameKind::Heat => MOST_ROWS,
        // Classes of time have each a colour of their own.
        _ if is_class(series) => Class::ALL.len(),
        _ => MOST_SERIES,
    };
    let keys = is_seen.iter().filter(|is_seen| **is_seen).count();
    let place = places(&totals, &is_seen, most, kind == FrameKind::Heat);
    let named = keys.min(most);
    let mut all: Vec<Track> =
        (0..named + usize::from(keys > most)).map(|_| Track::new(samples, has_bounds)).collect();
    for (Rows { numbers, columns }, of_rows) in rows_of.iter().zip(&table.samples.of_rows) {
        for (row, (number, sample)) in numbers.iter().zip(of_rows).enumerate() {
            let Some(track) = place.get(*number as usize).and_then(|place| all.get_mut(*place)) else {
                continue;
            };
            let Some(amount) = columns.amount.get(row) else { continue };
            track.add(*sample, amount, columns.divisor.get(row).unwrap_or(0.0));
            if has_bounds {
                track.bound(*sample, columns.least.get(row), columns.greatest.get(row));
            }
        }
    }
    let mut by_place: Vec<usize> = vec![0; named];
    place
        .iter()
        .enumerate()
        .filter(|(_, place)| **place < named)
        .for_each(|(key, place)| by_place[*place] = key);
    let others = keys - named;
    let name = |place: usize| match (by_place.get(place), &series.by) {
        (Some(key), Some(_)) => called(series, &names.names()[*key]),
        (Some(_), None) => series.name.clone().unwrap_or_default(),
        (None, _) => format!("{others} others"),
    };
    all.into_iter()
        .enumerate()
        .map(|(place, track)| {
            let bounds = by_place.get(place).and_then(|key| bounds.get(*key).copied().flatten());
            Named { name: name(place), is_others: place >= named, bounds, track }
        })
        .collect()
}

/// Rows of a batch: the number of each one's series, and its values.
struct Rows<'b> {
    numbers: Vec<u32>,
    columns: Columns<'b>,
}

/// Where each key goes: the largest first, what is behind the last place together behind them. Rows of a heat map keep
/// the order of their keys; a key without rows that are taken goes nowhere.
fn places(totals: &[f64], is_seen: &[bool], most: usize, keeps_order: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..totals.len()).filter(|key| is_seen[*key]).collect();
    if !keeps_order || order.len() > most {
        order.sort_by(|a, b| totals[*b].total_cmp(&totals[*a]).then(a.cmp(b)));
    }
    let mut places = vec![usize::MAX; totals.len()];
    order.into_iter().enumerate().for_each(|(place, key)| places[key] = place.min(most));
    places
}

fn called(series: &Series, name: &str) -> String {
    series.called.as_ref().map_or_else(|| name.to_owned(), |called| called.replace("{}", name))
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

fn limit(figure: &Figure, tables: &Tables<'_>) -> Option<FrameLimit> {
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
