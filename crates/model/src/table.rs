//! What a table is: its columns, declared once, from which the Arrow schema, the
//! reference, the help of `heldup tables` and the differencing are derived.

/// Unit of a column; the last part of its name says it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// No unit: a name, a flag, an index.
    None,
    /// A number of things.
    Count,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Milliseconds since 1970-01-01 UTC.
    TimeMs,
    /// A share of one: 0.25 is a quarter.
    Ratio,
    /// Bits per second.
    BitsPerSecond,
    /// Bytes per second.
    BytesPerSecond,
    /// A number of things per second.
    PerSecond,
    /// Pages of the host's page size.
    Pages,
    /// Hertz.
    Hertz,
    /// Degrees Celsius.
    Celsius,
}

impl Unit {
    /// How the unit is written in the reference.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::None => "",
            Unit::Count => "count",
            Unit::Bytes => "bytes",
            Unit::Seconds => "s",
            Unit::TimeMs => "ms UTC",
            Unit::Ratio => "ratio",
            Unit::BitsPerSecond => "bit/s",
            Unit::BytesPerSecond => "bytes/s",
            Unit::PerSecond => "/s",
            Unit::Pages => "pages",
            Unit::Hertz => "Hz",
            Unit::Celsius => "°C",
        }
    }
}

/// How a column behaves from one sample to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Identifies the row within a sample.
    Key,
    /// Describes the row; not a measurement.
    Label,
    /// Grows, or is counted anew in each interval; stored as its increase over the interval, so
    /// that several intervals add up.
    Counter,
    /// Goes up and down; stored as its value at the end of the interval.
    Gauge,
    /// Standard error of a counter of the same row; errors of several rows add up as squares do.
    Error,
}

impl ColumnKind {
    /// How the kind is written in the reference.
    pub const fn name(self) -> &'static str {
        match self {
            ColumnKind::Key => "key",
            ColumnKind::Label => "label",
            ColumnKind::Counter => "counter",
            ColumnKind::Gauge => "gauge",
            ColumnKind::Error => "error",
        }
    }
}

/// Type of a column's values; the four that every engine reads alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Signed 64-bit integer.
    Int,
    /// 64-bit float.
    Float,
    /// Boolean.
    Bool,
    /// UTF-8 text.
    Text,
}

impl ColumnType {
    /// How SQL calls the type.
    pub const fn sql_name(self) -> &'static str {
        match self {
            ColumnType::Int => "INTEGER",
            ColumnType::Float => "REAL",
            ColumnType::Bool => "BOOLEAN",
            ColumnType::Text => "TEXT",
        }
    }
}

/// What of people and machines a text column may hold, which decides what is left of it in a
/// capture that is made for others (`heldup capture --redact`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    /// Not said: of text nothing is left. No column of ours is so, which a test sees to.
    Unsaid,
    /// One of a vocabulary: of the kernel, of a driver, of ours. Left as it is.
    Word,
    /// A name that somebody gave: of a program, a unit, an interface, a volume, a function.
    Name,
    /// A path: home folders and what is in them, and names as above.
    Path,
    /// The name of a host.
    Host,
    /// A network address.
    Address,
    /// A program and its arguments.
    Command,
    /// What a setting is called, or is a setting of: the kernel's words, but for interfaces and mounts.
    Setting,
    /// Options of a mount, separated by commas: addresses, users, domains.
    Options,
    /// What is mounted: a device, or a host and a path of it.
    Mounted,
    /// Free text: any of these.
    Message,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Name, as in SQL.
    pub name: &'static str,
    /// Type of the values.
    pub ty: ColumnType,
    /// Key, label, counter, gauge or error.
    pub kind: ColumnKind,
    /// Unit of the values.
    pub unit: Unit,
    /// What of people and machines it may hold; of text only.
    pub holds: Holds,
    /// What it means, in one sentence, with the kernel's own name of it.
    pub meaning: &'static str,
}

/// One table.
#[derive(Clone, Copy, Debug)]
pub struct TableDef {
    /// Name, as in SQL.
    pub name: &'static str,
    /// What one row is.
    pub grain: &'static str,
    /// Kernel files or calls that it is read from.
    pub origin: &'static str,
    /// Whether a row that the sample before did not have began at zero (a new
    /// process has used no CPU before it was born), so that its counters are
    /// increases already; otherwise they are NULL.
    pub born_at_zero: bool,
    /// Own columns, after the ones that every table has.
    pub columns: &'static [Column],
}

impl TableDef {
    /// Columns that every table begins with.
    pub const STAMP: [Column; 3] = [
        Column {
            name: "time",
            ty: ColumnType::Int,
            kind: ColumnKind::Key,
            unit: Unit::TimeMs,
            holds: Holds::Unsaid,
            meaning: "End of the interval, on the sample grid: the same value in every table of one sample",
        },
        Column {
            name: "secs",
            ty: ColumnType::Float,
            kind: ColumnKind::Gauge,
            unit: Unit::Seconds,
            holds: Holds::Unsaid,
            meaning: "Measured length of the interval; NULL for a single sample",
        },
        Column {
            name: "host",
            ty: ColumnType::Text,
            kind: ColumnKind::Key,
            unit: Unit::None,
            holds: Holds::Host,
            meaning: "Host that the row is about",
        },
    ];

    /// All columns, the common ones first.
    pub fn all_columns(&self) -> impl Iterator<Item = &Column> {
        TableDef::STAMP.iter().chain(self.columns)
    }

    /// Position of an own column.
    pub fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == column)
    }
}
