//! Reads a journal, also while it is written, up to the first bytes that are no frame.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use heldup_model::{Span, TableDef};

use super::decoder::Decoder;
use super::frame::{self, Found, FrameHead, HEAD_BYTES, MARKER};
use super::header::{self, MAX_HEADER_BYTES, SegmentHeader};
use super::table_rows::TableRows;
use crate::store::StoreError;

/// Bytes that are read at a time.
const READ_BYTES: usize = 256 << 10;
/// Rows of a batch.
const BATCH_ROWS: usize = 1 << 16;

/// Takes a table and what appends its rows, stamped with a time.
type FreshRows<'a> = dyn FnMut(&'static TableDef, &dyn Fn(&mut TableRows, i64)) + 'a;

/// When a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleTime {
    /// End of its interval, milliseconds since 1970-01-01 UTC.
    pub time_ms: i64,
    /// CLOCK_MONOTONIC, nanoseconds.
    pub monotonic_ns: u64,
}

/// Samples that were taken and are not there: the disk was full, or did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The sample before.
    pub after_ms: i64,
    /// The sample after.
    pub until_ms: i64,
    /// How many are missing.
    pub samples: u32,
}

/// What stands behind the last good frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Bytes that could not be read.
    pub bytes: u64,
    /// The last sample that could be read; none where there is none.
    pub after_ms: Option<i64>,
    /// The last whole sample behind the damage, which cannot be read without what was before it.
    /// None where there is none: the end was cut off, or is being written.
    pub until_ms: Option<i64>,
}

/// The times of a journal's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Survey {
    /// The least and the greatest.
    pub span: Span,
    /// The clock was not set back.
    pub in_order: bool,
}

/// A journal that is read from its beginning.
pub struct JournalReader {
    path: PathBuf,
    file: File,
    header: SegmentHeader,
    program: String,
    schema_hash: u64,
    /// Place of the next frame.
    offset: u64,
    /// Bytes of the file from `offset` on, of which the first `passed` are read.
    buffer: Vec<u8>,
    passed: usize,
    last: Option<FrameHead>,
    /// Greatest time of a sample that was read.
    last_ms: Option<i64>,
    gaps: Vec<Gap>,
    decoder: Decoder,
    /// Up to here streams and words are known.
    learned_until: u64,
    /// A frame made no sense: what it told may be half known, so nothing after it is read.
    failed: bool,
}

impl JournalReader {
    /// Opens a journal.
    pub fn open(path: &Path) -> Result<JournalReader, StoreError> {
        let file = File::open(path).map_err(StoreError::io(path))?;
        let mut bytes = vec![0; MAX_HEADER_BYTES];
        let length = read_at(&file, &mut bytes, 0).map_err(StoreError::io(path))?;
        let read = header::decode(&bytes[..length]).map_err(StoreError::corrupt(path))?;
        let offset = read.length as u64;
        Ok(JournalReader {
            path: path.to_owned(),
            file,
            header: read.header,
            program: read.program,
            schema_hash: read.schema_hash,
            offset,
            buffer: Vec::new(),
            passed: 0,
            last: None,
            last_ms: None,
            gaps: Vec::new(),
            decoder: Decoder::default(),
            learned_until: offset,
            failed: false,
        })
    }

    /// Whether a file is a journal of which not even the header was written.
    pub(crate) fn is_cut_short(path: &Path) -> io::Result<bool> {
        let mut bytes = vec![0; MAX_HEADER_BYTES];
        let length = read_at(&File::open(path)?, &mut bytes, 0)?;
        Ok(header::is_cut(&bytes[..length]))
    }

    /// Its file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whose journal it is.
    pub fn header(&self) -> &SegmentHeader {
        &self.header
    }

    /// Version of the program that wrote it.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Whether the writer knew the same columns as this program.
    pub fn is_current(&self) -> bool {
        self.schema_hash == super::encoder::schema_hash()
    }

    /// Samples that the writer took and could not write, as far as was read.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Time of the last sample as far as was read; the greatest, where the clock was set back.
    pub(crate) fn last_ms(&self) -> Option<i64> {
        self.last_ms
    }

    /// The times of the samples from here to the end, by the heads of their frames: none where
    /// there is none. What is read next does not change.
    pub(crate) fn survey(&mut self) -> Result<Option<Survey>, StoreError> {
        let begin = self.offset;
        let mut survey: Option<Survey> = None;
        while let Some((head, length)) = self.find_frame()? {
            let at = Span { since_ms: head.time_ms, until_ms: head.time_ms };
            let known = survey.get_or_insert(Survey { span: at, in_order: true });
            known.in_order &= head.time_ms >= known.span.until_ms;
            known.span.since_ms = known.span.since_ms.min(head.time_ms);
            known.span.until_ms = known.span.until_ms.max(head.time_ms);
            self.passed += length;
            self.offset += length as u64;
        }
        self.offset = begin;
        self.forget_buffer();
        Ok(survey)
    }

