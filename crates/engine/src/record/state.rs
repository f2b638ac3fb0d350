//! What the recorder says of itself in its archive, for `heldup status`.

use std::path::PathBuf;
use std::time::Duration;

use heldup_archive::kept::RecorderFile;
use heldup_hostfs::{monotonic_ns, own_pid, realtime_ms};
use heldup_model::{Method, RecorderState};

use super::RecordRequest;

/// A file that could not be written is tried again after this long.
const TAKEN_AGAIN_NS: u64 = Duration::from_secs(10).as_nanos() as u64;

/// What is said, and the file that it is said in.
pub struct State {
    archive: PathBuf,
    /// None while it cannot be written: the disk that it was on may be gone, and another be there.
    file: Option<RecorderFile>,
    /// Not taken again before this, on the monotonic clock.
    again_ns: u64,
    now: RecorderState,
    /// As it stands in the file.
    written: Option<RecorderState>,
}

impl State {
    /// A recorder begins.
    pub fn begin(file: RecorderFile, plan: &RecordRequest, host: &str, method: Method) -> State {
        let now = RecorderState {
            pid: own_pid(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            host: host.to_owned(),
            since_ms: realtime_ms(),
            until_ms: None,
            interval_ms: plan.interval.as_millis() as i64,
            method: method.name().to_owned(),
            cpu_budget: plan.cpu_budget,
            retention_s: plan.keeping.retention.max_age.as_secs() as i64,
            max_bytes: i64::try_from(plan.keeping.retention.max_bytes).unwrap_or(i64::MAX),
            lost_samples: 0,
            last_error: None,
            last_error_ms: None,
        };
        State { archive: plan.archive.clone(), file: Some(file), again_ns: 0, now, written: None }
    }

    /// Notes what went wrong.
    pub fn error(&mut self, what: &str) {
        self.now.last_error = Some(what.to_owned());
        self.now.last_error_ms = Some(realtime_ms());
    }

    /// Notes a sample that could not be written.
    pub fn lost(&mut self, why: &str) {
        self.now.lost_samples += 1;
        self.error(why);
    }

    /// Brings it into the file where something has changed. A file that cannot be written is no
    /// news: what cannot be written beside it is told.
    pub fn write(&mut self) {
        if self.file.is_none() && monotonic_ns() >= self.again_ns {
            self.file = RecorderFile::take(&self.archive).ok();
            self.again_ns = monotonic_ns() + TAKEN_AGAIN_NS;
        }
        let Some(file) = self.file.as_ref().filter(|_| self.written.as_ref() != Some(&self.now)) else {
            return;
        };
        match file.write(&self.now) {
            Ok(()) => self.written = Some(self.now.clone()),
            Err(_) => (self.file, self.written) = (None, None),
        }
    }

    /// The recorder ends.
    pub fn end(&mut self) {
        self.now.until_ms = Some(realtime_ms());
        self.write();
    }
}
