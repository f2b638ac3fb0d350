//! Writes a journal: one `write(2)` a sample, to the end of the file.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::encoder::{Encoder, give_back, schema_hash};
use super::flusher::Flusher;
use super::frame::{self, FrameHead};
use super::header::{self, SegmentHeader};
use super::{ChangedReading, MAX_LATER_WORD_BYTES, MAX_SEGMENT_BYTES, Sample, SegmentName};
use crate::store::StoreError;

/// How a journal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalSettings {
    /// Time between two flushes to the disk: what a power cut may cost.
    pub flush: Duration,
    /// Time between two samples that stand for themselves.
    pub keyframe: Duration,
    /// Age from which a segment is full.
    pub max_age: Duration,
    /// Length from which a segment is full, in bytes.
    pub max_bytes: u64,
}

impl Default for JournalSettings {
    /// Ten seconds, a minute, an hour, 64 MiB.
    fn default() -> JournalSettings {
        JournalSettings {
            flush: Duration::from_secs(10),
            keyframe: Duration::from_secs(60),
            max_age: Duration::from_secs(3600),
            max_bytes: MAX_SEGMENT_BYTES,
        }
    }
}

/// A segment that is being written.
pub struct JournalWriter {
    path: PathBuf,
    file: File,
    flusher: Flusher,
    settings: JournalSettings,
    encoder: Encoder,
    frame: Vec<u8>,
    /// Length up to the last whole frame.
    length: u64,
    sequence: u32,
    begun_ns: u64,
    keyframe_ns: Option<u64>,
    /// What the texts of the first sample take; none before it.
    first_word_bytes: Option<usize>,
    flush_ns: u64,
    /// Bytes that belong to no frame stand at the end and could not be cut off.
    broken: bool,
}

impl JournalWriter {
    /// Begins a segment in a folder, which is made where it is missing. Only its owner may read it.
    pub fn create(
        folder: &Path,
        header: &SegmentHeader,
        settings: JournalSettings,
    ) -> Result<JournalWriter, StoreError> {
        let mut maker = DirBuilder::new();
        maker.mode(0o700).recursive(true).create(folder).map_err(StoreError::io(folder))?;
        let (path, mut file) = create_file(folder, header)?;
        let bytes = header::encode(header, schema_hash());
        file.write_all(&bytes).map_err(StoreError::io(&path))?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::io(folder))?;
        let flusher = file.try_clone().and_then(Flusher::start).map_err(StoreError::io(&path))?;
        Ok(JournalWriter {
            path,
            file,
            flusher,
            settings,
            encoder: Encoder::new(settings.keyframe),
            frame: Vec::new(),
            length: bytes.len() as u64,
            sequence: 0,
            begun_ns: header.monotonic_ns,
            keyframe_ns: None,
            first_word_bytes: None,
            flush_ns: header.monotonic_ns,
            broken: false,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length, in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Memory that texts take until it is closed which its first sample did not have, in bytes.
    pub fn later_word_bytes(&self) -> usize {
        self.encoder.word_bytes().saturating_sub(self.first_word_bytes.unwrap_or(usize::MAX))
    }

    /// Whether another segment should be begun, at a time of CLOCK_MONOTONIC.
    pub fn is_full(&self, monotonic_ns: u64) -> bool {
        self.broken
            || self.length >= self.settings.max_bytes
            || self.later_word_bytes() >= MAX_LATER_WORD_BYTES
            || since(self.begun_ns, monotonic_ns) >= self.settings.max_age
    }

    /// Appends a sample and returns the bytes that it took. After an error (the disk is full) the
    /// sample is missing, its place in the sequence stays empty, and the next one can be written.
    pub fn append(&mut self, sample: Sample) -> Result<usize, StoreError> {
        self.append_changed(sample, &[])
    }

    /// Whether rows of a table may be told by what changed in the next sample, which is taken at a time of
    /// CLOCK_MONOTONIC: there is a reading that they build on, and the sample need not stand for itself.
    pub fn takes_changes(&self, table: &str, monotonic_ns: u64) -> bool {
        !self.is_keyframe(monotonic_ns) && self.encoder.basis(table).is_some()
    }

    fn is_keyframe(&self, now_ns: u64) -> bool {
        self.keyframe_ns.is_none_or(|last| since(last, now_ns) >= self.settings.keyframe)
    }

    /// Appends a sample of which some tables are given as changes, each once: as
    /// [`JournalWriter::append`], where [`JournalWriter::takes_changes`] says so, and an error elsewhere.
    pub fn append_changed(
        &mut self,
        sample: Sample,
        changed: &[ChangedReading],
    ) -> Result<usize, StoreError> {
        if self.broken {
            let what = "its end could not be cut off after a failed write; begin another".to_owned();
            return Err(StoreError::corrupt(&self.path)(what));
        }
        let now_ns = sample.monotonic_ns;
        let keyframe = self.is_keyframe(now_ns);
        let head =
            FrameHead { sequence: self.sequence, time_ms: sample.time_ms, monotonic_ns: now_ns, keyframe };
        self.sequence = self.sequence.wrapping_add(1);
        let made = self.encoder.encode(sample, changed, keyframe, &mut self.frame).and_then(|()| {
            frame::end(&mut self.frame, head).ok_or_else(|| "a sample of more than 64 MiB".to_owned())
        });
        let written = made
            .map_err(StoreError::corrupt(&self.path))
            .and_then(|()| self.write().map_err(StoreError::io(&self.path)));
        if let Err(error) = written {
            self.encoder.forget();
            self.keyframe_ns = None;
            return Err(error);
        }
        self.encoder.keep();
        self.first_word_bytes.get_or_insert(self.encoder.word_bytes());
        if keyframe {
            self.keyframe_ns = Some(now_ns);
        }
        let length = self.frame.len();
        give_back(&mut self.frame);
        self.length += length as u64;
        if since(self.flush_ns, now_ns) >= self.settings.flush && self.flusher.ask() {
            self.flush_ns = now_ns;
        }
        Ok(length)
    }

    /// Writes the frame as a whole, or cuts off what was written of it.
    fn write(&mut self) -> io::Result<()> {
        let written = loop {
            match self.file.write(&self.frame) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let error = match written {
            Ok(length) if length == self.frame.len() => return Ok(()),
            Ok(_) => io::Error::new(ErrorKind::StorageFull, "only a part could be written"),
            Err(error) => error,
        };
        self.broken = self.file.set_len(self.length).is_err();
        Err(error)
    }

    /// What a flush has said since this was asked last: what was written since the flush before
    /// may not survive a power cut.
    pub fn take_flush_error(&self) -> Option<io::Error> {
        self.flusher.take_error()
    }

    /// Brings everything to the disk, and ends.
    pub fn close(self) -> Result<PathBuf, StoreError> {
        self.file.sync_data().map_err(StoreError::io(&self.path))?;
        Ok(self.path.clone())
    }
}

impl Drop for JournalWriter {
    /// The flusher may keep the file open for as long as its last flush takes.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

fn create_file(folder: &Path, header: &SegmentHeader) -> Result<(PathBuf, File), StoreError> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true).mode(0o600);
    let path = folder.join(SegmentName::of(header).journal());
    let file = options.open(&path).map_err(StoreError::io(&path))?;
    // Held until the file is closed, also by being killed: who seals sees that somebody writes.
    // Where the file system has no locks, nobody else should seal.
    let _ = file.try_lock();
    Ok((path, file))
}

fn since(earlier_ns: u64, now_ns: u64) -> Duration {
    Duration::from_nanos(now_ns.saturating_sub(earlier_ns))
}
