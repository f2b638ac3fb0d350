//! What the recorder says of itself in its archive, for `heldup status`.

use heldup_archive::kept::RecorderFile;
use heldup_hostfs::{own_pid, realtime_ms};
use heldup_model::{Method, RecorderState};

use super::Plan;

/// What is said, and the file that it is said in.
pub struct State {
    file: RecorderFile,
    now: RecorderState,
    /// As it stands in the file.
    written: Option<RecorderState>,
}

impl State {
    /// A recorder begins.
    pub fn begin(file: RecorderFile, plan: &Plan, host: &str, method: Method) -> State {
        let now = RecorderState {
            pid: own_pid(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            host: host.to_owned(),
            since_ms: realtime_ms(),
            until_ms: None,
            interval_ms: plan.interval.as_millis() as i64,
            method: method.name().to_owned(),
            cpu_budget: plan.cpu_budget,
            keep_s: plan.keeping.retention.max_age.as_secs() as i64,
            keep_bytes: i64::try_from(plan.keeping.retention.max_bytes).unwrap_or(i64::MAX),
            lost_samples: 0,
            last_error: None,
            last_error_ms: None,
        };
        State { file, now, written: None }
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
        if self.written.as_ref() != Some(&self.now) && self.file.write(&self.now).is_ok() {
            self.written = Some(self.now.clone());
        }
    }

    /// The recorder ends.
    pub fn end(&mut self) {
        self.now.until_ms = Some(realtime_ms());
        self.write();
    }
}
