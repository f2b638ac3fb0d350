//! What was found in a longer time. What was judged is not judged again: a machine that runs is asked every minute.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use heldup_diagnose::{BadStretch, Options, bad_stretches, diagnose_with, window};
use heldup_model::{Capture, Mark, Span};

use super::{Film, Viewer};
use crate::error::{Context, EngineError, Result};
use crate::examine::timeline::{Judge, Remembered, brief, timeline_with};
use crate::progress::Silent;
use crate::source::archive::ArchiveSource;

/// Stretches of a recording that are looked at.
const MOST_MARKS: usize = 12;

/// What is known of the time before.
#[derive(Default)]
pub struct Known(Mutex<Both>);

#[derive(Default)]
struct Both {
    /// Of an archive.
    archive: Remembered,
    /// Of a capture, by stretch.
    capture: BTreeMap<(i64, i64), Mark>,
}

impl Viewer {
    /// The worst stretches of a longer time, in the order of time. Asked again of a time that goes on, only what is new is
    /// read and judged.
    pub fn marks(&self, span: Span) -> Result<Vec<Mark>> {
        let mut known = self.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut marks = match &self.film {
            Film::Live(live) => self.marks_of(&live.archive, span, &mut known.archive)?,
            Film::Archive(archive) => self.marks_of(archive, span, &mut known.archive)?,
            Film::Whole { capture, .. } => self.marks_in(capture, &mut known.capture)?,
        };
        marks.retain(|mark| !mark.findings.is_empty());
        marks.sort_by_key(|mark| mark.span.since_ms);
        Ok(marks)
    }

    fn marks_in(&self, capture: &Capture, known: &mut BTreeMap<(i64, i64), Mark>) -> Result<Vec<Mark>> {
        if known.is_empty() {
            let mut worst = bad_stretches(capture).context("cannot read the recording")?;
            worst.sort_by_key(|stretch| stretch.rank);
            worst.truncate(MOST_MARKS);
            for stretch in &worst {
                let Span { since_ms, until_ms } = stretch.span;
                known.insert((since_ms, until_ms), self.mark(capture, stretch));
            }
        }
        Ok(known.values().cloned().collect())
    }

    fn mark(&self, capture: &Capture, stretch: &BadStretch) -> Mark {
        let part = window(capture, stretch.span);
        let mut found = diagnose_with(&part, &self.ruleset, &Options::default()).findings;
        self.ignored.leave_out(&mut found);
        let causes = found.into_iter().filter(|finding| finding.because.is_empty());
        Mark { span: stretch.span, findings: causes.map(brief).collect() }
    }

    fn marks_of(&self, archive: &ArchiveSource, span: Span, known: &mut Remembered) -> Result<Vec<Mark>> {
        let judge = Judge { ruleset: &self.ruleset, ignored: &self.ignored, focus: None, baseline: None };
        let found = timeline_with(archive, span, &judge, known, &Silent)?;
        let time = |text: &str| {
            let time: jiff::Timestamp = text.parse().context("a time of the timeline")?;
            Ok::<i64, EngineError>(time.as_millisecond())
        };
        found
            .stretches
            .into_iter()
            .map(|stretch| {
                let span =
                    Span { since_ms: time(&stretch.examined_from)?, until_ms: time(&stretch.examined_to)? };
                Ok(Mark { span, findings: stretch.findings })
            })
            .collect()
    }
}
