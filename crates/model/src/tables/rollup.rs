//! Rollups by minute: the archive makes them of the tables that are read every second, so that
//! a day of them is a sixtieth of the rows.
//!
//! Their columns are derived from the table's own: nothing is declared twice.

use std::sync::LazyLock;

use super::{ClassTimeRow, peak};
use crate::rows::Record;
use crate::table::{Column, ColumnKind, ColumnType, Holds, TableDef, Unit};

/// Tables that have a rollup by minute: those that a recorder reads every second and that
/// people ask about over hours. What is read rarely has few rows as it is.
const TABLES: [&str; 22] = [
    "block_latency",
    "cgroup",
    "cpu",
    "cpu_time",
    "disk",
    "irq",
    "memory",
    "memory_event",
    "net_drop",
    "net_if",
    "net_proto",
    "object_time",
    "pmu",
    "pressure",
    "process",
    "softirq",
    "softnet",
    "system",
    "system_call",
    "task_time",
    "vmstat",
    "zone",
];

/// How a column of several rows of one entity becomes one value. NULL values are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Of the last row.
    Last,
    /// The last that is not NULL.
    LastKnown,
    /// The sum.
    Sum,
    /// The sum over samples, each counted once: a time, and its length if it occurs twice.
    SumOfTimes,
    /// The root of the sum of squares.
    RootOfSquares,
    /// The number of samples.
    Times,
    /// NULL: only rollups have a value.
    Nothing,
    /// The mean, of the column at that position.
    Mean(usize),
    /// The least, of the column at that position.
    Least(usize),
    /// The greatest, of the column at that position.
    Greatest(usize),
    /// The greatest rate of one sample, of the column at that position.
    PeakRate(usize),
    /// The greatest ratio of one sample: the sum of the columns at these positions over that of others.
    PeakRatio(&'static [usize], &'static [usize]),
}

/// Whose rows of a minute are combined, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// Tasks that started and ended within the minute, and ran for a small part of it.
    ShortLived,
    /// Processes that made few calls of a kind in it.
    FewCalls,
}

/// Tables with combined rows, and the columns that these rows have in common.
const TOGETHER: [(&str, Together, &[&str]); 2] = [
    ("system_call", Together::FewCalls, &["name"]),
    (
        "task_time",
        Together::ShortLived,
        &["pid", "name", "process_name", "kernel_thread", "cgroup", "unit", "container", "in_command"],
    ),
];

/// A rollup by minute.
#[derive(Clone, Copy, Debug)]
pub struct Rollup {
    /// The table that it is made of.
    pub base: &'static TableDef,
    /// Its own declaration.
    pub def: &'static TableDef,
    /// How each of its columns, the common ones included, comes from the base table's, whose
    /// positions include the common ones too.
    pub folds: &'static [Fold],
    /// How rows of its own become one row: those of a minute that was written in parts.
    pub again: &'static [Fold],
    /// Whose rows are combined, if any.
    pub together: Option<Together>,
}

/// All rollups by minute, by name.
pub fn all() -> &'static [Rollup] {
    static ALL: LazyLock<Vec<Rollup>> = LazyLock::new(|| {
        super::ALL.iter().filter(|def| TABLES.contains(&def.name)).map(|def| derive(def)).collect()
    });
    &ALL
}

/// The rollup of a table that has one.
pub fn of(base: &str) -> Option<&'static Rollup> {
    all().iter().find(|rollup| rollup.base.name == base)
}

/// The rollup of a name.
pub fn find(name: &str) -> Option<&'static Rollup> {
    name.ends_with(SUFFIX).then(|| all().iter().find(|rollup| rollup.def.name == name)).flatten()
}

/// Whether the archive makes a table of others: a rollup, or `class_time`.
pub fn is_made(name: &str) -> bool {
    name == ClassTimeRow::DEF.name || find(name).is_some()
}

/// How several rows of a table's entity become one row of the same table.
pub fn folds(def: &TableDef) -> Vec<Fold> {
    match find(def.name) {
        Some(rollup) => rollup.again.to_vec(),
        None => def.all_columns().map(fold_of).collect(),
    }
}

