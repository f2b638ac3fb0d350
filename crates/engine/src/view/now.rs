//! Vital signs of a machine that runs, once a second.

use heldup_archive::Database;
use heldup_diagnose::vitals_of;
use heldup_model::{Now, Span};

use super::Viewer;
use crate::error::{Context, Result};

/// What is looked at.
const NOW_MS: i64 = 2_000;

impl Viewer {
    /// The newest vital signs.
    pub fn vitals(&self) -> Result<Now> {
        let all = self.all()?;
        let (_, capture, _) =
            self.capture(Span { since_ms: all.since_ms.max(all.until_ms - NOW_MS), ..all })?;
        let database = Database::open(&capture).context("cannot read the window")?;
        Ok(Now { span: capture.span, vitals: vitals_of(&database).context("cannot read the window")? })
    }
}