    /// The rows of the samples from here to the end whose times lie in a span (both ends
    /// included), by table. After more has been written, a further call gives what is new.
    pub fn tables(
        &mut self,
        wanted: &dyn Fn(&str) -> bool,
        span: Option<Span>,
    ) -> Result<BTreeMap<String, Vec<RecordBatch>>, StoreError> {
        self.read_tables(wanted, span, None)
    }

    /// The same rows, once: what lies behind the span is not read, unless the clock was set back.
    pub(crate) fn window(
        &mut self,
        wanted: &dyn Fn(&str) -> bool,
        span: Span,
    ) -> Result<BTreeMap<String, Vec<RecordBatch>>, StoreError> {
        match self.survey()? {
            Some(there) if there.span.since_ms <= span.until_ms && there.span.until_ms >= span.since_ms => {
                self.read_tables(wanted, Some(span), there.in_order.then_some(span.until_ms))
            }
            _ => Ok(BTreeMap::new()),
        }
    }

    /// Reads up to the first sample after `end_ms`.
    fn read_tables(
        &mut self,
        wanted: &dyn Fn(&str) -> bool,
        span: Option<Span>,
        end_ms: Option<i64>,
    ) -> Result<BTreeMap<String, Vec<RecordBatch>>, StoreError> {
        let mut gathered: BTreeMap<&'static str, (TableRows, Vec<RecordBatch>)> = BTreeMap::new();
        if let Some(span) = span {
            self.seek(span.since_ms, wanted)?;
        }
        while let Some(sample) = self.next_sample(wanted)? {
            if end_ms.is_some_and(|end_ms| sample.time_ms > end_ms) {
                break;
            }
            if span.is_some_and(|span| !(span.since_ms..=span.until_ms).contains(&sample.time_ms)) {
                continue;
            }
            for stream in self.decoder.streams.iter().filter(|stream| stream.fresh) {
                let Some(def) = stream.def else { continue };
                let (rows, batches) =
                    gathered.entry(def.name).or_insert_with(|| (TableRows::new(def), Vec::new()));
                rows.push(stream, sample.time_ms);
                if rows.len() >= BATCH_ROWS {
                    batches.push(self.batch(rows)?);
                }
            }
        }
        let mut tables = BTreeMap::new();
        for (name, (mut rows, mut batches)) in gathered {
            if rows.len() > 0 {
                batches.push(self.batch(&mut rows)?);
            }
            tables.insert(name.to_owned(), batches);
        }
        Ok(tables)
    }

    /// Calls `take` for each stream of the sample that was read last, with what appends its rows.
    pub(crate) fn fresh_rows(&self, take: &mut FreshRows) {
        for stream in self.decoder.streams.iter().filter(|stream| stream.fresh) {
            if let Some(def) = stream.def {
                take(def, &|rows, time_ms| rows.push(stream, time_ms));
            }
        }
    }

    /// The rows as a batch, sorted by entity and time; none are left.
    pub(crate) fn sorted_batch(&self, rows: &mut TableRows) -> Result<RecordBatch, StoreError> {
        rows.sort_by_entity(&self.decoder.words);
        self.batch(rows)
    }

    /// The rows as a batch, in their order; none are left.
    pub(crate) fn batch(&self, rows: &mut TableRows) -> Result<RecordBatch, StoreError> {
        rows.take_batch(&self.decoder.words, &self.header.host).map_err(StoreError::corrupt(&self.path))
    }