/// Suffix of the name of a rollup.
const SUFFIX: &str = "_minute";
/// Position of `secs` in every table.
const SECS: &str = "secs";
/// Column of every rollup.
pub const SAMPLES: Column = Column {
    name: "minute_samples",
    ty: ColumnType::Int,
    kind: ColumnKind::Counter,
    unit: Unit::Count,
    holds: Holds::Unsaid,
    meaning: "Samples in this row",
};

/// Column of rollups with combined rows.
pub const PROCESSES: Column = Column {
    name: "minute_processes",
    ty: ColumnType::Int,
    kind: ColumnKind::Counter,
    unit: Unit::Count,
    holds: Holds::Unsaid,
    meaning: "Processes combined in this row, which has no pid; NULL for a row with a pid",
};

fn fold_of(column: &Column) -> Fold {
    match column.kind {
        _ if column.name == SECS => Fold::SumOfTimes,
        ColumnKind::Key | ColumnKind::Label => Fold::Last,
        ColumnKind::Counter => Fold::Sum,
        ColumnKind::Gauge => Fold::LastKnown,
        ColumnKind::Error => Fold::RootOfSquares,
    }
}

/// Once per table and process: what is leaked is bounded.
fn derive(base: &'static TableDef) -> Rollup {
    let mut columns = base.columns.to_vec();
    let mut folds: Vec<Fold> = base.all_columns().map(fold_of).collect();
    let mut again = folds.clone();
    columns.push(SAMPLES);
    folds.push(Fold::Times);
    again.push(Fold::Sum);
    let is_level = |column: &Column| {
        column.kind == ColumnKind::Gauge
            && matches!(column.ty, ColumnType::Int | ColumnType::Float)
            && column.unit != Unit::TimeMs
    };
    let levels = base.all_columns().enumerate().filter(|(_, column)| is_level(column));
    for (at, column) in levels.filter(|(_, column)| column.name != SECS) {
        type Of = fn(usize) -> Fold;
        let kinds: [(&str, Of, ColumnType); 3] = [
            ("mean", Fold::Mean, ColumnType::Float),
            ("min", Fold::Least, column.ty),
            ("max", Fold::Greatest, column.ty),
        ];
        for (word, fold, ty) in kinds {
            let name = leak(format!("{word}_{}", column.name));
            let meaning = leak(format!("{word} of {} over the samples", column.name));
            again.push(fold(TableDef::STAMP.len() + columns.len()));
            folds.push(fold(at));
            columns.push(Column { name, ty, meaning, ..*column });
        }
    }
    for (fold, column) in peaks(base) {
        again.push(Fold::Greatest(TableDef::STAMP.len() + columns.len()));
        folds.push(fold);
        columns.push(column);
    }
    let combined = TOGETHER.iter().find(|(table, ..)| *table == base.name);
    if let Some((_, _, common)) = combined {
        let is_common = |column: &&mut Column| common.contains(&column.name);
        columns.iter_mut().filter(is_common).for_each(|column| column.kind = ColumnKind::Key);
        columns.push(PROCESSES);
        folds.push(Fold::Nothing);
        again.push(Fold::Sum);
    }
    let def = Box::leak(Box::new(TableDef {
        name: leak(format!("{}{SUFFIX}", base.name)),
        grain: leak(format!("as {}, one row a minute; in archives only", base.name)),
        origin: leak(format!("`{}`", base.name)),
        born_at_zero: base.born_at_zero,
        columns: columns.leak(),
    }));
    Rollup {
        base,
        def,
        folds: folds.leak(),
        again: again.leak(),
        together: combined.map(|(_, together, _)| *together),
    }
}

/// The columns with the greatest value of one sample.
fn peaks(base: &'static TableDef) -> Vec<(Fold, Column)> {
    let numbered = base.all_columns().enumerate().filter(|(_, column)| peak::is_rate(base.name, column.name));
    let rate = |(at, column): (usize, &Column)| {
        let peak = Column {
            name: leak(peak::name_of_rate(column.name)),
            ty: ColumnType::Float,
            kind: ColumnKind::Gauge,
            unit: peak::rate_of(column.unit),
            meaning: leak(format!("greatest {} per second of one sample", column.name)),
            ..*column
        };
        (Fold::PeakRate(at), peak)
    };
    let place = |name: &&str| base.all_columns().position(|column| column.name == *name);
    let places = |names: &[&str]| names.iter().filter_map(place).collect::<Vec<usize>>().leak();
    let like = Column { ty: ColumnType::Float, kind: ColumnKind::Gauge, ..SAMPLES };
    let ratio =
        |ratio: &peak::PeakRatio| (Fold::PeakRatio(places(ratio.of), places(ratio.per)), ratio.column(&like));
    numbered.map(rate).chain(peak::ratios(base.name).map(ratio)).collect()
}

