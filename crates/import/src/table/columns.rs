//! From a listing's headings to cells of tables: what each heading means, said once as data.

use heldup_model::{ColumnType, TableDef};

use crate::table::sheets::{Key, Sheets, When, is_same};
use crate::text::number::{Cell, cell, with_unit};

/// What is printed as 0.00, and a digit of what it was worked out from.
const ROUNDED_AWAY: f64 = 0.006;

/// How a printed number becomes a column's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A level, times this: a gauge.
    Level(f64),
    /// A second's worth, times this: a counter.
    Rate(f64),
    /// What came together in the interval, times this: a counter.
    Total(f64),
    /// Percent of the interval: a counter of seconds.
    Share,
    /// Milliseconds for each of the things whose rate stands under these headings: a counter of
    /// seconds.
    EachMs(&'static [&'static str]),
    /// Known, and no measurement of its own: it follows from the others.
    Derived,
}

/// What a heading means.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// As the tool prints it.
    pub heading: &'static str,
    /// The table, the column, and how; none where no column takes it.
    pub table: &'static TableDef,
    /// The column.
    pub column: &'static str,
    /// How.
    pub amount: Amount,
}

/// Shorthand for lists of fields.
pub const fn field(
    heading: &'static str,
    table: &'static TableDef,
    column: &'static str,
    amount: Amount,
) -> Field {
    Field { heading, table, column, amount }
}

/// The headings of one listing, resolved.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// What goes where, table by table.
    tables: Vec<Target>,
    /// Number of headings.
    pub width: usize,
    /// How many bytes the numbers below each heading are units of; 1 where they are of no bytes.
    pub units: Vec<f64>,
    /// Headings that no column takes.
    pub unkept: Vec<String>,
}

/// One table that a listing goes into.
#[derive(Clone, Debug)]
struct Target {
    def: &'static TableDef,
    is_of_host: bool,
    /// Columns, and the headings that add up to each: user mode is printed with guests apart.
    columns: Vec<(usize, Vec<Bound>)>,
}

#[derive(Clone, Debug)]
struct Bound {
    word: usize,
    amount: Amount,
    /// Words with the rates that `EachMs` wants.
    rates: Vec<usize>,
}

/// A row's surroundings.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// When.
    pub when: When,
    /// Which thing.
    pub key: Key<'a>,
    /// How many CPUs a share of all of them is of.
    pub cpus: f64,
}

/// What the numbers of a row are of.
#[derive(Clone, Copy)]
struct Interval {
    /// Its length is unknown, and one second is taken.
    is_assumed: bool,
    secs: Option<f64>,
    /// CPUs that a share is of.
    cpus: f64,
}

impl Layout {
    /// Finds the meaning of each heading.
    pub fn of(headings: &[&str], fields: &[Field]) -> Layout {
        let units = headings.iter().map(|heading| unit_bytes(heading, fields)).collect();
        let mut layout = Layout { width: headings.len(), units, ..Layout::default() };
        for (word, heading) in headings.iter().enumerate() {
            let mut is_known = false;
            for field in fields.iter().filter(|field| field.heading == *heading) {
                is_known = true;
                layout.bind(word, field, headings);
            }
            if !is_known {
                layout.unkept.push((*heading).to_owned());
            }
        }
        layout
    }

    fn bind(&mut self, word: usize, field: &Field, headings: &[&str]) {
        let Some(column) = field.table.position(field.column) else { return };
        if field.amount == Amount::Derived {
            return;
        }
        let rates = match field.amount {
            Amount::EachMs(names) => {
                names.iter().filter_map(|name| headings.iter().position(|heading| heading == name)).collect()
            }
            _ => Vec::new(),
        };
        let bound = Bound { word, amount: field.amount, rates };
        let known = self.tables.iter().position(|target| is_same(target.def, field.table));
        let at = known.unwrap_or_else(|| {
            let def = field.table;
            self.tables.push(Target { def, is_of_host: is_of_host(def), columns: Vec::new() });
            self.tables.len() - 1
        });
        let Some(target) = self.tables.get_mut(at) else { return };
        match target.columns.iter_mut().find(|(there, _)| *there == column) {
            Some((_, bounds)) => bounds.push(bound),
            None => target.columns.push((column, vec![bound])),
        }
    }

    /// Whether anything of a row is a level, which needs no interval.
    pub fn has_levels(&self) -> bool {
        let is_level = |bound: &Bound| matches!(bound.amount, Amount::Level(_));
        let bounds = self.tables.iter().flat_map(|target| &target.columns).flat_map(|(_, bounds)| bounds);
        bounds.into_iter().any(is_level)
    }

    /// The cells of a row.
    pub fn cells(&self, words: &[&str]) -> Vec<Cell> {
        let mut row = Row::default();
        row.read_with_units(words, &self.units);
        row.cells
    }

    /// Writes one row. Of several tables only those whose key is of the kind that `around` has take it.
    pub fn write(&self, cells: &[Cell], around: Around<'_>, sheets: &mut Sheets) {
        let interval = Interval {
            secs: around.when.secs,
            cpus: if around.key == Key::All { around.cpus } else { 1.0 },
            is_assumed: sheets.is_interval_assumed,
        };
        let is_assumed = sheets.is_interval_assumed;
        for target in &self.tables {
            let key = if target.is_of_host { Key::Host } else { around.key };
            let row = sheets.row(target.def, around.when, key);
            let Some((segment, row)) = sheets.cells(row) else { continue };
            for (column, bounds) in &target.columns {
                let value = match bounds.as_slice() {
                    [bound] => bound.value(cells, interval),
                    // Old iostat prints the same rate in sectors and in kilobytes.
                    [first, second, ..] if first.is_other_unit_of(second) => first.value(cells, interval),
                    // The waits of all: too few for two digits of their mean, and known of each.
                    [mean, each] if mean.is_mean_of(each) => match mean.value(cells, interval) {
                        Some(0.0) => each
                            .value(cells, interval)
                            .filter(|waits| interval.secs.is_some_and(|secs| *waits <= ROUNDED_AWAY * secs))
                            .or(Some(0.0)),
                        value => value,
                    },
                    several => several.iter().map(|bound| bound.value(cells, interval)).sum(),
                };
                let is_exact =
                    |value: &f64| !is_assumed || is_count(*value) || !is_of_counts(target.def, *column);
                if let Some(value) = value.filter(is_exact) {
                    segment.set(row, *column, value);
                }
            }
        }
    }
}

