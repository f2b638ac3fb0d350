//! A series by the values of a column: which rows are whose, the largest by name and the others together.

use arrow_array::RecordBatch;
use heldup_model::{Class, FrameKind, rollup};

use crate::document::Series;
use crate::keys::{KeyNames, NONE, keep_taken};
use crate::numbers::{Amount, Numbers};
use crate::table::Table;
use crate::track::Track;

/// Series that are named; more are one, of the others.
const MOST_SERIES: usize = 12;
/// Rows of a heat map.
const MOST_ROWS: usize = 256;

/// One series and its values.
pub struct Named {
    /// Its name.
    pub name: String,
    /// All those that are not named.
    pub is_others: bool,
    /// Of what a row of a heat map counts.
    pub bounds: Option<(f64, Option<f64>)>,
    /// Its values.
    pub track: Track,
}

/// Whether its series are classes of time.
pub fn is_class(series: &Series) -> bool {
    series.by.as_deref() == Some("class_name")
}

/// The columns of a series in one batch.
pub struct Columns<'b> {
    /// What is counted.
    pub amount: Amount<'b>,
    divisor: Amount<'b>,
    least: Numbers<'b>,
    greatest: Numbers<'b>,
}

impl<'b> Columns<'b> {
    /// Of a table, which may be that by the minute.
    pub fn of(batch: &'b RecordBatch, is_minute: bool, series: &Series) -> Columns<'b> {
        // By the minute a level is the mean over its samples; `min_` and `max_` are of one column only.
        let is_mean = is_minute && series.per.is_level();
        let column = |name: &String| if is_mean { format!("mean_{name}") } else { name.clone() };
        let columns = |names: &[String]| names.iter().map(column).collect::<Vec<String>>();
        let only = match (&series.value[..], &series.minus[..]) {
            ([only], []) => Some(only),
            _ => None,
        };
        let bound =
            |word: &str| only.map_or(Numbers::Absent, |name| Numbers::of(batch, &format!("{word}_{name}")));
        let peak = || {
            let peak = rollup::peak_of(&series.table, &series.value, series.per.columns());
            peak.filter(|_| series.minus.is_empty()).map_or(Numbers::Absent, |name| Numbers::of(batch, &name))
        };
        let (least, greatest) = match (is_minute, series.per.is_level()) {
            (true, true) => (bound("min"), bound("max")),
            (true, false) => (Numbers::Absent, peak()),
            (false, _) => (Numbers::Absent, Numbers::Absent),
        };
        Columns {
            amount: match series.per.is_rows() {
                true => Amount::of_rows(),
                false => Amount::of(batch, &columns(&series.value), &columns(&series.minus)),
            },
            divisor: Amount::of(batch, series.per.columns(), &[]),
            least,
            greatest,
        }
    }
}

/// Rows of a batch: the number of each one's key, and its values.
struct Rows<'b> {
    numbers: Vec<u32>,
    columns: Columns<'b>,
}

/// The keys of a series, numbered.
#[derive(Default)]
struct Keys<'b> {
    names: KeyNames,
    rows: Vec<Rows<'b>>,
    totals: Vec<f64>,
    is_seen: Vec<bool>,
    bounds: Vec<Option<(f64, Option<f64>)>>,
}

