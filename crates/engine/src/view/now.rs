//! Vital signs of a machine that runs, once a second: of its journal only what is new is read.

use std::sync::{Mutex, PoisonError};

use heldup_archive::Database;
use heldup_archive::kept::NewestRows;
use heldup_diagnose::vitals_of;
use heldup_figure::{LastSamples, is_vital};
use heldup_model::{Now, Span};

use super::{Film, Viewer};
use crate::error::{Context, EngineError, Result};
use crate::source::archive::ArchiveSource;

/// How far back the newest samples are looked for at first: tables are read each second, or a little less often.
const RECENT_MS: i64 = 15_000;

/// What was read of the journal.
#[derive(Default)]
pub struct Tail(Mutex<Option<(NewestRows, LastSamples)>>);

impl Viewer {
    /// The newest vital signs, and what they are of: called again it reads what was written since. Of a capture they are
    /// those of all of it.
    pub fn vitals(&self) -> Result<Now> {
        match &self.film {
            Film::Live(live) => self.newest(&live.archive),
            Film::Archive(archive) => self.newest(archive),
            Film::Whole { capture, .. } => {
                let database = Database::open(capture).context("cannot read the window")?;
                let vitals = vitals_of(&database).context("cannot read the window")?;
                Ok(Now { span: capture.span, vitals })
            }
        }
    }

    fn newest(&self, archive: &ArchiveSource) -> Result<Now> {
        let mut tail = self.tail.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (rows, samples) = match &mut *tail {
            Some(tail) => tail,
            tail => tail.insert((archive.newest_rows(), LastSamples::default())),
        };
        let now_ms = heldup_hostfs::realtime_ms();
        match rows.read(&is_vital, now_ms - RECENT_MS) {
            Ok(Some(tables)) => samples.add(&tables),
            // Nobody writes.
            Ok(None) => {}
            Err(error) => {
                *tail = None;
                return Err(error.into());
            }
        }
        if let Some(now) = samples.now() {
            return Ok(now);
        }
        // What nobody writes to has a last sample all the same.
        let all = archive.all()?;
        let span = Span { since_ms: all.since_ms.max(all.until_ms - RECENT_MS), ..all };
        samples.add(&archive.rows(span, &is_vital, &|_, _| true)?.tables);
        let none = || EngineError::not_found(format!("{}: no vital signs were recorded", archive.name));
        samples.now().ok_or_else(none)
    }
}