fn is_of_counts(def: &TableDef, column: usize) -> bool {
    def.columns.get(column).is_some_and(|column| column.ty == ColumnType::Int)
}

/// Whether a rate can be a count, as which it was taken since nobody knows of which time it is: one of 0.4 is not none.
fn is_count(value: f64) -> bool {
    value == 0.0 || value.abs() >= 0.5
}

/// The cells of one row, read into the same memory row after row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What stands below each heading.
    pub cells: Vec<Cell>,
    /// How many of them are numbers, or say that there is none.
    pub numbers: usize,
    /// Some have the letter of a unit, and so few digits.
    pub has_units: bool,
}

impl Row {
    /// Reads the words of a row.
    pub fn read(&mut self, words: &[&str]) {
        self.cells.clear();
        self.cells.extend(words.iter().map(|word| cell(word)));
        self.count();
    }

    /// Reads the words of a row whose numbers may have the letter of a unit; those without are in the units of
    /// their columns.
    pub fn read_with_units(&mut self, words: &[&str], units: &[f64]) {
        self.read(words);
        if self.numbers == words.len() {
            return;
        }
        let told = self.cells.iter_mut().zip(words).zip(units).filter(|((cell, _), _)| **cell == Cell::Words);
        for ((cell, word), unit) in told {
            *cell = with_unit(word, *unit);
            self.has_units |= matches!(cell, Cell::Value(_));
        }
        self.numbers = self.cells.iter().filter(|cell| **cell != Cell::Words).count();
    }

    fn count(&mut self) {
        self.numbers = self.cells.iter().filter(|cell| **cell != Cell::Words).count();
        self.has_units = false;
    }
}

/// What a heading's numbers are units of: as its column takes them; what none takes by its name.
fn unit_bytes(heading: &str, fields: &[Field]) -> f64 {
    const LEAST: f64 = 512.0;
    let factor = |field: &Field| match field.amount {
        Amount::Level(factor) | Amount::Rate(factor) | Amount::Total(factor) => Some(factor),
        _ => None,
    };
    let taken = fields.iter().filter(|field| field.heading == heading).find_map(factor);
    match taken {
        Some(factor) if factor >= LEAST => factor,
        Some(_) => 1.0,
        None if heading.contains("kb") || heading.contains("kB") => 1024.0,
        None if heading.contains("MB") => 1_048_576.0,
        None => 1.0,
    }
}

/// A table of one row a sample.
fn is_of_host(def: &TableDef) -> bool {
    !def.columns.iter().any(|column| column.kind == heldup_model::ColumnKind::Key)
}

impl Bound {
    /// Whether both are rates of one thing, counted in units of their own.
    fn is_other_unit_of(&self, other: &Bound) -> bool {
        matches!((self.amount, other.amount), (Amount::Rate(one), Amount::Rate(two)) if one != two)
    }

    /// Whether one is a mean over the interval, and the other milliseconds for each thing.
    fn is_mean_of(&self, each: &Bound) -> bool {
        matches!((self.amount, each.amount), (Amount::Rate(_), Amount::EachMs(_)))
    }

    #[inline]
    fn value(&self, cells: &[Cell], interval: Interval) -> Option<f64> {
        let value = cells.get(self.word).copied().and_then(Cell::value)?;
        let Interval { secs, cpus, is_assumed } = interval;
        match self.amount {
            Amount::Level(factor) => Some(value * factor),
            Amount::Total(factor) => secs.map(|_| value * factor),
            Amount::Rate(factor) => secs.map(|secs| value * factor * secs),
            Amount::Share => secs.map(|secs| value / 100.0 * secs * cpus),
            Amount::EachMs(_) => {
                let rates = self.rates.iter().map(|word| cells.get(*word).copied().and_then(Cell::value));
                let rate = rates.sum::<Option<f64>>().filter(|_| !self.rates.is_empty())?;
                // What each took stays as it was printed, of as many as are counted.
                let rate = match is_assumed {
                    true => Some(rate.round()).filter(|_| is_count(rate))?,
                    false => rate,
                };
                secs.map(|secs| value / 1000.0 * rate * secs)
            }
            Amount::Derived => None,
        }
    }
}

/// Whether every field names a column of its table that takes a number; for tests of the lists.
#[cfg(test)]
pub fn assert_fields(fields: &[Field]) {
    for field in fields {
        let at = format!("{} → {}.{}", field.heading, field.table.name, field.column);
        let column = field.table.position(field.column).map(|at| field.table.columns[at]);
        let column = column.unwrap_or_else(|| panic!("{at}: no such column"));
        use heldup_model::ColumnType;
        assert!(matches!(column.ty, ColumnType::Int | ColumnType::Float), "{at}: takes no number");
        let is_counter = column.kind == heldup_model::ColumnKind::Counter;
        let is_level = matches!(field.amount, Amount::Level(_));
        assert!(is_counter != is_level || field.amount == Amount::Derived, "{at}: counter or gauge");
    }
}