impl<'b> Keys<'b> {
    fn of(series: &Series, table: &Table<'b>, each: Option<(&str, &str)>) -> Keys<'b> {
        let mut keys = Keys::default();
        table.batches.iter().for_each(|batch| keys.add(series, table.is_by_minute, batch, each));
        keys
    }

    fn add(&mut self, series: &Series, is_minute: bool, batch: &'b RecordBatch, each: Option<(&str, &str)>) {
        let mut numbers = match &series.by {
            Some(by) => self.names.of_rows(batch, by),
            None => vec![0; batch.num_rows()],
        };
        keep_taken(batch, series, &mut numbers);
        if let Some((column, subject)) = each {
            let mut subjects = KeyNames::default();
            let of_subject = subjects.of_rows(batch, column);
            let wanted = subjects.names().iter().position(|name| name == subject).map(|at| at as u32);
            let others = |(_, number): &(&mut u32, &u32)| Some(**number) != wanted;
            numbers.iter_mut().zip(&of_subject).filter(others).for_each(|(number, _)| *number = NONE);
        }
        let count = if series.by.is_some() { self.names.names().len() } else { 1 };
        self.totals.resize(count, 0.0);
        self.is_seen.resize(count, series.by.is_none());
        self.bounds.resize(count, None);
        let columns = Columns::of(batch, is_minute, series);
        let edges =
            series.bounds.as_ref().map(|[low, high]| (Numbers::of(batch, low), Numbers::of(batch, high)));
        match (&edges, columns.amount.dense()) {
            (None, Some(amounts)) => {
                for (number, amount) in numbers.iter().zip(amounts) {
                    if let Some(total) = self.totals.get_mut(*number as usize) {
                        self.is_seen[*number as usize] = true;
                        *total += amount;
                    }
                }
            }
            _ => {
                for (row, number) in numbers.iter().enumerate() {
                    let key = *number as usize;
                    let Some(total) = self.totals.get_mut(key) else { continue };
                    self.is_seen[key] = true;
                    *total += columns.amount.get(row).unwrap_or(0.0);
                    if let (Some((low, high)), Some(bounds)) = (&edges, self.bounds.get_mut(key)) {
                        *bounds = bounds.or_else(|| low.get(row).map(|low| (low, high.get(row))));
                    }
                }
            }
        }
        self.rows.push(Rows { numbers, columns });
    }

    /// Where each key goes: the largest first, what is behind the last place together behind them. Rows of a heat map
    /// keep the order of their keys; a key without rows that are taken goes nowhere. With the number of keys that go
    /// somewhere.
    fn places(&self, most: usize, keeps_order: bool) -> (Vec<usize>, usize) {
        let mut order: Vec<usize> = (0..self.totals.len()).filter(|key| self.is_seen[*key]).collect();
        if !keeps_order || order.len() > most {
            order.sort_by(|a, b| self.totals[*b].total_cmp(&self.totals[*a]).then(a.cmp(b)));
        }
        let count = order.len();
        let mut places = vec![usize::MAX; self.totals.len()];
        order.into_iter().enumerate().for_each(|(place, key)| places[key] = place.min(most));
        (places, count)
    }
}

/// The tracks of a series: one, or one for each value of a column, the largest first and the others together.
pub fn tracks(series: &Series, table: &Table<'_>, each: Option<(&str, &str)>, kind: FrameKind) -> Vec<Named> {
    let samples = table.samples.samples.len();
    let has_bounds = table.is_by_minute;
    let keys = Keys::of(series, table, each);
    let most = match kind {
        FrameKind::Heat => MOST_ROWS,
        // Classes of time have each a colour of their own.
        _ if is_class(series) => Class::ALL.len(),
        _ => MOST_SERIES,
    };
    let (places, count) = keys.places(most, kind == FrameKind::Heat);
    let named = count.min(most);
    let has_divisor = !series.per.columns().is_empty();
    let mut all: Vec<Track> = (0..named + usize::from(count > most))
        .map(|_| Track::new(samples, has_divisor, has_bounds))
        .collect();
    for (rows, of_rows) in keys.rows.iter().zip(&table.samples.of_rows) {
        add_rows(&mut all, &places, rows, of_rows);
    }
    let mut key_of: Vec<usize> = vec![0; named];
    let in_places = places.iter().enumerate().filter(|(_, place)| **place < named);
    in_places.for_each(|(key, place)| key_of[*place] = key);
    let of_place = |(place, track): (usize, Track)| {
        let key = key_of.get(place).copied();
        let name = match (key, &series.by) {
            (Some(key), Some(_)) => called(series, &keys.names.names()[key]),
            (Some(_), None) => series.name.clone().unwrap_or_default(),
            (None, _) => format!("{} others", count - named),
        };
        let bounds = key.and_then(|key| keys.bounds.get(key).copied().flatten());
        Named { name, is_others: place >= named, bounds, track }
    };
    all.into_iter().enumerate().map(of_place).collect()
}

/// Adds the rows of a batch to the tracks of their keys.
fn add_rows(all: &mut [Track], places: &[usize], rows: &Rows<'_>, samples: &[u32]) {
    let Rows { numbers, columns } = rows;
    let has_more = columns.divisor.is_there() || columns.greatest.is_there();
    if let (Some(amounts), false) = (columns.amount.dense(), has_more) {
        for ((number, sample), amount) in numbers.iter().zip(samples).zip(amounts) {
            if let Some(track) = places.get(*number as usize).and_then(|place| all.get_mut(*place)) {
                track.add(*sample, *amount);
            }
        }
        return;
    }
    for (row, (number, sample)) in numbers.iter().zip(samples).enumerate() {
        let track = places.get(*number as usize).and_then(|place| all.get_mut(*place));
        let Some((track, amount)) = track.zip(columns.amount.get(row)) else { continue };
        track.add(*sample, amount);
        if has_more {
            track.divide(*sample, columns.divisor.get(row).unwrap_or(0.0));
            track.bound(*sample, columns.least.get(row), columns.greatest.get(row));
        }
    }
}

fn called(series: &Series, name: &str) -> String {
    series.called.as_ref().map_or_else(|| name.to_owned(), |called| called.replace("{}", name))
}
