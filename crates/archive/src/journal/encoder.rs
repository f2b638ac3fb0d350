//! The payload of a frame: tables and texts that are new, then the readings of one sample.
//!
//! ```text
//! streams   count, then for each: table, columns (count; name, type: 0 int, 1 float, 2 bool, 3 text)
//! words     count, then for each: length, UTF-8
//! readings  count, then for each: stream, secs, rows, length of what follows, row operations
//! ```
//!
//! A *stream* is what one source gives of one table: two sources of one table in a sample are
//! two streams, distinguished by their order. Columns are named in the file, so that a reader of
//! another version knows which they are.

use std::time::Duration;

use heldup_model::{Cells, ColumnType, Form, RowSet, Step, TableDef, tables};

use super::bytes::{put_bytes, put_count, put_float};
use super::frame;
use super::matching::key_columns;
use super::row_delta::{MAX_COLUMNS, Scratch, put_changes, put_rows};
use super::words::Words;
use super::{ChangedReading, Reading, Sample};

/// One stream, and its last reading.
struct Stream {
    def: &'static TableDef,
    /// How many readings of the same table a sample has before it.
    nth: usize,
    keys: Vec<usize>,
    before: Before,
}

/// The last reading of a stream that readers know.
enum Before {
    /// None since the last frame that stands for itself, or none that is kept.
    None,
    /// Its rows.
    Whole(RowSet),
    /// So many rows, the last of which were told by what changed: who told them knows which.
    Told(usize),
}

impl Before {
    /// How many rows it has; none where there is no reading.
    fn rows(&self) -> Option<usize> {
        match self {
            Before::None => None,
            Before::Whole(rows) => Some(rows.len),
            Before::Told(rows) => Some(*rows),
        }
    }
}

/// Turns samples into payloads; knows what readers know.
pub(super) struct Encoder {
    streams: Vec<Stream>,
    /// Longest interval of a reading, in seconds, that the next one may build on. What is read about as rarely as
    /// frames stand for themselves is told whole most times, and its rows need not be kept until then: stacks are
    /// tens of thousands.
    longest_basis_s: f64,
    /// Streams that were there before the frame being made.
    known_streams: usize,
    words: Words,
    scratch: Scratch,
    /// Readings of the frame being made, and the rows of one of them.
    readings: Vec<u8>,
    rows: Vec<u8>,
}

