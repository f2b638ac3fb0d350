//! The journal that is being written, over errors and changes of the clock.
//!
//! A disk that is full or read-only costs the samples that it does not take, and nothing else:
//! it is tried again with the next sample, and a journal that cannot be made every ten seconds.

use std::time::Duration;

use heldup_archive::journal::{ChangedReading, JournalSettings, JournalWriter, Sample, SegmentHeader};
use heldup_archive::kept::ArchiveFolder;
use heldup_hostfs::Host;

use super::RecordRequest;
use super::grid::Moment;

/// A journal that could not be made is tried again after this long.
const TRY_AGAIN_NS: u64 = Duration::from_secs(10).as_nanos() as u64;
const HOUR_MS: i64 = 3_600_000;

/// What became of a sample.
#[derive(Debug)]
pub enum Written {
    /// It is in the journal, with so many bytes.
    Whole(usize),
    /// It is not.
    Lost(String),
}

/// The segments of one archive.
pub struct Segments {
    archive: ArchiveFolder,
    host: String,
    boot_id: String,
    settings: JournalSettings,
    writer: Option<JournalWriter>,
    /// Hour of UTC in which the segment began.
    hour: i64,
    /// A journal could not be made, and why; not tried before this.
    refused: Option<(u64, String)>,
}

impl Segments {
    /// Segments of a host.
    pub fn new(archive: ArchiveFolder, host: &Host, name: &str, plan: &RecordRequest) -> Segments {
        // Without it segments of one time have one name, which the second then is refused.
        let boot_id = host.read_text("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let settings =
            JournalSettings { flush: plan.flush, max_age: plan.segment, ..JournalSettings::default() };
        Segments { archive, host: name.to_owned(), boot_id, settings, writer: None, hour: 0, refused: None }
    }

    /// Whether a sample begins another segment: there is none, it is full, its hour is over, or the
    /// clock is no longer what its header says.
    pub fn should_turn(&self, moment: Moment, jumped: bool) -> bool {
        match &self.writer {
            None => self.refused.as_ref().is_none_or(|(until_ns, _)| moment.now_ns >= *until_ns),
            Some(writer) => {
                jumped || self.hour != moment.time_ms.div_euclid(HOUR_MS) || writer.is_full(moment.now_ns)
            }
        }
    }

    /// Begins another segment; answers the one before, which is to be closed and sealed.
    pub fn turn(&mut self, moment: Moment) -> Option<JournalWriter> {
        let before = self.writer.take();
        let header = SegmentHeader {
            host: self.host.clone(),
            boot_id: self.boot_id.clone(),
            realtime_ms: moment.time_ms,
            monotonic_ns: moment.now_ns,
        };
        self.hour = moment.time_ms.div_euclid(HOUR_MS);
        match JournalWriter::create(&self.archive.journals(), &header, self.settings) {
            Ok(writer) => (self.writer, self.refused) = (Some(writer), None),
            Err(error) => self.refused = Some((moment.now_ns + TRY_AGAIN_NS, error.to_string())),
        }
        before
    }

    /// Whether rows of a table may be told by what changed, in a sample of that time.
    pub fn takes_changes(&self, table: &str, now_ns: u64) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.takes_changes(table, now_ns))
    }

    /// Appends a sample.
    pub fn append(&mut self, sample: Sample, changed: &[ChangedReading]) -> Written {
        let Some(writer) = &mut self.writer else {
            let why = self.refused.as_ref().map(|(_, why)| why.clone());
            return Written::Lost(why.unwrap_or_else(|| "no journal".to_owned()));
        };
        match writer.append_changed(sample, changed) {
            Ok(bytes) => Written::Whole(bytes),
            Err(error) => Written::Lost(error.to_string()),
        }
    }

    /// What a flush has said since this was asked last.
    pub fn flush_error(&self) -> Option<String> {
        let error = self.writer.as_ref()?.take_flush_error()?;
        Some(format!("flush: {error}; a power failure may lose data since the previous flush"))
    }

    /// The kernel's random id of this boot, where it can be read.
    pub fn boot_id(&self) -> Option<&str> {
        Some(self.boot_id.as_str()).filter(|id| !id.is_empty())
    }

    /// Ends; answers the last segment.
    pub fn end(self) -> Option<JournalWriter> {
        self.writer
    }
}
