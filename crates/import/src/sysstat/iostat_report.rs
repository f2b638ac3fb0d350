//! What `iostat` printed of one moment, gathered until its next report begins. Knows nothing of headings.

use jiff::civil::Date;

use crate::document::Clock;
use crate::text::number::Cell;

/// What stands above a report: its day, second of the day and zone, as far as they are told.
pub type Stamped = (Option<Date>, i64, Option<i64>);

/// One report; the next is gathered in the same memory.
pub struct Report<P> {
    pub stamp: Option<Stamped>,
    /// The time that a line told last when it began.
    pub clock: Option<Clock>,
    pub cpu: Option<Vec<Cell>>,
    /// Names of devices one behind the other, and where each ends.
    pub names: String,
    pub ends: Vec<usize>,
    /// The cells of all devices, of each as many as there are headings.
    pub cells: Vec<Cell>,
    /// Some have the letter of a unit: what their sums tell of the interval is too rough.
    pub is_rounded: bool,
    /// Its tables before this one.
    pub parts: Vec<P>,
}

impl<P> Default for Report<P> {
    fn default() -> Report<P> {
        let (names, ends, cells, parts) = (String::new(), Vec::new(), Vec::new(), Vec::new());
        Report { stamp: None, clock: None, cpu: None, names, ends, cells, is_rounded: false, parts }
    }
}

impl<P> Report<P> {
    /// Whether nothing was gathered.
    pub fn is_empty(&self) -> bool {
        self.cpu.is_none() && self.is_empty_of_devices()
    }

    /// Whether no device was.
    pub fn is_empty_of_devices(&self) -> bool {
        self.ends.is_empty() && self.parts.is_empty()
    }

    /// A device with its cells.
    pub fn push(&mut self, name: &str, cells: &[Cell]) {
        self.names.push_str(name);
        self.ends.push(self.names.len());
        self.cells.extend_from_slice(cells);
    }

    /// Each device with its cells.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &[Cell])> {
        rows(&self.names, &self.ends, &self.cells)
    }

    /// Empties it for the next.
    pub fn clear(&mut self) {
        (self.stamp, self.clock, self.cpu) = (None, None, None);
        self.names.clear();
        self.ends.clear();
        self.cells.clear();
        self.is_rounded = false;
        self.parts.clear();
    }
}

/// Each device with its cells.
pub fn rows<'r>(
    names: &'r str,
    ends: &'r [usize],
    cells: &'r [Cell],
) -> impl Iterator<Item = (&'r str, &'r [Cell])> {
    let begins = std::iter::once(0).chain(ends.iter().copied());
    let named = begins.zip(ends).map(|(begin, end)| names.get(begin..*end).unwrap_or(""));
    named.zip(cells.chunks((cells.len() / ends.len().max(1)).max(1)))
}
