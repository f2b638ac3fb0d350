//! The readings of a frame's payload: what `encoder` wrote.

use std::sync::Arc;

use heldup_model::{ColumnType, TableDef, Text, tables};

use super::bytes::Bytes;
use super::encoder::type_of;
use super::row_delta::MAX_COLUMNS;
use super::row_delta_read::{Column, read_rows};

/// Streams that a journal may have; a sample has about sixty.
const MAX_STREAMS: usize = 1000;

/// A stream, with the rows of its last reading.
pub(super) struct ReadStream {
    /// The table; none where this program does not know it or nobody wants it.
    pub(super) def: Option<&'static TableDef>,
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
    /// For each column of the table the stream's column, where it has one of that type.
    pub(super) sources: Vec<Option<usize>>,
    /// Length of the interval of the last reading.
    pub(super) secs: Option<f64>,
    /// In the sample that was read last.
    pub(super) fresh: bool,
    spare: Vec<Column>,
}

/// Everything that the frames so far have told.
#[derive(Default)]
pub(super) struct Decoder {
    pub(super) streams: Vec<ReadStream>,
    pub(super) words: Vec<Text>,
}

impl Decoder {
    /// Takes in what a frame has of new streams and words; the rest are its readings.
    pub(super) fn learn<'a>(
        &mut self,
        payload: &'a [u8],
        wanted: &dyn Fn(&str) -> bool,
    ) -> Option<Bytes<'a>> {
        let mut bytes = Bytes(payload);
        for _ in 0..bytes.size()? {
            let stream = read_stream(&mut bytes, wanted)?;
            self.streams.push(stream);
        }
        if self.streams.len() > MAX_STREAMS {
            return None;
        }
        for _ in 0..bytes.size()? {
            let word = bytes.text()?;
            self.words.push(Arc::from(word));
        }
        Some(bytes)
    }

    /// What follows the streams and words of a frame from which they are known already.
    pub(super) fn pass<'a>(payload: &'a [u8]) -> Option<Bytes<'a>> {
        let mut bytes = Bytes(payload);
        for _ in 0..bytes.size()? {
            read_stream(&mut bytes, &|_| false)?;
        }
        for _ in 0..bytes.size()? {
            bytes.text()?;
        }
        Some(bytes)
    }

    /// Reads the readings of a frame.
    pub(super) fn read(&mut self, mut bytes: Bytes, alone: bool) -> Option<()> {
        for stream in &mut self.streams {
            stream.fresh = false;
            if alone {
                stream.rows = 0;
                stream.columns.iter_mut().for_each(Column::clear);
            }
        }
        for _ in 0..bytes.size()? {
            let stream = self.streams.get_mut(bytes.size()?)?;
            let (secs, rows) = (bytes.float()?, bytes.size()?);
            let length = bytes.size()?;
            let mut operations = Bytes(bytes.take(length)?);
            if stream.def.is_none() {
                continue;
            }
            let before = &stream.columns;
            read_rows(&mut operations, before, stream.rows, rows, self.words.len(), &mut stream.spare)?;
            std::mem::swap(&mut stream.columns, &mut stream.spare);
            stream.rows = rows;
            stream.secs = secs;
            stream.fresh = true;
        }
        bytes.0.is_empty().then_some(())
    }
}

fn read_stream(bytes: &mut Bytes, wanted: &dyn Fn(&str) -> bool) -> Option<ReadStream> {
    let name = bytes.text()?;
    let count = bytes.size().filter(|count| *count <= MAX_COLUMNS)?;
    let mut declared: Vec<(&str, ColumnType)> = Vec::with_capacity(count);
    for _ in 0..count {
        declared.push((bytes.text()?, type_of(bytes.byte()?)?));
    }
    let def = tables::find(name).filter(|def| wanted(def.name));
    let source = |name: &str, ty| declared.iter().position(|column| *column == (name, ty));
    let sources = def.map_or_else(Vec::new, |def| {
        def.columns.iter().map(|column| source(column.name, column.ty)).collect()
    });
    let empty = || declared.iter().map(|(_, ty)| Column::of(*ty)).collect();
    Some(ReadStream { def, columns: empty(), spare: empty(), rows: 0, sources, secs: None, fresh: false })
}