impl Encoder {
    /// One whose frames stand for themselves that often.
    pub(super) fn new(keyframe: Duration) -> Encoder {
        Encoder {
            streams: Vec::new(),
            longest_basis_s: keyframe.as_secs_f64() / 2.0,
            known_streams: 0,
            words: Words::default(),
            scratch: Scratch::default(),
            readings: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Makes the payload of a sample, behind the room for a frame's head. With `alone` its rows
    /// stand for themselves. Call [`Encoder::keep`] or [`Encoder::forget`] next.
    pub(super) fn encode(
        &mut self,
        sample: Sample,
        changed: &[ChangedReading],
        alone: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        self.known_streams = self.streams.len();
        if alone {
            self.streams.iter_mut().for_each(|stream| stream.before = Before::None);
        }
        self.readings.clear();
        put_count(&mut self.readings, (sample.readings.len() + changed.len()) as u64);
        let mut seen: Vec<&str> = Vec::with_capacity(sample.readings.len());
        for reading in sample.readings {
            check(&reading.rows)?;
            let name = reading.rows.def.name;
            let nth = seen.iter().filter(|other| **other == name).count();
            seen.push(name);
            let at = self.stream_of(reading.rows.def, nth);
            self.put_reading(at, reading);
        }
        for reading in changed {
            let name = reading.rows.def.name;
            if seen.contains(&name) {
                return Err(format!("{name}: given twice, complete and as changes"));
            }
            seen.push(name);
            self.put_changed(reading)?;
        }
        frame::begin(out);
        self.put_new_streams(out);
        self.words.put_added(out);
        out.extend_from_slice(&self.readings);
        Ok(())
    }

    fn stream_of(&mut self, def: &'static TableDef, nth: usize) -> usize {
        let is = |stream: &Stream| stream.nth == nth && stream.def.name == def.name;
        self.streams.iter().position(is).unwrap_or_else(|| {
            self.streams.push(Stream { def, nth, keys: key_columns(def), before: Before::None });
            self.streams.len() - 1
        })
    }

    fn put_reading(&mut self, at: usize, reading: Reading) {
        let Encoder { streams, longest_basis_s, words, scratch, readings, rows, .. } = self;
        let stream = &mut streams[at];
        rows.clear();
        let before = match &stream.before {
            Before::Whole(rows) => Some(rows),
            Before::None | Before::Told(_) => None,
        };
        put_rows(rows, before, &reading.rows, &stream.keys, words, scratch);
        put_head(readings, at, reading.secs, reading.rows.len);
        put_bytes(readings, rows);
        stream.before = match reading.secs {
            Some(secs) if secs > *longest_basis_s => Before::None,
            _ => Before::Whole(reading.rows),
        };
    }

    /// Rows of the reading of a table that the next changes are about; none where they have to be
    /// told whole.
    pub(super) fn basis(&self, table: &str) -> Option<usize> {
        self.streams.iter().find(|stream| stream.nth == 0 && stream.def.name == table)?.before.rows()
    }

    fn put_changed(&mut self, reading: &ChangedReading) -> Result<(), String> {
        let changes = &reading.rows;
        for rows in [&changes.now, &changes.old] {
            check(rows)?;
        }
        let lacks = |steps: &[Step]| matches!(steps, [Step::Same { .. } | Step::But { .. }, Step::New]);
        if changes.steps.windows(2).any(lacks) {
            return Err(format!("{}: a new row below one that is not complete", changes.def.name));
        }
        let at = self.stream_of(changes.def, 0);
        let Encoder { streams, words, scratch, readings, rows, .. } = self;
        let stream = &mut streams[at];
        if stream.before.rows() != Some(changes.before) {
            let (name, told) = (changes.def.name, changes.before);
            return Err(format!(
                "{name}: changes of {told} rows, where there are {:?}",
                stream.before.rows()
            ));
        }
        rows.clear();
        put_changes(rows, changes, words, scratch);
        put_head(readings, at, reading.secs, changes.len);
        put_bytes(readings, rows);
        stream.before = Before::Told(changes.len);
        Ok(())
    }

    fn put_new_streams(&self, out: &mut Vec<u8>) {
        let new = &self.streams[self.known_streams..];
        put_count(out, new.len() as u64);
        for stream in new {
            put_bytes(out, stream.def.name.as_bytes());
            put_count(out, stream.def.columns.len() as u64);
            for column in stream.def.columns {
                put_bytes(out, column.name.as_bytes());
                out.push(type_code(column.ty));
            }
        }
    }

    /// Memory that the texts of the segment take, in bytes.
    pub(super) fn word_bytes(&self) -> usize {
        self.words.bytes()
    }

    /// The frame was written.
    pub(super) fn keep(&mut self) {
        self.known_streams = self.streams.len();
        self.words.keep_added();
        [&mut self.readings, &mut self.rows].into_iter().for_each(give_back);
    }

    /// The frame was not written: nobody knows what was new in it. The next sample has to stand
    /// for itself.
    pub(super) fn forget(&mut self) {
        self.streams.truncate(self.known_streams);
        self.words.forget_added();
    }
}

/// Empties a buffer of frames, and gives back what only the frames of a crowded second need.
pub(super) fn give_back(buffer: &mut Vec<u8>) {
    const KEPT_BYTES: usize = 256 << 10;
    buffer.clear();
    buffer.shrink_to(KEPT_BYTES);
}

/// What comes before the rows of a reading.
fn put_head(readings: &mut Vec<u8>, stream: usize, secs: Option<f64>, rows: usize) {
    put_count(readings, stream as u64);
    put_float(readings, secs);
    put_count(readings, rows as u64);
}

/// What the writer relies on.
fn check(rows: &RowSet) -> Result<(), String> {
    let name = rows.def.name;
    if rows.form != Form::Increases {
        return Err(format!("{name}: running totals; increases are recorded"));
    }
    if rows.cells.len() != rows.def.columns.len() || rows.cells.len() > MAX_COLUMNS {
        return Err(format!("{name}: {} columns, expected {}", rows.cells.len(), rows.def.columns.len()));
    }
    for (cells, column) in rows.cells.iter().zip(rows.def.columns) {
        let (ty, length) = match cells {
            Cells::Int(values) => (ColumnType::Int, values.len()),
            Cells::Float(values) => (ColumnType::Float, values.len()),
            Cells::Bool(values) => (ColumnType::Bool, values.len()),
            Cells::Text(values) => (ColumnType::Text, values.len()),
        };
        if ty != column.ty || length != rows.len {
            return Err(format!("{name}.{}: {length} values of another form or number", column.name));
        }
    }
    Ok(())
}

/// How a column's type is written.
pub(super) fn type_code(ty: ColumnType) -> u8 {
    match ty {
        ColumnType::Int => 0,
        ColumnType::Float => 1,
        ColumnType::Bool => 2,
        ColumnType::Text => 3,
    }
}

/// The type that a code stands for.
pub(super) fn type_of(code: u8) -> Option<ColumnType> {
    let types = [ColumnType::Int, ColumnType::Float, ColumnType::Bool, ColumnType::Text];
    types.get(usize::from(code)).copied()
}

/// FNV-1a over the names and types of all columns that this program knows.
pub(super) fn schema_hash() -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for def in tables::ALL {
        add(def.name.as_bytes());
        for column in def.columns {
            add(column.name.as_bytes());
            add(&[0, type_code(column.ty)]);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_fits_a_mask() {
        for def in tables::ALL {
            assert!(def.columns.len() <= MAX_COLUMNS, "{}", def.name);
        }
    }
}