/// The column of a rollup with the greatest value of one sample of what is reckoned from columns of its table: of a rate
/// where there is nothing to divide by.
pub fn peak_of(base: &str, of: &[String], per: &[String]) -> Option<String> {
    if let ([only], []) = (of, per) {
        return peak::is_rate(base, only).then(|| peak::name_of_rate(only));
    }
    let same = |names: &[&str], asked: &[String]| {
        names.len() == asked.len() && asked.iter().all(|name| names.contains(&name.as_str()))
    };
    let found = peak::ratios(base).find(|ratio| same(ratio.of, of) && same(ratio.per, per));
    found.map(|ratio| ratio.name.to_owned())
}

fn leak(text: String) -> &'static str {
    text.leak()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_rollup_is_there_once() {
        let names: Vec<_> = all().iter().map(|rollup| rollup.base.name).collect();
        assert_eq!(names, TABLES, "sorted, and tables of the model");
        assert_eq!(find("process_minute").map(|rollup| rollup.base.name), Some("process"));
        assert!(find("process").is_none() && of("setting").is_none());
    }

    #[test]
    fn columns_are_those_of_the_table_and_more() {
        for rollup in all() {
            let mut seen = HashSet::new();
            for column in rollup.def.all_columns() {
                assert!(seen.insert(column.name), "{}.{} twice", rollup.def.name, column.name);
            }
            let columns = rollup.def.all_columns().count();
            assert_eq!((rollup.folds.len(), rollup.again.len()), (columns, columns), "{}", rollup.def.name);
            for (own, base) in rollup.def.all_columns().zip(rollup.base.all_columns()) {
                assert_eq!((own.name, own.ty), (base.name, base.ty));
            }
        }
        for (table, _, common) in TOGETHER {
            let def = of(table).expect("a rollup").def;
            let is_key = |name: &&&str| {
                def.columns.iter().any(|column| column.name == **name && column.kind == ColumnKind::Key)
            };
            assert_eq!(common.iter().filter(is_key).count(), common.len(), "{table}");
        }
        let process = of("process").expect("a rollup");
        let column = |name| process.def.all_columns().position(|column| column.name == name);
        let fold = |name| column(name).map(|at| process.folds[at]);
        assert_eq!(fold("user_s"), Some(Fold::Sum));
        assert_eq!(fold("resident_bytes"), Some(Fold::LastKnown));
        let resident = column("resident_bytes").expect("a column");
        assert_eq!(fold("max_resident_bytes"), Some(Fold::Greatest(resident)));
        let max = column("max_resident_bytes").expect("a column");
        assert_eq!(process.again[max], Fold::Greatest(max));
    }

    #[test]
    fn every_peak_is_of_columns_that_are_there() {
        for (table, counters, ratios) in [("disk", 6, 3), ("cpu", 0, 1), ("pressure", 2, 0), ("vmstat", 8, 0)]
        {
            let rollup = of(table).expect("a rollup");
            let count = |is: fn(&&Fold) -> bool| rollup.folds.iter().filter(is).count();
            assert_eq!(count(|fold| matches!(fold, Fold::PeakRate(_))), counters, "{table}");
            let complete = |fold: &&Fold| matches!(fold, Fold::PeakRatio([_, ..], [_, ..]));
            assert_eq!(count(complete), ratios, "{table}");
        }
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let peak = |table: &str, of: &[&str], per: &[&str]| peak_of(table, &names(of), &names(per));
        assert_eq!(peak("disk", &["read_s"], &["reads"]).as_deref(), Some("peak_read_latency_s"));
        assert_eq!(peak("disk", &["busy_s"], &[]).as_deref(), Some("peak_busy_s_per_s"));
        assert_eq!(peak("disk", &["read_bytes"], &["reads"]), None);
        for table in all() {
            for column in table.def.columns.iter().filter(|column| column.name.starts_with("peak_")) {
                assert_eq!(
                    (column.kind, column.ty),
                    (ColumnKind::Gauge, ColumnType::Float),
                    "{}",
                    column.name
                );
            }
        }
    }
}
