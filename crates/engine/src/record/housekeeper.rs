//! Closes segments and has a child of low priority seal them, while samples go on.

use std::ffi::OsString;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use heldup_archive::journal::JournalWriter;
use heldup_archive::kept::{HouseKeeping, keep_house};
use heldup_hostfs::{monotonic_ns, realtime_ms, start_again};

use super::SealBy;
use crate::error::Result;

/// What a thread of this ends with: what went wrong.
type Ended = Option<String>;

/// Has house kept: one child at a time.
pub struct Housekeeper {
    archive: PathBuf,
    keeping: HouseKeeping,
    seal: SealBy,
    at_work: Option<JoinHandle<Ended>>,
    /// Closed meanwhile, while a child was at work on what was before.
    waiting: Vec<JournalWriter>,
}

impl Housekeeper {
    /// Who keeps house in an archive.
    pub fn new(archive: PathBuf, keeping: HouseKeeping, seal: SealBy) -> Housekeeper {
        Housekeeper { archive, keeping, seal, at_work: None, waiting: Vec::new() }
    }

    /// Closes a segment, where there is one, and seals everything that nobody writes to.
    pub fn begin(&mut self, closed: Option<JournalWriter>) {
        self.waiting.extend(closed);
        if self.at_work.is_some() {
            return;
        }
        let journals = std::mem::take(&mut self.waiting);
        let (archive, keeping) = (self.archive.clone(), self.keeping);
        let command = (self.seal != SealBy::Thread).then(|| self.command());
        let work = move || {
            let closed: Vec<_> = journals.into_iter().filter_map(|journal| journal.close().err()).collect();
            let wrong = closed.first().map(ToString::to_string);
            wrong.or_else(|| match command {
                Some(command) => seal(&command).err(),
                None => keep_house(&archive, &keeping, realtime_ms()).err().map(|error| error.to_string()),
            })
        };
        // A flush may take seconds on a machine whose disk is the trouble: that is for a thread.
        self.at_work = std::thread::Builder::new().name("housekeeper".to_owned()).spawn(work).ok();
    }

    /// What went wrong with a child that has ended; begins another where something waits for it.
    pub fn look_after(&mut self) -> Option<String> {
        let ended = self.at_work.take_if(|at_work| at_work.is_finished())?;
        if !self.waiting.is_empty() {
            self.begin(None);
        }
        ended.join().unwrap_or_else(|_| Some("sealing failed (a bug)".to_owned()))
    }

    /// Closes the last segment and waits until all is sealed, but not for ever: a journal can be read
    /// as it is, and the next recorder seals it.
    pub fn end(mut self, last: Option<JournalWriter>, patience: Duration) -> Option<String> {
        let until = monotonic_ns() + patience.as_nanos() as u64;
        let mut wrong = None;
        if self.seal == SealBy::ChildUntilEnd {
            // A child that is at work is waited for: it would write into a folder that is gone.
            self.waiting.clear();
        } else if self.at_work.is_none() {
            self.begin(last);
        } else {
            self.waiting.extend(last);
        }
        while self.at_work.is_some() && monotonic_ns() < until {
            std::thread::sleep(Duration::from_millis(10));
            wrong = self.look_after().or(wrong);
        }
        wrong
    }

    fn command(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["keep-house".into(), self.archive.clone().into()];
        let HouseKeeping { retention, tiers } = self.keeping;
        words.push(format!("--retention={}s", retention.max_age.as_secs()).into());
        words.push(format!("--max-size={}", retention.max_bytes).into());
        words.push(format!("--raw-for={}s", tiers.ten_seconds_after.as_secs()).into());
        words.push(format!("--ten-seconds-for={}s", tiers.minutes_after.as_secs()).into());
        words
    }
}

fn seal(command: &[OsString]) -> Result<(), String> {
    let status = start_again(command).map_err(|error| error.to_string()).and_then(|mut child| {
        // Nothing else waits for it.
        child.wait().map_err(|error| error.to_string())
    });
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("sealing: {status}")),
        Err(error) => Err(format!("cannot start sealing: {error}")),
    }
}