    /// Reads the next sample; none at the end, and at the first bytes that are no frame.
    pub(crate) fn next_sample(
        &mut self,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Option<SampleTime>, StoreError> {
        let Some((head, length)) = self.find_frame()? else { return Ok(None) };
        let payload = &self.buffer[self.passed + HEAD_BYTES..self.passed + length];
        let readings = match self.offset < self.learned_until {
            true => Decoder::pass(payload),
            false => self.decoder.learn(payload, wanted),
        };
        let read = readings.and_then(|bytes| self.decoder.read(bytes, head.keyframe));
        if read.is_none() {
            return Err(self.nonsense());
        }
        self.pass(head, length);
        Ok(Some(SampleTime { time_ms: head.time_ms, monotonic_ns: head.monotonic_ns }))
    }

    /// Goes on from the last keyframe before the first sample at or after a time, having read
    /// of the samples before it what later ones build on.
    fn seek(&mut self, since_ms: i64, wanted: &dyn Fn(&str) -> bool) -> Result<(), StoreError> {
        // Without a keyframe on the way, what is known now is what the samples from here build on.
        let mut back = (self.offset, self.last, self.gaps.len());
        while let Some((head, length)) = self.find_frame()? {
            if head.keyframe {
                back = (self.offset, self.last, self.gaps.len());
            }
            if head.time_ms >= since_ms {
                break;
            }
            let payload = &self.buffer[self.passed + HEAD_BYTES..self.passed + length];
            if self.offset >= self.learned_until && self.decoder.learn(payload, wanted).is_none() {
                return Err(self.nonsense());
            }
            self.pass(head, length);
        }
        let (offset, last, gaps) = back;
        self.offset = offset;
        self.last = last;
        self.gaps.truncate(gaps);
        self.forget_buffer();
        Ok(())
    }

    fn nonsense(&mut self) -> StoreError {
        self.failed = true;
        let what = format!("the frame at {} has a right checksum and makes no sense", self.offset);
        StoreError::corrupt(&self.path)(what)
    }

    fn pass(&mut self, head: FrameHead, length: usize) {
        if let Some(last) = self.last {
            let samples = head.sequence.wrapping_sub(last.sequence).wrapping_sub(1);
            if samples > 0 {
                self.gaps.push(Gap { after_ms: last.time_ms, until_ms: head.time_ms, samples });
            }
        }
        self.last = Some(head);
        self.last_ms = self.last_ms.max(Some(head.time_ms));
        self.passed += length;
        self.offset += length as u64;
        self.learned_until = self.learned_until.max(self.offset);
    }

    /// The frame at the current place, and its length.
    fn find_frame(&mut self) -> Result<Option<(FrameHead, usize)>, StoreError> {
        if self.failed {
            return Err(self.nonsense());
        }
        loop {
            let wanted = match frame::find(&self.buffer[self.passed..]) {
                Found::Frame(head, length) => return Ok(Some((head, length))),
                Found::Bad => break,
                Found::Short(wanted) => wanted,
            };
            let before = self.buffer.len() - self.passed;
            self.fill(wanted)?;
            if self.buffer.len() == before {
                break;
            }
        }
        // What is there now may be another thing when the writer goes on.
        self.forget_buffer();
        Ok(None)
    }

    fn forget_buffer(&mut self) {
        self.buffer.clear();
        self.passed = 0;
    }

    /// Reads on, until so many bytes are there or the file ends.
    fn fill(&mut self, wanted: usize) -> Result<(), StoreError> {
        self.buffer.drain(..self.passed);
        self.passed = 0;
        let present = self.buffer.len();
        self.buffer.resize(present + READ_BYTES.max(wanted.saturating_sub(present)), 0);
        let at = self.offset + present as u64;
        let read =
            read_at(&self.file, &mut self.buffer[present..], at).map_err(StoreError::io(&self.path))?;
        self.buffer.truncate(present + read);
        Ok(())
    }

    /// What stands behind the last good frame; none where that is the end.
    pub fn tail(&self) -> Result<Option<Tail>, StoreError> {
        let length = self.file.metadata().map_err(StoreError::io(&self.path))?.len();
        let bytes = length.saturating_sub(self.offset);
        if bytes == 0 {
            return Ok(None);
        }
        let until_ms = self.last_whole_frame(length)?.map(|head| head.time_ms);
        Ok(Some(Tail { bytes, after_ms: self.last.map(|head| head.time_ms), until_ms }))
    }

    /// The last frame behind the current place that is whole.
    fn last_whole_frame(&self, end: u64) -> Result<Option<FrameHead>, StoreError> {
        let mut rest = vec![0; (end - self.offset).min(super::MAX_SEGMENT_BYTES * 2) as usize];
        let length = read_at(&self.file, &mut rest, self.offset).map_err(StoreError::io(&self.path))?;
        let (mut at, mut last) = (0, None);
        while let Some(next) = rest[at..length].windows(MARKER.len()).position(|bytes| bytes == MARKER) {
            at += next;
            match frame::find(&rest[at..length]) {
                Found::Frame(head, length) => {
                    last = Some(head);
                    at += length;
                }
                _ => at += 1,
            }
        }
        Ok(last)
    }
}

/// Fills a buffer from a place of a file, as far as the file goes.
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], at + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
